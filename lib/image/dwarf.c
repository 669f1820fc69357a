/* SPDX-License-Identifier: MIT
 *
 * Places to functions and lines: which unit holds which place, then unit by unit its scopes and its
 * line table. The hard thing is libdw: .debug_aranges alone misses what clang compiled, and when
 * memory is out libdw calls a handler that must not return, so work runs under a long jump.
 */
#include "image/dwarf.h"
#include "base/memory.h"
#include "image/cover.h"
#include "image/dwarf_scopes.h"

#include <dwarf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <unistd.h>

/* Steps of a search that any file may cost, however small. */
#define STEPS ((uint64_t)1 << 20)

struct ff_dwarf {
    int descriptor;
    Elf *elf; /* opened anew: libdw unpacks compressed sections in place */
    Dwarf *handle;
    uint64_t size; /* bytes of the file */
    Dwarf_Die *units;
    uint32_t unit_count, unit_capacity;
    bool failed; /* memory ran out */
};

/* Everything that a long jump must not lose. */
struct search {
    struct ff_dwarf *dwarf;
    struct ff_dwarf_answer *answer;
    struct ff_cover cover; /* owners: unit number + 1 */
    bool *listed;          /* by unit: .debug_aranges has it */
    uint32_t *starts;      /* by unit number + 1: its first place in ORDER */
    uint32_t *order;       /* places by unit, ascending within one */
    uint64_t *places;      /* in that order */
    uint32_t *claims;
    struct ff_scopes scopes;
};

/* libdw's handler gets no argument: the place to jump to has to be known by the thread. */
static _Thread_local jmp_buf *escape;

static _Noreturn void out_of_memory(void)
{
    longjmp(*escape, 1);
}

static bool has_debug_info(const struct ff_elf *elf)
{
    return ff_elf_section(elf, ".debug_info").bytes.size ||
           ff_elf_section(elf, ".zdebug_info").bytes.size;
}

struct ff_dwarf *ff_dwarf_open(const struct ff_elf *elf)
{
    if (!elf->mapped || elf->type == ET_REL || !has_debug_info(elf))
        return NULL;
    struct ff_dwarf *dwarf = ff_alloc(1, sizeof *dwarf);
    if (!dwarf)
        return NULL;
    dwarf->size = elf->bytes.size;
    dwarf->descriptor = open(elf->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (dwarf->descriptor >= 0)
        dwarf->elf = elf_begin(dwarf->descriptor, ELF_C_READ_MMAP_PRIVATE, NULL);
    if (dwarf->elf)
        dwarf->handle = dwarf_begin_elf(dwarf->elf, DWARF_C_READ, NULL);
    if (dwarf->handle) {
        dwarf_new_oom_handler(dwarf->handle, out_of_memory);
        return dwarf;
    }
    ff_dwarf_close(dwarf);
    return NULL;
}

void ff_dwarf_close(struct ff_dwarf *dwarf)
{
    if (!dwarf)
        return;
    if (dwarf->handle)
        dwarf_end(dwarf->handle);
    if (dwarf->elf)
        elf_end(dwarf->elf);
    if (dwarf->descriptor >= 0)
        close(dwarf->descriptor);
    ff_free(dwarf->units);
    ff_free(dwarf);
}

static void list_units(struct search *search)
{
    struct ff_dwarf *dwarf = search->dwarf;
    Dwarf_CU *unit = NULL, *next;
    Dwarf_Die die;
    uint8_t type;
    int status;
    dwarf->unit_count = 0;
    while ((status = dwarf_get_units(dwarf->handle, unit, &next, NULL, &type, &die, NULL)) == 0) {
        unit = next;
        if (type == DW_UT_type || type == DW_UT_split_type)
            continue;
        dwarf->units = ff_grow(dwarf->units, &dwarf->unit_capacity, (uint64_t)dwarf->unit_count + 1,
                               sizeof *dwarf->units, &dwarf->failed);
        if (dwarf->unit_count < dwarf->unit_capacity)
            dwarf->units[dwarf->unit_count++] = die;
    }
    search->answer->damaged |= status < 0;
}

/* The unit with this offset of its DIE; unit_count when there is none. */
static uint32_t unit_at(const struct ff_dwarf *dwarf, Dwarf_Off offset)
{
    uint32_t low = 0, high = dwarf->unit_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (dwarf_dieoffset(&dwarf->units[middle]) < offset)
            low = middle + 1;
        else
            high = middle;
    }
    bool equal = low < dwarf->unit_count && dwarf_dieoffset(&dwarf->units[low]) == offset;
    return equal ? low : dwarf->unit_count;
}

