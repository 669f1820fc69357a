/* SPDX-License-Identifier: MIT
 *
 * A frame's name as other folding tools write it.
 */
#ifndef FF_FOLD_COMPAT_NAME_H
#define FF_FOLD_COMPAT_NAME_H

#include "fold/compat.h"

/* Appends ";name" to a memory output: several where a name holds "->", none where the tool leaves the
 * frame out. ADDRESS is printed for frames without a name, if the options say so; JAVA says that the
 * thread's name begins like that. */
void ff_compat_put_frame(struct ff_output *output, const struct ff_profile *profile,
                         const struct ff_compat_options *options, uint32_t frame, uint64_t address,
                         bool java);

#endif
