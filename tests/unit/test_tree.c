/* SPDX-License-Identifier: MIT
 *
 * Trees made from hand-made profiles: what is one node, in which order, with which sums.
 */
#include "check.h"

#include "fold/tree.h"
#include "base/memory.h"

struct maker {
    struct ff_profile *profile;
    uint32_t source, event, process, module, kernel;
};

static struct maker maker_new(void)
{
    struct maker m = {.profile = ff_profile_new()};
    m.source = ff_source_add(
        m.profile, (struct ff_source){.name = ff_profile_intern(m.profile, FF_TEXT("a.data")),
                                      .tool = FF_TOOL_PERF});
    m.event = ff_event_add(
        m.profile, (struct ff_event){m.source, ff_profile_intern(m.profile, FF_TEXT("cpu-clock")),
                                     ff_profile_intern(m.profile, FF_TEXT("ns"))});
    m.process = ff_process_add(m.profile, (struct ff_process){m.source, 612, 0});
    m.module = ff_module_add(
        m.profile, (struct ff_module){.kind = FF_MODULE_ELF,
                                      .path = ff_profile_intern(m.profile, FF_TEXT("/l/libx.so"))});
    m.kernel = ff_module_add(
        m.profile, (struct ff_module){.kind = FF_MODULE_KERNEL,
                                      .path = ff_profile_intern(m.profile, FF_TEXT("[kernel]"))});
    return m;
}

static uint32_t thread(struct maker *m, uint32_t tid, const char *comm)
{
    uint32_t name = ff_profile_intern(m->profile, ff_text(comm));
    return ff_thread_add(m->profile, (struct ff_thread){.process = m->process,
                                                        .tid = tid,
                                                        .comm = name,
                                                        .role = ff_role_of(m->profile, name)});
}

/* A stack of frames "a b c", root first; a name that starts with '!' is a kernel frame. */
static uint32_t stack(struct maker *m, const char *names)
{
    struct ff_text rest = ff_text(names);
    uint32_t id = 0;
    while (rest.at && rest.size) {
        struct ff_text name = ff_text_cut(&rest, ' ');
        bool kernel = name.at[0] == '!';
        struct ff_frame frame = {.kind = kernel ? FF_FRAME_KERNEL : FF_FRAME_NATIVE,
                                 .named = FF_NAMED_SYMBOL,
                                 .module = kernel ? m->kernel : m->module};
        frame.symbol = ff_profile_intern(m->profile, kernel ? ff_text_from(name, 1) : name);
        id = ff_stack_push(m->profile, id, ff_frame_add(m->profile, frame));
    }
    return id;
}

static void sample(struct maker *m, uint32_t tid, const char *names, const char *bucket,
                   enum ff_state state, uint64_t count)
{
    ff_sample_add(m->profile,
                  (struct ff_sample){.event = m->event,
                                     .thread = tid,
                                     .stack = stack(m, names),
                                     .bucket = ff_profile_intern(m->profile, ff_text(bucket)),
                                     .state = state,
                                     .count = count * FF_COUNT_ONE,
                                     .weight = count * 10});
}

static struct ff_tree *build(struct maker *m, struct ff_fold_options options)
{
    struct ff_tree *tree = NULL;
    CHECK_NUMBER(ff_tree_build(&tree, m->profile, &options), FF_OK);
    return tree;
}

/* The node with this path "a;b", 0 when there is none. */
static uint32_t find(const struct ff_tree *tree, const char *path)
{
    struct ff_text rest = ff_text(path);
    uint32_t node = 0;
    while (rest.at) {
        struct ff_text name = ff_text_cut(&rest, ';');
        uint32_t end = tree->nodes[node].end, child = node + 1;
        while (child < end && !ff_text_equal(ff_node_name(tree, child), name))
            child = tree->nodes[child].end;
        if (child >= end)
            return 0;
        node = child;
    }
    return node;
}

/* What every tree must satisfy, whatever it was made from. */
static void check_tree(const struct ff_tree *tree)
{
    bool sums = true, shares = true, order = true, nested = true;
    for (uint32_t n = 0; n < tree->node_count; n++) {
        const struct ff_node *node = &tree->nodes[n];
        uint64_t total = node->self, share = 0;
        uint32_t before = 0;
        for (uint32_t c = n + 1; c < node->end; c = tree->nodes[c].end) {
            total += tree->nodes[c].total;
            nested &= tree->nodes[c].parent == n && tree->nodes[c].depth == node->depth + 1;
            order &=
                !before || ff_text_compare(ff_node_name(tree, before), ff_node_name(tree, c)) < 0;
            before = c;
        }
        for (uint32_t i = 0; i < node->share_count; i++)
            share += tree->shares[node->share_first + i].amount;
        sums &= total == node->total;
        shares &= share == node->total;
    }
    CHECK(sums);
    CHECK(shares);
    CHECK(order);
    CHECK(nested);
}

