# SPDX-License-Identifier: MIT
# Judges the sites of one recording of calls.py: a stream on stdin. The function of calls.c at the leaf
# tells which call every loop above it is in. Prints "found WHERE OBSERVED VALUES LOOPS" when each site
# belongs to one call in at least 999 of 1000 loops, and each call at each depth of a thread to one site in
# 980 (an instruction of 3.11 on has another next one until it has adapted itself); "none OBSERVED"
# when nothing was found and no loop has a site; else what is wrong.
import collections
import sys

frames, stacks, facts, judged = {}, {0: (0, 0)}, {}, []
for line in sys.stdin:
    field = line.rstrip("\n").split("\t")
    if field[0] == "frame":
        frames[int(field[1])] = (field[8], field[12] if len(field) > 12 else "")
    elif field[0] == "stack":
        stacks[int(field[1])] = (int(field[2]), int(field[3]))
    elif field[0] == "fact" and field[3].startswith("site-"):
        facts[field[3]] = int(field[5])
    elif field[0] == "sample":
        judged.append((field[2], int(field[3]), int(field[6])))


def loops(stack):
    call, sites = None, []
    while stack:
        stack, frame = stacks[stack]
        name, site = frames[frame]
        if not call and name.startswith("site_"):
            call = name
        elif site:
            sites.append(site)
    return call, sites


of_site = collections.defaultdict(collections.Counter)
of_call = collections.defaultdict(collections.Counter)
for thread, stack, count in judged:
    call, sites = loops(stack)
    for depth, site in enumerate(sites if call else []):
        if depth == 0:
            of_site[site][call] += count
        of_call[thread, call, depth][site] += count


def purity(table):
    every = sum(sum(row.values()) for row in table.values())
    return sum(max(row.values()) for row in table.values()) / max(1, every), every


observed = facts.get("site-observations", 0)
offset, register = facts.get("site-offset", 0), facts.get("site-register", 0)
if not offset and not register:
    print("none %d" % observed if not of_call else "sites without a slot")
    sys.exit(0)
one_call, count = purity(of_site)
one_site, every = purity(of_call)
if one_call < 0.999 or one_site < 0.98 or len(of_site) < 20:
    print("wrong: a site is of one call in %.4f of %d loops, a call has one site in %.4f of %d; %d sites"
          % (one_call, count, one_site, every, len(of_site)))
else:
    where = "SP+0x%x" % offset if offset else "register-%d" % register
    print("found %s %d %d %d" % (where, observed, facts["site-values"], every))
