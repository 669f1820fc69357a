/* SPDX-License-Identifier: MIT
 *
 * Debuggers' backtraces. The texts are what gdb 13 and eu-stack 0.188 printed for a small program whose
 * threads sleep, shortened; libcuda's frames are as people attach them to issues.
 */
#include "pyspy_reads.h"

#include "read/backtrace.h"

static const char gdb[] =
    "[New LWP 5620]\n"
    "[Thread debugging using libthread_db enabled]\n"
    "0x00007f5508f64df2 in __libc_pause () at ../sysdeps/unix/sysv/linux/pause.c:29\n"
    "\n"
    "Thread 2 (Thread 0x7f5508e8d6c0 (LWP 5620) \"worker (a) 1\"):\n"
    "#0  0x00007f5508f60545 in __GI___clock_nanosleep (clock_id=clock_id@entry=0, flags=0,\n"
    "    req=req@entry=0x7f550868be80, text=0x5 \"a (b from c\") at "
    "../sysdeps/clock_nanosleep.c:48\n"
    "        sc_ret = <optimized out>\n"
    "#1  0x00007f10a1b2c3d4 in ?? () from /lib64/libcuda.so.1\n"
    "#2  0x00007f10a1b2c3e0 in ?? () from /lib64/libcuda.so.1\n"
    "#3  0x00007f10a1b2c400 in ?? ()\n"
    "#4  <signal handler called>\n"
    "#5  0x000056249f043198 in at::native::op<int (*)(int)>(at::Tensor const&) (self=...)\n"
    "    at /src/op file.cpp:12\n"
    "No locals.\n"
    "#6  operator() (__closure=0x0) at t.c:4\n"
    "#7  0x00007f5508f1a1f5 in start_thread (arg=<optimized out>) from /lib/libc.so.6\n"
    "\n"
    "Thread 1 (Thread 0x7f5508e8e740 (LWP 5618)):\n"
    "#0  0x00007f5508f64df2 in poll () from /lib/x86_64-linux-gnu/libc.so.6\n"
    "[Inferior 1 (process 5618) detached]\n";

static const struct ff_frame *frame_at(const struct ff_profile *profile, uint32_t sample,
                                       uint32_t level)
{
    uint32_t stack = profile->samples.at[sample].stack;
    while (level--)
        stack = profile->stacks.at[stack].parent;
    return &profile->frames.at[profile->stacks.at[stack].frame];
}

static void check_gdb(void)
{
    struct ff_profile *profile = pyspy_read_good(ff_backtrace_read, gdb);
    CHECK_NUMBER(profile->samples.count, 3);
    pyspy_check_sample(profile, 1, 5620, "",
                       "start_thread;operator();at::native::op<int (*)(int)>(at::Tensor const&);"
                       "<signal handler called>;[unknown];[libcuda.so.1];[libcuda.so.1];"
                       "__GI___clock_nanosleep");
    pyspy_check_sample(profile, 2, 5618, "", "poll");
    uint32_t thread = profile->samples.at[1].thread;
    CHECK_TEXT(ff_profile_text(profile, profile->threads.at[thread].comm), "worker (a) 1");
    CHECK_NUMBER(profile->processes.at[profile->threads.at[thread].process].pid, 5618);
    CHECK_TEXT(ff_profile_text(profile, frame_at(profile, 1, 0)->file),
               "../sysdeps/clock_nanosleep.c");
    CHECK_NUMBER(frame_at(profile, 1, 0)->line, 48);
    CHECK_NUMBER(frame_at(profile, 1, 1)->place, 0x7f10a1b2c3d3); /* a return address */
    CHECK(profile->modules.at[frame_at(profile, 1, 1)->module].kind == FF_MODULE_UNPLACED);
    CHECK_TEXT(ff_profile_text(profile, frame_at(profile, 1, 5)->file), "/src/op file.cpp");
    CHECK_NUMBER(frame_at(profile, 1, 5)->line, 12);
    CHECK(profile->modules.at[frame_at(profile, 2, 0)->module].kind == FF_MODULE_ELF);
    CHECK(profile->sources.at[1].tool == FF_TOOL_GDB);
    CHECK(profile->sources.at[1].population == FF_POPULATION_DUMP);
    pyspy_check_round_trip(profile);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_BARE_ADDRESSES), 3);
    /* Four lines before the first thread, an empty one, two of locals, the last. */
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LINES_UNUSED), 8);
    pyspy_check_conserved(profile);
    ff_profile_free(profile);
}

