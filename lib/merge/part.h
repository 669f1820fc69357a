/* SPDX-License-Identifier: MIT
 *
 * What each frame of a profile is to a merge of Python and native stacks: by names where the
 * interpreter has them, by module where it is stripped. Names: CPython 3.8 to 3.14.
 */
#ifndef FF_MERGE_PART_H
#define FF_MERGE_PART_H

#include "profile/profile.h"

enum ff_part {
    FF_PART_NATIVE,      /* code outside the interpreter */
    FF_PART_SYSTEM,      /* of these the C library, the loader, the vdso */
    FF_PART_KERNEL,      /* the kernel */
    FF_PART_MARKER,      /* no code */
    FF_PART_INTERPRETER, /* the interpreter's functions that say something to a reader */
    FF_PART_PLUMBING,    /* those that only carry calls, and those without a name */
    FF_PART_EVAL,        /* the evaluation loop: Python frames stand here */
    FF_PART_OPCODE,      /* of a tail-calling interpreter: a part of the loop, or called by it */
    FF_PART_TRAMPOLINE,  /* "py::qualname:file": CPython's support for perf */
    FF_PART_PYTHON       /* a Python frame */
};

struct ff_parts {
    const struct ff_profile *profile;
    uint8_t *of;       /* by frame: enum ff_part */
    uint32_t *token;   /* by frame: the text by which two recorders' native frames are compared: the
                        symbol, else the module's name; 0 for parts that they do not share */
    uint64_t *content; /* by frame: a hash of what it shows, the same in any order of input */
    uint32_t count;
};

/* For the frames that the profile has now; FF_NO_MEMORY with a message is possible. Release it in
 * both cases. */
enum ff_status ff_parts_init(struct ff_parts *parts, struct ff_profile *profile);
void ff_parts_release(struct ff_parts *parts);

#endif
