/* SPDX-License-Identifier: MIT
 *
 * From the tree of stacks to the rules that hold. The hard thing is memory: the bits of a node are
 * needed only while the nodes below it are walked, and a node that changes no bit shares its caller's.
 */
#include "classify/walk.h"
#include "classify/steps.h"

/* What the walk needs of a stack, in one place, because the order of ids is not the tree's: the first
 * stack below it, the next one beside it, its first sample. */
struct node {
    uint32_t child, sibling, sample;
    uint32_t frame;
};

/* The state of a node: bit w of `active` says that word w is not at rest (as before the first frame),
 * and stands in `words`. */
struct state {
    uint64_t *active, *words;
};

struct ff_walk {
    const struct ff_profile *profile;
    struct ff_sorts sorts;
    struct ff_program program;
    struct ff_steps steps;
    uint32_t *list_of_sort;   /* list id + 1; 0: not asked yet */
    uint32_t *list_of_thread; /* list ids */
    uint32_t list_of_state[FF_STATE_COUNT], list_of_population[FF_POPULATION_COUNT];

    struct node *nodes;    /* by stack id */
    uint32_t *next_sample; /* by sample id: of the same stack */
    uint32_t *slots;       /* by depth: which row of `states` the node on the path has */
    uint32_t slot_capacity;
    uint64_t *states; /* rows of active_count + word_count */
    uint32_t state_capacity, active_count;

    /* Of the sample that is visited. */
    struct state state;
    uint64_t *context; /* bits from its thread, state and population; zero between samples */
    uint64_t *touched; /* bit w: word w has such bits */
    uint64_t *resting; /* bit w: word w has rules that hold at rest; the same for all samples */
    uint32_t block;    /* the words 64 * block ... are looked at */
    uint32_t word;     /* this is */
    uint64_t words;    /* bits of the words of the block that are still to be looked at */
    uint64_t ready;    /* rules of the word that are still to be told */
    bool failed;
};

static const struct ff_step_list *list_of_frame(struct ff_walk *walk, uint32_t frame)
{
    uint32_t sort = walk->sorts.of_frame[frame];
    if (!walk->list_of_sort[sort]) {
        ff_program_frame(&walk->program, &walk->sorts, sort, walk->steps.scratch);
        walk->list_of_sort[sort] = ff_steps_take(&walk->steps) + 1;
        walk->failed |= walk->steps.failed;
    }
    return &walk->steps.lists.at[walk->list_of_sort[sort] - 1];
}

static void add_text(struct ff_walk *walk, enum ff_term_type type, uint32_t text)
{
    uint32_t sort = ff_sorts_text(&walk->sorts, ff_profile_text(walk->profile, text));
    ff_program_text(&walk->program, &walk->sorts, sort, type, walk->steps.scratch);
}

static void list_threads(struct ff_walk *walk)
{
    for (uint32_t id = 0; id < walk->profile->threads.count; id++) {
        const struct ff_thread *thread = &walk->profile->threads.at[id];
        add_text(walk, FF_TERM_THREAD, ff_thread_label(walk->profile, id));
        add_text(walk, FF_TERM_COMM, thread->comm);
        add_text(walk, FF_TERM_NAME, thread->name);
        add_text(walk, FF_TERM_ROLE, thread->role);
        walk->list_of_thread[id] = ff_steps_take(&walk->steps);
    }
}

static void list_constants(struct ff_walk *walk)
{
    for (unsigned i = 0; i < FF_STATE_COUNT; i++) {
        ff_program_constant(&walk->program, FF_TERM_STATE, i, walk->steps.scratch);
        walk->list_of_state[i] = ff_steps_take(&walk->steps);
    }
    for (unsigned i = 0; i < FF_POPULATION_COUNT; i++) {
        ff_program_constant(&walk->program, FF_TERM_POPULATION, i, walk->steps.scratch);
        walk->list_of_population[i] = ff_steps_take(&walk->steps);
    }
}

