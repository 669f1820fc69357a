/* SPDX-License-Identifier: MIT
 *
 * Names to the colours of the FlameGraph scripts. The hard thing is to have the same number to the last
 * digit: products are cut, not rounded, and the generator is that of drand48.
 */
#include "draw/classic.h"

int ff_classic_parse(struct ff_text word)
{
    static const char *const words[] = {
#define X(name, text) text,
        FF_CLASSIC_TABLE(X)
#undef X
    };
    for (int i = 0; i < FF_CLASSIC_COUNT; i++) {
        if (ff_text_equal(word, ff_text(words[i])))
            return i;
    }
    return -1;
}

/* The first number of drand48 after srand48(sum of the bytes). */
static double sum_value(struct ff_text name)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < name.size; i++)
        sum += (unsigned char)name.at[i];
    uint64_t state = (uint64_t)sum << 16 | 0x330e;
    state = (state * UINT64_C(0x5deece66d) + 0xb) & ((UINT64_C(1) << 48) - 1);
    return (double)state / (double)(UINT64_C(1) << 48);
}

/* Early letters weigh more. BACKWARDS takes the name from its end. */
static double letter_value(struct ff_text name, bool backwards)
{
    double vector = 0, weight = 1, most = 1;
    /* What stands before a back-tick is a module's name. */
    size_t first = 0, count = name.size;
    for (size_t i = 1; i < count && !first; i++) {
        if (name.at[backwards ? count - 1 - i : i] == '`')
            first = i + 1;
    }
    for (size_t i = first; i < count && i < first + 3; i++) {
        unsigned char letter = (unsigned char)name.at[backwards ? count - 1 - i : i];
        unsigned modulus = 10 + (unsigned)(i - first);
        vector += (double)(letter % modulus) / (modulus - 1) * weight;
        most += weight;
        weight *= 0.70;
    }
    return 1 - vector / most;
}

static bool has(struct ff_text name, const char *part)
{
    return ff_text_find_text(name, ff_text(part)) >= 0;
}

static bool is_java_class(struct ff_text name)
{
    static const char *const packages[] = {"java/", "javax/", "jdk/", "net/",
                                           "org/",  "com/",   "io/",  "sun/"};
    if (ff_text_starts(name, FF_TEXT("L")))
        name = ff_text_from(name, 1);
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        if (ff_text_starts(name, ff_text(packages[i])))
            return true;
    }
    return false;
}

static enum ff_classic java_of(struct ff_text name)
{
    if (ff_text_ends(name, FF_TEXT("_[j]")))
        return FF_CLASSIC_GREEN;
    if (ff_text_ends(name, FF_TEXT("_[i]")))
        return FF_CLASSIC_AQUA;
    if (is_java_class(name) || has(name, ":::"))
        return FF_CLASSIC_GREEN;
    if (has(name, "::"))
        return FF_CLASSIC_YELLOW;
    return ff_text_ends(name, FF_TEXT("_[k]")) ? FF_CLASSIC_ORANGE : FF_CLASSIC_RED;
}

static enum ff_classic perl_of(struct ff_text name)
{
    if (has(name, "::"))
        return FF_CLASSIC_YELLOW;
    if (has(name, "Perl") || has(name, ".pl"))
        return FF_CLASSIC_GREEN;
    return ff_text_ends(name, FF_TEXT("_[k]")) ? FF_CLASSIC_ORANGE : FF_CLASSIC_RED;
}

static enum ff_classic js_of(struct ff_text name)
{
    ptrdiff_t slash = ff_text_find(name, '/');
    if (ff_text_ends(name, FF_TEXT("_[j]")))
        return slash >= 0 ? FF_CLASSIC_GREEN : FF_CLASSIC_AQUA;
    if (has(name, "::"))
        return FF_CLASSIC_YELLOW;
    if (slash >= 0 && has(ff_text_from(name, (size_t)slash + 1), ".js"))
        return FF_CLASSIC_GREEN;
    if (has(name, ":"))
        return FF_CLASSIC_AQUA;
    if (ff_text_equal(name, FF_TEXT(" ")))
        return FF_CLASSIC_GREEN;
    return has(name, "_[k]") ? FF_CLASSIC_ORANGE : FF_CLASSIC_RED;
}

/* Some palettes only choose among others. */
static enum ff_classic plain_of(enum ff_classic palette, struct ff_text name)
{
    switch (palette) {
    case FF_CLASSIC_JAVA:
        return java_of(name);
    case FF_CLASSIC_PERL:
        return perl_of(name);
    case FF_CLASSIC_JS:
        return js_of(name);
    case FF_CLASSIC_WAKEUP:
        return FF_CLASSIC_AQUA;
    case FF_CLASSIC_CHAIN:
        return has(name, "_[w]") ? FF_CLASSIC_AQUA : FF_CLASSIC_BLUE;
    default:
        return palette;
    }
}

/* One channel: from a base upwards, by the value of the name with that index. */
struct channel {
    uint8_t base, range, value;
};

uint32_t ff_classic_color(enum ff_classic palette, struct ff_text name, bool hashed)
{
    static const struct channel channels[FF_CLASSIC_COUNT][3] = {
        [FF_CLASSIC_HOT] = {{205, 50, 1}, {0, 230, 0}, {0, 55, 1}},
        [FF_CLASSIC_MEM] = {{0, 0, 0}, {190, 50, 1}, {0, 210, 0}},
        [FF_CLASSIC_IO] = {{80, 60, 0}, {80, 60, 0}, {190, 55, 1}},
        [FF_CLASSIC_RED] = {{200, 55, 0}, {50, 80, 0}, {50, 80, 0}},
        [FF_CLASSIC_GREEN] = {{50, 60, 0}, {200, 55, 0}, {50, 60, 0}},
        [FF_CLASSIC_BLUE] = {{80, 60, 0}, {80, 60, 0}, {205, 50, 0}},
        [FF_CLASSIC_YELLOW] = {{175, 55, 0}, {175, 55, 0}, {50, 20, 0}},
        [FF_CLASSIC_PURPLE] = {{190, 65, 0}, {80, 60, 0}, {190, 65, 0}},
        [FF_CLASSIC_AQUA] = {{50, 60, 0}, {165, 55, 0}, {165, 55, 0}},
        [FF_CLASSIC_ORANGE] = {{190, 65, 0}, {90, 65, 0}, {0, 0, 0}},
    };
    double values[2];
    values[0] = hashed ? letter_value(name, false) : sum_value(name);
    values[1] = hashed ? letter_value(name, true) : values[0];
    const struct channel *channel = channels[plain_of(palette, name)];
    uint32_t color = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t more = (uint32_t)(channel[i].range * values[channel[i].value]);
        color = color << 8 | (channel[i].base + more);
    }
    return color;
}

uint32_t ff_classic_difference(double delta, double most)
{
    double size = delta < 0 ? -delta : delta;
    uint32_t rest = (uint32_t)(210 * (most - size) / most);
    if (delta > 0)
        return 0xff0000 | rest << 8 | rest;
    return delta < 0 ? 0x0000ff | rest << 16 | rest << 8 : 0xffffff;
}
