/* SPDX-License-Identifier: MIT
 *
 * Samples to nodes. The hard thing: a profile keeps one stack tree for all threads, the picture has
 * one below each prefix; so samples are taken prefix by prefix, and within one every stack of the
 * profile is looked up once.
 */
#include "fold/tree.h"

#include <stdlib.h>

#include "base/memory.h"
#include "fold/arrange.h"
#include "fold/facts.h"
#include "base/groups.h"
#include "fold/label.h"
#include "profile/select.h"

struct builder {
    struct ff_tree *tree;
    struct ff_profile *profile;
    const struct ff_fold_options *options;
    struct ff_labels labels;
    struct ff_entry *entries;
    uint32_t entry_count, entry_capacity, node_capacity;
    struct ff_map children; /* (parent, name) to node */
    bool failed;            /* memory ran out */
};

enum ff_status ff_fold_options_roots(struct ff_fold_options *options, struct ff_text list,
                                     struct ff_error *error)
{
    static const char *const words[] = {
#define X(name, word) word,
        FF_ROOT_TABLE(X)
#undef X
    };
    options->root_count = 0;
    while (list.at) {
        struct ff_text word = ff_text_cut(&list, ',');
        uint8_t root = 0;
        struct ff_text key = word, name = ff_text_cut(&key, ':');
        while (root < FF_ROOT_COUNT && !ff_text_equal(name, ff_text(words[root])))
            root++;
        if (name.size < word.size && (root != FF_ROOT_TAG || !key.size))
            root = FF_ROOT_COUNT;
        if (root == FF_ROOT_COUNT)
            return ff_error_set(error, FF_USAGE,
                                "'%.*s' is no root; use none, comm, source, process, thread, "
                                "role, bucket, tag, tag:KEY, state or event",
                                FF_TEXT_ARGS(word));
        if (options->root_count == FF_ROOT_LIMIT)
            return ff_error_set(error, FF_USAGE, "more than %d roots", FF_ROOT_LIMIT);
        options->keys[options->root_count] = key;
        options->roots[options->root_count++] = root;
    }
    return FF_OK;
}

static uint32_t add_node(struct builder *builder, struct ff_node node)
{
    struct ff_tree *tree = builder->tree;
    tree->nodes = ff_grow(tree->nodes, &builder->node_capacity, (uint64_t)tree->node_count + 1,
                          sizeof *tree->nodes, &builder->failed);
    if (tree->node_count >= builder->node_capacity)
        return 0;
    tree->nodes[tree->node_count] = node;
    return tree->node_count++;
}

static uint8_t smaller(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* The node with this parent and name, added if need be. */
static uint32_t child_of(struct builder *builder, struct ff_node wanted)
{
    uint64_t hash = ff_hash_mix(wanted.parent, wanted.name);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&builder->children, hash, &probe); id;
         id = ff_map_next(&builder->children, &probe)) {
        struct ff_node *node = &builder->tree->nodes[id];
        if (node->parent != wanted.parent || node->name != wanted.name)
            continue;
        node->kind = smaller(node->kind, wanted.kind);
        node->how = smaller(node->how, wanted.how);
        node->frame_kind = smaller(node->frame_kind, wanted.frame_kind);
        node->module_kind = smaller(node->module_kind, wanted.module_kind);
        return id;
    }
    uint32_t id = add_node(builder, wanted);
    if (id)
        ff_map_add(&builder->children, hash, id);
    return id;
}

/* The node under which the frames of a sample begin. */
static uint32_t prefix_of(struct builder *builder, const struct ff_sample *sample)
{
    static const uint8_t comm_alone[] = {FF_ROOT_COMM};
    const uint8_t *roots = builder->options->root_count ? builder->options->roots : comm_alone;
    uint32_t count = builder->options->root_count ? builder->options->root_count : 1;
    struct ff_node node = {.kind = FF_NODE_ROOT};
    for (uint32_t i = 0; i < count; i++) {
        /* Folded text has no threads: what stood above its frames is a frame already. */
        const struct ff_thread *thread = &builder->profile->threads.at[sample->thread];
        bool nameless = roots[i] == FF_ROOT_COMM && !thread->comm && !thread->name;
        if (roots[i] == FF_ROOT_NONE || nameless)
            continue;
        node.name = roots[i] == FF_ROOT_TAG
                        ? ff_label_tag(&builder->labels, builder->options->keys[i], sample)
                        : ff_label_root(&builder->labels, roots[i], sample);
        node.parent = child_of(builder, node);
    }
    node.kind = FF_NODE_MARKER;
    node.name = ff_label_state(&builder->labels, sample->state);
    return node.name ? child_of(builder, node) : node.parent;
}

