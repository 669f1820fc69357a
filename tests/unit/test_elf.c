/* SPDX-License-Identifier: MIT
 *
 * ELF files: offsets, build-id, FDEs, PLT slots, the choice among symbols. Expected values are what
 * readelf and objdump say about tests/data/image.so (see image.s), and, for the captured libraries,
 * counts that readelf's dump of their frames gives.
 */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "image/elf.h"
#include "image/file.h"

#define FILE_NAME "tests/data/image.so"
#define CAPTURED  "build/shared/usr/"

static struct ff_elf *open_elf(const char *path)
{
    struct ff_elf *elf;
    struct ff_error error = {0};
    if (ff_elf_open(&elf, path, &error) != FF_OK)
        fprintf(stderr, "%s\n", error.message);
    return elf;
}

static void test_headers(void)
{
    struct ff_elf *elf = open_elf(FILE_NAME);
    uint64_t offset = 0;
    CHECK(elf != NULL);
    if (!elf)
        return;
    CHECK_TEXT(ff_text(elf->build_id), "0123456789abcdef0123456789abcdef01234567");
    CHECK(elf->is_64 && !elf->swapped);
    CHECK_NUMBER(elf->machine, 62);
    CHECK(ff_elf_has_symtab(elf));
    CHECK(ff_elf_module_offset(elf, 0x510, &offset));
    CHECK_NUMBER(offset, 0x3010);
    CHECK(ff_elf_module_offset(elf, 0x470, &offset));
    CHECK_NUMBER(offset, 0x470);
    CHECK(!ff_elf_module_offset(elf, 0x4a0, &offset));
    CHECK(!ff_elf_module_offset(elf, 0x4ff, &offset));
    CHECK(ff_elf_module_offset(elf, 0x663, &offset));
    CHECK(!ff_elf_module_offset(elf, 0x664, &offset));
    CHECK(!ff_elf_module_offset(elf, UINT64_MAX, &offset));
    CHECK(ff_elf_file_offset(elf, 0x3010, &offset));
    CHECK_NUMBER(offset, 0x510);
    CHECK(!ff_elf_file_offset(elf, 0x510, &offset));
    CHECK_NUMBER(ff_elf_bytes(elf, 0x3160).size, 4);
    CHECK_NUMBER(ff_elf_bytes(elf, 0x3164).size, 0);
    ff_elf_close(elf);
}

static const struct {
    uint64_t place, start, size;
    const char *name;
    enum ff_function_kind kind;
} functions[] = {
    {0x45f, 0, 0, NULL, FF_FUNCTION_NONE},
    {0x460, 0x460, 0x40, NULL, FF_FUNCTION_FDE}, /* the header slot has no name */
    {0x470, 0x470, 16, "external_a", FF_FUNCTION_PLT},
    {0x47f, 0x470, 16, "external_a", FF_FUNCTION_PLT},
    {0x480, 0x480, 16, "chosen", FF_FUNCTION_PLT},
    {0x49f, 0x490, 16, "external_b", FF_FUNCTION_PLT},
    {0x4a0, 0, 0, NULL, FF_FUNCTION_NONE},
    {0x3000, 0x3000, 16, "plain", FF_FUNCTION_SYMBOL},
    {0x300f, 0x3000, 16, "plain", FF_FUNCTION_SYMBOL},
    {0x3010, 0, 0, NULL, FF_FUNCTION_NONE}, /* not the preceding symbol */
    {0x3020, 0x3020, 32, "outer", FF_FUNCTION_SYMBOL},
    {0x3028, 0x3028, 8, "inner", FF_FUNCTION_SYMBOL},
    {0x302f, 0x3028, 8, "inner", FF_FUNCTION_SYMBOL},
    {0x3030, 0x3020, 32, "outer", FF_FUNCTION_SYMBOL},
    {0x303f, 0x3020, 32, "outer", FF_FUNCTION_SYMBOL},
    {0x3040, 0x3040, 16, "sizeless", FF_FUNCTION_SYMBOL},
    {0x304f, 0x3040, 16, "sizeless", FF_FUNCTION_SYMBOL},
    {0x3058, 0x3050, 16, NULL, FF_FUNCTION_FDE}, /* midway has no size and no FDE of its own */
    {0x3060, 0x3060, 16, NULL, FF_FUNCTION_FDE},
    {0x3070, 0, 0, NULL, FF_FUNCTION_NONE},
    {0x3080, 0x3080, 16, "calls", FF_FUNCTION_SYMBOL},
    {0x3092, 0x3090, 3, "chosen", FF_FUNCTION_SYMBOL},
    {0x3093, 0, 0, NULL, FF_FUNCTION_NONE},
    {0x30a0, 0x30a0, 1, "_ZN3foo3barEi", FF_FUNCTION_SYMBOL},
    {UINT64_MAX, 0, 0, NULL, FF_FUNCTION_NONE},
};

enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

static void test_functions(void)
{
    struct ff_elf *elf = open_elf(FILE_NAME);
    uint64_t places[FUNCTION_COUNT];
    struct ff_function found[FUNCTION_COUNT];
    for (int i = 0; i < FUNCTION_COUNT; i++)
        places[i] = functions[i].place;
    CHECK(elf && ff_elf_functions(elf, places, FUNCTION_COUNT, found));
    for (int i = 0; elf && i < FUNCTION_COUNT; i++) {
        CHECK_NUMBER(found[i].kind, functions[i].kind);
        CHECK_NUMBER(found[i].start, functions[i].start);
        CHECK_NUMBER(found[i].size, functions[i].size);
        CHECK_TEXT(ff_text(found[i].name ? found[i].name : ""),
                   functions[i].name ? functions[i].name : "");
    }
    CHECK(elf && ff_elf_functions(elf, places, 0, found));
    ff_elf_close(elf);
}

/* The table and the walk agree, and a table that lies finds nothing. */
static void test_fdes(void)
{
    struct ff_elf *elf = open_elf(FILE_NAME);
    struct ff_fde_index walked;
    struct ff_fde fde;
    if (!elf)
        return;
    const struct ff_fde_index *index = ff_elf_fdes(elf);
    CHECK_NUMBER(index->count, 5);
    CHECK(!index->walked);
    CHECK(ff_fde_index_init(&walked, (struct ff_section){0}, index->frame, true, false));
    CHECK_NUMBER(walked.count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        struct ff_fde other;
        CHECK(ff_fde_at(index, i, &fde) && ff_fde_at(&walked, i, &other));
        CHECK(fde.start == other.start && fde.size == other.size && fde.at == other.at);
    }
    CHECK(!ff_fde_at(index, 5, &fde));
    CHECK(ff_fde_find(&walked, 0x305f, &fde) && fde.start == 0x3050 && fde.size == 16);
    CHECK(!ff_fde_find(&walked, 0x3070, &fde));
    CHECK(!ff_fde_find(index, 0, &fde));
    ff_fde_index_release(&walked);
    /* Shifted by four bytes, every entry of the table points to another place. */
    struct ff_section shifted = index->header;
    shifted.module_offset += 4;
    CHECK(ff_fde_index_init(&walked, shifted, index->frame, true, false));
    for (uint64_t place = 0x3000; place < 0x30a0; place++)
        CHECK(!ff_fde_find(&walked, place, &fde));
    ff_fde_index_release(&walked);
    ff_elf_close(elf);
}

/* Every cut and every changed byte of the file is survived. */
static void test_damage(void)
{
    struct ff_file file;
    struct ff_error error = {0};
    if (ff_file_open(&file, FILE_NAME, &error) != FF_OK)
        return;
    struct ff_text bytes = file.bytes;
    uint64_t places[FUNCTION_COUNT];
    struct ff_function found[FUNCTION_COUNT];
    for (int i = 0; i < FUNCTION_COUNT; i++)
        places[i] = functions[i].place;
    char *copy = malloc(bytes.size);
    unsigned int opened = 0;
    for (size_t i = 0; i < 2 * bytes.size; i++) {
        struct ff_elf *elf;
        size_t at = i % bytes.size, size = i < bytes.size ? at : bytes.size;
        memcpy(copy, bytes.at, bytes.size);
        if (i >= bytes.size)
            copy[at] = (char)~copy[at];
        if (ff_elf_open_bytes(&elf, "damaged", (struct ff_text){copy, size}, &error) != FF_OK)
            continue;
        opened += ff_elf_functions(elf, places, FUNCTION_COUNT, found);
        ff_elf_close(elf);
    }
    CHECK(opened > 0);
    free(copy);
    ff_file_close(&file);
}

