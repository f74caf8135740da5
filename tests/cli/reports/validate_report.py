#!/usr/bin/python3
"""Validates reports and summaries that the tests write, and golden reports, against the schemas of the documentation.

Usage: validate_report.py CLI_TESTS SOURCE_DIR
Exits with 1 where a report is not valid or the schema lets something pass that is no report.
"""

import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema  # Debian: python3-jsonschema; without it this check fails, it is never skipped

EXPECTED_SAMPLES = 6


def reject_constant(word):
    raise ValueError(f"{word} is no JSON")


def load(path):
    return json.loads(path.read_text(encoding="utf-8", errors="strict"), parse_constant=reject_constant)


def validators(schema):
    """One for any report, one for each of the two forms."""
    jsonschema.Draft202012Validator.check_schema(schema)
    forms = {"any": schema}
    for form in ("compatible", "extended"):
        forms[form] = {"$defs": schema["$defs"], "$ref": f"#/$defs/{form}"}
    return {form: jsonschema.Draft202012Validator(text) for form, text in forms.items()}


def write_samples(program, folder):
    environment = dict(os.environ, CAMBI_REPORT_FOLDER=folder)
    subprocess.run([program, "--gtest_filter=ReportSchema.WritesSamples"], env=environment, check=True,
                   stdout=subprocess.DEVNULL)
    samples = sorted(pathlib.Path(folder).glob("*.json"))
    if len(samples) != EXPECTED_SAMPLES:
        sys.exit(f"expected {EXPECTED_SAMPLES} reports, found {len(samples)}")
    return samples


def spoilt(report):
    """Copies of an extended report, each with one thing wrong."""

    def change(name, act):
        changed = copy.deepcopy(report)
        act(changed)
        return name, changed

    yield change("no frames", lambda r: r.pop("frames"))
    yield change("no run", lambda r: r.pop("run"))
    yield change("unknown member", lambda r: r.update(extra=1))
    yield change("score as text", lambda r: r["frames"][0]["metrics"].update(cambi="1.5"))
    yield change("negative frame number", lambda r: r["frames"][0].update(frameNum=-1))
    yield change("no timestamp", lambda r: r["frames"][0].pop("timestamp"))
    yield change("no percentile", lambda r: next(iter(r["pooled_metrics"].values())).pop("p95"))
    yield change("complete as text", lambda r: r["run"].update(complete="true"))
    yield change("unknown role", lambda r: r["run"]["inputs"][0].update(role="source"))
    yield change("option as number", lambda r: r["run"]["features"][0]["options"].update(window_size=65))
    yield change("worst without score", lambda r: next(iter(r["worst"].values()))[0].pop("score"))


def summary_faults(program, source, folder):
    """What is wrong with the summary of a batch, or with its schema."""
    schema = load(source / "docs/batch.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    environment = dict(os.environ, CAMBI_REPORT_FOLDER=folder)
    subprocess.run([program, "--gtest_filter=BatchSummary.WritesSample"], env=environment, check=True, stdout=subprocess.DEVNULL)
    path = pathlib.Path(folder) / "sample.summary.json"
    summary = load(path)
    path.unlink()
    faults = [f"summary: {error.message}" for error in validator.iter_errors(summary)]
    for member in ("state", "error", "scores"):
        lacking = copy.deepcopy(summary)
        del lacking["videos"][0][member]
        if validator.is_valid(lacking):
            faults.append(f"the schema accepts a summary without: {member}")
    return faults


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    checks = validators(load(source / "docs/report.schema.json"))
    failures = []

    def check(form, path):
        for error in checks[form].iter_errors(load(path)):
            failures.append(f"{path.name}: {'/'.join(map(str, error.absolute_path))}: {error.message}")

    with tempfile.TemporaryDirectory() as folder:
        failures += summary_faults(program, source, folder)
        for path in write_samples(program, folder):
            check("any", path)
            check(path.name.split(".")[-2], path)
        sample = load(pathlib.Path(folder) / "sample.extended.json")
    golden = sorted((source / "testdata/golden/reports").glob("*.json"))
    if not golden:
        sys.exit("no golden reports found")
    for path in golden:
        check("compatible", path)
    for name, report in spoilt(sample):
        if checks["any"].is_valid(report):
            failures.append(f"the schema accepts a report with: {name}")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
