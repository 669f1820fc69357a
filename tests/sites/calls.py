# SPDX-License-Identifier: MIT
# Python with known call sites, for every CPython from 2.7 on: each function of calls.c is called from
# one place only, and so is each Python function, so what runs at the leaf tells every site above it.
# Calls come from instructions of many kinds, and the loops nest through C (map, sorted).
import ctypes, sys, threading, time

library = ctypes.CDLL(sys.argv[1])
seconds = float(sys.argv[2])
site = [getattr(library, "site_%02d" % i) for i in range(40)]
for function in site:
    function.restype = ctypes.c_long
site[9].restype = ctypes.c_bool


class Operators(object):
    __add__ = site[0]
    __sub__ = site[1]
    __mul__ = site[2]
    __and__ = site[3]
    __getitem__ = site[4]
    __setitem__ = site[5]
    __delitem__ = site[6]
    __lt__ = site[7]
    __neg__ = site[8]
    __bool__ = __nonzero__ = site[9]
    __getattr__ = site[10]
    __contains__ = site[11]
    __iadd__ = site[12]
    __enter__ = site[13]
    __exit__ = site[14]
    __call__ = site[15]


def operators(it):
    it + 1
    it - 1
    it * 1
    it & 1
    it[1]
    it < 1
    -it
    if it:
        pass
    it.absent


def statements(it):
    it[1] = 2
    del it[1]
    1 in it
    more = it
    more += 1
    with it:
        pass
    it(1)


def plain(pair):
    site[16]()
    site[17](1)
    site[18](1, 2)
    site[19](*pair)
    [site[20]() for _ in (1, 2)]
    max(1, site[21]())


def keyed(value):
    return site[22]() + value


def mapped(value):
    site[23](value)
    site[24](value)
    return value


def inner(value):
    return site[25](value) + site[26]()


def middle(value):
    return inner(value) + site[27]()


def outer(value):
    site[28](middle(value))
    return sum(generated(value))


def generated(value):
    for _ in (1, 2):
        yield site[29](value)


def recursive(depth):
    if depth:
        recursive(depth - 1)
    else:
        site[30]()


def late(value):
    site[31](value)
    site[32](value)
    sorted((1, 2), key=keyed)
    list(map(mapped, (1, 2)))
    list(map(outer, (1,)))
    list(map(recursive, (3,)))


def work():
    it, pair, end = Operators(), (1, 2), time.time() + seconds
    while time.time() < end:
        operators(it)
        statements(it)
        plain(pair)
        late(1)


threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
work()
for thread in threads:
    thread.join()
