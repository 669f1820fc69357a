/* SPDX-License-Identifier: MIT
 *
 * Guessed callers against known ones: the captures have the vdso's image, so stacks unwound without
 * it must be those with it, but marked. And by construction: what counts as a call, which frame
 * records are believed.
 */
#include "recorded.h"
#include "scratch.h"
#include "unwind/guess.h"

#include <elf.h>

#define STACK_AT  UINT64_C(0x7ffe0000)
#define WORDS_MAX 32u

/* Memory by construction, and code that is executable from 0x1000 on, covered from 0x2000 on. */
struct scene {
    uint64_t words[WORDS_MAX];
    struct ff_text before;
};

static bool read_scene(void *context, uint64_t address, unsigned int size, uint64_t *value)
{
    const struct scene *scene = context;
    uint64_t index = (address - STACK_AT) / 8;
    if (address < STACK_AT || index >= WORDS_MAX || size != 8)
        return false;
    *value = scene->words[index];
    return true;
}

static struct ff_guess_code look(void *context, uint64_t address)
{
    const struct scene *scene = context;
    return (struct ff_guess_code){.executable = address >= 0x1000 && address < 0x3000,
                                  .covered = address >= 0x2000 && address < 0x3000,
                                  .before = scene->before};
}

static struct ff_registers registers(unsigned int frame, uint64_t frame_value, unsigned int sp)
{
    struct ff_registers made = {.known = UINT64_C(1) << frame | UINT64_C(1) << sp};
    made.value[frame] = frame_value;
    made.value[sp] = STACK_AT;
    return made;
}

static bool is_call(uint16_t machine, const char *bytes, size_t size)
{
    return ff_guess_ends_with_call(machine, (struct ff_text){bytes, size});
}

/* Encodings as GNU as writes them. */
static void test_calls(void)
{
    CHECK(is_call(EM_X86_64, "\x90\x90\x90\xe8\1\2\3\4", 8));          /* call rel32 */
    CHECK(is_call(EM_X86_64, "\x90\x90\x90\x90\x90\x90\xff\xd1", 8));  /* call *%rcx */
    CHECK(is_call(EM_X86_64, "\x90\x90\x90\x90\x90\x41\xff\xd4", 8));  /* call *%r12 */
    CHECK(is_call(EM_X86_64, "\x90\x90\x90\x90\x90\xff\x50\x18", 8));  /* call *24(%rax) */
    CHECK(is_call(EM_X86_64, "\x90\x90\xff\x15\1\2\3\4", 8));          /* call *disp32(%rip) */
    CHECK(is_call(EM_X86_64, "\x90\x90\xff\x90\1\2\3\4", 8));          /* call *disp32(%rax) */
    CHECK(is_call(EM_X86_64, "\x90\xff\x94\xc3\1\2\3\4", 8));          /* call *d(%rbx,%rax,8) */
    CHECK(is_call(EM_X86_64, "\x90\x90\x90\x90\xff\x54\x24\x08", 8));  /* call *8(%rsp) */
    CHECK(is_call(EM_X86_64, "\x90\x90\x90\x90\x90\xff\x14\xc1", 8));  /* call *(%rcx,%rax,8) */
    CHECK(!is_call(EM_X86_64, "\x90\x90\x90\x90\x90\x90\x90\x90", 8)); /* nop */
    CHECK(!is_call(EM_X86_64, "\x90\x90\x90\xe9\1\2\3\4", 8));         /* jmp rel32 */
    CHECK(!is_call(EM_X86_64, "\x90\x90\x90\x90\x90\x90\xff\xe1", 8)); /* jmp *%rcx */
    CHECK(!is_call(EM_X86_64, "\x90\x90\x90\x90\x48\x83\xc4\x08", 8)); /* add $8,%rsp */
    CHECK(is_call(EM_X86_64, "\0\0\0\0\0\0\0\0", 8));                  /* not known */
    CHECK(is_call(EM_X86_64, "\x90\x90", 2));
    CHECK(is_call(EM_AARCH64, "\x10\x00\x00\x94", 4));  /* bl .+64 */
    CHECK(is_call(EM_AARCH64, "\x60\x00\x3f\xd6", 4));  /* blr x3 */
    CHECK(is_call(EM_AARCH64, "\x1f\x09\x3f\xd6", 4));  /* blraaz x8 */
    CHECK(!is_call(EM_AARCH64, "\x10\x00\x00\x14", 4)); /* b .+64 */
    CHECK(!is_call(EM_AARCH64, "\xc0\x03\x5f\xd6", 4)); /* ret */
    CHECK(!is_call(EM_AARCH64, "\x1f\x20\x03\xd5", 4)); /* nop */
}