/* The nodes below each node and the samples of each, in ascending order. */
static void link_tree(struct ff_walk *walk)
{
    const struct ff_profile *profile = walk->profile;
    for (uint32_t id = profile->stacks.count; id-- > 1;) {
        struct node *parent = &walk->nodes[profile->stacks.at[id].parent];
        walk->nodes[id].frame = profile->stacks.at[id].frame;
        walk->nodes[id].sibling = parent->child;
        parent->child = id;
    }
    for (uint32_t id = profile->samples.count; id-- > 1;) {
        struct node *node = &walk->nodes[profile->samples.at[id].stack];
        walk->next_sample[id] = node->sample;
        node->sample = id;
    }
}

static bool allocate(struct ff_walk *walk)
{
    const struct ff_profile *profile = walk->profile;
    size_t words = walk->program.word_count;
    walk->list_of_sort = ff_alloc(walk->sorts.sorts.count, sizeof *walk->list_of_sort);
    walk->list_of_thread = ff_alloc(profile->threads.count, sizeof *walk->list_of_thread);
    walk->context = ff_alloc(words, sizeof *walk->context);
    walk->active_count = (uint32_t)(words + 63) / 64;
    walk->touched = ff_alloc(walk->active_count, sizeof *walk->touched);
    walk->resting = ff_alloc(walk->active_count, sizeof *walk->resting);
    walk->nodes = ff_alloc(profile->stacks.count, sizeof *walk->nodes);
    walk->next_sample = ff_alloc(profile->samples.count, sizeof *walk->next_sample);
    return !walk->failed && walk->list_of_sort && walk->list_of_thread &&
           ff_steps_init(&walk->steps, &walk->program) && walk->context && walk->touched &&
           walk->resting && walk->nodes && walk->next_sample;
}

static void list_resting(struct ff_walk *walk)
{
    for (uint32_t w = 0; w < walk->program.word_count; w++) {
        const struct ff_program_word *word = &walk->program.words[w];
        if (ff_program_ready(word, word->initial))
            walk->resting[w / 64] |= UINT64_C(1) << w % 64;
    }
}

/* The sorts of all threads' names, so that the program knows which of them there are. */
static bool sort_threads(struct ff_walk *walk)
{
    const struct ff_profile *profile = walk->profile;
    for (uint32_t id = 0; id < profile->threads.count; id++) {
        const struct ff_thread *thread = &profile->threads.at[id];
        ff_sorts_text(&walk->sorts, ff_profile_text(profile, thread->comm));
        ff_sorts_text(&walk->sorts, ff_profile_text(profile, thread->name));
        ff_sorts_text(&walk->sorts, ff_profile_text(profile, thread->role));
    }
    return !walk->sorts.out_of_memory;
}

struct ff_walk *ff_walk_new(const struct ff_profile *profile, const struct ff_rules *rules)
{
    struct ff_walk *walk = ff_alloc(1, sizeof *walk);
    if (!walk)
        return NULL;
    walk->profile = profile;
    if (ff_sorts_init(&walk->sorts, profile, rules) != FF_OK || !sort_threads(walk) ||
        !ff_program_init(&walk->program, rules, &walk->sorts) || !allocate(walk)) {
        ff_walk_free(walk);
        return NULL;
    }
    list_threads(walk);
    list_constants(walk);
    list_resting(walk);
    link_tree(walk);
    walk->failed |= walk->steps.failed || walk->sorts.out_of_memory;
    return walk;
}

void ff_walk_free(struct ff_walk *walk)
{
    if (!walk)
        return;
    ff_sorts_release(&walk->sorts);
    ff_program_release(&walk->program);
    ff_steps_release(&walk->steps);
    ff_free(walk->list_of_sort);
    ff_free(walk->list_of_thread);
    ff_free(walk->context);
    ff_free(walk->touched);
    ff_free(walk->resting);
    ff_free(walk->nodes);
    ff_free(walk->next_sample);
    ff_free(walk->slots);
    ff_free(walk->states);
    ff_free(walk);
}