static uint64_t amount_of(const struct builder *builder, const struct ff_sample *sample)
{
    return builder->options->weights ? sample->weight : sample->count;
}

/* One entry for each sample row that is wanted, its node being the prefix for now, its bucket the
 * id in the profile. */
static enum ff_status take_samples(struct builder *builder)
{
    struct ff_profile *profile = builder->profile;
    struct ff_tree *tree = builder->tree;
    uint64_t sum = 0;
    for (uint32_t id = 1; id < profile->samples.count; id++) {
        const struct ff_sample *sample = &profile->samples.at[id];
        uint64_t amount = amount_of(builder, sample);
        if (sample->event != tree->event)
            continue;
        if (amount > UINT64_MAX - sum || sample->count > UINT64_MAX - tree->sample_count)
            return ff_error_set(&profile->error, FF_BAD_INPUT,
                                "the amounts of event '%.*s' add up to more than 64 bits hold; "
                                "fold sample counts",
                                FF_TEXT_ARGS(ff_intern_text(&tree->names, tree->event_name)));
        sum += amount;
        tree->sample_count += sample->count;
        if (sample->state == FF_STATE_RECORDED || sample->state == FF_STATE_COMPLETE)
            tree->unwound_count += sample->count;
        if (sample->state == FF_STATE_STITCHED)
            tree->stitched_count += sample->count;
        builder->entries =
            ff_grow(builder->entries, &builder->entry_capacity, (uint64_t)builder->entry_count + 1,
                    sizeof *builder->entries, &builder->failed);
        if (builder->failed)
            return FF_OK;
        builder->entries[builder->entry_count++] =
            (struct ff_entry){prefix_of(builder, sample), sample->stack, sample->bucket, amount};
    }
    return FF_OK;
}

struct bucket_row {
    struct ff_text text;
    uint32_t id; /* in the profile; 0 = none */
};

/* "None" last, the others by name. */
static int compare_buckets(const void *a, const void *b)
{
    const struct bucket_row *x = a, *y = b;
    if (!x->id || !y->id)
        return !x->id - !y->id;
    return ff_text_compare(x->text, y->text);
}

/* The distinct buckets of the entries, sorted; INDEX gets a mark at each. */
static struct bucket_row *list_buckets(struct builder *builder, uint32_t *index, uint32_t *count)
{
    struct bucket_row *rows = NULL;
    uint32_t capacity = 0;
    *count = 0;
    for (uint32_t i = 0; i < builder->entry_count; i++) {
        uint32_t id = builder->entries[i].bucket;
        if (index[id])
            continue;
        index[id] = 1;
        rows = ff_grow(rows, &capacity, (uint64_t)*count + 1, sizeof *rows, &builder->failed);
        if (*count < capacity)
            rows[(*count)++] = (struct bucket_row){ff_profile_text(builder->profile, id), id};
    }
    if (rows)
        qsort(rows, *count, sizeof *rows, compare_buckets);
    return rows;
}