/* A core file, and a session that only said `bt`. */
static void check_heads(void)
{
    struct ff_profile *profile = pyspy_read_good(
        ff_backtrace_read, "Thread 2 (LWP 77):\n#0  0x1 in f () from /l.so\nThread 1 (process 5):\n"
                           "#0  0x2 in ?? () from /l.so\n");
    pyspy_check_sample(profile, 1, 77, "", "f");
    pyspy_check_sample(profile, 2, 0, "", "[l.so]");
    CHECK_NUMBER(frame_at(profile, 2, 0)->place, 2); /* innermost: where it was */
    ff_profile_free(profile);
    profile = pyspy_read_good(ff_backtrace_read, "(gdb) bt\n#0  main (argc=1) at a.c:2\n"
                                                 "(gdb) bt\n#0  main (argc=1) at a.c:3\n");
    CHECK_NUMBER(pyspy_total(profile), 2);
    ff_profile_free(profile);
}

static const char eu_stack[] =
    "PID 5618 - process\n"
    "TID 5618:\n"
    "#0  0x00007f5508f64df2     pause - /usr/lib/x86_64-linux-gnu/libc.so.6\n"
    "#1  0x000056249f0431d7 - 1 main - /tmp/t\n"
    "#2  0x00007f5508eb8305 - 1 __libc_start_main@@GLIBC_2.34 - "
    "/usr/lib/x86_64-linux-gnu/libc.so.6\n"
    "#3  0x00007f10a1b2c3d4 - /lib64/libcuda.so.1\n"
    "TID 5620:\n"
    "#0  0x00007f5508f60545 clock_nanosleep@GLIBC_2.2.5\n"
    "    [93ac61ec5a8eb1396f9fbd350e3169a558528a40]@0x7f5508e91000+0xcf545\n"
    "    ../sysdeps/unix/sysv/linux/clock_nanosleep.c:48:7\n"
    "#1  0x000056249f043198 work\n"
    "    /tmp/t.c:4\n"
    "#2  0x00007f5508f9a8ec\n";

static void check_eu_stack(void)
{
    struct ff_profile *profile = pyspy_read_good(ff_backtrace_read, eu_stack);
    CHECK_NUMBER(profile->samples.count, 3);
    pyspy_check_sample(profile, 1, 5618, "",
                       "[libcuda.so.1];__libc_start_main@@GLIBC_2.34;main;pause");
    pyspy_check_sample(profile, 2, 5620, "", "[unknown];work;clock_nanosleep@GLIBC_2.2.5");
    CHECK_NUMBER(frame_at(profile, 1, 3)->place, 0x7f10a1b2c3d3);
    CHECK_NUMBER(frame_at(profile, 2, 0)->line, 48);
    CHECK_NUMBER(frame_at(profile, 2, 1)->line, 4);
    CHECK_TEXT(ff_profile_text(profile, frame_at(profile, 2, 1)->file), "/tmp/t.c");
    CHECK(profile->sources.at[1].tool == FF_TOOL_EU_STACK);
    CHECK_NUMBER(profile->processes.at[1].pid, 5618);
    ff_profile_free(profile);
}

static void check_bad(void)
{
    enum ff_status status;
    struct ff_profile *profile = pyspy_read(
        ff_backtrace_read,
        FF_TEXT("Thread 2 (LWP 77):\n#0  0x1 f\n#1  0x2 in g () from /l.so\n#x\n"), &status);
    CHECK(status == FF_BAD_INPUT);
    CHECK(strstr(profile->error.message, "line 2: ") != NULL);
    pyspy_check_sample(profile, 1, 77, "", "g");
    ff_profile_free(profile);
    pyspy_check_cuts(ff_backtrace_read, gdb, 2);
    pyspy_check_cuts(ff_backtrace_read, eu_stack, 2);
}

int main(void)
{
    check_gdb();
    check_heads();
    check_eu_stack();
    check_bad();
    return check_result();
}
