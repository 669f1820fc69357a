# SPDX-License-Identifier: MIT
"""An independent reader of perf.data, written from the description of the format (linux
tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h), for what perf itself
refuses. It walks every record and knows only what a sample is.

reader.py FILE           events with their samples and weights, one line each: NAME SAMPLES WEIGHT
reader.py --swap IN OUT  the same recording as a machine of the other byte order would have written it
"""
import collections
import ctypes
import ctypes.util
import struct
import sys

IP, TID, TIME, ADDR, READ, CHAIN, ID, CPU, PERIOD, STREAM, RAW, BRANCH, REGS, STACK = range(14)
IDENTIFIER = 16
SAMPLE, COMPRESSED, COMPRESSED2, AUXTRACE, TRACING, ATTR, FEATURE, UPDATE = 9, 81, 83, 71, 66, 64, 80, 78
HARDWARE = "cycles instructions cache-references cache-misses branches branch-misses bus-cycles " \
           "stalled-cycles-frontend stalled-cycles-backend ref-cycles".split()
SOFTWARE = "cpu-clock task-clock page-faults context-switches cpu-migrations minor-faults major-faults " \
           "alignment-faults emulation-faults dummy bpf-output cgroup-switches".split()


class Attr:
    def __init__(self, data, order):
        data = data.ljust(128, b"\0")
        (self.type, _, self.config, self.period, self.sample_type, self.read_format, self.flags, _, _,
         _, _, self.branch, self.regs) = struct.unpack_from(order + "II5QII4Q", data)
        if order == ">":  # bit-fields begin at the other end of each byte
            self.flags = int.from_bytes(bytes(int("{:08b}".format(b)[::-1], 2) for b in data[40:48]), "little")
        self.name = None

    def has(self, bit):
        return self.sample_type >> bit & 1

    def title(self):
        low = self.config & 0xffffffff
        names = {0: HARDWARE, 1: SOFTWARE}.get(self.type, [])
        return self.name or (names[low] if low < len(names) else "%d:%x" % (self.type, self.config))


class Zstd:
    """The one stream of a file, through libzstd."""

    def __init__(self):
        self.lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
        self.lib.ZSTD_createDStream.restype = ctypes.c_void_p
        self.lib.ZSTD_decompressStream.argtypes = [ctypes.c_void_p] * 3
        self.lib.ZSTD_decompressStream.restype = ctypes.c_size_t
        self.stream = self.lib.ZSTD_createDStream()

    def more(self, data):
        class Buffer(ctypes.Structure):
            _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]
        source = ctypes.create_string_buffer(data, len(data))
        source_buffer = Buffer(ctypes.addressof(source), len(data), 0)
        room = ctypes.create_string_buffer(1 << 18)
        out = b""
        while True:
            target = Buffer(ctypes.addressof(room), len(room), 0)
            if self.lib.ZSTD_isError(self.lib.ZSTD_decompressStream(
                    self.stream, ctypes.byref(target), ctypes.byref(source_buffer))):
                raise ValueError("zstd")
            out += room.raw[:target.pos]
            if source_buffer.pos == len(data) and target.pos < len(room):
                return out


