/* SPDX-License-Identifier: MIT
 *
 * Registers and dumps that lie, unwound by the tables of this program's own process and of real
 * recordings. What must hold whatever the bytes are: no step beyond them (their block is of just their
 * size, for the sanitizers), an end, a state that fits, the same answer twice.
 */
#include "recorded.h"

#include <elf.h>

#define RANDOM_DUMPS 60000u
#define DUMP_MAX     2048u
#define SECONDS_MAX  60

struct bad {
    uint64_t random;
    struct ff_profile *profile;
    struct ff_images *images;
    struct ff_unwinder *unwinder;
    struct ff_unwound first, second;
    unsigned int dumps, wrong, states[FF_STATE_COUNT], deepest;
};

/* D. E. Knuth's MMIX generator: the same dumps everywhere. */
static uint64_t next_random(struct bad *bad)
{
    bad->random = bad->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return bad->random >> 33 ^ bad->random << 31;
}

/* Each frame takes a byte at least, but for the innermost and for interrupted ones (64 at most), which
 * have a marker besides. */
static void check_dump(struct bad *bad, struct ff_unwinder *unwinder, const struct ff_space *space,
                       const struct ff_dump *dump)
{
    unsigned pc = dump->machine == EM_AARCH64 ? 32 : 16;
    struct ff_unwound *first = &bad->first, *second = &bad->second;
    ff_unwind(unwinder, space, dump, first);
    ff_unwind(unwinder, space, dump, second);
    bool sane = first->count >= 1 && first->words[0] == dump->registers.value[pc] &&
                first->count <= dump->bytes.size + 200 && !first->failed &&
                (first->state == FF_STATE_COMPLETE || first->state == FF_STATE_TRUNCATED ||
                 first->state == FF_STATE_NO_RULE || first->state == FF_STATE_NO_MODULE);
    /* A dump that goes over the end of the address space has no word behind that. */
    bool wraps = dump->sp + dump->bytes.size < dump->sp;
    if (first->state == FF_STATE_TRUNCATED)
        sane = sane && first->missing - dump->sp == first->missing_above &&
               (wraps || first->missing_above + 8 > dump->bytes.size);
    sane = sane && first->count == second->count && first->state == second->state &&
           memcmp(first->words, second->words, first->count * sizeof *first->words) == 0;
    if (!sane)
        fprintf(stderr, "  dump %u: pc %llx, sp %llx, %zu bytes: %u words, %s, missing %llx\n",
                bad->dumps, (unsigned long long)dump->registers.value[pc],
                (unsigned long long)dump->sp, dump->bytes.size, first->count,
                ff_state_word(first->state), (unsigned long long)first->missing);
    bad->wrong += !sane;
    bad->dumps++;
    bad->states[first->state]++;
    bad->deepest = first->count > bad->deepest ? first->count : bad->deepest;
}

/* A place in code that is mapped. */
static uint64_t random_code(struct bad *bad, const struct ff_space *space)
{
    if (!space->count)
        return next_random(bad);
    const struct ff_span *span = &space->spans[next_random(bad) % space->count];
    return span->start + next_random(bad) % (span->end - span->start);
}

static uint64_t random_word(struct bad *bad, const struct ff_space *space,
                            const struct ff_dump *dump)
{
    static const uint64_t extremes[] = {
        0, 1, 7, UINT64_MAX, UINT64_MAX - 511, INT64_MAX, (uint64_t)1 << 63, UINT64_MAX - 4095,
        8, 16};
    switch (next_random(bad) % 5) {
    case 0:
        return extremes[next_random(bad) % (sizeof extremes / sizeof *extremes)];
    case 1:
        return dump->sp + next_random(bad) % (dump->bytes.size + 64);
    case 2:
        return next_random(bad);
    default:
        return random_code(bad, space);
    }
}

static uint64_t random_sp(struct bad *bad)
{
    uint64_t small = next_random(bad) % 5000;
    switch (next_random(bad) % 5) {
    case 0:
        return UINT64_MAX - small;
    case 1:
        return small;
    case 2:
        return ((uint64_t)1 << 63) - small;
    default:
        return UINT64_C(0x7ffd00000000) +
               (small & (next_random(bad) % 2 ? ~(uint64_t)7 : ~(uint64_t)0));
    }
}

/* Everything is made up but the tables. */
static void random_dump(struct bad *bad, const struct ff_space *space, uint16_t machine)
{
    struct ff_dump dump = {.machine = machine, .sp = random_sp(bad)};
    size_t size = next_random(bad) % 3 ? next_random(bad) % DUMP_MAX : next_random(bad) % 17;
    char *bytes = malloc(size);
    unsigned sp = machine == EM_AARCH64 ? 31 : 7, pc = machine == EM_AARCH64 ? 32 : 16;
    dump.bytes = (struct ff_text){bytes, size};
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = random_word(bad, space, &dump);
        memcpy(bytes + at, &word, size - at < 8 ? size - at : 8);
    }
    for (unsigned i = 0; i <= pc; i++)
        dump.registers.value[i] = random_word(bad, space, &dump);
    dump.registers.known = next_random(bad) % 8 ? ((uint64_t)1 << (pc + 1)) - 1 : next_random(bad);
    dump.registers.known |= (uint64_t)1 << sp | (uint64_t)1 << pc;
    dump.registers.value[sp] = dump.sp;
    if (next_random(bad) % 4)
        dump.registers.value[pc] = random_code(bad, space);
    check_dump(bad, bad->unwinder, space, &dump);
    free(bytes);
}

