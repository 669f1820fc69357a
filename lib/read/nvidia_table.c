/* SPDX-License-Identifier: MIT
 *
 * What `nvidia-smi` alone prints, into facts: two lines for each GPU, then a line for each process.
 */
#include "read/nvidia.h"

#include <stdio.h>

enum { PHASE_GPUS, PHASE_PROCESSES };

static bool begins(struct ff_text line)
{
    return ff_text_starts(line, FF_TEXT("| NVIDIA-SMI "));
}

static void add_value(struct ff_side *side, const char *name, struct ff_text cell, const char *unit)
{
    struct ff_text printed = ff_text(unit);
    if (ff_text_ends(cell, printed))
        cell.size -= printed.size;
    ff_nvidia_cell(side, side->owner, ff_profile_intern(side->profile, ff_text(name)), cell,
                   printed);
}

/* "   0  NVIDIA H200                    On  ": index, name, persistence mode. */
static void name_cell(struct ff_side *side, struct ff_text index, struct ff_text rest)
{
    rest = ff_text_trim(rest);
    ptrdiff_t end = ff_text_find_text(rest, FF_TEXT("  "));
    side->owner = ff_nvidia_subject(side, "gpu", index);
    side->subjects++;
    if (end > 0)
        rest.size = (size_t)end;
    ff_side_word(side, 0, "gpu-name", side->owner, rest);
}

/* " N/A   36C    P0            198W /  700W " */
static void power_cell(struct ff_side *side, struct ff_text cell)
{
    ff_side_cut_word(&cell); /* the fan */
    add_value(side, "gpu-temperature", ff_side_cut_word(&cell), "C");
    ff_side_word(side, 0, "gpu-pstate", side->owner, ff_side_cut_word(&cell));
    struct ff_text limit = cell;
    struct ff_text power = ff_text_trim(ff_text_cut(&limit, '/'));
    add_value(side, "gpu-power", power, "W");
    add_value(side, "gpu-power-limit", ff_text_trim(limit.at ? limit : FF_TEXT("")), "W");
}

/* "|   0  NVIDIA H200  On  |   00000000:00:06.0 Off | 0 |", then
 * "| N/A   36C    P0   198W /  700W |    2103MiB / 143771MiB |     29%      Default |" */
static bool gpu_line(struct ff_side *side, struct ff_text line)
{
    uint64_t index;
    struct ff_text rest = ff_text_from(line, 1);
    struct ff_text first = ff_text_cut(&rest, '|'), second = ff_text_cut(&rest, '|');
    struct ff_text third = ff_text_cut(&rest, '|'), words = first;
    struct ff_text word = ff_side_cut_word(&words);
    if (ff_text_decimal(word, &index)) {
        name_cell(side, word, words);
        return true;
    }
    if (!side->owner || ff_text_find_text(second, FF_TEXT("MiB /")) < 0)
        return true;
    power_cell(side, first);
    struct ff_text total = second;
    struct ff_text used = ff_text_trim(ff_text_cut(&total, '/'));
    add_value(side, "gpu-memory-used", used, "MiB");
    add_value(side, "gpu-memory-total", ff_text_trim(total), "MiB");
    add_value(side, "gpu-util", ff_side_cut_word(&third), "%");
    side->owner = 0;
    return true;
}

/* "|    0   N/A  N/A             627      C   python3              2094MiB |" */
static bool process_line(struct ff_side *side, struct ff_text line)
{
    char text[64];
    uint64_t index, pid;
    struct ff_text rest = ff_text_trim(ff_text_from(line, 1));
    if (ff_text_ends(rest, FF_TEXT("|")))
        rest = ff_text_trim(ff_text_slice(rest, 0, rest.size - 1));
    ptrdiff_t last = ff_text_find_last(rest, ' ');
    struct ff_text memory = ff_text_from(rest, (size_t)(last < 0 ? 0 : last + 1));
    struct ff_text gpu = ff_side_cut_word(&rest);
    ff_side_cut_word(&rest);
    ff_side_cut_word(&rest);
    if (!ff_text_decimal(gpu, &index) || !ff_text_decimal(ff_side_cut_word(&rest), &pid))
        return true;
    snprintf(text, sizeof text, "gpu %llu process %llu", (unsigned long long)index,
             (unsigned long long)pid);
    side->owner = ff_profile_intern(side->profile, ff_text(text));
    add_value(side, "gpu-process-memory", memory, "MiB");
    side->owner = 0;
    return true;
}

/* A date may stand above the table. */
static bool take(struct ff_side *side, struct ff_text line)
{
    if (ff_text_find_text(line, FF_TEXT("| Processes:")) >= 0)
        side->phase = PHASE_PROCESSES;
    if (ff_text_starts(line, FF_TEXT("|")))
        return side->phase == PHASE_PROCESSES ? process_line(side, line) : gpu_line(side, line);
    return ff_text_starts(line, FF_TEXT("+")) || side->lines == 1;
}

const struct ff_side_format ff_side_gpu_table = {FF_TOOL_NVIDIA_SMI, begins, take, NULL};
