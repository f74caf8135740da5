#!/usr/bin/env python3
"""Measures this program over made clips, features and instruction sets.

    measure.py stages CAMBI            milliseconds a frame of each stage, by `cambi bench` on one thread
    measure.py reference CAMBI VMAF    processor time of whole runs beside libvmaf's `vmaf`, on one core
    [--frames N] [--frames-4k N] [--runs N] [--sets avx512,avx2] [--clips DIR] [--only REGEX]

The clips are pairs of y4m files: smooth moving shapes with film grain ("film"), a flat picture ("flat"), white noise
("noise"), and for CAMBI levels that are hard for c-values ("sparse", "blocks", "ramp", "steep_ramp", "dithered_ramp").
A line a case, which is FEATURE-OR-MODEL/CLIP/SIZE/DEPTH/SET. `reference` runs both programs by turns with `--threads 1`,
from the same files to JSON: user and system time of the two in milliseconds (medians), their ratio, and the peak memory
of both in MiB. Only figures of one such run are comparable.
"""

import argparse
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path
from random import Random

# The bits of --cpumask that both programs share: AVX-512 and its later extensions. The others are this program's.
CPUMASKS = {"avx512": 0, "avx2": 48, "sse4": 56, "ssse3": 60}
SIZES = {"1080p": (1920, 1080), "4k": (3840, 2160)}
FEATURES = ("vif", "adm", "motion", "psnr", "float_ssim", "speed_chroma", "cambi")
OWN_FEATURES = ("bounds", "butteraugli", "ciede", "fingerprint", "float_ms_ssim", "histogram", "psnr_hvs", "speed_temporal",
                "ssimulacra2", "xpsnr")
