/* SPDX-License-Identifier: MIT
 *
 * Distinct lines to frames. The hard thing is what the numbers mean: perf 6.1 prints a file offset
 * where it knows the file, others print the address, and a kernel address is always one.
 */
#include "read/perf_script_frames.h"

#define KERNEL_FIRST UINT64_C(0xffff800000000000)

void ff_script_frames_release(struct ff_script_frames *frames)
{
    ff_intern_release(&frames->texts);
    ff_free(frames->rows);
    ff_free(frames->frames);
    ff_free(frames->nodes);
}

uint32_t ff_script_frames_find(struct ff_script_frames *frames, struct ff_text line)
{
    uint32_t id = ff_intern(&frames->texts, line);
    if (id >= frames->row_capacity)
        frames->rows = ff_grow(frames->rows, &frames->row_capacity, (uint64_t)id + 1,
                               sizeof *frames->rows, &frames->failed);
    return id < frames->row_capacity && !(id & FF_SCRIPT_CALLER) ? id : 0;
}

static bool is_one_of(struct ff_text dso, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ff_text_starts(dso, ff_text(prefixes[i])))
            return true;
    }
    return false;
}

/* "/tmp/perf-123.map": 123. */
static bool perf_map_pid(struct ff_text dso, uint32_t *pid)
{
    uint64_t number;
    struct ff_text name = ff_text_base_name(dso);
    if (!ff_text_starts(name, FF_TEXT("perf-")) || !ff_text_ends(name, FF_TEXT(".map")) ||
        !ff_text_decimal(ff_text_slice(name, 5, name.size - 4), &number) || number > UINT32_MAX)
        return false;
    *pid = (uint32_t)number;
    return true;
}

/* A kernel module: "[nvidia]", a .ko file as it is or compressed, code of BPF. */
static bool is_kernel_module(struct ff_text dso)
{
    struct ff_text name = ff_text_base_name(dso);
    return dso.at[0] == '[' || ff_text_starts(dso, FF_TEXT("bpf_prog_")) ||
           ff_text_ends(name, FF_TEXT(".ko")) || ff_text_find_text(name, FF_TEXT(".ko.")) > 0;
}

static uint8_t kind_of(struct ff_text dso, uint64_t address, uint32_t *pid)
{
    static const char *const kernels[] = {"[kernel.", "[guest.kernel."};
    static const char *const memory[] = {"[heap]",     "[stack",     "[anon",   "[vsyscall]",
                                         "[uprobes]",  "//anon",     "/memfd:", "/dev/zero",
                                         "/anon_huge", "anon_inode", "/SYSV"};
    if (is_one_of(dso, kernels, sizeof kernels / sizeof *kernels) ||
        ff_text_starts(ff_text_base_name(dso), FF_TEXT("vmlinux")))
        return FF_MODULE_KERNEL;
    if (ff_text_starts(dso, FF_TEXT("[vdso")))
        return ff_script_is_address(address) ? FF_MODULE_UNPLACED : FF_MODULE_VDSO;
    if (is_one_of(dso, memory, sizeof memory / sizeof *memory))
        return FF_MODULE_ANONYMOUS;
    if (perf_map_pid(dso, pid))
        return FF_MODULE_PERF_MAP;
    if (is_kernel_module(dso))
        return FF_MODULE_KERNEL_MODULE;
    return ff_script_is_address(address) ? FF_MODULE_UNPLACED : FF_MODULE_ELF;
}

static uint32_t module_of(struct ff_script_frames *frames, const struct ff_script_frame *frame)
{
    if (!frame->dso.size)
        return 0;
    struct ff_module module = {.path = ff_profile_intern(frames->profile, frame->dso)};
    module.kind = kind_of(frame->dso, frame->address, &module.pid);
    if (frames->addresses && module.kind == FF_MODULE_ELF)
        module.kind = FF_MODULE_UNPLACED;
    return ff_module_add(frames->profile, module);
}

static uint32_t add_frame(struct ff_script_frames *frames, uint32_t id)
{
    frames->frames =
        ff_grow(frames->frames, &frames->frame_capacity, (uint64_t)frames->frame_count + 2,
                sizeof *frames->frames, &frames->failed);
    if (frames->frame_count + 2 > frames->frame_capacity)
        return 0;
    frames->frames[++frames->frame_count] = id;
    return frames->frame_count;
}

/* Where a JIT's agent wrote what it inlined, a line is `outer->inner`; elsewhere "->" is part of a
 * name (operator->). */
static uint32_t add_parts(struct ff_script_frames *frames, struct ff_frame frame,
                          struct ff_text symbol, struct ff_script_row *row)
{
    bool generated = frames->profile->modules.at[frame.module].kind == FF_MODULE_PERF_MAP;
    uint32_t first = 0;
    row->count = 0;
    do {
        ptrdiff_t arrow = generated ? ff_text_find_text(symbol, FF_TEXT("->")) : -1;
        struct ff_text part = ff_text_slice(symbol, 0, arrow > 0 ? (size_t)arrow : symbol.size);
        frame.symbol = ff_profile_intern(frames->profile, part);
        uint32_t at = add_frame(frames, ff_frame_add(frames->profile, frame));
        first = first ? first : at;
        row->count++;
        frame.kind = FF_FRAME_INLINED;
        symbol = ff_text_from(symbol, arrow > 0 ? (size_t)arrow + 2 : symbol.size);
    } while (symbol.size);
    return first;
}

