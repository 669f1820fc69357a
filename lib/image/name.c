/* SPDX-License-Identifier: MIT
 *
 * Any spelling of a function to the one that is printed. The hard thing is C++ text: parentheses
 * and spaces also belong to names (`operator()`, `(anonymous namespace)`, template arguments), so a
 * parameter list is only what a matching pair encloses at the very end.
 */
#include "image/name.h"
#include "base/memory.h"
#include "image/name_alias.h"
#include "image/name_arguments.h"

#include <libiberty/demangle.h>

/* Longer results are not printed names but an attack; the mangled name is printed instead. */
#define LONGEST ((uint32_t)1 << 16)

/* Suffixes of copies; `numbers` more parts of digits may follow each. */
static const char *const copy_suffixes[] = {
    "cold", "part", "constprop", "isra", "lto_priv", "llvm", "localalias", "warm", "ipa_ra",
};

static bool is_digits(struct ff_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
    }
    return text.size > 0;
}

static bool is_copy_suffix(struct ff_text part)
{
    for (size_t i = 0; i < sizeof copy_suffixes / sizeof *copy_suffixes; i++) {
        if (ff_text_equal(part, ff_text(copy_suffixes[i])))
            return true;
    }
    return false;
}

/* `f.part.0.cold` to `f`; a name never becomes empty, and `f.0` alone stays. */
static struct ff_text cut_copies(struct ff_text text)
{
    struct ff_text rest = text;
    for (;;) {
        ptrdiff_t dot = ff_text_find_last(rest, '.');
        if (dot <= 0)
            return text;
        struct ff_text part = ff_text_from(rest, (size_t)dot + 1);
        rest = ff_text_slice(rest, 0, (size_t)dot);
        if (is_copy_suffix(part))
            text = rest;
        else if (!is_digits(part))
            return text;
    }
}

struct ff_text ff_name_kernel(struct ff_text symbol)
{
    return cut_copies(symbol);
}

static bool cut_end(struct ff_text *text, const char *end)
{
    if (!ff_text_ends(*text, ff_text(end)) || text->size == strlen(end))
        return false;
    text->size -= strlen(end);
    return true;
}

static bool is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '$';
}

static struct ff_text cut_qualifiers(struct ff_text text)
{
    while (cut_end(&text, " const") || cut_end(&text, " volatile") || cut_end(&text, " noexcept") ||
           cut_end(&text, " &&") || cut_end(&text, " &") || cut_end(&text, " "))
        ;
    return text;
}

/* Whether the text ends in the word "operator". */
static bool ends_in_operator(struct ff_text text)
{
    return ff_text_ends(text, FF_TEXT("operator")) &&
           (text.size == 8 || !is_word(text.at[text.size - 9]));
}

/* Where the parenthesis that ends the text was opened; -1 when it does not end in one. */
static ptrdiff_t opening(struct ff_text text)
{
    size_t depth = 0;
    for (size_t i = text.size; i-- > 0;) {
        if (text.at[i] == ')')
            depth++;
        else if (text.at[i] == '(' && --depth == 0)
            return (ptrdiff_t)i;
        if (!depth)
            return -1;
    }
    return -1;
}

/* Where the name starts behind a return type: after the last blank outside all brackets, blanks of
 * an operator's name not counted. 0 when brackets do not match. */
static size_t name_start(struct ff_text text)
{
    size_t start = 0, depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.at[i];
        if (!depth && i >= start + 8 && ends_in_operator(ff_text_slice(text, start, i)))
            return start;
        if (byte == '<' || byte == '(' || byte == '{' || byte == '[')
            depth++;
        else if (byte == '>' && i && text.at[i - 1] == '-')
            continue;
        else if (byte == '>' || byte == ')' || byte == '}' || byte == ']') {
            if (!depth--)
                return 0;
        } else if (byte == ' ' && !depth)
            start = i + 1;
    }
    return depth ? 0 : start;
}

/* Takes a parameter list off the end, and the return type that only stands where one does. */
static struct ff_text cut_parameters(struct ff_text text)
{
    ptrdiff_t open = opening(text);
    if (open <= 0)
        return text;
    struct ff_text before = ff_text_slice(text, 0, (size_t)open);
    if (ends_in_operator(before) || before.at[before.size - 1] == ':' ||
        before.at[before.size - 1] == ' ')
        return text;
    return ff_text_from(before, name_start(before));
}

static struct ff_text cut_rust_hash(struct ff_text text)
{
    const size_t size = sizeof("::h0123456789abcdef") - 1;
    uint64_t hash;
    if (text.size <= size)
        return text;
    struct ff_text end = ff_text_from(text, text.size - size);
    if (!ff_text_starts(end, FF_TEXT("::h")) || !ff_text_hex(ff_text_from(end, 3), &hash))
        return text;
    return ff_text_slice(text, 0, text.size - size);
}

