/* SPDX-License-Identifier: MIT
 *
 * Recognition: every captured file and corpus file by name, and hand-written heads of each kind.
 */
#include "check.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "read/format.h"

/* Which format a shared file has; the first pattern that fits its path below the root decides.
 * What each file is was said by whoever recorded it (captures/README.md). */
static const struct {
    const char *pattern;
    enum ff_format format;
} expected[] = {
    {"corpora/bad/poc-62e9*", FF_FORMAT_PERF_SWAPPED},
    {"corpora/bad/poc-7bef*", FF_FORMAT_PERF_SWAPPED},
    {"corpora/bad/poc-95cc*", FF_FORMAT_PERF_SWAPPED},
    {"corpora/bad/poc-145f*", FF_FORMAT_PERF_DATA},
    {"corpora/bad/poc-1d0e*", FF_FORMAT_PERF_DATA},
    {"corpora/bad/poc-4a52*", FF_FORMAT_PERF_DATA},
    {"corpora/bad/poc-ba8a*", FF_FORMAT_PERF_DATA},
    {"corpora/bad/poc-c895*", FF_FORMAT_PERF_DATA},
    {"corpora/bad/poc-eebb*", FF_FORMAT_PERF_DATA},
    {"corpora/bad/*", FF_FORMAT_PERF_PIPE},
    {"corpora/folding/diff/results/*", FF_FORMAT_FOLDED_DIFF},
    {"corpora/folding/diff/*", FF_FORMAT_FOLDED},
    {"corpora/folding/flamegraph/expected/*", FF_FORMAT_FOLDED},
    {"corpora/folding/flamegraph/*", FF_FORMAT_PERF_SCRIPT},
    {"corpora/folding/inferno/expected/no-events*", FF_FORMAT_EMPTY},
    {"corpora/folding/inferno/no-events*", FF_FORMAT_EMPTY},
    {"corpora/folding/inferno/expected/*", FF_FORMAT_FOLDED},
    {"corpora/folding/inferno/*", FF_FORMAT_PERF_SCRIPT},
    {"corpora/perf-data/perf-6.1.tsv", FF_FORMAT_TEXT},
    {"corpora/perf-data/hotspot/true.v1.data", FF_FORMAT_PERF_V1},
    {"corpora/perf-data/*.pipe.data", FF_FORMAT_PERF_PIPE},
    {"corpora/perf-data/quipper/piped.*", FF_FORMAT_PERF_PIPE},
    {"corpora/perf-data/perfparser/contentsize.data", FF_FORMAT_PERF_PIPE},
    {"corpora/perf-data/*.data*", FF_FORMAT_PERF_DATA},
    {"corpora/unwind/*.txt", FF_FORMAT_TEXT},
    {"corpora/unwind/*/perf*", FF_FORMAT_PERF_DATA},
    {"corpora/unwind/*/vector_static*", FF_FORMAT_ELF},
    {"captures/*/*.data", FF_FORMAT_PERF_DATA},
    {"captures/*/*.script.txt", FF_FORMAT_PERF_SCRIPT},
    /* No thread ever held the GIL: no line was written. */
    {"captures/sync/spy-gil.raw", FF_FORMAT_EMPTY},
    {"captures/*/*.raw", FF_FORMAT_PY_SPY_RAW},
    {"captures/*/*.chrometrace.json", FF_FORMAT_CHROMETRACE},
    {"captures/*/*.speedscope.json", FF_FORMAT_SPEEDSCOPE},
    {"captures/*/dump*.json", FF_FORMAT_PY_SPY_JSON},
    {"captures/*/dump*.txt", FF_FORMAT_PY_SPY_DUMP},
    {"captures/*/top.txt", FF_FORMAT_TOP},
    {"captures/*/gpu.txt", FF_FORMAT_DMON},
    {"captures/*/dmon.txt", FF_FORMAT_DMON},
    {"captures/*/gpu-query.csv", FF_FORMAT_GPU_QUERY},
    {"captures/*/maps", FF_FORMAT_MAPS},
    {"captures/*/stat.?", FF_FORMAT_STAT},
    {"captures/*/stat.*", FF_FORMAT_STAT},
    {"captures/*/perf.map", FF_FORMAT_PERF_MAP},
    {"captures/*/smi.txt", FF_FORMAT_GPU_TABLE},
    {"captures/*/threads", FF_FORMAT_THREADS},
    {"captures/*/comms", FF_FORMAT_COMMS},
    {"captures/*/*.err", FF_FORMAT_LOG},
    {"captures/*/*.log", FF_FORMAT_LOG},
    {"captures/kallsyms.xz", FF_FORMAT_KALLSYMS},
    {"captures/symbols.tar.xz", FF_FORMAT_TAR},
    {"captures/modules.txt", FF_FORMAT_TEXT},
    {"captures/vdso.so", FF_FORMAT_ELF},
    {"captures/README.md", FF_FORMAT_TEXT},
};

