/* SPDX-License-Identifier: MIT
 *
 * The first lines of a text to its format. The hard thing is order: a line `dead b name 5` has
 * several shapes, so the narrow shapes are asked first, folded text (anything that ends in a
 * number) last.
 */
#include "read/shape.h"

#include "read/perf_script_line.h"
#include "read/pyspy.h"
#include "read/side.h"

static bool is_decimal(struct ff_text text)
{
    uint64_t value;
    return ff_text_decimal(text, &value);
}

static bool is_hex(struct ff_text text)
{
    uint64_t value;
    return ff_text_hex(text, &value);
}

/* The next word of *rest, without the blanks before it. */
static struct ff_text cut_word(struct ff_text *rest)
{
    *rest = ff_text_trim(*rest);
    return ff_text_cut(rest, ' ');
}

/* A number as folded counts are: digits, maybe one dot. */
static bool is_count(struct ff_text text)
{
    struct ff_text whole = ff_text_cut(&text, '.');
    return is_decimal(whole) && (!text.at || !text.size || is_decimal(ff_text_slice(text, 0, 18)));
}

/* Cuts the last word off *line when it is a count. */
static bool cut_count(struct ff_text *line)
{
    struct ff_text text = {line->at, line->size};
    while (text.size && (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == '\t'))
        text.size--;
    size_t start = text.size;
    while (start && text.at[start - 1] != ' ' && text.at[start - 1] != '\t')
        start--;
    if (!start || !is_count(ff_text_from(text, start)))
        return false;
    line->size = start - 1;
    return true;
}

/* The shapes of one line. LINE is not empty; nothing was trimmed at its start. */

static bool is_dump_line(struct ff_text line)
{
    char plain[160];
    struct ff_text rest = {plain, 0};
    rest.size = ff_pyspy_strip_colours(ff_text_slice(line, 0, sizeof plain), plain);
    struct ff_text word = cut_word(&rest);
    if (ff_text_equal(word, FF_TEXT("Process")) || ff_text_equal(word, FF_TEXT("Signal"))) {
        word = ff_text_cut(&rest, ':');
        return rest.at && is_decimal(word);
    }
    if (!ff_text_equal(word, FF_TEXT("Thread")))
        return false;
    word = cut_word(&rest);
    bool number = is_decimal(word) || ff_text_starts(word, FF_TEXT("0x"));
    return number &&
           (ff_text_starts(rest, FF_TEXT("(idle)")) || ff_text_starts(rest, FF_TEXT("(active")) ||
            ff_text_starts(rest, FF_TEXT("(gil)")));
}

/* gdb: `#0  0x00007f.. in poll ()`, `Thread 2 (Thread 0x7f.. (LWP 12)):`; pstack prints the same;
 * eu-stack: `TID 12:` and `#0  0x00007f.. poll`. */
static bool is_gdb_line(struct ff_text line)
{
    struct ff_text rest = line;
    struct ff_text word = cut_word(&rest);
    if (word.size > 1 && word.at[0] == '#' && is_decimal(ff_text_from(word, 1)))
        return ff_text_starts(ff_text_trim(rest), FF_TEXT("0x")) ||
               ff_text_find_text(rest, FF_TEXT(" (")) > 0;
    if (ff_text_equal(word, FF_TEXT("TID")))
        return ff_text_ends(line, FF_TEXT(":")) &&
               is_decimal(ff_text_slice(rest, 0, rest.size - 1));
    return ff_text_equal(word, FF_TEXT("Thread")) &&
           (ff_text_find_text(rest, FF_TEXT("(LWP ")) > 0 ||
            ff_text_find_text(rest, FF_TEXT("(Thread ")) > 0);
}

/* `ffffffff81000000 T _text`: the address has all its digits, the type is one letter. With 32 bits
 * a perf map looks the same where the letter could be a size. */
static bool is_kallsyms_line(struct ff_text line)
{
    struct ff_text rest = line;
    struct ff_text address = cut_word(&rest), type = cut_word(&rest);
    if (!is_hex(address) || type.size != 1 || !rest.size)
        return false;
    char letter = (char)(type.at[0] | 0x20);
    return letter >= (address.size == 8 ? 'g' : 'a') && letter <= 'z' &&
           (address.size == 16 || address.size == 8);
}

/* `7f25b6222000 b py::_find_and_load:<frozen importlib._bootstrap>`: address and size in hex. */
static bool is_perf_map_line(struct ff_text line)
{
    struct ff_text rest = line;
    struct ff_text address = cut_word(&rest), size = cut_word(&rest);
    if (ff_text_starts(address, FF_TEXT("0x")))
        address = ff_text_from(address, 2);
    return address.size >= 6 && is_hex(address) && is_hex(size) && rest.size;
}

