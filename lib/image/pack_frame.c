/* SPDX-License-Identifier: MIT
 *
 * Unwind entries to a section of their own. The hard thing is that entries refer to places in their
 * section: each is taken apart and written anew with plain addresses, only its instructions, which
 * refer to nothing, are copied.
 */
#include "image/pack_frame.h"
#include "base/memory.h"
#include "image/cfi_program.h"
#include "image/debug_frame.h"

/* Libraries have few different CIEs; those written last are compared. */
#define COMMONS 16

enum { UDATA4 = 0x03, UDATA8 = 0x04 };

struct frame {
    struct ff_output *output;
    const struct ff_pack_part *part;
    bool is_debug; /* references are those of .debug_frame */
    bool wide;     /* addresses take 8 bytes */
    struct {
        uint32_t start, end; /* in the output */
    } commons[COMMONS];
    uint32_t common_count; /* all that were written */
};

bool ff_pack_part_has(const struct ff_pack_part *part, uint32_t i)
{
    const struct ff_function *function = &part->functions[i];
    if (function->kind == FF_FUNCTION_NONE)
        return false;
    return !i || function->start != function[-1].start || function->kind != function[-1].kind;
}

static void put(struct frame *frame, const void *bytes, size_t size)
{
    ff_output_text(frame->output, (struct ff_text){bytes, size});
}

static void put_u32(struct frame *frame, uint32_t value)
{
    put(frame, &value, sizeof value);
}

static void put_address(struct frame *frame, uint64_t value)
{
    if (frame->wide)
        put(frame, &value, sizeof value);
    else
        put_u32(frame, (uint32_t)value);
}

static void put_uleb(struct frame *frame, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        ff_output_byte(frame->output, (char)(value | 0x80));
    ff_output_byte(frame->output, (char)value);
}

static void put_sleb(struct frame *frame, int64_t value)
{
    while (value < -64 || value > 63) {
        ff_output_byte(frame->output, (char)(value | 0x80));
        value = value >= 0 ? value >> 7 : ~(~value >> 7);
    }
    ff_output_byte(frame->output, (char)(value & 0x7f));
}

static void put_program(struct frame *frame, const struct ff_cursor *program)
{
    put(frame, program->at, ff_cursor_left(program));
}

/* Sets the length word at START, now that all behind it is written. */
static void set_length(struct frame *frame, uint32_t start)
{
    uint32_t size = frame->output->used - start - 4;
    if (!frame->output->out_of_memory)
        memcpy(frame->output->buffer + start, &size, sizeof size);
}

/* Whether the CIE that was just written at START is there already; it then goes away again. */
static bool is_known(struct frame *frame, uint32_t start, uint32_t *found)
{
    struct ff_output *output = frame->output;
    uint32_t size = output->used - start;
    uint32_t count = frame->common_count < COMMONS ? frame->common_count : COMMONS;
    for (uint32_t i = 0; i < count && !output->out_of_memory; i++) {
        *found = frame->commons[i].start;
        if (frame->commons[i].end - *found == size &&
            memcmp(output->buffer + *found, output->buffer + start, size) == 0) {
            output->used = start;
            return true;
        }
    }
    return false;
}

/* Returns where the CIE is. */
static uint32_t put_common(struct frame *frame, const struct ff_frame_common *common)
{
    struct ff_output *output = frame->output;
    uint32_t start = output->used, found;
    put_u32(frame, 0);
    put_u32(frame, frame->is_debug ? UINT32_MAX : 0);
    ff_output_byte(output, 1);
    ff_output_string(output, "zR");
    ff_output_string(output, common->signal_frame ? "S" : "");
    ff_output_string(output, common->b_key ? "B" : "");
    ff_output_byte(output, '\0');
    put_uleb(frame, common->code_align);
    put_sleb(frame, common->data_align);
    ff_output_byte(output, (char)common->return_register);
    ff_output_byte(output, 1);
    ff_output_byte(output, frame->wide ? UDATA8 : UDATA4);
    put_program(frame, &common->program);
    set_length(frame, start);
    if (is_known(frame, start, &found))
        return found;
    uint32_t slot = frame->common_count++ % COMMONS;
    frame->commons[slot].start = start;
    frame->commons[slot].end = output->used;
    return start;
}

static void put_entry(struct frame *frame, const struct ff_frame_entry *entry)
{
    uint32_t common = put_common(frame, &entry->common), start = frame->output->used;
    put_u32(frame, 0);
    put_u32(frame, frame->is_debug ? common : start + 4 - common);
    put_address(frame, entry->start);
    put_address(frame, entry->size);
    put_uleb(frame, 0); /* no augmentation data */
    put_program(frame, &entry->program);
    set_length(frame, start);
}