static int files_seen;

static void check_file(const char *path, const char *below)
{
    struct ff_error error = {0};
    struct ff_input input;
    enum ff_format format;
    size_t row = 0, rows = sizeof expected / sizeof *expected;
    while (row < rows && !ff_text_glob(ff_text(below), ff_text(expected[row].pattern)))
        row++;
    CHECK(ff_input_open(&input, path, &error) == FF_OK);
    CHECK(ff_format_recognise(&input, &format, &error) == FF_OK);
    CHECK(input.offset == 0);
    ff_input_close(&input);
    bool right = row < rows && format == expected[row].format;
    if (!right)
        fprintf(stderr, "%s is recognised as %s\n", below, ff_format_name(format));
    CHECK(right);
    files_seen++;
}

static void check_folder(const char *path, size_t root_size)
{
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char below[1024];
        struct stat state;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (stat(below, &state) == 0 && S_ISDIR(state.st_mode))
            check_folder(below, root_size);
        else
            check_file(below, below + root_size + 1);
    }
    closedir(folder);
}

static void check_shared(void)
{
    const char *root = getenv("FF_SHARED") ? getenv("FF_SHARED") : "../shared";
    char path[1000];
    snprintf(path, sizeof path, "%s/captures", root);
    check_folder(path, strlen(root));
    snprintf(path, sizeof path, "%s/corpora", root);
    check_folder(path, strlen(root));
    if (!files_seen)
        SKIP("the shared captures are not here");
    else
        CHECK(files_seen > 100);
}

#define HEAD(format, text)                                                                         \
    {                                                                                              \
        format, text, sizeof(text) - 1                                                             \
    }

