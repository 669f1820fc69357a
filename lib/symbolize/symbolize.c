/* SPDX-License-Identifier: MIT
 *
 * Frames to names, module by module. The hard thing is to do little: frames are grouped by module
 * and sorted by place, each module is asked once for all its places, and a name is demangled once.
 */
#include "symbolize/symbolize.h"
#include "base/memory.h"
#include "image/name.h"
#include "image/places.h"
#include "profile/mapping.h"
#include "symbolize/recorded.h"

struct namer {
    struct ff_profile *profile;
    struct ff_images *images;
    struct ff_places places;
    struct ff_name name;
    uint64_t *occurrences;         /* by frame: in how many samples it stands, times how often */
    uint64_t no_symbols, no_range; /* occurrences of frames */
    uint32_t differs, not_verified, other_boot; /* modules */
};

/* Frames are counted as often as they stand in samples: a reader compares with samples. */
static bool count_occurrences(struct namer *namer)
{
    const struct ff_profile *profile = namer->profile;
    uint64_t *reached = ff_alloc(profile->stacks.count, sizeof *reached);
    namer->occurrences = ff_alloc(profile->frames.count, sizeof *namer->occurrences);
    bool ready = reached && namer->occurrences;
    for (uint32_t i = 1; ready && i < profile->samples.count; i++)
        reached[profile->samples.at[i].stack] += profile->samples.at[i].count / FF_COUNT_ONE;
    /* A caller's id is smaller than its callees'. */
    for (uint32_t i = profile->stacks.count; ready && i-- > 1;) {
        reached[profile->stacks.at[i].parent] += reached[i];
        namer->occurrences[profile->stacks.at[i].frame] += reached[i];
    }
    ff_free(reached);
    return ready;
}

static uint64_t occurrences_of(const struct namer *namer, const struct ff_place *places,
                               uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += namer->occurrences[places[i].frame];
    return sum;
}

static void set_symbol(struct namer *namer, uint32_t frame, uint32_t symbol, uint64_t start)
{
    struct ff_frame *row = &namer->profile->frames.at[frame];
    row->named = FF_NAMED_SYMBOL;
    row->symbol = symbol;
    row->function = start;
}

/* The printed name of a function of an ELF file. */
static uint32_t function_name(struct namer *namer, const struct ff_function *function)
{
    struct ff_text name = ff_text(function->name);
    struct ff_text printed = ff_name_symbol(&namer->name, name);
    uint32_t id = ff_profile_intern(namer->profile, printed);
    if (function->kind != FF_FUNCTION_PLT)
        return id;
    struct ff_text plain = ff_profile_text(namer->profile, id);
    return ff_profile_intern(namer->profile, ff_name_join(&namer->name, plain, FF_TEXT("@plt")));
}

/* Names the module's frames after their functions, which are in the order of the places. */
static void apply(struct namer *namer, const struct ff_place *places, uint32_t count,
                  const uint32_t *numbers, const struct ff_function *functions)
{
    const char *last = NULL;
    uint32_t symbol = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ff_function *function = &functions[numbers[i]];
        struct ff_frame *row = &namer->profile->frames.at[places[i].frame];
        if (function->kind == FF_FUNCTION_NONE) {
            namer->no_range += namer->occurrences[places[i].frame];
        } else if (function->kind == FF_FUNCTION_FDE) {
            row->named = FF_NAMED_FUNCTION;
            row->function = function->start;
        } else {
            if (function->name != last || function->kind == FF_FUNCTION_PLT)
                symbol = function_name(namer, function);
            last = function->kind == FF_FUNCTION_PLT ? NULL : function->name;
            set_symbol(namer, places[i].frame, symbol, function->start);
        }
    }
}

