#!/usr/bin/env python3
"""Profiles whose cause is known because they are made so, against the verdict: made_profiles.py prints for
each whether exactly the causes it was made of are supported. A cause that cannot be told from these numbers
must not be."""
import json
import os
import subprocess
import tempfile

ROOT = ["clone3 (libc.so.6)", "run (worker.py:10)", "step (worker.py:20)", "forward (model.py:30)",
        "at::native::run (libtorch_cpu.so)", "at::_ops::add::call (libtorch_cpu.so)"]
CUDA = "libcuda.so.580.1"
LAUNCH = ["cudaLaunchKernel (libcudart.so.13)", f"cuLaunchKernel ({CUDA})"]
WAIT = LAUNCH + [f"0x7f0000001000 ({CUDA})", "sched_yield (libc.so.6)"]
RUN = LAUNCH + [f"0x7f0000001000 ({CUDA})"]
LOAD = [f"cuLibraryLoadData ({CUDA})", f"0x7f0000002000 ({CUDA})"]
SYNC = [f"cuStreamSynchronize ({CUDA})", f"0x7f0000003000 ({CUDA})"]
ALLOC = ["c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc (libc10_cuda.so)"]
LOCK = ALLOC + ["pthread_mutex_lock (libc.so.6)"]
MUL = ["at::native::mul_kernel (libtorch_cpu.so)"]
DISPATCH = ["c10::Dispatcher::callBoxed (libtorch_cpu.so)"]
PLAIN = ["__libc_start_main (libc.so.6)", "main (solver)", "solve (solver)", "relax (solver)", "sweep (solver)",
         "cell (solver)", "exp (libm.so.6)"]

# name, threads, {frames: samples of each thread}, GPU in %, CPU of each thread in %, what is supported
CASES = [
    ("driver lock, idle GPU", 4, [(WAIT, 60), (RUN, 20), (DISPATCH, 20)], [20], 70, []),
    ("queue full", 4, [(WAIT, 60), (RUN, 20), (DISPATCH, 20)], [100], 70, ["launch_queue_full"]),
    ("waits, GPU not known", 4, [(WAIT, 60), (RUN, 20), (DISPATCH, 20)], None, 70, []),
    ("loading while others launch", 4, [(WAIT, 50), (LOAD, 15), (DISPATCH, 35)], [20], 20,
     ["load_or_memory_holds_lock"]),
    ("loading, but the GPU is full", 4, [(WAIT, 50), (LOAD, 15), (DISPATCH, 35)], [100], 20,
     ["launch_queue_full"]),
    ("loading, GPU not known", 4, [(WAIT, 50), (LOAD, 15), (DISPATCH, 35)], None, 20, []),
    ("loading is all", 1, [(LOAD, 100), (MUL, 60)], [10], 90, ["start_up"]),
    ("launch cost", 1, [(RUN, 100), (MUL, 100)], [20], 99, ["launch_cost"]),
    ("launch cost, nobody knows if the thread is busy", 1, [(RUN, 100), (MUL, 100)], [20], None, []),
    ("launch cost of a thread that mostly sleeps", 1, [(RUN, 100), (MUL, 100)], [20], 10, []),
    ("dispatch", 1, [(DISPATCH, 120), (MUL, 80)], [20], 99, ["dispatch"]),
    ("dispatch of a thread that mostly sleeps", 1, [(DISPATCH, 120), (MUL, 80)], [20], 5, []),
    ("dispatch, nobody knows", 1, [(DISPATCH, 120), (MUL, 80)], [20], None, []),
    ("allocator", 1, [(ALLOC, 100), (MUL, 100)], [20], 99, ["allocator"]),
    ("allocator's lock, one thread", 1, [(LOCK, 100), (MUL, 100)], [20], 99, ["allocator"]),
    ("allocator's lock, four threads", 4, [(LOCK, 50), (MUL, 50)], [20], 80, ["allocator", "library_lock"]),
    ("sync", 1, [(SYNC, 190), (DISPATCH, 10)], [99], 99, ["sync"]),
    ("plain CPU, no GPU", 4, [(None, 100)], None, 99, ["cpu_work"]),
    ("nothing stands out", 1, [(RUN, 30), (DISPATCH, 40), (ALLOC, 40), (MUL, 50), (SYNC, 40)], [50], 50, []),
]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def files_of(folder, threads, parts, gpu, cpu):
    lines = []
    for i in range(threads):
        for frames, count in parts:
            stack = PLAIN if frames is None else ROOT + frames
            lines.append(f"thread ({101 + i}): worker-{i};{';'.join(stack)} {count}\n")
    raw = write(folder, "stacks.raw", "".join(lines))
    yield from ["--as", raw + "=py-spy,population=runnable,rate=49,seconds=10", raw]
    if gpu:
        yield write(folder, "dmon.txt", "# gpu     sm    mem\n# Idx      %      %\n" +
                    "".join(f"    {i}    {value}      1\n" for _ in range(9) for i, value in enumerate(gpu)))
    if cpu is not None:
        yield write(folder, "top.txt", "top - 10:00:00 up 1 day,  1 user,  load average: 1.00, 1.00, 1.00\n\n"
                    "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n" +
                    "".join(f"{101 + i:7} u         20   0    1.0g   1.0g   0.1g R {cpu:5.1f}   1.0   0:01.00 worker\n"
                            for i in range(threads)))


def verdict(arguments):
    read = subprocess.run(["ff-read", *arguments], capture_output=True, check=False)
    sorted_in = subprocess.run(["ff-classify"], input=read.stdout, capture_output=True, check=False)
    report = subprocess.run(["ff-report", "--json"], input=sorted_in.stdout, capture_output=True, check=False)
    return json.loads(report.stdout)["verdict"]


for name, threads, parts, gpu, cpu, truth in CASES:
    with tempfile.TemporaryDirectory() as folder:
        found = verdict(list(files_of(folder, threads, parts, gpu, cpu)))
    supported = sorted(row["name"] for row in found["hypotheses"] if row["outcome"] == "supported")
    good = supported == sorted(truth) and found["gate"] == "none"
    print("right" if good else f"WRONG, {found['gate']}, made of {truth}, found {supported}", "-", name)
