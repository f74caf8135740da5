#!/usr/bin/python3
"""Validates plans against their schema in the documentation.

Usage: validate_plan.py CAMBI SOURCE_DIR
Exits with 1 where one is not valid or the schema lets something pass that is none.
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema  # Debian: python3-jsonschema; without it this check fails, it is never skipped


def plans(program, source, folder):
    """One for each kind of title: alone, a pair, several, one that cannot be cut."""
    clips, formats = source / "testdata/clips", source / "testdata/formats"
    edited = str(formats / "edit_list.mp4")  # too small for CAMBI
    sky, reference = str(clips / "sky_640x360_8b.mp4"), str(clips / "sky_640x360_8b_ref.mp4")
    for name, words in {"one": [sky, "--shards", "1"], "pair": [sky, "-r", reference, "--feature", "psnr", "--shard-frames", "1"],
                        "several": [str(clips / "textured_417x235_8b.mkv"), sky, "--threads", "1"],
                        "whole": [edited, "-r", edited, "--feature", "psnr"]}.items():
        output = folder / f"{name}.json"
        result = subprocess.run([program, "plan", *words, "-o", str(output)], stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            sys.exit(f"{name}: {result.stderr}")
        yield name, json.loads(output.read_text())


def spoilt(plan):
    """Copies, each with one thing wrong."""

    def change(name, act):
        changed = copy.deepcopy(plan)
        act(changed)
        return name, changed

    yield change("no titles", lambda p: p.update(titles=[]))
    yield change("unknown member", lambda p: p.update(extra=1))
    yield change("another format", lambda p: p.update(format="cambi plan 0"))
    yield change("relative results", lambda p: p.update(results="shards"))
    yield change("no shards", lambda p: p["titles"][0].update(shards=[]))
    yield change("shard of four numbers", lambda p: p["titles"][0]["shards"][0].append(4) or p["titles"][0]["shards"].append([1, 2, 3, 4]))
    yield change("size as text", lambda p: p["titles"][0]["distorted"].update(bytes="12"))
    yield change("no fingerprint", lambda p: p["titles"][0]["distorted"].pop("fingerprint"))


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads((source / "docs/plan.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    with tempfile.TemporaryDirectory() as folder:
        made = dict(plans(program, source, pathlib.Path(folder)))
    faults = [f"{name}: {error.message}" for name, plan in made.items() for error in validator.iter_errors(plan)]
    faults += [f"passed: {name}" for name, plan in spoilt(made["one"]) if validator.is_valid(plan)]
    if made["whole"]["titles"][0]["whole"] is None:
        faults.append("an edit list was cut")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
