/* SPDX-License-Identifier: MIT
 *
 * Mapping records to modules. The hard thing is names: the kernel, its modules, the vdso, JIT
 * memory and plain files all come as paths, in several spellings.
 */
#include "read/perf_mapping.h"

#include <stdio.h>

#include "profile/mapping.h"

#define PROTECTION_EXECUTE 4u

static bool starts_with_one(struct ff_text path, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ff_text_starts(path, ff_text(prefixes[i])))
            return true;
    }
    return false;
}

/* Anonymous memory that may hold generated code, as the kernel spells it. */
static bool is_generated(struct ff_text path)
{
    static const char *const prefixes[] = {"//anon",  "/anon_hugepage", "/dev/zero",
                                           "/memfd:", "[anon:",         "anon_inode:"};
    return starts_with_one(path, prefixes, sizeof prefixes / sizeof *prefixes);
}

/* A JIT maps its dump, so that the recording knows of it: code that it says lies there is its. */
static bool is_jit_dump(struct ff_text path)
{
    struct ff_text name = ff_text_base_name(path);
    return ff_text_starts(name, FF_TEXT("jit-")) && ff_text_ends(name, FF_TEXT(".dump"));
}

static bool is_data(struct ff_text path)
{
    static const char *const prefixes[] = {"[heap]", "[stack", "/SYSV"};
    return starts_with_one(path, prefixes, sizeof prefixes / sizeof *prefixes);
}

static enum ff_module_kind user_kind(const struct ff_perf_mapping *mapping)
{
    if (ff_text_equal(mapping->path, FF_TEXT("[vdso]")))
        return FF_MODULE_VDSO;
    if (is_generated(mapping->path) || is_jit_dump(mapping->path))
        return mapping->protection & PROTECTION_EXECUTE ? FF_MODULE_PERF_MAP : FF_MODULE_ANONYMOUS;
    if (is_data(mapping->path) || !mapping->path.size)
        return FF_MODULE_ANONYMOUS;
    return FF_MODULE_ELF;
}

/* "[kernel.kallsyms]_text", "[guest.kernel.kallsyms]_stext" and a vmlinux path are the kernel; its
 * modules come as "[nvidia]" or as the path of a .ko file. */
static enum ff_module_kind kernel_kind(struct ff_text *path)
{
    static const char kernel[] = "[kernel.kallsyms]";
    if (ff_text_starts(*path, FF_TEXT(kernel))) {
        path->size = sizeof kernel - 1;
        return FF_MODULE_KERNEL;
    }
    struct ff_text name = ff_text_base_name(*path);
    return ff_text_starts(name, FF_TEXT("vmlinux")) ? FF_MODULE_KERNEL : FF_MODULE_KERNEL_MODULE;
}

static uint32_t module_of(const struct ff_perf_file *file, const struct ff_perf_mapping *mapping,
                          bool kernel, uint64_t anchor)
{
    struct ff_profile *profile = file->profile;
    struct ff_text path = mapping->path;
    struct ff_module module = {.kind = kernel ? kernel_kind(&path) : user_kind(mapping)};
    module.path = ff_profile_intern(profile, path);
    module.build_id = ff_perf_build_id_text(profile, mapping->build_id);
    if (!module.build_id)
        module.build_id = ff_perf_file_build_id(file, module.path);
    if (module.kind == FF_MODULE_ELF && !module.build_id) {
        module.inode = mapping->inode;
        module.generation = (uint32_t)mapping->inode_generation;
    }
    if (module.kind == FF_MODULE_PERF_MAP || module.kind == FF_MODULE_ANONYMOUS)
        module.pid = mapping->pid;
    if (kernel)
        module.anchor = anchor;
    return ff_module_add(profile, module);
}

static bool is_file(const struct ff_profile *profile, uint32_t module)
{
    unsigned kind = profile->modules.at[module].kind;
    return kind == FF_MODULE_ELF || kind == FF_MODULE_VDSO;
}

void ff_perf_mapping_add(const struct ff_perf_file *file, struct ff_perf_tasks *tasks,
                         struct ff_perf_stacks *stacks, const struct ff_perf_mapping *mapping,
                         bool kernel)
{
    /* The kernel's mapping is named after its first symbol, whose address stands as the offset. */
    if (kernel && ff_text_ends(mapping->path, FF_TEXT("text")) &&
        ff_text_starts(mapping->path, FF_TEXT("[kernel.kallsyms]_")))
        stacks->kernel_anchor = mapping->file_offset;
    struct ff_span span = {
        .start = mapping->start,
        .end = mapping->start + mapping->size,
        .file_offset = mapping->file_offset,
        .module = module_of(file, mapping, kernel, stacks->kernel_anchor),
        .data = !kernel && !(mapping->protection & PROTECTION_EXECUTE),
    };
    if (span.end < span.start) /* the kernel's may reach the end of the address space */
        span.end = UINT64_MAX;
    if (!kernel && !span.data && is_file(file->profile, span.module))
        ff_mapping_add(file->profile, (struct ff_mapping){.pid = mapping->pid,
                                                          .module = span.module,
                                                          .start = span.start,
                                                          .end = span.end,
                                                          .file_offset = span.file_offset});
    ff_space_map(kernel ? &stacks->kernel : &ff_perf_tasks_process(tasks, mapping->pid)->space,
                 span);
}

void ff_perf_mapping_symbol(const struct ff_perf_file *file, struct ff_perf_stacks *stacks,
                            const struct ff_perf_mapping *mapping, bool gone)
{
    char name[300];
    struct ff_text path = ff_text_slice(mapping->path, 0, 250);
    int used = snprintf(name, sizeof name, "[%.*s]", FF_TEXT_ARGS(path));
    struct ff_module module = {.kind = FF_MODULE_KERNEL_MODULE, .anchor = stacks->kernel_anchor};
    module.path = ff_profile_intern(file->profile, (struct ff_text){name, (size_t)used});
    /* What goes leaves a hole: a mapping of no module. */
    struct ff_span span = {.start = mapping->start, .end = mapping->start + mapping->size};
    span.module = gone ? 0 : ff_module_add(file->profile, module);
    ff_space_map(&stacks->kernel, span);
}
