/* SPDX-License-Identifier: MIT
 *
 * Where code was mapped, for addresses that another source recorded without saying where their
 * library lay: a py-spy dump has `0x7f10a1b2c3d4 (libcuda.so.595)`, a recording or /proc/PID/maps of
 * the same process has the mapping.
 */
#ifndef FF_PROFILE_MAPPING_H
#define FF_PROFILE_MAPPING_H

#include "profile/profile.h"

/* Adds an executable mapping of a file or of the vdso. Mappings are not written to the stream: what
 * they are good for is done when all inputs are read. */
void ff_mapping_add(struct ff_profile *profile, struct ff_mapping mapping);

/* Gives frames of "unplaced" modules (see kinds.h) the module and the file offset that a mapping
 * proves: the address lies in a mapping of a file of that name. Where mappings of several processes
 * hold it and differ, those of the frame's own pid decide, else it stays as it is. What was placed
 * is counted in the ledger; calling it again places only what is new. */
void ff_mapping_place_frames(struct ff_profile *profile);

#endif
