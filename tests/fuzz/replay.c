/* SPDX-License-Identifier: MIT
 *
 * Damaged inputs, without a fuzz engine: a file is cut at many places and its bytes are changed by
 * a fixed random sequence; each such mutant goes the whole way, in this process. A mutant may be
 * refused or read in part, never silently, and never with a crash, a sanitizer's complaint, a hang,
 * or a sample that is neither in the profile nor in the ledger.
 *
 *     replay KIND FILE CUTS CHANGES MUTANT      KIND: input, zstd, symbols, rules
 *     replay write FILE NUMBER MUTANT           writes one changed mutant, for the tools
 *
 * MUTANT is the file that holds the mutant at hand: after a crash it is the one that did it. CUTS 0
 * means at every byte. RECORDING in the environment is what symbols and rules are used on. Kind zstd
 * takes a plain perf.data and compresses the records after they were changed: a change of compressed
 * bytes would only be told by zstd.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "flamefold.h"
#include "read/read.h"

#define SECONDS_EACH 10

struct bytes {
    unsigned char *at;
    size_t size;
};

struct result {
    unsigned int passed, failed;
};

static struct bytes load(const char *path)
{
    struct bytes bytes = {0};
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        exit(2);
    bytes.size = (size_t)ftell(file);
    bytes.at = malloc(bytes.size + 1);
    rewind(file);
    if (!bytes.at || fread(bytes.at, 1, bytes.size, file) != bytes.size)
        exit(2);
    fclose(file);
    return bytes;
}

static void save(const char *path, const unsigned char *at, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(at, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

/* D. E. Knuth's MMIX generator: the same mutants everywhere. */
static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* One to four changes: a flipped bit, a byte of an extreme value, a word of one, two bytes swapped.
 * Heads are hit more often than their size deserves. */
static void change(struct bytes *bytes, uint64_t number)
{
    static const unsigned char extremes[] = {0,    1, 0x7f, 0x80, 0xff, '\n', ';',
                                             '\t', 9, 68,   71,   81,   83};
    uint64_t state = number * 2 + 1;
    unsigned int changes = 1 + next_random(&state) % 4;
    for (unsigned int i = 0; i < changes && bytes->size >= 8; i++) {
        size_t range = next_random(&state) % 3 ? bytes->size
                       : bytes->size < 512     ? bytes->size
                                               : 512;
        size_t at = next_random(&state) % range;
        size_t left = bytes->size - at;
        switch (next_random(&state) % 4) {
        case 0:
            bytes->at[at] ^= (unsigned char)(1u << next_random(&state) % 8);
            break;
        case 1:
            bytes->at[at] = extremes[next_random(&state) % sizeof extremes];
            break;
        case 2:
            memset(bytes->at + at, next_random(&state) % 2 ? 0xff : 0, left < 8 ? left : 8);
            break;
        default: {
            size_t other = next_random(&state) % bytes->size;
            unsigned char byte = bytes->at[at];
            bytes->at[at] = bytes->at[other];
            bytes->at[other] = byte;
        }
        }
    }
}

/* The data of a perf.data file become records of type 81, cut at odd places; features go. */
static struct bytes compress(struct bytes plain)
{
    struct bytes file = {calloc(plain.size * 2 + 4096, 1), 0};
    uint64_t start, size, none = 0;
    memcpy(&start, plain.at + 40, sizeof start);
    memcpy(&size, plain.at + 48, sizeof size);
    ZSTD_CStream *stream = ZSTD_createCStream();
    if (!file.at || !stream || start > plain.size || size > plain.size - start)
        exit(2);
    memcpy(file.at, plain.at, (size_t)start);
    file.size = (size_t)start;
    for (uint64_t at = 0; at < size; at += 333) {
        ZSTD_inBuffer in = {plain.at + start + at, size - at < 333 ? size - at : 333, 0};
        ZSTD_outBuffer out = {file.at + file.size + 8, 1000, 0};
        ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush);
        uint16_t header[4] = {81, 0, 0, (uint16_t)(out.pos + 8)};
        memcpy(file.at + file.size, header, sizeof header);
        file.size += out.pos + 8;
    }
    size = file.size - start;
    memcpy(file.at + 48, &size, sizeof size);
    for (size_t at = 72; at < 104; at += 8)
        memcpy(file.at + at, &none, sizeof none);
    ZSTD_freeCStream(stream);
    return file;
}

/* Only the records of a perf.data file, not what its header says of them. */
static void change_records(struct bytes *bytes, uint64_t number)
{
    uint64_t start, size;
    memcpy(&start, bytes->at + 40, sizeof start);
    memcpy(&size, bytes->at + 48, sizeof size);
    struct bytes records = {bytes->at + start, (size_t)size};
    change(&records, number);
}