static void test_frame_pointer(void)
{
    struct scene scene = {.before = {"", 0}};
    struct ff_memory memory = {read_scene, &scene};
    struct ff_guesser guesser = {EM_X86_64, &memory, look, &scene};
    struct ff_registers caller = {0};
    struct ff_registers callee = registers(FF_CFI_X86_64_RBP, STACK_AT + 32, FF_CFI_X86_64_RSP);
    scene.words[4] = STACK_AT + 128;
    scene.words[5] = 0x1234;
    CHECK(ff_guess_frame_caller(&guesser, &callee, &caller));
    CHECK_NUMBER(caller.value[FF_CFI_X86_64_RIP], 0x1234);
    CHECK_NUMBER(caller.value[FF_CFI_X86_64_RSP], STACK_AT + 48);
    CHECK_NUMBER(caller.value[FF_CFI_X86_64_RBP], STACK_AT + 128);
    CHECK_NUMBER(caller.known,
                 1u << FF_CFI_X86_64_RIP | 1u << FF_CFI_X86_64_RSP | 1u << FF_CFI_X86_64_RBP);
    /* Below SP, not aligned, outside the dump, no code, no call before. */
    callee.value[FF_CFI_X86_64_RBP] = STACK_AT - 16;
    CHECK(!ff_guess_frame_caller(&guesser, &callee, &caller));
    callee.value[FF_CFI_X86_64_RBP] = STACK_AT + 33;
    CHECK(!ff_guess_frame_caller(&guesser, &callee, &caller));
    callee.value[FF_CFI_X86_64_RBP] = STACK_AT + WORDS_MAX * 8 - 8;
    CHECK(!ff_guess_frame_caller(&guesser, &callee, &caller));
    callee.value[FF_CFI_X86_64_RBP] = STACK_AT + 32;
    scene.words[5] = 0x123;
    CHECK(!ff_guess_frame_caller(&guesser, &callee, &caller));
    scene.words[5] = 0x1234;
    scene.before = FF_TEXT("\x90\x90\x90\x90\x90\x90\x90\x90");
    CHECK(!ff_guess_frame_caller(&guesser, &callee, &caller));
    callee.known = 1u << FF_CFI_X86_64_RSP;
    scene.before = FF_TEXT("");
    CHECK(!ff_guess_frame_caller(&guesser, &callee, &caller));
}

static void test_vdso_words(void)
{
    struct scene scene = {.before = {"", 0}};
    struct ff_memory memory = {read_scene, &scene};
    struct ff_guesser guesser = {EM_X86_64, &memory, look, &scene};
    struct ff_registers caller = {0};
    struct ff_registers callee = registers(FF_CFI_X86_64_RBP, STACK_AT + 16, FF_CFI_X86_64_RSP);
    CHECK(!ff_guess_vdso_caller(&guesser, &callee, &caller));
    scene.words[0] = 0x1500; /* executable, but of no file with rules */
    scene.words[2] = STACK_AT + 200;
    scene.words[3] = 0x2500;
    CHECK(ff_guess_vdso_caller(&guesser, &callee, &caller));
    CHECK_NUMBER(caller.value[FF_CFI_X86_64_RIP], 0x2500);
    CHECK_NUMBER(caller.value[FF_CFI_X86_64_RSP], STACK_AT + 32);
    CHECK_NUMBER(caller.value[FF_CFI_X86_64_RBP],
                 STACK_AT + 200); /* it was pushed, and points there */
    callee.value[FF_CFI_X86_64_RBP] = STACK_AT + 88;
    CHECK(ff_guess_vdso_caller(&guesser, &callee, &caller));
    CHECK_NUMBER(caller.value[FF_CFI_X86_64_RBP], STACK_AT + 88);
    /* AArch64: the link register, unless a record was made. */
    guesser.machine = EM_AARCH64;
    callee = registers(29, STACK_AT + 64, FF_CFI_AARCH64_SP);
    callee.known |= UINT64_C(1) << FF_CFI_AARCH64_LR;
    callee.value[FF_CFI_AARCH64_LR] = 0x2600;
    CHECK(ff_guess_vdso_caller(&guesser, &callee, &caller));
    CHECK_NUMBER(caller.value[FF_CFI_AARCH64_PC], 0x2600);
    CHECK_NUMBER(caller.value[FF_CFI_AARCH64_SP], STACK_AT);
    callee.value[29] = STACK_AT;
    scene.words[0] = STACK_AT + 80;
    scene.words[1] = 0x2700;
    CHECK(ff_guess_vdso_caller(&guesser, &callee, &caller));
    CHECK_NUMBER(caller.value[FF_CFI_AARCH64_PC], 0x2700);
    CHECK_NUMBER(caller.value[FF_CFI_AARCH64_SP], STACK_AT + 16);
    CHECK_NUMBER(caller.value[29], STACK_AT + 80);
}

