#!/usr/bin/env python3
"""Makes a profile worse, for tests that a verdict is withheld: reads a stream on stdin, writes one.

    cut_stream.py inner N    every stack keeps its N innermost frames
    cut_stream.py outer N    every stack keeps its N outermost frames
    cut_stream.py thin N     N samples are left of each source, spread evenly over its rows

Fields of lines: docs/formats.md.
"""
import sys

what, number = sys.argv[1], int(sys.argv[2])
head, stacks, samples, tail = [], {"0": None}, [], []
for line in sys.stdin.buffer.read().split(b"\n"):
    fields = line.decode("latin-1").split("\t")
    if fields[0] == "stack":
        stacks[fields[1]] = (fields[2], fields[3])
    elif fields[0] == "sample":
        samples.append(fields)
    elif samples or stacks.keys() - {"0"}:
        tail.append(line)
    else:
        head.append(line)

ids, rows = {}, []


def push(parent, frame):
    if (parent, frame) not in ids:
        ids[parent, frame] = str(len(ids) + 1)
        rows.append(["stack", ids[parent, frame], parent, frame])
    return ids[parent, frame]


def frames(stack):  # root first
    found = []
    while stacks[stack]:
        stack, frame = stacks[stack]
        found.append(frame)
    return found[::-1]


if what == "thin":
    by_event = {}
    for fields in samples:
        by_event.setdefault(fields[1], []).append(fields)
    kept = []
    for group in by_event.values():
        moments = [fields for fields in group for _ in range(int(fields[6]))]
        for i in range(min(number, len(moments))):
            fields = list(moments[i * len(moments) // min(number, len(moments))])
            fields[6] = "1"
            kept.append(fields)
    samples = kept
for fields in samples:
    whole = frames(fields[3])
    parent = "0"
    for frame in whole[-number:] if what == "inner" else whole[:number] if what == "outer" else whole:
        parent = push(parent, frame)
    fields[3] = parent
for line in head:
    sys.stdout.buffer.write(line + b"\n")
for fields in rows + samples:
    sys.stdout.buffer.write("\t".join(fields).encode("latin-1") + b"\n")
sys.stdout.buffer.write(b"\n".join(tail))