static void name_elf(struct namer *namer, const struct ff_image *image, struct ff_place *places,
                     uint32_t count)
{
    uint64_t all = occurrences_of(namer, places, count);
    uint32_t kept = ff_places_to_module_offsets(places, count, image->elf);
    namer->no_range += all - occurrences_of(namer, places, kept);
    uint64_t *offsets = ff_alloc(kept, sizeof *offsets);
    uint32_t *numbers = ff_alloc(kept, sizeof *numbers);
    struct ff_function *functions = ff_alloc(kept, sizeof *functions);
    bool ready = offsets && numbers && functions;
    uint32_t distinct = ready ? ff_places_distinct(places, kept, offsets, numbers) : 0;
    if (ready && ff_image_functions(image, offsets, distinct, functions))
        apply(namer, places, kept, numbers, functions);
    else
        namer->profile->out_of_memory = true;
    ff_free(offsets);
    ff_free(numbers);
    ff_free(functions);
}

/* Whether a module was named, and counted, by an earlier run. */
static bool seen_before(const struct ff_profile *profile, uint32_t module)
{
    for (uint32_t i = 1; i < profile->frames.count; i++) {
        const struct ff_frame *frame = &profile->frames.at[i];
        if (frame->module == module &&
            (frame->named == FF_NAMED_SYMBOL || frame->named == FF_NAMED_FUNCTION))
            return true;
    }
    return false;
}

static void name_file(struct namer *namer, uint32_t module, struct ff_place *places, uint32_t count)
{
    const struct ff_module *row = &namer->profile->modules.at[module];
    struct ff_image image = ff_images_find_module(namer->images, namer->profile, row);
    namer->differs += image.verdict == FF_VERDICT_DIFFERS;
    if (!image.elf) {
        namer->no_symbols += occurrences_of(namer, places, count);
        return;
    }
    if (image.verdict == FF_VERDICT_NOT_VERIFIED && !seen_before(namer->profile, module))
        namer->not_verified++;
    name_elf(namer, &image, places, count);
}

static enum ff_status name_kernel(struct namer *namer, uint32_t module,
                                  const struct ff_place *places, uint32_t count)
{
    char buffer[256];
    struct ff_kallsyms *table;
    const struct ff_module *row = &namer->profile->modules.at[module];
    struct ff_text path = ff_profile_text(namer->profile, row->path), name = FF_TEXT("");
    enum ff_status status = ff_images_kallsyms(namer->images, &table);
    if (row->kind == FF_MODULE_KERNEL_MODULE)
        name = ff_kallsyms_module_name(path, buffer, sizeof buffer);
    if (table && row->anchor && !ff_kallsyms_anchored(table, row->anchor)) {
        namer->other_boot++;
        table = NULL;
    }
    if (!table)
        namer->no_symbols += occurrences_of(namer, places, count);
    for (uint32_t i = 0; table && i < count; i++) {
        struct ff_kernel_function function;
        if (!ff_kallsyms_find(table, name, places[i].place, &function)) {
            namer->no_range += namer->occurrences[places[i].frame];
            continue;
        }
        uint32_t symbol = ff_profile_intern(namer->profile, ff_name_kernel(function.name));
        set_symbol(namer, places[i].frame, symbol, function.start);
    }
    return status;
}

/* What a process's jit dump, else its perf map, says of an address; false when neither does. */
static bool find_generated(const struct ff_jit_dump *dump, const struct ff_perf_map *map,
                           uint64_t address, struct ff_text *name, uint64_t *start)
{
    const struct ff_jit_dump_entry *entry = dump ? ff_jit_dump_find(dump, address, 0) : NULL;
    const struct ff_perf_map_entry *line = map && !entry ? ff_perf_map_find(map, address) : NULL;
    if (entry) {
        *name = entry->name;
        *start = entry->start;
    } else if (line) {
        *name = line->name;
        *start = line->start;
    }
    return entry || line;
}

