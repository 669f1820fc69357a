/* SPDX-License-Identifier: MIT
 *
 * A jit dump (/tmp/jit-PID.dump): what a JIT wrote about each piece of code that it made: address,
 * name, bytes, unwind table. Format: Linux, tools/perf/Documentation/jitdump-specification.txt.
 * Where two pieces used the same memory the later one holds.
 */
#ifndef FF_IMAGE_JIT_DUMP_H
#define FF_IMAGE_JIT_DUMP_H

#include "base/memory.h"
#include "base/status.h"
#include "image/frame_entry.h"
#include "image/file.h"
#include "image/ranges.h"

struct ff_jit_dump {
    struct ff_file file;
    struct ff_text header;             /* the header, with whatever a version adds to it */
    uint32_t pid;                      /* of the process, as it knows itself; may be 0 */
    struct ff_jit_dump_entry *entries; /* in the order of the records */
    uint32_t count, capacity;
    struct ff_ranges ranges;
    uint64_t cut; /* bytes at the end that are no whole record */
    uint64_t bad_records;
    bool failed;
};

struct ff_jit_dump_entry {
    uint64_t start, size; /* of the code: addresses */
    uint64_t time_ns;    /* when it was made, by the clock of the JIT (as a rule CLOCK_MONOTONIC) */
    uint64_t index;      /* the JIT's own number of the code, by which it is moved */
    struct ff_text name; /* these live as long as the dump */
    struct ff_text code; /* its bytes */
    struct ff_text frame;     /* its .eh_frame; empty: none was given */
    struct ff_text record;    /* the record itself, a LOAD or a MOVE */
    struct ff_text unwinding; /* the record of the .eh_frame; empty with MOVE */
    uint32_t origin;          /* number of the LOAD that is moved; its own number with LOAD */
};

/* Reads a dump, as far as its records are whole, from a file, which it takes over (leaves empty) in
 * every case. *dump is NULL on failure: FF_BAD_INPUT when it is
 * none, FF_UNSUPPORTED in another byte order or version. The machine in the header is not looked
 * at: CPython 3.13 writes 0x1A1A1A1A. */
enum ff_status ff_jit_dump_open(struct ff_jit_dump **dump, struct ff_file *file,
                                struct ff_error *error);
void ff_jit_dump_close(struct ff_jit_dump *dump); /* NULL is fine */

/* Whether bytes begin like a jit dump, of either byte order. */
bool ff_jit_dump_recognise(struct ff_text bytes);

/* The pid in a file name "jit-630.dump", with or without folders before it; 0 when there is none. */
uint32_t ff_jit_dump_pid(struct ff_text path);

/* The entry that held an address at a time (0: at the end); NULL when none did. */
const struct ff_jit_dump_entry *ff_jit_dump_find(const struct ff_jit_dump *dump, uint64_t address,
                                                 uint64_t time_ns);

/* The unwind table of an entry where it lay in the process: module offsets are addresses. Its bytes
 * are empty when there is none. JITs align it differently behind the code, and all of them mean
 * that it begins at the code's start: so that is where it is put. */
struct ff_section ff_jit_dump_frame(const struct ff_jit_dump_entry *entry);

#endif
