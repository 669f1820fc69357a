/* SPDX-License-Identifier: MIT
 *
 * The closed vocabularies of a profile. Each is one X-table of (constant, word): the word is what
 * the stream, reports and options print and accept.
 */
#ifndef FF_PROFILE_KINDS_H
#define FF_PROFILE_KINDS_H

#include "base/text.h"

/* Who made a source. */
#define FF_TOOL_TABLE(X)                                                                           \
    X(FF_TOOL_UNKNOWN, "unknown")                                                                  \
    X(FF_TOOL_PERF, "perf")                                                                        \
    X(FF_TOOL_PY_SPY, "py-spy")                                                                    \
    X(FF_TOOL_FOLDED, "folded")                                                                    \
    X(FF_TOOL_TOP, "top")                                                                          \
    X(FF_TOOL_PIDSTAT, "pidstat")                                                                  \
    X(FF_TOOL_NVIDIA_SMI, "nvidia-smi")                                                            \
    X(FF_TOOL_PROC, "proc")               /* files of /proc/PID */                                 \
    X(FF_TOOL_THREAD_LIST, "thread-list") /* thread ids with their Python names */                 \
    X(FF_TOOL_MANIFEST, "manifest")       /* what its user tells of other inputs */                \
    X(FF_TOOL_LOG, "log") /* what a recorder printed while it wrote another input */               \
    X(FF_TOOL_TACHYON, "profiling.sampling") /* of Python 3.15 */                                  \
    X(FF_TOOL_AUSTIN, "austin")                                                                    \
    X(FF_TOOL_GDB, "gdb") /* also pstack */                                                        \
    X(FF_TOOL_EU_STACK, "eu-stack")

/* Which moments of which threads a source counts. Different populations are never added. */
#define FF_POPULATION_TABLE(X)                                                                     \
    X(FF_POPULATION_UNKNOWN, "unknown")                                                            \
    X(FF_POPULATION_ON_CPU, "on-cpu")                                                              \
    X(FF_POPULATION_RUNNABLE, "runnable")                                                          \
    X(FF_POPULATION_ALL, "all")                                                                    \
    X(FF_POPULATION_GIL_HELD, "gil-held")                                                          \
    X(FF_POPULATION_DUMP, "dump")                                                                  \
    X(FF_POPULATION_EVENTS, "events")   /* each hit of a tracepoint, not moments of time */        \
    X(FF_POPULATION_BLOCKED, "blocked") /* off the CPU, waiting */

/* What a module is; this also decides what a frame's `place` means (see profile.h). */
#define FF_MODULE_TABLE(X)                                                                         \
    X(FF_MODULE_NONE, "none")                                                                      \
    X(FF_MODULE_ELF, "elf")                                                                        \
    X(FF_MODULE_VDSO, "vdso")                                                                      \
    X(FF_MODULE_KERNEL, "kernel")                                                                  \
    X(FF_MODULE_KERNEL_MODULE, "kernel-module")                                                    \
    X(FF_MODULE_PERF_MAP, "perf-map")   /* executable anonymous memory: JIT code, trampolines */   \
    X(FF_MODULE_ANONYMOUS, "anonymous") /* heap, stack, shared memory: no code is expected */      \
    X(FF_MODULE_UNPLACED, "unplaced")   /* a library by its name only: where it lay is not known */

#define FF_FRAME_TABLE(X)                                                                          \
    X(FF_FRAME_NATIVE, "native")                                                                   \
    X(FF_FRAME_KERNEL, "kernel")                                                                   \
    X(FF_FRAME_PYTHON, "python")                                                                   \
    X(FF_FRAME_TEXT, "text")       /* a name from folded text: what it is was not recorded */      \
    X(FF_FRAME_MARKER, "marker")   /* no code: what is said about the stack at this place */       \
    X(FF_FRAME_INLINED, "inlined") /* a function that the compiler put into its caller */

/* Whether a Python frame was called from Python or from native code, where a source tells (py-spy
 * dump --json): the evaluation loop is entered anew for an entry. */
#define FF_ENTRY_TABLE(X)                                                                          \
    X(FF_ENTRY_UNKNOWN, "unknown")                                                                 \
    X(FF_ENTRY_INNER, "inner")                                                                     \
    X(FF_ENTRY_ENTRY, "entry") /* py-spy's is_entry: CPython 3.11 */                               \
    X(FF_ENTRY_SHIM, "shim")   /* py-spy's is_shim_entry: below it lies a shim, CPython 3.12 on */

