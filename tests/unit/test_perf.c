/* SPDX-License-Identifier: MIT
 *
 * Whole recordings, made here: a program that execs, forks and starts threads, in file mode, pipe
 * mode and compressed in pieces that tear records apart. What must come out is in perf_recording.h.
 */
#include "check.h"
#include "perf_recording.h"

static void check_whole(struct ff_text bytes)
{
    enum ff_status status;
    struct ff_profile *profile = read_bytes(bytes, &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(rows_right(profile), EXPECTED_COUNT);
    CHECK_NUMBER(profile->samples.count - 1, EXPECTED_COUNT);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_SAMPLES), 7);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LOST), 7);
    CHECK_NUMBER(ff_ledger_grade_count(profile, FF_GRADE_LOSS), 0);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_ORDER), 0);
    CHECK_NUMBER(profile->sources.at[1].start_ns, 1000);
    CHECK_NUMBER(profile->sources.at[1].end_ns, 1700);
    CHECK_NUMBER(profile->sources.at[1].rate, 199);
    ff_profile_free(profile);
}

static void test_file(void)
{
    struct maker data = plain_data(), file = {0};
    maker_file(&file, events, 2, maker_text(&data));
    check_whole(maker_text(&file));
    maker_free(&file);
    maker_free(&data);
}

static struct maker pipe_head(void)
{
    struct maker pipe = {0};
    maker_bytes(&pipe, "PERFILE2", 8);
    maker_u64(&pipe, 16);
    for (int i = 0; i < 2; i++) {
        maker_begin(&pipe, 64, 0); /* HEADER_ATTR */
        maker_attr(&pipe, &events[i]);
        maker_bytes(&pipe, events[i].ids, events[i].id_count * 8);
        maker_end(&pipe);
        maker_begin(&pipe, 78, 0); /* EVENT_UPDATE: 2 is the name */
        maker_u64(&pipe, 2);
        maker_u64(&pipe, events[i].ids[0]);
        maker_string(&pipe, events[i].name);
        maker_end(&pipe);
    }
    return pipe;
}

static void test_pipe(void)
{
    struct maker data = plain_data(), pipe = pipe_head();
    maker_begin(&pipe, 71, 0); /* AUXTRACE: its bytes stand behind the record */
    maker_u64(&pipe, 21);
    maker_end(&pipe);
    maker_bytes(&pipe, "\xff\xff\xff\xff\xff\xff\xff\xff ignore me ..", 21);
    maker_bytes(&pipe, data.at, data.used); /* from here on nothing is aligned */
    check_whole(maker_text(&pipe));
    maker_free(&pipe);
    maker_free(&data);
}

/* A pipe that ends in the payload behind an AUXTRACE record: 100 bytes promised, 30 there. */
static void test_pipe_cut_in_payload(void)
{
    struct maker pipe = pipe_head();
    maker_begin(&pipe, 71, 0);
    maker_u64(&pipe, 100);
    maker_end(&pipe);
    for (int i = 0; i < 30; i++)
        maker_bytes(&pipe, "x", 1);
    enum ff_status status;
    struct ff_profile *profile = read_bytes(maker_text(&pipe), &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_BYTES_MISSING), 70);
    ff_profile_free(profile);
    maker_free(&pipe);
}

static void test_compressed(void)
{
    static const size_t pieces[] = {1, 7, 8, 13, 100, 4000};
    struct maker start = {0}, rounds = {0};
    put_start(&start);
    put_rounds(&rounds);
    for (size_t i = 0; i < 2 * sizeof pieces / sizeof *pieces; i++) {
        struct maker data = {0}, file = {0};
        maker_bytes(&data, start.at, start.used);
        put_compressed(&data, &rounds, pieces[i / 2], i % 2);
        maker_file(&file, events, 2, maker_text(&data));
        check_whole(maker_text(&file));
        maker_free(&file);
        maker_free(&data);
    }
    maker_free(&start);
    maker_free(&rounds);
}

int main(void)
{
    test_file();
    test_pipe();
    test_pipe_cut_in_payload();
    test_compressed();
    return check_result();
}
