/* SPDX-License-Identifier: MIT
 *
 * py-spy's frames and threads into profile rows. The hard thing: nothing is escaped and a frame
 * does not say what it is, so its last parenthesis decides: `:line` or `.py` is Python, a library
 * is native, what fits neither stays text.
 */
#include "read/pyspy.h"

size_t ff_pyspy_strip_colours(struct ff_text line, char *plain)
{
    size_t used = 0;
    for (size_t i = 0; i < line.size; i++) {
        size_t end = i + 2;
        bool escape = line.at[i] == '\033' && i + 1 < line.size && line.at[i + 1] == '[';
        while (escape && end < line.size &&
               (line.at[end] == ';' || (line.at[end] >= '0' && line.at[end] <= '9')))
            end++;
        if (escape && end < line.size && line.at[end] == 'm')
            i = end;
        else
            plain[used++] = line.at[i];
    }
    return used;
}

/* `name (file)` cut in two; file is empty where there is none. Parentheses are matched from the
 * right: a name may hold "operator()", a path may hold " (1)". */
static struct ff_text cut_file(struct ff_text *name)
{
    struct ff_text none = {"", 0};
    int depth = 0;
    if (!name->size || name->at[name->size - 1] != ')')
        return none;
    for (size_t i = name->size; i-- > 0;) {
        depth += name->at[i] == ')';
        depth -= name->at[i] == '(';
        if (depth)
            continue;
        if (i < 2 || name->at[i - 1] != ' ')
            return none;
        struct ff_text file = ff_text_slice(*name, i + 1, name->size - 1);
        name->size = i - 1;
        return file;
    }
    return none;
}

/* Cuts ":12" off FILE; 0 where there is no line. */
static uint32_t cut_line(struct ff_text *file)
{
    uint64_t line = 0;
    ptrdiff_t colon = ff_text_find_last(*file, ':');
    if (colon <= 0 || !ff_text_decimal(ff_text_from(*file, (size_t)colon + 1), &line) ||
        line > UINT32_MAX)
        return 0;
    file->size = (size_t)colon;
    return (uint32_t)line;
}

static bool ends_with_any(struct ff_text text, const char *const *suffixes)
{
    for (; *suffixes; suffixes++) {
        if (ff_text_ends(text, ff_text(*suffixes)))
            return true;
    }
    return false;
}

static bool is_python_file(struct ff_text file)
{
    static const char *const suffixes[] = {".py", ".pyc", ".pyx", ".pxd", ".pxi", ".pyw", NULL};
    return file.at[0] == '<' || ends_with_any(file, suffixes);
}

static bool is_native_source(struct ff_text file)
{
    static const char *const suffixes[] = {".c",   ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h",
                                           ".hpp", ".hh", ".hxx", ".inl", ".rs", ".s",   ".S",
                                           ".asm", ".go", ".f90", ".tcc", NULL};
    return ends_with_any(file, suffixes);
}

/* A library, the interpreter, or "[vdso]". An extension module of Python is a library too. */
static bool is_library(struct ff_text file)
{
    static const char *const suffixes[] = {".so", ".dylib", ".pyd", ".dll", ".exe", NULL};
    struct ff_text base = ff_text_base_name(file);
    return file.at[0] == '[' || ends_with_any(base, suffixes) ||
           ff_text_find_text(base, FF_TEXT(".so.")) > 0 || ff_text_starts(base, FF_TEXT("python"));
}

static bool is_address(struct ff_text name)
{
    uint64_t value;
    return ff_text_starts(name, FF_TEXT("0x")) && ff_text_hex(ff_text_from(name, 2), &value);
}

static uint32_t module_of(struct ff_profile *profile, struct ff_text file)
{
    if (ff_text_equal(file, FF_TEXT("?")))
        return 0;
    bool vdso = ff_text_equal(file, FF_TEXT("[vdso]"));
    return ff_module_add(profile, (struct ff_module){
                                      .kind = vdso ? FF_MODULE_VDSO : FF_MODULE_ELF,
                                      .path = ff_profile_intern(profile, file),
                                  });
}

/* A bare address says nothing in another process: only its module is kept. */
static struct ff_frame bare_frame(struct ff_profile *profile, struct ff_text file)
{
    struct ff_frame frame = {.kind = FF_FRAME_NATIVE, .module = module_of(profile, file)};
    frame.named = frame.module ? FF_NAMED_MODULE : FF_NAMED_NOT;
    return frame;
}

