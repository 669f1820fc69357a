/* SPDX-License-Identifier: MIT
 *
 * The packed profile: base64 by the examples of RFC 4648, columns exact for odd fields, damage of every byte
 * answered and bounded, places left out and their samples joined.
 */
#include "check.h"

#include "base/base64.h"
#include "base/memory.h"
#include "draw/columns.h"
#include "profile/moment.h"
#include "profile/stream.h"
#include "read/svg_columns.h"

#include <zlib.h>

static struct ff_text text_of(const struct ff_output *output)
{
    return (struct ff_text){output->buffer, output->used};
}

static void close_output(struct ff_output *output)
{
    struct ff_error error = {0};
    CHECK_NUMBER(ff_output_close(output, &error), FF_OK);
}

static void check_base64(struct ff_text bytes, const char *expected)
{
    struct ff_output output;
    unsigned char back[16];
    ff_output_memory(&output);
    ff_base64_put(&output, (const unsigned char *)bytes.at, bytes.size);
    CHECK_TEXT(text_of(&output), expected);
    CHECK_NUMBER(ff_base64_take(ff_text(expected), back), bytes.size);
    CHECK(memcmp(back, bytes.at, bytes.size) == 0);
    close_output(&output);
}

static void test_base64(void)
{
    unsigned char bytes[16];
    check_base64(FF_TEXT("f"), "Zg==");
    check_base64(FF_TEXT("fo"), "Zm8=");
    check_base64(FF_TEXT("foo"), "Zm9v");
    check_base64(FF_TEXT("foob"), "Zm9vYg==");
    check_base64(FF_TEXT("fooba"), "Zm9vYmE=");
    check_base64(FF_TEXT("foobar"), "Zm9vYmFy");
    check_base64(FF_TEXT("\xfb\xff\xfe"), "+//+");
    CHECK(ff_base64_take(FF_TEXT("Zm9"), bytes) < 0);
    CHECK(ff_base64_take(FF_TEXT("Zm9!"), bytes) < 0);
    CHECK(ff_base64_take(FF_TEXT("Z=9v"), bytes) < 0);
    CHECK_NUMBER(ff_base64_take(FF_TEXT(""), bytes), 0);
}

/* The bytes that LINES become, before they are compressed: through the writer and zlib itself. */
static size_t pack(struct ff_text lines, unsigned char *bytes, size_t room)
{
    struct ff_output output;
    ff_output_memory(&output);
    struct ff_deflate *sink = ff_deflate_new(&output);
    struct ff_columns *columns = ff_columns_new();
    while (columns && lines.size) {
        struct ff_rows *rows = ff_columns_rows(columns);
        rows->line(rows, ff_text_cut(&lines, '\n'));
    }
    CHECK(sink && columns && ff_columns_write(columns, sink));
    ff_columns_free(columns);
    CHECK(ff_deflate_close(sink));
    unsigned char *packed = ff_alloc(output.used, 1);
    size_t packed_size = 0;
    struct ff_text rest = text_of(&output);
    while (rest.size) {
        struct ff_text line = ff_text_cut(&rest, '\n');
        if (line.size && line.at[0] != '<')
            packed_size += (size_t)ff_base64_take(line, packed + packed_size);
    }
    uLongf size = (uLongf)room;
    CHECK_NUMBER(uncompress(bytes, &size, packed, (uLong)packed_size), Z_OK);
    ff_free(packed);
    close_output(&output);
    return size;
}

static enum ff_status unpack(const unsigned char *bytes, size_t size, struct ff_output *lines)
{
    struct ff_error error = {0};
    ff_output_memory(lines);
    return ff_svg_columns_lines((struct ff_text){(const char *)bytes, size}, "x", lines, &error);
}

static const char odd[] = "head 1\n"
                          "row\t1\t007\t0\tff\t18446744073709551615\t\ta\n"
                          "row\t2\t7\t1\t0\t18446744073709551614\tx\\t\tab\n"
                          "row\t3\t\t18446744073709551615\tFF\t0\t]]>\tabc\t5\n"
                          "row\t4\t8\t2\t1f\t1\t\xff\xfe\tb\t6\t18446744073709551615\n"
                          "row\t9\n"
                          "other\t5\t4\n"
                          "row\n"
                          "other\t1\t9\n"
                          "wide\t1\t2\t3\t4\t5\t6\t7\t8\t9\t10\t11\t12\t13\t14\t15\t16\t17\t18\n"
                          "end\n";

/* Lines of one kind come together; else everything is as it was. */
static const char odd_back[] =
    "head 1\n"
    "row\t1\t007\t0\tff\t18446744073709551615\t\ta\n"
    "row\t2\t7\t1\t0\t18446744073709551614\tx\\t\tab\n"
    "row\t3\t\t18446744073709551615\tFF\t0\t]]>\tabc\t5\n"
    "row\t4\t8\t2\t1f\t1\t\xff\xfe\tb\t6\t18446744073709551615\n"
    "row\t9\n"
    "row\n"
    "other\t5\t4\n"
    "other\t1\t9\n"
    "wide\t1\t2\t3\t4\t5\t6\t7\t8\t9\t10\t11\t12\t13\t14\t15\t16\t17\t18\n"
    "end\n";

