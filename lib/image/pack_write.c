/* SPDX-License-Identifier: MIT
 *
 * A profile and its images to a pack. The hard thing is to leave out all that is not needed and yet
 * keep every range: what bounds a touched symbol is kept with it.
 */
#include "base/memory.h"
#include "image/images.h"
#include "image/members.h"
#include "image/pack_elf.h"
#include "image/pack_generated.h"
#include "image/places.h"

#include <stdio.h>
#include <stdlib.h>

struct packer {
    struct ff_profile *profile;
    struct ff_images *images;
    struct ff_places places;
    struct ff_members members; /* the first is the manifest */
    uint8_t *packed;           /* by module: is in a member already */
    bool unwound;              /* the reader of the pack needs rules to unwind again */
    uint32_t lost;             /* unwind entries without their rules */
    bool failed;
};

/* FILE: whose inode to add; NULL for none. */
static void add_line(struct packer *packer, const char *kind, const char *build_id, uint32_t pid,
                     const struct ff_module *file, const char *name, struct ff_text path)
{
    struct ff_output *manifest = &packer->members.at[0].output;
    ff_output_format(manifest, "%s\t%s\t", kind, *build_id ? build_id : "-");
    if (file)
        ff_output_format(manifest, "%llu.%u", (unsigned long long)file->inode,
                         (unsigned int)file->generation);
    else
        ff_output_format(manifest, "%u", (unsigned int)pid);
    ff_output_format(manifest, "\t%s\t", name);
    for (size_t i = 0; i < path.size; i++) {
        char byte = path.at[i];
        if (byte == '\t' || byte == '\n' || byte == '\\')
            ff_output_byte(manifest, '\\');
        ff_output_byte(manifest, byte == '\t' ? 't' : byte == '\n' ? 'n' : byte);
    }
    ff_output_byte(manifest, '\n');
}

static struct ff_text module_path(const struct packer *packer, uint32_t module)
{
    return ff_profile_text(packer->profile, packer->profile->modules.at[module].path);
}

static struct ff_image find_image(struct packer *packer, uint32_t module)
{
    const struct ff_module *row = &packer->profile->modules.at[module];
    if (row->kind != FF_MODULE_ELF && row->kind != FF_MODULE_VDSO)
        return (struct ff_image){0};
    return ff_images_find_module(packer->images, packer->profile, row);
}

/* Appends the module's places, as module offsets, to PLACES; returns the new count. */
static uint32_t append_places(const struct packer *packer, uint32_t module,
                              const struct ff_elf *elf, struct ff_place *places, uint32_t count)
{
    uint32_t more;
    const struct ff_place *from = ff_places_of(&packer->places, module, &more);
    memcpy(places + count, from, more * sizeof *places);
    return count + ff_places_to_module_offsets(places + count, more, elf);
}

/* Collects the places of all rows that this image stands for: two recordings of one process have
 * rows with and without a build-id. */
static uint32_t gather(struct packer *packer, uint32_t module, const struct ff_image *image,
                       struct ff_place *places)
{
    const struct ff_profile *profile = packer->profile;
    uint32_t count = 0;
    for (uint32_t i = module; i < profile->modules.count; i++) {
        if (profile->modules.at[i].path != profile->modules.at[module].path)
            continue;
        struct ff_image other = find_image(packer, i);
        if (!other.elf || strcmp(other.elf->build_id, image->elf->build_id) != 0)
            continue;
        count = append_places(packer, i, image->elf, places, count);
        packer->packed[i] = true;
    }
    return count;
}

static int compare_functions(const void *a, const void *b)
{
    const struct ff_function *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->kind - right->kind;
}

static int compare_offsets(const void *a, const void *b)
{
    const struct ff_place *left = a, *right = b;
    return left->place < right->place ? -1 : left->place > right->place;
}

static void write_functions(struct packer *packer, const struct ff_image *image,
                            struct ff_place *places, uint32_t count, struct ff_output *output)
{
    uint64_t *offsets = ff_alloc(count, sizeof *offsets);
    uint32_t *numbers = ff_alloc(count, sizeof *numbers);
    struct ff_function *functions = ff_alloc(count, sizeof *functions);
    if (count)
        qsort(places, count, sizeof *places, compare_offsets);
    bool ready = offsets && numbers && functions;
    uint32_t distinct = ready ? ff_places_distinct(places, count, offsets, numbers) : 0;
    if (ready && ff_image_functions(image, offsets, distinct, functions)) {
        if (distinct)
            qsort(functions, distinct, sizeof *functions, compare_functions);
        struct ff_pack_part part = {image->elf, image->debug, functions,
                                    distinct,   offsets,      packer->unwound ? distinct : 0};
        packer->lost += ff_pack_elf_write(output, &part);
    } else {
        packer->failed = true;
    }
    ff_free(offsets);
    ff_free(numbers);
    ff_free(functions);
}

