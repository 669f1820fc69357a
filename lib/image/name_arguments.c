/* SPDX-License-Identifier: MIT
 *
 * One pass over the text with a stack of brackets. The hard thing is to tell a function type, which
 * gets a blank before its parameters, from the function around a lambda, which does not, and from a
 * function whose address is an argument, which loses its parameters.
 */
#include "image/name_arguments.h"

/* Deeper nesting is copied as it is. */
#define DEEPEST 64

struct scan {
    struct ff_output *output;
    struct ff_text text;
    size_t at;
    unsigned int angles;               /* open template argument lists */
    unsigned int parentheses[DEEPEST]; /* open since each of them */
    bool address;                      /* in an argument like `&f` */
};

static const struct {
    const char *cast, *suffix;
} casts[] = {
    {"(unsigned int)", "u"},         {"(unsigned long)", "ul"}, {"(long)", "l"},
    {"(unsigned long long)", "ull"}, {"(long long)", "ll"},     {"(int)", ""},
};

static bool is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static struct ff_text rest(const struct scan *scan)
{
    return ff_text_from(scan->text, scan->at);
}

static char before(const struct scan *scan)
{
    return scan->at ? scan->text.at[scan->at - 1] : '\0';
}

static void copy(struct scan *scan, size_t size)
{
    ff_output_text(scan->output, ff_text_slice(scan->text, scan->at, scan->at + size));
    scan->at += size;
}

/* Behind the parenthesis that closes the one at the start; 0 when none does. */
static size_t closing(struct ff_text text)
{
    size_t depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] == '(')
            depth++;
        else if (text.at[i] == ')' && --depth == 0)
            return i + 1;
    }
    return 0;
}

/* `(unsigned int)5` becomes `5u`. */
static bool take_cast(struct scan *scan)
{
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
        struct ff_text cast = ff_text(casts[i].cast), number = rest(scan);
        if (!ff_text_starts(number, cast))
            continue;
        number = ff_text_from(number, cast.size);
        size_t digits = number.size && number.at[0] == '-';
        while (digits < number.size && is_digit(number.at[digits]))
            digits++;
        if (!digits || !is_digit(number.at[digits - 1]))
            return false;
        scan->at += cast.size;
        copy(scan, digits);
        ff_output_string(scan->output, casts[i].suffix);
        return true;
    }
    return false;
}

/* Whether what stands before a parenthesis is no type: `operator()`, `{lambda()#1}`, GCC's
 * `float __vector(16)`. */
static bool is_keyword(const struct scan *scan)
{
    struct ff_text head = ff_text_slice(scan->text, 0, scan->at);
    return ff_text_ends(head, FF_TEXT("operator")) || ff_text_ends(head, FF_TEXT("{lambda")) ||
           ff_text_ends(head, FF_TEXT("__vector")) || ff_text_ends(head, FF_TEXT("decltype")) ||
           ff_text_ends(head, FF_TEXT("noexcept"));
}

/* Whether a scope follows a parameter list and its qualifiers: `f() const::{lambda()#1}`. */
static bool is_scope(struct ff_text after)
{
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
        if (ff_text_starts(after, ff_text(qualifiers[i])))
            after = ff_text_from(after, strlen(qualifiers[i]));
    }
    return ff_text_starts(after, FF_TEXT("::"));
}

static void take_parenthesis(struct scan *scan)
{
    struct ff_text anonymous = FF_TEXT("(anonymous namespace)");
    struct ff_text head = ff_text_slice(scan->text, 0, scan->at);
    char last = before(scan);
    bool behind_name = is_word(last) || last == '>' || last == '&' || last == '*' ||
                       ff_text_ends(head, FF_TEXT("operator()"));
    size_t end = closing(rest(scan));
    bool inside = scan->angles && scan->angles < DEEPEST && end;
    struct ff_text after = ff_text_from(scan->text, scan->at + end);
    if (ff_text_starts(rest(scan), anonymous)) {
        copy(scan, anonymous.size);
        return;
    }
    if (inside && !behind_name && take_cast(scan))
        return;
    bool type = inside && !scan->parentheses[scan->angles] && behind_name && !is_scope(after) &&
                !is_keyword(scan);
    if (type && scan->address && last != '&') {
        scan->at += end;
        return;
    }
    if (type && !scan->address)
        ff_output_byte(scan->output, ' ');
    if (scan->angles < DEEPEST)
        scan->parentheses[scan->angles]++;
    copy(scan, 1);
}

static void take_angle(struct scan *scan)
{
    bool opens = scan->text.at[scan->at] == '<';
    struct ff_text head = ff_text_slice(scan->text, 0, scan->at);
    /* operator<, operator<<, operator->: no brackets. */
    if (ff_text_ends(head, FF_TEXT("operator")) || ff_text_ends(head, FF_TEXT("operator<")) ||
        ff_text_ends(head, FF_TEXT("operator>")) || (before(scan) == '-' && !opens)) {
        copy(scan, 1);
        return;
    }
    if (opens && ++scan->angles < DEEPEST)
        scan->parentheses[scan->angles] = 0;
    else if (!opens && scan->angles)
        scan->angles--;
    scan->address = false;
    copy(scan, 1);
}

/* An empty pack leaves `, >`. */
static void take_comma(struct scan *scan)
{
    bool top = scan->angles < DEEPEST && !scan->parentheses[scan->angles];
    if (top)
        scan->address = false;
    if (!ff_text_starts(rest(scan), FF_TEXT(", >")))
        copy(scan, 1);
    else
        scan->at += before(scan) == '>' ? 1 : 2;
}

static void take_ampersand(struct scan *scan)
{
    char last = before(scan);
    if (last == ' ' && scan->at > 1 && scan->text.at[scan->at - 2] == ',')
        last = ',';
    scan->address |= scan->angles && (last == '<' || last == ',');
    copy(scan, 1);
}

bool ff_name_has_arguments(struct ff_text text)
{
    return ff_text_find(text, '<') >= 0 &&
           (ff_text_find(text, '(') >= 0 || ff_text_find_text(text, FF_TEXT(", >")) >= 0);
}

void ff_name_put_arguments(struct ff_output *output, struct ff_text text)
{
    struct scan scan = {.output = output, .text = text};
    while (scan.at < text.size) {
        switch (text.at[scan.at]) {
        case '(':
            take_parenthesis(&scan);
            break;
        case ')':
            if (scan.angles < DEEPEST && scan.parentheses[scan.angles])
                scan.parentheses[scan.angles]--;
            copy(&scan, 1);
            break;
        case '<':
        case '>':
            take_angle(&scan);
            break;
        case ',':
            take_comma(&scan);
            break;
        case '&':
            take_ampersand(&scan);
            break;
        default:
            copy(&scan, 1);
        }
    }
}
