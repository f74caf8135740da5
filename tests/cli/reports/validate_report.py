#!/usr/bin/python3
"""Validates reports and a summary as the tests know them, and golden reports, against the schemas of the documentation.

Usage: validate_report.py SOURCE_DIR
Exits with 1 where a report is not valid or the schema lets something pass that is no report.
"""

import pathlib
import sys

from schema_check import checker, invalid, lets_pass, load

EXPECTED_SAMPLES = 3

# Of an extended report.
CHANGES = {
    "no frames": lambda r: r.pop("frames"),
    "no run": lambda r: r.pop("run"),
    "unknown member": lambda r: r.update(extra=1),
    "score as text": lambda r: r["frames"][0]["metrics"].update(cambi="1.5"),
    "negative frame number": lambda r: r["frames"][0].update(frameNum=-1),
    "no timestamp": lambda r: r["frames"][0].pop("timestamp"),
    "no percentile": lambda r: next(iter(r["pooled_metrics"].values())).pop("p95"),
    "complete as text": lambda r: r["run"].update(complete="true"),
    "unknown role": lambda r: r["run"]["inputs"][0].update(role="source"),
    "option as number": lambda r: r["run"]["features"][0]["options"].update(window_size=65),
    "segments without a metric": lambda r: r["run"]["more_segments"][0].pop("metric"),
    "worst without score": lambda r: next(iter(r["worst"].values()))[0].pop("score"),
}


def main():
    source = pathlib.Path(sys.argv[1])
    golden = source / "tests/cli/reports/golden"
    batch, summary = checker(load(source / "docs/batch.schema.json")), load(golden / "batch.summary.json")
    faults = invalid(batch, {"summary": summary})
    faults += lets_pass(batch, summary, {f"no {member}": lambda s, member=member: s["videos"][0].pop(member)
                                         for member in ("state", "error", "scores")})
    schema = load(source / "docs/report.schema.json")
    any_form = checker(schema)
    for form in ("compatible", "extended"):
        paths = sorted(golden.glob(f"*.{form}.json"))
        if form == "compatible":
            paths += sorted((source / "testdata/golden/reports").glob("*.json"))
        if len(paths) < EXPECTED_SAMPLES:
            sys.exit(f"expected {EXPECTED_SAMPLES} {form} reports or more, found {len(paths)}")
        reports = {path.name: load(path) for path in paths}
        faults += invalid(any_form, reports)
        faults += invalid(checker({"$defs": schema["$defs"], "$ref": f"#/$defs/{form}"}), reports)
    faults += lets_pass(any_form, load(golden / "full.extended.json"), CHANGES)
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