/* Makes tree->buckets and turns the entries' buckets into indexes of it. */
static void number_buckets(struct builder *builder)
{
    struct ff_tree *tree = builder->tree;
    uint32_t *index = ff_alloc(builder->profile->texts.count + (size_t)1, sizeof *index);
    uint32_t count = 0;
    struct bucket_row *rows = index ? list_buckets(builder, index, &count) : NULL;
    tree->buckets = ff_alloc(FF_BUCKET_LIMIT, sizeof *tree->buckets);
    builder->failed |= !index || !tree->buckets;
    for (uint32_t i = 0; !builder->failed && i < count; i++) {
        bool none = !rows[i].id, crowded = count > FF_BUCKET_LIMIT;
        uint32_t at = none ? tree->bucket_count : i;
        if (crowded && !none && i > FF_BUCKET_LIMIT - 2)
            at = FF_BUCKET_LIMIT - 2;
        if (at == tree->bucket_count)
            tree->buckets[tree->bucket_count++].name =
                none ? 0
                     : ff_label_text(&builder->labels, crowded && at == FF_BUCKET_LIMIT - 2
                                                           ? FF_TEXT("[other buckets]")
                                                           : rows[i].text);
        index[rows[i].id] = at;
    }
    for (uint32_t i = 0; !builder->failed && i < builder->entry_count; i++) {
        struct ff_entry *entry = &builder->entries[i];
        entry->bucket = index[entry->bucket];
        tree->buckets[entry->bucket].amount += entry->amount;
    }
    ff_free(rows);
    ff_free(index);
}

/* What is known of the profile's stacks below the prefix that is being worked on. */
struct placed {
    uint32_t *round, *node; /* by stack; node is valid where round is the current one */
    uint32_t *path;
};

static uint32_t place_stack(struct builder *builder, struct placed *placed, uint32_t round,
                            uint32_t prefix, uint32_t stack)
{
    const struct ff_profile *profile = builder->profile;
    uint32_t depth = 0;
    while (stack && placed->round[stack] != round) {
        uint32_t parent = profile->stacks.at[stack].parent;
        placed->path[depth++] = stack;
        stack = parent < stack ? parent : 0; /* never a circle, whatever a stream said */
    }
    struct ff_node node = {.kind = FF_NODE_FRAME};
    node.parent = stack ? placed->node[stack] : prefix;
    while (depth) {
        stack = placed->path[--depth];
        uint32_t id = profile->stacks.at[stack].frame;
        const struct ff_frame *frame = &profile->frames.at[id];
        node.name = ff_label_frame(&builder->labels, id);
        node.how = frame->how;
        node.frame_kind = frame->kind;
        node.module_kind = profile->modules.at[frame->module].kind;
        node.parent = child_of(builder, node);
        placed->round[stack] = round;
        placed->node[stack] = node.parent;
    }
    return node.parent;
}

static void place_entries(struct builder *builder, struct placed *placed,
                          const struct ff_groups *groups, uint32_t prefix_count)
{
    for (uint32_t prefix = 0; prefix < prefix_count; prefix++) {
        for (uint32_t i = groups->start[prefix]; i < groups->start[prefix + 1]; i++) {
            struct ff_entry *entry = &builder->entries[groups->items[i]];
            entry->node = place_stack(builder, placed, prefix + 1, prefix, entry->stack);
        }
    }
}

/* Moves each entry from its prefix to the node where its stack ends. */
static void place_stacks(struct builder *builder)
{
    uint32_t count = builder->entry_count, prefix_count = builder->tree->node_count;
    size_t stack_count = builder->profile->stacks.count;
    struct ff_groups groups = {0};
    struct placed placed = {ff_alloc(stack_count, sizeof(uint32_t)),
                            ff_alloc(stack_count, sizeof(uint32_t)),
                            ff_alloc(stack_count, sizeof(uint32_t))};
    uint32_t *keys = ff_alloc(count, sizeof *keys);
    builder->failed |= !placed.round || !placed.node || !placed.path || !keys;
    for (uint32_t i = 0; !builder->failed && i < count; i++)
        keys[i] = builder->entries[i].node;
    if (!builder->failed && ff_groups_make(&groups, keys, count, prefix_count, NULL))
        place_entries(builder, &placed, &groups, prefix_count);
    else
        builder->failed = true;
    ff_groups_release(&groups);
    ff_free(keys);
    ff_free(placed.round);
    ff_free(placed.node);
    ff_free(placed.path);
}

/* A node for each stack: of most profiles that is what comes, and a table that grows has up to half of
 * its room to spare, and two copies while it does. */
