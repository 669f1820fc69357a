/* SPDX-License-Identifier: MIT
 *
 * kallsyms text to a table sorted by module and address. The hard thing is that only text symbols
 * of one module bound each other: modules are loaded anywhere, and their lines come in no order.
 */
#include "image/kallsyms.h"
#include "base/memory.h"

#include <stdlib.h>

struct line {
    uint64_t address;
    char type;
    struct ff_text name, module;
};

/* kallsyms is long: this is the loop that its reading time consists of. */
static const char *parse_address(const char *at, const char *end, uint64_t *address)
{
    uint64_t value = 0;
    const char *start = at;
    for (; at < end; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte >= '0' && byte <= '9')
            value = value << 4 | (uint64_t)(byte - '0');
        else if ((byte | 32) >= 'a' && (byte | 32) <= 'f')
            value = value << 4 | (uint64_t)((byte | 32) - 'a' + 10);
        else
            break;
    }
    *address = value;
    return at > start && at - start <= 16 ? at : NULL;
}

static bool parse_line(struct ff_text text, struct line *line)
{
    const char *end = text.at + text.size;
    const char *at = parse_address(text.at, end, &line->address);
    if (!at || end - at < 4 || at[0] != ' ' || at[2] != ' ')
        return false;
    line->type = at[1];
    line->name = (struct ff_text){at + 3, (size_t)(end - at) - 3};
    line->module = FF_TEXT("");
    if (end[-1] != ']')
        return true;
    ptrdiff_t tab = ff_text_find(line->name, '\t');
    if (tab >= 0) {
        line->module = ff_text_trim(ff_text_from(line->name, (size_t)tab));
        line->name.size = (size_t)tab;
    }
    return true;
}

