/* SPDX-License-Identifier: MIT
 *
 * Internal names of C library and CUDA functions, and the public ones that users know.
 */
#ifndef FF_IMAGE_NAME_ALIAS_H
#define FF_IMAGE_NAME_ALIAS_H

#include "base/text.h"

/* `__sched_yield`, `__GI___poll`, `__libc_malloc`, `mmap64`, `cuLaunchKernel_ptsz` to the public
 * name; every other text as it is. Only for names of user code. */
struct ff_text ff_name_public(struct ff_text text);

#endif