static void reserve_nodes(struct builder *builder)
{
    struct ff_tree *tree = builder->tree;
    uint64_t most = tree->node_count + (uint64_t)builder->profile->stacks.count;
    bool sparse = builder->entry_count < builder->profile->samples.count / 2;
    if (!sparse)
        tree->nodes = ff_grow(tree->nodes, &builder->node_capacity, most, sizeof *tree->nodes,
                              &builder->failed);
}

/* Chooses source and event and notes what they are called. */
static enum ff_status choose(struct builder *builder)
{
    struct ff_profile *profile = builder->profile;
    const struct ff_fold_options *options = builder->options;
    struct ff_tree *tree = builder->tree;
    if (options->event >= profile->events.count || options->source >= profile->sources.count)
        return ff_error_set(&profile->error, FF_USAGE, "no such event or source in the profile");
    const struct ff_event *event = &profile->events.at[options->event];
    tree->source = options->source;
    if (!tree->source)
        tree->source = options->event ? event->source : ff_select_main_source(profile);
    tree->event = options->event ? options->event : ff_select_main_event(profile, tree->source);
    event = &profile->events.at[tree->event];
    if (tree->event && event->source != tree->source)
        return ff_error_set(
            &profile->error, FF_USAGE, "event '%.*s' is not of source '%.*s'",
            FF_TEXT_ARGS(ff_profile_text(profile, event->name)),
            FF_TEXT_ARGS(ff_profile_text(profile, profile->sources.at[tree->source].name)));
    tree->one = options->weights ? 1 : FF_COUNT_ONE;
    tree->source_name = ff_label_text(
        &builder->labels, ff_profile_text(profile, profile->sources.at[tree->source].name));
    tree->event_name = ff_label_text(&builder->labels, ff_profile_text(profile, event->name));
    tree->unit =
        ff_label_text(&builder->labels, options->weights ? ff_profile_text(profile, event->unit)
                                                         : FF_TEXT("samples"));
    return FF_OK;
}

static enum ff_status build(struct builder *builder)
{
    struct ff_tree *tree = builder->tree;
    if (!tree || !ff_labels_init(&builder->labels, tree, builder->profile, builder->options))
        return FF_NO_MEMORY;
    add_node(builder, (struct ff_node){.kind = FF_NODE_ALL,
                                       .name = ff_label_text(&builder->labels, FF_TEXT("all"))});
    enum ff_status status = choose(builder);
    if (status == FF_OK && tree->event)
        status = take_samples(builder);
    if (status != FF_OK)
        return status;
    number_buckets(builder);
    if (!builder->failed && tree->event)
        builder->failed |= !ff_tree_note_facts(&builder->labels, builder->entries);
    if (!builder->failed) {
        reserve_nodes(builder);
        place_stacks(builder);
    }
    builder->failed |=
        builder->children.failed || tree->names.failed || builder->labels.scratch.out_of_memory;
    ff_map_release(&builder->children);
    if (builder->failed || !ff_tree_arrange(tree, builder->entries, builder->entry_count))
        return FF_NO_MEMORY;
    return ff_profile_status(builder->profile);
}

enum ff_status ff_tree_build(struct ff_tree **tree, struct ff_profile *profile,
                             const struct ff_fold_options *options)
{
    struct builder builder = {
        .tree = ff_alloc(1, sizeof **tree), .profile = profile, .options = options};
    enum ff_status status = build(&builder);
    if (status == FF_NO_MEMORY)
        ff_error_set(&profile->error, FF_NO_MEMORY, "out of memory while folding");
    ff_labels_release(&builder.labels);
    ff_map_release(&builder.children);
    ff_free(builder.entries);
    if (status != FF_OK) {
        ff_tree_free(builder.tree);
        builder.tree = NULL;
    }
    *tree = builder.tree;
    return status;
}

void ff_tree_free(struct ff_tree *tree)
{
    if (!tree)
        return;
    ff_intern_release(&tree->names);
    ff_free(tree->nodes);
    ff_free(tree->shares);
    ff_free(tree->buckets);
    ff_free(tree->threads);
    ff_free(tree->thread_shares);
    ff_free(tree);
}
