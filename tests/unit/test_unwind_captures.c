/* SPDX-License-Identifier: MIT
 *
 * What becomes of every stack of eight recordings: how many reach a root, that all others end where
 * the dump does, and that Python's trampolines stand where they must: one behind each frame of the
 * evaluation loop, in an order that py-spy saw too.
 */
#include "recorded.h"

#include "base/map.h"
#include "image/perf_map.h"

#define FRAME_LIMIT 1024
/* readelf --dyn-syms python3.12: _PyEval_EvalFrameDefault is at 5d6630, 52236 bytes; readelf -l: file
 * offset = module offset - 400000. */
#define EVAL_START 0x1d6630u
#define EVAL_END   (EVAL_START + 52236u)
/* libc.so.6: the call in clone3, whose entry says that the return address is undefined (readelf
 * --debug-dump=frames: 129ec5..129ed6 "DW_CFA_undefined: r16 (rip)"). */
#define ROOT_PLACE 0x129ecbu
/* libcublasLt.so.13: a call in a function whose rule reads a word 19 to 43 KB above SP. */
#define CUBLAS_PLACE 0xe2b572u

struct tally {
    unsigned int samples, complete, truncated, other, at_cublas, without_dump, wrong_missing;
    unsigned int other_root;
    unsigned int evals, evals_called, python, python_calling, stacks_with_python, bootstrap;
    uint64_t pairs, pairs_seen; /* adjacent Python frames, by weight */
    uint64_t turned_seen;       /* pairs that are there the other way round: a check of the check */
};

struct capture {
    struct recorded recorded;
    struct recorded_frame frames[FRAME_LIMIT];
    struct ff_perf_map *perf_map;
    struct ff_map seen; /* of pairs: caller and callee as py-spy shows them */
    uint64_t *pairs;    /* from 1 */
    uint32_t pair_count, pair_capacity;
    bool failed;
    struct ff_intern names;
    struct tally tally;
};

static bool is_in(const struct recorded_frame *frame, const char *path)
{
    return ff_text_equal(frame->path, ff_text(path));
}

static bool is_eval(const struct recorded_frame *frame)
{
    return is_in(frame, "/usr/bin/python3.12") && frame->place >= EVAL_START &&
           frame->place < EVAL_END;
}

/* The qualified name between "py::" and ":file"; empty: no such frame. */
static struct ff_text python_name(const struct capture *capture, const struct recorded_frame *frame)
{
    const struct ff_perf_map_entry *entry = NULL;
    if (capture->perf_map && ff_text_starts(frame->path, FF_TEXT("//anon")))
        entry = ff_perf_map_find(capture->perf_map, frame->address);
    if (!entry || !ff_text_starts(entry->name, FF_TEXT("py::")))
        return (struct ff_text){0};
    struct ff_text rest = ff_text_from(entry->name, 4);
    return ff_text_cut(&rest, ':');
}

/* A pair of names as one number; ids are those of one intern table. */
static uint64_t pair_of(struct capture *capture, struct ff_text caller, struct ff_text callee)
{
    return (uint64_t)ff_intern(&capture->names, caller) << 32 | ff_intern(&capture->names, callee);
}

static bool is_seen(const struct capture *capture, uint64_t pair)
{
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&capture->seen, ff_hash_mix(1, pair), &probe); id;
         id = ff_map_next(&capture->seen, &probe)) {
        if (capture->pairs[id] == pair)
            return true;
    }
    return false;
}

static void add_pair(struct capture *capture, uint64_t pair)
{
    uint32_t id = capture->pair_count + 1;
    if (is_seen(capture, pair))
        return;
    capture->pairs = ff_grow(capture->pairs, &capture->pair_capacity, (uint64_t)id + 1,
                             sizeof *capture->pairs, &capture->failed);
    capture->pairs[id] = pair;
    capture->pair_count = id;
    ff_map_add(&capture->seen, ff_hash_mix(1, pair), id);
}