/* `560998789a1de8dea8816d1dda79a27bdd741cba /usr/bin/x` of perf buildid-list. */
static bool is_build_id_line(struct ff_text line)
{
    struct ff_text id = cut_word(&line);
    for (size_t i = 0; i < id.size; i += 8) {
        if (!is_hex(ff_text_slice(id, i, i + 8)))
            return false;
    }
    return id.size == 40 && line.size && (line.at[0] == '/' || line.at[0] == '[');
}

/* A frame below a sample of perf script: `\t    401b97 main+0x1f (/usr/bin/x)`. Old versions did
 * not indent it; without -F dso it ends with the name. */
static bool is_script_frame(struct ff_text line)
{
    struct ff_script_frame frame;
    return ff_script_frame(line, false, &frame) && frame.address >= 0x100 &&
           (line.at[0] == '\t' || ff_text_ends(ff_text_trim(line), FF_TEXT(")")));
}

/* The head of a sample of perf script: a time stamp `441995.133575:` and an event `cpu-clock:`, or
 * with some -F only `java 19983 cycles:`. */
static bool is_script_head(struct ff_text line)
{
    struct ff_script_head head;
    if (ff_script_timed_head(line, &head))
        return true;
    struct ff_text rest = line, last = {"", 0};
    bool number = false;
    while (rest.size) {
        last = cut_word(&rest);
        number |= is_decimal(last);
        rest = ff_text_trim(rest);
    }
    return number && last.size > 1 && ff_text_ends(last, FF_TEXT(":"));
}

static bool starts_with_number(struct ff_text text, const char *prefix)
{
    size_t size = strlen(prefix);
    return ff_text_starts(text, ff_text(prefix)) && is_decimal(ff_text_slice(text, size, size + 1));
}

/* py-spy's marks on a folded line: its roots, or a Python file in parentheses. */
static bool is_py_spy_line(struct ff_text line)
{
    if (starts_with_number(line, "thread (") ||
        (starts_with_number(line, "process ") && ff_text_find_text(line, FF_TEXT(":\"")) > 0))
        return true;
    if (ff_text_find_text(line, FF_TEXT(" (<frozen ")) > 0 ||
        ff_text_find_text(line, FF_TEXT(" (<string>:")) > 0)
        return true;
    ptrdiff_t file = ff_text_find_text(line, FF_TEXT(".py"));
    return file > 0 && ff_text_find_text(line, FF_TEXT(" (")) > 0 && (size_t)file + 3 < line.size &&
           (line.at[file + 3] == ':' || line.at[file + 3] == ')');
}

/* `tid:12;file.py:name:3 5` of profiling.sampling. */
static bool is_tachyon_line(struct ff_text line)
{
    struct ff_text first = ff_text_cut(&line, ';');
    return ff_text_starts(first, FF_TEXT("tid:")) && line.at && is_decimal(ff_text_from(first, 4));
}

/* `P12;T34;file.py:name:3 100`, without frames `P12;T34 100`. */
static bool is_austin_line(struct ff_text line)
{
    struct ff_text first = ff_text_cut(&line, ';');
    return ff_text_starts(first, FF_TEXT("P")) && is_decimal(ff_text_from(first, 1)) &&
           starts_with_number(line, "T");
}

/* `Stack dump for PID 5, thread 6 (main thread, on CPU; most recent call last):` */
static bool is_tachyon_dump_line(struct ff_text line)
{
    char plain[40];
    struct ff_text text = {plain, 0};
    text.size = ff_pyspy_strip_colours(ff_text_slice(line, 0, sizeof plain), plain);
    return ff_text_starts(text, FF_TEXT("Stack dump for PID ")) ||
           ff_text_starts(text, FF_TEXT("Stack dump, thread "));
}

/* What the first lines look like: how many there are, and how many have each shape. */
struct shapes {
    uint32_t lines;
    uint32_t dump; /* among the first five: warnings may stand before it */
    uint32_t gdb, maps, kallsyms, perf_map, stat, script_frame, script_head;
    uint32_t comms, threads, build_ids;
    uint32_t counted, two_counts, semicolons, py_spy, py_spy_two, tachyon, austin, tachyon_dump;
};

/* Enough to tell, and bounded where a head is made of tiny lines. */
#define SHAPE_LINES 200

