/* SPDX-License-Identifier: MIT
 *
 * The one spelling of a function's name. perf, py-spy and symbol tables call one function
 * `__sched_yield`, `sched_yield@@GLIBC_2.2.5`, `sched_yield`; merging and classifying compare
 * names, so every name goes through here:
 *   - mangled C++ and Rust names are demangled, without parameters and return type
 *   - versions (`@GLIBC_2.17`, `@@VERS_1`) go; `@plt` stays
 *   - copies that a compiler made of a function are the function: `.cold`, `.part.0`,
 *     `.constprop.0`, `.isra.0`, `.lto_priv.0`, `.llvm.1`, `.localalias`, ` [clone .cold]`
 *   - ABI tags (`[abi:cxx11]`), trailing qualifiers (` const`) and Rust's hash (`::h...`) go
 *   - CUDA's `_ptsz` and `_ptds` (per-thread default stream) go; `_v2` stays: another signature
 *   - internal names of C library and CUDA functions become the public ones (see name_alias.h)
 */
#ifndef FF_IMAGE_NAME_H
#define FF_IMAGE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Where a name is made. All zero is ready for use. A result lives until the next call. */
struct ff_name {
    char *buffer;
    uint32_t used, capacity;
    bool failed; /* memory ran out: results are the texts that were given */
};

void ff_name_release(struct ff_name *name);

/* From a symbol table: demangle, then canonicalise. */
struct ff_text ff_name_symbol(struct ff_name *name, struct ff_text symbol);

/* From a text that another tool printed, perhaps with parameters. A symbol's result stays as it is:
 * canonicalising twice changes nothing. */
struct ff_text ff_name_text(struct ff_name *name, struct ff_text text);

/* Two texts as one; neither may be a result of this ff_name. */
struct ff_text ff_name_join(struct ff_name *name, struct ff_text left, struct ff_text right);

/* A kernel symbol: only the compiler's copies are undone, since `__schedule` is not `schedule`. */
struct ff_text ff_name_kernel(struct ff_text symbol);

#endif
