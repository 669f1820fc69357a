# SPDX-License-Identifier: MIT
"""make.py OUT: a recording with what no perf at hand writes: user call chains that come after their sample,
time off the CPU as an event, code of BPF programs, samples that a filter dropped. All of it is known by
construction.

make.py --folder IN OUT: the records of IN as `perf record --threads` keeps them: a folder, samples of even and
odd CPUs in two files."""
import os
import struct
import sys

IP, TID, TIME, CHAIN, PERIOD, IDENTIFIER = 1, 2, 4, 32, 256, 1 << 16
TYPE = IP | TID | TIME | CHAIN | PERIOD | IDENTIFIER
KERNEL, USER, DEFERRED = 2**64 - 128, 2**64 - 512, 2**64 - 640
ID_ALL, FREQ, DEFER = 1 << 18, 1 << 10, 1 << 38


def record(kind, misc, body):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def trailer(pid, tid, time, identifier=1):
    return struct.pack("<IIQQ", pid, tid, time, identifier)


def text(string):
    return string.encode() + b"\0" * (8 - len(string) % 8)


def sample(identifier, pid, tid, time, period, chain, misc=2):
    return record(9, misc, struct.pack("<QQIIQQQ%dQ" % len(chain), identifier, 0x401000, pid, tid, time, period,
                                       len(chain), *chain))


def deferred(pid, tid, time, cookie, chain):
    return record(22, 2, struct.pack("<QQ%dQ" % len(chain), cookie, len(chain), *chain) + trailer(pid, tid, time))


def attr(kind, config, flags, period):
    return struct.pack("<II5Q", kind, 136, config, period, TYPE, 0, flags) .ljust(136, b"\0")


def event_desc(events):
    out = struct.pack("<II", len(events), 136)
    for name, data, identifier in events:
        name = name.encode().ljust(64, b"\0")
        out += data + struct.pack("<II", 1, len(name)) + name + struct.pack("<Q", identifier)
    return out


def make(path):
    events = [("cpu-clock:u", attr(1, 0, ID_ALL | FREQ | DEFER, 1000), 1),
              ("offcpu-time", attr(1, 10, ID_ALL, 1), 2)]
    k, u, bpf = 0xffffffff81000010, 0x401010, 0xffffffffc0001010
    data = b"".join([
        record(1, 1, struct.pack("<iIQQQ", -1, 0, 0xffffffff81000000, 0x1000000, 0xffffffff81000000) +
               text("[kernel.kallsyms]_text") + trailer(0, 0, 0)),
        record(17, 1, struct.pack("<QIHH", 0xffffffffc0001000, 0x100, 1, 0) + text("bpf_prog_1_count") +
               trailer(0, 0, 0)),
        record(3, 0, struct.pack("<II", 7, 7) + text("work") + trailer(7, 7, 0)),
        record(1, 2, struct.pack("<IIQQQ", 7, 7, 0x401000, 0x1000, 0x1000) + text("/bin/work") + trailer(7, 7, 0)),
        # Two samples in the kernel before the thread comes out of it, then the user side of both.
        sample(1, 7, 7, 1000, 10, [KERNEL, k, DEFERRED, 5]),
        sample(1, 7, 7, 1100, 10, [KERNEL, k + 16, DEFERRED, 5]),
        deferred(7, 7, 1200, 5, [USER, u, u + 16]),
        # A promise that is not kept: another cookie's chain comes.
        sample(1, 7, 7, 1300, 10, [KERNEL, k, DEFERRED, 6]),
        deferred(7, 7, 1400, 9, [USER, u]),
        sample(2, 7, 7, 1500, 3000000, [USER, u, u + 32]),
        sample(1, 7, 7, 1600, 10, [KERNEL, bpf, USER, u]),
        record(17, 1, struct.pack("<QIHH", 0xffffffffc0001000, 0x100, 1, 1) + text("bpf_prog_1_count") +
               trailer(0, 0, 1700)),
        sample(1, 7, 7, 1800, 10, [KERNEL, bpf, USER, u]),
        record(13, 1 << 15, struct.pack("<Q", 4) + trailer(7, 7, 1900)),
    ])
    ids = 104 + 2 * (136 + 16)
    start = ids + 16
    header = b"PERFILE2" + struct.pack("<QQ2Q2Q2Q4Q", 104, 136 + 16, 104, 2 * 152, start, len(data), 0, 0,
                                       1 << 12, 0, 0, 0)
    attrs = b"".join(e[1] + struct.pack("<QQ", ids + 8 * i, 8) for i, e in enumerate(events))
    desc = event_desc(events)
    table = struct.pack("<QQ", start + len(data) + 16, len(desc))
    with open(path, "wb") as out:
        out.write(header + attrs + struct.pack("<QQ", 1, 2) + data + table + desc)


def folder(source, target):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import reader
    with open(source, "rb") as stream:
        data = stream.read()
    file = reader.Reader(data)
    cpu = 8 + 8 * sum(file.attrs[0].has(b) for b in (16, 0, 1, 2, 3, 6, 9))
    parts = [b"", b"", b""]
    for kind, _, rec in file.records():
        index = 1 + struct.unpack_from("<I", rec, cpu)[0] % 2 if kind == 9 else 0
        parts[index] += b"" if kind == 68 else rec
    moved = len(parts[0]) - (file.end - file.start)
    out = bytearray(data[:file.start] + parts[0] + data[file.end:])
    struct.pack_into("<Q", out, 48, len(parts[0]))
    for table, at, size in file.features.values():
        struct.pack_into("<QQ", out, table + moved, at + moved, size)
    os.mkdir(target)
    for name, bytes_ in (("data", out), ("data.0", parts[1]), ("data.1", parts[2])):
        with open(os.path.join(target, name), "wb") as stream:
            stream.write(bytes_)


if sys.argv[1] == "--folder":
    folder(sys.argv[2], sys.argv[3])
else:
    make(sys.argv[1])