static const struct {
    enum ff_format format;
    const char *text;
    size_t size;
} heads[] = {
    HEAD(FF_FORMAT_CHROMETRACE,
         "[{\"name\":\"f\",\"args\":{\"filename\":\"speedscope.py\"},\"ph\":\"B\"}]"),
    HEAD(FF_FORMAT_TEXT, "[[[[[[[[[[[[[[[["),
    HEAD(FF_FORMAT_JSON, "[[ [[1, 2]]]]"),
    HEAD(FF_FORMAT_EMPTY, ""),
    HEAD(FF_FORMAT_TACHYON, "tid:27303;train.py:<module>:210;<GC> 40\ntid:5;a.py:f:1 2\n"),
    HEAD(FF_FORMAT_TACHYON_DUMP, "\x1b[1mStack dump for PID 5, thread 6 (on CPU; most recent call "
                                 "last):\x1b[0m\n  File \"a.py\", line 3, in f\n"),
    HEAD(FF_FORMAT_AUSTIN, "P12345;T67890 21\nP12345;T67890;module1:start:1 101\n"),
    HEAD(FF_FORMAT_AUSTIN, "P1;T0:1f;a.py:f:1 100,0,-24\n"),
    HEAD(FF_FORMAT_AUSTIN, "# austin: 3.4.1\n# interval: 1000\n# mode: wall\n"),
    HEAD(FF_FORMAT_FOLDED, "P;Q;R 3\nP1 4\n"),
    HEAD(FF_FORMAT_FOLDED_DIFF, "a;b 1 3\na;c 0 5\n"),
    HEAD(FF_FORMAT_PY_SPY_DIFF, "f (a.py:1);g (a.py:2) 1 3\nthread (7): a;f (a.py:1) 0 5\n"),
    HEAD(FF_FORMAT_PY_SPY_RAW, "thread (12): pool 3 4\nf (a.py:1) 5\n"),
    HEAD(FF_FORMAT_GDB, "PID 12 - process\nTID 12:\n#0  0x00007f5508f64df2 pause\n"),
    HEAD(FF_FORMAT_GDB,
         "[New LWP 5620]\n\nThread 2 (Thread 0x7f50 (LWP 12) \"a\"):\n#0  0x1 in f ()\n"),
    HEAD(FF_FORMAT_CHROMETRACE,
         "[{\"args\":{\"filename\":\"\",\"line\":0},\"name\":\"f\",\"ph\":\"B\"}]"),
    HEAD(FF_FORMAT_STREAM, "flamefold 1\nsource\t1\n"),
    HEAD(FF_FORMAT_STREAM, "flamefold 1\r\n"),
    HEAD(FF_FORMAT_STREAM_NEWER, "flamefold 2\n"),
    HEAD(FF_FORMAT_TEXT, "flamefold is a toolkit\n"),
    HEAD(FF_FORMAT_PERF_DATA, "PERFILE2\x68\0\0\0\0\0\0\0"),
    HEAD(FF_FORMAT_PERF_PIPE, "PERFILE2\x10\0\0\0\0\0\0\0"),
    HEAD(FF_FORMAT_PERF_SWAPPED, "2ELIFREP\0\0\0\0\0\0\0\x10"),
    HEAD(FF_FORMAT_PERF_V1, "PERFFILE\x68\0\0\0\0\0\0\0"),
    HEAD(FF_FORMAT_GZIP, "\x1f\x8b\x08\0"),
    HEAD(FF_FORMAT_ZSTD, "\x28\xb5\x2f\xfd\0\0"),
    HEAD(FF_FORMAT_BZIP2, "BZh91AY&SY\x01\x02"),
    HEAD(FF_FORMAT_XZ, "\xfd"
                       "7zXZ\0\0"),
    HEAD(FF_FORMAT_UTF16, "\xff\xfe"
                          "m\0a\0"),
    HEAD(FF_FORMAT_JITDUMP, "DTiJ\1\0\0\0"),
    HEAD(FF_FORMAT_PPROF, "\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04"),
    HEAD(FF_FORMAT_BINARY, "\x01\x02\x03\x04junk\0\0\0"),
    HEAD(FF_FORMAT_BINARY, "a;b\0c 5\n"),
    HEAD(FF_FORMAT_SVG, "<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg width=\"9\">"),
    HEAD(FF_FORMAT_SVG, "<svg xmlns=\"http://www.w3.org/2000/svg\">"),
    HEAD(FF_FORMAT_JSON, "{\n  \"a\": 1\n}\n"),
    HEAD(FF_FORMAT_JSON, "[1, 2]\n"),
    HEAD(FF_FORMAT_CHROMETRACE, "{\"traceEvents\":[]}"),
    HEAD(FF_FORMAT_PY_SPY_JSON, "[\n  {\n    \"pid\": 1,\n    \"owns_gil\": false\n"),
    /* Folded text may begin as JSON, as a perf map or as a dump does. */
    HEAD(FF_FORMAT_FOLDED, "[unknown];main 5\n"),
    HEAD(FF_FORMAT_FOLDED, "[[vdso]];main 5\n"),
    HEAD(FF_FORMAT_FOLDED, "{lambda()#1};main 5\n"),
    HEAD(FF_FORMAT_FOLDED, "Thread 5;main 5\n"),
    HEAD(FF_FORMAT_FOLDED, "main 5\nidle 3\n"),
    HEAD(FF_FORMAT_FOLDED, "main 5.25\r\nidle 1\r\n"),
    HEAD(FF_FORMAT_TEXT, "Debian GNU/Linux 12\n"), /* one line proves nothing */
    HEAD(FF_FORMAT_FOLDED, "\xef\xbb\xbfmain;a 5\n"),
    HEAD(FF_FORMAT_FOLDED, "# made by hand\na;b 1\nnot a stack\nb;c 2\n"),
    HEAD(FF_FORMAT_FOLDED, "java;Lx/Y;.z 4\n"),
    HEAD(FF_FORMAT_FOLDED, "main;operator()(<lambda()>::x 4\n"),
    HEAD(FF_FORMAT_FOLDED, "process pool;main 4\n"),
    HEAD(FF_FORMAT_TEXT, "1 2 3\n4 5 6\n"),
    HEAD(FF_FORMAT_FOLDED_DIFF, "main;a 5 6\nmain;b 0 1\n"),
    HEAD(FF_FORMAT_FOLDED, "main;worker 1 6\nmain;b 1\n"),
    HEAD(FF_FORMAT_PY_SPY_RAW, "<module> (train.py:210);step (train.py:88) 42\n"),
    HEAD(FF_FORMAT_PY_SPY_RAW, "<module> (train.py);step (train.py) 42\n"),
    HEAD(FF_FORMAT_PY_SPY_RAW, "thread (0x7F1060FF9700);<module> (<string>:1) 4\n"),
    HEAD(FF_FORMAT_PY_SPY_RAW, "process 100:\"python a\";f (<frozen x>:1) 1\n"),
    HEAD(FF_FORMAT_PY_SPY_DUMP, "Process 27110: python train.py\nPython v3.12.3 (/usr/bin/p)\n\n"
                                "Thread 27110 (idle): \"MainThread\"\n    join (threading.py:1)\n"),
    HEAD(FF_FORMAT_PY_SPY_DUMP, "Thread 0x7F1060FF9700 (active+gil)\n    f (a.py:1)\n"),
    HEAD(FF_FORMAT_PY_SPY_DUMP, "\x1b[1mProcess 5: python\x1b[0m\nPython v3.12.3 (/usr/bin/p)\n\n"
                                "Thread \x1b[1m5\x1b[0m (\x1b[1midle\x1b[0m)\n"),
    HEAD(FF_FORMAT_PY_SPY_DUMP, "Signal 11: /tmp/core\nProcess 5: python\nPython v3.12\n"),
    /* Locals and commands may look like anything. */
    HEAD(FF_FORMAT_PY_SPY_DUMP,
         "Process 5: python --at 9 x:\nThread 5 (idle)\n"
         "    dead (beef.py:5)\n        Locals:\n            #0  0x1 in (x)\n"),
    HEAD(FF_FORMAT_GDB, "\nThread 2 (Thread 0x7f12 (LWP 12)):\n#0  0x00007f in poll () from x\n"),
    HEAD(FF_FORMAT_GDB,
         "#0  0x00007f12 in poll () from /lib/libc.so.6\n#1  main (argc=1) at a.c:1\n"),
    HEAD(FF_FORMAT_GDB, "PID 12 - process\nTID 12:\n#0  0x00007f12 __poll\n"),
    HEAD(FF_FORMAT_KALLSYMS, "0000000000000000 A fixed\nffffffff81000000 T _text\n"),
    HEAD(FF_FORMAT_KALLSYMS, "c0008000 T _text\nc0008040 t foo\n"),
    HEAD(FF_FORMAT_PERF_MAP, "40a0b0c0 b py::f:/a.py\n"),
    HEAD(FF_FORMAT_PERF_MAP, "3ef414c0 398 RegExp:[{(]\n"),
    HEAD(FF_FORMAT_PERF_SCRIPT, "my comm 1 2/3 [001] 5.123456:   99 cycles:u: \n"),
    /* perf script -F without dso, without time, without both ids and event. */
    HEAD(FF_FORMAT_PERF_SCRIPT, "x 12 122 17132.035809:    2004008 cpu-clock: \n"
                                "\t            119e leaf\n\t           891f5 start_thread\n\n"),
    HEAD(FF_FORMAT_PERF_SCRIPT, "12222 cpu-clock: \n\t            119e leaf\n\n"),
    HEAD(FF_FORMAT_PERF_SCRIPT, "17132.035809: \n\t            119e leaf\n\n"),
    HEAD(FF_FORMAT_PERF_SCRIPT,
         "            x 12 122 cpu-clock: \n             a b 123 cycles: \n"),
    HEAD(FF_FORMAT_BUILD_IDS, "48dc540c8b76393804ca8088dbfa7d42911a9444 [kernel.kallsyms]\n"
                              "560998789a1de8dea8816d1dda79a27bdd741cba /tmp/rr/multi\n"),
    HEAD(FF_FORMAT_PERF_RAW,
         "\n0x130@fp.data [0x20]: event: 79\n.\n. ... raw event: size 32 bytes\n"
         ".  0000:  4f 00 00 00 00 00 20 00\n\n0 0x130 [0x20]: PERF_RECORD_TIME_CONV\n"),
    HEAD(FF_FORMAT_PRINT, "# a b: c.data: 39 samples, complete, bucket x\n"
                          "x 12 5/6 78156312 cpu-clock: \n\t   119e leaf (/x)\n\n"),
    HEAD(FF_FORMAT_TEXT, "Chapter 5\nIt was a dark night.\n"),
    HEAD(FF_FORMAT_COMMS, "627 python3\n630 cuda-EvtHandlr\n"),
    HEAD(FF_FORMAT_COMMS, "/proc/627/task/630/comm:python3\n"),
    HEAD(FF_FORMAT_TEXT, "627 python3\nthe rest is prose\n"),
    HEAD(FF_FORMAT_THREADS, "669 0x7f9ee8aa16c0 target-0\n"),
    HEAD(FF_FORMAT_PIDSTAT, "Linux 6.1.0 (box) \t11/29/2026 \t_x86_64_\t(32 CPU)\n\n"
                            "15:07:35      UID      TGID       TID    %CPU  Command\n"),
    HEAD(FF_FORMAT_STAT, "/proc/627/task/630/stat:630 (a) b) S 613 611 575 0 -1 4194560\n"),
    HEAD(FF_FORMAT_GPU_QUERY, "utilization.gpu [%]\n29 %\n"),
    HEAD(FF_FORMAT_GPU_TABLE, "Sun Nov 29 15:08:39 2026       \n+-----+\n| NVIDIA-SMI 580 |\n"),
    HEAD(FF_FORMAT_TEXT, "\n\n"),
};

