/* SPDX-License-Identifier: MIT
 *
 * A unit program: CHECK facts, end with `return check_result();`. It prints one line for each
 * failed fact and a last line `NAME: P passed, F failed, S skipped` that the runner adds up.
 */
#ifndef FF_TESTS_CHECK_H
#define FF_TESTS_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static int check_passed, check_failed, check_skipped;

#define CHECK(fact)                                                                                \
    do {                                                                                           \
        if (fact) {                                                                                \
            check_passed++;                                                                        \
        } else {                                                                                   \
            check_failed++;                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #fact);                   \
        }                                                                                          \
    } while (0)

#define CHECK_NUMBER(found, expected)                                                              \
    do {                                                                                           \
        unsigned long long found_ = (found), expected_ = (expected);                               \
        if (found_ == expected_) {                                                                 \
            check_passed++;                                                                        \
        } else {                                                                                   \
            check_failed++;                                                                        \
            fprintf(stderr, "%s:%d: %s is %llu (0x%llx), expected %llu (0x%llx)\n", __FILE__,      \
                    __LINE__, #found, found_, found_, expected_, expected_);                       \
        }                                                                                          \
    } while (0)

#define CHECK_TEXT(found, expected)                                                                \
    do {                                                                                           \
        struct ff_text found_ = (found);                                                           \
        if (ff_text_equal(found_, ff_text(expected))) {                                            \
            check_passed++;                                                                        \
        } else {                                                                                   \
            check_failed++;                                                                        \
            fprintf(stderr, "%s:%d: %s is '%.*s', expected '%s'\n", __FILE__, __LINE__, #found,    \
                    (int)found_.size, found_.at, expected);                                        \
        }                                                                                          \
    } while (0)

#define SKIP(reason)                                                                               \
    do {                                                                                           \
        check_skipped++;                                                                           \
        fprintf(stderr, "%s: skipped: %s\n", __FILE__, reason);                                    \
    } while (0)

static inline int check_result(void)
{
    printf("%d passed, %d failed, %d skipped\n", check_passed, check_failed, check_skipped);
    return check_failed != 0;
}

#endif
