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

/* Adds the frame that TEXT describes. Always from the right, because C++ names contain blanks and
 * parentheses:
 *     name (file.py:12)      Python
 *     name (libx.so.1)       native, named by its source, module as recorded
 *     name (file.cpp:12)     native with DWARF lines, module not recorded
 *     0x7f10 (libx.so.1)     native, module only: the address is of a process that is gone
 *     0x7f10 (?)             native, nothing known
 *     anything else          text
 */
uint32_t ff_pyspy_frame_add(struct ff_profile *profile, struct ff_text text);

/* Whether a frame was a bare address: it has no name that a later stage could still find. */
bool ff_pyspy_frame_is_bare(const struct ff_profile *profile, uint32_t frame);

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
