/* SPDX-License-Identifier: MIT
 *
 * The head of perf.data: attributes of every size there is, ids, features, and lengths that lie.
 */
#include "check.h"
#include "perf_maker.h"
#include "text_input.h"

#include "read/perf_clock.h"
#include "read/perf_file.h"

static const struct maker_event two_events[] = {
    {.type = 1,
     .config = 0,
     .period = 199,
     .sample_type = MAKER_PLAIN | MAKER_IDENTIFIER,
     .flags = MAKER_FREQUENCY | MAKER_ID_ALL,
     .regs_user = 0xff0fff,
     .ids = {11, 12},
     .id_count = 2,
     .name = "cpu-clock:u"},
    {.type = 0,
     .config = 1,
     .period = 1000000,
     .sample_type = MAKER_PLAIN | MAKER_IDENTIFIER,
     .flags = MAKER_ID_ALL,
     .ids = {21},
     .id_count = 1,
     .name = "instructions"},
};

struct opened {
    struct ff_profile *profile;
    struct ff_input input;
    struct ff_perf_file file;
    enum ff_status status;
};

static struct opened open_bytes(struct ff_text bytes)
{
    struct opened opened = {.profile = ff_profile_new()};
    text_input(&opened.input, "made.data", bytes);
    opened.status = ff_perf_file_open(&opened.file, opened.profile, &opened.input);
    return opened;
}

static void close_bytes(struct opened *opened)
{
    ff_perf_file_release(&opened->file);
    ff_input_close(&opened->input);
    ff_profile_free(opened->profile);
}

static struct maker make_two(uint32_t attr_size)
{
    struct maker file = {0};
    struct maker_event events[2] = {two_events[0], two_events[1]};
    events[0].attr_size = events[1].attr_size = attr_size;
    maker_file(&file, events, 2, FF_TEXT("12345678"));
    return file;
}

/* PERF_ATTR_SIZE_VER0 to VER9; perf 6.1 refuses from 136 on, for no need. */
static void test_attr_sizes(void)
{
    static const uint32_t sizes[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct maker bytes = make_two(sizes[i] < 96 ? 96 : sizes[i]);
        if (sizes[i] < 96) { /* shorter than what the maker writes: cut each one by hand */
            struct maker_event event = two_events[0];
            maker_free(&bytes);
            event.name = NULL;
            struct maker attr = {0};
            maker_attr(&attr, &event);
            uint64_t head[] = {104, sizes[i] + 16, 104, sizes[i] + 16, 104 + sizes[i] + 16, 0};
            maker_bytes(&bytes, "PERFILE2", 8);
            maker_bytes(&bytes, head, sizeof head);
            while (bytes.used < 104)
                maker_u64(&bytes, 0);
            maker_bytes(&bytes, attr.at, sizes[i]);
            maker_u64(&bytes, 0);
            maker_u64(&bytes, 0);
            maker_free(&attr);
        }
        struct opened opened = open_bytes(maker_text(&bytes));
        CHECK(opened.status == FF_OK);
        CHECK_NUMBER(opened.file.attr_count, sizes[i] < 96 ? 1 : 2);
        if (opened.file.attr_count) {
            const struct ff_perf_attr *attr = opened.file.attrs;
            CHECK_NUMBER(attr->type, 1);
            CHECK_NUMBER(attr->period, 199);
            CHECK_NUMBER(attr->sample_type, MAKER_PLAIN | MAKER_IDENTIFIER);
            CHECK_NUMBER(attr->flags, MAKER_FREQUENCY | MAKER_ID_ALL);
            CHECK_NUMBER(attr->regs_user, sizes[i] >= 96 ? 0xff0fff : 0);
        }
        close_bytes(&opened);
        maker_free(&bytes);
    }
}