/* Three frames of code that nobody knows, by a chain of frame records that ends outside the dump. */
static void test_chain(void)
{
    uint64_t words[8] = {0};
    struct ff_profile *profile = ff_profile_new();
    struct ff_images *images = ff_images_new();
    struct ff_unwinder *unwinder = ff_unwinder_new(profile, images);
    struct ff_unwound unwound = {0};
    struct ff_space space = {0};
    struct ff_module module = {.kind = FF_MODULE_PERF_MAP, .pid = 7};
    ff_space_map(&space,
                 (struct ff_span){0x1000, 0x3000, 0, ff_module_add(profile, module), false});
    struct ff_dump dump = {.machine = EM_X86_64,
                           .registers =
                               registers(FF_CFI_X86_64_RBP, STACK_AT + 16, FF_CFI_X86_64_RSP),
                           .sp = STACK_AT,
                           .bytes = {(const char *)words, sizeof words}};
    dump.registers.value[FF_CFI_X86_64_RIP] = 0x1100;
    dump.registers.known |= 1u << FF_CFI_X86_64_RIP;
    words[2] = STACK_AT + 40;
    words[3] = 0x1200;
    words[5] = STACK_AT + 800;
    words[6] = 0x1300;
    ff_unwind(unwinder, &space, &dump, &unwound);
    CHECK(unwound.count == 1 && unwound.state == FF_STATE_NO_RULE && !unwound.guessed);
    ff_unwinder_frame_pointers(unwinder, true);
    ff_unwind(unwinder, &space, &dump, &unwound);
    static const uint64_t expected[] = {0x1100, FF_UNWOUND_GUESSED, 0x1200, 0x1300};
    CHECK(unwound.count == 4 && memcmp(unwound.words, expected, sizeof expected) == 0);
    CHECK(unwound.state == FF_STATE_NO_RULE && unwound.guessed);
    /* A chain that does not rise ends. */
    words[2] = STACK_AT + 16;
    ff_unwind(unwinder, &space, &dump, &unwound);
    CHECK_NUMBER(unwound.count, 3);
    ff_unwound_release(&unwound);
    ff_space_release(&space);
    ff_unwinder_free(unwinder);
    ff_images_free(images);
    ff_profile_free(profile);
}

/* The libraries without the vdso, in a folder of links. */
struct blind {
    char folder[64];
    struct ff_images *images;
    struct ff_unwinder *unwinder;
    struct ff_unwound unwound;
    unsigned int samples, leaves, guessed, complete, equal, unmarked, others_differ;
};

/* The first GUESSED marker must come behind the leaf; the rest must be the true words. */
static bool same_but_marked(const struct ff_unwound *truth, const struct ff_unwound *guess)
{
    return guess->count == truth->count + 1 && guess->words[0] == truth->words[0] &&
           guess->words[1] == FF_UNWOUND_GUESSED &&
           memcmp(guess->words + 2, truth->words + 1, (truth->count - 1) * sizeof *truth->words) ==
               0;
}

