#!/usr/bin/env python3
"""Prints a JSON report's verdict in a few lines for tests: the gate, what is supported, what is a
candidate, and the measures named in the arguments as "count of n"."""
import json
import sys

report = json.load(sys.stdin)
verdict = report["verdict"]
print("gate:", verdict["gate"])
for outcome in ("supported",):
    print(outcome + ":", *[row["name"] for row in verdict["hypotheses"] if row["outcome"] == outcome])
print("candidates:", *[row["name"] for row in verdict["hypotheses"] if row["candidate"]])
for name in sys.argv[1:]:
    if name in verdict["measures"]:
        row = verdict["measures"][name]
        print(name + ":", "not measured" if row is None else f"{row['count']} of {row['n']}")
    else:
        row = [row for row in verdict["hypotheses"] if row["name"] == name][0]
        print(name + ":", row["outcome"], "by", row["conditions"][row["decisive"]]["measure"])
