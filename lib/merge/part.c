/* SPDX-License-Identifier: MIT
 *
 * Frames to parts. The hard thing is the stripped interpreter, the normal case: only its exported
 * functions have names, so that every unnamed function of its module counts as plumbing, and its
 * module is found by the evaluation loop, which all builds export.
 */
#include "merge/part.h"

/* Functions that carry a call from C to Python, from Python to C or from Python to Python; '*' as in
 * globs. From the call paths of CPython 3.8 to 3.14. */
static const char *const plumbing[] = {
    "PyObject_Vectorcall*",
    "_PyObject_MakeTpCall",
    "_PyObject_Call*",
    "PyObject_Call*",
    "_PyFunction_Vectorcall*",
    "_PyEval_Vector",
    "_PyEval_EvalCode",
    "_PyEval_EvalCodeWithName",
    "PyEval_EvalCode*",
    "function_code_fastcall",
    "call_function",
    "method_vectorcall*",
    "cfunction_*",
    "slot_tp_*",
    "type_call",
    "_PyObject_FastCall*",
    "_PyObject_VectorcallTstate*",
    "_PyVectorcall_Call",
    "PyVectorcall_Call",
    "vectorcall_*",
    "object_vacall",
    "partial_vectorcall*",
    "thread_run",
    "t_bootstrap",
    "pythread_wrapper",
    "py_trampoline_evaluator",
    "do_call_core",
    "_Py_Vectorcall*",
    "PyEval_EvalFrame*",
    "PyCFunction_Call",
    "_PyMethodDescr_*",
    "_PyCFunction_*",
    "wrapper_call",
    "wrap_*",
    "_PyEval_EvalFrame",
};

static bool is_any(struct ff_text name, const char *const *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ff_text_glob(name, ff_text(patterns[i])))
            return true;
    }
    return false;
}

static bool is_eval(struct ff_text name)
{
    static const char *const names[] = {"_PyEval_EvalFrameDefault*", "PyEval_EvalFrameEx"};
    return is_any(name, names, sizeof names / sizeof *names);
}

static bool is_interpreter_file(struct ff_text name)
{
    static const char *const names[] = {"python", "python[23]*", "python3*", "python2*",
                                        "libpython*.so*"};
    return is_any(name, names, sizeof names / sizeof *names);
}

static bool is_system_file(struct ff_text name)
{
    static const char *const names[] = {
        "libc.so*", "libc-*.so",     "libpthread*.so*", "ld-linux*.so*", "ld-*.so",
        "[vdso]",   "ld-musl-*.so*", "libm.so*",        "libm-*.so",     "libc.musl-*.so*"};
    return is_any(name, names, sizeof names / sizeof *names);
}

/* What is known of a module: by its file name, or because it holds the evaluation loop. */
struct modules {
    bool *interpreter, *system;
};

static bool has_symbol(const struct ff_frame *frame)
{
    return frame->symbol && frame->named != FF_NAMED_FUNCTION && frame->named != FF_NAMED_MODULE;
}

static bool find_modules(struct ff_profile *profile, struct modules *modules)
{
    modules->interpreter = ff_alloc(profile->modules.count, sizeof *modules->interpreter);
    modules->system = ff_alloc(profile->modules.count, sizeof *modules->system);
    if (!modules->interpreter || !modules->system)
        return false;
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        struct ff_text name = ff_module_name(profile, i);
        modules->interpreter[i] = is_interpreter_file(name);
        modules->system[i] = is_system_file(name) || profile->modules.at[i].kind == FF_MODULE_VDSO;
    }
    for (uint32_t i = 1; i < profile->frames.count; i++) {
        const struct ff_frame *frame = &profile->frames.at[i];
        if (frame->kind == FF_FRAME_NATIVE && frame->module && has_symbol(frame) &&
            is_eval(ff_profile_text(profile, frame->symbol)))
            modules->interpreter[frame->module] = true;
    }
    return true;
}

static enum ff_part part_in_interpreter(struct ff_text name)
{
    if (!name.size || is_any(name, plumbing, sizeof plumbing / sizeof *plumbing))
        return FF_PART_PLUMBING;
    return FF_PART_INTERPRETER;
}

