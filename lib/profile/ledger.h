/* SPDX-License-Identifier: MIT
 *
 * The ledger: whatever was read and is not in the result stands here with a reason. For every
 * source, samples read = samples in the profile + the entries in "samples" that are excluded or lost.
 */
#ifndef FF_PROFILE_LEDGER_H
#define FF_PROFILE_LEDGER_H

#include "base/text.h"
#include <stdint.h>

struct ff_profile;

/* What an entry means for the user. */
#define FF_GRADE_TABLE(X)                                                                          \
    X(FF_GRADE_READ, "read")         /* how much came in */                                        \
    X(FF_GRADE_UNUSED, "unused")     /* needed for nothing, by design */                           \
    X(FF_GRADE_EXCLUDED, "excluded") /* not selected by the user */                                \
    X(FF_GRADE_NOTE, "note")         /* in the result, but less than it could be */                \
    X(FF_GRADE_MISSED, "missed")     /* lost before the file was written */                        \
    X(FF_GRADE_LOSS, "loss")         /* was in the file and is not in the result: exit 1 */

enum ff_grade {
#define X(name, word) name,
    FF_GRADE_TABLE(X)
#undef X
        FF_GRADE_COUNT
};

/* The entries that the library makes: constant, grade, unit, name. The name says it all. */
#define FF_LEDGER_TABLE(X)                                                                         \
    X(FF_LEDGER_SAMPLES, READ, "samples", "samples read")                                          \
    X(FF_LEDGER_RECORDS, READ, "records", "records read")                                          \
    X(FF_LEDGER_LINES, READ, "lines", "lines read")                                                \
    X(FF_LEDGER_BOXES, READ, "boxes", "boxes of a picture read")                                   \
    X(FF_LEDGER_BOXES_ORPHAN, LOSS, "boxes", "boxes that stand on no other")                       \
    X(FF_LEDGER_BOXES_PRUNED, MISSED, "samples", "samples in boxes too narrow to be drawn")        \
    X(FF_LEDGER_COMPRESSED, READ, "records", "compressed records read")                            \
    X(FF_LEDGER_RECORDS_UNUSED, UNUSED, "records", "records that folding does not need")           \
    X(FF_LEDGER_RECORDS_UNKNOWN, LOSS, "records", "records of an unknown type skipped")            \
    X(FF_LEDGER_RECORDS_BAD, LOSS, "records", "records too short for their layout")                \
    X(FF_LEDGER_SAMPLES_BAD, LOSS, "samples", "samples too short for their layout")                \
    X(FF_LEDGER_SAMPLES_NO_EVENT, LOSS, "samples",                                                 \
      "samples of an event that the file does not describe")                                       \
    X(FF_LEDGER_BYTES_CUT, LOSS, "bytes", "bytes of an incomplete record at the end")              \
    X(FF_LEDGER_BYTES_MISSING, LOSS, "bytes",                                                      \
      "bytes of data that the header promises are missing")                                        \
    X(FF_LEDGER_FEATURES_CUT, LOSS, "sections", "header sections that the file does not hold")     \
    X(FF_LEDGER_GROUP_VALUES, LOSS, "values", "values of other events in group samples")           \
    X(FF_LEDGER_KILLED, NOTE, "files", "recordings whose header was never completed")              \
    X(FF_LEDGER_ORDER, NOTE, "records", "records older than their round allows")                   \
    X(FF_LEDGER_LINES_BAD, LOSS, "lines", "lines that are no stack with a count")                  \
    X(FF_LEDGER_JSON_CUT, LOSS, "files", "JSON texts that are damaged or end too early")           \
    X(FF_LEDGER_SAMPLES_CUT, LOSS, "samples",                                                      \
      "samples that the end of a cut text leaves unfinished")                                      \
    X(FF_LEDGER_EVENTS_BAD, LOSS, "events", "trace events that begin and end no frame")            \
    X(FF_LEDGER_PROFILES_UNREAD, LOSS, "profiles",                                                 \
      "speedscope profiles that hold no samples: events")                                          \
    X(FF_LEDGER_OPEN_STACKS, NOTE, "files",                                                        \
      "traces whose weights may hold idle time (chrometrace)")                                     \
    X(FF_LEDGER_STREAM_CUT, LOSS, "streams", "streams without an end line")                        \
    X(FF_LEDGER_NOT_UNWOUND, LOSS, "stacks", "recorded user stacks (dump or LBR) not unwound")     \
    X(FF_LEDGER_LACK_IMAGE, LOSS, "stacks", "stacks cut short for lack of a module's file")        \
    X(FF_LEDGER_LACK_ENTRY, NOTE, "stacks", "stacks that end in code without an unwind entry")     \
    X(FF_LEDGER_LACK_RULE, NOTE, "stacks", "stacks that end at a refused unwind entry")            \
    X(FF_LEDGER_LACK_SENSE, NOTE, "stacks",                                                        \
      "stacks that end where registers contradict the stack")                                      \
    X(FF_LEDGER_SATURATED, LOSS, "additions", "additions to a weight that is full")                \
    X(FF_LEDGER_LOST, MISSED, "records", "records that the kernel lost")                           \
    X(FF_LEDGER_LOST_SAMPLES, MISSED, "samples", "samples that the kernel lost")                   \
    X(FF_LEDGER_FILTERED, EXCLUDED, "records", "samples that the recorder's filter dropped")       \
    X(FF_LEDGER_DEFERRED, NOTE, "stacks", "stacks whose user side was deferred and never came")    \
    X(FF_LEDGER_STILL_AWAY, NOTE, "threads", "threads off the CPU when the recording ended")       \
    X(FF_LEDGER_THROTTLED, MISSED, "intervals",                                                    \
      "intervals in which the kernel throttled an event")                                          \
    X(FF_LEDGER_NOT_SELECTED, EXCLUDED, "samples", "samples not selected")                         \
    X(FF_LEDGER_PART_SELECTED, NOTE, "selections", "selections by bucket or tag")                  \
    X(FF_LEDGER_NO_TIMES, NOTE, "files", "py-spy files without times, taken whole")                \
    X(FF_LEDGER_STITCH_AGREED, NOTE, "stacks",                                                     \
      "truncated stacks stitched: two or more donors agree")                                       \
    X(FF_LEDGER_STITCH_SINGLE, NOTE, "stacks", "truncated stacks stitched: one donor")             \
    X(FF_LEDGER_STITCH_LENT, NOTE, "stacks",                                                       \
      "truncated stacks stitched: by another recording alone")                                     \
    X(FF_LEDGER_STITCH_GAP, NOTE, "stacks",                                                        \
      "truncated stacks stitched with a gap: donors disagree")                                     \
    X(FF_LEDGER_STITCH_SHALLOW, NOTE, "stacks",                                                    \
      "truncated stacks that stay so: donors far shallower")                                       \
    X(FF_LEDGER_STITCH_NONE, NOTE, "stacks", "truncated stacks that stay so: no donor")            \
    X(FF_LEDGER_DONORS, NOTE, "stacks", "complete stacks of other recordings offered as donors")   \
    X(FF_LEDGER_STITCH_TESTED, NOTE, "stacks",                                                     \
      "stitching tested: complete stacks cut and stitched")                                        \
    X(FF_LEDGER_STITCH_EXACT, NOTE, "stacks", "stitching tested: of these exactly as before")      \
    X(FF_LEDGER_NO_FRAMES, NOTE, "samples", "samples without any frame")                           \
    X(FF_LEDGER_NO_MODULE, NOTE, "frames", "frames in no module")                                  \
    X(FF_LEDGER_NO_SYMBOLS, NOTE, "frames", "frames of modules without a symbol source")           \
    X(FF_LEDGER_NO_RANGE, NOTE, "frames", "frames in code that no symbol and no FDE covers")       \
    X(FF_LEDGER_NO_DEBUG_INFO, NOTE, "frames", "frames without debug information")                 \
    X(FF_LEDGER_DEBUG_INFO_BAD, NOTE, "modules", "modules whose debug information is damaged")     \
    X(FF_LEDGER_BUILD_ID_DIFFERS, NOTE, "modules", "modules whose file has another build-id")      \
    X(FF_LEDGER_OTHER_BOOT, NOTE, "modules", "kernel modules: kallsyms of another boot or kernel") \
    X(FF_LEDGER_NOT_VERIFIED, NOTE, "modules",                                                     \
      "modules not verified: recorded without a build-id")                                         \
    X(FF_LEDGER_MERGED_EXACT, NOTE, "samples", "merged, exact: each Python frame is in the stack") \
    X(FF_LEDGER_MERGED_PARTLY, NOTE, "samples",                                                    \
      "merged, exact but for frames from before trampolines")                                      \
    X(FF_LEDGER_MERGED_CUT, NOTE, "samples", "of the exact ones: cut at a Python frame")           \
    X(FF_LEDGER_MERGED_PAIRED, NOTE, "samples", "merged, paired: two dumps of one stop")           \
    X(FF_LEDGER_PAIRED_IN_FLIGHT, NOTE, "samples",                                                 \
      "of the paired ones: a call in flight at the leaf")                                          \
    X(FF_LEDGER_PAIRED_NO_ROOT, NOTE, "samples",                                                   \
      "of the paired ones: native root missing, leaves aligned")                                   \
    X(FF_LEDGER_UNPAIRED, NOTE, "samples", "not paired: loops and Python entries disagree")        \
    X(FF_LEDGER_MERGED_SITE, NOTE, "samples", "merged, site: their call sites have names")         \
    X(FF_LEDGER_MERGED_CONDITIONAL, NOTE, "samples",                                               \
      "merged, conditional: by what stood with their entry")                                       \
    X(FF_LEDGER_MERGED_MARGINAL, NOTE, "samples", "merged, marginal: their entry was never seen")  \
    X(FF_LEDGER_DRIFT_TESTED, NOTE, "threads", "tested: does their work change over time?")        \
    X(FF_LEDGER_DRIFTED, NOTE, "threads", "of these: it does, which makes the merge weaker")       \
    X(FF_LEDGER_UNMATCHED, NOTE, "samples", "with Python, not merged: py-spy saw nothing like it") \
    X(FF_LEDGER_UNMERGED_CUT, NOTE, "samples", "with Python, not merged: stacks that are cut")     \
    X(FF_LEDGER_NAMES_UNMATCHED, NOTE, "threads", "named threads that no recording has")           \
    X(FF_LEDGER_NAMES_REFUSED, NOTE, "threads",                                                    \
      "named threads of a process that no recording surely is")                                    \
    X(FF_LEDGER_NAMES_DISAGREE, NOTE, "threads",                                                   \
      "threads that two py-spy sources name differently")                                          \
    X(FF_LEDGER_TOLD_OF_NONE, NOTE, "files", "told of in a manifest, not among the inputs")        \
    X(FF_LEDGER_TOLD_TWICE, NOTE, "values", "values told of an input that contradict each other")  \
    X(FF_LEDGER_POPULATION_GUESSED, NOTE, "sources", "populations guessed from the file name")     \
    X(FF_LEDGER_BARE_ADDRESSES, NOTE, "frames", "frames that py-spy recorded as a bare address")   \
    X(FF_LEDGER_ADDRESSES_OUTSIDE, NOTE, "frames",                                                 \
      "bare addresses outside the mappings: of another run")                                       \
    X(FF_LEDGER_ADDRESSES_PLACED, NOTE, "frames",                                                  \
      "bare addresses placed by a mapping of the process")                                         \
    X(FF_LEDGER_FRAMES_JOINED, NOTE, "frames", "names cut at a ';' of their own, joined again")    \
    X(FF_LEDGER_SCRIPT_LINES, LOSS, "lines", "lines that are no part of a sample")                 \
    X(FF_LEDGER_ADDRESS_WORDS, NOTE, "frames",                                                     \
      "frames printed with an address, not a file offset")                                         \
    X(FF_LEDGER_OPEN_SAMPLE, EXCLUDED, "samples",                                                  \
      "last samples without a blank line, left out by --compat")                                   \
    X(FF_LEDGER_LINE_OPEN, NOTE, "lines", "last lines without a line end: they may be cut")        \
    X(FF_LEDGER_METRICS_UNUSED, UNUSED, "values", "metrics of a sample beside its time (austin)")  \
    X(FF_LEDGER_LINES_UNUSED, UNUSED, "lines",                                                     \
      "lines that hold no stack: heads, comments, locals")                                         \
    X(FF_LEDGER_LINES_FACTS, READ, "lines", "lines of side files that became facts")               \
    X(FF_LEDGER_LINES_STRANGE, LOSS, "lines", "lines of side files that are no part of them")      \
    X(FF_LEDGER_FACTS_REFUSED, LOSS, "facts", "facts of side files whose process is not known")    \
    X(FF_LEDGER_THREADS_UNMATCHED, NOTE, "threads", "threads of top that no recording has")        \
    X(FF_LEDGER_VALUES_UNUSED, UNUSED, "values", "values of side files that nothing needs")        \
    X(FF_LEDGER_VALUES_MISSING, NOTE, "values", "values that a side file does not tell (-, N/A)")  \
    X(FF_LEDGER_VALUES_BAD, LOSS, "values", "values of side files that are no number")