/* How it is known that a frame stands in its stack. The words from exact to marginal are what
 * ff-merge says of Python frames, surest first (docs/merging.md). */
#define FF_HOW_TABLE(X)                                                                            \
    X(FF_HOW_RECORDED, "recorded")       /* by the recorder, or unwound from what it recorded */   \
    X(FF_HOW_STITCHED, "stitched")       /* from another stack of the thread; the function only */ \
    X(FF_HOW_GUESSED, "guessed")         /* plausible, not proven */                               \
    X(FF_HOW_EXACT, "exact")             /* the sampled stack itself names it: a trampoline */     \
    X(FF_HOW_PAIRED, "paired")           /* Python and native frames of one stop of the process */ \
    X(FF_HOW_SITE, "site")               /* by the bytecode address in the evaluation loop */      \
    X(FF_HOW_CONDITIONAL, "conditional") /* a share, by what the native frames were seen with */   \
    X(FF_HOW_BRACKETED, "bracketed")     /* the same, within what stood before and after */        \
    X(FF_HOW_MARGINAL,                                                                             \
      "marginal") /* a share of the thread's Python frames, whatever the native */                 \
    X(FF_HOW_UNMATCHED, "unmatched") /* a Python function runs here; which one is not known */

/* How the name of a native or kernel frame is known. */
#define FF_NAMED_TABLE(X)                                                                          \
    X(FF_NAMED_NOT, "not")           /* nobody has looked yet, or nothing is known */              \
    X(FF_NAMED_RECORDED, "recorded") /* the source itself had it */                                \
    X(FF_NAMED_SYMBOL, "symbol")     /* inside a symbol's own range */                             \
    X(FF_NAMED_FUNCTION, "function") /* no symbol, but the function's start: module+0xstart */     \
    X(FF_NAMED_MODULE, "module")     /* the module only */

/* How far a stack reaches, and why not further. */
#define FF_STATE_TABLE(X)                                                                          \
    X(FF_STATE_RECORDED, "recorded")   /* as the recorder wrote it; completeness is not known */   \
    X(FF_STATE_COMPLETE, "complete")   /* unwound to the thread's root */                          \
    X(FF_STATE_STITCHED, "stitched")   /* completed from other stacks of the thread */             \
    X(FF_STATE_GUESSED, "guessed")     /* reached a root, but a caller was guessed on the way */   \
    X(FF_STATE_TRUNCATED, "truncated") /* the recorded stack bytes end before the root */          \
    X(FF_STATE_NO_RULE, "no-unwind-data")  /* code without unwind rules, or without its image */   \
    X(FF_STATE_NO_MODULE, "no-module")     /* an address in no mapping */                          \
    X(FF_STATE_NOT_UNWOUND, "not-unwound") /* a stack dump is there, and was not used */           \
    X(FF_STATE_NO_FRAMES, "no-frames")     /* a sample without any address */

#define X(name, word) name,
enum ff_tool { FF_TOOL_TABLE(X) FF_TOOL_COUNT };
enum ff_population { FF_POPULATION_TABLE(X) FF_POPULATION_COUNT };
enum ff_module_kind { FF_MODULE_TABLE(X) FF_MODULE_COUNT };
enum ff_frame_kind { FF_FRAME_TABLE(X) FF_FRAME_COUNT };
enum ff_how { FF_HOW_TABLE(X) FF_HOW_COUNT };
enum ff_entry_kind { FF_ENTRY_TABLE(X) FF_ENTRY_COUNT };
enum ff_named { FF_NAMED_TABLE(X) FF_NAMED_COUNT };
enum ff_state { FF_STATE_TABLE(X) FF_STATE_COUNT };
#undef X

const char *ff_tool_word(enum ff_tool tool);
const char *ff_population_word(enum ff_population population);
const char *ff_module_word(enum ff_module_kind kind);
const char *ff_frame_word(enum ff_frame_kind kind);
const char *ff_how_word(enum ff_how how);
const char *ff_entry_word(enum ff_entry_kind entry);
const char *ff_named_word(enum ff_named named);
const char *ff_state_word(enum ff_state state);

/* The constant of a word, or -1. */
int ff_tool_parse(struct ff_text word);
int ff_population_parse(struct ff_text word);
int ff_module_parse(struct ff_text word);
int ff_frame_parse(struct ff_text word);
int ff_how_parse(struct ff_text word);
int ff_entry_parse(struct ff_text word);
int ff_named_parse(struct ff_text word);
int ff_state_parse(struct ff_text word);

#endif
