/* SPDX-License-Identifier: MIT
 *
 * Template arguments in one spelling. Demanglers agree on names, but not here: libiberty, which
 * perf and this library use, writes `f<at::Tensor (long), &g, 5u>` where the one in py-spy (Rust's
 * cpp_demangle) writes `f<at::Tensor(long), &g(long), (unsigned int)5>`. The first is kept.
 */
#ifndef FF_IMAGE_NAME_ARGUMENTS_H
#define FF_IMAGE_NAME_ARGUMENTS_H

#include "base/output.h"

/* Whether there is anything that could be spelled in two ways. */
bool ff_name_has_arguments(struct ff_text text);

/* Appends the text to a memory output in libiberty's spelling. */
void ff_name_put_arguments(struct ff_output *output, struct ff_text text);

#endif
