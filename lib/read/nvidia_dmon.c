/* SPDX-License-Identifier: MIT
 *
 * `nvidia-smi dmon`: two head lines, titles and units, then a row for each GPU and second.
 */
#include "read/nvidia.h"

/* Columns that say of what and when a row is, beside which all others are facts. */
static const struct ff_side_column columns[] = {
    {"gpu", NULL, NULL, FF_SIDE_PROCESS}, /* of what */
    {"Date", NULL, NULL, FF_SIDE_THREAD}, /* when */
    {"Time", NULL, NULL, FF_SIDE_COMMAND},
    {0},
};

#define SECOND UINT64_C(1000000000)

enum { PHASE_TITLES, PHASE_UNITS };

static bool has(struct ff_text text, const char *part)
{
    return ff_text_find_text(text, ff_text(part)) >= 0;
}

/* "# gpu     sm    mem", "#Date        Time         gpu    pwr" */
static bool begins(struct ff_text line)
{
    return ff_text_starts(line, FF_TEXT("#")) && has(line, " gpu ") &&
           (has(line, " sm ") || has(line, " pwr ") || has(line, " mclk ") || has(line, " fb ") ||
            has(line, " rxpci ") || has(line, " pviol "));
}

static void take_titles(struct ff_side *side, struct ff_text line)
{
    struct ff_text rest = line;
    ff_side_head(side, columns, line);
    for (uint32_t i = 0; i < side->column_count; i++) {
        struct ff_text title = ff_side_cut_word(&rest);
        side->column_names[i] = ff_nvidia_fact_name(side->profile, title);
        side->column_units[i] = 0;
    }
}

static void take_units(struct ff_side *side, struct ff_text line)
{
    for (uint32_t i = 0; i < side->column_count; i++)
        side->column_units[i] = ff_profile_intern(side->profile, ff_side_cut_word(&line));
}

/* The cell of the column of that kind. */
static struct ff_text cell_of(const struct ff_side *side, struct ff_text row,
                              enum ff_side_value kind)
{
    for (uint32_t i = 0; i < side->column_count; i++) {
        struct ff_text cell = ff_side_cut_word(&row);
        if (side->columns[i] && side->columns[i]->value == kind)
            return cell;
    }
    return FF_TEXT("");
}

static bool take_row(struct ff_side *side, struct ff_text row)
{
    uint64_t number, seconds;
    struct ff_profile *profile = side->profile;
    struct ff_text gpu = cell_of(side, row, FF_SIDE_PROCESS);
    if (!ff_text_decimal(gpu, &number))
        return false;
    uint32_t subject = ff_nvidia_subject(side, "gpu", gpu);
    side->subjects =
        number < 1024 && number + 1 > side->subjects ? (uint32_t)number + 1 : side->subjects;
    struct ff_text date = cell_of(side, row, FF_SIDE_THREAD);
    struct ff_text clock = cell_of(side, row, FF_SIDE_COMMAND);
    if (ff_nvidia_time(date, clock, &seconds))
        ff_side_fact(side, 0, "local-time", subject, seconds * SECOND, "ns");
    else if (ff_side_clock(clock, &seconds))
        ff_side_fact(side, 0, "time-of-day", subject, seconds * SECOND, "ns");
    for (uint32_t i = 0; i < side->column_count; i++) {
        struct ff_text cell = ff_side_cut_word(&row);
        if (!side->columns[i])
            ff_nvidia_cell(side, subject, side->column_names[i], cell,
                           ff_profile_text(profile, side->column_units[i]));
    }
    while (ff_side_cut_word(&row).size)
        side->cells_unused++;
    return true;
}

/* The titles and units come again after some rows. */
static bool take(struct ff_side *side, struct ff_text line)
{
    if (!ff_text_starts(line, FF_TEXT("#")))
        return side->column_count && take_row(side, line);
    line = ff_text_from(line, 1);
    if (side->phase == PHASE_UNITS)
        take_units(side, line);
    else
        take_titles(side, line);
    side->phase = side->phase == PHASE_UNITS ? PHASE_TITLES : PHASE_UNITS;
    return true;
}

const struct ff_side_format ff_side_dmon = {FF_TOOL_NVIDIA_SMI, begins, take, NULL};