/* "thread (1): a;f (x.py:1);g (y.py:2) 5": root first. */
static void learn_line(struct capture *capture, struct ff_text line)
{
    struct ff_text caller = {0};
    line = ff_text_slice(line, 0, (size_t)(ff_text_find_last(line, ' ') + 1));
    ff_text_cut(&line, ';');
    while (line.size) {
        struct ff_text frame = ff_text_cut(&line, ';');
        ptrdiff_t open = ff_text_find_text(frame, FF_TEXT(" ("));
        struct ff_text callee = ff_text_slice(frame, 0, open < 0 ? frame.size : (size_t)open);
        if (caller.size)
            add_pair(capture, pair_of(capture, caller, callee));
        caller = callee;
    }
}

static void learn(struct capture *capture, const char *name, const char *file)
{
    char path[512], below[128];
    struct ff_input input;
    struct ff_error error = {0};
    struct ff_text line;
    snprintf(below, sizeof below, "captures/%s/%s", name, file);
    CHECK(ff_input_open(&input, shared_path(path, sizeof path, below), &error) == FF_OK);
    while (ff_input_line(&input, &line, &error) == FF_OK)
        learn_line(capture, line);
    ff_input_close(&input);
}

static void check_pair(struct capture *capture, struct ff_text caller, struct ff_text callee)
{
    struct tally *tally = &capture->tally;
    uint64_t weight = capture->recorded.sample.period;
    tally->pairs += weight;
    if (is_seen(capture, pair_of(capture, caller, callee)))
        tally->pairs_seen += weight;
    if (is_seen(capture, pair_of(capture, callee, caller)))
        tally->turned_seen += weight;
}

/* The evaluation loop is called by trampolines only, and trampolines call nothing else. */
static void check_python(struct capture *capture, uint32_t count)
{
    struct tally *tally = &capture->tally;
    struct ff_text callee = {0};
    for (uint32_t i = 0; i < count; i++) {
        struct ff_text name = python_name(capture, &capture->frames[i]);
        if (is_eval(&capture->frames[i])) {
            tally->evals++;
            tally->evals_called +=
                i + 1 < count && python_name(capture, &capture->frames[i + 1]).size;
        }
        if (!name.size)
            continue;
        tally->python++;
        tally->python_calling += i == 0 || is_eval(&capture->frames[i - 1]);
        if (callee.size)
            check_pair(capture, name, callee);
        callee = name;
    }
    tally->stacks_with_python += callee.size != 0;
    tally->bootstrap += ff_text_equal(callee, FF_TEXT("Thread._bootstrap"));
}

/* The first word that was missing lies behind the dump, or across its end. */
static bool missing_is_right(const struct recorded *recorded)
{
    const struct ff_dump *dump = &recorded->dump;
    const struct ff_unwound *unwound = &recorded->unwound;
    return unwound->missing == dump->sp + unwound->missing_above &&
           unwound->missing_above + 8 > dump->bytes.size &&
           unwound->missing_above < (uint64_t)8 << 20;
}

static void each(struct recorded *recorded, void *context)
{
    struct capture *capture = context;
    struct tally *tally = &capture->tally;
    tally->samples++;
    if (!recorded->has_dump) {
        tally->without_dump++;
        return;
    }
    uint32_t count = recorded_frames(recorded, capture->frames, FRAME_LIMIT);
    const struct recorded_frame *last = &capture->frames[count - 1];
    if (recorded->unwound.state == FF_STATE_COMPLETE) {
        tally->complete++;
        tally->other_root +=
            !is_in(last, "/usr/lib/x86_64-linux-gnu/libc.so.6") || last->place != ROOT_PLACE;
        check_python(capture, count);
    } else if (recorded->unwound.state == FF_STATE_TRUNCATED) {
        tally->truncated++;
        tally->wrong_missing += !missing_is_right(recorded);
        tally->at_cublas +=
            ff_text_ends(last->path, FF_TEXT("/libcublasLt.so.13")) && last->place == CUBLAS_PLACE;
    } else {
        tally->other++;
    }
}

