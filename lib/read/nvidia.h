/* SPDX-License-Identifier: MIT
 *
 * What nvidia-smi's three forms share: names, units, times.
 */
#ifndef FF_READ_NVIDIA_H
#define FF_READ_NVIDIA_H

#include "read/side.h"

/* The fact of a column title of dmon ("sm") or of a query ("utilization.gpu"). */
uint32_t ff_nvidia_fact_name(struct ff_profile *profile, struct ff_text title);

/* "-", "N/A", "[Not Supported]": the GPU did not say. */
bool ff_nvidia_is_missing(struct ff_text cell);

/* Adds the fact NAME of SUBJECT. PRINTED_UNIT is nvidia-smi's ("%", "MiB", empty: none told). */
void ff_nvidia_cell(struct ff_side *side, uint32_t subject, uint32_t name, struct ff_text cell,
                    struct ff_text printed_unit);

/* The subject "WHAT ID": "gpu 0". */
uint32_t ff_nvidia_subject(struct ff_side *side, const char *what, struct ff_text id);

/* "20261129" or "2026/11/29" and "16:38:29" as seconds since 1970 of the same (unknown) zone. */
bool ff_nvidia_time(struct ff_text date, struct ff_text clock, uint64_t *seconds);

#endif