static void test_columns(void)
{
    static unsigned char bytes[4096];
    struct ff_output lines;
    size_t size = pack(ff_text(odd), bytes, sizeof bytes);
    CHECK_NUMBER(unpack(bytes, size, &lines), FF_OK);
    CHECK_TEXT(text_of(&lines), odd_back);
    close_output(&lines);

    /* What is the viewer's own is left out. */
    size = pack(FF_TEXT("a\t1\nview\t2\nview-frame\tx\t3\nb\t4\n"), bytes, sizeof bytes);
    CHECK_NUMBER(unpack(bytes, size, &lines), FF_OK);
    CHECK_TEXT(text_of(&lines), "a\t1\nb\t4\n");
    close_output(&lines);
}

/* Every cut and every changed byte: an answer, and never much more text than went in. */
static void test_damage(void)
{
    static unsigned char bytes[4096], changed[4096];
    struct ff_output lines;
    size_t size = pack(ff_text(odd), bytes, sizeof bytes);
    bool bounded = true;
    for (size_t i = 0; i < size; i++) {
        CHECK(unpack(bytes, i, &lines) == FF_BAD_INPUT);
        close_output(&lines);
        static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
        for (size_t k = 0; k < sizeof values; k++) {
            memcpy(changed, bytes, size);
            changed[i] = values[k];
            enum ff_status status = unpack(changed, size, &lines);
            bounded &= status == FF_OK || status == FF_BAD_INPUT;
            bounded &= lines.used < (1u << 26) + 64 * sizeof bytes + 65536;
            close_output(&lines);
        }
    }
    CHECK(bounded);
    /* A long text and many short lines are no bomb. */
    char *text = ff_alloc(1100000, 1);
    size_t used = 0;
    for (int i = 0; i < 1000000; i++)
        text[used++] = 'x';
    for (int i = 0; i < 1000; i++)
        used += (size_t)snprintf(text + used, 8, "\ny\tz");
    unsigned char *large = ff_alloc(1200000, 1);
    size = pack((struct ff_text){text, used}, large, 1200000);
    CHECK_NUMBER(unpack(large, size, &lines), FF_OK);
    close_output(&lines);
    ff_free(large);
    ff_free(text);
}

static uint32_t frame_at(struct ff_profile *profile, const char *symbol, uint64_t place)
{
    return ff_frame_add(profile,
                        (struct ff_frame){.kind = FF_FRAME_NATIVE,
                                          .named = FF_NAMED_SYMBOL,
                                          .place = place,
                                          .symbol = ff_profile_intern(profile, ff_text(symbol))});
}

/* main+1 and main+2 call f+1, f+2: by name that is one stack, whose samples and times add up. */
static void test_by_name(void)
{
    struct ff_profile *profile = ff_profile_new();
    uint32_t source = ff_source_add(profile, (struct ff_source){0});
    uint32_t event = ff_event_add(profile, (struct ff_event){.source = source});
    uint32_t process = ff_process_add(profile, (struct ff_process){.source = source, .pid = 1});
    uint32_t thread = ff_thread_add(profile, (struct ff_thread){.process = process, .tid = 1});
    for (uint64_t i = 1; i <= 4; i++) {
        uint32_t stack = ff_stack_push(profile, 0, frame_at(profile, "main", i));
        stack = ff_stack_push(profile, stack, frame_at(profile, "f", i));
        ff_sample_add(profile, (struct ff_sample){.event = event,
                                                  .thread = thread,
                                                  .stack = stack,
                                                  .count = i * FF_COUNT_ONE,
                                                  .weight = 10 * i,
                                                  .moments = ff_moment_add_count(
                                                      profile, i / 2, i * FF_COUNT_ONE)});
    }
    profile->sources.at[source].window_ns = 1;
    struct ff_order order;
    struct ff_output output;
    ff_moments_settle(profile);
    uint32_t moment_count = profile->moments.count;
    CHECK_NUMBER(ff_order_init(&order, profile, true), FF_OK);
    CHECK_NUMBER(order.frames.count, 2);
    CHECK_NUMBER(order.stacks.count, 2);
    CHECK_NUMBER(order.samples.count, 1);
    ff_output_memory(&output);
    struct ff_rows_lines lines;
    ff_rows_lines_init(&lines, &output);
    ff_stream_write_order(&order, &lines.rows);
    CHECK(ff_rows_lines_release(&lines));
    /* 1 + 2 + 3 + 4 samples, of which 1 at time 0, 2 + 3 at 1, 4 at 2. */
    CHECK(ff_text_find_text(text_of(&output), FF_TEXT("\t10\t0\t100\t\t0\t0,1*5,2*4\n")) > 0);
    CHECK_NUMBER(profile->moments.count, moment_count);
    close_output(&output);
    ff_order_release(&order);
    ff_profile_free(profile);
}

int main(void)
{
    test_base64();
    test_columns();
    test_damage();
    test_by_name();
    return check_result();
}
