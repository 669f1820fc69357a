/* SPDX-License-Identifier: MIT
 *
 * Inlined functions in stacks. The program is the one of test_dwarf; which functions stand where is
 * known from its source: work() calls, all inlined, Deep<12>::go to Deep<1>::go, and Deep<0>::go.
 */
#include "check.h"

#include "scratch.h"

#include "base/memory.h"
#include "image/dwarf.h"
#include "symbolize/inline.h"
#include "symbolize/symbolize.h"

#define PROGRAM "stacks"

struct fixture {
    struct ff_profile *profile;
    struct ff_images *images;
    uint32_t module, event, thread;
    uint64_t deep, plain; /* file offsets: in Deep<0>::go inlined; where nothing is inlined */
};

/* Finds the two places: the first with 14 levels, the first of main with one. */
static bool find_places(struct fixture *fixture)
{
    struct ff_error error = {0};
    struct ff_elf *elf;
    struct ff_dwarf_answer answer = {0};
    CHECK(ff_elf_open(&elf, PROGRAM, &error) == FF_OK);
    struct ff_section text = ff_elf_section(elf, ".text");
    uint32_t count = (uint32_t)text.bytes.size;
    uint64_t *places = ff_alloc(count, sizeof *places);
    for (uint32_t i = 0; i < count; i++)
        places[i] = text.module_offset + i;
    struct ff_dwarf *dwarf = ff_dwarf_open(elf);
    bool found = dwarf && ff_dwarf_find(dwarf, places, count, &answer);
    for (uint32_t i = 0; found && i < count; i++) {
        const struct ff_dwarf_level *outer = answer.levels + answer.first[i];
        if (answer.counts[i] == 14 && strstr(outer->name, "work") && !fixture->deep)
            ff_elf_file_offset(elf, places[i], &fixture->deep);
        if (answer.counts[i] == 1 && outer->name && strcmp(outer->name, "main") == 0 &&
            !fixture->plain)
            ff_elf_file_offset(elf, places[i], &fixture->plain);
    }
    ff_dwarf_answer_release(&answer);
    ff_dwarf_close(dwarf);
    ff_elf_close(elf);
    ff_free(places);
    return fixture->deep && fixture->plain;
}

static uint32_t frame_at(struct fixture *fixture, uint64_t place, enum ff_how how)
{
    return ff_frame_add(fixture->profile, (struct ff_frame){.kind = FF_FRAME_NATIVE,
                                                            .how = (uint8_t)how,
                                                            .module = fixture->module,
                                                            .place = place});
}

static void add_sample(struct fixture *fixture, uint32_t stack)
{
    ff_sample_add(fixture->profile, (struct ff_sample){.event = fixture->event,
                                                       .thread = fixture->thread,
                                                       .stack = stack,
                                                       .count = FF_COUNT_ONE,
                                                       .weight = 7});
}

static void make_profile(struct fixture *fixture)
{
    struct ff_profile *profile = fixture->profile = ff_profile_new();
    fixture->images = ff_images_new();
    CHECK(ff_images_add(fixture->images, PROGRAM) == FF_OK);
    uint32_t source = ff_source_add(profile, (struct ff_source){0});
    uint32_t process = ff_process_add(profile, (struct ff_process){.source = source, .pid = 1});
    fixture->thread = ff_thread_add(profile, (struct ff_thread){.process = process, .tid = 1});
    fixture->event = ff_event_add(profile, (struct ff_event){.source = source});
    fixture->module = ff_module_add(
        profile, (struct ff_module){.kind = FF_MODULE_ELF,
                                    .path = ff_profile_intern(profile, FF_TEXT("/bin/stacks"))});
    uint32_t plain = frame_at(fixture, fixture->plain, FF_HOW_RECORDED);
    uint32_t deep = frame_at(fixture, fixture->deep, FF_HOW_RECORDED);
    uint32_t stitched = frame_at(fixture, fixture->deep, FF_HOW_STITCHED);
    uint32_t root = ff_stack_push(profile, 0, plain);
    uint32_t above = ff_stack_push(profile, root, deep);
    add_sample(fixture, above);
    add_sample(fixture, ff_stack_push(profile, above, plain));
    add_sample(fixture, ff_stack_push(profile, root, stitched));
}