class Reader:
    def __init__(self, data):
        self.data = data
        size = struct.unpack_from("<Q", data, 8)[0]
        self.order = "<" if size < 1 << 32 else ">"
        self.pipe = self.number(8, 8) == 16
        self.attrs, self.ids, self.zstd = [], {}, None
        if not self.pipe:
            self.header()

    def number(self, at, size, data=None):
        return struct.unpack_from(self.order + {2: "H", 4: "I", 8: "Q"}[size],
                                  self.data if data is None else data, at)[0]

    def header(self):
        entry, attrs, attrs_size, self.start, size = (self.number(at, 8) for at in (16, 24, 32, 40, 48))
        self.end = min(self.start + size, len(self.data)) if size else len(self.data)
        for at in range(attrs, attrs + attrs_size, entry):
            ids, ids_size = self.number(at + entry - 16, 8), self.number(at + entry - 8, 8)
            self.add_attr(self.data[at:at + entry - 16],
                          [self.number(i, 8) for i in range(ids, ids + ids_size, 8)])
        self.features = {}
        at = self.start + size
        for bit in range(256) if size and at < len(self.data) else ():
            # The bitmap is an array of 64-bit words.
            if self.number(72 + bit // 64 * 8, 8) >> bit % 64 & 1:
                self.features[bit] = (at, self.number(at, 8), self.number(at + 8, 8))
                at += 16
        if 12 in self.features:
            self.event_names(self.features[12][1])

    def event_names(self, at):
        count, size = self.number(at, 4), self.number(at + 4, 4)
        at += 8
        for i in range(count):
            ids, length = self.number(at + size, 4), self.number(at + size + 4, 4)
            name = self.data[at + size + 8:at + size + 8 + length].split(b"\0")[0].decode()
            at += size + 8 + length
            index = self.ids.get(self.number(at, 8), i) if ids else i
            self.attrs[index].name = name
            at += 8 * ids

    def add_attr(self, data, ids):
        for i in ids:
            self.ids[i] = len(self.attrs)
        self.attrs.append(Attr(data, self.order))

    def records(self):
        """(type, misc, record) in file order, out of zstd too."""
        if self.pipe:
            yield from self.walk(self.data[16:])[0]
        else:
            yield from self.walk(self.data[self.start:self.end])[0]

    def walk(self, data):
        out, at = [], 0
        rest = b""
        while at + 8 <= len(data):
            kind, misc, size = struct.unpack_from(self.order + "IHH", data, at)
            body = 0
            if kind == COMPRESSED2:
                body = struct.unpack_from(self.order + "Q", data, at + 8)[0]
                if (16 + body + 7) // 8 * 8 > size:
                    raise ValueError("compressed record beyond 64 KiB")
            if size < 8 or at + size > len(data):
                break
            record = data[at:at + size]
            at += size
            if kind in (COMPRESSED, COMPRESSED2):
                self.zstd = self.zstd or Zstd()
                rest += self.zstd.more(record[16:16 + body] if kind == COMPRESSED2 else record[8:])
                inner, used = self.walk(rest)
                out += inner
                rest = rest[used:]
                continue
            if kind == AUXTRACE:
                at += struct.unpack_from(self.order + "Q", record, 8)[0]
            if kind == TRACING:
                at += (struct.unpack_from(self.order + "I", record, 8)[0] + 7) // 8 * 8
            if kind == ATTR:
                own = self.number(12, 4, record) or 64
                self.add_attr(record[8:8 + own], [self.number(i, 8, record) for i in range(8 + own, size, 8)])
            if kind == UPDATE and self.number(8, 8, record) == 2:
                index = self.ids.get(self.number(16, 8, record))
                if index is not None:
                    self.attrs[index].name = record[24:].split(b"\0")[0].decode()
            out.append((kind, misc, record))
        return out, at

    def sample_attr(self, record):
        first = self.attrs[0]
        at = 8 if first.has(IDENTIFIER) else 8 + 8 * sum(first.has(b) for b in (IP, TID, TIME, ADDR))
        if len(self.attrs) > 1 and (first.has(IDENTIFIER) or first.has(ID)):
            return self.attrs[self.ids[self.number(at, 8, record)]]
        return first

    def period(self, attr, record):
        if not attr.has(PERIOD):
            return 1 if attr.flags >> 10 & 1 else attr.period
        before = (IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU)
        return self.number(8 + 8 * sum(attr.has(b) for b in before), 8, record)


def count(path):
    with open(path, "rb") as file:
        reader = Reader(file.read())
    sums = collections.OrderedDict()
    samples = [record for kind, _, record in reader.records() if kind == SAMPLE]
    for record in samples:
        attr = reader.sample_attr(record)
        row = sums.setdefault(attr.title(), [0, 0])
        row[0] += 1
        row[1] += reader.period(attr, record)
    return sums


def main():
    if sys.argv[1] == "--swap":
        import swap
        swap.swap(sys.argv[2], sys.argv[3])
        return
    for name, (samples, weight) in count(sys.argv[1]).items():
        print(name, samples, weight, sep="\t")


if __name__ == "__main__":
    main()