static void test_siblings(void)
{
    struct maker m = maker_new();
    uint32_t t = thread(&m, 612, "app");
    /* Sorted as whole lines, "b.cold" stands between "b" and "b;c" and would split b. */
    sample(&m, t, "a b", "", FF_STATE_COMPLETE, 2);
    sample(&m, t, "a b.cold", "", FF_STATE_COMPLETE, 1);
    sample(&m, t, "a b c", "", FF_STATE_COMPLETE, 2);
    struct ff_tree *tree = build(&m, (struct ff_fold_options){0});
    check_tree(tree);
    CHECK_NUMBER(tree->node_count, 6); /* all, app, a, b, c, b.cold */
    uint32_t b = find(tree, "app;a;b");
    CHECK_NUMBER(tree->nodes[b].self, 2 * FF_COUNT_ONE);
    CHECK_NUMBER(tree->nodes[b].total, 4 * FF_COUNT_ONE);
    CHECK_NUMBER(find(tree, "app;a;b;c"), b + 1);
    CHECK_NUMBER(find(tree, "app;a;b.cold"), b + 2);
    CHECK_NUMBER(tree->nodes[0].total, 5 * FF_COUNT_ONE);
    ff_tree_free(tree);
    ff_profile_free(m.profile);
}

static void test_roots(void)
{
    struct maker m = maker_new();
    uint32_t one = thread(&m, 630, "target-0"), two = thread(&m, 631, "target-1");
    sample(&m, one, "a b", "py_interp", FF_STATE_COMPLETE, 3);
    sample(&m, two, "a b", "", FF_STATE_NOT_UNWOUND, 4);
    sample(&m, two, "", "", FF_STATE_NO_FRAMES, 1);
    struct ff_fold_options options = {0};
    struct ff_error error = {0};
    CHECK_NUMBER(ff_fold_options_roots(&options, FF_TEXT("process,thread"), &error), FF_OK);
    struct ff_tree *tree = build(&m, options);
    check_tree(tree);
    CHECK(find(tree, "pid 612;target-0 (630);a;b"));
    CHECK(find(tree, "pid 612;target-1 (631);[not unwound];a;b"));
    CHECK(find(tree, "pid 612;target-1 (631);[no frames]"));
    CHECK_NUMBER(tree->sample_count, 8 * FF_COUNT_ONE);
    CHECK_NUMBER(tree->unwound_count, 3 * FF_COUNT_ONE);
    CHECK_NUMBER(tree->thread_count, 2);
    CHECK_TEXT(ff_intern_text(&tree->names, tree->event_name), "cpu-clock");
    CHECK_TEXT(ff_intern_text(&tree->names, tree->unit), "samples");
    ff_tree_free(tree);

    CHECK_NUMBER(ff_fold_options_roots(&options, FF_TEXT("source,event,role,bucket,state"), &error),
                 FF_OK);
    options.weights = true;
    tree = build(&m, options);
    check_tree(tree);
    uint32_t b = find(tree, "a.data;cpu-clock;target-*;py_interp;complete;a;b");
    CHECK_NUMBER(tree->nodes[b].self, 30);
    CHECK(find(tree, "a.data;cpu-clock;target-*;[no bucket];not-unwound;[not unwound];a;b"));
    CHECK_TEXT(ff_intern_text(&tree->names, tree->unit), "ns");
    ff_tree_free(tree);

    CHECK_NUMBER(ff_fold_options_roots(&options, FF_TEXT("none"), &error), FF_OK);
    tree = build(&m, options);
    CHECK_NUMBER(tree->nodes[find(tree, "a;b")].kind, FF_NODE_FRAME);
    ff_tree_free(tree);
    CHECK_NUMBER(ff_fold_options_roots(&options, FF_TEXT("comm,tid"), &error), FF_USAGE);
    CHECK(strstr(error.message, "'tid'"));
    ff_profile_free(m.profile);
}

static void test_names(void)
{
    struct maker m = maker_new();
    uint32_t t = thread(&m, 612, "my prog;x\n");
    sample(&m, t, "f !sys f", "", FF_STATE_COMPLETE, 1); /* recursion stays */
    sample(&m, t, "f sys", "", FF_STATE_COMPLETE, 1);    /* same name in another module: one node */
    uint32_t bare = ff_frame_add(m.profile, (struct ff_frame){.named = FF_NAMED_FUNCTION,
                                                              .module = m.module,
                                                              .place = 7,
                                                              .function = 0x1d5f10});
    ff_sample_add(m.profile, (struct ff_sample){.event = m.event,
                                                .thread = t,
                                                .stack = ff_stack_push(m.profile, 0, bare),
                                                .count = FF_COUNT_ONE});
    struct ff_tree *tree = build(&m, (struct ff_fold_options){0});
    check_tree(tree);
    uint32_t sys = find(tree, "my prog:x?;f;sys");
    CHECK_NUMBER(tree->nodes[sys].total, 2 * FF_COUNT_ONE);
    CHECK_NUMBER(tree->nodes[sys].frame_kind, FF_FRAME_NATIVE);
    CHECK(find(tree, "my prog:x?;f;sys;f"));
    ff_tree_free(tree);

    tree = build(&m, (struct ff_fold_options){.modules = true, .kernel_marks = true});
    CHECK(find(tree, "my prog:x?;libx.so!f;[kernel]!sys_[k];libx.so!f"));
    CHECK(find(tree, "my prog:x?;libx.so!f;libx.so!sys"));
    CHECK(find(tree, "my prog:x?;libx.so+0x1d5f10"));
    ff_tree_free(tree);
    ff_profile_free(m.profile);
}

