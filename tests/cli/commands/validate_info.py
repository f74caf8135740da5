#!/usr/bin/python3
"""Validates what `cambi info --json` writes against the schema of the documentation, and compares it with ffprobe.

Usage: validate_info.py CAMBI SOURCE_DIR
Exits with 1 where something is not valid, or where a member that ffprobe has too says something else there.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema  # Debian: python3-jsonschema; without it this check fails, it is never skipped

CLIPS = ["dusk_1280x720_10b_pq.mp4", "dusk_960x540_10b_hlg.mp4", "dusk_1280x720_8b.webm", "sky_640x360_10b.mkv",
         "sky_1920x1080_8b_av1.mp4", "sky_640x360_full_range.mp4", "colour_640x360_444_ref.mp4"]
# ffprobe asks its decoder, which may say it otherwise; the rate of a stream is found in more ways here.
OTHERWISE = {"bit_rate", "bits_per_raw_sample", "profile", "film_grain", "chroma_location", "tags", "side_data_list"}


def run(*command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def same(ours, theirs):
    return str(ours) == str(theirs) or isinstance(ours, (int, float)) and abs(ours - float(theirs)) < 1e-5


def differences(ours, theirs, where):
    for name, value in ours.items():
        if name in OTHERWISE or name not in theirs:
            continue
        if not same(value, theirs[name]):
            yield f"{where} {name}: {value!r}, ffprobe {theirs[name]!r}"


def hdr_video(folder):
    """One with all that its stream and container can say."""
    path = str(folder / "hdr.mp4")
    light = ("hdr10=1:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
             ":max-cll=1000,400:log-level=none")
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=0.2", "-pix_fmt",
                    "yuv420p10le", "-c:v", "libx265", "-x265-params", light, "-color_primaries", "bt2020", "-color_trc",
                    "smpte2084", "-colorspace", "bt2020nc", "-tag:v", "hvc1", "-metadata", "title=a \"title\"", path],
                   check=True)
    turned = str(folder / "turned.mp4")
    ffmpeg = ["ffmpeg", "-v", "error", "-y"]
    if subprocess.run([*ffmpeg, "-display_rotation", "90", "-i", path, "-c", "copy", turned], stderr=subprocess.DEVNULL).returncode:
        # FFmpeg 5.1 has no such option, and later ones do not take this for one.
        subprocess.run([*ffmpeg, "-i", path, "-c", "copy", "-metadata:s:v", "rotate=90", turned], check=True)
    return [path, turned]


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads((source / "docs/info.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        y4m = folder / "x.y4m"
        y4m.write_bytes(b"YUV4MPEG2 W64 H64 F25:1 Ip A1:1 C420\n" + 3 * (b"FRAME\n" + bytes(64 * 64 * 3 // 2)))
        made = hdr_video(folder)
        paths = [str(source / "testdata/clips" / clip) for clip in CLIPS] + made
        document = run(program, "info", "--json", *paths, str(y4m))
        faults += [error.message for error in validator.iter_errors(document)]
        for path, ours in zip(paths, document["files"]):
            theirs = run("ffprobe", "-v", "error", "-show_streams", "-show_format", "-select_streams",
                         "v:0", "-of", "json", path)
            faults += differences(ours["streams"][0], theirs["streams"][0], path)
            faults += differences(ours["format"], theirs["format"], path)
            if ours["format"].get("tags") != theirs["format"].get("tags"):
                faults.append(f"{path}: tags of the container")
        hdr, turned = (entry["streams"][0]["side_data_list"] for entry in document["files"][len(CLIPS):-1])
        kinds = {side["side_data_type"]: side for side in hdr}
        if kinds.get("Mastering display metadata", {}).get("max_luminance") != "10000000/10000":
            faults.append(f"no mastering display: {hdr}")
        if kinds.get("Content light level metadata", {}).get("max_content") != 1000:
            faults.append(f"no light level: {hdr}")
        if not any(side.get("rotation") in (90, -90, 270) for side in turned):
            faults.append(f"no rotation: {turned}")
        failed = subprocess.run([program, "info", "--json", str(y4m), str(folder / "none.mp4")], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
        faults += [error.message for error in validator.iter_errors(json.loads(failed.stdout))]
        if failed.returncode != 2 or "error" not in json.loads(failed.stdout)["files"][1]:
            faults.append("a file that is none")
        document["files"][0]["extra"] = 1
        if validator.is_valid(document):
            faults.append("the schema lets a member pass that is none")
    print("\n".join(faults) or f"{len(paths)} videos are as ffprobe has them")
    return 1 if faults else 0


sys.exit(main())