static void compare(struct recorded *recorded, void *context)
{
    struct blind *blind = context;
    const struct ff_unwound *truth = &recorded->unwound, *guess = &blind->unwound;
    if (!recorded->has_dump)
        return;
    if (!blind->unwinder)
        blind->unwinder = ff_unwinder_new(recorded->profile, blind->images);
    ff_unwind(blind->unwinder, recorded->space, &recorded->dump, &blind->unwound);
    blind->samples++;
    struct recorded_frame leaf;
    bool vdso = recorded_frames(recorded, &leaf, 1) &&
                recorded->profile->modules.at[leaf.module].kind == FF_MODULE_VDSO;
    if (!vdso) {
        blind->others_differ +=
            truth->state != guess->state || truth->count != guess->count ||
            memcmp(truth->words, guess->words, truth->count * sizeof *truth->words) != 0;
        return;
    }
    blind->leaves++;
    blind->complete += guess->state == FF_STATE_COMPLETE;
    blind->guessed += guess->state == FF_STATE_GUESSED;
    blind->unmarked += guess->count > 1 && !guess->guessed;
    blind->equal += same_but_marked(truth, guess) &&
                    (truth->state == FF_STATE_COMPLETE ? guess->state == FF_STATE_GUESSED
                                                       : guess->state == truth->state);
}

/* Links to what the libraries' folder holds, but for the vdso. */
static void make_folder(struct blind *blind)
{
    char here[1024], from[1200], to[128];
    static const char *const parts[] = {"usr", "opt"};
    CHECK(mkdtemp(blind->folder) && getcwd(here, sizeof here));
    for (size_t i = 0; i < 2; i++) {
        snprintf(from, sizeof from, "%s/" LIBRARIES "/%s", here, parts[i]);
        snprintf(to, sizeof to, "%s/%s", blind->folder, parts[i]);
        CHECK(symlink(from, to) == 0);
    }
}

static struct blind without_vdso(const char *capture, const char *map)
{
    char below[128], path[512], command[128];
    struct blind blind = {.folder = "/tmp/flamefold-test-XXXXXX", .images = ff_images_new()};
    const char *symbols[] = {LIBRARIES, NULL, NULL};
    struct recorded recorded = {.each = compare, .context = &blind};
    make_folder(&blind);
    CHECK(ff_images_add(blind.images, blind.folder) == FF_OK);
    if (map) {
        snprintf(below, sizeof below, "captures/%s/%s", capture, map);
        symbols[1] = shared_path(path, sizeof path, below);
        CHECK(ff_images_add(blind.images, symbols[1]) == FF_OK);
    }
    snprintf(below, sizeof below, "captures/%s/dwarf.data", capture);
    recorded_read(&recorded, below, symbols);
    recorded_release(&recorded);
    ff_unwinder_free(blind.unwinder);
    ff_unwound_release(&blind.unwound);
    ff_images_free(blind.images);
    snprintf(command, sizeof command, "rm -r '%s'", blind.folder);
    CHECK(system(command) == 0);
    return blind;
}

static void test_captures(void)
{
    /* In the two that differ a word under the return address is one of an earlier call; the bytes of
     * these files are zeros, so that it cannot be told from a real one. */
    static const struct {
        const char *name, *map;
        unsigned int leaves, equal;
    } captures[] = {
        {"gil-convoy", NULL, 4, 4},
        {"launch-queue", NULL, 0, 0},
        {"trampoline", "perf.map", 3, 3},
        {"sync", NULL, 131, 131},
        {"dispatch", NULL, 0, 0},
        {"gil-convoy-64k", NULL, 5, 4},
        {"launch-queue-64k", NULL, 173, 173},
        {"trampoline-64k", "perf.map", 6, 5},
    };
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
        struct blind blind = without_vdso(captures[i].name, captures[i].map);
        printf("%s: %u vdso leaves of %u samples, %u guessed, %u equal\n", captures[i].name,
               blind.leaves, blind.samples, blind.guessed, blind.equal);
        CHECK_NUMBER(blind.leaves, captures[i].leaves);
        CHECK_NUMBER(blind.equal, captures[i].equal);
        CHECK_NUMBER(blind.complete, 0);
        CHECK_NUMBER(blind.unmarked, 0);
        CHECK_NUMBER(blind.others_differ, 0);
    }
}

int main(void)
{
    test_calls();
    test_frame_pointer();
    test_vdso_words();
    test_chain();
    if (recorded_available())
        test_captures();
    else
        SKIP("the captures or their libraries are not there");
    return check_result();
}
