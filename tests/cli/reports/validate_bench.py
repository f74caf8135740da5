#!/usr/bin/python3
"""Validates what `cambi bench` writes against the schema of the documentation. No time is looked at.

Usage: validate_bench.py CAMBI SOURCE_DIR
Exits with 1 where something is not valid, or the schema lets something pass that is no result.
"""

import json
import pathlib
import subprocess
import sys

from schema_check import checker, invalid, lets_pass, load


def bench(program, *words):
    command = [program, "bench", *words, "--backend", "cpu", "--frames", "2", "--json", "-q"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def backend(document):
    return document["videos"][0]["backends"][0]


CHANGES = {
    "no limit": lambda d: d["videos"][0].pop("limit"),
    "unknown member": lambda d: d.update(extra=1),
    "no backend": lambda d: d["videos"][0].update(backends=[]),
    "unknown backend": lambda d: backend(d).update(backend="gpu"),
    "rate as text": lambda d: backend(d).update(score_fps="12"),
    "stage nowhere": lambda d: backend(d)["stages"][0].update(on="cpu"),
    "negative time": lambda d: backend(d)["stages"][0].update(milliseconds=-1),
    "stage without bytes": lambda d: backend(d)["stages"][0].pop("bytes"),
}


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    check = checker(load(source / "docs/bench.schema.json"))
    clip = bench(program, str(source / "testdata/clips/small_256x144_8b.mp4"))
    faults = invalid(check, {"clip": clip, "made-up pictures": bench(program)}) + lets_pass(check, clip, CHANGES)
    # What is printed has the members that the documentation names.
    words = (source / "docs/bench.md").read_text(encoding="utf-8")
    for part in (clip, clip["videos"][0], backend(clip), backend(clip)["stages"][0]):
        faults += [f"docs/bench.md does not tell of {name}" for name in part if f"`{name}`" not in words and f"`{name}[]`" not in words]
    print("\n".join(faults) or "what bench writes is as documented")
    return 1 if faults else 0


sys.exit(main())
