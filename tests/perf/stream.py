# SPDX-License-Identifier: MIT
"""A flamefold stream with exact times (ff-read --times) as single samples again."""
import collections
import subprocess

Sample = collections.namedtuple("Sample", "comm pid tid time event weight state ips")


def unescape(text):
    out, rest = [], iter(text)
    for c in rest:
        out.append({"t": "\t", "n": "\n", "r": "\r"}.get(n := next(rest), n) if c == "\\" else c)
    return "".join(out)


def moments(text, start):
    """(time, count) of the moments field: windows of 1 ns from the source's first."""
    for part in text.split(",") if text else []:
        at, _, rest = part.partition("*")
        count = int(rest.split("+")[0]) if rest else 1
        yield start + int(at.split("+")[0]), count


def samples(path, ff_read="ff-read", callers=1, options=()):
    """(samples, ledger) of a recording, each sample by itself; its addresses as perf prints them:
    CALLERS is what is added to the place of callers, which is one before the return address."""
    run = subprocess.run([ff_read, "--times", "--no-stitch", *options, path], capture_output=True)
    rows = collections.defaultdict(lambda: [None])
    found, ledger = [], collections.Counter()
    for line in run.stdout.decode("utf-8", "surrogateescape").split("\n"):
        kind, *fields = line.split("\t")
        fields = [unescape(f) for f in fields]
        if kind == "sample":
            found.append(fields)
        elif kind == "ledger":
            ledger[fields[3]] += int(fields[4])
        elif kind in ("source", "event", "module", "process", "thread", "frame", "stack"):
            rows[kind].append(fields)
    return [s for row in found for s in expand(row, rows, callers)], ledger


def chain(stack, rows, callers):
    """[(address, path of the module)] leaf first; of files the address is the file offset."""
    out, first, kernel = [], True, None
    while stack:
        parent, frame = (int(x) for x in rows["stack"][stack][1:3])
        kind, module, place = (rows["frame"][frame][i] for i in (1, 4, 5))
        first = first or (kernel and kind != "kernel")
        kernel = kind == "kernel"
        path = rows["module"][int(module)][2] if int(module) else "[unknown]"
        out.append(((int(place, 16) + (0 if first or kind != "kernel" and not callers else 1)) % 2**64, path))
        first, stack = False, parent
    return out


def expand(row, rows, callers):
    event, thread, stack = (int(x) for x in row[0:3])
    source = rows["source"][int(rows["event"][event][1])]
    process = rows["process"][int(rows["thread"][thread][1])]
    count, weight = int(row[5]), int(row[7])
    times = list(moments(row[10] if len(row) > 10 else "", int(source[6])))
    times = times or [(0, count)]
    for time, number in times:
        for _ in range(number):
            yield Sample(rows["thread"][thread][4], int(process[2]), int(rows["thread"][thread][2]),
                         time, rows["event"][event][2], weight / max(count, 1), row[3],
                         chain(stack, rows, callers))
