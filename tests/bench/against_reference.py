#!/usr/bin/env python3
"""Measures this program against libvmaf's `vmaf`: processor time of whole runs, one after the other on one core.

    against_reference.py CAMBI VMAF [--frames N] [--frames-4k N] [--runs N] [--sets avx512,avx2] [--clips DIR]
                         [--only REGEX]

Both programs read the same pair of y4m files and write JSON, each with `--threads 1`, by turns. A line a case: user
and system time of the two in milliseconds (medians), their ratio, and the peak memory of both in MiB. The clips are
made here: smooth moving shapes with film grain ("film"), a flat picture ("flat") and white noise ("noise").
"""

import argparse
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

# The bits of --cpumask that both programs share: AVX-512 and its later extensions.
CPUMASKS = {"avx512": 0, "avx2": 48}
SIZES = {"1080p": (1920, 1080), "4k": (3840, 2160)}
FEATURES = ("vif", "adm", "motion", "psnr", "float_ssim", "speed_chroma", "cambi")
MODELS = {"v0.6.1": "vmaf_v0.6.1", "v1": "vmaf_v1.0.16_3d0h"}
DISTINCT_FRAMES = 6


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


def write_clip(path, kind, size, depth, frames):
    width, height = size
    is_distorted = path.stem.endswith("distorted")
    random = Random(f"{kind} {is_distorted and kind != 'film'}")
    pictures = []
    for number in range(min(frames, DISTINCT_FRAMES)):
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
    """Paths of the reference and the distorted clip, made where they are missing."""
    paths = []
    for role in ("reference", "distorted"):
        path = folder / f"{kind}_{size_name}_{depth}b_{frames}_{role}.y4m"
        if not path.exists():
            write_clip(path, kind, SIZES[size_name], depth, frames)
        paths.append(path)
    return paths


def run(command):
    """Processor seconds and peak MiB of a process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}\n{message.decode()}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def commands(options, name, clips, cpumask, folder):
    """How both programs are called: the flags are the same, but that ours leaves GPUs alone."""
    reference, distorted = (str(clip) for clip in clips)
    what = ["--model", f"version={MODELS[name]}"] if name in MODELS else ["--feature", name, "--no_prediction"]
    flags = ["-r", reference, "-d", distorted, *what, "--threads", "1", "--cpumask", str(cpumask), "--json"]
    flags += ["-o", str(folder / "report.json")]
    return [[options.cambi, *flags, "--backend", "cpu"], [options.vmaf, *flags]]


def measure(both, runs):
    """Medians of time and memory of the two commands, and of the ratio of their times."""
    for command in both:
        run(command)  # files get into memory
    pairs = [[run(command) for command in both] for _ in range(runs)]
    times = [statistics.median(pair[i][0] for pair in pairs) for i in (0, 1)]
    memory = [statistics.median(pair[i][1] for pair in pairs) for i in (0, 1)]
    return times, memory, statistics.median(pair[0][0] / pair[1][0] for pair in pairs)


def start_of_process(options):
    """Milliseconds that `--version` takes."""
    for name, program in (("ours", options.cambi), ("reference", options.vmaf)):
        times = [run([program, "--version"])[0] for _ in range(max(options.runs, 9))]
        print(f"start {name} {1000 * statistics.median(times):.1f} ms", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cambi")
    parser.add_argument("vmaf")
    parser.add_argument("--frames", type=int, default=240, help="of 1080p")
    parser.add_argument("--frames-4k", type=int, default=48)
    parser.add_argument("--runs", type=int, default=5, help="of each program")
    parser.add_argument("--sets", default="avx512,avx2", help="instruction sets")
    parser.add_argument("--clips", type=Path, help="folder that keeps the clips")
    parser.add_argument("--only", default="", help="regular expression of cases: v1/film/1080p/8/avx512")
    return parser.parse_args()


def measure_clips(options, kind, size, depth, folder):
    """Prints the lines of one pair of clips."""
    for name, target in itertools.product((*MODELS, *FEATURES), options.sets.split(",")):
        case = f"{name}/{kind}/{size}/{depth}/{target}"
        if not re.search(options.only, case):
            continue
        clips = make_clips(folder, kind, size, depth, options.frames if size == "1080p" else options.frames_4k)
        with tempfile.TemporaryDirectory() as reports:
            both = commands(options, name, clips, CPUMASKS[target], Path(reports))
            times, memory, ratio = measure(both, options.runs)
        figures = f"{1000 * times[0]:.0f} {1000 * times[1]:.0f} {ratio:.3f} {memory[0]:.0f} {memory[1]:.0f}"
        print(case, figures, flush=True)


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.clips or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        start_of_process(options)
        print("case ours_ms reference_ms ratio ours_MiB reference_MiB", flush=True)
        for kind, size, depth in itertools.product(("film", "flat", "noise"), SIZES, (8, 10)):
            measure_clips(options, kind, size, depth, folder)
            if not options.clips:
                for path in folder.glob("*.y4m"):
                    path.unlink()


if __name__ == "__main__":
    main()