enum ff_ledger_id {
#define X(name, grade, unit, text) name,
    FF_LEDGER_TABLE(X)
#undef X
        FF_LEDGER_COUNT
};

struct ff_ledger_entry {
    uint32_t source; /* 0: no source in particular */
    uint8_t grade;   /* enum ff_grade */
    uint32_t unit, name;
    uint64_t count;
    uint64_t inherited; /* the part of it that a stream brought: an earlier tool has told it */
};

/* Adds COUNT to an entry; 0 adds nothing, not even a row. */
void ff_ledger_add(struct ff_profile *profile, uint32_t source, enum ff_ledger_id id,
                   uint64_t count);

/* The same for an entry of any name, as the stream brings them. */
void ff_ledger_add_entry(struct ff_profile *profile, struct ff_ledger_entry entry);

/* Replaces counts that a stage found before: sets every entry of ID to 0 (they vanish on output).
 * A stage that is run twice counts once. */
void ff_ledger_clear(struct ff_profile *profile, enum ff_ledger_id id);

/* The same for one source. */
void ff_ledger_clear_source(struct ff_profile *profile, uint32_t source, enum ff_ledger_id id);

/* The sum of an entry over SOURCE, or over all sources for 0. */
uint64_t ff_ledger_count(const struct ff_profile *profile, uint32_t source, enum ff_ledger_id id);

/* The sum of all entries with this grade. */
uint64_t ff_ledger_grade_count(const struct ff_profile *profile, enum ff_grade grade);

const char *ff_grade_word(enum ff_grade grade);

/* The constant of a word, or -1. */
int ff_grade_parse(struct ff_text word);

#endif
