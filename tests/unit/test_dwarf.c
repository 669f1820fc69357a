/* SPDX-License-Identifier: MIT
 *
 * Inlined functions and lines against binutils: a small program is compiled with what is installed,
 * and at every byte of its code all levels must have the names, files and lines that addr2line
 * prints. addr2line is asked about a build with DWARF 4, which binutils 2.40 knows best: it takes no
 * inlined functions from clang's DWARF 5 and none from .dwo files. The form of debug information
 * does not change the code, which is checked.
 */
#include "check.h"

#include "scratch.h"

#include "base/input.h"
#include "base/memory.h"
#include "image/dwarf.h"

#define PROGRAM "inlined"
#define TRUTH   "truth"
#define MAX     100000

struct comparison {
    struct ff_dwarf_answer answer;
    uint32_t count, equal, levels, deepest, different;
};

/* Both sides print the path as they join it; its last part is what they must agree on. */
static bool same_file(const char *ours, struct ff_text theirs)
{
    return ff_text_equal(ff_text_base_name(ff_text(ours ? ours : "??")), ff_text_base_name(theirs));
}

/* "main.cc:12 (discriminator 3)"; "?" for no line. */
static bool same_line(const struct ff_dwarf_level *level, struct ff_text text)
{
    uint64_t line = 0;
    ptrdiff_t blank = ff_text_find_text(text, FF_TEXT(" (discriminator"));
    if (blank >= 0)
        text = ff_text_slice(text, 0, (size_t)blank);
    ptrdiff_t colon = ff_text_find_last(text, ':');
    if (colon < 0)
        return false;
    ff_text_decimal(ff_text_from(text, (size_t)colon + 1), &line);
    return same_file(level->file, ff_text_slice(text, 0, (size_t)colon)) && line == level->line;
}

/* A function without a linkage name is called by the symbol at the place in binutils, at every level
 * of it: OWN. */
static bool same_name(const struct ff_dwarf_level *level, struct ff_text name, struct ff_text own)
{
    struct ff_text ours = level->name ? ff_text(level->name) : FF_TEXT("");
    return ff_text_equal(ours, name) ||
           (!ff_text_starts(ours, FF_TEXT("_Z")) && ff_text_equal(name, own));
}

static void compare(struct comparison *all, uint32_t place, struct ff_text *lines, uint32_t count)
{
    uint32_t known = all->answer.counts[place];
    const struct ff_dwarf_level *levels = all->answer.levels + all->answer.first[place];
    bool equal = count == 2 * known;
    /* Code without debug information has one level there, from the symbol table. */
    if (!known)
        equal = count == 2 && ff_text_ends(lines[1], FF_TEXT(":?"));
    for (uint32_t i = 0; equal && i < known; i++)
        equal = same_name(&levels[known - 1 - i], lines[2 * i], lines[count - 2]) &&
                same_line(&levels[known - 1 - i], lines[2 * i + 1]);
    all->equal += equal;
    all->levels += known;
    all->deepest = known > all->deepest ? known : all->deepest;
    if (equal || all->different++ >= 5)
        return;
    fprintf(stderr, "place %u:\n", (unsigned int)place);
    for (uint32_t i = 0; i < known; i++)
        fprintf(stderr, "    ours %s %s:%u\n", levels[known - 1 - i].name,
                levels[known - 1 - i].file, (unsigned int)levels[known - 1 - i].line);
    for (uint32_t i = 0; i + 1 < count; i += 2)
        fprintf(stderr, "    addr2line %.*s %.*s\n", FF_TEXT_ARGS(lines[i]),
                FF_TEXT_ARGS(lines[i + 1]));
}

/* Reads `addr2line -a -f -i`: after each address pairs of lines, innermost first. */
static void compare_text(struct comparison *all, struct ff_text text)
{
    struct ff_text lines[256];
    uint32_t used = 0, place = 0;
    ff_text_cut(&text, '\n');
    while (text.at) {
        struct ff_text line = ff_text_cut(&text, '\n');
        bool next = ff_text_starts(line, FF_TEXT("0x")) || !line.size;
        if (!next && used < 256)
            lines[used++] = line;
        if (next && place < all->count)
            compare(all, place++, lines, used);
        if (next)
            used = 0;
    }
    CHECK_NUMBER(place, all->count);
}

