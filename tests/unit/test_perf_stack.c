/* SPDX-License-Identifier: MIT
 *
 * Call chains to frames: markers, contexts, which addresses are exact, what `place` becomes.
 */
#include "check.h"
#include "perf_maker.h"

#include "read/perf_record.h"
#include "read/perf_stack.h"
#include "unwind/unwind.h"

#define LIBRARY UINT64_C(0x7f0000000000) /* libx.so, file offset 0x4000 there */
#define KERNEL  UINT64_C(0xffffffff81000000)
#define JIT     UINT64_C(0x7e0000000000)
#define NOWHERE UINT64_C(0x1234)

enum { MODE_KERNEL = 1, MODE_USER = 2 };

struct fixture {
    struct ff_profile *profile;
    struct ff_perf_stacks stacks;
    struct ff_space space;
    uint32_t library, kernel, jit;
    char text[512];
};

static uint32_t add_module(struct ff_profile *profile, enum ff_module_kind kind, const char *path)
{
    return ff_module_add(profile,
                         (struct ff_module){.kind = (uint8_t)kind,
                                            .path = ff_profile_intern(profile, ff_text(path))});
}

static struct fixture begin(void)
{
    struct fixture fixture = {.profile = ff_profile_new()};
    ff_perf_stacks_init(&fixture.stacks, fixture.profile);
    fixture.library = add_module(fixture.profile, FF_MODULE_ELF, "/usr/lib/libx.so");
    fixture.kernel = add_module(fixture.profile, FF_MODULE_KERNEL, "[kernel.kallsyms]");
    fixture.jit = add_module(fixture.profile, FF_MODULE_PERF_MAP, "//anon");
    ff_space_map(&fixture.space,
                 (struct ff_span){LIBRARY, LIBRARY + 0x10000, 0x4000, fixture.library, false});
    ff_space_map(&fixture.space, (struct ff_span){JIT, JIT + 0x10000, 0, fixture.jit, false});
    ff_space_map(&fixture.stacks.kernel,
                 (struct ff_span){KERNEL, KERNEL + 0x10000, KERNEL, fixture.kernel, false});
    return fixture;
}

static void end(struct fixture *fixture)
{
    ff_perf_stacks_release(&fixture->stacks);
    ff_space_release(&fixture->space);
    ff_profile_free(fixture->profile);
}

/* The stack as text, leaf first: kind letter, module, place. */
static struct ff_text stack_text(struct fixture *fixture, uint32_t stack)
{
    size_t used = 0;
    const struct ff_profile *profile = fixture->profile;
    fixture->text[0] = '\0';
    for (; stack; stack = profile->stacks.at[stack].parent) {
        const struct ff_frame *frame = &profile->frames.at[profile->stacks.at[stack].frame];
        struct ff_text module = ff_module_name(profile, frame->module);
        used +=
            (size_t)snprintf(fixture->text + used, sizeof fixture->text - used, "%s%c:%.*s+%llx",
                             used ? " " : "", frame->kind == FF_FRAME_KERNEL ? 'k' : 'u',
                             FF_TEXT_ARGS(module), (unsigned long long)frame->place);
    }
    return ff_text(fixture->text);
}

static struct ff_text add(struct fixture *fixture, uint16_t mode, uint64_t ip,
                          const uint64_t *words, uint64_t count)
{
    unsigned char bytes[256];
    if (count)
        memcpy(bytes + 1, words, count * 8); /* records are not aligned */
    struct ff_perf_sample sample = {
        .ip = ip, .chain = bytes + 1, .chain_count = count, .has_chain = true};
    return stack_text(
        fixture, ff_perf_stacks_add(&fixture->stacks, &fixture->space, 1, mode, &sample)->stack);
}

