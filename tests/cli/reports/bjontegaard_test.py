#!/usr/bin/python3
"""BD-rate and BD-score of the program against a computation of their own in NumPy, on random ladders.

Usage: bjontegaard_test.py CAMBI
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

LADDERS = 10
CLOSE = 1e-6


def slopes(x, y):
    """Of a monotonic piecewise cubic: Fritsch and Butland's inside, three points at the ends, as MATLAB's pchip has them."""
    h = np.diff(x)
    d = np.diff(y) / h
    inside = np.zeros(len(x))
    same = np.sign(d[:-1]) * np.sign(d[1:]) > 0
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    with np.errstate(divide="ignore"):
        inside[1:-1] = np.where(same, (w1 + w2) / (w1 / d[:-1] + w2 / d[1:]), 0)

    def end(h0, h1, d0, d1):
        slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
        if np.sign(slope) != np.sign(d0):
            return 0
        return 3 * d0 if np.sign(d0) != np.sign(d1) and abs(slope) > abs(3 * d0) else slope

    inside[0], inside[-1] = end(h[0], h[1], d[0], d[1]), end(h[-1], h[-2], d[-1], d[-2])
    return inside


def value(x, y, at):
    """By the four basis polynomials of Hermite."""
    m = slopes(x, y)
    i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    h = x[i + 1] - x[i]
    t = (at - x[i]) / h
    return ((1 + 2 * t) * (1 - t) ** 2 * y[i] + t * (1 - t) ** 2 * h * m[i]
            + t ** 2 * (3 - 2 * t) * y[i + 1] + t ** 2 * (t - 1) * h * m[i + 1])


def mean(x, y, low, high):
    """Gauss and Legendre's two points of each piece integrate a cubic exactly."""
    edges = np.concatenate(([low], x[(x > low) & (x < high)], [high]))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    points = (middle + half * np.array([[-1], [1]]) / np.sqrt(3))
    return np.sum(half * value(x, y, points)) / (high - low)


def difference(anchor, test):
    (x0, y0), (x1, y1) = anchor, test
    low, high = max(x0[0], x1[0]), min(x0[-1], x1[-1])
    return mean(x1, y1, low, high) - mean(x0, y0, low, high)


def ladder(random, encoder):
    """Points that rise, at uneven steps, of which some lie nearly on top of each other."""
    count = random.integers(4, 9)
    rates = np.cumprod(random.uniform(1.02, 2.5, count)) * random.integers(200_000, 500_000)
    scores = 25 + np.cumsum(random.uniform(0.01, 6, count))
    return encoder, np.round(rates).astype(int), np.round(scores, 6)


def report(encoder, rate, score):
    video = {"role": "distorted", "path": "a.mkv", "width": 1920, "height": 1080, "bit_rate": int(rate), "bit_rate_of": "stream",
             "encoder": encoder}
    frame = {"frameNum": 0, "metrics": {"psnr_y": float(score)}}
    return {"version": "1", "fps": 1, "frames": [frame], "run": {"complete": True, "inputs": [video]}}


def found(program, folder, ladders):
    paths = []
    for encoder, rates, scores in ladders:
        for rate, score in zip(rates, scores):
            paths.append(folder / f"{len(paths)}.json")
            paths[-1].write_text(json.dumps(report(encoder, rate, score)))
    command = [program, "compare", *map(str, paths), "-q", "--anchor", "x264", "--json", "--precision", "max"]
    (only,) = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["rates"]["differences"]
    return only["bd_rate"], only["bd_score"]


def expected(ladders):
    (_, rates0, scores0), (_, rates1, scores1) = ladders
    logs0, logs1 = np.log10(rates0), np.log10(rates1)
    rate = 100 * (10 ** difference((scores0, logs0), (scores1, logs1)) - 1)
    return rate, difference((logs0, scores0), (logs1, scores1))


def main():
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(LADDERS):
            random = np.random.default_rng(seed)
            ladders = [ladder(random, "x264"), ladder(random, "x265")]
            figures, own = found(sys.argv[1], pathlib.Path(folder), ladders), expected(ladders)
            if not all(figure is not None and abs(figure - one) <= CLOSE for figure, one in zip(figures, own)):
                faults.append(f"seed {seed}: the program has {figures}, NumPy {own}")
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