static bool is_other_file(const struct ff_module *a, const struct ff_module *b)
{
    return a->inode && b->inode &&
           (a->inode != b->inode || !ff_generations_agree(a->generation, b->generation));
}

/* Whether the path alone would give this image to a row of another file, which has none or another
 * image. Rows that share it by their path, as from a folder of libraries, stay together. */
static bool is_one_of_two(struct packer *packer, uint32_t module, const struct ff_image *image)
{
    const struct ff_profile *profile = packer->profile;
    const struct ff_module *row = &profile->modules.at[module];
    bool two = false;
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        const struct ff_module *other = &profile->modules.at[i];
        if (other->path != row->path || !is_other_file(row, other))
            continue;
        if (find_image(packer, i).elf == image->elf)
            return false;
        two = true;
    }
    return two;
}

static void pack_file(struct packer *packer, uint32_t module)
{
    const struct ff_module *row = &packer->profile->modules.at[module];
    struct ff_image image = find_image(packer, module);
    uint32_t total = 0;
    ff_places_of(&packer->places, module, &total);
    if (!image.elf || packer->packed[module] || !total)
        return;
    bool vdso = row->kind == FF_MODULE_VDSO;
    struct ff_text path = module_path(packer, module);
    struct ff_member *member =
        ff_members_add(&packer->members, vdso ? FF_TEXT("vdso.so") : ff_text_base_name(path));
    struct ff_place *places = ff_alloc(packer->profile->frames.count, sizeof *places);
    if (member && places) {
        uint32_t count = gather(packer, module, &image, places);
        if (vdso) /* small, and whole it also serves to unwind */
            ff_output_text(&member->output, image.elf->bytes);
        else
            write_functions(packer, &image, places, count, &member->output);
        add_line(packer, vdso ? "vdso" : "elf", image.elf->build_id, 0,
                 is_one_of_two(packer, module, &image) ? row : NULL, member->name, path);
    }
    packer->failed |= !places;
    ff_free(places);
}

static void put_kernel_symbol(struct ff_output *output, const struct ff_kernel_function *function,
                              struct ff_text module)
{
    ff_output_format(output, "%016llx %c ", (unsigned long long)function->start, function->type);
    ff_output_text(output, function->name);
    if (module.size)
        ff_output_format(output, "\t[%.*s]", FF_TEXT_ARGS(module));
    ff_output_byte(output, '\n');
}

/* The touched symbols of one module, each with the one behind it, which bounds it. */
static void put_kernel_module(struct packer *packer, struct ff_output *output, uint32_t module,
                              const struct ff_kallsyms *table)
{
    char buffer[256];
    uint32_t count;
    uint64_t written = 0; /* address of the last line + 1 */
    struct ff_text name = FF_TEXT("");
    const struct ff_place *places = ff_places_of(&packer->places, module, &count);
    if (packer->profile->modules.at[module].kind == FF_MODULE_KERNEL_MODULE)
        name = ff_kallsyms_module_name(module_path(packer, module), buffer, sizeof buffer);
    for (uint32_t i = 0; i < count; i++) {
        struct ff_kernel_function function, next;
        if (!ff_kallsyms_find(table, name, places[i].place, &function))
            continue;
        if (function.start >= written)
            put_kernel_symbol(output, &function, name);
        if (function.start + 1 > written)
            written = function.start + 1;
        uint64_t end = function.start + function.size;
        if (end < written || !ff_kallsyms_find(table, name, end, &next) || next.start != end)
            continue;
        put_kernel_symbol(output, &next, name);
        written = end + 1;
    }
}

static bool is_kernel(const struct ff_module *module, bool proper)
{
    return module->kind == (proper ? FF_MODULE_KERNEL : FF_MODULE_KERNEL_MODULE);
}

/* The first symbols of the recorded kernels, by which a reader knows that the table is theirs. */
static void put_anchors(struct packer *packer, struct ff_output *output,
                        const struct ff_kallsyms *table)
{
    uint64_t last = 0;
    for (uint32_t i = 1; i < packer->profile->modules.count; i++) {
        uint64_t anchor = packer->profile->modules.at[i].anchor;
        if (anchor != last && ff_kallsyms_anchored(table, anchor)) {
            struct ff_kernel_function first = {anchor, 0, FF_TEXT("_text"), 'T'};
            put_kernel_symbol(output, &first, FF_TEXT(""));
            last = anchor;
        }
    }
}

