/* SPDX-License-Identifier: MIT
 *
 * The stream: what is written is read back, order of additions does not show, errors name a line.
 */
#include "check.h"

#include "profile/stream.h"

#include <stdlib.h>
#include <unistd.h>

static uint32_t text(struct ff_profile *profile, const char *string)
{
    return ff_profile_intern(profile, ff_text(string));
}

static void add_sample(struct ff_profile *profile, uint32_t event, uint32_t thread,
                       const char *stack, uint64_t count)
{
    uint32_t node = 0;
    for (; *stack; stack++) {
        struct ff_frame frame = {.kind = FF_FRAME_TEXT,
                                 .named = FF_NAMED_RECORDED,
                                 .symbol = ff_profile_intern(profile, (struct ff_text){stack, 1})};
        node = ff_stack_push(profile, node, ff_frame_add(profile, frame));
    }
    ff_sample_add(profile, (struct ff_sample){.event = event,
                                              .thread = thread,
                                              .stack = node,
                                              .count = count * FF_COUNT_ONE,
                                              .weight = count * 7});
}

/* The same profile, built forwards or backwards. */
static struct ff_profile *build(bool backwards)
{
    static const char *const stacks[] = {"abc", "abd", "a", "xbc", "", "abccccc"};
    struct ff_profile *profile = ff_profile_new();
    uint32_t source = ff_source_add(
        profile, (struct ff_source){.name = text(profile, "a\tb\\c\nd\re"), .tool = FF_TOOL_PERF});
    uint32_t event = ff_event_add(
        profile, (struct ff_event){source, text(profile, "cycles"), text(profile, "")});
    uint32_t process = ff_process_add(profile, (struct ff_process){source, 7, 0});
    for (int i = 0; i < 12; i++) {
        int at = backwards ? 11 - i : i;
        uint32_t thread = ff_thread_add(
            profile, (struct ff_thread){.process = process,
                                        .tid = (uint32_t)(10 + at % 2),
                                        .comm = text(profile, at % 2 ? "odd" : "even")});
        add_sample(profile, event, thread, stacks[at / 2], (uint64_t)at + 1);
    }
    return profile;
}

static void write_text(struct ff_profile *profile, char *path)
{
    struct ff_output output;
    CHECK(ff_output_open(&output, path, &profile->error) == FF_OK);
    CHECK(ff_stream_write(profile, &output) == FF_OK);
    CHECK(ff_output_close(&output, &profile->error) == FF_OK);
}

static struct ff_profile *read_text(const char *path, enum ff_status expected)
{
    struct ff_input input;
    struct ff_profile *profile = ff_profile_new();
    CHECK(ff_input_open(&input, path, &profile->error) == FF_OK);
    CHECK_NUMBER(ff_stream_read(profile, &input), expected);
    ff_input_close(&input);
    return profile;
}

static bool files_equal(const char *a, const char *b)
{
    char command[300];
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", a, b);
    return system(command) == 0;
}

static void put(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    fputs(content, file);
    fclose(file);
}

static void check_round_trip(char *one, char *two)
{
    struct ff_profile *forwards = build(false), *backwards = build(true);
    write_text(forwards, one);
    write_text(backwards, two);
    CHECK(files_equal(one, two));
    struct ff_profile *again = read_text(one, FF_OK);
    CHECK_TEXT(ff_profile_text(again, again->sources.at[1].name), "a\tb\\c\nd\re");
    CHECK_NUMBER(again->samples.count - 1, 12);
    write_text(again, two);
    CHECK(files_equal(one, two));
    ff_profile_free(forwards);
    ff_profile_free(backwards);
    ff_profile_free(again);
}

static void check_errors(char *path)
{
    static const struct {
        const char *text;
        enum ff_status status;
        const char *message_part;
    } cases[] = {
        {"flamefold 1\nend\n", FF_OK, ""},
        {"flamefold 1\nend\nflamefold 1\nend\n", FF_OK, ""},
        {"flamefold 2\nend\n", FF_BAD_INPUT, "line 1: found a stream of another version"},
        {"flamefold x\n", FF_BAD_INPUT, "line 1"},
        {"flamefold 1\nstack\t1\t0\t1\n", FF_BAD_INPUT, "line 2: found an id that no line"},
        {"flamefold 1\nevent\t2\t0\tx\ty\n", FF_BAD_INPUT, "line 2: found an id out of order"},
        {"flamefold 1\nevent\t1\t0\n", FF_BAD_INPUT, "line 2: found too few fields"},
        {"flamefold 1\nsample\t0\t0\t0\trecorded\t\t1\t0\t1\n", FF_BAD_INPUT, "without an event"},
        {"flamefold 1\nevent\t1\t0\te\tu\nsample\t1\t0\t0\tx\t\t1\t0\t1\n", FF_BAD_INPUT,
         "line 3: found an unknown word"},
        {"flamefold 1\nend\nstray\n", FF_BAD_INPUT, "line 3: found a line outside a stream"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(path, cases[i].text);
        struct ff_profile *profile = read_text(path, cases[i].status);
        CHECK(strstr(profile->error.message, cases[i].message_part) != NULL);
        ff_profile_free(profile);
    }
}

static void check_cut_and_extra(char *path, char *other)
{
    put(path, "flamefold 1\nwhat\tis\tthis\n");
    struct ff_profile *profile = read_text(path, FF_OK);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_STREAM_CUT), 1);
    CHECK_NUMBER(ff_ledger_grade_count(profile, FF_GRADE_LOSS), 1);
    write_text(profile, path);
    put(other, "flamefold 1\nledger\t0\tloss\tstreams\tstreams without an end line\t1\n"
               "what\tis\tthis\nend\n");
    CHECK(files_equal(path, other));
    ff_profile_free(profile);
}

