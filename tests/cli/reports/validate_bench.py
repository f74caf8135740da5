#!/usr/bin/python3
"""Validates what `cambi bench` writes against the schema of the documentation. No time is looked at.

Usage: validate_bench.py CAMBI SOURCE_DIR
Exits with 1 where something is not valid, or the schema lets something pass that is no result.
"""

import copy
import json
import pathlib
import subprocess
import sys

import jsonschema  # Debian: python3-jsonschema; without it this check fails, it is never skipped


def bench(program, *words):
    command = [program, "bench", *words, "--backend", "cpu", "--frames", "2", "--json", "-q"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def spoilt(document):
    """Copies of a result, each with one thing wrong."""

    def change(name, act):
        changed = copy.deepcopy(document)
        act(changed)
        return name, changed

    def backend(d):
        return d["videos"][0]["backends"][0]

    yield change("no limit", lambda d: d["videos"][0].pop("limit"))
    yield change("unknown member", lambda d: d.update(extra=1))
    yield change("no backend", lambda d: d["videos"][0].update(backends=[]))
    yield change("unknown backend", lambda d: backend(d).update(backend="gpu"))
    yield change("rate as text", lambda d: backend(d).update(score_fps="12"))
    yield change("stage nowhere", lambda d: backend(d)["stages"][0].update(on="cpu"))
    yield change("negative time", lambda d: backend(d)["stages"][0].update(milliseconds=-1))
    yield change("stage without bytes", lambda d: backend(d)["stages"][0].pop("bytes"))


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads((source / "docs/bench.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    documents = [bench(program, str(source / "testdata/clips/small_256x144_8b.mp4")), bench(program)]
    faults = [error.message for document in documents for error in validator.iter_errors(document)]
    for name, document in spoilt(documents[0]):
        if validator.is_valid(document):
            faults.append(f"the schema accepts a result with: {name}")
    # What is printed has the members that the documentation names.
    words = (source / "docs/bench.md").read_text(encoding="utf-8")
    for part in (documents[0], documents[0]["videos"][0], documents[0]["videos"][0]["backends"][0],
                 documents[0]["videos"][0]["backends"][0]["stages"][0]):
        faults += [f"docs/bench.md does not tell of {name}" for name in part if f"`{name}`" not in words and f"`{name}[]`" not in words]
    print("\n".join(faults) or "what bench writes is as documented")
    return 1 if faults else 0


sys.exit(main())