static void add_line(struct shapes *shapes, struct ff_text line)
{
    shapes->lines++;
    shapes->dump += shapes->lines <= 5 && is_dump_line(line);
    shapes->tachyon_dump += shapes->lines <= 5 && is_tachyon_dump_line(line);
    shapes->austin += is_austin_line(line);
    shapes->gdb += is_gdb_line(line);
    shapes->maps += ff_side_maps.begins(line);
    shapes->kallsyms += is_kallsyms_line(line);
    shapes->build_ids += is_build_id_line(line);
    shapes->perf_map += is_perf_map_line(line);
    shapes->stat += ff_side_stat.begins(line);
    shapes->comms += ff_side_comms.begins(line);
    shapes->threads += ff_side_thread_list.begins(line);
    shapes->script_frame += is_script_frame(line);
    shapes->script_head += is_script_head(line);
    /* No frame begins with a blank; an empty stack is " 5". */
    bool indented = line.at[0] == ' ' || line.at[0] == '\t';
    if (!cut_count(&line) || (indented && line.size))
        return;
    shapes->counted++;
    shapes->semicolons += ff_text_find(line, ';') >= 0;
    bool py_spy = is_py_spy_line(line);
    shapes->py_spy += py_spy;
    shapes->tachyon += is_tachyon_line(line);
    bool two = cut_count(&line);
    shapes->two_counts += two;
    shapes->py_spy_two += two && ff_text_ends(line, FF_TEXT(")"));
}

/* A first line longer than the head can only be a deep stack: its count is not in sight. */
static void add_cut_line(struct shapes *shapes, struct ff_text line)
{
    bool stack = ff_text_find(line, ';') >= 0;
    shapes->lines++;
    shapes->counted += stack;
    shapes->semicolons += stack;
    shapes->py_spy += stack && is_py_spy_line(line);
}

/* Counts shapes over HEAD. Its last line is looked at only if it is whole, or the only one. */
static struct shapes shapes_of(struct ff_text head, bool whole)
{
    struct shapes shapes = {0};
    while (head.size && shapes.lines < SHAPE_LINES) {
        struct ff_text line = ff_text_cut(&head, '\n');
        if (!head.at && !whole) {
            if (!shapes.lines)
                add_cut_line(&shapes, line);
            break;
        }
        if (ff_text_ends(line, FF_TEXT("\r")))
            line.size--;
        bool comment = line.size && line.at[0] == '#' && !is_gdb_line(line);
        if (!comment && ff_text_trim(line).size)
            add_line(&shapes, line);
    }
    return shapes;
}

/* Folded lines outnumber the others; without any ';' all of them, and more than one, must be folded. A frame name
 * may end in a number, so two counts must be there throughout. */
static enum ff_format folded_format(const struct shapes *shapes)
{
    uint32_t all = shapes->lines, counted = shapes->counted;
    bool plain = !shapes->semicolons && !shapes->py_spy;
    if (!counted || counted * 2 < all || (plain && (counted < all || counted < 2)))
        return FF_FORMAT_TEXT;
    if (shapes->tachyon == counted)
        return FF_FORMAT_TACHYON;
    if (shapes->py_spy && shapes->py_spy_two == counted)
        return FF_FORMAT_PY_SPY_DIFF;
    if (shapes->two_counts == counted && !shapes->py_spy)
        return shapes->semicolons ? FF_FORMAT_FOLDED_DIFF : FF_FORMAT_TEXT;
    return shapes->py_spy ? FF_FORMAT_PY_SPY_RAW : FF_FORMAT_FOLDED;
}

enum ff_format ff_shape_format(struct ff_text head, bool whole)
{
    struct shapes shapes = shapes_of(head, whole);
    uint32_t half = (shapes.lines + 1) / 2;
    if (!shapes.lines)
        return FF_FORMAT_TEXT;
    if (shapes.austin >= half)
        return FF_FORMAT_AUSTIN;
    if (shapes.kallsyms >= half)
        return FF_FORMAT_KALLSYMS;
    if (shapes.maps >= half)
        return FF_FORMAT_MAPS;
    if (shapes.stat >= half)
        return FF_FORMAT_STAT;
    /* A dump may show locals and a command that look like anything: it is asked before the rest. */
    if (shapes.dump && shapes.counted < half)
        return FF_FORMAT_PY_SPY_DUMP;
    if (shapes.tachyon_dump)
        return FF_FORMAT_TACHYON_DUMP;
    if (shapes.gdb && shapes.counted < half)
        return FF_FORMAT_GDB;
    if (shapes.script_head && (shapes.script_frame || shapes.script_head >= half))
        return FF_FORMAT_PERF_SCRIPT;
    if (shapes.perf_map >= half)
        return FF_FORMAT_PERF_MAP;
    if (shapes.build_ids == shapes.lines)
        return FF_FORMAT_BUILD_IDS;
    if (shapes.threads == shapes.lines)
        return FF_FORMAT_THREADS;
    enum ff_format folded = folded_format(&shapes);
    return folded == FF_FORMAT_TEXT && shapes.comms == shapes.lines ? FF_FORMAT_COMMS : folded;
}