static bool ask_addr2line(struct comparison *all, const uint64_t *places)
{
    struct ff_input input;
    struct ff_error error = {0};
    struct ff_text text;
    FILE *list = fopen("places", "w");
    for (uint32_t i = 0; list && i < all->count; i++)
        fprintf(list, "%llx\n", (unsigned long long)places[i]);
    if (!list || fclose(list) != 0 ||
        system("addr2line -a -f -i -e " TRUTH " <places >lines") != 0 ||
        ff_input_open(&input, "lines", &error) != FF_OK)
        return false;
    CHECK(ff_input_load(&input, &error) == FF_OK);
    CHECK(ff_input_peek(&input, (size_t)input.size, &text, &error) == FF_OK);
    compare_text(all, text);
    ff_input_close(&input);
    return true;
}

static bool same_code(const struct ff_elf *elf)
{
    struct ff_error error = {0};
    struct ff_elf *truth;
    bool same = ff_elf_open(&truth, TRUTH, &error) == FF_OK;
    if (same) {
        struct ff_section ours = ff_elf_section(elf, ".text");
        struct ff_section theirs = ff_elf_section(truth, ".text");
        same =
            ours.module_offset == theirs.module_offset && ff_text_equal(ours.bytes, theirs.bytes);
    }
    ff_elf_close(truth);
    return same;
}

static void check_program(const char *name)
{
    static uint64_t places[MAX];
    struct ff_error error = {0};
    struct ff_elf *elf;
    struct comparison all = {0};
    CHECK(ff_elf_open(&elf, PROGRAM, &error) == FF_OK);
    CHECK(same_code(elf));
    struct ff_section text = ff_elf_section(elf, ".text");
    for (; all.count < text.bytes.size && all.count < MAX; all.count++)
        places[all.count] = text.module_offset + all.count;
    struct ff_dwarf *dwarf = ff_dwarf_open(elf);
    CHECK(dwarf != NULL);
    if (dwarf && ff_dwarf_find(dwarf, places, all.count, &all.answer)) {
        CHECK(!all.answer.damaged);
        CHECK(ask_addr2line(&all, places));
        printf("%s: %u places, %u levels, at most %u; %u differ\n", name, (unsigned int)all.count,
               (unsigned int)all.levels, (unsigned int)all.deepest, (unsigned int)all.different);
        CHECK(all.deepest >= 13);
        CHECK(all.levels > all.count);
        CHECK_NUMBER(all.different, 0);
    }
    ff_dwarf_answer_release(&all.answer);
    ff_dwarf_close(dwarf);
    ff_elf_close(elf);
}

static bool compile(const char *compiler, const char *form, const char *output)
{
    char command[512];
    snprintf(command, sizeof command, "%s -g %s inlined.cc -o %s 2>/dev/null", compiler, form,
             output);
    return system(command) == 0;
}

int main(void)
{
    static const char *const compilers[] = {"g++ -O2", "g++ -O3", "clang++ -O2"};
    static const char *const forms[] = {"-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gz",
                                        "-gdwarf-4 -gsplit-dwarf", "-gdwarf-5 -gsplit-dwarf"};
    struct scratch scratch;
    CHECK(scratch_enter(&scratch, "tests/data/inlined.cc"));
    if (system("command -v addr2line >/dev/null") != 0) {
        SKIP("no addr2line here");
        scratch_leave(&scratch);
        return check_result();
    }
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        if (!compile(compilers[i], forms[0], TRUTH)) {
            SKIP(compilers[i]);
            continue;
        }
        for (size_t j = 0; j < sizeof forms / sizeof *forms; j++) {
            char name[128];
            snprintf(name, sizeof name, "%s %s", compilers[i], forms[j]);
            if (compile(compilers[i], forms[j], PROGRAM))
                check_program(name);
            else
                SKIP(name);
        }
    }
    scratch_leave(&scratch);
    return check_result();
}