/* An answer that is none of the four, or a failure without a word. */
static bool is_wrong(const struct flamefold *flamefold, enum flamefold_status status)
{
    bool known = status == FLAMEFOLD_OK || status == FLAMEFOLD_LEFT_OUT ||
                 status == FLAMEFOLD_FAILED || status == FLAMEFOLD_USAGE;
    return !known || (status != FLAMEFOLD_OK && !*flamefold_message(flamefold));
}

/* Whole way: what can be read is named, classified and written in every form. */
static bool whole_way_wrong(const char *recording, const char *symbols, const char *rules)
{
    struct flamefold_view view = {.roots = "thread,bucket"};
    struct flamefold *flamefold = flamefold_new();
    bool wrong = is_wrong(flamefold, flamefold_read(flamefold, recording));
    if (symbols)
        wrong |= is_wrong(flamefold, flamefold_symbols(flamefold, symbols));
    wrong |= is_wrong(flamefold, flamefold_symbolize(flamefold));
    wrong |= is_wrong(flamefold, flamefold_merge(flamefold));
    wrong |= is_wrong(flamefold, flamefold_classify(flamefold, rules));
    wrong |= is_wrong(flamefold, flamefold_fold(flamefold, "/dev/null", &view));
    wrong |= is_wrong(flamefold, flamefold_svg(flamefold, "/dev/null", &view));
    wrong |= is_wrong(flamefold, flamefold_report(flamefold, "/dev/null", &view));
    wrong |= is_wrong(flamefold, flamefold_save(flamefold, "/dev/null"));
    flamefold_free(flamefold);
    return wrong;
}

/* Of a recording: samples read = in the profile + lost (no selection here). */
static bool unbalanced(const char *recording)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_selection selection = {0};
    uint64_t in_profile = 0;
    ff_read(profile, recording, &(struct ff_read_options){.selection = &selection});
    for (uint32_t i = 1; i < profile->samples.count; i++)
        in_profile += profile->samples.at[i].count / FF_COUNT_ONE;
    uint64_t read = ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES);
    uint64_t lost = ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES_BAD) +
                    ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES_NO_EVENT);
    bool perf = profile->sources.count > 1 && profile->sources.at[1].tool == FF_TOOL_PERF &&
                ff_ledger_count(profile, 0, FF_LEDGER_RECORDS) > 0;
    ff_profile_free(profile);
    return perf && read != in_profile + lost;
}

static void try_mutant(struct result *result, const char *kind, const char *mutant,
                       const char *description, uint64_t number, bool check_balance)
{
    const char *recording = getenv("RECORDING");
    bool wrong;
    alarm(SECONDS_EACH);
    if (strcmp(kind, "symbols") == 0)
        wrong = whole_way_wrong(recording, mutant, NULL);
    else if (strcmp(kind, "rules") == 0)
        wrong = whole_way_wrong(recording, NULL, mutant);
    else
        wrong = whole_way_wrong(mutant, NULL, NULL) || (check_balance && unbalanced(mutant));
    alarm(0);
    if (wrong)
        fprintf(stderr, "%s %llu: wrong answer\n", description, (unsigned long long)number);
    *(wrong ? &result->failed : &result->passed) += 1;
}

static struct result replay(const char *kind, const char *path, size_t cuts, uint64_t changes,
                            const char *mutant)
{
    struct bytes bytes = load(path);
    struct bytes copy = {malloc(bytes.size + 1), bytes.size};
    struct result result = {0, 0};
    bool binary = bytes.size > 8 && memcmp(bytes.at, "PERFILE2", 8) == 0;
    size_t step = cuts && cuts < bytes.size ? bytes.size / cuts : 1;
    /* Steps of even size would only ever cut at whole records. */
    for (size_t size = 0; size<bytes.size; size += step> 1 ? step | 1 : 1) {
        save(mutant, bytes.at, size);
        try_mutant(&result, kind, mutant, "cut at", size, binary);
    }
    for (uint64_t number = 0; number < changes; number++) {
        memcpy(copy.at, bytes.at, bytes.size);
        if (strcmp(kind, "zstd") == 0) {
            change_records(&copy, number);
            struct bytes compressed = compress(copy);
            save(mutant, compressed.at, compressed.size);
            free(compressed.at);
        } else {
            change(&copy, number);
            save(mutant, copy.at, copy.size);
        }
        try_mutant(&result, kind, mutant, "change", number, binary);
    }
    free(bytes.at);
    free(copy.at);
    return result;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "write") == 0) {
        struct bytes bytes = load(argv[2]);
        change(&bytes, strtoull(argv[3], NULL, 10));
        save(argv[4], bytes.at, bytes.size);
        free(bytes.at);
        return 0;
    }
    if (argc != 6)
        return 64;
    struct result result =
        replay(argv[1], argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10), argv[5]);
    printf("%u passed, %u failed, 0 skipped\n", result.passed, result.failed);
    return result.failed != 0;
}
