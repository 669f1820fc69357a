/* SPDX-License-Identifier: MIT
 *
 * Who may lend to whom, by construction: two recordings of processes whose mappings are given.
 */
#include "check.h"

#include "base/memory.h"
#include "read/perf_lender.h"

struct mapping {
    const char *path;
    uint64_t start, file_offset;
    bool data;
};

/* One process of the program, as a run with random addresses may have it. */
static const struct mapping run[] = {{"/bin/program", 0x400000, 0x1000, false},
                                     {"/lib/libc.so", 0x7f0000100000, 0x2000, false},
                                     {"/lib/libc.so", 0x7f0000200000, 0x9000, true},
                                     {"[vdso]", 0x7ffd00010000, 0, false},
                                     {0}};
/* The same with a library more, and data elsewhere. */
static const struct mapping run_later[] = {
    {"/bin/program", 0x400000, 0x1000, false},      {"/lib/libc.so", 0x7f0000100000, 0x2000, false},
    {"/lib/libc.so", 0x7f0000300000, 0x9000, true}, {"/lib/libm.so", 0x7f0000500000, 0, false},
    {"[vdso]", 0x7ffd00010000, 0, false},           {0}};
static const struct mapping other_run[] = {{"/bin/program", 0x400000, 0x1000, false},
                                           {"/lib/libc.so", 0x7f0000700000, 0x2000, false},
                                           {"[vdso]", 0x7ffd00090000, 0, false},
                                           {0}};
static const struct mapping only_program[] = {{"/bin/program", 0x400000, 0x1000, false}, {0}};

static uint32_t module_of(struct ff_profile *profile, const char *path)
{
    uint8_t kind = path[0] == '[' ? FF_MODULE_VDSO : FF_MODULE_ELF;
    return ff_module_add(
        profile,
        (struct ff_module){.kind = kind, .path = ff_profile_intern(profile, ff_text(path))});
}

static void map_all(struct ff_perf_tasks *tasks, uint32_t pid, const struct mapping *mapping)
{
    for (; mapping->path; mapping++) {
        uint32_t module = module_of(tasks->profile, mapping->path);
        ff_space_map(&ff_perf_tasks_process(tasks, pid)->space,
                     (struct ff_span){.start = mapping->start,
                                      .end = mapping->start + 0x1000,
                                      .file_offset = mapping->file_offset,
                                      .module = module,
                                      .data = mapping->data});
    }
}

/* A recording that was read already: one complete stack, work (0x30) in the library <- main (0x10). */
static struct ff_perf_lender *make_lender(uint32_t pid, uint32_t life,
                                          const struct mapping *mappings)
{
    struct ff_perf_lender *lender = ff_perf_lender_new("deep.data", NULL);
    struct ff_profile *profile = lender->profile = ff_profile_new();
    module_of(profile, "/lib/libfirst.so"); /* so that modules have other numbers here */
    ff_perf_tasks_init(&lender->tasks, profile, ff_source_add(profile, (struct ff_source){0}));
    ff_stitcher_init(&lender->stitcher, profile);
    map_all(&lender->tasks, pid, mappings);
    struct ff_activation activations[] = {{.module = module_of(profile, "/lib/libc.so"),
                                           .function = 0x30,
                                           .has_cfa = true,
                                           .cfa = 900},
                                          {.module = module_of(profile, "/bin/program"),
                                           .function = 0x10,
                                           .has_cfa = true,
                                           .cfa = 950}};
    ff_stitcher_offer(&lender->stitcher, (struct ff_task){pid, pid + 1, life},
                      &(struct ff_unwound){.activations = activations, .activation_count = 2});
    return lender;
}

/* Lends to process 100 of RUN, which has a stack that was cut at work; the message, or the stack's root. */
static const char *lend(uint32_t pid, uint32_t life, const struct mapping *mappings,
                        enum ff_status expected, char text[512])
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_perf_lender *lender = make_lender(pid, life, mappings);
    struct ff_perf_tasks tasks;
    struct ff_stitcher stitcher;
    struct ff_error error = {0};
    uint64_t count = 0;
    struct ff_source source = {.name = ff_profile_intern(profile, FF_TEXT("long.data"))};
    ff_perf_tasks_init(&tasks, profile, ff_source_add(profile, source));
    ff_stitcher_init(&stitcher, profile);
    ff_perf_tasks_comm(&tasks, 100, 100, FF_TEXT("execed"), true); /* only this one recorded it */
    map_all(&tasks, 100, run);
    struct ff_activation cut = {.module = module_of(profile, "/lib/libc.so"),
                                .function = 0x30,
                                .has_cfa = true,
                                .cfa = 900};
    struct ff_sample sample = {.thread = ff_perf_tasks_row(&tasks, 100, 101, true),
                               .state = FF_STATE_TRUNCATED,
                               .count = FF_COUNT_ONE};
    ff_stitcher_hold(&stitcher, (struct ff_task){100, 101, 1}, &sample,
                     &(struct ff_unwound){.activations = &cut, .activation_count = 1});
    CHECK_NUMBER(ff_perf_lender_lend(lender, &tasks, &stitcher, &count, &error), expected);
    CHECK(lender->used);
    CHECK_NUMBER(count, expected == FF_OK);
    ff_stitcher_finish(&stitcher);
    const struct ff_sample *row = &profile->samples.at[1];
    const struct ff_frame *frame = &profile->frames.at[profile->stacks.at[row->stack].frame];
    snprintf(text, 512, "%s", error.message);
    if (row->state == FF_STATE_STITCHED)
        snprintf(text, 512, "%s+0x%llx", ff_module_name(profile, frame->module).at,
                 (unsigned long long)frame->place);
    ff_stitcher_release(&stitcher);
    ff_perf_tasks_release(&tasks);
    ff_profile_free(profile);
    ff_perf_lender_free(lender);
    return text;
}

int main(void)
{
    char text[512];
    CHECK_TEXT(ff_text(lend(100, 0, run, FF_OK, text)), "program+0x10");
    CHECK_TEXT(ff_text(lend(100, 0, run_later, FF_OK, text)), "program+0x10");
    CHECK_TEXT(
        ff_text(lend(100, 0, other_run, FF_USAGE, text)),
        "deep.data: found another process 100 than in long.data: libc.so is mapped at "
        "0x7f0000700000, there at 0x7f0000100000; donors must be recorded from the same process");
    CHECK_TEXT(ff_text(lend(100, 0, only_program, FF_USAGE, text)),
               "deep.data: process 100: found 1 of its executable mappings also in long.data, "
               "expected at least 2 to prove that it is the same process");
    CHECK_TEXT(
        ff_text(lend(200, 0, run, FF_USAGE, text)),
        "deep.data: found no process that is also in long.data; donors must be recorded from the "
        "same process");
    CHECK_TEXT(
        ff_text(lend(100, 1, run, FF_USAGE, text)), /* of a life that is not the last */
        "deep.data: found no process that is also in long.data; donors must be recorded from the "
        "same process");
    return check_result();
}