/* Versions stand behind a plain name only. */
static struct ff_text cut_version(struct ff_text text)
{
    ptrdiff_t at = ff_text_find(text, '@');
    return at > 0 && is_word(text.at[at - 1]) ? ff_text_slice(text, 0, (size_t)at) : text;
}

static void keep(struct ff_name *name, struct ff_text text)
{
    uint64_t want = (uint64_t)name->used + text.size;
    name->buffer = ff_grow(name->buffer, &name->capacity, want, 1, &name->failed);
    if (want > name->capacity)
        return;
    memcpy(name->buffer + name->used, text.at, text.size);
    name->used = (uint32_t)want;
}

/* Appends TEXT without its ABI tags. */
static void keep_without_tags(struct ff_name *name, struct ff_text text)
{
    for (;;) {
        ptrdiff_t tag = ff_text_find_text(text, FF_TEXT("[abi:"));
        ptrdiff_t end = tag < 0 ? -1 : ff_text_find(ff_text_from(text, (size_t)tag), ']');
        if (end < 0)
            break;
        keep(name, ff_text_slice(text, 0, (size_t)tag));
        text = ff_text_from(text, (size_t)(tag + end) + 1);
    }
    keep(name, text);
}

/* TEXT may lie in the name's own buffer: the result only ever gets shorter. */
static struct ff_text canonical(struct ff_name *name, struct ff_text text)
{
    struct ff_text given = text;
    ptrdiff_t clone = ff_text_find_text(text, FF_TEXT(" [clone "));
    if (clone > 0)
        text.size = (size_t)clone;
    bool plt = cut_end(&text, "@plt");
    text = cut_qualifiers(cut_version(text));
    text = cut_qualifiers(cut_parameters(text));
    text = ff_name_public(cut_copies(cut_rust_hash(text)));
    uint32_t start = name->used;
    keep_without_tags(name, text);
    if (plt)
        keep(name, FF_TEXT("@plt"));
    return name->failed ? given : (struct ff_text){name->buffer + start, name->used - start};
}

struct ff_text ff_name_text(struct ff_name *name, struct ff_text text)
{
    name->used = 0;
    if (!text.size || text.size > LONGEST)
        return text;
    if (!ff_name_has_arguments(text))
        return canonical(name, text);
    struct ff_output output;
    struct ff_error ignored = {0};
    ff_output_memory(&output);
    ff_name_put_arguments(&output, text);
    struct ff_text result = canonical(name, (struct ff_text){output.buffer, output.used});
    name->failed |= output.out_of_memory;
    ff_output_close(&output, &ignored);
    return name->failed ? text : result;
}

struct ff_text ff_name_join(struct ff_name *name, struct ff_text left, struct ff_text right)
{
    name->used = 0;
    keep(name, left);
    keep(name, right);
    return name->failed ? left : (struct ff_text){name->buffer, name->used};
}

static void keep_piece(const char *piece, size_t size, void *name)
{
    struct ff_name *to = name;
    if (size <= LONGEST && to->used <= LONGEST)
        keep(to, (struct ff_text){piece, size});
    else
        to->used = LONGEST + 1;
}

/* Demangles a NUL-terminated symbol behind the buffer's first START bytes. */
static bool demangle(struct ff_name *name, const char *symbol, uint32_t start)
{
    const int options = DMGL_NO_OPTS;
    bool done = rust_demangle_callback(symbol, options, keep_piece, name) != 0;
    if (!done) {
        name->used = start;
        done = cplus_demangle_v3_callback(symbol, options, keep_piece, name) != 0;
    }
    return done && name->used <= LONGEST && !name->failed;
}

struct ff_text ff_name_symbol(struct ff_name *name, struct ff_text symbol)
{
    name->used = 0;
    bool mangled = ff_text_starts(symbol, FF_TEXT("_Z")) || ff_text_starts(symbol, FF_TEXT("_R"));
    if (!mangled || symbol.size > LONGEST / 4)
        return ff_name_text(name, symbol);
    struct ff_text plain = symbol;
    bool plt = cut_end(&plain, "@plt");
    plain = cut_copies(cut_version(plain));
    /* The callback appends to the buffer, so the symbol itself must lie elsewhere. */
    char *copy = ff_alloc(plain.size + 1, 1);
    if (!copy) {
        name->failed = true;
        return symbol;
    }
    memcpy(copy, plain.at, plain.size);
    bool done = demangle(name, copy, 0);
    ff_free(copy);
    if (!done)
        return ff_name_text(name, symbol);
    if (plt)
        keep(name, FF_TEXT("@plt"));
    /* canonical() appends and may move the buffer: make room first. */
    uint32_t size = name->used;
    name->buffer = ff_grow(name->buffer, &name->capacity, 2 * (uint64_t)size + 8, 1, &name->failed);
    return name->failed ? symbol : canonical(name, (struct ff_text){name->buffer, size});
}

void ff_name_release(struct ff_name *name)
{
    ff_free(name->buffer);
    *name = (struct ff_name){0};
}
