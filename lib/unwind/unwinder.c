/* SPDX-License-Identifier: MIT
 *
 * What an unwinder keeps from stack to stack: settings, and of each module its image, rules and text,
 * found when its first frame comes.
 */
#include "unwind/unwinder.h"
#include "image/places.h"

struct ff_unwinder *ff_unwinder_new(struct ff_profile *profile, struct ff_images *images)
{
    struct ff_unwinder *unwinder = ff_alloc(1, sizeof *unwinder);
    if (unwinder) {
        unwinder->profile = profile;
        unwinder->images = images;
    }
    return unwinder;
}

struct ff_unwinder *ff_unwinder_copy(const struct ff_unwinder *unwinder, struct ff_profile *profile)
{
    struct ff_unwinder *copy = ff_unwinder_new(profile, unwinder->images);
    if (copy) {
        copy->frame_pointers = unwinder->frame_pointers;
        copy->slot = unwinder->slot;
    }
    return copy;
}

bool ff_unwinder_splits(const struct ff_unwinder *unwinder)
{
    return !ff_images_unknown_map(unwinder->images);
}

void ff_unwinder_frame_pointers(struct ff_unwinder *unwinder, bool wanted)
{
    unwinder->frame_pointers = wanted;
}

void ff_unwinder_observe(struct ff_unwinder *unwinder, struct ff_site_finder *finder)
{
    unwinder->finder = finder;
}

void ff_unwinder_sites(struct ff_unwinder *unwinder, struct ff_site_slot slot)
{
    unwinder->slot = slot;
}

void ff_unwinder_free(struct ff_unwinder *unwinder)
{
    if (!unwinder)
        return;
    for (uint32_t i = 0; i < unwinder->module_capacity; i++) {
        ff_cfi_free(unwinder->modules[i].cfi);
        ff_generated_release(&unwinder->modules[i].generated);
    }
    ff_free(unwinder->modules);
    ff_free(unwinder);
}

static void search(struct ff_unwinder *unwinder, struct ff_unwind_module *module,
                   const struct ff_module *row)
{
    if (row->kind == FF_MODULE_PERF_MAP) {
        bool alone = ff_places_alone(unwinder->profile, row->pid);
        ff_generated_init(&module->generated, unwinder->images, row->pid, alone);
        return;
    }
    struct ff_image image = ff_images_find_module(unwinder->images, unwinder->profile, row);
    module->elf = image.elf;
    module->cfi = image.elf ? ff_cfi_new(image.elf) : NULL;
    if (image.elf)
        module->text = ff_elf_section(image.elf, ".text");
    if (module->cfi && image.debug)
        ff_cfi_add_debug_file(module->cfi, image.debug);
    if (image.elf &&
        ff_text_find_text(ff_text_base_name(ff_profile_text(unwinder->profile, row->path)),
                          FF_TEXT("python")) >= 0)
        ff_elf_range(image.elf, "_PyEval_EvalFrameDefault", &module->eval_start, &module->eval_end);
    if (module->cfi)
        ff_cfi_share(module->cfi, &unwinder->images->lock);
}

struct ff_unwind_module *ff_unwinder_module(struct ff_unwinder *unwinder, uint32_t id)
{
    unwinder->modules = ff_grow(unwinder->modules, &unwinder->module_capacity, (uint64_t)id + 1,
                                sizeof *unwinder->modules, &unwinder->failed);
    if (id >= unwinder->module_capacity)
        return NULL;
    struct ff_unwind_module *module = &unwinder->modules[id];
    if (!module->searched) {
        module->searched = true;
        ff_lock_take(&unwinder->images->lock);
        search(unwinder, module, &unwinder->profile->modules.at[id]);
        ff_lock_give(&unwinder->images->lock);
    }
    return module;
}
