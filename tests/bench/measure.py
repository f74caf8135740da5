#!/usr/bin/env python3
"""Measures this program over made clips, features and instruction sets.

    measure.py stages CAMBI            milliseconds a frame of each stage, by `cambi bench` on one thread
    measure.py reference CAMBI VMAF    processor time of whole runs beside libvmaf's `vmaf`, on one core
    [--frames N] [--frames-4k N] [--runs N] [--sets avx512,avx2] [--clips DIR] [--only REGEX] [--jobs N] [--seconds N]

The clips are pairs of y4m files: smooth moving shapes with film grain ("film"), a flat picture ("flat"), white noise
("noise"), and for CAMBI levels that are hard for c-values ("sparse", "blocks", "ramp", "steep_ramp", "dithered_ramp").
A line a case, which is FEATURE-OR-MODEL/CLIP/SIZE/DEPTH/SET. `reference` runs both programs by turns with `--threads 1`,
from the same files to JSON: user and system time of the two in milliseconds a frame (medians), their ratio and that of
user time alone, and the peak memory of both in MiB. Then it prints the ratios as a table: film, flat and noise with the
first instruction set, film with the others. Only figures of one such run are comparable.
"""

import argparse
import itertools
import json
import math
import os
import queue
import re
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from random import Random

# The bits of --cpumask that both programs share: AVX-512 and its later extensions. The others are this program's.
CPUMASKS = {"avx512": 0, "avx2": 48, "sse4": 56, "ssse3": 60}
SIZES = {"1080p": (1920, 1080), "4k": (3840, 2160)}
FEATURES = ("vif", "adm", "motion", "psnr", "float_ssim", "float_ms_ssim", "ciede", "psnr_hvs", "speed_chroma", "cambi")
OWN_FEATURES = ("bounds", "butteraugli", "fingerprint", "histogram", "speed_temporal", "ssimulacra2", "xpsnr")
# The share of the frames that a run beside the reference scores, so that each takes about as long; others a quarter.
SHARES = {"motion": 1, "psnr": 1, "float_ms_ssim": 1 / 16, "ciede": 1 / 16}
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


def frames_of(options, size_name):
    return options.frames if size_name == "1080p" else options.frames_4k


def make_clips(options, folder, kind, size_name, depth):
    """Paths of the reference and the distorted clip, made if they are missing."""
    frames = frames_of(options, size_name)
    paths = []
    for role in ("reference", "distorted"):
        path = folder / f"{kind}_{size_name}_{depth}b_{frames}_{role}.y4m"
        if not path.exists():
            write_clip(path, kind, SIZES[size_name], depth, frames)
        paths.append(str(path))
    return paths


