/* SPDX-License-Identifier: MIT
 *
 * How calls answer: one status, and one message kept by the handle that was called.
 */
#ifndef FF_BASE_STATUS_H
#define FF_BASE_STATUS_H

#include <stdbool.h>

/* FF_OK is 0 and FF_END is not an error. Every other status has set a message. */
#define FF_STATUS_TABLE(X)                                                                         \
    X(FF_OK, "ok")                                                                                 \
    X(FF_END, "end of input")                                                                      \
    X(FF_BAD_INPUT, "bad input")       /* the bytes are wrong; what came before them is kept */    \
    X(FF_UNSUPPORTED, "not supported") /* recognised, and refused by name */                       \
    X(FF_SYSTEM, "system error")       /* a file or a write failed; the message has errno */       \
    X(FF_NO_MEMORY, "out of memory")                                                               \
    X(FF_USAGE, "wrong use") /* the caller asked for something that makes no sense */

enum ff_status {
#define X(name, text) name,
    FF_STATUS_TABLE(X)
#undef X
};

/* The last failure of a handle. All zero means: none. */
struct ff_error {
    enum ff_status status;
    char message[480];
};

/* Stores status and message and returns the status, so that a failure is one line:
 *     return ff_error_set(error, FF_BAD_INPUT, "%s: offset %llu: ...", ...);
 * Grammar of a message: subject first (file, then offset or line), what was found, what was
 * expected, then after a semicolon what to do. Lower case, no full stop. Control bytes in the text
 * become '?'. The first failure stays: a later one does not overwrite it. */
enum ff_status ff_error_set(struct ff_error *error, enum ff_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The text of a status, for a message that has none. Never NULL. */
const char *ff_status_text(enum ff_status status);

#endif
