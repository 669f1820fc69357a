#!/usr/bin/env python3
"""Facts of side files against the files themselves, worked out here a second time.

side_facts.py CAPTURES: for each side file of each capture prints how many facts ff-read tells, after
checking that their list is the one this script makes from the same text, in the same order.
"""
import os
import re
import subprocess
import sys
from decimal import Decimal


def stream(path):
    """Facts as (tid, comm or name, name, subject, value, unit, text), and the ledger."""
    out = subprocess.run(["ff-read", path], capture_output=True, text=True)
    threads, facts, ledger = {"0": (None, None)}, [], {}
    for line in out.stdout.splitlines():
        f = line.split("\t")
        if f[0] == "thread":
            threads[f[1]] = (int(f[3]), f[5] or f[6])
        elif f[0] == "fact":
            facts.append(threads[f[2]] + (f[3], f[4], int(f[5]), f[6], f[7]))
        elif f[0] == "ledger":
            ledger[(f[2], f[4])] = int(f[5])
    return facts, ledger, out.returncode


def number(name, value, unit, tid=None, who=None, subject=""):
    return (tid, who, name, subject, int(value), unit, "")


def word(name, text, tid=None, who=None, subject=""):
    return (tid, who, name, subject, 0, "", text)


def day(clock):
    h, m, s = clock.split(":")
    return (int(h) * 3600 + int(m) * 60 + int(s)) * 10**9


def top(lines):
    def size(t):
        if t[-1].isdigit():
            return int(t) * 1024
        return int(Decimal(t[:-1]) * 1024 ** ("kmgt".index(t[-1]) + 1))

    for line in lines:
        f = line.split()
        if line.startswith("top - "):
            yield number("time-of-day", day(f[2]), "ns")
            loads = line.split("load average: ")[1].split(", ")
            for load, span in zip(loads, (1, 5, 15)):
                yield number("load-average", Decimal(load) * 10**6, "ppm", subject=f"{span} min")
        elif line.startswith("%Cpu(s):"):
            for share, what in re.findall(r"([\d.]+) (\w+)", line):
                yield number("system-cpu", Decimal(share) * 10**4, "ppm", subject=what)
        elif f and f[0].isdigit():
            who = int(f[0]), f[11]
            yield number("memory-virtual", size(f[4]), "bytes", *who)
            yield number("memory-resident", size(f[5]), "bytes", *who)
            yield number("memory-shared", size(f[6]), "bytes", *who)
            yield word("state", f[7], *who)
            yield number("cpu-share", Decimal(f[8]) * 10**4, "ppm", *who)
            yield number("memory-share", Decimal(f[9]) * 10**4, "ppm", *who)
            minutes, seconds = f[10].split(":")
            yield number("cpu-time", (int(minutes) * 60 + Decimal(seconds)) * 10**9, "ns", *who)


def stat(lines):
    fields = [(10, "faults-minor", "faults"), (12, "faults-major", "faults"),
              (14, "cpu-time-user", "ticks"), (15, "cpu-time-system", "ticks"),
              (20, "threads", "threads"), (22, "start-time", "ticks"),
              (23, "memory-virtual", "bytes"), (24, "memory-resident", "pages"),
              (39, "cpu", "number"), (42, "io-delay", "ticks")]
    for line in lines:
        stamp, tid, comm, rest = re.match(r"([\d.]+) (\d+) \((.*)\) (.*)", line).groups()
        who, f = (int(tid), comm), ["", "", ""] + rest.split()
        yield number("time", Decimal(stamp) * 10**9, "ns", *who)
        yield word("state", f[3], *who)
        for at, name, unit in fields:
            yield number(name, f[at], unit, *who)


def comms(lines):
    for line in lines:
        tid, comm = line.split(" ", 1)
        yield word("comm", comm, int(tid), comm)


def threads(lines):
    for line in lines:
        tid, pthread, name = line.split(" ", 2)
        yield word("python-name", name, int(tid), name)
        yield number("pthread", int(pthread, 16), "address", int(tid), name)


def maps(lines):
    for line in lines:
        head = re.match(r"\S+ \S+ \S+ \S+ \d+", line).group()
        yield (0, "", "mapping", line[len(head):].strip(" "), 0, "", head)


NAMES = {"sm": "gpu-util", "mem": "gpu-memory-util", "enc": "gpu-encoder-util",
         "dec": "gpu-decoder-util", "jpg": "gpu-jpeg-util", "ofa": "gpu-optical-flow-util",
         "pwr": "gpu-power", "gtemp": "gpu-temperature", "mtemp": "gpu-memory-temperature",
         "mclk": "gpu-memory-clock", "pclk": "gpu-clock", "fb": "gpu-memory-used",
         "bar1": "gpu-bar1-used", "ccpm": "gpu-protected-memory-used"}
