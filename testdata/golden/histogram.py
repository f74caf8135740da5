#!/usr/bin/env python3
"""Makes histogram.json beside it: usage histogram.py > histogram.json

Counts the samples of clips that ffmpeg decodes, with NumPy, by the definitions of docs/histogram.md. Of each frame there
are all figures, and of each case the SHA-256 sum of its counts as 32-bit little-endian words, by frame, channel and bin.
"""
import hashlib
import json
import pathlib
import subprocess

import numpy

CLIPS = pathlib.Path(__file__).resolve().parent.parent / "clips"
LUMA_SHARES = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722), "bt2020": (0.2627, 0.0593)}
CASES = [
    ("sky_640x360_8b.mp4", {}),
    ("sky_640x360_8b.mp4", {"planes": "rgb"}),
    ("textured_417x235_8b.mkv", {"planes": "ycbcr", "clip_share": "0.25"}),
    ("colour_357x355_8b_ref.mkv", {"planes": "rgb"}),
    ("colour_640x360_8b_crushed.mp4", {"planes": "ycbcr"}),
    ("colour_640x360_422_ref.mp4", {"planes": "rgb", "clip_share": "0"}),
    ("colour_640x360_444_crushed.mp4", {"planes": "rgb"}),
    ("colour_640x360_8b_haze_ref.mkv", {"planes": "rgb"}),
    ("sky_640x360_full_range.mp4", {"planes": "ycbcr"}),
    ("sky_640x360_full_range.mp4", {"planes": "rgb"}),
    ("sky_480x270_9b.mkv", {"planes": "rgb"}),
    ("colour_640x360_10b_ref.mp4", {"planes": "ycbcr"}),
    ("colour_640x360_10b_ref.mp4", {"planes": "ycbcr", "bins": "256"}),
    ("colour_640x360_10b_waves_fade.mkv", {"planes": "rgb"}),
    ("dusk_960x540_10b_hlg.mp4", {"planes": "rgb"}),
    ("dusk_1280x720_10b_pq.mp4", {"planes": "rgb", "bins": "256"}),
    ("clouds_1280x720_8b.mp4", {"planes": "rgb"}),
    ("colour_384x320_12b_ref.mkv", {"planes": "rgb"}),
    ("textured_480x270_12b.mkv", {}),
    ("colour_384x320_16b_ref.mkv", {"planes": "rgb"}),
    ("bright_480x270_16b.mkv", {"planes": "ycbcr", "bins": "256"}),
    ("textured_480x270_16b.mkv", {}),
    ("black_320x240_10b.mkv", {"planes": "ycbcr"}),
    ("flat_320x240_8b.mkv", {"planes": "rgb"}),
    ("noise_320x240_8b.mkv", {"planes": "ycbcr"}),
]
FRAMES = 2


class Video:
    def __init__(self, name):
        entries = "stream=width,height,pix_fmt,color_range,color_space"
        probe = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", entries, "-of", "json", CLIPS / name]
        stream = json.loads(subprocess.check_output(probe))["streams"][0]
        self.width, self.height, self.format = stream["width"], stream["height"], stream["pix_fmt"]
        self.is_full = stream.get("color_range") == "pc"
        shape = self.format.removeprefix("yuvj").removeprefix("yuv").removesuffix("le")
        self.shift_x = 0 if shape.startswith("444") else 1
        self.shift_y = 1 if shape.startswith("420") else 0
        self.depth = int(shape.partition("p")[2] or 8)
        matrix = {"bt2020nc": "bt2020"}.get(stream.get("color_space"))
        self.matrix = matrix or ("bt709" if self.width >= 1280 or self.height >= 720 else "bt601")
        raw = subprocess.check_output(["ffmpeg", "-v", "error", "-i", CLIPS / name, "-frames:v", str(FRAMES), "-f", "rawvideo",
                                       "-pix_fmt", self.format, "-"])
        self.samples = numpy.frombuffer(raw, "<u2" if self.depth > 8 else "u1").astype(numpy.int64)

    def frames(self):
        chroma = ((self.height + (1 << self.shift_y) - 1) >> self.shift_y,
                  (self.width + (1 << self.shift_x) - 1) >> self.shift_x)
        shapes = [(self.height, self.width), chroma, chroma]
        sizes = [rows * columns for rows, columns in shapes]
        for frame in self.samples.reshape(-1, sum(sizes)):
            parts = numpy.split(frame, numpy.cumsum(sizes)[:-1])
            yield [part.reshape(shape) for part, shape in zip(parts, shapes)]


