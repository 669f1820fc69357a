/* SPDX-License-Identifier: MIT
 *
 * Names as stackcollapse-perf.pl and inferno spell them. Behaviour, not taste: "->" splits a name,
 * parameters end it, a bracket at the start of a file's name makes it the kernel's.
 */
#include "fold/compat_name.h"

/* What stands in parentheses behind a frame in perf's text. */
static struct ff_text dso_of(const struct ff_profile *profile, const struct ff_frame *frame)
{
    return frame->module ? ff_profile_text(profile, profile->modules.at[frame->module].path)
                         : FF_TEXT("[unknown]");
}

/* "[libc.so.6]", "[[kernel.kallsyms]]", "[unknown]", with the address before the last bracket. */
static void put_unknown(struct ff_output *output, const struct ff_compat_options *options,
                        struct ff_text dso, uint64_t address)
{
    ptrdiff_t slash = ff_text_find_last(dso, '/');
    ff_output_byte(output, '[');
    if (ff_text_equal(dso, FF_TEXT("[unknown]")))
        ff_output_string(output, "unknown");
    else
        ff_output_text(output, ff_text_from(dso, (size_t)(slash + 1)));
    if (options->addresses) {
        ff_output_string(output, " <");
        ff_output_hex(output, address);
        ff_output_byte(output, '>');
    }
    ff_output_byte(output, ']');
}

/* A Go method: a dot, something in parentheses, a dot. */
static bool is_go(struct ff_text name)
{
    ptrdiff_t open = ff_text_find_text(name, FF_TEXT(".("));
    return open >= 0 && ff_text_find_text(ff_text_from(name, (size_t)open), FF_TEXT(").")) > 0;
}

/* The name up to its first parenthesis that is not "(anonymous namespace)". */
static struct ff_text perl_cut(struct ff_text name)
{
    static const struct ff_text anonymous = {"(anonymous namespace)", 21};
    for (size_t i = 0; i < name.size && !is_go(name); i++) {
        if (name.at[i] == '(' && !ff_text_starts(ff_text_from(name, i), anonymous))
            return ff_text_slice(name, 0, i);
    }
    return name;
}

/* The same, but a parenthesis inside of other brackets, or behind a dot, does not end it. */
static struct ff_text inferno_cut(struct ff_text name)
{
    static const struct ff_text anonymous = {"(anonymous namespace)", 21};
    int depth = 0;
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.at[i];
        if (byte == '(' && depth == 0 && !(i && name.at[i - 1] == '.') &&
            !ff_text_starts(ff_text_from(name, i), anonymous))
            return ff_text_slice(name, 0, i);
        depth += byte == '(' || byte == '<' || byte == '[' || byte == '{';
        depth -= depth && (byte == ')' || byte == '>' || byte == ']' || byte == '}');
    }
    return name;
}

static bool is_kernel(const struct ff_compat_options *options, struct ff_text dso)
{
    if (ff_text_find_text(dso, FF_TEXT("unknown")) >= 0)
        return false;
    struct ff_text name = ff_text_base_name(dso);
    if (ff_text_starts(dso, FF_TEXT("[")) || ff_text_ends(dso, FF_TEXT("vmlinux")))
        return true;
    return options->inferno &&
           (ff_text_ends(dso, FF_TEXT(".ko")) || ff_text_starts(name, FF_TEXT("vmlinux")));
}

static bool is_generated(const struct ff_compat_options *options, struct ff_text dso)
{
    struct ff_text name = ff_text_base_name(dso);
    if (ff_text_starts(dso, FF_TEXT("/tmp/perf-")) && ff_text_ends(dso, FF_TEXT(".map")))
        return true;
    return options->inferno && ff_text_starts(name, FF_TEXT("jitted-")) &&
           ff_text_ends(name, FF_TEXT(".so"));
}

