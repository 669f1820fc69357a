/* SPDX-License-Identifier: MIT
 *
 * The model in which all stages meet. A profile is a set of tables; a row is named by its u32 id.
 * Row 0 of every table exists and means "none": it is also where additions go when memory is out,
 * so callers need not check each one (see ff_profile_status).
 *
 * Three address words, never mixed:
 *   address        in the process (or in the kernel)
 *   module offset  ELF virtual address inside the module
 *   file offset    in the module's file
 * A frame keeps its `place`: the file offset for modules that come from a file or an image (elf,
 * vdso), the address for all others. Both are known from the recording alone, without any image. A
 * caller's place is its return address minus one, so that it lies inside the calling function.
 */
#ifndef FF_PROFILE_PROFILE_H
#define FF_PROFILE_PROFILE_H

#include "base/intern.h"
#include "base/status.h"
#include "profile/kinds.h"
#include "profile/ledger.h"

/* Sample counts are kept in units of 2^-20, so that a merge can split a sample exactly. */
#define FF_COUNT_ONE ((uint64_t)1 << 20)

/* One input file. */
struct ff_source {
    uint32_t name;            /* base name of the file, for messages and --main */
    uint8_t tool, population; /* enum ff_tool, ff_population */
    uint32_t host;            /* host name, 0 when not recorded */
    uint64_t rate;            /* samples a second as asked for; 0 when not known */
    uint64_t window_ns; /* width of the windows of its moments, a power of two; 0: it has none */
    uint64_t start_ns, end_ns; /* first and last sample in the source's own clock; 0,0 unknown */
    uint64_t duration_ns;      /* how long it was sampled; 0 when not told */
    uint64_t errors;           /* samples that the recorder failed to take; 0 also when not told */
};

/* What one weight unit of its samples means. Events are never added together. */
struct ff_event {
    uint32_t source;
    uint32_t name; /* as the recorder calls it: "cpu-clock", "cycles:u" */
    uint32_t unit; /* of a weight: "ns", "cycles", "samples" ... */
};

struct ff_module {
    uint8_t kind;      /* enum ff_module_kind */
    uint32_t path;     /* as recorded */
    uint32_t build_id; /* lower-case hexadecimal text; 0 when the recording has none */
    uint32_t pid; /* of the process whose memory this is: perf-map, anonymous and unplaced kinds, 0
                     where that is not known; else 0 */
    uint64_t
        anchor;     /* kernel and kernel-module: address of the running kernel's first symbol, _text
                          or _stext, which differs from boot to boot; 0 when not recorded */
    uint64_t inode; /* elf without build-id: of the file that was mapped; 0 not recorded */
    uint32_t generation; /* of the inode's number, which file systems use again; 0 not recorded */
};

/* A process image: a pid that was reused or recorded in two sources has several rows. */
struct ff_process {
    uint32_t source;
    uint32_t pid;
    uint32_t generation; /* 0, 1, ... for one pid in one source */
};

/* A thread under one name: a later rename or a reused tid makes a new generation. */
struct ff_thread {
    uint32_t process;
    uint32_t tid;
    uint32_t generation;
    uint32_t comm; /* the kernel's name for it */
    uint32_t name; /* Python's name, 0 when not known */
    uint32_t role; /* name (else comm) with its numbers replaced: "target-*"; 0 when no name */
};

/* Two frames are the same when all fields are. */
struct ff_frame {
    uint8_t kind;    /* enum ff_frame_kind */
    uint8_t named;   /* enum ff_named */
    uint8_t how;     /* enum ff_how */
    uint8_t entry;   /* enum ff_entry_kind; of Python frames */
    uint32_t module; /* 0: the address lies in no mapping */
    uint64_t place;
    uint32_t symbol; /* canonical printed name; python: qualified name; 0: none */
    uint32_t file;   /* python: as recorded; native, inlined: as the line table has it; 0 unknown */
    uint32_t line;   /* 0 when not known */
    uint64_t function; /* FF_NAMED_SYMBOL, _FUNCTION: where the function starts: module offset (elf,
                          vdso) or address */
    uint64_t
        site; /* of a Python evaluation loop: the word that tells its calls apart, an address in
                      the bytecode (unwind/site.h); 0: none */
};

