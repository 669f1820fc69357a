/* SPDX-License-Identifier: MIT
 *
 * What a reader who sees only the picture has to know of the profile. The hard thing is to say what is
 * missing as plainly as what is there.
 */
#include "draw/picture.h"

#include "draw/number.h"

static void put_count(struct ff_output *pieces, uint64_t count, const char *one, const char *many)
{
    ff_number_grouped(pieces, count);
    ff_output_string(pieces, count == 1 ? one : many);
}

static void put_weight(const struct ff_tree *tree, struct ff_output *pieces)
{
    struct ff_text unit = ff_intern_text(&tree->names, tree->weight_unit);
    if (ff_text_equal(unit, FF_TEXT("ns"))) {
        ff_number_time(pieces, tree->weight);
        return;
    }
    ff_number_grouped(pieces, tree->weight);
    ff_output_byte(pieces, ' ');
    ff_output_text(pieces, unit);
}

/* "1,234 samples of cpu-clock, 6.2 s", "6.2 s of cpu-clock in 1,234 samples" */
static void put_total(const struct ff_tree *tree, struct ff_output *pieces)
{
    struct ff_text event = ff_intern_text(&tree->names, tree->event_name);
    struct ff_text unit = ff_intern_text(&tree->names, tree->weight_unit);
    ff_picture_amount(tree, pieces, tree->nodes[0].total);
    if (event.size && !ff_text_equal(event, FF_TEXT("samples"))) {
        ff_output_string(pieces, " of ");
        ff_output_text(pieces, event);
    }
    if (tree->one == 1) {
        ff_output_string(pieces, " in ");
        ff_number_amount(pieces, tree->sample_count, FF_COUNT_ONE);
        ff_output_string(pieces, " samples");
    } else if (tree->weight && unit.size && !ff_text_equal(unit, FF_TEXT("samples"))) {
        ff_output_string(pieces, ", ");
        put_weight(tree, pieces);
    }
    ff_output_byte(pieces, '\n');
}

/* "lost by the kernel: 1.2 % (24 samples)" */
static void put_missing(const struct ff_tree *tree, struct ff_output *pieces, const char *what,
                        uint64_t count)
{
    uint64_t seen = tree->sample_count / FF_COUNT_ONE;
    if (!count)
        return;
    ff_output_string(pieces, what);
    ff_picture_percent(pieces, count, seen + count);
    ff_output_string(pieces, " (");
    put_count(pieces, count, " sample)\n", " samples)\n");
}

static void put_part(const struct ff_tree *tree, struct ff_output *pieces, uint64_t part,
                     const char *what)
{
    if (!part)
        return;
    ff_picture_percent(pieces, part, tree->sample_count);
    ff_output_string(pieces, what);
}

static void collect_facts(const struct ff_tree *tree, struct ff_output *pieces)
{
    const struct ff_intern *names = &tree->names;
    put_total(tree, pieces);
    if (tree->duration_ns) {
        ff_output_string(pieces, "over ");
        ff_number_time(pieces, tree->duration_ns);
        ff_output_byte(pieces, '\n');
    }
    put_count(pieces, tree->thread_count, " thread\n", " threads\n");
    if (tree->source) {
        ff_output_text(pieces, ff_intern_text(names, tree->source_name));
        ff_output_byte(pieces, '\n');
    }
    put_missing(tree, pieces, "lost in recording: ", tree->lost_count);
    put_missing(tree, pieces, "left out: ", tree->left_count);
    put_part(tree, pieces, tree->sample_count - tree->unwound_count - tree->stitched_count,
             " of the stacks end too early\n");
    put_part(tree, pieces, tree->stitched_count, " are completed from other stacks\n");
}

/* "[truncated] 38.7 %": by marker, in the order of the tree. */
static void collect_cuts(const struct ff_tree *tree, struct ff_output *pieces)
{
    bool told = false;
    for (uint32_t n = 0; n < tree->node_count; n++) {
        uint64_t sum = 0;
        bool first = tree->nodes[n].kind == FF_NODE_MARKER;
        for (uint32_t i = 0; first && i < n; i++)
            first =
                tree->nodes[i].kind != FF_NODE_MARKER || tree->nodes[i].name != tree->nodes[n].name;
        for (uint32_t i = n; first && i < tree->node_count; i++) {
            if (tree->nodes[i].kind == FF_NODE_MARKER && tree->nodes[i].name == tree->nodes[n].name)
                sum += tree->nodes[i].total;
        }
        if (!sum)
            continue;
        if (!told)
            ff_output_string(pieces, "callers are missing outside of the marks ");
        told = true;
        ff_output_text(pieces, ff_node_name(tree, n));
        ff_output_byte(pieces, ' ');
        ff_picture_percent(pieces, sum, tree->nodes[0].total);
        ff_output_byte(pieces, '\n');
    }
}

static void collect_difference(const struct ff_picture *picture, struct ff_output *pieces)
{
    const struct ff_difference *difference = &picture->legend.difference;
    const struct ff_tree *before = picture->options->before;
    if (!difference->before)
        return;
    ff_output_string(pieces, "compared with ");
    ff_output_text(pieces, ff_intern_text(&before->names, before->source_name));
    ff_output_string(pieces, ", ");
    ff_picture_amount(before, pieces, difference->whole);
    ff_output_string(pieces, ", of which ");
    ff_picture_percent(pieces, difference->gone, difference->whole);
    ff_output_string(pieces, " lie in stacks that are not here\n");
}

static void collect_drawn(struct ff_picture *picture, struct ff_output *pieces)
{
    uint32_t depth = 0;
    const struct ff_tree *tree = picture->tree;
    for (uint32_t n = 0; n < tree->node_count; n++)
        depth = tree->nodes[n].depth > depth ? tree->nodes[n].depth : depth;
    if (!tree->nodes[0].total)
        ff_output_string(pieces, "No samples.\n");
    ff_number_grouped(pieces, picture->layout.count);
    ff_output_string(pieces, " of ");
    put_count(pieces, tree->node_count, " box is drawn", " boxes are drawn");
    ff_output_string(pieces, picture->layout.left_out ? ", the largest ones\n" : "\n");
    if (depth + 1 > picture->layout.row_count) {
        ff_output_string(pieces, "stacks reach ");
        put_count(pieces, depth + 1 - picture->layout.row_count, " row further\n",
                  " rows further\n");
    }
}

void ff_picture_collect(struct ff_picture *picture)
{
    collect_facts(picture->tree, &picture->facts);
    collect_difference(picture, &picture->facts);
    collect_drawn(picture, &picture->cuts);
    collect_cuts(picture->tree, &picture->cuts);
}
