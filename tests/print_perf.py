#!/usr/bin/env python3
"""`ff-read --print --times` against perf's own text of the same recording, sample by sample.

print_perf.py RECORDING TEXT: times (perf prints microseconds), threads, comms, periods, events,
addresses and modules must be equal, in the same order. Names are perf's: they are left out, and so are
perf's (inlined) frames.
"""
import re
import subprocess
import sys


def blocks(text):
    head, frames = None, []
    for line in text.split("\n"):
        if line.startswith("#"):
            continue
        if line.startswith("\t"):
            address, rest = line.split(None, 1)
            if not rest.endswith("(inlined)"):
                module = rest[rest.rindex(" (") + 2:-1] if " (" in rest else rest
                at = int(address, 16)
                # Nobody can tell what a caller at 0 and one at 1 are.
                # Of two kernel modules in one range perf names the first.
                module = "kernel" if at >> 63 and module[0] == "[" else module
                frames.append((0 if at == 1 and module == "[unknown]" else at, module))
        elif line.strip():
            head = line
        elif head:
            yield head, frames
            head, frames = None, []


HEAD = re.compile(r"\s*(.*?)\s+(?:\d+/)?(\d+)\s+(\d+)\.(\d+):\s+(\d+) (\S+?): *$")


def samples(text):
    for head, frames in blocks(text):
        comm, tid, seconds, rest, period, event = HEAD.match(head).groups()
        yield comm, int(tid), int(seconds), rest[:6], int(period), event, frames


def main():
    printed = subprocess.run(["ff-read", "--no-live", "--print", "--times", sys.argv[1]],
                             capture_output=True, text=True, check=True).stdout
    with open(sys.argv[2], encoding="utf-8") as file:
        want = sorted(samples(file.read()), key=repr)
    got = sorted(samples(printed), key=repr)
    # perf left the frames of some samples out.
    got = [a[:-1] + ([],) if b[-1] == [] else a for a, b in zip(got, want)] + got[len(want):]
    equal = sum(a == b for a, b in zip(got, want))
    for a, b in zip(got, want):
        if a != b:
            print(" got", a, "\nwant", b)
            break
    print(f"{len(got)} samples, perf has {len(want)}; {equal} equal")


main()