/* Makes the frames of a line, as a caller or where a thread stood. */
static void make(struct ff_script_frames *frames, struct ff_script_row *row, struct ff_text line,
                 bool caller)
{
    struct ff_script_frame parsed;
    ff_script_frame(line, true, &parsed);
    struct ff_frame frame = {
        .kind = row->kernel ? FF_FRAME_KERNEL : FF_FRAME_NATIVE,
        .named = parsed.symbol.size || parsed.nameless ? FF_NAMED_RECORDED : FF_NAMED_NOT,
        .module = module_of(frames, &parsed),
        .place = parsed.address - (caller && parsed.address),
    };
    row->first[caller] = add_parts(frames, frame, parsed.symbol, row);
}

void ff_script_frames_parse(struct ff_script_frames *frames, uint32_t id)
{
    struct ff_script_row *row = &frames->rows[id];
    struct ff_script_frame frame;
    struct ff_text file, line = ff_intern_text(&frames->texts, id);
    uint32_t number, pid;
    row->kind = FF_SCRIPT_OTHER;
    if (ff_script_frame(line, false, &frame))
        row->kind = frame.inlined ? FF_SCRIPT_INLINED : FF_SCRIPT_FRAME;
    else if (ff_script_srcline(line, &file, &number))
        row->kind = FF_SCRIPT_SRCLINE;
    else if (ff_script_frame(line, true, &frame))
        row->kind = FF_SCRIPT_FRAME;
    if (row->kind != FF_SCRIPT_FRAME)
        return;
    uint8_t kind = frame.dso.size ? kind_of(frame.dso, frame.address, &pid) : FF_MODULE_NONE;
    row->kernel = kind == FF_MODULE_KERNEL || kind == FF_MODULE_KERNEL_MODULE ||
                  (kind == FF_MODULE_NONE && frame.address >= KERNEL_FIRST && ~frame.address);
    row->address_word = kind == FF_MODULE_UNPLACED || (kind == FF_MODULE_ELF && frames->addresses);
}

/* The frame of an inlined function, which has module and place of NATIVE. */
static uint32_t inlined_frame(struct ff_script_frames *frames, uint32_t id, uint32_t native)
{
    struct ff_script_row *row = &frames->rows[id];
    if (row->from == native && row->to)
        return row->to;
    struct ff_script_frame parsed;
    struct ff_frame frame = frames->profile->frames.at[native];
    ff_script_frame(ff_intern_text(&frames->texts, id), true, &parsed);
    frame.kind = FF_FRAME_INLINED;
    frame.named = FF_NAMED_RECORDED;
    frame.symbol = ff_profile_intern(frames->profile, parsed.symbol);
    frame.file = frame.line = 0;
    row->from = native;
    return row->to = ff_frame_add(frames->profile, frame);
}

static uint32_t located_frame(struct ff_script_frames *frames, uint32_t id, uint32_t plain)
{
    struct ff_script_row *row = &frames->rows[id];
    if (row->from == plain && row->to)
        return row->to;
    struct ff_text file;
    struct ff_frame frame = frames->profile->frames.at[plain];
    ff_script_srcline(ff_intern_text(&frames->texts, id), &file, &frame.line);
    frame.file = ff_profile_intern(frames->profile, file);
    row->from = plain;
    return row->to = ff_frame_add(frames->profile, frame);
}

/* Pushes the frames of a line, outermost first. */
static struct ff_script_node push_line(struct ff_script_frames *frames, uint32_t line,
                                       uint32_t srcline, struct ff_script_node node)
{
    uint32_t id = line & ~FF_SCRIPT_CALLER;
    bool caller = line & FF_SCRIPT_CALLER;
    struct ff_script_row *row = &frames->rows[id];
    bool native = row->kind == FF_SCRIPT_FRAME;
    if (native && !row->first[caller])
        make(frames, row, ff_intern_text(&frames->texts, id), caller);
    uint32_t parts = native ? row->count : 1;
    node.address_words += row->address_word;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t frame = native ? frames->frames[row->first[caller] + i]
                                : inlined_frame(frames, id, node.native);
        node.native = native ? frame : node.native;
        if (srcline && i + 1 == parts)
            frame = located_frame(frames, srcline, frame);
        node.stack = ff_stack_push(frames->profile, node.stack, frame);
    }
    return node;
}

struct ff_script_node ff_script_frames_stack(struct ff_script_frames *frames, const uint32_t *lines,
                                             uint32_t count, uint32_t known)
{
    frames->nodes = ff_grow(frames->nodes, &frames->node_capacity, (uint64_t)count + 1,
                            sizeof *frames->nodes, &frames->failed);
    if (frames->node_capacity <= count)
        return (struct ff_script_node){0};
    struct ff_script_node node = frames->nodes[known];
    uint32_t srcline = 0;
    for (uint32_t from_end = known + 1; from_end <= count; from_end++) {
        uint32_t line = lines[count - from_end];
        uint32_t id = line & ~FF_SCRIPT_CALLER;
        if (frames->rows[id].kind == FF_SCRIPT_SRCLINE) {
            srcline = id;
        } else {
            node = push_line(frames, line, srcline, node);
            srcline = 0;
        }
        frames->nodes[from_end] = node;
    }
    return node;
}
