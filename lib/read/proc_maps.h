/* SPDX-License-Identifier: MIT
 *
 * Lines of /proc/PID/maps: what was mapped where at one moment.
 */
#ifndef FF_READ_PROC_MAPS_H
#define FF_READ_PROC_MAPS_H

#include "profile/profile.h"

/* One line: `00420000-00703000 r-xp 00020000 fe:00 79246   /usr/bin/python3.12`. */
struct ff_maps_line {
    uint64_t start, end, file_offset, inode;
    bool executable;
    struct ff_text head; /* all before the path, as it stands; views into the line */
    struct ff_text path; /* as it stands; empty: anonymous */
};

/* False if LINE has not this form. */
bool ff_maps_line_parse(struct ff_text line, struct ff_maps_line *parsed);

/* Enters the executable mappings of files that facts "mapping" tell into the profile's mappings (see
 * profile/mapping.h); pid 0 where no input tells it. To be called when all inputs are read: then
 * the modules of recordings, which have build-ids, are there. */
void ff_maps_enter(struct ff_profile *profile);

/* Whether the maps of SOURCE have executable code of a file with the name of FRAME's module at FRAME's
 * place, an address. */
bool ff_maps_hold(const struct ff_profile *profile, uint32_t source, uint32_t frame);

#endif