static void check_heads(void)
{
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        enum ff_format format = ff_format_of((struct ff_text){heads[i].text, heads[i].size}, true);
        if (format != heads[i].format)
            fprintf(stderr, "head %zu '%.60s': %s\n", i, heads[i].text, ff_format_name(format));
        CHECK(format == heads[i].format);
    }
}

/* A tar has its mark at byte 257. */
static void check_tar(void)
{
    char block[512] = "pack/index";
    memcpy(block + 257, "ustar", 5);
    CHECK(ff_format_of((struct ff_text){block, sizeof block}, true) == FF_FORMAT_TAR);
    CHECK(ff_format_of((struct ff_text){block, 200}, true) == FF_FORMAT_BINARY);
}

/* A cut line at the end of the head decides nothing, unless it is all there is. */
static void check_cut(void)
{
    CHECK(ff_format_of(FF_TEXT("main;a 5\nmain;b"), false) == FF_FORMAT_FOLDED);
    CHECK(ff_format_of(FF_TEXT("main;a 5\nmain;b"), true) == FF_FORMAT_FOLDED);
    CHECK(ff_format_of(FF_TEXT("main\nmain;b 1"), false) == FF_FORMAT_TEXT);
    /* A first line without its end: only a ';' tells. */
    CHECK(ff_format_of(FF_TEXT("main;a;b;c"), false) == FF_FORMAT_FOLDED);
    CHECK(ff_format_of(FF_TEXT("thread (5): x;a (b.py:1);b"), false) == FF_FORMAT_PY_SPY_RAW);
    CHECK(ff_format_of(FF_TEXT("main a b c"), false) == FF_FORMAT_TEXT);
    /* No cut of any head may crash. */
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        for (size_t size = 0; size <= heads[i].size; size++) {
            char copy[512];
            memcpy(copy, heads[i].text, size);
            CHECK(ff_format_of((struct ff_text){copy, size}, size & 1) < FF_FORMAT_COUNT);
        }
    }
}

static void check_refusal(void)
{
    struct ff_error error = {0};
    struct ff_input input = {.name = "x.gz"};
    CHECK(ff_format_refuse(&input, FF_FORMAT_GZIP, &error) == FF_UNSUPPORTED);
    CHECK(strstr(error.message, "x.gz: ") && strstr(error.message, "gzip") &&
          strstr(error.message, "; "));
    error = (struct ff_error){0};
    CHECK(ff_format_refuse(&input, FF_FORMAT_EMPTY, &error) == FF_BAD_INPUT);
    CHECK(ff_format_is_read(FF_FORMAT_FOLDED));
    CHECK(!ff_format_is_read(FF_FORMAT_ELF));
    for (int i = 0; i < FF_FORMAT_COUNT; i++) {
        error = (struct ff_error){0};
        if (!ff_format_is_read((enum ff_format)i))
            CHECK(ff_format_refuse(&input, (enum ff_format)i, &error) >= FF_BAD_INPUT &&
                  strstr(error.message, "; ") && !strstr(error.message, "; '"));
    }
}

int main(void)
{
    check_heads();
    check_tar();
    check_cut();
    check_refusal();
    check_shared();
    return check_result();
}