static bool is_text_type(char type)
{
    return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static struct ff_text strip_brackets(struct ff_text name)
{
    if (name.size >= 2 && name.at[0] == '[' && name.at[name.size - 1] == ']')
        return ff_text_slice(name, 1, name.size - 1);
    return name;
}

static uint16_t module_of(struct ff_kallsyms *table, struct ff_text name, uint16_t last)
{
    name = strip_brackets(name);
    if (ff_text_equal(table->modules[last].name, name))
        return last;
    for (uint32_t i = 0; i < table->module_count; i++) {
        if (ff_text_equal(table->modules[i].name, name))
            return (uint16_t)i;
    }
    table->modules =
        ff_grow(table->modules, &table->module_capacity, (uint64_t)table->module_count + 1,
                sizeof *table->modules, &table->failed);
    if (table->module_count >= table->module_capacity || table->module_count >= UINT16_MAX)
        return 0;
    table->modules[table->module_count].name = name;
    return (uint16_t)table->module_count++;
}

static void add_symbol(struct ff_kallsyms *table, const struct line *line, uint16_t module)
{
    table->symbols = ff_grow(table->symbols, &table->capacity, (uint64_t)table->count + 1,
                             sizeof *table->symbols, &table->failed);
    if (table->count >= table->capacity)
        return;
    table->symbols[table->count++] = (struct ff_kallsyms_symbol){
        .address = line->address,
        .name = (uint32_t)(line->name.at - table->file.bytes.at),
        .name_size = (uint16_t)(line->name.size < UINT16_MAX ? line->name.size : UINT16_MAX),
        .module = module,
        .type = line->type,
    };
}

static int compare_symbols(const void *a, const void *b)
{
    const struct ff_kallsyms_symbol *left = a, *right = b;
    if (left->module != right->module)
        return left->module < right->module ? -1 : 1;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return left->name < right->name ? -1 : left->name > right->name;
}

static bool is_sorted(const struct ff_kallsyms_symbol *symbols, uint32_t count)
{
    uint32_t i = 1;
    while (i < count && compare_symbols(&symbols[i - 1], &symbols[i]) < 0)
        i++;
    return i >= count;
}

/* The kernel's own symbols come sorted, and are most: only modules that need it are sorted. */
static void sort_symbols(struct ff_kallsyms *table)
{
    bool grouped = true;
    for (uint32_t i = 1; i < table->count; i++)
        grouped &= table->symbols[i - 1].module <= table->symbols[i].module;
    if (!grouped)
        qsort(table->symbols, table->count, sizeof *table->symbols, compare_symbols);
    for (uint32_t i = 0; i < table->count; i++) {
        struct ff_kallsyms_module *module = &table->modules[table->symbols[i].module];
        if (!module->count++)
            module->first = i;
    }
    for (uint32_t i = 0; i < table->module_count; i++) {
        struct ff_kallsyms_symbol *first = table->symbols + table->modules[i].first;
        if (!is_sorted(first, table->modules[i].count))
            qsort(first, table->modules[i].count, sizeof *first, compare_symbols);
    }
}

static void read_lines(struct ff_kallsyms *table)
{
    struct ff_text rest = table->file.bytes;
    uint16_t module = module_of(table, FF_TEXT(""), 0);
    while (rest.size && !table->failed) {
        struct line line;
        struct ff_text text = ff_text_cut(&rest, '\n');
        if (!parse_line(text, &line)) {
            table->bad_lines += text.size > 0;
            continue;
        }
        if (!is_text_type(line.type))
            continue;
        module = module_of(table, line.module, module);
        add_symbol(table, &line, module);
    }
}

static enum ff_status check_table(const struct ff_kallsyms *table, struct ff_error *error)
{
    uint32_t zeros = 0;
    while (zeros < table->count && !table->symbols[zeros].address)
        zeros++;
    if (table->failed)
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", table->file.path);
    if (!table->count)
        return ff_error_set(error, FF_BAD_INPUT,
                            "%s: found no text symbol, expected lines like those of /proc/kallsyms",
                            table->file.path);
    if (zeros == table->count)
        return ff_error_set(error, FF_BAD_INPUT,
                            "%s: all addresses are 0: /proc/kallsyms was copied without "
                            "privileges; copy it as root",
                            table->file.path);
    return FF_OK;
}

static void read_table(struct ff_kallsyms *table)
{
    /* Names are kept as 32-bit offsets. */
    table->failed = table->file.bytes.size >= UINT32_MAX;
    table->modules =
        ff_grow(NULL, &table->module_capacity, 1, sizeof *table->modules, &table->failed);
    if (table->failed)
        return;
    table->modules[0].name = FF_TEXT("");
    table->module_count = 1;
    read_lines(table);
    sort_symbols(table);
}

enum ff_status ff_kallsyms_open(struct ff_kallsyms **table, struct ff_file *file,
                                struct ff_error *error)
{
    struct ff_kallsyms *made = ff_alloc(1, sizeof *made);
    enum ff_status status;
    *table = NULL;
    if (!made) {
        status = ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", file->path);
        ff_file_close(file);
        return status;
    }
    *made = (struct ff_kallsyms){.file = *file};
    *file = (struct ff_file){0};
    read_table(made);
    status = check_table(made, error);
    if (status != FF_OK)
        ff_kallsyms_close(made);
    else
        *table = made;
    return status;
}

void ff_kallsyms_close(struct ff_kallsyms *table)
{
    if (!table)
        return;
    ff_file_close(&table->file);
    ff_free(table->symbols);
    ff_free(table->modules);
    ff_free(table);
}

bool ff_kallsyms_recognise(struct ff_text bytes)
{
    /* "7f00 b name" is a line of either kind of file; only a type that is no digit tells. */
    while (ff_text_find(bytes, '\n') >= 0) {
        struct line line;
        if (!parse_line(ff_text_cut(&bytes, '\n'), &line))
            return false;
        if (is_text_type(line.type))
            return true;
    }
    return false;
}

struct ff_text ff_kallsyms_module_name(struct ff_text path, char *buffer, size_t size)
{
    struct ff_text name = strip_brackets(ff_text_base_name(path));
    ptrdiff_t suffix = ff_text_find_text(name, FF_TEXT(".ko"));
    if (suffix > 0)
        name.size = (size_t)suffix;
    if (name.size > size)
        name.size = size;
    for (size_t i = 0; i < name.size; i++)
        buffer[i] = name.at[i] == '-' ? '_' : name.at[i];
    return (struct ff_text){buffer, name.size};
}

static const struct ff_kallsyms_module *module_find(const struct ff_kallsyms *table,
                                                    struct ff_text name)
{
    for (uint32_t i = 0; i < table->module_count; i++) {
        if (ff_text_equal(table->modules[i].name, name))
            return &table->modules[i];
    }
    return NULL;
}

static struct ff_text symbol_name(const struct ff_kallsyms *table,
                                  const struct ff_kallsyms_symbol *symbol)
{
    return (struct ff_text){table->file.bytes.at + symbol->name, symbol->name_size};
}

bool ff_kallsyms_anchored(const struct ff_kallsyms *table, uint64_t anchor)
{
    const struct ff_kallsyms_module *slice = module_find(table, FF_TEXT(""));
    for (uint32_t i = 0; slice && i < slice->count; i++) {
        const struct ff_kallsyms_symbol *symbol = &table->symbols[slice->first + i];
        struct ff_text name = symbol_name(table, symbol);
        if (symbol->address == anchor &&
            (ff_text_equal(name, FF_TEXT("_text")) || ff_text_equal(name, FF_TEXT("_stext"))))
            return true;
    }
    return false;
}

bool ff_kallsyms_find(const struct ff_kallsyms *table, struct ff_text module, uint64_t address,
                      struct ff_kernel_function *function)
{
    const struct ff_kallsyms_module *slice = module_find(table, module);
    if (!slice || !slice->count)
        return false;
    const struct ff_kallsyms_symbol *symbols = table->symbols + slice->first;
    uint32_t low = 0, high = slice->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    const struct ff_kallsyms_symbol *best = &symbols[low - 1];
    uint64_t size = FF_KALLSYMS_REACH;
    if (low < slice->count && symbols[low].address - best->address < size)
        size = symbols[low].address - best->address;
    *function =
        (struct ff_kernel_function){best->address, size, symbol_name(table, best), best->type};
    return address - best->address < size;
}
