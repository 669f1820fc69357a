/* SPDX-License-Identifier: MIT
 *
 * The words of rule text: what parse.c is written in.
 */
#ifndef FF_CLASSIFY_SCAN_H
#define FF_CLASSIFY_SCAN_H

#include "base/output.h"
#include "classify/rules.h"

/* The word that is looked at; the end of the line is an empty word. */
struct ff_word {
    struct ff_text text;
    size_t column; /* from 1 */
    bool quoted;
};

struct ff_set {
    uint32_t name, group;
    uint32_t line; /* where it is defined */
    bool used;
};

struct ff_scan {
    struct ff_rules *rules;
    const char *name;
    uint64_t line;
    struct ff_text text; /* of the line */
    size_t at;
    struct ff_word word;
    FF_RULES_TABLE(ff_set) sets; /* row 0 is none */
    struct ff_map set_map;
    uint32_t open_set;      /* the set that an indented line goes on with; 0: none */
    bool built_in;          /* the text is default.rules */
    struct ff_output *tell; /* where all mistakes go, one a line; NULL: the first one ends it */
    uint64_t mistakes;      /* that were told */
};

/* Reads a whole text. FF_BAD_INPUT with a message at the first mistake, if none is told. (parse.c) */
enum ff_status ff_scan_lines(struct ff_scan *scan, struct ff_text text);

/* Adds the term that begins at the word, ["not"] [TYPE] BODY, and goes behind it; without a type word
 * it is a path from any frame. (terms.c) */
enum ff_status ff_scan_term(struct ff_scan *scan);

/* Goes to the next word of the line; FF_BAD_INPUT for a quote that is never closed. */
enum ff_status ff_scan_next(struct ff_scan *scan);

/* FF_BAD_INPUT with a message: where, the word that was found, and EXPECTED. */
enum ff_status ff_scan_fail(struct ff_scan *scan, const char *expected);

bool ff_scan_at_end(const struct ff_scan *scan);
bool ff_scan_at(const struct ff_scan *scan, const char *word);
bool ff_scan_at_keyword(const struct ff_scan *scan); /* a word that can only stand behind frames */
bool ff_scan_is_blank(char c);

uint32_t ff_scan_intern(struct ff_scan *scan, struct ff_text text);
uint32_t ff_scan_set(const struct ff_scan *scan, struct ff_text name); /* 0: no such set */

/* Adds what the word stands for (PLAIN: a glob, else a frame pattern or a set) to the group that
 * begins at member FIRST. */
enum ff_status ff_scan_member(struct ff_scan *scan, uint32_t first, bool plain);

/* WORD { "|" WORD }, made a group. */
enum ff_status ff_scan_group(struct ff_scan *scan, bool plain, uint32_t *group);

#endif