MODELS = {"v0.6.1": "vmaf_v0.6.1", "v1": "vmaf_v1.0.16_3d0h"}
CLIPS = ("film", "flat", "noise")
DISTINCT_FRAMES = 6
# 10-bit levels from position and a random number. Of "sparse" fifteen samples of sixteen are 400, so that CAMBI's mask
# lets the noise of the others pass.
LEVELS = {
    "sparse": lambda x, y, r: 400 + r // 16 % 5 if r % 16 == 0 else 400,
    "blocks": lambda x, y, r: r % 1024 if (x // 2 + y // 2) % 9 == 0 else 300,
    "ramp": lambda x, y, r: 64 + (x + y // 3) % 2300 * 800 // 2300,
    "steep_ramp": lambda x, y, r: 64 + (x // 2 + 7 * (y // 8)) % 400,
    "dithered_ramp": lambda x, y, r: 128 + x // 24 + y // 30 + (r % 8 == 0),
}

# Triangle waves, 40 to 200, longer than any row by their period.
PERIOD = 512
WAVE = bytes(min(x % PERIOD, PERIOD - 1 - x % PERIOD) * 160 // 256 + 40 for x in range(4096 + PERIOD))


def added(one, other):
    """The sums of bytes, none of which passes 255, by way of numbers as long as a plane."""
    total = int.from_bytes(one, "little") + int.from_bytes(other, "little")
    return total.to_bytes(len(one), "little")


def picture(kind, size, number, is_distorted, random):
    """The bytes of an 8-bit plane."""
    width, height = size
    if kind == "flat":
        return bytes([100 + number % 2 + is_distorted]) * (width * height)
    if kind == "noise":
        return random.randbytes(width * height)
    starts = [(3 * number + y * y // 700) % PERIOD for y in range(height)]
    rows = [WAVE[start : start + width] for start in starts]
    grain = random.randbytes(width * height)
    strength = [(bin(v).count("1") * 4 if not is_distorted else bin(v).count("1") // 2 * 6) for v in range(256)]
    grain = grain.translate(bytes(strength))
    return added(b"".join(rows), grain)


def deepened(plane, random):
    """The same with two bits more, which are noise."""
    low = random.randbytes(len(plane)).translate(bytes(v & 3 for v in range(256)))
    words = bytearray(2 * len(plane))
    words[0::2] = added(plane.translate(bytes((v << 2) & 255 for v in range(256))), low)
    words[1::2] = plane.translate(bytes(v >> 6 for v in range(256)))
    return bytes(words)


def levels(kind, size, depth, random):
    """A frame of made levels, grey."""
    width, height = size
    shift, grey = (2, 128) if depth == 8 else (0, 512)
    luma = [LEVELS[kind](x, y, random.getrandbits(16)) >> shift for y in range(height) for x in range(width)]
    return array("B" if depth == 8 else "H", luma + [grey] * (width * height // 2)).tobytes()


def write_clip(path, kind, size, depth, frames):
    width, height = size
    is_distorted = path.stem.endswith("distorted")
    random = Random(f"{kind} {is_distorted and kind != 'film'}")
    pictures = [levels(kind, size, depth, random)] if kind in LEVELS else []
    for number in range(0 if pictures else min(frames, DISTINCT_FRAMES)):
        luma = picture(kind, size, number, is_distorted, random)
        half = (width // 2, height // 2)
        planes = [luma] + [picture(kind, half, number + i, is_distorted, random) for i in (1, 2)]
        pictures.append(b"".join(deepened(plane, random) if depth > 8 else plane for plane in planes))
    with open(path, "wb") as file:
        tag = "420jpeg" if depth == 8 else f"420p{depth}"
        file.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C{tag}\n".encode())
        for number in range(frames):
            file.write(b"FRAME\n" + pictures[number % len(pictures)])


def make_clips(folder, kind, size_name, depth, frames):
    """Paths of the reference and the distorted clip, made if they are missing."""
    paths = []
    for role in ("reference", "distorted"):
        path = folder / f"{kind}_{size_name}_{depth}b_{frames}_{role}.y4m"
        if not path.exists():
            write_clip(path, kind, SIZES[size_name], depth, frames)
        paths.append(str(path))
    return paths


def run(command):
    """Processor seconds and peak MiB of a process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}\n{message.decode()}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def print_stages(options, case, name, clips, target):
    """Prints the milliseconds of the stages of a frame, and their sum."""
    what = ["--model", f"version={MODELS[name]}"] if name in MODELS else ["--feature", name]
    own = ["--backend", "scalar"] if target == "scalar" else ["--backend", "cpu", "--cpumask", str(CPUMASKS[target])]
    reference = ["-r", clips[0]] if name not in ("bounds", "cambi", "fingerprint", "histogram") else []
    command = [options.cambi, "bench", clips[1], *reference, *what, *own, "--threads", "1", "--json", "-q"]
    measured = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["videos"][0]["backends"][0]
    stages = {stage["name"]: stage["milliseconds"] for stage in measured["stages"]}
    texts = [f"{stage} {time:.3f}" for stage, time in stages.items()]
    print(case, measured["simd"], *texts, f"all {sum(stages.values()):.3f}", flush=True)


def print_beside_reference(options, case, name, clips, target):
    """Prints medians of time and memory of both programs. Their flags are the same, but ours leaves GPUs alone."""
    what = ["--model", f"version={MODELS[name]}"] if name in MODELS else ["--feature", name, "--no_prediction"]
    with tempfile.TemporaryDirectory() as reports:
        flags = ["-r", clips[0], "-d", clips[1], *what, "--threads", "1", "--cpumask", str(CPUMASKS[target]), "--json"]
        flags += ["-o", f"{reports}/report.json"]
        both = [[options.cambi, *flags, "--backend", "cpu"], [options.vmaf, *flags]]
        for command in both:
            run(command)  # files get into memory
        pairs = [[run(command) for command in both] for _ in range(options.runs)]
    times = [statistics.median(pair[i][0] for pair in pairs) for i in (0, 1)]
    memory = [statistics.median(pair[i][1] for pair in pairs) for i in (0, 1)]
    ratio = statistics.median(pair[0][0] / pair[1][0] for pair in pairs)
    print(case, f"{1000 * times[0]:.0f} {1000 * times[1]:.0f} {ratio:.3f} {memory[0]:.0f} {memory[1]:.0f}", flush=True)


def start_of_process(options):
    """Milliseconds that `--version` takes."""
    for name, program in (("ours", options.cambi), ("reference", options.vmaf)):
        times = [run([program, "--version"])[0] for _ in range(max(options.runs, 9))]
        print(f"start {name} {1000 * statistics.median(times):.1f} ms", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("stages", "reference"))
    parser.add_argument("cambi")
    parser.add_argument("vmaf", nargs="?")
    parser.add_argument("--frames", type=int, help="of 1080p: 6, or 240 beside the reference")
    parser.add_argument("--frames-4k", type=int, help="3, or 48")
    parser.add_argument("--runs", type=int, default=5, help="of each program beside the reference")
    parser.add_argument("--sets", help="instruction sets: scalar, ssse3, sse4, avx2, avx512")
    parser.add_argument("--clips", type=Path, help="folder that keeps the clips")
    parser.add_argument("--only", default="", help="regular expression of cases: v1/film/1080p/8/avx512")
    options = parser.parse_args()
    is_reference = options.what == "reference"
    if is_reference and not options.vmaf:
        parser.error("reference needs VMAF")
    options.frames = options.frames or (240 if is_reference else 6)
    options.frames_4k = options.frames_4k or (48 if is_reference else 3)
    options.sets = (options.sets or "avx512,avx2" + ("" if is_reference else ",scalar")).split(",")
    return options


def measure_clips(options, kind, size, depth, folder):
    """Prints the lines of one pair of clips."""
    is_reference = options.what == "reference"
    names = ["cambi"] if kind in LEVELS else [*MODELS, *FEATURES, *(() if is_reference else OWN_FEATURES)]
    for name, target in itertools.product(names, options.sets):
        case = f"{name}/{kind}/{size}/{depth}/{target}"
        if re.search(options.only, case):
            clips = make_clips(folder, kind, size, depth, options.frames if size == "1080p" else options.frames_4k)
            (print_beside_reference if is_reference else print_stages)(options, case, name, clips, target)


def main():
    options = arguments()
    is_reference = options.what == "reference"
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.clips or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if is_reference:
            start_of_process(options)
            print("case ours_ms reference_ms ratio ours_MiB reference_MiB", flush=True)
        kinds = CLIPS if is_reference else (*CLIPS, *LEVELS)
        for kind, size, depth in itertools.product(kinds, SIZES, (8, 10)):
            measure_clips(options, kind, size, depth, folder)
            if not options.clips:
                for path in folder.glob("*.y4m"):
                    path.unlink()


if __name__ == "__main__":
    main()
