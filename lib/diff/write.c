/* SPDX-License-Identifier: MIT
 *
 * A diff as text and as folded text with two counts. The hard thing is saying plainly what is noise.
 */
#include "diff/diff.h"

#include <math.h>
#include <stdlib.h>

#define NAME_COLUMNS 100

static void put_side(const struct ff_diff_side *side, const char *letter, struct ff_output *output)
{
    ff_output_format(output, "%s  %.*s: %.*s, counts %.*s, ", letter, FF_TEXT_ARGS(side->name),
                     FF_TEXT_ARGS(side->event), FF_TEXT_ARGS(side->population));
    ff_output_decimal(output, side->total);
    ff_output_string(output, " samples");
    if (side->duration_ns)
        ff_output_format(output, " in %.1f s", (double)side->duration_ns / 1e9);
    ff_output_byte(output, '\n');
}

/* 95 % interval of B's rate or share against A's: Wald's for the logarithm, half a sample added to each
 * count. */
static void put_ratio(const struct ff_diff *diff, const struct ff_diff_row *row,
                      struct ff_output *output)
{
    const struct ff_diff_side *a = &diff->side[0], *b = &diff->side[1];
    double x = (double)row->count[0] + 0.5, y = (double)row->count[1] + 0.5;
    double scale = diff->options.by_time ? (double)a->duration_ns / (double)b->duration_ns
                                         : (double)a->total / (double)b->total;
    double variance = 1 / x + 1 / y;
    if (!diff->options.by_time)
        variance -= 1 / ((double)a->total + 0.5) + 1 / ((double)b->total + 0.5);
    double ratio = y / x * scale, wide = exp(1.959964 * sqrt(variance > 0 ? variance : 0));
    if (!row->count[0] || !row->count[1])
        ff_output_format(output, " %7s", row->count[0] ? "gone" : "new");
    else
        ff_output_format(output, " %+7.2f", fabs(log2(ratio)) < 0.005 ? 0.0 : log2(ratio));
    ff_output_format(output, "  %5.2f - %-6.2f", ratio / wide, ratio * wide);
}

/* A row within noise says so; its numbers stay, so that the reader can see how near they are. */
static void put_numbers(const struct ff_diff *diff, const struct ff_diff_row *row,
                        struct ff_output *output)
{
    for (int side = 0; side < 2; side++)
        ff_output_format(output, diff->options.by_time ? " %8.1f" : " %6.1f %%",
                         (double)row->thousandth[side] / (diff->options.by_time ? 1000.0 : 10.0));
    put_ratio(diff, row, output);
    ff_output_format(output, "  %-12s  ", row->differs ? "differs" : "within noise");
}

static void put_row(const struct ff_diff *diff, const struct ff_diff_row *row,
                    struct ff_output *output)
{
    put_numbers(diff, row, output);
    ff_output_text(output, ff_text_slice(row->name, 0, NAME_COLUMNS));
    if (row->name.size > NAME_COLUMNS)
        ff_output_string(output, "...");
    ff_output_byte(output, '\n');
}

/* A stack's innermost frames are what differs: its name is shown from its end. */
static void put_stack_row(const struct ff_diff *diff, const struct ff_diff_row *row,
                          struct ff_output *output)
{
    struct ff_diff_row shown = *row;
    size_t size = shown.name.size;
    if (size > NAME_COLUMNS) {
        shown.name = ff_text_from(shown.name, size - NAME_COLUMNS + 3);
        ptrdiff_t next = ff_text_find(shown.name, ';');
        if (next >= 0)
            shown.name = ff_text_from(shown.name, (size_t)next);
    }
    put_numbers(diff, &shown, output);
    ff_output_string(output, shown.name.size < size ? "..." : "");
    ff_output_text(output, shown.name);
    ff_output_byte(output, '\n');
}

static uint32_t count_different(const struct ff_diff_rows *rows)
{
    uint32_t count = 0;
    while (count < rows->count && rows->at[count].differs)
        count++;
    return count;
}

static void put_rows(const struct ff_diff *diff, const char *title, const struct ff_diff_rows *rows,
                     uint32_t limit, struct ff_output *output)
{
    uint32_t different = count_different(rows), shown = rows->count < limit ? rows->count : limit;
    ff_output_format(output, "\n%s: ", title);
    if (different)
        ff_output_format(output, "%u of %u differ beyond noise\n", different, rows->count);
    else
        ff_output_format(output, "all %u within noise: nothing can be said to differ\n",
                         rows->count);
    ff_output_string(output, diff->options.by_time
                                 ? "      A/s      B/s    log2  B/A, 95 % interval\n"
                                 : "       A        B    log2  B/A, 95 % interval\n");
    for (uint32_t i = 0; i < shown; i++) {
        if (rows == &diff->stacks)
            put_stack_row(diff, &rows->at[i], output);
        else
            put_row(diff, &rows->at[i], output);
    }
    if (shown < rows->count)
        ff_output_format(output, "  ... %u more, %u of them differ\n", rows->count - shown,
                         different > shown ? different - shown : 0);
}

void ff_diff_text(const struct ff_diff *diff, struct ff_output *output)
{
    put_side(&diff->side[0], "A", output);
    put_side(&diff->side[1], "B", output);
    if (!ff_text_equal(diff->side[0].population, diff->side[1].population))
        ff_output_string(output,
                         "The two count different moments: part of the difference is that, and "
                         "no test can tell which.\n");
    ff_output_string(output, diff->options.by_time
                                 ? "Compared by samples a second (exact Poisson test)."
                                 : "Compared by share of the samples (permutation test).");
    ff_output_string(output, " log2: of B/A.\n"
                             "Of the rows that differ, 5 % are expected to be chance.\n");
    put_rows(diff, "Buckets", &diff->buckets, UINT32_MAX, output);
    put_rows(diff, "Roles of threads", &diff->roles, UINT32_MAX, output);
    put_rows(diff, "Stacks", &diff->stacks,
             diff->options.stack_limit ? diff->options.stack_limit : 20, output);
}

static int compare_names(const void *a, const void *b)
{
    const struct ff_diff_row *const *x = a, *const *y = b;
    return ff_text_compare((*x)->name, (*y)->name);
}

static void put_folded(const struct ff_diff *diff, const struct ff_diff_row *row, bool picture,
                       struct ff_output *output)
{
    uint64_t a = row->count[0], b = row->count[1];
    if (picture) {
        a = (uint64_t)((double)a * (double)diff->side[1].total / (double)diff->side[0].total + 0.5);
        if (!b && a)
            ff_output_string(output, "[only in A];");
    }
    ff_output_text(output, row->name);
    ff_output_byte(output, ' ');
    /* Width is the second count, colour the difference: what is gone keeps a width and is blue. */
    ff_output_decimal(output, picture && !b ? 2 * a : a);
    ff_output_byte(output, ' ');
    ff_output_decimal(output, picture && !b ? a : b);
    ff_output_byte(output, '\n');
}

void ff_diff_folded(const struct ff_diff *diff, bool picture, struct ff_output *output)
{
    const struct ff_diff_row **rows = ff_alloc(diff->stacks.count, sizeof *rows);
    for (uint32_t i = 0; rows && i < diff->stacks.count; i++)
        rows[i] = &diff->stacks.at[i];
    if (rows && diff->stacks.count)
        qsort(rows, diff->stacks.count, sizeof *rows, compare_names);
    for (uint32_t i = 0; rows && i < diff->stacks.count; i++)
        put_folded(diff, rows[i], picture, output);
    output->out_of_memory |= !rows;
    ff_free(rows);
}