static void test_buckets(void)
{
    struct maker m = maker_new();
    uint32_t t = thread(&m, 612, "app");
    sample(&m, t, "a b", "z", FF_STATE_COMPLETE, 5);
    sample(&m, t, "a c", "", FF_STATE_COMPLETE, 1);
    sample(&m, t, "a c", "k", FF_STATE_COMPLETE, 2);
    struct ff_tree *tree = build(&m, (struct ff_fold_options){0});
    check_tree(tree);
    CHECK_NUMBER(tree->bucket_count, 3);
    CHECK_TEXT(ff_intern_text(&tree->names, tree->buckets[0].name), "k");
    CHECK_TEXT(ff_intern_text(&tree->names, tree->buckets[1].name), "z");
    CHECK_NUMBER(tree->buckets[2].name, 0);
    CHECK_NUMBER(tree->buckets[1].amount, 5 * FF_COUNT_ONE);
    const struct ff_node *c = &tree->nodes[find(tree, "app;a;c")];
    CHECK_NUMBER(c->share_count, 2);
    CHECK_NUMBER(tree->shares[c->share_first].amount, 2 * FF_COUNT_ONE);
    CHECK_NUMBER(tree->nodes[find(tree, "app")].share_count, 3);
    ff_tree_free(tree);

    /* Any number of classes: those beyond the limit are one, and nothing is lost. */
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%04d", i);
        sample(&m, t, "a d", name, FF_STATE_COMPLETE, 1);
    }
    tree = build(&m, (struct ff_fold_options){0});
    check_tree(tree);
    CHECK_NUMBER(tree->bucket_count, FF_BUCKET_LIMIT);
    CHECK_NUMBER(tree->nodes[0].total, 1008 * FF_COUNT_ONE);
    ff_tree_free(tree);
    ff_profile_free(m.profile);
}

static void test_deep(void)
{
    enum { DEPTH = 10000 };
    struct maker m = maker_new();
    uint32_t t = thread(&m, 612, "app");
    uint32_t f = ff_frame_add(
        m.profile, (struct ff_frame){.symbol = ff_profile_intern(m.profile, FF_TEXT("f"))});
    uint32_t id = 0;
    for (int i = 0; i < DEPTH; i++) {
        id = ff_stack_push(m.profile, id, f);
        ff_sample_add(m.profile,
                      (struct ff_sample){.event = m.event, .thread = t, .stack = id, .count = 1});
    }
    struct ff_tree *tree = build(&m, (struct ff_fold_options){0});
    check_tree(tree);
    CHECK_NUMBER(tree->node_count, DEPTH + 2);
    CHECK_NUMBER(tree->nodes[DEPTH + 1].depth, DEPTH + 1);
    CHECK_NUMBER(tree->nodes[DEPTH + 1].total, 1);
    CHECK_NUMBER(tree->nodes[1].total, DEPTH);
    ff_tree_free(tree);
    ff_profile_free(m.profile);
}

static void test_choice(void)
{
    struct maker m = maker_new();
    struct ff_tree *tree = build(&m, (struct ff_fold_options){0}); /* no samples at all */
    CHECK_NUMBER(tree->node_count, 1);
    CHECK_NUMBER(tree->nodes[0].end, 1);
    ff_tree_free(tree);
    uint32_t t = thread(&m, 612, "app");
    sample(&m, t, "a", "", FF_STATE_COMPLETE, 9);
    uint32_t second = ff_event_add(
        m.profile, (struct ff_event){m.source, ff_profile_intern(m.profile, FF_TEXT("cycles")), 0});
    struct ff_sample heavy = {.event = second, .thread = t, .count = 1, .weight = UINT64_MAX};
    ff_sample_add(m.profile, heavy);
    tree = build(&m, (struct ff_fold_options){0});
    CHECK_NUMBER(tree->event, m.event);
    CHECK_NUMBER(tree->nodes[0].total, 9 * FF_COUNT_ONE);
    ff_tree_free(tree);
    tree = build(&m, (struct ff_fold_options){.event = second, .weights = true});
    CHECK_NUMBER(tree->nodes[0].total, UINT64_MAX);
    ff_tree_free(tree);
    heavy.stack = stack(&m, "a");
    ff_sample_add(m.profile, heavy);
    struct ff_fold_options over = {.event = second, .weights = true};
    CHECK_NUMBER(ff_tree_build(&tree, m.profile, &over), FF_BAD_INPUT);
    CHECK(!tree);
    CHECK(strstr(m.profile->error.message, "cycles"));
    ff_profile_free(m.profile);
}

int main(void)
{
    test_siblings();
    test_roots();
    test_names();
    test_buckets();
    test_deep();
    test_choice();
    return check_result();
}
