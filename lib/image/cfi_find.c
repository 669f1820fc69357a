/* SPDX-License-Identifier: MIT
 *
 * A place to its row. The hard thing is to ask the tables once: a row is compiled when a stack first goes
 * through its place, and kept for all threads and processes of the recording.
 */
#include "image/cfi_find.h"

#include <elf.h>

/* So many rows are kept (about 100 bytes each); then the cache starts again from nothing. */
#define ROW_LIMIT ((uint32_t)1 << 20)

struct ff_cfi *ff_cfi_new(struct ff_elf *elf)
{
    struct ff_cfi *cfi = ff_alloc(1, sizeof *cfi);
    if (!cfi)
        return NULL;
    *cfi = (struct ff_cfi){.machine = elf->machine,
                           .is_64 = elf->is_64,
                           .swapped = elf->swapped,
                           .elf = elf,
                           .debug = elf,
                           .frame = ff_elf_fdes(elf)};
    cfi->tables[0] = ff_fde_table(cfi->frame);
    return cfi;
}

struct ff_cfi *ff_cfi_new_bytes(uint16_t machine, struct ff_section frame)
{
    struct ff_cfi *cfi = ff_alloc(1, sizeof *cfi);
    if (!cfi)
        return NULL;
    *cfi =
        (struct ff_cfi){.machine = machine, .is_64 = true, .debug_ready = true, .frame = &cfi->own};
    if (!ff_fde_index_init(&cfi->own, (struct ff_section){0, {"", 0}}, frame, true, false)) {
        ff_cfi_free(cfi);
        return NULL;
    }
    cfi->tables[0] = ff_fde_table(&cfi->own);
    return cfi;
}

void ff_cfi_add_debug_file(struct ff_cfi *cfi, struct ff_elf *debug)
{
    struct ff_section own = ff_elf_debug_frame(cfi->elf);
    if (!own.bytes.size && !cfi->debug_ready)
        cfi->debug = debug;
}

void ff_cfi_share(struct ff_cfi *cfi, struct ff_lock *lock)
{
    cfi->lock = lock;
}

void ff_cfi_free(struct ff_cfi *cfi)
{
    if (!cfi)
        return;
    ff_fde_index_release(&cfi->own);
    ff_fde_index_release(&cfi->debug_frame);
    ff_free(cfi->slots);
    ff_arena_release(&cfi->arena);
    ff_free(cfi);
}

static struct ff_cfi_slot *slot_find(const struct ff_cfi *cfi, uint64_t place)
{
    uint32_t mask = cfi->slot_count - 1;
    uint32_t i = (uint32_t)ff_hash_mix(0, place) & mask;
    while (cfi->slots[i].row && cfi->slots[i].place != place)
        i = (i + 1) & mask;
    return &cfi->slots[i];
}

/* Makes room for one more row. */
static bool slots_grow(struct ff_cfi *cfi)
{
    uint32_t first = cfi->elf ? 1024 : 16; /* a whole library, or one function */
    struct ff_cfi grown = {.slot_count = cfi->slot_count ? cfi->slot_count * 2 : first};
    if (cfi->row_count >= ROW_LIMIT) {
        memset(cfi->slots, 0, cfi->slot_count * sizeof *cfi->slots);
        ff_arena_reset(&cfi->arena);
        cfi->row_count = 0;
    }
    if (cfi->row_count < cfi->slot_count / 2)
        return true;
    grown.slots = ff_alloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (uint32_t i = 0; i < cfi->slot_count; i++)
        if (cfi->slots[i].row)
            *slot_find(&grown, cfi->slots[i].place) = cfi->slots[i];
    ff_free(cfi->slots);
    cfi->slots = grown.slots;
    cfi->slot_count = grown.slot_count;
    return true;
}

static const struct ff_fde_index *debug_frame(struct ff_cfi *cfi)
{
    if (!cfi->debug_ready) {
        if (cfi->lock)
            ff_lock_take(cfi->lock);
        struct ff_section frame = ff_elf_debug_frame(cfi->debug);
        if (cfi->lock)
            ff_lock_give(cfi->lock);
        ff_fde_index_init_debug(&cfi->debug_frame, frame, cfi->debug->is_64, cfi->debug->swapped);
        cfi->tables[1] = ff_fde_table(&cfi->debug_frame);
        cfi->debug_ready = true;
    }
    return &cfi->debug_frame;
}

static struct ff_cfi_row *compile(struct ff_cfi *cfi, uint64_t place)
{
    uint64_t at;
    uint16_t machine = cfi->machine;
    struct ff_cfi_row *row = NULL;
    if ((machine != EM_X86_64 && machine != EM_AARCH64) || !cfi->is_64)
        return ff_cfi_row_none(&cfi->arena, place, FF_STEP_BAD_RULE, FF_CFI_MACHINE);
    if (ff_fde_place(cfi->frame, place, &at))
        row = ff_cfi_compile(&cfi->tables[0], machine, at, place, &cfi->arena);
    if (row && row->status != FF_STEP_NO_RULE)
        return row;
    if (ff_fde_place(debug_frame(cfi), place, &at))
        return ff_cfi_compile(&cfi->tables[1], machine, at, place, &cfi->arena);
    return row ? row : ff_cfi_row_none(&cfi->arena, place, FF_STEP_NO_RULE, FF_CFI_FINE);
}

const struct ff_cfi_row *ff_cfi_row(struct ff_cfi *cfi, uint64_t place)
{
    if (cfi->slot_count) {
        struct ff_cfi_slot *slot = slot_find(cfi, place);
        if (slot->row)
            return slot->row;
    }
    if (!slots_grow(cfi))
        return NULL;
    struct ff_cfi_row *row = compile(cfi, place);
    if (row) {
        *slot_find(cfi, place) = (struct ff_cfi_slot){place, row};
        cfi->row_count++;
    }
    return row;
}

bool ff_cfi_covers(struct ff_cfi *cfi, uint64_t module_offset)
{
    const struct ff_cfi_row *row = ff_cfi_row(cfi, module_offset);
    return row && row->status == FF_STEP_OK;
}