static void test_ids_and_features(void)
{
    struct maker bytes = make_two(0);
    struct opened opened = open_bytes(maker_text(&bytes));
    const struct ff_perf_file *file = &opened.file;
    CHECK(opened.status == FF_OK);
    CHECK(!file->pipe && !file->killed);
    CHECK_NUMBER(file->data_start, 104 + 2 * 152 + 2 * 16);
    CHECK_NUMBER(file->data_end, file->data_start + 8);
    CHECK_NUMBER(opened.input.offset, file->data_start);
    CHECK(ff_perf_file_attr(file, true, 11) == &file->attrs[0]);
    CHECK(ff_perf_file_attr(file, true, 12) == &file->attrs[0]);
    CHECK(ff_perf_file_attr(file, true, 21) == &file->attrs[1]);
    CHECK(ff_perf_file_attr(file, true, 13) == NULL);
    CHECK_TEXT(ff_profile_text(opened.profile, file->host), "builder");
    CHECK_TEXT(ff_profile_text(opened.profile, file->attrs[0].name), "cpu-clock:u");
    CHECK_TEXT(ff_profile_text(opened.profile, file->attrs[1].name), "instructions");
    close_bytes(&opened);
    maker_free(&bytes);
}

static void test_names_of_events(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_perf_attr attrs[] = {
        {.type = 0, .config = 0}, {.type = 1, .config = 0},          {.type = 4, .config = 0x1b1},
        {.type = 9, .config = 3}, {.type = 0, .config = 1ull << 32},
    };
    static const char *const names[] = {"cycles", "cpu-clock", "raw 0x1b1", "event 0x3", "cycles"};
    for (size_t i = 0; i < 5; i++)
        CHECK_TEXT(ff_profile_text(profile, ff_perf_attr_name(profile, &attrs[i])), names[i]);
    ff_profile_free(profile);
}

/* misc bit 15: the byte behind the id says how long it is. Without it the id is 20 bytes. */
static void test_build_ids(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_perf_file file = {.profile = profile};
    struct maker record = {0};
    unsigned char id[24] = {0xde, 0xad, 0xbe, 0xef};
    id[20] = 4;
    maker_begin(&record, 67, 1 << 15);
    maker_u32(&record, 0xffffffff);
    maker_bytes(&record, id, sizeof id);
    maker_string(&record, "/usr/lib/short.so");
    maker_end(&record);
    ff_perf_file_add_build_id(&file, maker_text(&record));
    record.used = 0;
    memset(id, 0x11, 20);
    maker_begin(&record, 67, 0);
    maker_u32(&record, 0xffffffff);
    maker_bytes(&record, id, sizeof id);
    maker_string(&record, "/usr/lib/long.so");
    maker_end(&record);
    ff_perf_file_add_build_id(&file, maker_text(&record));
    uint32_t brief = ff_profile_intern(profile, FF_TEXT("/usr/lib/short.so"));
    uint32_t whole = ff_profile_intern(profile, FF_TEXT("/usr/lib/long.so"));
    CHECK_TEXT(ff_profile_text(profile, ff_perf_file_build_id(&file, brief)), "deadbeef");
    CHECK_TEXT(ff_profile_text(profile, ff_perf_file_build_id(&file, whole)),
               "1111111111111111111111111111111111111111");
    CHECK_NUMBER(ff_perf_build_id_text(profile, (struct ff_text){"\0\0\0\0", 4}), 0);
    maker_free(&record);
    ff_perf_file_release(&file);
    ff_profile_free(profile);
}

/* A killed recorder leaves a data size of 0: the data reach to the end of the file. */
static void test_killed(void)
{
    struct maker bytes = make_two(0);
    memset(bytes.at + 48, 0, 8);
    struct opened opened = open_bytes(maker_text(&bytes));
    CHECK(opened.status == FF_OK);
    CHECK(opened.file.killed);
    CHECK_NUMBER(opened.file.data_end, bytes.used);
    close_bytes(&opened);
    maker_free(&bytes);
}

/* Every field of the header as a lie: an answer, with a message where it is a failure, and memory
 * that the sanitizer agrees with. */
