/* SPDX-License-Identifier: MIT
 *
 * Rules as text, compiled: what must stand where in a stack, and what that means. The language is
 * described at the head of default.rules and in docs/formats.md.
 *
 * A frame is looked at through groups: a group is a list of frame patterns, a pattern is
 * kind:module!symbol with globs. Rules only ask which groups a frame is in, so each pattern meets
 * each distinct frame once (see match.h).
 */
#ifndef FF_CLASSIFY_RULES_H
#define FF_CLASSIFY_RULES_H

#include "base/intern.h"
#include "base/status.h"

#define FF_TERM_STEPS 8
#define FF_RULE_BITS  62 /* what one rule may remember of a stack, see program.h */

/* What a term looks at. */
enum ff_term_type {
    FF_TERM_ANY,       /* a path of frames, starting at any frame */
    FF_TERM_LEAF,      /* ... starting at the innermost frame of all */
    FF_TERM_USER,      /* ... starting at the innermost frame that is not the kernel's */
    FF_TERM_ROOT,      /* ... starting at the outermost frame */
    FF_TERM_INNERMOST, /* the innermost frame of steps[0] is in steps[1] */
    FF_TERM_OUTERMOST, /* the outermost frame of steps[0] is in steps[1] */
    FF_TERM_HOW,       /* while parsing: it becomes a path */
    FF_TERM_THREAD,    /* the thread's label is in the group steps[0] */
    FF_TERM_COMM,
    FF_TERM_NAME,
    FF_TERM_ROLE,
    FF_TERM_STATE,      /* the stack's state is one of the bits of `words` */
    FF_TERM_POPULATION, /* the source's population is one of the bits of `words` */
};

/* One frame of a path: in `group`, and outside of the step before it. */
struct ff_rule_step {
    uint32_t group;
    bool direct; /* it called the step before directly; else there may be frames between */
};

struct ff_term {
    uint8_t type; /* enum ff_term_type */
    bool negated;
    bool complement; /* FF_TERM_INNERMOST, _OUTERMOST: ... frame that is not of steps[0] */
    uint8_t step_count;
    uint32_t words; /* FF_TERM_STATE: 1 << enum ff_state; FF_TERM_POPULATION likewise */
    struct ff_rule_step steps[FF_TERM_STEPS];
};

struct ff_pattern {
    uint8_t kinds;           /* 1 << enum ff_frame_kind of the frames that it can match */
    bool any_module;         /* no module part was given */
    uint32_t hows;           /* 1 << enum ff_how of the same */
    uint32_t module, symbol; /* globs */
};

/* All of members[first .. first + count) of the rules: pattern ids. */
struct ff_group {
    uint32_t first, count;
};

/* Where the value of a tag comes from: the text of the rule, or the first frame that it names. */
enum ff_tag_value { FF_TAG_TEXT, FF_TAG_SYMBOL, FF_TAG_MODULE };

struct ff_rule {
    uint32_t bucket;            /* id of an ff_bucket; 0: the rule adds a tag */
    uint32_t tag;               /* id of an ff_tag; 0: the rule gives a bucket */
    uint32_t value;             /* of the tag, a text; 0: the tag is its key alone */
    uint8_t value_from;         /* enum ff_tag_value */
    uint32_t first, term_count; /* terms[first .. first + term_count) must all hold */
    uint32_t file, line;        /* where it stands */
    uint32_t text;              /* the line itself */
};

struct ff_bucket {
    uint32_t name, description;
};

/* A key of tags. */
struct ff_tag {
    uint32_t name, description;
};

#define FF_RULES_TABLE(type)                                                                       \
    struct {                                                                                       \
        struct type *at;                                                                           \
        uint32_t count, capacity;                                                                  \
    }

/* Row 0 of patterns, groups, buckets and tags means "none"; rules and terms start at row 0. */
struct ff_rules {
    struct ff_error error; /* of the last ff_rules_parse */
    struct ff_intern texts;
    FF_RULES_TABLE(ff_pattern) patterns;
    FF_RULES_TABLE(ff_group) groups;
    FF_RULES_TABLE(ff_term) terms;
    FF_RULES_TABLE(ff_rule) rules;
    FF_RULES_TABLE(ff_bucket) buckets; /* in the order of their declaration */
    FF_RULES_TABLE(ff_tag) tags;       /* the same */
    uint32_t *members;
    uint32_t member_count, member_capacity;
    struct ff_map pattern_map, group_map;
    bool out_of_memory;
};

/* Rules that match nothing yet; NULL when memory is out. */
struct ff_rules *ff_rules_new(void);
void ff_rules_free(struct ff_rules *rules); /* NULL is fine */

/* Appends the rules of TEXT, which is called NAME in messages: earlier rules win. Sets are known to
 * the end of their text, buckets for good. At the first error FF_BAD_INPUT with file, line, column,
 * found, expected; the rules before it stay and the rest of the text is not read. */
enum ff_status ff_rules_parse(struct ff_rules *rules, const char *name, struct ff_text text);

/* Reads all of TEXT and writes a line for each mistake to OUTPUT; then what is no mistake but looks like
 * one, as "note:" (what is unused only if there are no mistakes): a rule that repeats an earlier one, a bucket or tag that no rule concludes, a set that
 * no rule uses. FF_BAD_INPUT, with their number in the message, if there were mistakes. (check.c) */
struct ff_output;
enum ff_status ff_rules_check(struct ff_rules *rules, const char *name, struct ff_text text,
                              struct ff_output *output);

/* Writes "FILE:LINE: RULE" for each rule, in the order in which they are tried. (check.c) */
void ff_rules_list(const struct ff_rules *rules, struct ff_output *output);

/* For the parser. A new zeroed row, 0 when memory is out; the row with this content; a group is
 * made of the members that were added since member_count was FIRST. */
#define FF_RULES_ADD_TO(owner, table, failed)                                                      \
    ((owner)->table.at =                                                                           \
         ff_grow((owner)->table.at, &(owner)->table.capacity, (uint64_t)(owner)->table.count + 1,  \
                 sizeof *(owner)->table.at, &(failed)),                                            \
     (owner)->table.count < (owner)->table.capacity ? (owner)->table.count++ : 0)
#define FF_RULES_ADD(rules, table) FF_RULES_ADD_TO(rules, table, (rules)->out_of_memory)
uint32_t ff_pattern_add(struct ff_rules *rules, struct ff_pattern pattern);
void ff_group_member(struct ff_rules *rules, uint32_t pattern);
uint32_t ff_group_close(struct ff_rules *rules, uint32_t first);

/* The text of the compiled-in default.rules. */
struct ff_text ff_rules_default(void);

/* One short line about a bucket, as the rules declare it; empty for a bucket they do not know. */
struct ff_text ff_rules_description(const struct ff_rules *rules, struct ff_text bucket);

static inline struct ff_text ff_rules_text(const struct ff_rules *rules, uint32_t id)
{
    return ff_intern_text(&rules->texts, id);
}

#endif
