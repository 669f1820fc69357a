/* SPDX-License-Identifier: MIT
 *
 * The numbers that a verdict rests on, each with its n and its interval. What they are is in one
 * table; evidence.h fills them from a profile, hypothesis.h holds them against thresholds.
 */
#ifndef FF_REPORT_MEASURE_H
#define FF_REPORT_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

/* Where a measure comes from. */
enum ff_measure_kind {
    FF_FROM_STACKS,  /* share of the samples of native stacks that are in the buckets */
    FF_FROM_LAUNCH,  /* the same, of the samples that are in a kernel launch */
    FF_FROM_GPU,     /* utilisation of the busiest GPU */
    FF_FROM_GIL,     /* share of moments in which somebody held the GIL */
    FF_FROM_IDLE,    /* share of the hot threads' moments, asleep or not, that are in the buckets */
    FF_FROM_TIME,    /* share of the time that the hottest thread was on a CPU */
    FF_FROM_THREADS, /* a number of threads */
    FF_FROM_ANOTHER  /* a second recording: no file of one run says it */
};

/* Constant, word in JSON, kind, buckets (of the default rules), what the number is of. */
#define FF_MEASURE_TABLE(X)                                                                        \
    X(FF_MEASURE_SPIN, "launch_wait", FF_FROM_STACKS, "cuda_launch_spin",                          \
      "of samples wait inside a kernel launch")                                                    \
    X(FF_MEASURE_LAUNCHES, "launch", FF_FROM_STACKS,                                               \
      "cuda_launch_spin cuda_launch cuda_graph_launch", "of samples are in a kernel launch")       \
    X(FF_MEASURE_LAUNCH_WAITS, "launch_wait_of_launch", FF_FROM_LAUNCH, "cuda_launch_spin",        \
      "of the samples in launches wait there")                                                     \
    X(FF_MEASURE_SYNC, "sync", FF_FROM_STACKS, "cuda_sync_spin cuda_sync_block",                   \
      "of samples wait for the GPU in a synchronising call")                                       \
    X(FF_MEASURE_GIL, "gil_contention", FF_FROM_STACKS, "gil_wait gil_handoff",                    \
      "of samples wait for the GIL or hand it over")                                               \
    X(FF_MEASURE_PYTHON, "python", FF_FROM_STACKS, "py_interp py_gc py_alloc async_loop",          \
      "of samples run Python code")                                                                \
    X(FF_MEASURE_DISPATCH, "dispatch", FF_FROM_STACKS,                                             \
      "torch_dispatch torch_argparse autograd_host dynamo_guard gpu_lib_host cuda_other "          \
      "xla_host tf_host triton_host cupy_host",                                                    \
      "of samples prepare operations (dispatcher, arguments, autograd, GPU libraries)")            \
    X(FF_MEASURE_ALLOCATOR, "allocator", FF_FROM_STACKS,                                           \
      "torch_alloc cuda_alloc py_alloc libc_malloc", "of samples allocate or free memory")         \
    X(FF_MEASURE_HOLDER, "load_or_driver_memory", FF_FROM_STACKS, "cuda_module_load cuda_alloc",   \
      "of samples load GPU code or allocate in the driver")                                        \
    X(FF_MEASURE_LOCK, "library_lock", FF_FROM_STACKS, "",                                         \
      "of samples take or wait for a lock of malloc, an allocator, the loader or the driver")      \
    X(FF_MEASURE_INIT, "start_up", FF_FROM_STACKS, "py_import cuda_module_load jit_compile",       \
      "of samples import modules, load or compile code")                                           \
    X(FF_MEASURE_CPU, "cpu_work", FF_FROM_STACKS,                                                  \
      "cpu_kernel omp_spin c_ext native_other libc_malloc kernel_other pagefault",                 \
      "of samples compute on the CPU, outside Python and GPU calls")                               \
    X(FF_MEASURE_GPU, "gpu", FF_FROM_GPU, "", "is the utilisation of the busiest GPU")             \
    X(FF_MEASURE_GIL_HELD, "gil_held", FF_FROM_GIL, "", "of the time somebody held the GIL")       \
    X(FF_MEASURE_QUEUE, "queue_wait", FF_FROM_IDLE, "py_lock_wait io_wait idle",                   \
      "of the hot threads' moments are waits for a queue, a lock or a file")                       \
    X(FF_MEASURE_HOTTEST, "hottest_thread", FF_FROM_TIME, "",                                      \
      "of the time the hottest thread was on a CPU")                                               \
    X(FF_MEASURE_THREADS, "cuda_threads", FF_FROM_THREADS, "", "threads were seen in CUDA calls")  \
    X(FF_MEASURE_LOCK_THREADS, "lock_threads", FF_FROM_THREADS, "",                                \
      "threads were seen in locks of libraries")                                                   \
    X(FF_MEASURE_ONE_THREAD, "one_thread", FF_FROM_ANOTHER, "",                                    \
      "is the share of waits in launches when only one thread launches")

enum ff_measure_id {
#define X(name, word, kind, buckets, phrase) name,
    FF_MEASURE_TABLE(X)
#undef X
        FF_MEASURE_COUNT
};

/* Shares are in units of 1/1000; FF_FROM_THREADS counts threads. */
struct ff_measure {
    bool known;
    bool weak;         /* too little data to rule anything out; it can support */
    bool few;          /* too little data to decide anything; it can point */
    uint64_t count, n; /* of n samples, instants or values; n is 0 for an exact number */
    uint32_t value;
    uint32_t low, high; /* the interval's ends: 95 %, and wider by what bad stacks may hide */
};

struct ff_measure_about {
    const char *word, *buckets, *phrase;
    uint8_t kind; /* enum ff_measure_kind */
};

/* By enum ff_measure_id. */
extern const struct ff_measure_about ff_measures[FF_MEASURE_COUNT];

/* A share with Wilson's interval. HIDDEN samples of the N may belong to it or not: they widen the
 * interval upwards and do not count. */
struct ff_measure ff_measure_share(uint64_t count, uint64_t hidden, uint64_t n);

/* A number that has no error of its own. */
struct ff_measure ff_measure_exact(uint32_t value);

/* The samples from which on the interval of a share of VALUE keeps clear of THRESHOLD (both 1/1000):
 * z^2 p (1 - p) / (p - t)^2, rounded up; 0 if none is enough. */
uint64_t ff_measure_needed(uint32_t value, uint32_t threshold);

#endif