/* A debugger names no library for the program itself, nor where it has debug information: then names
 * decide. */
static enum ff_part part_without_module(struct ff_text name)
{
    static const char *const roots[] = {"_start", "__libc_start*", "start_thread", "clone",
                                        "clone3", "__clone3",      "__GI_*clone*", "__clone"};
    enum ff_part part = part_in_interpreter(name);
    if (!name.size)
        return FF_PART_NATIVE;
    if (part == FF_PART_PLUMBING || ff_text_starts(name, FF_TEXT("Py")) ||
        ff_text_starts(name, FF_TEXT("_Py")))
        return part;
    return is_any(name, roots, sizeof roots / sizeof *roots) ? FF_PART_SYSTEM : FF_PART_NATIVE;
}

static enum ff_part part_of(const struct ff_profile *profile, const struct modules *modules,
                            const struct ff_frame *frame)
{
    struct ff_text name = has_symbol(frame) ? ff_profile_text(profile, frame->symbol) : FF_TEXT("");
    switch (frame->kind) {
    case FF_FRAME_PYTHON:
        return FF_PART_PYTHON;
    case FF_FRAME_KERNEL:
        return FF_PART_KERNEL;
    case FF_FRAME_MARKER:
        return FF_PART_MARKER;
    default:
        break;
    }
    if (ff_text_starts(name, FF_TEXT("py::")))
        return FF_PART_TRAMPOLINE;
    if (ff_text_starts(name, FF_TEXT("_TAIL_CALL_")))
        return FF_PART_OPCODE;
    if (is_eval(name))
        return FF_PART_EVAL;
    if (!frame->module && frame->named == FF_NAMED_RECORDED)
        return part_without_module(name);
    if (modules->interpreter[frame->module])
        return part_in_interpreter(name);
    return modules->system[frame->module] ? FF_PART_SYSTEM : FF_PART_NATIVE;
}

static uint32_t token_of(struct ff_profile *profile, enum ff_part part, uint32_t frame)
{
    const struct ff_frame *row = &profile->frames.at[frame];
    if (part != FF_PART_NATIVE && part != FF_PART_SYSTEM)
        return 0;
    if (has_symbol(row))
        return row->symbol;
    return ff_profile_intern(profile, ff_module_name(profile, row->module));
}

static uint64_t content_of(const struct ff_profile *profile, const struct ff_frame *frame)
{
    struct ff_text name = ff_profile_text(profile, frame->symbol);
    struct ff_text module = ff_module_name(profile, frame->module);
    uint64_t hash = ff_hash_bytes(name.at, name.size, (uint64_t)frame->line << 8 | frame->kind);
    return ff_hash_mix(ff_hash_bytes(module.at, module.size, hash), frame->function);
}

enum ff_status ff_parts_init(struct ff_parts *parts, struct ff_profile *profile)
{
    struct modules modules = {0};
    uint32_t count = profile->frames.count;
    *parts = (struct ff_parts){.profile = profile,
                               .of = ff_alloc(count, sizeof *parts->of),
                               .token = ff_alloc(count, sizeof *parts->token),
                               .content = ff_alloc(count, sizeof *parts->content),
                               .count = count};
    if (!parts->of || !parts->token || !parts->content || !find_modules(profile, &modules))
        profile->out_of_memory = true;
    for (uint32_t i = 1; i < count && !profile->out_of_memory; i++) {
        enum ff_part part = part_of(profile, &modules, &profile->frames.at[i]);
        parts->of[i] = (uint8_t)part;
        parts->token[i] = token_of(profile, part, i);
        parts->content[i] = content_of(profile, &profile->frames.at[i]);
    }
    ff_free(modules.interpreter);
    ff_free(modules.system);
    return ff_profile_status(profile);
}

void ff_parts_release(struct ff_parts *parts)
{
    ff_free(parts->of);
    ff_free(parts->token);
    ff_free(parts->content);
    *parts = (struct ff_parts){0};
}