static void test_hostile_header(void)
{
    static const uint64_t lies[] = {
        1, 15, 16, 64, 79, 103, 105, 4096, UINT32_MAX, UINT64_MAX / 16, UINT64_MAX - 7, UINT64_MAX};
    struct maker bytes = make_two(0);
    unsigned int silent = 0;
    for (size_t at = 16; at < 104; at += 8) {
        for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
            uint64_t true_value;
            memcpy(&true_value, bytes.at + at, 8);
            maker_patch(&bytes, at, &lies[i], 8);
            struct opened opened = open_bytes(maker_text(&bytes));
            silent += opened.status != FF_OK && !opened.profile->error.message[0];
            close_bytes(&opened);
            maker_patch(&bytes, at, &true_value, 8);
        }
    }
    CHECK_NUMBER(silent, 0);
    /* The same for every word of the feature sections and of the ids' places. */
    size_t features = 104 + 2 * 152 + 2 * 16 + 8;
    for (size_t at = features; at + 8 <= bytes.used; at += 4) {
        for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
            uint64_t true_value;
            memcpy(&true_value, bytes.at + at, 8);
            maker_patch(&bytes, at, &lies[i], 8);
            struct opened opened = open_bytes(maker_text(&bytes));
            silent += opened.status != FF_OK; /* a damaged feature is no failure */
            close_bytes(&opened);
            maker_patch(&bytes, at, &true_value, 8);
        }
    }
    CHECK_NUMBER(silent, 0);
    maker_free(&bytes);
}

static void test_cut_header(void)
{
    struct maker bytes = make_two(0);
    size_t attrs_end = 104 + 2 * 152;
    unsigned int accepted = 0, silent = 0;
    for (size_t size = 16; size < attrs_end; size++) {
        struct opened opened = open_bytes((struct ff_text){(const char *)bytes.at, size});
        accepted += opened.status == FF_OK;
        silent += opened.status != FF_OK && !opened.profile->error.message[0];
        close_bytes(&opened);
    }
    CHECK_NUMBER(accepted, 0);
    CHECK_NUMBER(silent, 0);
    maker_free(&bytes);
}

/* The feature sections of a recording with -k CLOCK_MONOTONIC, of which perf script --header says
 * "reference time: 2026-11-29 22:54:49.062025 = 1795992889.062025 (TOD) = 17134.137548241 (monotonic)"
 * and "clockid frequency: 1000 MHz". */
static void test_clock(void)
{
    struct maker made = make_two(0), section = {0};
    struct opened opened = open_bytes((struct ff_text){(const char *)made.at, made.used});
    ff_perf_clock_facts(opened.profile, 1, &opened.file);
    CHECK_NUMBER(opened.profile->facts.count, 1); /* nothing is told */
    maker_u64(&section, 1);
    ff_perf_file_add_feature(&opened.file, 23, (struct ff_text){(char *)section.at, section.used});
    section.used = 0;
    maker_u32(&section, 1);
    maker_u32(&section, 1);
    maker_u64(&section, 1795992889062025000u);
    ff_perf_file_add_feature(&opened.file, 29, (struct ff_text){(char *)section.at, section.used});
    CHECK(!opened.file.has_clock); /* cut */
    maker_u64(&section, 17134137548241u);
    ff_perf_file_add_feature(&opened.file, 29, (struct ff_text){(char *)section.at, section.used});
    ff_perf_clock_facts(opened.profile, 1, &opened.file);
    CHECK_NUMBER(opened.profile->facts.count, 5);
    const struct ff_fact *facts = opened.profile->facts.at;
    CHECK_NUMBER(facts[1].value, 1);
    CHECK_TEXT(ff_profile_text(opened.profile, facts[2].text), "monotonic");
    CHECK_NUMBER(facts[3].value, 17134137548241u);
    CHECK_NUMBER(facts[4].value, 1795992889062025000u);
    free(section.at);
    close_bytes(&opened);
    free(made.at);
}

int main(void)
{
    test_attr_sizes();
    test_ids_and_features();
    test_names_of_events();
    test_build_ids();
    test_killed();
    test_clock();
    test_hostile_header();
    test_cut_header();
    return check_result();
}
