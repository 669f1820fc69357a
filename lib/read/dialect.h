/* SPDX-License-Identifier: MIT
 *
 * Who wrote a text of folded lines decides what a frame and what the first frames of a line mean.
 *
 *     plain     any frame; `_[k]` marks one of the kernel
 *     py-spy    `name (file:line)` behind `process PID:"command"` and `thread (TID): NAME`
 *     tachyon   profiling.sampling of Python 3.15: `file.py:name:line`, `<GC>` behind `tid:TID`
 *     austin    `file:name:line` or `name (file);L5` behind `PPID;TTID`, `T0:TID`
 */
#ifndef FF_READ_DIALECT_H
#define FF_READ_DIALECT_H

#include "profile/profile.h"

enum ff_dialect {
    FF_DIALECT_PLAIN,
    FF_DIALECT_PY_SPY,
    FF_DIALECT_TACHYON,
    FF_DIALECT_AUSTIN,
};

/* What the first frames of a line tell. */
struct ff_dialect_root {
    uint32_t pid, tid; /* 0: not known */
    struct ff_text name;
    bool thread; /* a thread was named, if only by a number that is no thread id */
};

enum ff_tool ff_dialect_tool(enum ff_dialect dialect);

/* Which threads such a file counts, as far as its NAME tells. */
enum ff_population ff_dialect_population(enum ff_dialect dialect, struct ff_text name);

/* Size of the frames at the start of LINE that name process and thread, without the ';' behind them; 0
 * where there are none. */
size_t ff_dialect_root(enum ff_dialect dialect, struct ff_text line, struct ff_dialect_root *root);

/* How many bytes of REST its first frame takes: up to a ';' that is a separator. *joined grows where
 * one is not. */
size_t ff_dialect_frame_size(enum ff_dialect dialect, struct ff_text rest, uint64_t *joined);

/* The row of a frame; LEAF: it is the innermost one. */
uint32_t ff_dialect_frame(enum ff_dialect dialect, struct ff_profile *profile, struct ff_text text,
                          bool leaf);

#endif
