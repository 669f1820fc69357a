/* SPDX-License-Identifier: MIT
 *
 * yajl's callbacks to ours. The hard thing is what is not wanted: a skipped array or object costs a
 * counter, however deep it is, and keys are compared once.
 */
#include "read/json.h"

#include <yajl/yajl_parse.h>

struct parse {
    const struct ff_json_reader *reader;
    uint32_t key;     /* of the next value; 0 in an array */
    uint64_t skipped; /* open arrays and objects that are skipped */
};

static int on_value(struct parse *parse, enum ff_json_type type, struct ff_text text)
{
    uint32_t key = parse->key;
    parse->key = 0;
    if (!parse->skipped)
        parse->reader->value(parse->reader->context, key, type, text);
    return 1;
}

static int on_null(void *context)
{
    return on_value(context, FF_JSON_NULL, FF_TEXT(""));
}

static int on_boolean(void *context, int truth)
{
    return on_value(context, truth ? FF_JSON_TRUE : FF_JSON_FALSE, FF_TEXT(""));
}

static int on_number(void *context, const char *at, size_t size)
{
    return on_value(context, FF_JSON_NUMBER, (struct ff_text){at, size});
}

static int on_string(void *context, const unsigned char *at, size_t size)
{
    return on_value(context, FF_JSON_STRING, (struct ff_text){(const char *)at, size});
}

static int on_key(void *context, const unsigned char *at, size_t size)
{
    struct parse *parse = context;
    parse->key = 0;
    for (uint32_t i = 0; i < parse->reader->key_count; i++) {
        if (parse->reader->keys[i].size == size &&
            memcmp(parse->reader->keys[i].at, at, size) == 0) {
            parse->key = i + 1;
            break;
        }
    }
    return 1;
}

static int open_any(struct parse *parse, bool is_array)
{
    uint32_t key = parse->key;
    parse->key = 0;
    if (parse->skipped || !parse->reader->open(parse->reader->context, key, is_array))
        parse->skipped++;
    return 1;
}

static int close_any(struct parse *parse, bool is_array)
{
    parse->key = 0;
    if (parse->skipped)
        parse->skipped--;
    else
        parse->reader->close(parse->reader->context, is_array);
    return 1;
}

static int on_open_object(void *context)
{
    return open_any(context, false);
}

static int on_close_object(void *context)
{
    return close_any(context, false);
}

static int on_open_array(void *context)
{
    return open_any(context, true);
}

static int on_close_array(void *context)
{
    return close_any(context, true);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_open_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_close_object,
    .yajl_start_array = on_open_array,
    .yajl_end_array = on_close_array,
};

static enum ff_status refuse(const struct ff_input *input, uint64_t offset, bool cut,
                             struct ff_error *error)
{
    return ff_error_set(error, FF_BAD_INPUT, "%s: offset %llu: found %s; what is before it is used",
                        input->name, (unsigned long long)offset,
                        cut ? "the end in the middle of a JSON text, expected more: the file is cut"
                            : "no JSON, expected a value, a key or the end of one");
}

#define PIECE ((size_t)1 << 18)

static enum ff_status feed(struct ff_input *input, yajl_handle handle, struct ff_error *error)
{
    for (;;) {
        struct ff_text piece;
        uint64_t start = input->offset;
        enum ff_status status = ff_input_bytes(input, PIECE, &piece, error);
        if (status != FF_OK)
            return status;
        if (!piece.size)
            return yajl_complete_parse(handle) == yajl_status_ok
                       ? FF_OK
                       : refuse(input, input->offset, true, error);
        if (!start && ff_text_starts(piece, FF_TEXT("\xef\xbb\xbf")))
            piece = ff_text_from(piece, 3);
        if (yajl_parse(handle, (const unsigned char *)piece.at, piece.size) != yajl_status_ok)
            return refuse(input, start + yajl_get_bytes_consumed(handle), false, error);
    }
}

enum ff_status ff_json_read(struct ff_input *input, const struct ff_json_reader *reader,
                            struct ff_error *error)
{
    struct parse parse = {.reader = reader};
    yajl_handle handle = yajl_alloc(&callbacks, NULL, &parse);
    if (!handle)
        return ff_error_set(error, FF_NO_MEMORY, "out of memory");
    yajl_config(handle, yajl_allow_multiple_values, 1);
    yajl_config(handle, yajl_dont_validate_strings, 1);
    enum ff_status status = feed(input, handle, error);
    yajl_free(handle);
    return status;
}

/* "e-05" behind a number; false where it is none, or beyond any sense. */
static bool exponent_parse(struct ff_text text, int *exponent)
{
    uint64_t value;
    bool negative = ff_text_starts(text, FF_TEXT("-"));
    if (negative || ff_text_starts(text, FF_TEXT("+")))
        text = ff_text_from(text, 1);
    if (!ff_text_decimal(text, &value) || value > 300)
        return false;
    *exponent = negative ? -(int)value : (int)value;
    return true;
}

/* The digits of NUMBER up to its exponent, as an integer and a power of ten; digits beyond the 18th
 * cannot matter. Returns how many bytes were used. */
static size_t mantissa_parse(struct ff_text number, uint64_t *value, int *power)
{
    size_t i = 0;
    bool point = false;
    for (; i < number.size && number.at[i] != 'e' && number.at[i] != 'E'; i++) {
        unsigned digit = (unsigned)(unsigned char)number.at[i] - '0';
        if (number.at[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (digit > 9)
            break;
        bool room = *value < UINT64_C(100000000000000000);
        *value = room ? *value * 10 + digit : *value;
        *power += (room ? 0 : 1) - (point ? 1 : 0);
    }
    return i;
}

bool ff_json_scaled(struct ff_text number, unsigned digits, uint64_t *value)
{
    uint64_t sum = 0;
    int power = (int)digits, exponent = 0;
    size_t used = mantissa_parse(number, &sum, &power);
    if (!used || (used < number.size && !exponent_parse(ff_text_from(number, used + 1), &exponent)))
        return false;
    for (power += exponent; power > 0 && sum; power--) {
        if (sum > UINT64_MAX / 10)
            return false;
        sum *= 10;
    }
    bool up = false;
    for (; power < 0 && (sum || up); power++) {
        up = sum % 10 >= 5;
        sum /= 10;
    }
    *value = sum + up;
    return true;
}

uint64_t ff_json_whole(struct ff_text number)
{
    uint64_t value;
    return ff_text_decimal(number, &value) ? value : 0;
}