UNITS = {"%": ("ppm", 10**4), "W": ("mW", 1000), "C": ("C", 1), "MHz": ("MHz", 1),
         "MB": ("bytes", 2**20), "MiB": ("bytes", 2**20)}


def scaled(name, text, unit, subject):
    ours, scale = UNITS[unit]
    return number(name, Decimal(text) * scale, ours, subject=subject)


def gpu(lines):
    """dmon, then perhaps a query."""
    from calendar import timegm
    from time import strptime
    titles, units, query, rows, gpus = [], [], None, 0, set()
    for line in lines:
        f = line.lstrip("#").split()
        if line.startswith("#") and "gpu" in f:
            titles = f
        elif line.startswith("#"):
            units = f
        elif "utilization.gpu" in line:
            query = [c.strip() for c in line.split(",")]
        elif query:
            cells = dict(zip(query, (c.strip() for c in line.split(","))))
            subject = f"gpu {cells.get('index', rows)}"
            assert "index" in cells or gpus
            if "name" in cells:
                yield word("gpu-name", cells["name"], subject=subject)
            for title, name in (("utilization.gpu [%]", "gpu-util"),
                                ("memory.used [MiB]", "gpu-memory-used")):
                yield scaled(name, *cells[title].split(), subject)
            rows += 1
        elif f:
            row = dict(zip(titles, f))
            subject = f"gpu {row['gpu']}"
            gpus.add(subject)
            if "Date" in row:
                at = timegm(strptime(row["Date"] + row["Time"], "%Y%m%d%H:%M:%S"))
                yield number("local-time", at * 10**9, "ns", subject=subject)
            for title, unit in zip(titles, units):
                if title in NAMES:
                    yield scaled(NAMES[title], row[title], unit, subject)


def smi(lines):
    text, now = "\n".join(lines), None
    rows = re.findall(r"\|\s+(\d+)  (NVIDIA \S+) .*\n\| N/A\s+(\d+)C\s+(P\d+)\s+(\d+)W /\s+(\d+)W \|"
                      r"\s+(\d+)MiB /\s+(\d+)MiB \|\s+(\d+)%", text)
    for now, name, heat, state, power, limit, used, total, busy in rows:
        s = f"gpu {now}"
        yield word("gpu-name", name, subject=s)
        yield scaled("gpu-temperature", heat, "C", s)
        yield word("gpu-pstate", state, subject=s)
        yield scaled("gpu-power", power, "W", s)
        yield scaled("gpu-power-limit", limit, "W", s)
        yield scaled("gpu-memory-used", used, "MiB", s)
        yield scaled("gpu-memory-total", total, "MiB", s)
        yield scaled("gpu-util", busy, "%", s)
    for now, pid, used in re.findall(r"\|\s+(\d+)\s+N/A\s+N/A\s+(\d+)\s+\S+\s+\S+\s+(\d+)MiB \|", text):
        yield scaled("gpu-process-memory", used, "MiB", f"gpu {now} process {pid}")


KINDS = {"top.txt": top, "stat.0": stat, "stat.1": stat, "comms": comms, "threads": threads,
         "maps": maps, "dmon.txt": gpu, "gpu.txt": gpu, "gpu-query.csv": gpu, "smi.txt": smi}


def main():
    files = facts_in_all = 0
    for folder in sorted(os.listdir(sys.argv[1])):
        for name, expect in KINDS.items():
            path = os.path.join(sys.argv[1], folder, name)
            if not os.path.exists(path):
                continue
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")
            lines = lines[:-1] if lines[-1] == "" else lines
            want = list(expect(lines))
            got, ledger, status = stream(path)
            sums = [ledger.get(key, 0) for key in (
                ("read", "lines of side files that became facts"),
                ("unused", "lines that hold no stack: heads, comments, locals"),
                ("loss", "lines of side files that are no part of them"))]
            good = (got == want and status == 0 and sums[2] == 0 and
                    sum(sums) == ledger[("read", "lines read")] == len(lines))
            if not good:
                print(f"{folder}/{name}: {len(got)} facts, expected {len(want)}; lines {sums}")
                for a, b in zip(got, want):
                    if a != b:
                        print(" got", a, "\n want", b)
                        break
            files += 1
            facts_in_all += len(got)
    print(f"{files} files, {facts_in_all} facts")


main()