def to_rgb(video, planes):
    red, blue = LUMA_SHARES[video.matrix]
    green = 1 - red - blue
    peak, step = 2 ** video.depth - 1, 2 ** (video.depth - 8)
    luma_scale = 1 if video.is_full else peak / (219 * step)
    chroma_scale = 1 if video.is_full else peak / (224 * step)

    def fixed(number):
        return round(number * 8192)

    columns = numpy.arange(video.width) >> video.shift_x
    rows = numpy.arange(video.height) >> video.shift_y
    luma = fixed(luma_scale) * (planes[0] - (0 if video.is_full else 16 * step))
    cb, cr = (plane[rows[:, None], columns[None, :]] - 2 ** (video.depth - 1) for plane in planes[1:])
    sums = [luma + fixed(chroma_scale * 2 * (1 - red)) * cr,
            luma + fixed(-chroma_scale * 2 * (1 - blue) * blue / green) * cb
            + fixed(-chroma_scale * 2 * (1 - red) * red / green) * cr,
            luma + fixed(chroma_scale * 2 * (1 - blue)) * cb]
    r, g, b = (numpy.clip(numpy.floor_divide(total + 4096, 8192), 0, peak) for total in sums)
    return {"r": r, "g": g, "b": b, "l": (2126 * r + 7152 * g + 722 * b) // 10000}


def figures(video, name, samples, options):
    own_bins = 2 ** video.depth
    bins = int(options.get("bins", 0)) or own_bins
    width = own_bins // bins
    binned = samples.ravel() // width
    counts = numpy.bincount(binned, minlength=bins)
    levels = binned * width
    low, high, first, last = 0, bins - 1, 0, bins - 1
    if name in ("y", "cb", "cr") and not video.is_full:
        first, last = 16 * bins // 256, (235 if name == "y" else 240) * bins // 256
        low, high = first - 1, last + 1
    ordered = numpy.sort(levels)
    total = len(ordered)
    shares = counts[counts > 0] / total
    clip_share = float(options.get("clip_share", 0.001))
    clipped_low, clipped_high = numpy.mean(binned <= low), numpy.mean(binned >= high)
    flags = [float(0 < share and share >= clip_share) for share in (clipped_low, clipped_high)]
    values = {"mean": numpy.mean(levels), "stdev": numpy.std(levels), "min": samples.min(), "max": samples.max(),
              "entropy": 0.0 - numpy.sum(shares * numpy.log2(shares)), "used": numpy.mean(counts[first:last + 1] > 0),
              "clipped_low": clipped_low, "clipped_high": clipped_high,
              "shadow_clipping": flags[0], "highlight_clipping": flags[1]}
    for percent in (1, 50, 99):
        values[f"p{percent}"] = ordered[-(-percent * total // 100) - 1]
    return counts, {key: float(value) for key, value in values.items()}


def case_of(clip, options):
    video = Video(clip)
    suffix = "".join(f"_{key}_{options[key]}" for key in ("bins", "clip_share") if key in options)
    planes = options.get("planes", "y")
    digest, frames = hashlib.sha256(), []
    for picture in video.frames():
        channels = to_rgb(video, picture) if planes == "rgb" else dict(zip(("y", "cb", "cr"), picture))
        if planes == "y":
            channels = {"y": picture[0]}
        metrics, clipping = {}, {"shadow_clipping": 0.0, "highlight_clipping": 0.0}
        for name, samples in channels.items():
            counts, values = figures(video, name, samples, options)
            digest.update(counts.astype("<u4").tobytes())
            metrics.update({f"histogram_{name}_{key}{suffix}": value for key, value in values.items()})
            clipping = {key: max(value, values[key]) for key, value in clipping.items()}
        of_planes = f"_planes_{planes}" if "planes" in options else ""
        metrics.update({f"histogram_{key}{suffix}{of_planes}": value for key, value in clipping.items()})
        frames.append(metrics)
    return {"clip": clip, "options": options, "sha256": digest.hexdigest(), "frames": frames}


def main():
    cases = [json.dumps(case_of(clip, options)) for clip, options in CASES]
    print('{"cases": [\n' + ",\n".join(cases) + "\n]}")


main()
