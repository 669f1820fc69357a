/* SPDX-License-Identifier: MIT
 *
 * A recorded register set and stack bytes to the addresses of its frames. What the bytes do not
 * hold is never made up: a stack ends with the reason why, or what follows is marked as guessed.
 */
#ifndef FF_UNWIND_UNWIND_H
#define FF_UNWIND_UNWIND_H

#include "image/cfi.h"
#include "image/images.h"
#include "profile/profile.h"
#include "profile/space.h"
#include "unwind/site.h"

/* The user side of one sample. Bytes are borrowed. */
struct ff_dump {
    uint16_t machine;              /* EM_X86_64 or EM_AARCH64 */
    struct ff_registers registers; /* by DWARF numbers, see image/cfi.h */
    uint64_t sp;                   /* address of the first byte */
    struct ff_text bytes;
};

/* What tells one activation of a function from another, for stitching. Without padding: compared as
 * bytes. */
struct ff_activation {
    uint32_t module;
    bool has_cfa, has_frame;
    uint16_t none; /* 0 */
    /* Place of the function's start, as a frame's place; the pc's own where no rule covers it. */
    uint64_t function;
    uint64_t sp, cfa; /* addresses: of the frame itself, and the stack pointer in its caller */
    uint64_t frame;   /* address in the frame pointer register, where it points into the stack */
};

/* Whose stack: addresses of two lives of a pid (before and after exec, or of its next owner) have
 * nothing to do with each other. */
struct ff_task {
    uint32_t pid, tid, life;
};

static inline bool ff_task_equal(struct ff_task a, struct ff_task b)
{
    return a.tid == b.tid && a.pid == b.pid && a.life == b.life;
}

/* What is lacking where a stack ends with FF_STATE_NO_RULE. */
enum ff_lack {
    FF_LACK_IMAGE, /* the file of a module, or the vdso's */
    FF_LACK_ENTRY, /* an unwind entry for the code */
    FF_LACK_RULE,  /* the entry is refused: see the reason */
    FF_LACK_SENSE  /* registers name a place that cannot be the caller's */
};

/* An unwound stack, innermost frame first. */
struct ff_unwound {
    uint64_t *words; /* per frame its pc: the first is where the thread stood, the others are return
                        addresses. FF_UNWOUND_EXACT before a pc says that it is none: a signal came.
                        FF_UNWOUND_GUESSED says that all that follow are guessed.
                        FF_UNWOUND_SITE and a word stand before an evaluation loop's pc: its call
                        site */
    uint32_t count, capacity;
    struct ff_activation *activations; /* one for each frame */
    uint32_t activation_count, activation_capacity;
    enum ff_state state; /* GUESSED: a root was reached, but not by rules alone */
    enum ff_lack lack;   /* FF_STATE_NO_RULE */
    const char *reason;  /* FF_LACK_RULE: why it is refused; constant */
    bool guessed;        /* a caller was guessed; the state may be any */
    uint64_t missing;    /* FF_STATE_TRUNCATED: address of the first word that is not in the dump */
    uint64_t missing_above; /* and its distance from the dump's SP, in bytes */
    uint64_t read_above; /* end of the highest word that was read, in bytes above the dump's SP */
    bool failed;         /* memory ran out: the stack is shorter than it could be */
};

/* Not an address: the same value as the kernel's marker for the user context, so that words can go
 * behind a recorded kernel chain. */
#define FF_UNWOUND_EXACT ((uint64_t)-512)
/* No markers of the kernel. */
#define FF_UNWOUND_GUESSED ((uint64_t)-4094)
#define FF_UNWOUND_SITE    ((uint64_t)-4093)

struct ff_unwinder;

/* An unwinder that finds code through the images; both are borrowed. NULL when memory is out. */
struct ff_unwinder *ff_unwinder_new(struct ff_profile *profile, struct ff_images *images);
void ff_unwinder_free(struct ff_unwinder *unwinder); /* NULL is fine */

/* Whether to go on by frame pointers where a rule is missing, see unwind/guess.h. Off at first. */
void ff_unwinder_frame_pointers(struct ff_unwinder *unwinder, bool wanted);

/* The same unwinder for another profile and another thread: they share the images. NULL when memory is
 * out. */
struct ff_unwinder *ff_unwinder_copy(const struct ff_unwinder *unwinder,
                                     struct ff_profile *profile);

/* Whether it gives the same answers when it reads a recording in parts. */
bool ff_unwinder_splits(const struct ff_unwinder *unwinder);

/* Call sites of CPython's evaluation loop: FINDER (borrowed) takes observations while stacks are unwound,
 * of the first interpreter that is met; with a slot, loops get their site. Neither in a new unwinder. */
void ff_unwinder_observe(struct ff_unwinder *unwinder, struct ff_site_finder *finder);
void ff_unwinder_sites(struct ff_unwinder *unwinder, struct ff_site_slot slot);

void ff_unwound_release(struct ff_unwound *unwound);

/* Unwinds a dump of a process with this address space. UNWOUND (all zero at first) is used again from
 * call to call. Bounded by the dump: every frame lies above the one it called. */
void ff_unwind(struct ff_unwinder *unwinder, const struct ff_space *space,
               const struct ff_dump *dump, struct ff_unwound *unwound);

#endif