#define ADD(fixture, mode, ip, ...)                                                                \
    add(fixture, mode, ip, (const uint64_t[]){__VA_ARGS__},                                        \
        sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

/* The first of each context is where it stands; the others are return addresses: minus one. */
static void test_exact_and_callers(void)
{
    struct fixture fixture = begin();
    CHECK_TEXT(ADD(&fixture, MODE_KERNEL, 0, MAKER_KERNEL, KERNEL + 0x10, KERNEL + 0x20, MAKER_USER,
                   LIBRARY + 0x100, LIBRARY + 0x200, LIBRARY + 0x300),
               "k:[kernel]+ffffffff81000010 k:[kernel]+ffffffff8100001f "
               "u:libx.so+4100 u:libx.so+41ff u:libx.so+42ff");
    /* A return address at the first byte of a mapping belongs to nothing in it. */
    CHECK_TEXT(ADD(&fixture, MODE_USER, 0, MAKER_USER, LIBRARY, LIBRARY),
               "u:libx.so+4000 u:+7effffffffff");
    end(&fixture);
}

/* Files have file offsets; the kernel, JIT code and memory in no module have addresses. */
static void test_places(void)
{
    struct fixture fixture = begin();
    CHECK_TEXT(ADD(&fixture, MODE_USER, 0, MAKER_USER, JIT + 5, JIT + 0x20, NOWHERE),
               "u:perf-map+7e0000000005 u:perf-map+7e000000001f u:+1233");
    end(&fixture);
}

static void test_markers(void)
{
    struct fixture fixture = begin();
    /* Without a marker the sample's own mode says whose address it is. */
    CHECK_TEXT(ADD(&fixture, MODE_USER, 0, LIBRARY + 1), "u:libx.so+4001");
    CHECK_TEXT(ADD(&fixture, MODE_KERNEL, 0, KERNEL + 1), "k:[kernel]+ffffffff81000001");
    /* A marker that we do not know is no address, and changes nothing. */
    CHECK_TEXT(ADD(&fixture, MODE_USER, 0, MAKER_USER, LIBRARY + 1, (uint64_t)-7, LIBRARY + 2),
               "u:libx.so+4001 u:libx.so+4002");
    /* The first and the last value that are markers; one below is an address. */
    CHECK_TEXT(ADD(&fixture, MODE_USER, 0, (uint64_t)-4095, (uint64_t)-1, (uint64_t)-4096),
               "u:+fffffffffffff000");
    /* USER_DEFERRED (-640): the cookie behind it is no address, whatever it looks like. */
    CHECK_TEXT(
        ADD(&fixture, MODE_KERNEL, 0, MAKER_KERNEL, KERNEL + 0x10, (uint64_t)-640, LIBRARY + 0x100),
        "k:[kernel]+ffffffff81000010");
    CHECK_TEXT(
        ADD(&fixture, MODE_KERNEL, 0, MAKER_KERNEL, KERNEL + 0x10, (uint64_t)-640, MAKER_KERNEL),
        "k:[kernel]+ffffffff81000010");
    CHECK_TEXT(ADD(&fixture, MODE_KERNEL, 0, MAKER_KERNEL, KERNEL + 0x10, (uint64_t)-640),
               "k:[kernel]+ffffffff81000010");
    end(&fixture);
}

/* Behind the unwinder's marker all frames are guessed, and still callers. */
static void test_guessed(void)
{
    struct fixture fixture = begin();
    const uint64_t words[] = {LIBRARY + 1, FF_UNWOUND_GUESSED, LIBRARY + 0x100, LIBRARY + 0x200};
    struct ff_perf_sample sample = {.unwound = words, .unwound_count = 4};
    uint32_t stack =
        ff_perf_stacks_add(&fixture.stacks, &fixture.space, 1, MODE_USER, &sample)->stack;
    CHECK_TEXT(stack_text(&fixture, stack), "u:libx.so+4001 u:libx.so+40ff u:libx.so+41ff");
    uint8_t how[3];
    for (unsigned int i = 0; i < 3; i++) {
        const struct ff_stack *node = &fixture.profile->stacks.at[stack];
        how[i] = fixture.profile->frames.at[node->frame].how;
        stack = node->parent;
    }
    CHECK(how[0] == FF_HOW_RECORDED && how[1] == FF_HOW_GUESSED && how[2] == FF_HOW_GUESSED);
    /* The same addresses without it are other frames. */
    const uint64_t plain[] = {LIBRARY + 1, LIBRARY + 0x100};
    sample = (struct ff_perf_sample){.unwound = plain, .unwound_count = 2};
    stack = ff_perf_stacks_add(&fixture.stacks, &fixture.space, 1, MODE_USER, &sample)->stack;
    stack = fixture.profile->stacks.at[stack].parent;
    CHECK_NUMBER(fixture.profile->frames.at[fixture.profile->stacks.at[stack].frame].how,
                 FF_HOW_RECORDED);
    end(&fixture);
}

/* Nothing but markers, or no chain at all: the sampled instruction; without it no frame. */
static void test_no_chain(void)
{
    struct fixture fixture = begin();
    CHECK_TEXT(ADD(&fixture, MODE_USER, LIBRARY + 9, MAKER_USER), "u:libx.so+4009");
    CHECK_TEXT(ADD(&fixture, MODE_KERNEL, KERNEL + 9, MAKER_USER), "k:[kernel]+ffffffff81000009");
    CHECK_TEXT(add(&fixture, MODE_USER, LIBRARY + 9, NULL, 0), "u:libx.so+4009");
    CHECK_TEXT(add(&fixture, MODE_USER, 0, NULL, 0), "");
    CHECK_TEXT(ADD(&fixture, MODE_USER, 0, MAKER_USER), "");
    end(&fixture);
}

/* The very first chain of all is empty. */
static void test_empty_first(void)
{
    struct fixture fixture = begin();
    CHECK_TEXT(add(&fixture, MODE_USER, 0, NULL, 0), "");
    CHECK_TEXT(ADD(&fixture, MODE_USER, 0, MAKER_USER, LIBRARY), "u:libx.so+4000");
    end(&fixture);
}

/* The same words mean something else after a mapping changed, in another thread, in another mode. */
static void test_same_words(void)
{
    struct fixture fixture = begin();
    const uint64_t words[] = {MAKER_USER, LIBRARY + 0x100};
    struct ff_perf_sample sample = {
        .chain = (const unsigned char *)words, .chain_count = 2, .has_chain = true};
    CHECK_TEXT(add(&fixture, MODE_USER, 0, words, 2), "u:libx.so+4100");
    uint32_t chains = fixture.stacks.chain_count;
    CHECK_TEXT(add(&fixture, MODE_USER, 0, words, 2), "u:libx.so+4100");
    CHECK_NUMBER(fixture.stacks.chain_count, chains); /* seen before */
    ff_perf_stacks_add(&fixture.stacks, &fixture.space, 2, MODE_USER, &sample);
    CHECK_NUMBER(fixture.stacks.chain_count, chains + 1); /* another thread: an entry of its own */
    uint32_t other = add_module(fixture.profile, FF_MODULE_ELF, "/tmp/other.so");
    ff_space_map(&fixture.space, (struct ff_span){LIBRARY, LIBRARY + 0x1000, 0, other, false});
    CHECK_TEXT(add(&fixture, MODE_USER, 0, words, 2), "u:other.so+100");
    ff_space_clear(&fixture.space);
    CHECK_TEXT(add(&fixture, MODE_USER, 0, words, 2), "u:+7f0000000100");
    end(&fixture);
}

int main(void)
{
    test_exact_and_callers();
    test_places();
    test_markers();
    test_guessed();
    test_no_chain();
    test_empty_first();
    test_same_words();
    return check_result();
}