/* Code that a linker dropped is left at 0 or at the end of the address space. */
static void paint(struct search *search, uint64_t start, uint64_t end, uint32_t unit)
{
    if (start && start < end)
        ff_cover_paint(&search->cover, start, end - start, unit + 1);
}

static void paint_aranges(struct search *search)
{
    struct ff_dwarf *dwarf = search->dwarf;
    Dwarf_Aranges *aranges;
    size_t count;
    if (dwarf_getaranges(dwarf->handle, &aranges, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Addr start;
        Dwarf_Word size;
        Dwarf_Off offset;
        if (dwarf_getarangeinfo(dwarf_onearange(aranges, i), &start, &size, &offset) != 0)
            continue;
        uint32_t unit = unit_at(dwarf, offset);
        if (unit == dwarf->unit_count || size > UINT64_MAX - start)
            continue;
        search->listed[unit] = true;
        paint(search, start, start + size, unit);
    }
}

/* Units that are not in .debug_aranges say in their DIE where their code is. */
static void paint_unlisted(struct search *search)
{
    struct ff_dwarf *dwarf = search->dwarf;
    for (uint32_t i = 0; i < dwarf->unit_count; i++) {
        Dwarf_Addr base, start, end;
        ptrdiff_t offset = 0;
        while (!search->listed[i] &&
               (offset = dwarf_ranges(&dwarf->units[i], offset, &base, &start, &end)) > 0)
            paint(search, start, end, i);
        search->answer->damaged |= offset < 0;
    }
}

static void add_level(struct search *search, uint32_t place, struct ff_dwarf_level level)
{
    struct ff_dwarf_answer *answer = search->answer;
    answer->levels =
        ff_grow(answer->levels, &answer->level_capacity, (uint64_t)answer->level_count + 1,
                sizeof level, &search->dwarf->failed);
    if (answer->level_count == answer->level_capacity)
        return;
    if (!answer->counts[place]++)
        answer->first[place] = answer->level_count;
    answer->levels[answer->level_count++] = level;
}

/* The row of a line table that holds a place. dwarf_getsrc_die would do, but it takes the end of the
 * last sequence for granted and ends the process without it. */
static struct ff_dwarf_level line_at(Dwarf_Lines *lines, size_t count, uint64_t place)
{
    size_t low = 0, high = count;
    Dwarf_Addr address;
    bool ends = true;
    int line = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &address) == 0 && address <= place)
            low = middle + 1;
        else
            high = middle;
    }
    Dwarf_Line *row = low ? dwarf_onesrcline(lines, low - 1) : NULL;
    if (!row || dwarf_lineendsequence(row, &ends) != 0 || ends)
        return (struct ff_dwarf_level){0};
    dwarf_lineno(row, &line);
    return (struct ff_dwarf_level){NULL, dwarf_linesrc(row, NULL, NULL), (uint32_t)line};
}

/* The levels of one place: each function goes on where it calls the next, the last at the place. */
static void add_place(struct search *search, const struct ff_scope_hit *hits, uint32_t count,
                      Dwarf_Files *files, uint32_t place, struct ff_dwarf_level line)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        const struct ff_scope_hit *callee = &hits[i + 1];
        const char *file = files ? dwarf_filesrc(files, callee->call_file, NULL, NULL) : NULL;
        add_level(search, place, (struct ff_dwarf_level){hits[i].name, file, callee->call_line});
    }
    if (count)
        line.name = hits[count - 1].name;
    if (count || line.file)
        add_level(search, place, line);
}

