/* SPDX-License-Identifier: MIT
 *
 * Other people's recordings: as many samples as perf 6.1 prints of each, and a message for each of
 * those that crashed somebody's reader.
 */
#include "check.h"
#include "text_input.h"

#include <dirent.h>
#include <unistd.h>

#include "read/read.h"

/* Where perf's text is not the number of samples, that is: of sample records, counted by a separate
 * script that walks the headers (and unpacks zstd). perf prints an Intel PT trace as many more
 * samples and contentsize's groups of counters as several lines; the others it refuses: attributes
 * of 136 bytes, records of type 83. */
static const struct {
    const char *file;
    uint64_t samples;
} exceptions[] = {
    {"perf-data/quipper/intel_pt-4.14.data", 15},
    {"perf-data/perfparser/contentsize.data", 69},
    {"perf-data/linux-perf-data/sleep.compressed.data", 8},
    {"perf-data/linux-perf-data/sleep.compressed2.data", 7},
    {"perf-data/linux-perf-data/sleep.compressed2.pipe.data", 7},
    {"perf-data/linux-perf-data/sleep.data", 7},
};

static uint64_t samples_of(struct ff_text file, struct ff_text perf_lines)
{
    uint64_t samples = UINT64_MAX;
    ff_text_decimal(perf_lines, &samples);
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
        if (ff_text_equal(file, ff_text(exceptions[i].file)))
            samples = exceptions[i].samples;
    }
    return samples;
}

/* Whole samples in the profile. */
static uint64_t sample_count(const struct ff_profile *profile)
{
    uint64_t count = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++)
        count += profile->samples.at[i].count;
    CHECK_NUMBER(count % FF_COUNT_ONE, 0);
    return count / FF_COUNT_ONE;
}

static void check_file(struct ff_text file, struct ff_text perf_lines)
{
    char path[512], below[256];
    struct ff_profile *profile = ff_profile_new();
    struct ff_selection selection = {0};
    uint64_t expected = samples_of(file, perf_lines);
    snprintf(below, sizeof below, "corpora/%.*s", FF_TEXT_ARGS(file));
    enum ff_status status = ff_read(profile, shared_path(path, sizeof path, below),
                                    &(struct ff_read_options){.selection = &selection});
    int failed_before = check_failed;
    CHECK(status == FF_OK);
    CHECK_NUMBER(sample_count(profile), expected);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES), expected);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_RECORDS_UNKNOWN), 0);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_RECORDS_BAD), 0);
    if (check_failed > failed_before)
        fprintf(stderr, "  in %s: %s\n", below, profile->error.message);
    ff_profile_free(profile);
}

static void check_table(const char *path)
{
    struct ff_input input;
    struct ff_error error = {0};
    struct ff_text line;
    unsigned int files = 0;
    if (ff_input_open(&input, path, &error) != FF_OK)
        return;
    ff_input_line(&input, &line, &error); /* the heading */
    while (ff_input_line(&input, &line, &error) == FF_OK) {
        struct ff_text file = ff_text_cut(&line, '\t');
        ff_text_cut(&line, '\t'); /* bytes */
        ff_text_cut(&line, '\t'); /* exit status */
        check_file(file, ff_text_cut(&line, '\t'));
        files++;
    }
    CHECK_NUMBER(files, 39);
    ff_input_close(&input);
}

/* A message, or a loss that the tools print: never a silent success. */
static void check_bad(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    unsigned int files = 0;
    while (directory && (entry = readdir(directory))) {
        char path[1024];
        struct ff_profile *profile = ff_profile_new();
        struct ff_selection selection = {0};
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            enum ff_status status =
                ff_read(profile, path, &(struct ff_read_options){.selection = &selection});
            bool told = status == FF_OK ? ff_ledger_grade_count(profile, FF_GRADE_LOSS) > 0
                                        : profile->error.message[0] != '\0';
            if (!told)
                fprintf(stderr, "%s: status %d and no word\n", path, (int)status);
            CHECK(told);
            files++;
        }
        ff_profile_free(profile);
    }
    if (directory)
        closedir(directory);
    CHECK_NUMBER(files, 15);
}

int main(void)
{
    char path[512];
    if (access(shared_path(path, sizeof path, "corpora"), R_OK) != 0) {
        SKIP("the corpora are not here");
        return check_result();
    }
    check_table(shared_path(path, sizeof path, "corpora/perf-data/perf-6.1.tsv"));
    check_bad(shared_path(path, sizeof path, "corpora/bad"));
    return check_result();
}
