#!/usr/bin/env python3
"""Makes bounds.json: the bounds of the picture in clips, by NumPy on what the ffmpeg program decodes.

usage: bounds.py > bounds.json, with ffmpeg, ffprobe and NumPy; written from docs/bounds.md, not from the program. Where edges
are sharp FFmpeg's filter cropdetect finds the same rectangle: its figures stand beside.
"""
import fractions
import json
import pathlib
import re
import subprocess

import numpy

CLIPS = pathlib.Path(__file__).resolve().parent.parent / "clips"
# Clip and options.
CASES = [(name, {}) for name in (
    "letterbox_640x360_8b.mp4", "bars_pillarbox_640x360_8b.mp4", "bars_windowbox_417x235_10b.mkv",
    "bars_letterbox_320x240_full_range.mp4", "bars_fade_320x180_8b.mp4", "black_320x240_10b.mkv", "checker_320x240_8b.mkv",
    "colour_357x355_8b_fade.mkv", "colour_384x320_12b_blur.mkv", "colour_384x320_16b_shift.mkv", "colour_640x360_444_ref.mp4",
    "dusk_1280x720_10b_pq.mp4", "dusk_1280x720_8b.webm", "noise_320x240_8b.mkv", "sky_360x640_portrait.mp4",
    "sky_480x270_9b.mkv", "sky_640x360_full_range.mp4", "textured_417x235_8b.mkv", "tiny_128x96_8b.mp4")]
CASES += [(name, options) for name in (
    "letterbox_640x360_8b.mp4", "bars_fade_320x180_8b.mp4", "bars_windowbox_417x235_10b.mkv", "noise_320x240_8b.mkv",
    "bars_letterbox_320x240_full_range.mp4", "colour_384x320_16b_shift.mkv")
    for options in ({"threshold": "0"}, {"threshold": "60"}, {"threshold": "219"}, {"tolerance": "0"}, {"tolerance": "0.5"},
                    {"threshold": "100", "tolerance": "0.25"})]
# Clips in which every row and column is either black or bright on average.
SHARP = {"letterbox_640x360_8b.mp4", "bars_pillarbox_640x360_8b.mp4", "bars_letterbox_320x240_full_range.mp4",
         "checker_320x240_8b.mkv", "colour_357x355_8b_fade.mkv", "colour_384x320_12b_blur.mkv", "colour_384x320_16b_shift.mkv",
         "colour_640x360_444_ref.mp4", "noise_320x240_8b.mkv", "sky_360x640_portrait.mp4", "sky_480x270_9b.mkv",
         "sky_640x360_full_range.mp4", "textured_417x235_8b.mkv", "tiny_128x96_8b.mp4"}


def probe(path):
    text = subprocess.check_output(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                                    "stream=width,height,pix_fmt,color_range", "-of", "json", str(path)])
    return json.loads(text)["streams"][0]


def luma_of(path, stream):
    """Frames as an array of levels, and their depth."""
    pixels = stream["pix_fmt"]
    depth = next((bits for bits in (9, 10, 12, 14, 16) if pixels.endswith((f"p{bits}le", f"y{bits}le"))), 8)
    kind = "<u2" if depth > 8 else "u1"
    raw = subprocess.check_output(["ffmpeg", "-v", "error", "-i", str(path), "-vf", "extractplanes=y", "-f", "rawvideo", "-fps_mode",
                                   "passthrough", "-"])
    return numpy.frombuffer(raw, kind).reshape(-1, stream["height"], stream["width"]), depth


def span(lit):
    where = numpy.flatnonzero(lit)
    return (int(where[0]), int(where[-1]) + 1) if len(where) else (0, 0)


def bounds_of(picture, black, tolerance):
    height, width = picture.shape
    lit = picture > black
    top, bottom = span(lit.sum(axis=1) * tolerance.denominator > tolerance.numerator * width)
    left, right = span(lit.sum(axis=0) * tolerance.denominator > tolerance.numerator * height)
    if bottom == 0 or right == 0:
        left = top = right = bottom = 0
    return {"bounds_share": (right - left) * (bottom - top) / (width * height), "bounds_x": left, "bounds_y": top,
            "bounds_width": right - left, "bounds_height": bottom - top}


def cropdetect_of(path, is_full):
    """x, y, width and height of each frame, each looked at by itself."""
    log = subprocess.run(["ffmpeg", "-nostats", "-i", str(path), "-vf",
                          f"extractplanes=y,cropdetect=limit={8 if is_full else 24}/255:reset=1:skip=0", "-fps_mode", "passthrough",
                          "-f", "null", "-"], capture_output=True, text=True, check=True).stderr
    edges = [tuple(map(int, found)) for found in re.findall(r"x1:(\d+) x2:(\d+) y1:(\d+) y2:(\d+)", log)]
    return [[x1, y1, x2 - x1 + 1, y2 - y1 + 1] for x1, x2, y1, y2 in edges]


def case_of(name, options):
    stream = probe(CLIPS / name)
    frames, depth = luma_of(CLIPS / name, stream)
    is_full = stream.get("color_range") == "pc" or stream["pix_fmt"].startswith("yuvj")
    black = ((0 if is_full else 16) + int(options.get("threshold", 8))) * 2 ** (depth - 8)
    tolerance = fractions.Fraction(options.get("tolerance", "0.01"))
    case = {"clip": name, "options": options, "frames": [bounds_of(frame, black, tolerance) for frame in frames]}
    if not options and name in SHARP:
        case["cropdetect"] = cropdetect_of(CLIPS / name, is_full)
    return case


def main():
    cases = [json.dumps(case_of(name, options)) for name, options in CASES]
    print('{"cases": [\n' + ",\n".join(cases) + "\n]}")


main()
