/* SPDX-License-Identifier: MIT
 *
 * kallsyms, perf maps and tar archives: texts made here, so what they say is known.
 */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "image/kallsyms.h"
#include "image/perf_map.h"
#include "image/tar.h"

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
                               "ffffffff81000000 T _text\n"
                               "ffffffff81000000 T first\n"
                               "ffffffff81000100 t second\n"
                               "ffffffff81000180 d data_between\n"
                               "ffffffff81000200 W third\n"
                               "ffffffff81100000 T far_away\n"
                               "ffffffffc0500000 t nv_b\t[nvidia]\n"
                               "ffffffffc0400000 t nv_a\t[nvidia]\n"
                               "ffffffffc0400080 t uvm_inside\t[nvidia_uvm]\n"
                               "not a line\n"
                               "ffffffffc0400100 d nv_data\t[nvidia]\n";

static const struct {
    const char *module;
    uint64_t address, start, size;
    const char *name; /* NULL: no symbol */
} lookups[] = {
    {"", 0xffffffff81000000, 0xffffffff81000000, 0x100, "first"},
    {"", 0xffffffff810000ff, 0xffffffff81000000, 0x100, "first"},
    {"", 0xffffffff81000100, 0xffffffff81000100, 0x100, "second"},
    {"", 0xffffffff810001ff, 0xffffffff81000100, 0x100, "second"},
    {"", 0xffffffff8101ffff, 0, 0, NULL},
    {"", 0xffffffff810101ff, 0xffffffff81000200, 0x10000, "third"},
    {"", 0xffffffff81010200, 0, 0, NULL},
    {"", 0xffffffff80ffffff, 0, 0, NULL},
    {"", 0xffffffffc0400000, 0, 0, NULL},
    {"nvidia", 0xffffffffc0400090, 0xffffffffc0400000, 0x10000, "nv_a"},
    {"nvidia", 0xffffffffc0500010, 0xffffffffc0500000, 0x10000, "nv_b"},
    {"nvidia_uvm", 0xffffffffc0400090, 0xffffffffc0400080, 0x10000, "uvm_inside"},
    {"ext4", 0xffffffffc0400090, 0, 0, NULL},
};

static enum ff_status open_kallsyms(struct ff_kallsyms **table, const char *name,
                                    struct ff_text bytes, struct ff_error *error)
{
    struct ff_file file;
    enum ff_status status = ff_file_borrow(&file, name, bytes, error);
    return status == FF_OK ? ff_kallsyms_open(table, &file, error) : status;
}

static void test_kallsyms(void)
{
    struct ff_kallsyms *table;
    struct ff_error error = {0};
    char buffer[64];
    CHECK(open_kallsyms(&table, "k", ff_text(kallsyms), &error) == FF_OK);
    for (size_t i = 0; table && i < sizeof lookups / sizeof *lookups; i++) {
        struct ff_kernel_function function = {0};
        bool found =
            ff_kallsyms_find(table, ff_text(lookups[i].module), lookups[i].address, &function);
        CHECK(found == (lookups[i].name != NULL));
        if (!found || !lookups[i].name)
            continue;
        CHECK_NUMBER(function.start, lookups[i].start);
        CHECK_NUMBER(function.size, lookups[i].size);
        CHECK_TEXT(function.name, lookups[i].name);
    }
    CHECK(table && table->bad_lines == 1);
    ff_kallsyms_close(table);
    CHECK_TEXT(ff_kallsyms_module_name(FF_TEXT("[nvidia_uvm]"), buffer, 64), "nvidia_uvm");
    CHECK_TEXT(ff_kallsyms_module_name(FF_TEXT("/lib/modules/6.1/x/nvidia-uvm.ko.zst"), buffer, 64),
               "nvidia_uvm");
}

static void test_kallsyms_refusals(void)
{
    struct ff_kallsyms *table;
    struct ff_error error = {0};
    struct ff_text zeros = FF_TEXT("0000000000000000 T _text\n0000000000000000 t f\n");
    CHECK(ff_kallsyms_recognise(zeros));
    CHECK(open_kallsyms(&table, "k", zeros, &error) == FF_BAD_INPUT && !table);
    CHECK(strstr(error.message, "all addresses are 0") && strstr(error.message, "as root"));
    error = (struct ff_error){0};
    CHECK(open_kallsyms(&table, "k", FF_TEXT("hello\n"), &error) == FF_BAD_INPUT);
    CHECK(ff_kallsyms_recognise(ff_text(kallsyms)));
    CHECK(!ff_kallsyms_recognise(FF_TEXT("7fa9d46f0000 b py::f:<string>\n")));
    CHECK(!ff_kallsyms_recognise(FF_TEXT("hello\n")));
    CHECK(!ff_kallsyms_recognise(FF_TEXT("")));
}

static void check_entry(const struct ff_perf_map *map, uint64_t address, const char *name)
{
    const struct ff_perf_map_entry *entry = ff_perf_map_find(map, address);
    CHECK_TEXT(entry ? entry->name : FF_TEXT("-"), name);
}

