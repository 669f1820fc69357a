/* SPDX-License-Identifier: MIT
 *
 * `nvidia-smi --query-gpu=... --format=csv`: a head, then a row for each GPU. The hard thing: without
 * a column that names the GPU a row says nothing of which it is. It is "row 0", unless dmon above it in
 * the same file had exactly as many GPUs as there are rows.
 */
#include "read/nvidia.h"

#include <stdio.h>

static bool has(struct ff_text text, const char *part)
{
    return ff_text_find_text(text, ff_text(part)) >= 0;
}

/* "index, name, utilization.gpu [%], memory.used [MiB]" */
static bool begins(struct ff_text line)
{
    return !has(line, ";") && line.size && line.at[0] >= 'a' && line.at[0] <= 'z' &&
           (has(line, "utilization.") || has(line, "memory.used") || has(line, "clocks.") ||
            has(line, "pstate") || has(line, "power.draw")) &&
           (has(line, ", ") || ff_text_ends(line, FF_TEXT("]")));
}

static struct ff_text cut_cell(struct ff_text *rest)
{
    return ff_text_trim(ff_text_cut(rest, ','));
}

/* What a column is by its title: 'i' index, 'u' another name of the GPU, 't' time, 'f' a fact. */
static char use_of(struct ff_text title)
{
    static const char *const names[] = {"uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial"};
    if (ff_text_equal(title, FF_TEXT("index")))
        return 'i';
    if (ff_text_equal(title, FF_TEXT("timestamp")))
        return 't';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ff_text_equal(title, ff_text(names[i])))
            return 'u';
    }
    return 'f';
}

/* The columns that are no facts of their own are remembered by these, which are never printed. */
static const struct ff_side_column index_column = {"index", NULL, NULL, FF_SIDE_PROCESS},
                                   other_column = {"uuid", NULL, NULL, FF_SIDE_THREAD},
                                   time_column = {"timestamp", NULL, NULL, FF_SIDE_COMMAND};

/* "utilization.gpu [%]": title and unit. */
static void take_head(struct ff_side *side, struct ff_text line)
{
    struct ff_profile *profile = side->profile;
    struct ff_text rest = line;
    side->column_count = side->phase = 0;
    side->owner = profile->facts.count;
    while (rest.at && side->column_count < FF_SIDE_COLUMNS) {
        uint32_t at = side->column_count++;
        struct ff_text unit = cut_cell(&rest);
        struct ff_text title = ff_text_trim(ff_text_cut(&unit, '['));
        char use = use_of(title);
        unit = unit.at && ff_text_ends(unit, FF_TEXT("]")) ? ff_text_slice(unit, 0, unit.size - 1)
                                                           : FF_TEXT("");
        side->columns[at] = use == 'i'   ? &index_column
                            : use == 'u' ? &other_column
                            : use == 't' ? &time_column
                                         : NULL;
        side->column_names[at] = ff_nvidia_fact_name(profile, title);
        side->column_units[at] = ff_profile_intern(profile, unit);
    }
}

static struct ff_text cell_of(const struct ff_side *side, struct ff_text row,
                              const struct ff_side_column *column)
{
    for (uint32_t i = 0; i < side->column_count && row.at; i++) {
        struct ff_text cell = cut_cell(&row);
        if (side->columns[i] == column)
            return cell;
    }
    return FF_TEXT("");
}

static uint32_t subject_of(struct ff_side *side, struct ff_text row)
{
    char text[16];
    struct ff_text id = cell_of(side, row, &index_column);
    if (!id.size)
        id = cell_of(side, row, &other_column);
    if (id.size)
        return ff_nvidia_subject(side, "gpu", id);
    snprintf(text, sizeof text, "%u", side->phase);
    return ff_nvidia_subject(side, "row", ff_text(text));
}

/* "2026/11/29 16:38:29.123" */
static void take_time(struct ff_side *side, uint32_t subject, struct ff_text cell)
{
    const uint64_t second = 1000000000;
    uint64_t seconds, part = 0;
    struct ff_text date = ff_side_cut_word(&cell), fraction = ff_side_cut_word(&cell);
    struct ff_text clock = ff_text_cut(&fraction, '.');
    if (!ff_nvidia_time(date, clock, &seconds)) {
        side->cells_bad += clock.size != 0;
        return;
    }
    for (uint64_t i = 0, step = second / 10; fraction.at && i < fraction.size && step; i++) {
        part += (uint64_t)(unsigned char)(fraction.at[i] - '0') % 10 * step;
        step /= 10;
    }
    ff_side_fact(side, 0, "local-time", subject, seconds * second + part, "ns");
}

/* "29 %", "2103 MiB", or with nounits the number alone. */
static void take_cell(struct ff_side *side, uint32_t subject, uint32_t column, struct ff_text cell)
{
    struct ff_text unit = ff_profile_text(side->profile, side->column_units[column]);
    ptrdiff_t blank = ff_text_find_last(cell, ' ');
    if (unit.size && blank > 0 && ff_text_equal(ff_text_from(cell, (size_t)blank + 1), unit))
        cell.size = (size_t)blank;
    ff_nvidia_cell(side, subject, side->column_names[column], cell, unit);
}

static bool take(struct ff_side *side, struct ff_text line)
{
    uint32_t cells = 1;
    if (begins(line)) {
        take_head(side, line);
        return true;
    }
    for (size_t i = 0; i < line.size; i++)
        cells += line.at[i] == ',';
    if (!side->column_count || cells != side->column_count)
        return false;
    uint32_t subject = subject_of(side, line);
    take_time(side, subject, cell_of(side, line, &time_column));
    for (uint32_t i = 0; i < side->column_count; i++) {
        struct ff_text cell = cut_cell(&line);
        if (!side->columns[i])
            take_cell(side, subject, i, cell);
    }
    side->phase++;
    return true;
}

/* nvidia-smi prints GPUs in order of their index, in both forms. */
static void ends(struct ff_side *side)
{
    struct ff_profile *profile = side->profile;
    if (!side->phase || side->phase != side->subjects)
        return;
    for (uint32_t i = side->owner; i < profile->facts.count; i++) {
        struct ff_text subject = ff_profile_text(profile, profile->facts.at[i].subject);
        if (ff_text_starts(subject, FF_TEXT("row ")))
            profile->facts.at[i].subject = ff_nvidia_subject(side, "gpu", ff_text_from(subject, 4));
    }
}

const struct ff_side_format ff_side_gpu_query = {FF_TOOL_NVIDIA_SMI, begins, take, ends};
