/* SPDX-License-Identifier: MIT
 *
 * Rules laid out as bits, so that all of them follow a stack at once, from its root to its leaf.
 *
 * A rule has a run of bits inside one word, in the order of its terms, and a stop bit behind it:
 *
 *     A under B under C   three bits: C was met; B was met inside of it; A was met inside of that
 *     innermost X is Y    one bit: the last frame that was an X was a Y
 *     outermost X is Y    two bits: no X was met yet; the first one was a Y
 *     comm, state ...     one bit, set from the sample
 *
 * The last bit of each term is its final bit. When a frame is met, the bits that its groups can set
 * are set if the bit before them is set, or if they begin a term (Shift-And matching of many patterns,
 * Baeza-Yates and Gonnet 1992). All terms of a rule hold when all bits of its run are one, bits that
 * are not final counted as ones and negated ones turned: then adding one to the run carries into its
 * stop bit. So the cost for a frame and for a sample is one pass over a few words, however the rules
 * look.
 */
#ifndef FF_CLASSIFY_PROGRAM_H
#define FF_CLASSIFY_PROGRAM_H

#include "classify/sorts.h"

/* Of the 64 rows of bits in one word. */
struct ff_program_word {
    uint64_t initial;     /* set before the first frame */
    uint64_t begin;       /* may be set by any frame */
    uint64_t begin_root;  /* may be set by the outermost frame */
    uint64_t follow;      /* may be set if the bit below is */
    uint64_t unused;      /* not final: count as set */
    uint64_t negated;     /* final, of terms that must not hold */
    uint64_t first, stop; /* the ends of runs */
};

/* A bit that being in a group sets: of a path, or of a term about a thread's text. */
struct ff_program_use {
    uint32_t bit;
    uint8_t type; /* enum ff_term_type */
};

/* A term that is no path and looks at no single group, with its first bit. */
struct ff_program_term {
    uint32_t term, bit;
};

struct ff_program {
    const struct ff_rules *rules;
    uint32_t *live; /* the rules that can hold, in their order */
    uint32_t live_count;
    struct ff_program_word *words;
    /* By word, bits that stay set: at a frame that is not the kernel's, at one that is. Apart from
     * the words, because all of them are needed for each frame. */
    uint64_t *keep, *keep_kernel;
    uint32_t word_count;
    uint32_t *rule_at;   /* by bit: the rule that has this stop bit */
    uint32_t *first_use; /* by group g: uses[first_use[g] .. first_use[g + 1]) */
    struct ff_program_use *uses;
    FF_RULES_TABLE(ff_program_term) terms;
    bool failed;
};

/* What a frame, a thread's text or a word does to one word of the program: first clear, then set. */
struct ff_program_mask {
    uint64_t clear, set;
};

/* Rules that need a frame or a thread's name of which SORTS have none are left out: they cannot hold.
 * False when memory is out; the program still must be released. RULES are borrowed. */
bool ff_program_init(struct ff_program *program, const struct ff_rules *rules,
                     const struct ff_sorts *sorts);
void ff_program_release(struct ff_program *program);

/* Adds what frames of SORT do to MASKS, one for each word. */
void ff_program_frame(const struct ff_program *program, const struct ff_sorts *sorts, uint32_t sort,
                      struct ff_program_mask *masks);

/* The same for a text of SORT that terms of TYPE (thread, comm, name, role) look at. */
void ff_program_text(const struct ff_program *program, const struct ff_sorts *sorts, uint32_t sort,
                     enum ff_term_type type, struct ff_program_mask *masks);

/* The same for the terms of TYPE (state, population) that have the word 1 << WORD. */
void ff_program_constant(const struct ff_program *program, enum ff_term_type type, unsigned word,
                         struct ff_program_mask *masks);

/* The stop bits of the rules in WORD that hold when its bits are STATE. */
static inline uint64_t ff_program_ready(const struct ff_program_word *word, uint64_t state)
{
    uint64_t run = ((state ^ word->negated) | word->unused) & ~word->stop;
    return (run + word->first) & word->stop;
}

#endif