/* Files that had one number after each other stay two modules. */
static void check_inodes(char *path, char *other)
{
    put(path, "flamefold 1\nsource\t1\ts\tperf\ton-cpu\t\t0\t0\t0\t0\t0\t0\nevent\t1\t1\te\tns\n"
              "module\t1\telf\t/a\t\t0\t0\t9\t7\nmodule\t2\telf\t/a\t\t0\t0\t9\t8\n"
              "module\t3\telf\t/b\t\t0\t0\t18446744073709551615\t4294967295\n"
              "frame\t1\tnative\tnot\trecorded\t1\t10\t0\t\t\t0\n"
              "frame\t2\tnative\tnot\trecorded\t2\t10\t0\t\t\t0\n"
              "frame\t3\tnative\tnot\trecorded\t3\t10\t0\t\t\t0\n"
              "stack\t1\t0\t1\nstack\t2\t1\t2\nstack\t3\t2\t3\n"
              "sample\t1\t0\t3\trecorded\t\t1\t0\t1\t\t0\t\nend\n");
    struct ff_profile *profile = read_text(path, FF_OK);
    CHECK_NUMBER(profile->modules.count - 1, 3);
    CHECK_NUMBER(profile->modules.at[2].inode, 9);
    CHECK_NUMBER(profile->modules.at[2].generation, 8);
    write_text(profile, other);
    CHECK(files_equal(path, other));
    ff_profile_free(profile);
}

/* Facts keep their order, cite threads by their new numbers, and a source keeps what was told of
 * it. A source line of before, without duration and errors, is read as well. */
static void check_facts(char *path, char *other)
{
    put(path, "flamefold 1\n"
              "source\t1\traw\tpy-spy\tblocked\t\t49\t0\t0\t30000000000\t3\t0\n"
              "source\t2\ttop\ttop\tunknown\t\t0\t0\t0\t0\t0\t0\n"
              "process\t1\t2\t590\t0\n"
              "thread\t1\t1\t631\t0\tb\t\t\nthread\t2\t1\t632\t0\ta\t\t\n"
              "fact\t2\t2\tcpu-share\t\t345000\tppm\t\n"
              "fact\t2\t1\tstate\t\t0\t\tR\\tx\n"
              "fact\t2\t0\tgpu-util\tgpu 0\t18446744073709551615\tppm\t\nend\n");
    struct ff_profile *profile = read_text(path, FF_OK);
    CHECK_NUMBER(profile->facts.count - 1, 3);
    CHECK_NUMBER(profile->threads.at[profile->facts.at[1].thread].tid, 632);
    CHECK_NUMBER(profile->facts.at[1].value, 345000);
    CHECK_TEXT(ff_profile_text(profile, profile->facts.at[2].text), "R\tx");
    CHECK_TEXT(ff_profile_text(profile, profile->facts.at[3].subject), "gpu 0");
    CHECK_NUMBER(profile->sources.at[1].duration_ns, 30000000000);
    CHECK_NUMBER(profile->sources.at[1].errors, 3);
    write_text(profile, other);
    CHECK(files_equal(path, other));
    ff_profile_free(profile);
    put(path, "flamefold 1\nsource\t1\traw\tpy-spy\tall\t\t49\t0\t0\nend\n");
    ff_profile_free(read_text(path, FF_OK));
    put(path, "flamefold 1\nfact\t0\t1\tx\t\t0\t\t\nend\n");
    ff_profile_free(read_text(path, FF_BAD_INPUT));
}

int main(void)
{
    char one[] = "/tmp/ff-stream-XXXXXX", two[] = "/tmp/ff-stream-XXXXXX";
    close(mkstemp(one));
    close(mkstemp(two));
    check_round_trip(one, two);
    check_errors(one);
    check_cut_and_extra(one, two);
    check_inodes(one, two);
    check_facts(one, two);
    unlink(one);
    unlink(two);
    return check_result();
}