static enum ff_status name_generated(struct namer *namer, uint32_t module,
                                     const struct ff_place *places, uint32_t count)
{
    struct ff_perf_map *map;
    struct ff_jit_dump *dump;
    uint32_t pid = namer->profile->modules.at[module].pid;
    enum ff_status status = ff_images_jit_dump(namer->images, pid, &dump);
    if (status == FF_OK)
        status = ff_images_perf_map(namer->images, pid, ff_places_alone(namer->profile, pid), &map);
    else
        map = NULL;
    if (!map && !dump)
        namer->no_symbols += occurrences_of(namer, places, count);
    for (uint32_t i = 0; (map || dump) && i < count; i++) {
        struct ff_text name;
        uint64_t start;
        if (!find_generated(dump, map, places[i].place, &name, &start))
            namer->no_range += namer->occurrences[places[i].frame];
        else
            set_symbol(namer, places[i].frame, ff_profile_intern(namer->profile, name), start);
    }
    return status;
}

static enum ff_status name_module(struct namer *namer, uint32_t module)
{
    uint32_t count;
    struct ff_place *places = ff_places_of(&namer->places, module, &count);
    if (!count)
        return FF_OK;
    switch (namer->profile->modules.at[module].kind) {
    case FF_MODULE_ELF:
    case FF_MODULE_VDSO:
        name_file(namer, module, places, count);
        return FF_OK;
    case FF_MODULE_KERNEL:
    case FF_MODULE_KERNEL_MODULE:
        return name_kernel(namer, module, places, count);
    case FF_MODULE_PERF_MAP:
        return name_generated(namer, module, places, count);
    default:
        namer->no_symbols += occurrences_of(namer, places, count);
        return FF_OK;
    }
}

static void account(struct namer *namer)
{
    struct ff_profile *profile = namer->profile;
    uint32_t count;
    const struct ff_place *lost = ff_places_of(&namer->places, 0, &count);
    ff_ledger_clear(profile, FF_LEDGER_NO_MODULE);
    ff_ledger_clear(profile, FF_LEDGER_NO_SYMBOLS);
    ff_ledger_clear(profile, FF_LEDGER_NO_RANGE);
    ff_ledger_clear(profile, FF_LEDGER_BUILD_ID_DIFFERS);
    ff_ledger_clear(profile, FF_LEDGER_OTHER_BOOT);
    ff_ledger_add(profile, 0, FF_LEDGER_NO_MODULE, occurrences_of(namer, lost, count));
    ff_ledger_add(profile, 0, FF_LEDGER_NO_SYMBOLS, namer->no_symbols);
    ff_ledger_add(profile, 0, FF_LEDGER_NO_RANGE, namer->no_range);
    ff_ledger_add(profile, 0, FF_LEDGER_BUILD_ID_DIFFERS, namer->differs);
    ff_ledger_add(profile, 0, FF_LEDGER_NOT_VERIFIED, namer->not_verified);
    ff_ledger_add(profile, 0, FF_LEDGER_OTHER_BOOT, namer->other_boot);
}

enum ff_status ff_symbolize(struct ff_profile *profile, struct ff_images *images)
{
    struct namer namer = {.profile = profile, .images = images};
    enum ff_status status = FF_OK;
    ff_mapping_place_frames(profile);
    ff_recorded_names(profile);
    if (!ff_places_init(&namer.places, profile, true) || !count_occurrences(&namer)) {
        profile->out_of_memory = true;
        ff_places_release(&namer.places);
        ff_free(namer.occurrences);
        return ff_profile_status(profile);
    }
    /* One source that cannot be used does not keep the others from naming. */
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        enum ff_status one = name_module(&namer, i);
        if (one != FF_OK)
            status = ff_error_set(&profile->error, one, "%s", images->error.message);
    }
    account(&namer);
    profile->out_of_memory |= namer.name.failed || images->failed || images->texts.failed;
    ff_name_release(&namer.name);
    ff_free(namer.occurrences);
    ff_places_release(&namer.places);
    return status == FF_OK ? ff_profile_status(profile) : status;
}
