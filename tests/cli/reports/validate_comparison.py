#!/usr/bin/python3
"""Validates comparisons against their schema in the documentation.

Usage: validate_comparison.py CAMBI SOURCE_DIR
Exits with 1 where one is not valid or the schema lets something pass that is none.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from schema_check import checker, invalid, lets_pass, load

CHANGES = {
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
                report = saved_report([60 + 8 * step + width / 160], ["psnr_y"])
                video = {"role": "distorted", "path": "a.mkv", "codec": "h264", "width": width, "height": height, "duration": 2.5,
                         "bit_rate": round(share * width * 2 ** step * 1000), "bit_rate_of": "stream", "encoder": encoder}
                report["run"] = {"complete": True, "inputs": [video, {**video, "role": "reference", "bit_rate": 10**8}]}
                paths.append(folder / f"{encoder}_{width}_{step}.json")
                paths[-1].write_text(json.dumps(report))
    return [str(path) for path in paths]


def comparisons(program, clips, folder):
    """One for each kind of input."""
    reports = {"low": saved_report([1, 2], ["cambi", "psnr_y"]), "high": saved_report([7, None], ["cambi", "psnr_y"])}
    for name, report in reports.items():
        (folder / f"{name}.json").write_text(json.dumps(report))
    saved = [str(folder / f"{name}.json") for name in reports]
    videos = [str(clips / "sky_640x360_8b.mp4"), str(clips / "sky_640x360_10b.mkv")]
    baseline = ["--baseline", saved[0], "--fail-above", "cambi:mean>+100"]
    for name, words in {"reports": saved, "videos": videos, "judged": [*videos, "--fail-above", "p95>100"],
                        "baseline": [*saved, *baseline], "by": [*saved, "--by", "p12.5", "--metric", "psnr_y"],
                        "encodes": [*encodes(folder), "--target", "psnr_y:80", "--ladder", "640x360,1280x720,1920x1080"]}.items():
        output = folder / f"{name}.comparison.json"
        result = subprocess.run([program, "compare", *words, "-q", "-o", str(output)], stderr=subprocess.PIPE, text=True)
        if result.returncode not in (0, 7):
            sys.exit(f"{name}: {result.stderr}")
        yield name, load(output)


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    check = checker(load(source / "docs/comparison.schema.json"))
    with tempfile.TemporaryDirectory() as folder:
        found = dict(comparisons(program, source / "testdata/clips", pathlib.Path(folder)))
    faults = invalid(check, found) + lets_pass(check, found["videos"], CHANGES)
    faults += lets_pass(check, found["encodes"], RATE_CHANGES)
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