static enum ff_status open_perf_map(struct ff_perf_map **map, const char *name,
                                    struct ff_text bytes, struct ff_error *error)
{
    struct ff_file file;
    enum ff_status status = ff_file_borrow(&file, name, bytes, error);
    return status == FF_OK ? ff_perf_map_open(map, &file, error) : status;
}

static void test_perf_map(void)
{
    struct ff_perf_map *map;
    struct ff_error error = {0};
    struct ff_text text = FF_TEXT("1000 100 first\n"
                                  "1080 10 in the middle\n"
                                  "10f0 20 over the end\n"
                                  "0x2000 0x10 with prefix\n"
                                  "3000 0 empty\n"
                                  "bad line\n"
                                  "fffffffffffffff0 20 wraps\n"
                                  "4000 10 old\n"
                                  "4000 10 new\r\n"
                                  "7fa9d46f0000 b py::f.<locals>.<lambda>:/a b/c.py");
    CHECK(ff_perf_map_recognise(text));
    CHECK(open_perf_map(&map, "/tmp/perf-630.map", text, &error) == FF_OK);
    CHECK(map && map->pid == 630 && map->bad_lines == 2);
    check_entry(map, 0xfff, "-");
    check_entry(map, 0x1000, "first");
    check_entry(map, 0x107f, "first");
    check_entry(map, 0x1080, "in the middle");
    check_entry(map, 0x1090, "first");
    check_entry(map, 0x10ef, "first");
    check_entry(map, 0x10f0, "over the end");
    check_entry(map, 0x110f, "over the end");
    check_entry(map, 0x1110, "-");
    check_entry(map, 0x200f, "with prefix");
    check_entry(map, 0x3000, "-");
    check_entry(map, 0x4000, "new");
    check_entry(map, 0x7fa9d46f000a, "py::f.<locals>.<lambda>:/a b/c.py");
    check_entry(map, UINT64_MAX, "-");
    ff_perf_map_close(map);
    CHECK_NUMBER(ff_perf_map_pid(FF_TEXT("perf-12.map")), 12);
    CHECK_NUMBER(ff_perf_map_pid(FF_TEXT("/a/perf.map")), 0);
    CHECK_NUMBER(ff_perf_map_pid(FF_TEXT("perf-x.map")), 0);
    CHECK(open_perf_map(&map, "m", FF_TEXT("nothing\n"), &error) == FF_BAD_INPUT && !map);
}

/* Tens of thousands of lines that all overlap take no longer than others. */
static void test_perf_map_overlaps(void)
{
    struct ff_perf_map *map;
    struct ff_error error = {0};
    struct ff_output text;
    ff_output_memory(&text);
    for (unsigned int i = 0; i < 50000; i++)
        ff_output_format(&text, "%x %x n%u\n", i, 200000 - 2 * i, i);
    struct ff_text bytes = {text.buffer, text.used};
    CHECK(open_perf_map(&map, "m", bytes, &error) == FF_OK);
    check_entry(map, 100000, "n49999");
    check_entry(map, 100, "n100");
    check_entry(map, 199999 - 100, "n100");
    ff_perf_map_close(map);
    ff_output_close(&text, &error);
}

static void test_tar(void)
{
    struct ff_output output;
    struct ff_error error = {0};
    struct ff_tar_member member = {FF_TEXT("a"), FF_TEXT("hello")};
    char big[1000] = "";
    ff_output_memory(&output);
    memset(big, 'x', sizeof big);
    CHECK(ff_tar_write(&output, member));
    CHECK(ff_tar_write(&output, (struct ff_tar_member){FF_TEXT("empty"), FF_TEXT("")}));
    CHECK(ff_tar_write(&output, (struct ff_tar_member){FF_TEXT("big"), {big, sizeof big}}));
    CHECK(!ff_tar_write(&output, (struct ff_tar_member){{big, 101}, FF_TEXT("")}));
    ff_tar_end(&output);
    struct ff_text rest = {output.buffer, output.used};
    CHECK_NUMBER(output.used, 512 * (2 + 1 + 3 + 2));
    CHECK(ff_tar_recognise(rest));
    CHECK(ff_tar_next(&rest, &member) == FF_OK);
    CHECK_TEXT(member.name, "a");
    CHECK_TEXT(member.bytes, "hello");
    CHECK(ff_tar_next(&rest, &member) == FF_OK && member.bytes.size == 0);
    CHECK(ff_tar_next(&rest, &member) == FF_OK && member.bytes.size == sizeof big);
    CHECK(ff_tar_next(&rest, &member) == FF_END);
    /* A cut member and a changed header are refused. */
    rest = (struct ff_text){output.buffer, 512 + 4};
    CHECK(ff_tar_next(&rest, &member) == FF_BAD_INPUT);
    output.buffer[124 + 10]++;
    rest = (struct ff_text){output.buffer, output.used};
    CHECK(ff_tar_next(&rest, &member) == FF_BAD_INPUT);
    ff_output_close(&output, &error);
}

int main(void)
{
    test_kallsyms();
    test_kallsyms_refusals();
    test_perf_map();
    test_perf_map_overlaps();
    test_tar();
    return check_result();
}