static enum ff_status pack_kernel(struct packer *packer)
{
    struct ff_kallsyms *table;
    const struct ff_profile *profile = packer->profile;
    enum ff_status status = ff_images_kallsyms(packer->images, &table);
    struct ff_member *member = table ? ff_members_add(&packer->members, FF_TEXT("kallsyms")) : NULL;
    if (!member)
        return status;
    put_anchors(packer, &member->output, table);
    /* The kernel's lines first, as in the original. */
    for (uint32_t proper = 2; proper-- > 0;) {
        for (uint32_t i = 1; i < profile->modules.count; i++) {
            if (is_kernel(&profile->modules.at[i], proper))
                put_kernel_module(packer, &member->output, i, table);
        }
    }
    if (member->output.used)
        add_line(packer, "kallsyms", "", 0, NULL, member->name, FF_TEXT("[kernel.kallsyms]"));
    else
        ff_members_drop(&packer->members);
    return FF_OK;
}

/* A member made by one of the ff_pack_put functions is kept if anything is in it. */
static void keep_member(struct packer *packer, const struct ff_member *member, const char *kind,
                        uint32_t pid, bool ready)
{
    packer->failed |= !ready;
    if (member->output.used)
        add_line(packer, kind, "", pid, NULL, member->name, ff_text(member->name));
    else
        ff_members_drop(&packer->members);
}

/* What names the code that a process generated, once for all its modules. */
static enum ff_status pack_generated(struct packer *packer, uint32_t module)
{
    char name[32];
    struct ff_perf_map *map = NULL;
    struct ff_jit_dump *dump;
    const struct ff_profile *profile = packer->profile;
    struct ff_pack_process process = {profile, &packer->places, profile->modules.at[module].pid};
    if (!ff_pack_is_generated(&process, module) || packer->packed[module])
        return FF_OK;
    for (uint32_t i = module; i < profile->modules.count; i++)
        packer->packed[i] |= ff_pack_is_generated(&process, i);
    enum ff_status status = ff_images_jit_dump(packer->images, process.pid, &dump);
    snprintf(name, sizeof name, "jit-%u.dump", (unsigned int)process.pid);
    struct ff_member *member = dump ? ff_members_add(&packer->members, ff_text(name)) : NULL;
    if (member)
        keep_member(packer, member, "jit-dump", process.pid,
                    ff_pack_put_jit_dump(&member->output, &process, dump));
    if (status == FF_OK)
        status = ff_images_perf_map(packer->images, process.pid,
                                    ff_places_alone(profile, process.pid), &map);
    snprintf(name, sizeof name, "perf-%u.map", (unsigned int)process.pid);
    member = map ? ff_members_add(&packer->members, ff_text(name)) : NULL;
    if (member)
        keep_member(packer, member, "perf-map", process.pid,
                    ff_pack_put_perf_map(&member->output, &process, map));
    return status;
}

static enum ff_status collect(struct packer *packer)
{
    const struct ff_profile *profile = packer->profile;
    struct ff_member *manifest = ff_members_add(&packer->members, FF_TEXT(FF_PACK_MANIFEST));
    if (!manifest)
        return FF_OK;
    ff_output_string(&manifest->output, "flamefold-pack 1\n");
    enum ff_status status = pack_kernel(packer);
    for (uint32_t i = 1; status == FF_OK && i < profile->modules.count; i++) {
        pack_file(packer, i);
        status = pack_generated(packer, i);
    }
    return status;
}

static enum ff_status write_pack(struct packer *packer, const char *path)
{
    struct ff_error *error = &packer->profile->error;
    if (packer->failed || packer->images->failed)
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", path);
    if (packer->members.count == 1)
        return ff_error_set(error, FF_BAD_INPUT,
                            "%s: no symbols were found for any frame of this profile, so there is "
                            "nothing to pack",
                            path);
    return ff_members_write(&packer->members, path, error);
}

/* Whether any stack was unwound here. */
static bool is_unwound(const struct ff_profile *profile)
{
    for (uint32_t i = 0; i < profile->samples.count; i++) {
        uint8_t state = profile->samples.at[i].state;
        if (state == FF_STATE_COMPLETE || state == FF_STATE_STITCHED || state == FF_STATE_GUESSED ||
            state == FF_STATE_TRUNCATED || state == FF_STATE_NO_RULE)
            return true;
    }
    return false;
}

enum ff_status ff_pack_write(struct ff_profile *profile, struct ff_images *images, const char *path,
                             struct ff_error *note)
{
    struct packer packer = {.profile = profile, .images = images, .unwound = is_unwound(profile)};
    packer.packed = ff_alloc(profile->modules.count, 1);
    packer.failed = !packer.packed || !ff_places_init(&packer.places, profile, false);
    enum ff_status status = packer.failed ? FF_OK : collect(&packer);
    if (status != FF_OK)
        ff_error_set(&profile->error, status, "%s", images->error.message);
    else
        status = write_pack(&packer, path);
    if (status == FF_OK && packer.lost)
        ff_error_set(note, FF_UNSUPPORTED,
                     "%s: unwind entries whose rules could not be packed: %u; with this pack "
                     "stacks end at their functions",
                     path, (unsigned int)packer.lost);
    ff_members_release(&packer.members);
    ff_free(packer.packed);
    ff_places_release(&packer.places);
    return status;
}