static const struct {
    const char *path;
    uint32_t fdes;
    uint64_t text, text_size; /* .text */
    double covered;           /* percent of it */
} captured[] = {
    {CAPTURED "local/nvidia/lib64/libcuda.so.580.159.04", 35417, 0x166f00, 0xf82424, 98.28},
    {CAPTURED "bin/python3.12", 11416, 0, 0, 0},
    {CAPTURED "lib/x86_64-linux-gnu/libstdc++.so.6.0.33", 5127, 0, 0, 0},
    {CAPTURED "lib/x86_64-linux-gnu/libc.so.6", 3788, 0, 0, 0},
};

static void test_captured(void)
{
    for (size_t i = 0; i < sizeof captured / sizeof *captured; i++) {
        struct ff_elf *elf = open_elf(captured[i].path);
        uint64_t inside = 0, text = captured[i].text, end = text + captured[i].text_size;
        if (!elf)
            continue;
        const struct ff_fde_index *index = ff_elf_fdes(elf);
        CHECK_NUMBER(index->count, captured[i].fdes);
        for (uint32_t k = 0; k < index->count; k++) {
            struct ff_fde fde, again;
            CHECK(ff_fde_at(index, k, &fde));
            CHECK(ff_fde_find(index, fde.start + fde.size - 1, &again) && again.at == fde.at);
            if (fde.start >= text && fde.start < end)
                inside += fde.size;
        }
        double percent = 100.0 * (double)inside / (double)captured[i].text_size;
        CHECK(!text ||
              (percent > captured[i].covered - 0.005 && percent < captured[i].covered + 0.005));
        ff_elf_close(elf);
    }
}

/* libc's relocations still hold the address of the slot that each JUMP_SLOT was lazily bound to
 * (+ 4, behind its endbr64), as readelf -r prints: truth for .plt.sec. */
static void test_captured_plt(void)
{
    static const uint64_t places[] = {0x28410, 0x28450, 0x284e0, 0x28560, 0x285b0,
                                      0x28650, 0x286d0, 0x28720, 0x28760, 0x287b0};
    static const char *const names[] = {"realloc",
                                        "calloc",
                                        "_dl_find_dso_for_object",
                                        "__tls_get_addr",
                                        "_dl_signal_error",
                                        "_dl_audit_symbind_alt",
                                        "_dl_rtld_di_serinfo",
                                        "__tunable_get_val",
                                        "_dl_catch_exception",
                                        "_dl_audit_preinit"};
    struct ff_function found[10];
    struct ff_elf *elf = open_elf(CAPTURED "lib/x86_64-linux-gnu/libc.so.6");
    CHECK(elf && ff_elf_functions(elf, places, 10, found));
    for (int i = 0; elf && i < 10; i++) {
        CHECK_NUMBER(found[i].kind, FF_FUNCTION_PLT);
        CHECK_TEXT(ff_text(found[i].name ? found[i].name : ""), names[i]);
    }
    ff_elf_close(elf);
}

static void test_refusals(void)
{
    struct ff_elf *elf;
    struct ff_error error = {0};
    CHECK(ff_elf_open(&elf, "tests/data/no-such-file", &error) == FF_SYSTEM && !elf);
    error = (struct ff_error){0};
    CHECK(ff_elf_open(&elf, "tests/data/image.s", &error) == FF_BAD_INPUT && !elf);
    error = (struct ff_error){0};
    CHECK(ff_elf_open(&elf, "tests/data", &error) == FF_SYSTEM && !elf);
}

int main(void)
{
    test_headers();
    test_functions();
    test_fdes();
    test_damage();
    test_refusals();
    if (access(CAPTURED, R_OK) == 0) {
        test_captured();
        test_captured_plt();
    } else {
        SKIP("the captured libraries are not unpacked");
    }
    return check_result();
}
