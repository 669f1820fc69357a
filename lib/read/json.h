/* SPDX-License-Identifier: MIT
 *
 * JSON texts as a stream of events, so that a file of any size costs no memory of its own. Keys
 * come as numbers of a table; what a reader does not know it can skip whole.
 */
#ifndef FF_READ_JSON_H
#define FF_READ_JSON_H

#include "base/input.h"

enum ff_json_type { FF_JSON_NULL, FF_JSON_FALSE, FF_JSON_TRUE, FF_JSON_NUMBER, FF_JSON_STRING };

#define FF_JSON_KEY(literal)                                                                       \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* Who reads. A key is the position in `keys` from 1, or 0 for an unknown one and in an array. */
struct ff_json_reader {
    const struct ff_text *keys;
    uint32_t key_count;

    /* An array or object begins; false skips all that is in it, its end included. */
    bool (*open)(void *context, uint32_t key, bool is_array);
    void (*close)(void *context, bool is_array);

    /* TEXT is the string, unescaped, or the number as it stands; it lives until the return. */
    void (*value)(void *context, uint32_t key, enum ff_json_type type, struct ff_text text);
    void *context;
};

/* Reads all texts of the input, one behind the other. FF_BAD_INPUT, naming the offset, where it is no
 * JSON, or ends in the middle of a value: what came before has been told. */
enum ff_status ff_json_read(struct ff_input *input, const struct ff_json_reader *reader,
                            struct ff_error *error);

/* A number without sign as whole units of 10^-DIGITS, rounded: "0.0204" with 9 is 20400000. False for
 * anything else, and for what does not fit. */
bool ff_json_scaled(struct ff_text number, unsigned digits, uint64_t *value);

/* A number without sign and fraction; others are 0. */
uint64_t ff_json_whole(struct ff_text number);

#endif