/* An entry that says nothing but its range; three times "no operation" fill it up. */
static void put_range(struct frame *frame, uint64_t start, uint64_t size)
{
    static const unsigned char nops[3] = {0};
    struct ff_frame_entry entry = {
        .start = start,
        .size = size,
        .common = {.code_align = 1,
                   .data_align = -8,
                   .return_register = 16,
                   .program = ff_cursor(nops, sizeof nops, false)},
        .program = ff_cursor(nops, sizeof nops, false),
    };
    put_entry(frame, &entry);
}

/* Where the entry of one place is. */
struct source {
    const struct ff_fde_index *index;
    struct frame *to;
    uint64_t last; /* the entry that was taken last */
};

enum answer { ABSENT, KEPT, LOST };

/* Writes an entry, or, where its rules cannot be kept, its range. */
static enum answer put_rule(struct frame *frame, const struct ff_frame_table *table,
                            const struct ff_frame_entry *entry)
{
    if (!frame->wide && (entry->start | entry->size) > UINT32_MAX)
        return LOST;
    if (!table->swapped && entry->common.return_register <= UINT8_MAX &&
        ff_cfi_is_movable(table, frame->part->elf->machine, entry)) {
        put_entry(frame, entry);
        return KEPT;
    }
    put_range(frame, entry->start, entry->size);
    return LOST;
}

/* Takes the entry of a place, each once. As in unwinding, one that cannot be read counts as that of
 * the place. */
static enum answer take(struct source *source, uint64_t place, uint32_t *lost)
{
    uint64_t at;
    struct ff_frame_entry entry;
    struct ff_frame_table table = ff_fde_table(source->index);
    if (!ff_fde_place(source->index, place, &at))
        return ABSENT;
    bool damaged = ff_frame_entry_read(&table, at, &entry) != FF_CFI_FINE;
    if (!damaged && (place < entry.start || place - entry.start >= entry.size))
        return ABSENT;
    if (at == source->last)
        return KEPT;
    source->last = at;
    enum answer answer = damaged ? LOST : put_rule(source->to, &table, &entry);
    *lost += answer == LOST;
    return answer;
}

/* The entry that unwinding takes for each place: .debug_frame's only where .eh_frame has none. */
static uint32_t put_rules(const struct ff_pack_part *part, struct frame *frame,
                          struct frame *debug_frame)
{
    uint32_t lost = 0;
    struct ff_fde_index index;
    struct ff_elf *debug = part->elf;
    if (part->debug && !ff_elf_debug_frame(debug).bytes.size)
        debug = part->debug;
    if (!ff_fde_index_init_debug(&index, ff_elf_debug_frame(debug), debug->is_64, debug->swapped))
        debug_frame->output->out_of_memory = true;
    struct source first = {ff_elf_fdes(part->elf), frame, UINT64_MAX};
    struct source second = {&index, debug_frame, UINT64_MAX};
    for (uint32_t i = 0; i < part->rule_count; i++)
        if (take(&first, part->rule_places[i], &lost) == ABSENT)
            take(&second, part->rule_places[i], &lost);
    ff_fde_index_release(&index);
    return lost;
}

static void put_ranges(struct frame *frame)
{
    const struct ff_pack_part *part = frame->part;
    for (uint32_t i = 0; i < part->function_count; i++)
        if (ff_pack_part_has(part, i) && part->functions[i].kind == FF_FUNCTION_FDE)
            put_range(frame, part->functions[i].start, part->functions[i].size);
}

static bool needs_wide(const struct ff_pack_part *part)
{
    bool wide = false;
    for (uint32_t i = 0; i < part->function_count; i++) {
        const struct ff_function *function = &part->functions[i];
        wide |= function->start > UINT32_MAX || function->size > UINT32_MAX;
    }
    for (uint32_t i = 0; i < part->rule_count; i++)
        wide |= part->rule_places[i] > UINT32_MAX;
    return wide;
}

uint32_t ff_pack_frame_write(struct ff_output *output, struct ff_output *debug_output,
                             const struct ff_pack_part *part)
{
    bool wide = needs_wide(part);
    struct frame frame = {.output = output, .part = part, .wide = wide};
    struct frame debug = {.output = debug_output, .part = part, .is_debug = true, .wide = wide};
    uint32_t lost = 0;
    /* Unnamed functions have their range from the entry that holds their places: with rules, all of
     * these entries are there. */
    if (part->rule_count)
        lost = put_rules(part, &frame, &debug);
    else
        put_ranges(&frame);
    if (output->used)
        put_u32(&frame, 0);
    return lost;
}
