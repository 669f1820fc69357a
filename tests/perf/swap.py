# SPDX-License-Identifier: MIT
"""The same recording as a machine of the other byte order would have written it: every number is
reversed where it stands. For reader.py --swap; not for compressed records."""
import reader
from reader import (ADDR, BRANCH, CHAIN, CPU, ID, IDENTIFIER, IP, PERIOD, RAW, READ, REGS, SAMPLE, STACK,
                    STREAM, TID, TIME)


class Swapper:
    def __init__(self, data):
        self.old, self.new = data, bytearray(data)

    def numbers(self, at, size, count=1):
        for i in range(at, at + size * count, size):
            self.new[i:i + size] = self.old[i:i + size][::-1]
        return at + size * count

    def attr(self, at, size):
        self.numbers(at, 4, 2)
        self.numbers(at + 8, 8, 4)
        for i in range(at + 40, at + 48):  # bit-fields begin at the other end of each byte
            self.new[i] = int("{:08b}".format(self.old[i])[::-1], 2)
        self.numbers(at + 48, 4, 2)
        self.numbers(at + 56, 8, min(4, (size - 56) // 8))
        if size >= 96:
            self.numbers(at + 88, 4, 2)

    def string(self, file, at):
        """u32 length and bytes."""
        self.numbers(at, 4)
        return at + 4 + file.number(at, 4)

    def sample(self, file, at, attr):
        get = lambda size: file.number(at, size)
        for bit, size in ((IDENTIFIER, 8), (IP, 8), (TID, 4), (TIME, 8), (ADDR, 8), (ID, 8), (STREAM, 8),
                          (CPU, 4), (PERIOD, 8)):
            if attr.has(bit):
                at = self.numbers(at, size, 8 // size)
        if attr.has(READ):
            form = attr.read_format
            each = 1 + (form >> 2 & 1) + (form >> 4 & 1)
            times = (form & 1) + (form >> 1 & 1)
            at = self.numbers(at, 8, 1 + times + get(8) * each if form & 8 else times + each)
        if attr.has(CHAIN):
            at = self.numbers(at, 8, 1 + get(8))
        if attr.has(RAW):
            at = self.numbers(at, 4) + get(4)
        if attr.has(BRANCH):
            at = self.numbers(at, 8, 1 + 3 * get(8) + (attr.branch >> 17 & 1))
        if attr.has(REGS):
            at = self.numbers(at, 8, 1 + (bin(attr.regs).count("1") if get(8) else 0))
        if attr.has(STACK):
            size = get(8)
            at = self.numbers(at, 8) + size
            self.numbers(at, 8, 1 if size else 0)

    def trailer(self, attr, end):
        if not attr or not attr.flags >> 18 & 1:
            return
        for bit, size in ((IDENTIFIER, 8), (CPU, 4), (STREAM, 8), (ID, 8), (TIME, 8), (TID, 4)):
            if attr.has(bit):
                end -= 8
                self.numbers(end, size, 8 // size)

    def record(self, file, at):
        kind, misc, size = (file.number(at + i, n) for i, n in ((0, 4), (4, 2), (6, 2)))
        self.numbers(at, 4)
        self.numbers(at + 4, 2, 2)
        body = at + 8
        if kind == SAMPLE:
            self.sample(file, body, file.sample_attr(file.data[at:at + size]))
            return size
        if kind < 64:
            self.trailer(file.attrs[0] if file.attrs else None, at + size)
        shape = {1: (2, 3), 10: (2, 3), 2: (0, 2), 3: (2, 0), 4: (4, 1), 7: (4, 1), 5: (0, 3), 6: (0, 3),
                 13: (0, 1), 66: (1, 0), 67: (1, 0), 78: (0, 2), 80: (0, 1), 71: (0, 3)}.get(kind, (0, 0))
        end = self.numbers(self.numbers(body, 4, shape[0]), 8, shape[1])
        if kind == 10:
            if not misc >> 14 & 1:
                self.numbers(self.numbers(end, 4, 2), 8, 2)
            self.numbers(end + 24, 4, 2)
        if kind == 64:
            own = file.number(body + 4, 4) or 64
            self.attr(body, own)
            self.numbers(body + own, 8, (size - 8 - own) // 8)
        if kind == 80 and size > 16:
            feature(file, self, file.number(body, 8), body + 8, size - 16)
        if size < 8:
            raise ValueError("a record of size %d" % size)
        if kind == 71:
            size += file.number(body, 8)
        if kind == 66:
            size += (file.number(body, 4) + 7) // 8 * 8
        return size


def swap(source, target):
    with open(source, "rb") as stream:
        data = stream.read()
    file, out = reader.Reader(data), Swapper(data)
    out.numbers(0, 8, 2)
    if file.pipe:
        list(file.records())  # its attributes are records
        at, end = 16, len(data)
    else:
        out.numbers(16, 8, (104 - 16) // 8)
        entry, attrs, attrs_size = (file.number(i, 8) for i in (16, 24, 32))
        for i in range(attrs, attrs + attrs_size, entry):
            out.attr(i, entry - 16)
            out.numbers(i + entry - 16, 8, 2)
            out.numbers(file.number(i + entry - 16, 8), 8, file.number(i + entry - 8, 8) // 8)
        for bit, (table, at, size) in file.features.items():
            out.numbers(table, 8, 2)
            feature(file, out, bit, at, size)
        at, end = file.start, file.end
    while at + 8 <= end:
        at += out.record(file, at)
    with open(target, "wb") as stream:
        stream.write(out.new)


def feature(file, out, bit, at, size):
    end = at + size
    if bit in (3, 6):  # host name, architecture
        out.string(file, at)
    if bit == 21:  # first and last time
        out.numbers(at, 8, 2)
    while bit == 2 and at < end:  # build-ids: header, pid, 24 bytes, path
        length = file.number(at + 6, 2)
        out.numbers(at, 4)
        out.numbers(at + 4, 2, 2)
        out.numbers(at + 8, 4)
        at += length
    if bit == 12:
        count, attr = file.number(at, 4), file.number(at + 4, 4)
        at = out.numbers(at, 4, 2)
        for _ in range(count):
            out.attr(at, attr)
            ids = file.number(at + attr, 4)
            at = out.string(file, out.numbers(at + attr, 4))
            at = out.numbers(at, 8, ids)