/* Row SLOT, which is at most one behind the last one asked for. When memory is out `failed` is set. */
static struct state state_at(struct ff_walk *walk, uint32_t slot)
{
    uint64_t size = (uint64_t)walk->active_count + walk->program.word_count;
    walk->states = ff_grow(walk->states, &walk->state_capacity, (slot + UINT64_C(1)) * size + 1,
                           sizeof *walk->states, &walk->failed);
    uint64_t *row = walk->failed ? NULL : walk->states + slot * size;
    return (struct state){row, row ? row + walk->active_count : NULL};
}

static uint64_t word_of(const struct ff_walk *walk, const struct state *state, uint32_t w)
{
    bool active = state->active[w / 64] >> w % 64 & 1;
    return active ? state->words[w] : walk->program.words[w].initial;
}

/* What is left of the words when a frame is met, before it sets any. */
static bool keep_words(const struct ff_walk *walk, const uint64_t *keep, const struct state *from,
                       struct state *to)
{
    uint64_t changed = 0;
    for (uint32_t block = 0; block < walk->active_count; block++) {
        to->active[block] = from->active[block];
        for (uint64_t bits = from->active[block]; bits; bits &= bits - 1) {
            uint32_t w = block * 64 + (uint32_t)__builtin_ctzll(bits);
            to->words[w] = from->words[w] & keep[w];
            changed |= to->words[w] ^ from->words[w];
            if (to->words[w] == walk->program.words[w].initial)
                to->active[block] &= ~(bits & -bits);
        }
    }
    return changed;
}

static bool apply(const struct ff_walk *walk, const struct ff_step *row, bool outermost,
                  const struct state *from, struct state *to)
{
    const struct ff_program_word *word = &walk->program.words[row->word];
    uint64_t may = word->begin | (word_of(walk, from, row->word) << 1 & word->follow);
    if (outermost)
        may |= word->begin_root;
    uint64_t before = word_of(walk, to, row->word);
    uint64_t after = (before & ~row->clear) | (row->set & may);
    if (after == before)
        return false;
    to->words[row->word] = after;
    to->active[row->word / 64] |= UINT64_C(1) << row->word % 64;
    return true;
}

/* The steps of bits that follow others, for the words that are active. */
static bool apply_following(const struct ff_walk *walk, const struct ff_step_list *list,
                            const struct state *from, struct state *to)
{
    const struct ff_step *steps = walk->steps.steps.at;
    uint32_t low = list->middle;
    bool changed = false;
    for (uint32_t block = 0; block < walk->active_count && low < list->end; block++) {
        for (uint64_t bits = from->active[block]; bits && low < list->end; bits &= bits - 1) {
            uint32_t w = block * 64 + (uint32_t)__builtin_ctzll(bits), high = list->end;
            /* Near where the last one stood, if both are many; else by halves. */
            for (uint32_t near = low, stride = 1; near < high; near += stride, stride *= 2) {
                if (steps[near].word >= w)
                    high = near;
                else
                    low = near + 1;
            }
            while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (steps[middle].word < w)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low < list->end && steps[low].word == w)
                changed |= apply(walk, &steps[low++], false, from, to);
        }
    }
    return changed;
}

/* What FRAME makes of the state in row SLOT: written to the row behind it. False if nothing changed. */
static bool step(struct ff_walk *walk, uint32_t slot, uint32_t frame, bool outermost)
{
    const struct ff_step_list list = *list_of_frame(walk, frame);
    struct state to = state_at(walk, slot + 1);
    if (walk->failed)
        return false;
    struct state from = state_at(walk, slot);
    bool kernel = walk->profile->frames.at[frame].kind == FF_FRAME_KERNEL;
    bool changed =
        keep_words(walk, kernel ? walk->program.keep_kernel : walk->program.keep, &from, &to);
    for (uint32_t i = list.first; i < list.middle; i++)
        changed |= apply(walk, &walk->steps.steps.at[i], outermost, &from, &to);
    return apply_following(walk, &list, &from, &to) || changed;
}

static void add_context(struct ff_walk *walk, uint32_t id)
{
    const struct ff_step_list *list = &walk->steps.lists.at[id];
    for (uint32_t i = list->first; i < list->end; i++) {
        const struct ff_step *row = &walk->steps.steps.at[i];
        walk->context[row->word] |= row->set;
        walk->touched[row->word / 64] |= UINT64_C(1) << row->word % 64;
    }
}

