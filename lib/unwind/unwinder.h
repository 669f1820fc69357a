/* SPDX-License-Identifier: MIT
 *
 * The inside of an unwinder, for the files that implement unwind.h.
 */
#ifndef FF_UNWIND_UNWINDER_H
#define FF_UNWIND_UNWINDER_H

#include "unwind/generated.h"
#include "unwind/unwind.h"
#include "unwind/walked.h"

/* What unwinding needs of a module, found at its first frame. */
struct ff_unwind_module {
    bool searched;
    struct ff_elf *elf; /* NULL: no image */
    struct ff_cfi *cfi;
    struct ff_section text; /* its code, where the file has that */
    struct ff_generated generated;
    uint64_t eval_start, eval_end; /* module offsets of the evaluation loop; 0, 0: it has none */
};

struct ff_unwinder {
    struct ff_profile *profile;
    struct ff_images *images;
    struct ff_unwind_module *modules; /* by module id */
    uint32_t module_capacity;
    struct ff_walked walked;
    bool frame_pointers;           /* go on by them where a rule is missing */
    struct ff_site_finder *finder; /* NULL: nobody wants observations */
    struct ff_site_slot slot;
    bool failed;
};

/* What is known of a module, searched for at the first call; NULL when memory is out. Lives until the
 * next call. */
struct ff_unwind_module *ff_unwinder_module(struct ff_unwinder *unwinder, uint32_t id);

#endif
