/* SPDX-License-Identifier: MIT
 *
 * The words that py-spy's text forms share: a frame, a thread's id, a process.
 */
#ifndef FF_READ_PYSPY_H
#define FF_READ_PYSPY_H

#include "profile/profile.h"

/* Copies LINE to PLAIN (room for line.size bytes) without the SGR sequences, ESC [ ... m, that
 * py-spy prints to a terminal; returns the size of the copy. */
size_t ff_pyspy_strip_colours(struct ff_text line, char *plain);

/* The parts of a frame; the texts are borrowed. */
struct ff_pyspy_frame {
    struct ff_text name, file; /* file: empty where there is none */
    uint32_t line;             /* 0: none */
    uint32_t pid;              /* whose address a bare one is; 0 not known */
    bool leaf;                 /* innermost: its address is no return address */
    bool native;               /* the source says so: FILE is a library */
    uint8_t entry;             /* enum ff_entry_kind */
};

/* Cuts a text in its parts. Always from the right, because C++ names contain blanks and parentheses:
 *     name (file.py:12)      name (libx.so.1)      0x7f10 (libx.so.1)      name
 */
struct ff_pyspy_frame ff_pyspy_frame_parse(struct ff_text text);

/* Adds a frame. What it is, its file decides:
 *     file.py, <string>, a line       Python
 *     libx.so.1                       native, named by its source, module as recorded
 *     file.cpp and a line             native with DWARF lines, module not recorded
 *     libx.so.1, named 0x7f10         native without a name, of an unplaced module: its place is the
 *                                     address, a caller's minus one (py-spy has return addresses)
 *     "?", named 0x7f10               native, nothing known
 *     anything else                   text
 */
uint32_t ff_pyspy_frame_add(struct ff_profile *profile, const struct ff_pyspy_frame *frame);

/* Whether a frame was a bare address: only mappings of the process can name it. */
bool ff_pyspy_frame_is_bare(const struct ff_profile *profile, uint32_t frame);

/* Size of a leading `process 140:"python worker.py"`, or 0. The command ends at the first `"` that
 * ends a frame, since it may hold any other character. */
size_t ff_pyspy_process_root(struct ff_text line, uint32_t *pid);

/* Size of a leading `thread (TID): NAME`, `thread (TID)` or, before py-spy 0.3.4, `thread TID`; 0
 * where there is none. *tid is 0 where py-spy only knew the pthread id. */
size_t ff_pyspy_thread_root(struct ff_text line, uint32_t *tid, struct ff_text *name);

/* py-spy's files do not say which threads were counted: the population that a file's name tells.
 * "*gil*" is gil-held, "*idle*" all, else runnable. */
enum ff_population ff_pyspy_guess_population(struct ff_text name);

/* "27303" is an OS thread id. "0x7F10..." is a pthread id: py-spy did not know the OS thread id,
 * and *tid becomes 0. False for anything else. */
bool ff_pyspy_tid_parse(struct ff_text text, uint32_t *tid);

/* What a reader keeps to find threads again. All zero is empty. */
struct ff_pyspy_threads {
    struct ff_map renamed;     /* process, tid, name -> thread, generation 1 on */
    uint32_t *last_generation; /* by the thread of generation 0 */
    uint32_t capacity;
};

/* The thread with this Python name (0: none). A tid under a second name is another generation. For
 * tid 0, KEY (not 0) tells threads apart that py-spy told apart: it becomes the generation. */
uint32_t ff_pyspy_thread_add(struct ff_pyspy_threads *threads, struct ff_profile *profile,
                             uint32_t process, uint32_t tid, uint32_t name, uint32_t key);
void ff_pyspy_threads_release(struct ff_pyspy_threads *threads);

#endif
