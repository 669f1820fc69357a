# SPDX-License-Identifier: MIT
"""compare.py FF-READ FILE...: every sample of a recording, one by one, as `perf script` prints it: name,
pid, tid, time, event, addresses. Both sorted, since perf prints samples of one time in any order. Ends
with 'N passed, N failed, N skipped'; a file is skipped that perf itself refuses."""
import collections
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stream

HEAD = re.compile(r"^ *(.*?) +(-?\d+)/(-?\d+) +(?:(\d+)\.(\d+): +)?(.*?): *$")
FIELDS = "comm,pid,tid,time,event,ip,dso"
IP = r"([0-9a-f]+) (?:.* )?\((.*)\)"  # perf prints some symbols unasked


def perf_samples(path):
    """None where perf refuses the file."""
    run = subprocess.run(["perf", "script", "--no-inline", "--no-itrace", "--ns", "-F", FIELDS, "-i", path],
                         capture_output=True)
    if run.returncode:
        fields = FIELDS.replace("time,", "")  # older recordings have no times
        run = subprocess.run(["perf", "script", "--no-inline", "--no-itrace", "-F", fields, "-i", path],
                             capture_output=True)
    if run.returncode:
        return None
    out = []
    for line in run.stdout.decode("utf-8", "surrogateescape").split("\n"):
        words = line.split()
        if not words:
            continue
        ip = re.fullmatch(r"\s+" + IP, line)
        if ip and out:
            out[-1][5].append((int(ip[1], 16), ip[2]))
            continue
        # Without call chains the address stands behind the event.
        ip = re.search(r": +" + IP + " *$", line)
        head = HEAD.match(line[:ip.start() + 1] if ip else line)
        if not head:
            print("  not understood: " + line)
            continue
        time = int(head[4] or 0) * 10**9 + int((head[5] or "0").ljust(9, "0"))
        out.append((head[1], int(head[2]) % 2**32, int(head[3]) % 2**32, time, head[6],
                    [(int(ip[1], 16), ip[2])] if ip else []))
    return out


def plain(event):
    """Without modifiers: where a file has no names, perf makes them up with modifiers and we do not."""
    return re.sub(r":[ukhGHpPISDWeb]+$", "", event)


def place(ip):
    """Module and address. perf prints file offsets of files in call chains, but addresses of single
    ones: of user code the place in the page is compared, with the module."""
    address, dso = ip
    dso = dso.replace(" (deleted)", "").split("/")[-1]
    module = re.fullmatch(r"(.*)\.ko(\.[a-z0-9]+)?", dso)
    if module:
        dso = "[%s]" % module[1].replace("-", "_")
    if re.fullmatch(r"perf-\d+\.map", dso):  # executable anonymous memory
        dso = "anon"
    return "%s+%x" % (dso, address if address >= 2**63 else address % 4096)


def is_branches(path):
    """Whether call chains are from branch records, where callers are the calls themselves."""
    run = subprocess.run(["perf", "evlist", "-v", "-i", path], capture_output=True)
    return b"CALL_STACK" in run.stdout


def kernel(sample):
    return sample[:5] + ([ip for ip in sample[5] if ip[0] >= 2**63],)


def key(sample, timed):
    comm, pid, tid, time, event, ips = sample
    return (comm, pid, tid, time if timed else 0, plain(event), " ".join(place(ip) for ip in ips))


def compare(tool, path):
    """A word for each difference; None where perf refuses."""
    theirs = perf_samples(path)
    if theirs is None:
        return None
    branches = is_branches(path)
    ours, _ = stream.samples(path, tool, callers=not branches)
    timed = any(s[3] for s in theirs)
    # How a stack dump is unwound depends on what is installed: there only the kernel's side is compared.
    dumped = any(s.state not in ("recorded", "no-frames") for s in ours)
    ours = [(s.comm, s.pid, s.tid, s.time, s.event, s.ips) for s in ours]
    if branches:
        # Where there is no branch, perf 6.1 prints one word of what stands behind the record.
        without = {s[3] for s in theirs if len(s[5]) - len(kernel(s)[5]) == 1 or
                   s[5] and s[5][-1][0] >= 2**63}
        theirs = [s[:5] + ([],) if s[3] in without else s for s in theirs]
        ours = [s[:5] + ([],) if s[3] in without else s for s in ours]
    a = collections.Counter(key(kernel(s) if dumped else s, timed) for s in theirs)
    b = collections.Counter(key(kernel(s) if dumped else s, timed) for s in ours)
    return list((a - b).elements()), list((b - a).elements()), sum(a.values())


def main():
    passed = failed = skipped = 0
    for path in sys.argv[2:]:
        name = os.path.basename(path)
        found = compare(sys.argv[1], path)
        if found is None:
            print("skipped: %s: perf refuses it" % name)
            skipped += 1
        elif found[0] or found[1]:
            failed += 1
            print("%s: %d of %d samples of perf script are not ours, %d of ours not perf's"
                  % (name, len(found[0]), found[2], len(found[1])))
            for word, rows in (("perf", found[0]), ("ours", found[1])):
                for row in rows[:3]:
                    print("  %s: %s" % (word, " | ".join(str(part) for part in row)))
        else:
            passed += 1
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed != 0


sys.exit(main())