/* A node of the one prefix tree, root first; 0 is the empty stack. */
struct ff_stack {
    uint32_t parent; /* the callers */
    uint32_t frame;  /* this node's frame */
};

/* A part of a sample row's count, and its window of time: profile/moment.h. */
struct ff_moment {
    uint64_t time_ns; /* where the window begins, in the source's clock */
    uint64_t count;   /* in units of 1 / FF_COUNT_ONE */
    uint32_t next;    /* of the same sample row; 0 = none */
};

/* Samples are aggregated: one row for each distinct key. */
struct ff_sample {
    uint32_t event;
    uint32_t thread;
    uint32_t stack;
    uint32_t bucket;  /* name of the class; 0 = not classified */
    uint32_t tags;    /* what else rules say of it, see profile/tags.h; 0 = nothing */
    uint8_t state;    /* enum ff_state */
    uint64_t count;   /* in units of 1 / FF_COUNT_ONE */
    uint64_t weight;  /* whole units of the event */
    uint64_t spread;  /* what a merge adds to the variance of the count, in its units: where a share
                        of m reference samples was given to n native ones, n * n / m (parted over its
                        rows like the count); 0: the count is as counted */
    uint32_t moments; /* the first ff_moment; 0: times are not known */
};

/* How many bytes above SP unwinding had to read: complete stacks their whole depth, others the place of
 * the first word that was missing. In steps of 4 KiB, so that the rows stay few. */
struct ff_depth {
    uint32_t source;
    bool complete;
    uint32_t size_kib; /* rounded up to a multiple of 4 */
    uint64_t count;    /* samples */
};

/* Where stack dumps ended too early: the frame whose caller was not in the dump any more. */
struct ff_cut {
    uint32_t source;
    uint32_t frame;       /* of the stack: its outermost */
    uint64_t count;       /* samples */
    uint64_t least, most; /* bytes above SP of the first missing word */
};

/* What a side file (top, nvidia-smi, /proc) says, as one number or word; rows stay in order of
 * reading. docs/formats.md lists the names with their units. */
struct ff_fact {
    uint32_t source;
    uint32_t thread;  /* that it speaks of: a thread of the same source; 0 none */
    uint32_t name;    /* what it says: "cpu-share", "state", "gpu-util" */
    uint32_t subject; /* what else it is of: "gpu 0"; 0 none */
    uint64_t value;   /* in `unit`; of a share the unit is "ppm", millionths */
    uint32_t unit;    /* 0: the value is a word */
    uint32_t text;    /* the word; 0: the value is a number */
};

/* An executable mapping of a process, see profile/mapping.h. */
struct ff_mapping {
    uint32_t pid;
    uint32_t module;
    uint64_t start, end;  /* addresses, end not included */
    uint64_t file_offset; /* of the byte at `start` */
};

#define FF_TABLE(type)                                                                             \
    struct {                                                                                       \
        struct type *at;                                                                           \
        uint32_t count, capacity; /* count includes row 0 */                                       \
    }

struct ff_profile {
    struct ff_error error; /* the last failure of any call that was given this profile */
    struct ff_intern texts;
    FF_TABLE(ff_source) sources;
    FF_TABLE(ff_event) events;
    FF_TABLE(ff_module) modules;
    FF_TABLE(ff_process) processes;
    FF_TABLE(ff_thread) threads;
    FF_TABLE(ff_frame) frames;
    FF_TABLE(ff_stack) stacks;
    FF_TABLE(ff_sample) samples;
    FF_TABLE(ff_moment) moments;
    FF_TABLE(ff_depth) depths;
    FF_TABLE(ff_cut) cuts;
    FF_TABLE(ff_fact) facts;
    FF_TABLE(ff_mapping) mappings; /* without a row 0 */
    FF_TABLE(ff_ledger_entry) ledger;
    FF_TABLE(ff_extra) extras;
    struct ff_map module_map, process_map, thread_map, frame_map, sample_map, ledger_map;
    struct ff_stack_slot
        *stack_slots;          /* finds stacks; a table of its own, since it is the hottest */
    uint32_t stack_slot_count; /* a power of two, at most 2/3 full; 0 at first */
    bool exact_times;          /* moments of what is read from now on have windows of 1 ns */
    bool out_of_memory;
};

