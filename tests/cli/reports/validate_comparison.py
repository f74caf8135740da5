#!/usr/bin/python3
"""Validates comparisons against their schema in the documentation.

Usage: validate_comparison.py CAMBI SOURCE_DIR
Exits with 1 where one is not valid or the schema lets something pass that is none.
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema  # Debian: python3-jsonschema; without it this check fails, it is never skipped


def saved_report(scores, metrics):
    """A compatible report, of which nothing is known but scores."""
    frames = [{"frameNum": i, "metrics": dict.fromkeys(metrics, score)} for i, score in enumerate(scores)]
    return {"version": "1", "fps": 1, "frames": frames, "pooled_metrics": {}, "aggregate_metrics": {}}


def comparisons(program, clips, folder):
    """One for each kind of input."""
    reports = {"low": saved_report([1, 2], ["cambi", "psnr_y"]), "high": saved_report([7, None], ["cambi", "psnr_y"])}
    for name, report in reports.items():
        (folder / f"{name}.json").write_text(json.dumps(report))
    saved = [str(folder / f"{name}.json") for name in reports]
    videos = [str(clips / "sky_640x360_8b.mp4"), str(clips / "sky_640x360_10b.mkv")]
    baseline = ["--baseline", saved[0], "--fail-above", "cambi:mean>+100"]
    for name, words in {"reports": saved, "videos": videos, "judged": [*videos, "--fail-above", "p95>100"],
                        "baseline": [*saved, *baseline], "by": [*saved, "--by", "p12.5", "--metric", "psnr_y"]}.items():
        output = folder / f"{name}.comparison.json"
        result = subprocess.run([program, "compare", *words, "-q", "-o", str(output)], stderr=subprocess.PIPE, text=True)
        if result.returncode not in (0, 7):
            sys.exit(f"{name}: {result.stderr}")
        yield name, json.loads(output.read_text())


def spoilt(comparison):
    """Copies, each with one thing wrong."""

    def change(name, act):
        changed = copy.deepcopy(comparison)
        act(changed)
        return name, changed

    yield change("no runs", lambda c: c.pop("runs"))
    yield change("unknown member", lambda c: c.update(extra=1))
    yield change("rank 0", lambda c: c["runs"][0].update(rank=0))
    yield change("size as text", lambda c: c["runs"][0].update(file_bytes="12"))
    yield change("another rate", lambda c: c["runs"][0].update(bit_rate_of="sound"))
    yield change("no mean", lambda c: c["runs"][0]["statistics"].pop("mean"))
    yield change("moment without scores", lambda c: c["moments"]["differing"][0].pop("scores"))
    yield change("no statistic", lambda c: c.update(by="average"))


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads((source / "docs/comparison.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        found = dict(comparisons(program, source / "testdata/clips", pathlib.Path(folder)))
    for name, comparison in found.items():
        for error in check.iter_errors(comparison):
            failures.append(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
    for name, comparison in spoilt(found["videos"]):
        if check.is_valid(comparison):
            failures.append(f"the schema accepts a comparison with: {name}")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
