/* SPDX-License-Identifier: MIT
 *
 * Unwound user stacks against what `perf script --no-inline` printed on the machine that recorded:
 * sample by sample in the order of time, thread by thread, address by address. Recordings with 16 KB
 dumps; perf unwound them itself, with the machine's own files.
 */
#include "perf_text.h"
#include "recorded.h"

#define FRAME_LIMIT 1024

struct comparison {
    struct ff_text text; /* what is left of perf's */
    struct frame theirs[FRAME_LIMIT];
    struct recorded_frame ours[FRAME_LIMIT];
    uint32_t their_count, our_count;
    unsigned int samples, without_dump, equal, prefix, complete, frames, different, invented;
};

static bool is_kernel(const struct frame *frame)
{
    return frame->address >> 47 == UINT64_C(0x1ffff);
}

/* The next sample's user frames; false at the end of the text. perf's last line of some stacks is
 * -1 in no module: the walk went on behind the outermost frame. */
static bool next_theirs(struct comparison *comparison, uint64_t *tid)
{
    struct ff_text comm, line = {0};
    while (comparison->text.size && !line.size)
        line = ff_text_cut(&comparison->text, '\n');
    if (!line.size)
        return false;
    CHECK(parse_head(line, &comm, tid));
    comparison->their_count = 0;
    while (comparison->text.size && *comparison->text.at == '\t') {
        struct frame *frame = &comparison->theirs[comparison->their_count];
        bool parsed = parse_frame(ff_text_cut(&comparison->text, '\n'), frame);
        if (!parsed)
            CHECK(!"a line of perf's text that is no frame");
        if (is_kernel(frame) && !ff_text_equal(frame->module, FF_TEXT("[unknown]")))
            continue;
        if (frame->address == UINT64_MAX && frame->module.size)
            comparison->invented++;
        else if (comparison->their_count < FRAME_LIMIT - 1)
            comparison->their_count++;
    }
    return true;
}

static bool same_frame(const struct recorded *recorded, const struct recorded_frame *ours,
                       const struct frame *theirs)
{
    const struct ff_module *module = &recorded->profile->modules.at[ours->module];
    bool same = ours->place == theirs->address;
    if (!ours->module)
        return same && ff_text_equal(theirs->module, FF_TEXT("[unknown]"));
    if (module->kind == FF_MODULE_PERF_MAP)
        return same && ff_text_starts(theirs->module, FF_TEXT("/tmp/perf-"));
    return same && ff_text_equal(theirs->module, ours->path);
}

static void show(const struct comparison *comparison, uint32_t at)
{
    fprintf(stderr, "  sample %u, frame %u: perf has %u frames, ours %u", comparison->samples, at,
            comparison->their_count, comparison->our_count);
    if (at < comparison->their_count)
        fprintf(stderr, "; perf %llx (%.*s)", (unsigned long long)comparison->theirs[at].address,
                FF_TEXT_ARGS(comparison->theirs[at].module));
    if (at < comparison->our_count)
        fprintf(stderr, "; ours %llx (%.*s)", (unsigned long long)comparison->ours[at].place,
                FF_TEXT_ARGS(comparison->ours[at].path));
    fprintf(stderr, "\n");
}

static void compare_sample(struct recorded *recorded, void *context)
{
    struct comparison *comparison = context;
    uint64_t tid = 0;
    uint32_t same = 0;
    comparison->samples++;
    CHECK(next_theirs(comparison, &tid));
    CHECK_NUMBER(recorded->sample.tid, tid);
    comparison->without_dump += !recorded->has_dump;
    comparison->complete += recorded->has_dump && recorded->unwound.state == FF_STATE_COMPLETE;
    comparison->our_count = recorded_frames(recorded, comparison->ours, FRAME_LIMIT);
    comparison->frames += comparison->our_count;
    while (same < comparison->our_count && same < comparison->their_count &&
           same_frame(recorded, &comparison->ours[same], &comparison->theirs[same]))
        same++;
    if (same == comparison->our_count && same == comparison->their_count)
        comparison->equal++;
    else if (same == comparison->their_count)
        comparison->prefix++;
    else if (comparison->different++ < 5)
        show(comparison, same);
}

static void compare_recording(const char *name, const char *map, struct comparison *comparison)
{
    char path[512], below[128];
    struct ff_input input;
    struct ff_error error = {0};
    struct recorded recorded = {.each = compare_sample, .context = comparison};
    const char *const symbols[] = {LIBRARIES, map, NULL};
    *comparison = (struct comparison){0};
    snprintf(below, sizeof below, "captures/%s/dwarf.script.txt", name);
    CHECK(ff_input_open(&input, shared_path(path, sizeof path, below), &error) == FF_OK);
    CHECK(ff_input_peek(&input, (size_t)input.size, &comparison->text, &error) == FF_OK);
    snprintf(below, sizeof below, "captures/%s/dwarf.data", name);
    recorded_read(&recorded, below, symbols);
    CHECK_NUMBER(ff_text_trim(comparison->text).size, 0);
    CHECK_NUMBER(comparison->different, 0);
    printf("%s: %u samples, %u frames: %u equal perf's, %u go on where perf ends; %u complete; "
           "%u of perf's end with -1\n",
           name, comparison->samples, comparison->frames, comparison->equal, comparison->prefix,
           comparison->complete, comparison->invented);
    recorded_release(&recorded);
    ff_input_close(&input);
}

int main(void)
{
    char map[512];
    static struct comparison comparison;
    if (!recorded_available()) {
        SKIP("the captures and their unpacked libraries are not here");
        return check_result();
    }
    compare_recording("gil-convoy", NULL, &comparison);
    CHECK_NUMBER(comparison.samples, 702);
    CHECK_NUMBER(comparison.equal, 702);
    compare_recording("launch-queue", NULL, &comparison);
    CHECK_NUMBER(comparison.samples, 318);
    CHECK_NUMBER(comparison.equal, 318);
    compare_recording("trampoline", shared_path(map, sizeof map, "captures/trampoline/perf.map"),
                      &comparison);
    CHECK_NUMBER(comparison.samples, 687);
    CHECK_NUMBER(comparison.equal + comparison.prefix, 687);
    return check_result();
}