/* A line of the stream whose kind this version does not know; passed on as it is. */
struct ff_extra {
    uint32_t text;
};

/* A new, empty profile; NULL when memory is out. */
struct ff_profile *ff_profile_new(void);
void ff_profile_free(struct ff_profile *profile); /* NULL is fine */

/* FF_OK, or FF_NO_MEMORY with a message if any addition so far failed. Stages end with this. */
enum ff_status ff_profile_status(struct ff_profile *profile);

static inline uint32_t ff_profile_intern(struct ff_profile *profile, struct ff_text text)
{
    return ff_intern(&profile->texts, text);
}

static inline struct ff_text ff_profile_text(const struct ff_profile *profile, uint32_t id)
{
    return ff_intern_text(&profile->texts, id);
}

/* Always a new row. */
uint32_t ff_source_add(struct ff_profile *profile, struct ff_source source);
uint32_t ff_event_add(struct ff_profile *profile, struct ff_event event);
uint32_t ff_fact_add(struct ff_profile *profile, struct ff_fact fact);
uint32_t ff_extra_add(struct ff_profile *profile, struct ff_text line);

/* Whether two generations of an inode may be one: 0 is not known. */
static inline bool ff_generations_agree(uint32_t a, uint32_t b)
{
    return a == b || !a || !b;
}

/* The row with this content, added if need be. A module whose generation is not recorded is the one
 * with the same inode. */
uint32_t ff_module_add(struct ff_profile *profile, struct ff_module module);
uint32_t ff_frame_add(struct ff_profile *profile, struct ff_frame frame);
uint32_t ff_stack_push(struct ff_profile *profile, uint32_t parent, uint32_t frame);

/* Gives back what only ff_stack_push needs, 12 to 36 bytes a stack: for who draws a large profile. A later
 * push makes it again. */
void ff_stack_release_slots(struct ff_profile *profile);

/* The row with this source, pid and generation / process, tid and generation; added if need be. The
 * other fields of a row that is already there stay as they are. */
uint32_t ff_process_add(struct ff_profile *profile, struct ff_process process);
uint32_t ff_thread_add(struct ff_profile *profile, struct ff_thread thread);

/* Adds count, weight, spread and moments to the row with the same other fields. A sum that does not fit stays at its
 * maximum and is counted in the ledger. */
uint32_t ff_sample_add(struct ff_profile *profile, struct ff_sample sample);

/* The same, looking first at row NEAR (0: at none), where the caller expects it to go. */
uint32_t ff_sample_add_near(struct ff_profile *profile, uint32_t near, struct ff_sample sample);

/* Adds a row, or its count to the row with the same source and kind and size, or frame. */
void ff_depth_add(struct ff_profile *profile, struct ff_depth depth);
void ff_cut_add(struct ff_profile *profile, struct ff_cut cut);

/* Aggregates again after a stage changed keys of sample rows (thread, stack, bucket, tags, state) in
 * place: equal rows become one, rows without count and weight vanish. */
void ff_sample_rebuild(struct ff_profile *profile);

uint32_t ff_sample_source(const struct ff_profile *profile, const struct ff_sample *sample);

/* The printed name of a frame, without offsets that change between runs: symbol, else
 * "libcuda.so.580+0x1d5f10", else "[module]", else "[unknown]"; Python: "name (file:line)". */
uint32_t ff_frame_name(struct ff_profile *profile, uint32_t frame);

/* The base name of a module's path: "libc.so.6", "[nvidia]", "[vdso]", "perf-map". */
struct ff_text ff_module_name(const struct ff_profile *profile, uint32_t module);

/* The role of a thread name: each run of digits becomes "*" ("target-3" -> "target-*"). */
uint32_t ff_role_of(struct ff_profile *profile, uint32_t name);

/* The thread's Python name, else its comm. */
uint32_t ff_thread_label(const struct ff_profile *profile, uint32_t thread);

#endif