static void ask_unit(struct search *search, uint32_t unit, uint32_t first, uint32_t count)
{
    struct ff_scopes *scopes = &search->scopes;
    Dwarf_Die *die = &search->dwarf->units[unit], split = {0}, *tree = die;
    Dwarf_Lines *lines = NULL;
    Dwarf_Files *files = NULL;
    size_t line_count = 0, file_count;
    /* Of a unit whose tree stands in a .dwo file, the lines stay here. */
    if (dwarf_cu_info(die->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && split.addr)
        tree = &split;
    scopes->places = search->places + first;
    scopes->count = count;
    ff_scopes_walk(scopes, tree);
    if (dwarf_getsrclines(die, &lines, &line_count) != 0) {
        line_count = 0;
        search->answer->damaged |= dwarf_hasattr(die, DW_AT_stmt_list);
    }
    if (dwarf_getsrcfiles(tree, &files, &file_count) != 0)
        files = NULL;
    uint32_t hit = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t start = hit;
        while (hit < scopes->hit_count && scopes->hits[hit].place == i)
            hit++;
        struct ff_dwarf_level line = line_at(lines, line_count, scopes->places[i]);
        add_place(search, scopes->hits + start, hit - start, files, search->order[first + i], line);
    }
}

/* Brings the places into the order of their units: those of unit N are order[starts[N + 1] ..
 * starts[N + 2]). Those in no unit are left out. */
static void group(struct search *search, uint32_t *starts)
{
    const struct ff_cover *cover = &search->cover;
    uint32_t units = search->dwarf->unit_count;
    for (uint32_t i = 0; i < cover->count; i++)
        starts[cover->owners[i]]++;
    starts[0] = 0;
    for (uint32_t owner = 1; owner <= units; owner++)
        starts[owner] += starts[owner - 1];
    starts[units + 1] = starts[units];
    for (uint32_t i = cover->count; i-- > 0;) {
        uint32_t owner = cover->owners[i];
        if (!owner)
            continue;
        search->order[--starts[owner]] = i;
        search->places[starts[owner]] = cover->places[i];
    }
}

static void ask_units(struct search *search)
{
    uint32_t units = search->dwarf->unit_count;
    search->listed = ff_alloc(units, sizeof *search->listed);
    search->starts = ff_alloc((size_t)units + 2, sizeof *search->starts);
    if (!search->listed || !search->starts) {
        search->dwarf->failed = true;
        return;
    }
    paint_aranges(search);
    paint_unlisted(search);
    group(search, search->starts);
    for (uint32_t i = 0; i < units; i++) {
        uint32_t first = search->starts[i + 1], count = search->starts[i + 2] - first;
        if (count)
            ask_unit(search, i, first, count);
    }
}

/* Runs what calls libdw; what it allocates hangs on SEARCH, so that a jump loses nothing. */
static void search_guarded(struct search *search)
{
    jmp_buf here, *outer = escape;
    escape = &here;
    if (setjmp(here) == 0) {
        list_units(search);
        ask_units(search);
    } else {
        search->dwarf->failed = true;
    }
    escape = outer;
}

static bool search_init(struct search *search, const uint64_t *places, uint32_t count)
{
    search->order = ff_alloc(count, sizeof *search->order);
    search->places = ff_alloc(count, sizeof *search->places);
    search->scopes.claims = ff_alloc(count, sizeof *search->scopes.claims);
    search->scopes.budget = STEPS + 16 * search->dwarf->size + (uint64_t)4096 * count;
    search->answer->first = ff_alloc(count, sizeof *search->answer->first);
    search->answer->counts = ff_alloc(count, sizeof *search->answer->counts);
    return ff_cover_init(&search->cover, places, count) && search->order && search->places &&
           search->scopes.claims && search->answer->first && search->answer->counts;
}

bool ff_dwarf_find(struct ff_dwarf *dwarf, const uint64_t *places, uint32_t count,
                   struct ff_dwarf_answer *answer)
{
    struct search search = {.dwarf = dwarf, .answer = answer};
    *answer = (struct ff_dwarf_answer){0};
    if (search_init(&search, places, count))
        search_guarded(&search);
    else
        dwarf->failed = true;
    dwarf->failed |= search.scopes.failed;
    answer->damaged |= search.scopes.damaged;
    ff_cover_release(&search.cover);
    ff_free(search.listed);
    ff_free(search.starts);
    ff_free(search.order);
    ff_free(search.places);
    ff_free(search.scopes.claims);
    ff_free(search.scopes.hits);
    if (dwarf->failed)
        ff_dwarf_answer_release(answer);
    return !dwarf->failed;
}

void ff_dwarf_answer_release(struct ff_dwarf_answer *answer)
{
    ff_free(answer->levels);
    ff_free(answer->first);
    ff_free(answer->counts);
    *answer = (struct ff_dwarf_answer){0};
}
