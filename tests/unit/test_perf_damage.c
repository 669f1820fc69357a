/* SPDX-License-Identifier: MIT
 *
 * Recordings that were cut, killed or damaged: whatever is whole is delivered, and what is not is
 * said or counted.
 */
#include "check.h"
#include "perf_recording.h"

/* Samples that are wholly there before byte END of the data. */
static unsigned int samples_before(const struct maker *data, size_t end)
{
    unsigned int samples = 0;
    for (size_t at = 0; at + 8 <= end;) {
        uint16_t size;
        uint32_t type;
        memcpy(&type, data->at + at, sizeof type);
        memcpy(&size, data->at + at + 6, sizeof size);
        at += size;
        samples += type == 9 && at <= end;
    }
    return samples;
}

/* Cut at every byte: all samples before the cut, and the ledger names every byte that is missing. */
static void test_cut_anywhere(void)
{
    struct maker data = plain_data(), file = {0};
    size_t start = 104 + 2 * 152 + 2 * 16;
    unsigned int wrong = 0, quiet = 0;
    maker_file(&file, events, 2, maker_text(&data));
    for (size_t cut = 0; cut < data.used; cut++) {
        enum ff_status status;
        struct ff_profile *profile =
            read_bytes((struct ff_text){(const char *)file.at, start + cut}, &status);
        wrong += status != FF_OK ||
                 ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES) != samples_before(&data, cut);
        quiet += ff_ledger_count(profile, 0, FF_LEDGER_BYTES_MISSING) != data.used - cut;
        ff_profile_free(profile);
    }
    CHECK_NUMBER(wrong, 0);
    CHECK_NUMBER(quiet, 0);
    maker_free(&file);
    maker_free(&data);
}

/* A recorder that was killed: data size 0, no features. Everything is read to the end. */
static void test_killed(void)
{
    struct maker data = plain_data(), file = {0};
    maker_file(&file, events, 2, maker_text(&data));
    memset(file.at + 48, 0, 8);
    size_t end = 104 + 2 * 152 + 2 * 16 + data.used;
    enum ff_status status;
    struct ff_profile *profile = read_bytes((struct ff_text){(const char *)file.at, end}, &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES), 7);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_KILLED), 1);
    CHECK_NUMBER(ff_ledger_grade_count(profile, FF_GRADE_LOSS), 0);
    ff_profile_free(profile);
    maker_free(&file);
    maker_free(&data);
}

/* A record that says it is shorter than its header: nothing behind it can be found. */
static void test_bad_size(void)
{
    struct maker data = {0}, file = {0};
    put_start(&data);
    size_t bad = data.used;
    maker_comm(&data, 0, 5, 5, "bad", 0);
    put_rounds(&data);
    memset(data.at + bad + 6, 0, 2);
    maker_file(&file, events, 2, maker_text(&data));
    enum ff_status status;
    struct ff_profile *profile = read_bytes(maker_text(&file), &status);
    CHECK(status == FF_BAD_INPUT);
    char place[64];
    snprintf(place, sizeof place, "made.data: offset %zu: found", 104 + 2 * 152 + 2 * 16 + bad);
    CHECK(strstr(profile->error.message, place) != NULL);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_RECORDS), 3);
    ff_profile_free(profile);
    maker_free(&file);
    maker_free(&data);
}

/* Records of types that nobody knows, of events that the file does not describe, and too short. */
static void test_strange_records(void)
{
    struct maker data = {0}, file = {0};
    put_start(&data);
    maker_begin(&data, 4242, 0);
    maker_u64(&data, 0);
    maker_end(&data);
    SAMPLE(&data, 99, 100, 100, 900, MAKER_USER, LIBX);
    maker_begin(&data, 10, 2); /* MMAP2 with nothing in it */
    maker_end(&data);
    maker_begin(&data, 9, 2);
    maker_u64(&data, 11);
    maker_end(&data);
    put_rounds(&data);
    maker_file(&file, events, 2, maker_text(&data));
    enum ff_status status;
    struct ff_profile *profile = read_bytes(maker_text(&file), &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(rows_right(profile), EXPECTED_COUNT);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_RECORDS_UNKNOWN), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES_NO_EVENT), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_RECORDS_BAD), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES_BAD), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES), 9);
    ff_profile_free(profile);
    maker_free(&file);
    maker_free(&data);
}

/* A zstd stream with a flipped byte: what was decompressed before it counts. */
static void test_damaged_zstd(void)
{
    struct maker start = {0}, rounds = {0}, data = {0}, file = {0};
    put_start(&start);
    put_rounds(&rounds);
    maker_bytes(&data, start.at, start.used);
    put_compressed(&data, &rounds, 100, false);
    memset(data.at + data.record + 8, 0xff, data.used - data.record - 8); /* the last one */
    maker_file(&file, events, 2, maker_text(&data));
    enum ff_status status;
    struct ff_profile *profile = read_bytes(maker_text(&file), &status);
    size_t whole = rounds.used / 100 * 100;
    CHECK(status == FF_BAD_INPUT);
    char place[64];
    snprintf(place, sizeof place,
             "made.data: offset %zu: zstd: ", 104 + 2 * 152 + 2 * 16 + data.record);
    CHECK(strstr(profile->error.message, place) != NULL);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES), samples_before(&rounds, whole));
    ff_profile_free(profile);
    maker_free(&file);
    maker_free(&data);
    maker_free(&start);
    maker_free(&rounds);
}

/* A compressed record inside of compressed data, which no recorder writes: it would be decompressed
 * into the buffer that it is being read from. */
static void test_nested_zstd(void)
{
    struct maker inner = {0}, outer = {0}, data = {0}, file = {0};
    char room[4096];
    put_rounds(&inner);
    size_t size = ZSTD_compress(room, sizeof room, inner.at, inner.used, 1);
    SAMPLE(&outer, 11, 100, 100, 1000, MAKER_USER, LIBX + 0x10);
    maker_begin(&outer, 81, 0);
    maker_bytes(&outer, room, size);
    maker_end(&outer);
    put_start(&data);
    size = ZSTD_compress(room, sizeof room, outer.at, outer.used, 1);
    maker_begin(&data, 81, 0);
    maker_bytes(&data, room, size);
    maker_end(&data);
    maker_file(&file, events, 2, maker_text(&data));
    enum ff_status status;
    struct ff_profile *profile = read_bytes(maker_text(&file), &status);
    CHECK(status == FF_BAD_INPUT);
    CHECK(strstr(profile->error.message, "compressed") != NULL);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES), 1);
    ff_profile_free(profile);
    maker_free(&file);
    maker_free(&data);
    maker_free(&outer);
    maker_free(&inner);
}

int main(void)
{
    test_cut_anywhere();
    test_killed();
    test_bad_size();
    test_strange_records();
    test_damaged_zstd();
    test_nested_zstd();
    return check_result();
}
