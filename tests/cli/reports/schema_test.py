#!/usr/bin/python3
"""Validates documents that the program writes against the schemas in docs/: golden reports and summaries of batches, plans, comparisons,
searches, and what `cambi bench` measures, of which no time is looked at.

Usage: schema_test.py report|plan|comparison|bench|search CAMBI SOURCE_DIR
Exits with 1 where a document is not valid or a schema lets something pass that is none.
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema  # Debian: python3-jsonschema; without it these checks fail, they are never skipped

program, source = sys.argv[2], pathlib.Path(sys.argv[3])
clips = source / "testdata/clips"


def reject_constant(word):
    raise ValueError(f"{word} is no JSON")


def load(path):
    return json.loads(path.read_text(encoding="utf-8", errors="strict"), parse_constant=reject_constant)


def checker(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def documented(kind):
    return checker(load(source / f"docs/{kind}.schema.json"))


def invalid(check, documents):
    """What is wrong with the documents, which have names."""
    return [f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}"
            for name, document in documents.items() for error in check.iter_errors(document)]


def lets_pass(check, document, changes):
    """Those of the named changes after which the schema still accepts a document that it must not accept."""
    passed = []
    for name, change in changes.items():
        changed = copy.deepcopy(document)
        change(changed)
        if check.is_valid(changed):
            passed.append(f"the schema accepts a document with: {name}")
    return passed


def written(folder, name, words, codes=(0,)):
    """What the command writes into a file."""
    output = folder / f"{name}.written.json"
    result = subprocess.run([program, *words, "-q", "-o", str(output)], stderr=subprocess.PIPE, text=True)
    if result.returncode not in codes:
        sys.exit(f"{name}: {result.stderr}")
    return load(output)


# Of an extended report.
REPORT_CHANGES = {
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


def report(_):
    golden, least = source / "tests/cli/reports/golden", 2
    batch, summary = documented("batch"), load(golden / "batch.summary.json")
    faults = invalid(batch, {"summary": summary})
    faults += lets_pass(batch, summary, {f"no {member}": lambda s, member=member: s["videos"][0].pop(member)
                                         for member in ("state", "error", "scores")})
    schema, any_form = load(source / "docs/report.schema.json"), documented("report")
    for form in ("compatible", "extended"):
        paths = sorted(golden.glob(f"*.{form}.json"))
        if form == "compatible":
            paths += sorted((source / "testdata/golden/reports").glob("*.json"))
        if len(paths) < least:
            sys.exit(f"expected {least} {form} reports or more, found {len(paths)}")
        reports = {path.name: load(path) for path in paths}
        faults += invalid(any_form, reports)
        faults += invalid(checker({"$defs": schema["$defs"], "$ref": f"#/$defs/{form}"}), reports)
    return faults + lets_pass(any_form, load(golden / "full.extended.json"), REPORT_CHANGES)


PLAN_CHANGES = {
    "no titles": lambda p: p.update(titles=[]),
    "unknown member": lambda p: p.update(extra=1),
    "another format": lambda p: p.update(format="cambi plan 0"),
    "relative results": lambda p: p.update(results="shards"),
    "no shards": lambda p: p["titles"][0].update(shards=[]),
    "shard of four numbers": lambda p: p["titles"][0]["shards"].append([1, 2, 3, 4]),
    "size as text": lambda p: p["titles"][0]["distorted"].update(bytes="12"),
    "no fingerprint": lambda p: p["titles"][0]["distorted"].pop("fingerprint"),
}


def plan(folder):
    """One for each kind of title: alone, a pair, several, one that cannot be cut."""
    edited = str(source / "testdata/formats/edit_list.mp4")  # too small for CAMBI
    sky, reference = str(clips / "sky_640x360_8b.mp4"), str(clips / "sky_640x360_8b_ref.mp4")
    kinds = {"one": [sky, "--shards", "1"], "pair": [sky, "-r", reference, "--feature", "psnr", "--shard-frames", "1"],
             "several": [str(clips / "textured_417x235_8b.mkv"), sky, "--threads", "1"],
             "whole": [edited, "-r", edited, "--feature", "psnr"]}
    made = {name: written(folder, name, ["plan", *words]) for name, words in kinds.items()}
    check = documented("plan")
    faults = invalid(check, made) + lets_pass(check, made["one"], PLAN_CHANGES)
    return faults + (["an edit list was cut"] if made["whole"]["titles"][0]["whole"] is None else [])


COMPARISON_CHANGES = {
    "no runs": lambda c: c.pop("runs"),
    "unknown member": lambda c: c.update(extra=1),
    "rank 0": lambda c: c["runs"][0].update(rank=0),
    "size as text": lambda c: c["runs"][0].update(file_bytes="12"),
    "another rate": lambda c: c["runs"][0].update(bit_rate_of="sound"),
    "no mean": lambda c: c["runs"][0]["statistics"].pop("mean"),
    "moment without scores": lambda c: c["moments"]["differing"][0].pop("scores"),
    "no statistic": lambda c: c.update(by="average"),
    "no rates": lambda c: c.pop("rates"),
    "report as a list": lambda c: c["runs"][0].update(report=["a.json"]),
}

# Of a comparison of encodes with a target.
RATE_CHANGES = {
    "no headline": lambda c: c["rates"].pop("headline"),
    "run by name": lambda c: c["rates"]["front"].append("low"),
    "beaten by nobody": lambda c: c["rates"]["beaten"].append({"run": 0}),
    "cost without a unit": lambda c: c["rates"].pop("cost"),
    "difference of no metric": lambda c: c["rates"]["differences"][0].pop("metric"),
    "one end of a range": lambda c: c["rates"]["differences"][0]["scores"].pop(),
    "no reason": lambda c: c["rates"]["differences"][0].pop("why_not"),
    "target without a rate": lambda c: c["rates"]["target"]["curves"][0].pop("bit_rate"),
    "rung without a size": lambda c: c["rates"]["ladder"][0].pop("width"),
}


def saved_report(scores, metrics):
    """A compatible report, of which nothing is known but scores."""
    frames = [{"frameNum": i, "metrics": dict.fromkeys(metrics, score)} for i, score in enumerate(scores)]
    return {"version": "1", "fps": 1, "frames": frames, "pooled_metrics": {}, "aggregate_metrics": {}}


def encodes(folder):
    """Reports of two encoders with two sizes."""
    paths = []
    for encoder, share in (("x264", 1), ("x265", 0.7)):
        for width, height in ((640, 360), (1280, 720)):
            for step in range(4):
                saved = saved_report([60 + 8 * step + width / 160], ["psnr_y"])
                video = {"role": "distorted", "path": "a.mkv", "codec": "h264", "width": width, "height": height, "duration": 2.5,
                         "bit_rate": round(share * width * 2 ** step * 1000), "bit_rate_of": "stream", "encoder": encoder}
                saved["run"] = {"complete": True, "inputs": [video, {**video, "role": "reference", "bit_rate": 10**8}]}
                paths.append(folder / f"{encoder}_{width}_{step}.json")
                paths[-1].write_text(json.dumps(saved))
    return [str(path) for path in paths]


def comparison(folder):
    """One for each kind of input."""
    reports = {"low": saved_report([1, 2], ["cambi", "psnr_y"]), "high": saved_report([7, None], ["cambi", "psnr_y"])}
    for name, document in reports.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    saved = [str(folder / f"{name}.json") for name in reports]
    videos = [str(clips / "sky_640x360_8b.mp4"), str(clips / "sky_640x360_10b.mkv")]
    kinds = {"reports": saved, "videos": videos, "judged": [*videos, "--fail-above", "p95>100"],
             "baseline": [*saved, "--baseline", saved[0], "--fail-above", "cambi:mean>+100"],
             "by": [*saved, "--by", "p12.5", "--metric", "psnr_y"],
             "encodes": [*encodes(folder), "--target", "psnr_y:80", "--ladder", "640x360,1280x720,1920x1080"]}
    found = {name: written(folder, name, ["compare", *words], (0, 7)) for name, words in kinds.items()}
    check = documented("comparison")
    return (invalid(check, found) + lets_pass(check, found["videos"], COMPARISON_CHANGES)
            + lets_pass(check, found["encodes"], RATE_CHANGES))


def backend(document):
    return document["videos"][0]["backends"][0]


BENCH_CHANGES = {
    "no limit": lambda d: d["videos"][0].pop("limit"),
    "unknown member": lambda d: d.update(extra=1),
    "no backend": lambda d: d["videos"][0].update(backends=[]),
    "unknown backend": lambda d: backend(d).update(backend="gpu"),
    "rate as text": lambda d: backend(d).update(score_fps="12"),
    "stage nowhere": lambda d: backend(d)["stages"][0].update(on="cpu"),
    "negative time": lambda d: backend(d)["stages"][0].update(milliseconds=-1),
    "stage without a time": lambda d: backend(d)["stages"][0].pop("milliseconds"),
}


def bench(folder):
    made = {name: written(folder, "bench", ["bench", *words, "--backend", "cpu", "--frames", "2"])
            for name, words in {"clip": [str(clips / "small_256x144_8b.mp4")], "made-up pictures": []}.items()}
    check, clip = documented("bench"), made["clip"]
    faults = invalid(check, made) + lets_pass(check, clip, BENCH_CHANGES)
    # What is printed has the members that the documentation names.
    words = (source / "docs/bench.md").read_text(encoding="utf-8")
    for part in (clip, clip["videos"][0], backend(clip), backend(clip)["stages"][0]):
        faults += [f"docs/bench.md does not tell of {name}" for name in part if f"`{name}`" not in words and f"`{name}[]`" not in words]
    return faults


SEARCH_CHANGES = {
    "no encode": lambda d: d.update(encodes=[]),
    "unknown member": lambda d: d.update(extra=1),
    "setting as text": lambda d: d.update(setting="23"),
    "score without an end": lambda d: d["score"].pop("low"),
    "empty part": lambda d: d["parts"][0].update(end=0),
}


def search(folder):
    output = folder / "search.json"
    subprocess.run([program, "search", str(clips / "small_256x144_8b.mp4"), "--target", "psnr_y:20", "--crf", "1000:1003", "-q", "-o",
                    str(output), "--", "dd", "if={in}", "of={out}", "ibs={crf}"], check=True)
    found = load(output)
    words = (source / "docs/search.md").read_text(encoding="utf-8")
    return (invalid(documented("search"), {"search": found}) + lets_pass(documented("search"), found, SEARCH_CHANGES) +
            [f"docs/search.md does not tell of {name}" for name in [*found, *found["encodes"][0]] if f"`{name}`" not in words])


with tempfile.TemporaryDirectory() as parent:
    found_faults = {"report": report, "plan": plan, "comparison": comparison, "bench": bench, "search": search}[sys.argv[1]](pathlib.Path(parent))
print("\n".join(found_faults), file=sys.stderr)
sys.exit(1 if found_faults else 0)