/* The code of this process: "START-END PERMISSIONS OFFSET DEVICE INODE   PATH". */
static void map_self(struct bad *bad, struct ff_space *space)
{
    struct ff_input input;
    struct ff_error error = {0};
    struct ff_text line;
    CHECK(ff_input_open(&input, "/proc/self/maps", &error) == FF_OK);
    while (ff_input_line(&input, &line, &error) == FF_OK) {
        struct ff_span span = {0};
        struct ff_text range = ff_text_cut(&line, ' '), rights = ff_text_cut(&line, ' ');
        ff_text_hex(ff_text_cut(&range, '-'), &span.start);
        ff_text_hex(range, &span.end);
        ff_text_hex(ff_text_cut(&line, ' '), &span.file_offset);
        ptrdiff_t slash = ff_text_find(line, '/');
        if (slash < 0 || ff_text_find(rights, 'x') < 0)
            continue;
        struct ff_module module = {.kind = FF_MODULE_ELF};
        module.path = ff_profile_intern(bad->profile, ff_text_from(line, (size_t)slash));
        span.module = ff_module_add(bad->profile, module);
        ff_space_map(space, span);
    }
    ff_input_close(&input);
}

static void made_up(struct bad *bad)
{
    struct ff_space space = {0}, empty = {0};
    bad->profile = ff_profile_new();
    bad->images = ff_images_new();
    bad->unwinder = ff_unwinder_new(bad->profile, bad->images);
    CHECK(ff_images_add(bad->images, "/") == FF_OK);
    map_self(bad, &space);
    for (unsigned i = 0; i < RANDOM_DUMPS; i++)
        random_dump(bad, &space, i % 16 ? EM_X86_64 : EM_AARCH64);
    for (unsigned i = 0; i < 100; i++)
        random_dump(bad, &empty, EM_X86_64);
    ff_unwinder_free(bad->unwinder);
    ff_images_free(bad->images);
    ff_profile_free(bad->profile);
    ff_space_release(&space);
}

/* A true dump with one to four lies. */
static void damage(struct bad *bad, struct recorded *recorded)
{
    struct ff_dump dump = recorded->dump;
    size_t size = next_random(bad) % 2 ? dump.bytes.size : next_random(bad) % (dump.bytes.size + 1);
    char *bytes = malloc(size);
    memcpy(bytes, dump.bytes.at, size);
    dump.bytes = (struct ff_text){bytes, size};
    for (uint64_t lies = next_random(bad) % 4 + 1; lies; lies--) {
        uint64_t word = random_word(bad, recorded->space, &dump);
        size_t at = size ? next_random(bad) % (size < 600 ? size : 600) & ~(size_t)7 : 0;
        switch (next_random(bad) % 3) {
        case 0:
            dump.registers.value[next_random(bad) % 17] = word;
            break;
        case 1:
            dump.sp = dump.registers.value[7] += next_random(bad) % 64 - 32;
            break;
        default:
            memcpy(bytes + at, &word, size - at < 8 ? size - at : 8);
        }
    }
    check_dump(bad, recorded->unwinder, recorded->space, &dump);
    free(bytes);
}

static void each(struct recorded *recorded, void *context)
{
    for (int i = 0; i < 10 && recorded->has_dump; i++)
        damage(context, recorded);
}

static void lied_about(struct bad *bad, const char *name)
{
    char below[128], map[512];
    struct recorded recorded = {.each = each, .context = bad};
    snprintf(below, sizeof below, "captures/%s/dwarf.data", name);
    const char *const symbols[] = {
        LIBRARIES, shared_path(map, sizeof map, "captures/trampoline/perf.map"), NULL};
    recorded_read(&recorded, below, symbols);
    recorded_release(&recorded);
}

int main(void)
{
    static struct bad bad = {.random = 1};
    alarm(SECONDS_MAX); /* an endless walk ends the program, which the runner tells */
    made_up(&bad);
    if (recorded_available()) {
        lied_about(&bad, "trampoline");
        lied_about(&bad, "launch-queue");
    } else {
        SKIP("the captures and their unpacked libraries are not here");
    }
    CHECK(bad.dumps >= RANDOM_DUMPS);
    CHECK_NUMBER(bad.wrong, 0);
    printf("%u dumps, at most %u words:", bad.dumps, bad.deepest);
    for (int state = 0; state < FF_STATE_COUNT; state++) {
        if (bad.states[state])
            printf(" %u %s", bad.states[state], ff_state_word((enum ff_state)state));
    }
    printf("\n");
    ff_unwound_release(&bad.first);
    ff_unwound_release(&bad.second);
    return check_result();
}