def run(command):
    """Processor seconds, those of them in user mode, and peak MiB of a process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}\n{message.decode()}")
    return usage.ru_utime + usage.ru_stime, usage.ru_utime, usage.ru_maxrss / 1024


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


def text_of(case):
    return "/".join(map(str, case))


def print_beside_reference(options, case, clips, core):
    """Prints medians of time and memory of both programs, and returns the ratio of times. Their flags are the same, but
    ours leaves GPUs alone."""
    name, _, size, _, target = case
    frames = round(frames_of(options, size) * SHARES.get(name, 1 / 4))
    what = ["--model", f"version={MODELS[name]}"] if name in MODELS else ["--feature", name, "--no_prediction"]
    with tempfile.TemporaryDirectory() as reports:
        flags = ["-r", clips[0], "-d", clips[1], *what, "--threads", "1", "--cpumask", str(CPUMASKS[target]), "--json"]
        flags += ["--frame_cnt", str(frames), "-o", f"{reports}/report.json"]
        both = [[options.cambi, *flags, "--backend", "cpu"], [options.vmaf, *flags]]
        both = [["taskset", "-c", str(core), *command] for command in both]
        pairs = [[run(command) for command in both] for _ in range(options.runs)]
    medians = [[statistics.median(pair[i][k] for pair in pairs) for i in (0, 1)] for k in range(3)]
    ratios = [statistics.median(pair[0][k] / pair[1][k] for pair in pairs) for k in range(2)]
    times = [f"{1000 * time / frames:.2f}" for time in medians[0]]
    print(text_of(case), *times, *(f"{r:.3f}" for r in ratios), *(f"{m:.0f}" for m in medians[2]), flush=True)
    return ratios[0]


def measure_beside_reference(options, folder):
    """Prints a line a case and then the table; `options.jobs` cases run at once."""
    sets = {kind: options.sets if kind == "film" else options.sets[:1] for kind in CLIPS}
    cases = [
        (name, *clip, target)
        for clip in itertools.product(CLIPS, SIZES, (8, 10))
        for name, target in itertools.product((*MODELS, *FEATURES), sets[clip[0]])
        if re.search(options.only, text_of((name, *clip, target)))
    ]
    clips = sorted({case[1:4] for case in cases})
    with ProcessPoolExecutor(options.jobs) as pool:  # whose memory is not that of programs that start
        paths = dict(zip(clips, pool.map(make_clips, *zip(*[(options, folder, *clip) for clip in clips]))))
    start_of_process(options)
    print("case ours_ms reference_ms ratio user_ratio ours_MiB reference_MiB", flush=True)
    cores, end = queue.Queue(), time.monotonic() + options.seconds
    for core in sorted(os.sched_getaffinity(0))[: options.jobs]:
        cores.put(core)

    def measured(case):
        core = cores.get()
        try:
            late = time.monotonic() > end
            return None if late else print_beside_reference(options, case, paths[case[1:4]], core)
        finally:
            cores.put(core)

    with ThreadPoolExecutor(cores.qsize()) as pool:
        print_table(dict(zip(cases, pool.map(measured, cases))), sets)


def print_table(ratios, sets):
    columns = list(itertools.product(SIZES, (8, 10)))
    rows = [["share of libvmaf's time", *(f"{size}, {depth} bits" for size, depth in columns)], ["---"] * 5]
    for name in (*MODELS, *FEATURES):
        rows.append([name])
        for column in columns:
            of_sets = [[ratios.get((name, kind, *column, target)) for kind in CLIPS if target in sets[kind]]
                       for target in sets["film"]]
            rows[-1].append("; ".join(", ".join("-" if r is None else f"{r:.2f}" for r in of_set) for of_set in of_sets))
    for row in rows:
        print("|", " | ".join(row), "|")


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
    parser.add_argument("--frames", type=int, help="of 1080p: 6, or 96 beside the reference")
    parser.add_argument("--frames-4k", type=int, help="3, or 24")
    parser.add_argument("--runs", type=int, default=5, help="of each program beside the reference")
    parser.add_argument("--sets", help="instruction sets: scalar, ssse3, sse4, avx2, avx512")
    parser.add_argument("--clips", type=Path, help="folder that keeps the clips")
    parser.add_argument("--only", default="", help="regular expression of cases: v1/film/1080p/8/avx512")
    parser.add_argument("--jobs", type=int, default=1, help="cores that measure beside the reference at a time")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no case beside the reference after that")
    options = parser.parse_args()
    is_reference = options.what == "reference"
    if is_reference and not options.vmaf:
        parser.error("reference needs VMAF")
    options.frames = options.frames or (96 if is_reference else 6)
    options.frames_4k = options.frames_4k or (24 if is_reference else 3)
    options.sets = (options.sets or "avx512,avx2" + ("" if is_reference else ",scalar")).split(",")
    return options


def measure_stages(options, folder):
    """Prints the lines of all clips."""
    for kind, size, depth in itertools.product((*CLIPS, *LEVELS), SIZES, (8, 10)):
        names = ["cambi"] if kind in LEVELS else [*MODELS, *FEATURES, *OWN_FEATURES]
        for name, target in itertools.product(names, options.sets):
            case = f"{name}/{kind}/{size}/{depth}/{target}"
            if re.search(options.only, case):
                print_stages(options, case, name, make_clips(options, folder, kind, size, depth), target)
        if not options.clips:
            for path in folder.glob("*.y4m"):
                path.unlink()


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.clips or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (measure_beside_reference if options.what == "reference" else measure_stages)(options, folder)


if __name__ == "__main__":
    main()
