/* SPDX-License-Identifier: MIT
 *
 * Side files: texts of other tools (top, pidstat, nvidia-smi, files of /proc) that hold no samples.
 * Each line becomes facts of the profile, or is counted. docs/formats.md lists the facts.
 */
#ifndef FF_READ_SIDE_H
#define FF_READ_SIDE_H

#include "base/input.h"
#include "profile/profile.h"

#define FF_SIDE_COLUMNS 64 /* of a table; what is beyond is counted as unused */

struct ff_side_format;

/* One side file while it is read. */
struct ff_side {
    struct ff_profile *profile;
    struct ff_input *input;
    const char *name; /* base name of the file */
    uint32_t source;
    uint32_t pid;                        /* that the file is known to belong to; 0 not known yet */
    uint32_t facts;                      /* of the profile, before the line at hand */
    uint32_t subjects;                   /* GPUs that the file has named so far */
    const struct ff_side_format *format; /* whose lines are expected */

    /* The table that the format is in; a new head clears it. */
    const struct ff_side_column *columns[FF_SIDE_COLUMNS];                 /* NULL: not needed */
    uint32_t column_names[FF_SIDE_COLUMNS], column_units[FF_SIDE_COLUMNS]; /* where a head tells */
    uint32_t column_count;
    uint32_t phase; /* the format's own */
    uint32_t owner; /* the format's own: what the next rows are of */
    uint64_t clock; /* the format's own: the last time that was told */

    struct ff_map threads;     /* process, tid, comm -> thread */
    uint32_t *last_generation; /* by the thread of generation 0 */
    uint32_t generation_capacity;

    uint64_t lines, fact_lines, unused, bad, first_bad;
    uint64_t cells_unused, cells_missing, cells_bad;
};

/* A format: all constant. */
struct ff_side_format {
    enum ff_tool tool;
    /* Whether LINE is the first of a part of this format: one file may hold several. */
    bool (*begins)(struct ff_text line);
    /* Takes a line: adds its facts, or returns true for a head that needs none. False: it is no
     * line of this format. */
    bool (*line)(struct ff_side *side, struct ff_text line);
    void (*ends)(struct ff_side *side); /* the part is over; NULL: nothing to do */
};

/* How the cell of a column is read. */
enum ff_side_value {
    FF_SIDE_WORD,    /* as it is */
    FF_SIDE_NUMBER,  /* whole */
    FF_SIDE_SHARE,   /* "12.5" percent, in ppm */
    FF_SIDE_RATE,    /* "12.5" per second, in mHz */
    FF_SIDE_KIB,     /* KiB, or with a suffix m, g, t, p; in bytes */
    FF_SIDE_TIME,    /* top's "123:45.67"; in ns */
    FF_SIDE_PROCESS, /* names the process */
    FF_SIDE_THREAD,  /* names the thread */
    FF_SIDE_COMMAND  /* the thread's comm: the rest of the line */
};

struct ff_side_column {
    const char *title; /* in the file */
    const char *fact;  /* NULL where the value names something */
    const char *unit;
    enum ff_side_value value;
};

extern const struct ff_side_format ff_side_top, ff_side_pidstat, ff_side_stat, ff_side_comms,
    ff_side_thread_list, ff_side_maps, ff_side_dmon, ff_side_gpu_query, ff_side_gpu_table,
    ff_side_log, ff_side_manifest;

/* Reads the whole input, which begins with FORMAT, into facts. PID: the process that it belongs to, 0
 * not known (see read/belong.h). FF_BAD_INPUT names the first line that is no part of it. */
enum ff_status ff_side_read(struct ff_profile *profile, struct ff_input *input, const char *name,
                            const struct ff_side_format *format, uint32_t pid);

/* The thread TID of process PID (0: of the file's process) under the name COMM. */
uint32_t ff_side_thread(struct ff_side *side, uint32_t pid, uint32_t tid, struct ff_text comm);

void ff_side_fact(struct ff_side *side, uint32_t thread, const char *name, uint32_t subject,
                  uint64_t value, const char *unit);
void ff_side_word(struct ff_side *side, uint32_t thread, const char *name, uint32_t subject,
                  struct ff_text word);

/* The next word of *rest, blanks before it skipped; empty at the end. */
struct ff_text ff_side_cut_word(struct ff_text *rest);

/* "12.5" or "12,5" times SCALE (a power of ten up to 10^9), rounded down; false if it is no such
 * number or does not fit. */
bool ff_side_scaled(struct ff_text text, uint64_t scale, uint64_t *value);

/* "15:07:35" as seconds of the day. */
bool ff_side_clock(struct ff_text text, uint64_t *seconds);

/* Looks TITLE up in COLUMNS (ends with an empty one); NULL if it is not there. */
const struct ff_side_column *ff_side_column(const struct ff_side_column *columns,
                                            struct ff_text title);

/* Makes side->columns from the words of a head. */
void ff_side_head(struct ff_side *side, const struct ff_side_column *columns, struct ff_text head);

/* Adds the facts of one row of the table, of THREAD or SUBJECT. */
void ff_side_row(struct ff_side *side, uint32_t thread, uint32_t subject, struct ff_text row);

/* The value of the first column of that kind in ROW; false if there is none, or it is no number. */
bool ff_side_row_number(const struct ff_side *side, struct ff_text row, enum ff_side_value kind,
                        uint32_t *number);

/* The text of the command column in ROW: all that is left of the line; empty if there is none. */
struct ff_text ff_side_row_command(const struct ff_side *side, struct ff_text row);

#endif