static void clear_context(struct ff_walk *walk)
{
    for (uint32_t block = 0; block < walk->active_count; block++) {
        for (uint64_t bits = walk->touched[block]; bits; bits &= bits - 1)
            walk->context[block * 64 + (uint32_t)__builtin_ctzll(bits)] = 0;
        walk->touched[block] = 0;
    }
}

static void begin_block(struct ff_walk *walk, uint32_t block)
{
    walk->block = block;
    walk->words = 0;
    if (block < walk->active_count)
        walk->words = walk->state.active[block] | walk->touched[block] | walk->resting[block];
}

/* Sample ID and those behind it. */
static bool visit_samples(struct ff_walk *walk, uint32_t id, uint32_t slot, ff_walk_visit *visit,
                          void *context)
{
    bool good = true;
    for (; id && good; id = walk->next_sample[id]) {
        const struct ff_sample *sample = &walk->profile->samples.at[id];
        uint32_t source = ff_sample_source(walk->profile, sample);
        walk->state = state_at(walk, slot);
        if (walk->failed)
            return false;
        add_context(walk, walk->list_of_thread[sample->thread]);
        add_context(walk, walk->list_of_state[sample->state]);
        add_context(walk, walk->list_of_population[walk->profile->sources.at[source].population]);
        walk->ready = 0;
        begin_block(walk, 0);
        good = visit(context, walk, id) && !walk->failed;
        clear_context(walk);
    }
    return good;
}

bool ff_walk_next(struct ff_walk *walk, uint32_t *rule)
{
    while (!walk->ready) {
        while (!walk->words) {
            if (walk->block + 1 >= walk->active_count)
                return false;
            begin_block(walk, walk->block + 1);
        }
        uint32_t w = walk->word = walk->block * 64 + (uint32_t)__builtin_ctzll(walk->words);
        uint64_t bits = word_of(walk, &walk->state, w) | walk->context[w];
        walk->words &= walk->words - 1;
        walk->ready = ff_program_ready(&walk->program.words[w], bits);
    }
    *rule = walk->program.rule_at[walk->word * 64 + (uint32_t)__builtin_ctzll(walk->ready)];
    walk->ready &= walk->ready - 1;
    return true;
}

bool ff_walk_run(struct ff_walk *walk, ff_walk_visit *visit, void *context)
{
    const struct node *nodes = walk->nodes;
    uint32_t depth = 0, node = nodes[0].child;
    struct state rest = state_at(walk, 0);
    if (walk->failed)
        return false;
    memset(rest.active, 0, walk->active_count * sizeof *rest.active);
    bool good = visit_samples(walk, nodes[0].sample, 0, visit, context);
    while (node && good) {
        walk->slots = ff_grow(walk->slots, &walk->slot_capacity, (uint64_t)depth + 1,
                              sizeof *walk->slots, &walk->failed);
        if (walk->failed)
            return false;
        /* Rows of samples lie anywhere: they come while the bits are worked on. */
        __builtin_prefetch(&walk->profile->samples.at[nodes[node].sample]);
        __builtin_prefetch(&walk->next_sample[nodes[node].sample]);
        __builtin_prefetch(&nodes[nodes[node].child]);
        __builtin_prefetch(&nodes[nodes[node].sibling]);
        uint32_t slot = depth ? walk->slots[depth - 1] : 0;
        slot += step(walk, slot, nodes[node].frame, !depth);
        walk->slots[depth] = slot;
        good = !walk->failed && visit_samples(walk, nodes[node].sample, slot, visit, context);
        if (nodes[node].child) {
            node = nodes[node].child;
            depth++;
            continue;
        }
        for (; node && !nodes[node].sibling; depth--)
            node = walk->profile->stacks.at[node].parent;
        node = nodes[node].sibling;
    }
    return good && !walk->failed;
}

const struct ff_sorts *ff_walk_sorts(const struct ff_walk *walk)
{
    return &walk->sorts;
}
