/* SPDX-License-Identifier: MIT
 *
 * py-spy's frames and threads into profile rows. The hard thing: nothing is escaped and a frame
 * does not say what it is, so its last parenthesis decides: `:line` or `.py` is Python, a library
 * is native, what fits neither stays text.
 */
#include "read/pyspy.h"

#include "base/output.h"

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

static uint32_t library(struct ff_profile *profile, const struct ff_pyspy_frame *frame, bool placed)
{
    bool vdso = ff_text_equal(frame->file, FF_TEXT("[vdso]"));
    if (ff_text_equal(frame->file, FF_TEXT("?")))
        return 0;
    return ff_module_add(profile, (struct ff_module){
                                      .kind = !placed ? FF_MODULE_UNPLACED
                                              : vdso  ? FF_MODULE_VDSO
                                                      : FF_MODULE_ELF,
                                      .path = ff_profile_intern(profile, frame->file),
                                      .pid = placed ? 0 : frame->pid,
                                  });
}

/* Where nobody knows the library, the address says nothing: it is not kept. */
static struct ff_frame bare_frame(struct ff_profile *profile, const struct ff_pyspy_frame *frame)
{
    struct ff_frame row = {.kind = FF_FRAME_NATIVE, .module = library(profile, frame, false)};
    if (row.module) {
        ff_text_hex(ff_text_from(frame->name, 2), &row.place);
        row.place -= !frame->leaf && row.place;
    }
    return row;
}

/* "name (file:line)" as it stood. */
static uint32_t whole_text(struct ff_profile *profile, const struct ff_pyspy_frame *frame)
{
    struct ff_output output;
    if (!frame->file.size)
        return ff_profile_intern(profile, frame->name);
    ff_output_memory(&output);
    ff_output_text(&output, frame->name);
    ff_output_string(&output, " (");
    ff_output_text(&output, frame->file);
    if (frame->line) {
        ff_output_byte(&output, ':');
        ff_output_decimal(&output, frame->line);
    }
    ff_output_byte(&output, ')');
    uint32_t id = ff_profile_intern(profile, (struct ff_text){output.buffer, output.used});
    profile->out_of_memory |= output.out_of_memory;
    ff_output_close(&output, &profile->error);
    return id;
}

struct ff_pyspy_frame ff_pyspy_frame_parse(struct ff_text text)
{
    struct ff_pyspy_frame frame = {.name = text};
    frame.file = cut_file(&frame.name);
    frame.line = cut_line(&frame.file);
    if (!frame.file.size)
        frame = (struct ff_pyspy_frame){.name = text};
    return frame;
}

static enum ff_frame_kind kind_of(const struct ff_pyspy_frame *frame)
{
    if (!frame->file.size)
        return FF_FRAME_TEXT;
    if (frame->native || (!frame->line && is_address(frame->name)) ||
        (frame->line && is_native_source(frame->file)))
        return FF_FRAME_NATIVE;
    if (frame->line || is_python_file(frame->file))
        return FF_FRAME_PYTHON;
    return is_library(frame->file) ? FF_FRAME_NATIVE : FF_FRAME_TEXT;
}

uint32_t ff_pyspy_frame_add(struct ff_profile *profile, const struct ff_pyspy_frame *frame)
{
    struct ff_frame row = {.kind = (uint8_t)kind_of(frame)};
    if (row.kind == FF_FRAME_NATIVE && is_address(frame->name))
        return ff_frame_add(profile, bare_frame(profile, frame));
    row.symbol = row.kind == FF_FRAME_TEXT ? whole_text(profile, frame)
                                           : ff_profile_intern(profile, frame->name);
    if (row.kind == FF_FRAME_NATIVE)
        row.named = FF_NAMED_RECORDED;
    if (row.kind == FF_FRAME_PYTHON)
        row.entry = frame->entry;
    /* With DWARF lines py-spy prints the source file instead of the library. */
    if (row.kind == FF_FRAME_NATIVE && !(frame->line && is_native_source(frame->file)))
        row.module = library(profile, frame, true);
    else if (row.kind != FF_FRAME_TEXT)
        row.file = ff_profile_intern(profile, frame->file);
    row.line = row.file ? frame->line : 0;
    return ff_frame_add(profile, row);
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

size_t ff_pyspy_process_root(struct ff_text line, uint32_t *pid)
{
    uint64_t number;
    if (!ff_text_starts(line, FF_TEXT("process ")))
        return 0;
    struct ff_text rest = ff_text_from(line, 8);
    ptrdiff_t colon = ff_text_find(rest, ':');
    if (colon < 0 || !ff_text_decimal(ff_text_slice(rest, 0, (size_t)colon), &number) ||
        number > UINT32_MAX || (size_t)colon + 1 >= rest.size || rest.at[colon + 1] != '"')
        return 0;
    struct ff_text command = ff_text_from(line, 8 + (size_t)colon + 2);
    ptrdiff_t end = ff_text_find_text(command, FF_TEXT("\";"));
    if (end < 0 && !ff_text_ends(command, FF_TEXT("\"")))
        return 0;
    *pid = (uint32_t)number;
    return end < 0 ? line.size : (size_t)(command.at - line.at) + (size_t)end + 1;
}

/* Where the root frame that begins LINE ends. A thread's name may hold a ';': what follows one and does
 * not end as a frame of py-spy does, in a parenthesis, is more of the name. */
static size_t thread_root_end(struct ff_text line)
{
    ptrdiff_t end = ff_text_find(line, ';');
    bool named =
        end > 0 && ff_text_find_text(ff_text_slice(line, 0, (size_t)end), FF_TEXT("): ")) > 0;
    while (named && end >= 0) {
        struct ff_text behind = ff_text_from(line, (size_t)end + 1);
        ptrdiff_t next = ff_text_find(behind, ';');
        struct ff_text frame = next < 0 ? behind : ff_text_slice(behind, 0, (size_t)next);
        if (ff_text_ends(frame, FF_TEXT(")")))
            return (size_t)end;
        end = next < 0 ? -1 : end + 1 + next;
    }
    return end < 0 ? line.size : (size_t)end;
}

size_t ff_pyspy_thread_root(struct ff_text line, uint32_t *tid, struct ff_text *name)
{
    *name = FF_TEXT("");
    if (!ff_text_starts(line, FF_TEXT("thread ")))
        return 0;
    struct ff_text root = ff_text_slice(line, 0, thread_root_end(line));
    struct ff_text id = ff_text_from(root, 7);
    if (id.size && id.at[0] == '(') {
        ptrdiff_t close = ff_text_find(id, ')');
        struct ff_text behind = ff_text_from(id, (size_t)(close < 0 ? 0 : close + 1));
        if (close < 0 || (behind.size && !ff_text_starts(behind, FF_TEXT(": "))))
            return 0;
        *name = ff_text_from(behind, 2);
        id = ff_text_slice(id, 1, (size_t)close);
    }
    return ff_pyspy_tid_parse(id, tid) ? root.size : 0;
}

enum ff_population ff_pyspy_guess_population(struct ff_text name)
{
    if (ff_text_glob(name, FF_TEXT("*gil*")))
        return FF_POPULATION_GIL_HELD;
    if (ff_text_glob(name, FF_TEXT("*idle*")))
        return FF_POPULATION_ALL;
    return FF_POPULATION_RUNNABLE;
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