static void read_capture(struct capture *capture, const char *name, bool has_map)
{
    char map[512], below[128];
    struct ff_error error = {0};
    snprintf(below, sizeof below, "captures/%s/perf.map", name);
    shared_path(map, sizeof map, below);
    struct ff_file file;
    if (has_map && ff_file_open(&file, map, &error) == FF_OK)
        CHECK(ff_perf_map_open(&capture->perf_map, &file, &error) == FF_OK);
    const char *const symbols[] = {LIBRARIES, has_map ? map : NULL, NULL};
    capture->recorded = (struct recorded){.each = each, .context = capture};
    snprintf(below, sizeof below, "captures/%s/dwarf.data", name);
    recorded_read(&capture->recorded, below, symbols);
}

static void release(struct capture *capture)
{
    recorded_release(&capture->recorded);
    ff_perf_map_close(capture->perf_map);
    ff_map_release(&capture->seen);
    ff_free(capture->pairs);
    ff_intern_release(&capture->names);
}

static void check_states(const char *name, const struct tally *tally, unsigned int samples,
                         unsigned int complete)
{
    printf("%s: %u samples: %u complete, %u truncated (%u at one place in cuBLAS), %u other\n",
           name, tally->samples, tally->complete, tally->truncated, tally->at_cublas, tally->other);
    CHECK_NUMBER(tally->samples, samples);
    CHECK_NUMBER(tally->without_dump, 0);
    CHECK(tally->complete >= complete);
    CHECK_NUMBER(tally->complete + tally->truncated, samples);
    CHECK_NUMBER(tally->other, 0);
    CHECK_NUMBER(tally->wrong_missing, 0);
    CHECK_NUMBER(tally->other_root, 0);
}

static void check_plain(const char *name, unsigned int samples, unsigned int complete,
                        unsigned int at_cublas)
{
    static struct capture capture;
    capture = (struct capture){0};
    read_capture(&capture, name, false);
    check_states(name, &capture.tally, samples, complete);
    CHECK(!at_cublas || capture.tally.at_cublas == at_cublas);
    release(&capture);
}

static void check_trampolines(const char *name, unsigned int samples, unsigned int complete,
                              unsigned int evals)
{
    static struct capture capture;
    static const char *const files[] = {"spy.raw", "spy-gil.raw", "spy-idle.raw"};
    const struct tally *tally = &capture.tally;
    capture = (struct capture){0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        learn(&capture, name, files[i]);
    read_capture(&capture, name, true);
    check_states(name, tally, samples, complete);
    printf("%s: %u of %u evaluation frames have a trampoline for caller, %u of %u trampolines call "
           "one or are the leaf; Thread._bootstrap is outermost in %u of %u; %.3f %% of adjacent "
           "pairs are in py-spy's files (%.1f %% turned round)\n",
           name, tally->evals_called, tally->evals, tally->python_calling, tally->python,
           tally->bootstrap, tally->stacks_with_python,
           (double)tally->pairs_seen * 100 / (double)tally->pairs,
           (double)tally->turned_seen * 100 / (double)tally->pairs);
    CHECK(tally->evals >= evals);
    CHECK_NUMBER(tally->evals_called, tally->evals);
    CHECK_NUMBER(tally->python_calling, tally->python);
    CHECK_NUMBER(tally->bootstrap, tally->stacks_with_python);
    CHECK(tally->pairs > 0 && tally->pairs_seen >= tally->pairs / 100 * 99);
    CHECK(tally->turned_seen < tally->pairs / 100 * 10);
    release(&capture);
}

int main(void)
{
    if (!recorded_available()) {
        SKIP("the captures and their unpacked libraries are not here");
        return check_result();
    }
    /* Samples: perf's own count. Complete, evaluation frames and stacks that end in cuBLAS: what a
     * prototype with libdw's rules found; 0: it did not count there. */
    check_plain("gil-convoy", 702, 650, 0);
    check_plain("launch-queue", 318, 159, 120);
    check_trampolines("trampoline", 687, 639, 6248);
    check_plain("gil-convoy-64k", 2383, 2254, 0);
    check_plain("launch-queue-64k", 2023, 1707, 0);
    check_trampolines("trampoline-64k", 2361, 2244, 0);
    check_plain("dispatch", 797, 709, 0);
    check_plain("sync", 797, 796, 0);
    return check_result();
}