/* "::h" and 16 hexadecimal digits: a Rust name of the old kind, perhaps only half demangled. */
static bool has_rust_hash(struct ff_text name)
{
    uint64_t hash;
    return name.size > 19 &&
           ff_text_equal(ff_text_slice(name, name.size - 19, name.size - 16), FF_TEXT("::h")) &&
           ff_text_hex(ff_text_from(name, name.size - 16), &hash);
}

/* Writes what stands at the start of a half demangled Rust name; returns how many bytes that is. */
static size_t put_rust(struct ff_output *output, struct ff_text name)
{
    static const struct {
        const char *code, *text;
    } codes[] = {
        {"$SP$", "@"},  {"$BP$", "*"},  {"$RF$", "&"},   {"$LT$", "<"},  {"$GT$", ">"},
        {"$LP$", "("},  {"$RP$", ")"},  {"$C$", ","},    {"$u7e$", "~"}, {"$u20$", " "},
        {"$u27$", "'"}, {"$u5b$", "["}, {"$u5d$", "]"},  {"$u7b$", "{"}, {"$u7d$", "}"},
        {"$u3b$", ":"}, {"$u2b$", "+"}, {"$u22$", "\""}, {"..", "::"},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct ff_text code = ff_text(codes[i].code);
        if (!ff_text_starts(name, code))
            continue;
        ff_output_string(output, codes[i].text);
        return code.size;
    }
    ff_output_byte(output, name.at[0] == ';' ? ':' : name.at[0]);
    return 1;
}

static void put_name(struct ff_output *output, const struct ff_compat_options *options,
                     struct ff_text name, bool java)
{
    if (options->inferno && has_rust_hash(name)) {
        name = ff_text_slice(name, 0, name.size - 19);
        while (name.size)
            name = ff_text_from(name, put_rust(output, name));
        return;
    }
    name = options->inferno ? inferno_cut(name) : perl_cut(name);
    if (java && ff_text_starts(name, FF_TEXT("L")) && ff_text_find(name, '/') >= 0)
        name = ff_text_from(name, 1);
    for (size_t i = 0; i < name.size; i++) {
        bool quote = name.at[i] == '"' || name.at[i] == '\'';
        if (!quote || options->inferno)
            ff_output_byte(output, name.at[i] == ';' ? ':' : name.at[i]);
    }
}

static void put_mark(struct ff_output *output, const struct ff_compat_options *options,
                     struct ff_text dso, bool inlined)
{
    if (inlined)
        ff_output_string(output, "_[i]");
    else if (options->kernel && is_kernel(options, dso))
        ff_output_string(output, "_[k]");
    else if (options->jit && is_generated(options, dso))
        ff_output_string(output, "_[j]");
}

void ff_compat_put_frame(struct ff_output *output, const struct ff_profile *profile,
                         const struct ff_compat_options *options, uint32_t frame, uint64_t address,
                         bool java)
{
    const struct ff_frame *row = &profile->frames.at[frame];
    struct ff_text dso = dso_of(profile, row), rest = ff_profile_text(profile, row->symbol);
    /* What a JIT inlined was split when it was read; perf's own inlined frames have no mark. */
    bool inlined = row->kind == FF_FRAME_INLINED &&
                   profile->modules.at[row->module].kind == FF_MODULE_PERF_MAP;
    if (ff_text_starts(rest, FF_TEXT("(")))
        return;
    bool more = true;
    for (; more; inlined = true) {
        ptrdiff_t arrow = ff_text_find_text(rest, FF_TEXT("->"));
        struct ff_text part = ff_text_slice(rest, 0, arrow < 0 ? rest.size : (size_t)arrow);
        more = arrow >= 0;
        rest = ff_text_from(rest, more ? (size_t)arrow + 2 : rest.size);
        ff_output_byte(output, ';');
        if (row->symbol)
            put_name(output, options, part, java);
        else if (row->named == FF_NAMED_RECORDED) /* its name is empty */
            ff_output_byte(output, ' ');
        else
            put_unknown(output, options, dso, address);
        put_mark(output, options, dso, inlined);
    }
}
