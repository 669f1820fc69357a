/* SPDX-License-Identifier: MIT
 *
 * One line of perf script text to its parts. Texts are views into the line. What perf prints:
 * linux tools/perf/builtin-script.c; simpleperf's report_sample.py prints the same fields with tabs.
 */
#ifndef FF_READ_PERF_SCRIPT_LINE_H
#define FF_READ_PERF_SCRIPT_LINE_H

#include "base/text.h"

/* The line above a sample's frames: `my comm  123/124 [001] 12.345678:   1000 cycles:u: payload`. Each part
 * may be missing, as -F had it. */
struct ff_script_head {
    struct ff_text who; /* comm and ids as they stand: one text for one thread under one name */
    struct ff_text comm, event;
    struct ff_text payload; /* behind the event: a frame, or a tracepoint's fields */
    uint32_t pid, tid, cpu; /* pid: 0 where only one id is printed */
    uint64_t time_ns, period;
    bool has_tid, has_cpu, has_time, has_period;
};

/* A line below: `  401b97 main+0x1f (/usr/bin/x)`. */
struct ff_script_frame {
    uint64_t address;      /* as printed; 0 where there is none */
    struct ff_text symbol; /* without its offset; empty: not known */
    struct ff_text dso;    /* empty: not printed, or "[unknown]" */
    bool inlined;          /* perf's own "(inlined)" */
    bool nameless;         /* there is a symbol, whose name is empty */
};

/* False if the line is none. A head is known by its time stamp, read outward from there, since a comm
 * may hold anything; without a time by the event or the ids at its end, which is weaker: ask only
 * where a head must stand. */
bool ff_script_head(struct ff_text line, struct ff_script_head *head);
bool ff_script_timed_head(struct ff_text line, struct ff_script_head *head);

/* False if the line is none. WEAK also takes a lone symbol without an address, as -F sym prints it. */
bool ff_script_frame(struct ff_text line, bool weak, struct ff_script_frame *frame);

/* The line that -F +srcline puts below a frame: `  main.c:12`; false if it is none. An unknown place
 * (`??:0`, `libc.so.6[28f3]`) has an empty file. */
bool ff_script_srcline(struct ff_text line, struct ff_text *file, uint32_t *number);

#endif
