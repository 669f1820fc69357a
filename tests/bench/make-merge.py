#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the inputs of the merging benchmark: a stream of a perf recording of 1,000,000 samples in 16
Python threads, and a py-spy raw file (-n -t) of 100,000 lines of the same process."""
import random
import sys

THREADS, SAMPLES, LINES = 16, 1000000, 100000
EXT = ["op%d" % i for i in range(400)]
KERNELS = ["kernel%d" % i for i in range(3000)]
FUNCTIONS = ["f%d" % i for i in range(2000)]


WAYS, PATHS = [], {}


def make_program(rng):
    """Ways into the entries, and a dozen native paths below each entry."""
    for i in range(100000):
        frames = [rng.choice(FUNCTIONS) for _ in range(4 + i % 12)]
        WAYS.append((frames, rng.choice(EXT)))
    for entry in EXT:
        PATHS[entry] = [[rng.choice(KERNELS) for _ in range(1 + i % 3)] for i in range(12)]


def draw(rng):
    """Most samples are in a few hot ways, as in a real program."""
    way, entry = WAYS[int(rng.paretovariate(0.6)) % len(WAYS)]
    return way, [entry] + rng.choice(PATHS[entry])


def write_raw(path, rng):
    seen = {}
    while len(seen) < LINES:
        way, below = draw(rng)
        thread = rng.randrange(THREADS)
        frames = ["%s (made.py:%d)" % (name, 10 + i) for i, name in enumerate(way)]
        native = ["%s (ext.so)" % name for name in below]
        line = ";".join(["thread (%d): worker-%d" % (1000 + thread, thread)] + frames + native)
        seen[line] = seen.get(line, 0) + 1
    with open(path, "w") as out:
        for line, count in seen.items():
            out.write("%s %d\n" % (line, count))


def write_stream(path, rng):
    stacks, samples, frames = {}, {}, {}

    def frame(module, name):
        return frames.setdefault((module, name), len(frames) + 1)

    def push(parent, module, name):
        return stacks.setdefault((parent, frame(module, name)), len(stacks) + 1)

    for _ in range(SAMPLES):
        _, below = draw(rng)
        thread = rng.randrange(THREADS)
        stack = push(0, 3, "start_thread")
        stack = push(stack, 1, "_PyEval_EvalFrameDefault")
        stack = push(stack, 1, "PyObject_Vectorcall")
        for name in below:
            stack = push(stack, 2, name)
        samples[thread, stack] = samples.get((thread, stack), 0) + 1
    with open(path, "w") as out:
        out.write("flamefold 1\nsource\t1\tperf.data\tperf\ton-cpu\t\t999\t0\t0\t0\t0\t0\n")
        out.write("event\t1\t1\tcpu-clock\tns\n")
        for i, name in enumerate(("/x/python3.12", "/x/ext.so", "/x/libc.so.6")):
            out.write("module\t%d\telf\t%s\t\t0\t0\t0\t0\n" % (i + 1, name))
        out.write("process\t1\t1\t900\t0\n")
        for thread in range(THREADS):
            out.write("thread\t%d\t1\t%d\t0\tpython3\t\t\n" % (thread + 1, 1000 + thread))
        for (module, name), i in frames.items():
            out.write("frame\t%d\tnative\tsymbol\trecorded\t%d\t%x\t%x\t%s\t\t0\n"
                      % (i, module, 4096 + i * 16, 4096 + i * 16, name))
        for (parent, leaf), i in stacks.items():
            out.write("stack\t%d\t%d\t%d\n" % (i, parent, leaf))
        for (thread, stack), count in samples.items():
            out.write("sample\t1\t%d\t%d\tcomplete\t\t%d\t0\t%d\t\t0\t\n"
                      % (thread + 1, stack, count, count * 1001001))
        out.write("end\n")


make_program(random.Random(0))
write_raw(sys.argv[2], random.Random(2))
write_stream(sys.argv[1], random.Random(1))