uint32_t ff_pyspy_frame_add(struct ff_profile *profile, struct ff_text text)
{
    struct ff_text name = text;
    struct ff_text file = cut_file(&name);
    uint32_t line = cut_line(&file);
    struct ff_frame frame = {.kind = FF_FRAME_TEXT};
    if (!file.size) {
        frame.symbol = ff_profile_intern(profile, text);
    } else if (!line && is_address(name)) {
        frame = bare_frame(profile, file);
    } else if (line && is_native_source(file)) {
        frame.kind = FF_FRAME_NATIVE;
        frame.named = FF_NAMED_RECORDED;
        frame.symbol = ff_profile_intern(profile, name);
        frame.file = ff_profile_intern(profile, file);
        frame.line = line;
    } else if (line || is_python_file(file)) {
        frame.kind = FF_FRAME_PYTHON;
        frame.symbol = ff_profile_intern(profile, name);
        frame.file = ff_profile_intern(profile, file);
        frame.line = line;
    } else if (is_library(file)) {
        frame.kind = FF_FRAME_NATIVE;
        frame.named = FF_NAMED_RECORDED;
        frame.symbol = ff_profile_intern(profile, name);
        frame.module = module_of(profile, file);
    } else {
        frame.symbol = ff_profile_intern(profile, text);
    }
    return ff_frame_add(profile, frame);
}

bool ff_pyspy_frame_is_bare(const struct ff_profile *profile, uint32_t frame)
{
    const struct ff_frame *row = &profile->frames.at[frame];
    return row->kind == FF_FRAME_NATIVE && !row->symbol;
}

bool ff_pyspy_tid_parse(struct ff_text text, uint32_t *tid)
{
    uint64_t value;
    if (is_address(text)) {
        *tid = 0;
        return true;
    }
    if (!ff_text_decimal(text, &value) || value > UINT32_MAX)
        return false;
    *tid = (uint32_t)value;
    return true;
}

static uint32_t find_renamed(const struct ff_pyspy_threads *threads,
                             const struct ff_profile *profile, const struct ff_thread *wanted,
                             uint64_t hash)
{
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&threads->renamed, hash, &probe); id;
         id = ff_map_next(&threads->renamed, &probe)) {
        const struct ff_thread *row = &profile->threads.at[id];
        if (row->process == wanted->process && row->tid == wanted->tid && row->name == wanted->name)
            return id;
    }
    return 0;
}

/* The generation of FIRST's thread under another name. A map finds it: a file may hold a million
 * names of one thread. */
static uint32_t add_renamed(struct ff_pyspy_threads *threads, struct ff_profile *profile,
                            uint32_t first, struct ff_thread thread)
{
    uint64_t hash = ff_hash_mix(ff_hash_mix(thread.process, thread.tid), thread.name);
    uint32_t id = find_renamed(threads, profile, &thread, hash);
    if (id)
        return id;
    threads->last_generation =
        ff_grow(threads->last_generation, &threads->capacity, (uint64_t)first + 1,
                sizeof *threads->last_generation, &profile->out_of_memory);
    if (first >= threads->capacity)
        return 0;
    thread.generation = ++threads->last_generation[first];
    id = ff_thread_add(profile, thread);
    if (id)
        ff_map_add(&threads->renamed, hash, id);
    profile->out_of_memory |= threads->renamed.failed;
    return id;
}

uint32_t ff_pyspy_thread_add(struct ff_pyspy_threads *threads, struct ff_profile *profile,
                             uint32_t process, uint32_t tid, uint32_t name, uint32_t key)
{
    struct ff_thread thread = {
        .process = process,
        .tid = tid,
        .generation = tid ? 0 : key,
        .name = name,
        .role = name ? ff_role_of(profile, name) : 0,
    };
    uint32_t first = ff_thread_add(profile, thread);
    if (!first || !tid || profile->threads.at[first].name == name)
        return first;
    return add_renamed(threads, profile, first, thread);
}

void ff_pyspy_threads_release(struct ff_pyspy_threads *threads)
{
    ff_map_release(&threads->renamed);
    ff_free(threads->last_generation);
    *threads = (struct ff_pyspy_threads){0};
}