/* The stack of a sample row, outermost first, one name a line. */
static struct ff_text stack_text(struct fixture *fixture, uint32_t row, char *text, size_t size)
{
    struct ff_profile *profile = fixture->profile;
    uint32_t frames[64], depth = 0;
    size_t used = 0;
    for (uint32_t s = profile->samples.at[row].stack; s && depth < 64;
         s = profile->stacks.at[s].parent)
        frames[depth++] = profile->stacks.at[s].frame;
    while (depth-- > 0)
        used +=
            (size_t)snprintf(text + used, size - used, "%s ",
                             ff_profile_text(profile, ff_frame_name(profile, frames[depth])).at);
    return (struct ff_text){text, used};
}

#define DEEP                                                                                       \
    "work Deep<12>::go Deep<11>::go Deep<10>::go Deep<9>::go Deep<8>::go Deep<7>::go "             \
    "Deep<6>::go Deep<5>::go Deep<4>::go Deep<3>::go Deep<2>::go Deep<1>::go Deep<0>::go "

static void check_stacks(struct fixture *fixture)
{
    char text[2048];
    CHECK_NUMBER(fixture->profile->samples.count, 4);
    CHECK_TEXT(stack_text(fixture, 1, text, sizeof text), "main " DEEP);
    CHECK_TEXT(stack_text(fixture, 2, text, sizeof text), "main " DEEP "main ");
    CHECK_TEXT(stack_text(fixture, 3, text, sizeof text), "main work ");
}

static void check_lines(const struct ff_profile *profile, const struct fixture *fixture)
{
    uint32_t inlined = 0;
    for (uint32_t i = 1; i < profile->frames.count; i++) {
        const struct ff_frame *frame = &profile->frames.at[i];
        struct ff_text file = ff_profile_text(profile, frame->file);
        if (frame->how == FF_HOW_STITCHED)
            CHECK(!frame->file && !frame->line);
        else
            CHECK(ff_text_ends(file, FF_TEXT("inlined.cc")) && frame->line);
        if (frame->kind != FF_FRAME_INLINED)
            continue;
        inlined++;
        CHECK_NUMBER(frame->place, fixture->deep);
        CHECK_NUMBER(frame->module, fixture->module);
        /* Each Deep<N>::go but the last calls the next on line 10. */
        bool last = ff_text_equal(ff_profile_text(profile, frame->symbol), FF_TEXT("Deep<0>::go"));
        CHECK_NUMBER(frame->line, last ? 11 : 10);
    }
    CHECK_NUMBER(inlined, 13);
}

int main(void)
{
    struct fixture fixture = {0};
    struct scratch scratch;
    CHECK(scratch_enter(&scratch, "tests/data/inlined.cc"));
    if (system("g++ -O2 -g inlined.cc -o " PROGRAM " 2>/dev/null") != 0) {
        SKIP("no g++ here");
        scratch_leave(&scratch);
        return check_result();
    }
    CHECK(find_places(&fixture));
    make_profile(&fixture);
    CHECK(ff_symbolize(fixture.profile, fixture.images) == FF_OK);
    CHECK(ff_inline(fixture.profile, fixture.images, FF_INLINE_LINES | FF_INLINE_FRAMES) == FF_OK);
    check_stacks(&fixture);
    check_lines(fixture.profile, &fixture);
    /* Running again changes nothing. */
    uint32_t frames = fixture.profile->frames.count, stacks = fixture.profile->stacks.count;
    CHECK(ff_inline(fixture.profile, fixture.images, FF_INLINE_LINES | FF_INLINE_FRAMES) == FF_OK);
    check_stacks(&fixture);
    CHECK_NUMBER(fixture.profile->frames.count, frames);
    CHECK_NUMBER(fixture.profile->stacks.count, stacks);
    ff_images_free(fixture.images);
    ff_profile_free(fixture.profile);
    scratch_leave(&scratch);
    return check_result();
}
