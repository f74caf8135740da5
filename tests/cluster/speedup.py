#!/usr/bin/env python3
"""How much faster two nodes of one core are than one: usage speedup.py CAMBI [SECONDS_OF_VIDEO [SIZE]]

Scores the same clip (600 s of 1280x720 without arguments) on a Slurm cluster of one node and of two, each bound to a core of
its own, and prints the times from `cambi submit` to its end, with the merge. For a quiet machine of two cores or more: it says
so where it was not.
"""
import os
import statistics
import sys
import time

import slurm
import titles

RUNS = 3
QUIET_LOAD = 0.3


def measure(catalogue, folder, nodes):
    with slurm.Cluster(folder / f"slurm{nodes}", nodes=nodes, is_pinned=True) as cluster:
        seconds = []
        for _ in range(RUNS):
            catalogue.forget()
            start = time.monotonic()
            cluster.run(catalogue.submit_words("--wait", "--quiet"), seconds=3600)
            seconds.append(time.monotonic() - start)
        return seconds


def main():
    load = os.getloadavg()[0]
    video_seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    size = sys.argv[3] if len(sys.argv) > 3 else "1280x720"
    with slurm.temporary_folder() as folder:
        clip = folder / "videos" / "clip.mkv"
        titles.make_video(clip, video_seconds * titles.RATE, size=size, key_frames=2 * titles.RATE)
        catalogue = titles.Catalogue(sys.argv[1], folder, made=clip.parent)
        catalogue.plan(shard_frames=video_seconds * titles.RATE // 20)
        print(f"{video_seconds} s of {size}, {catalogue.shards()} shards; load before: {load:.2f}"
              f"{'' if load < QUIET_LOAD else ' (NOT QUIET: these times say little)'}")
        best = {}
        for nodes in (1, 2):
            seconds = measure(catalogue, folder, nodes)
            best[nodes] = statistics.median(seconds)
            print(f"nodes: {nodes}; {', '.join(f'{value:.1f}' for value in seconds)} s, median {best[nodes]:.1f} s")
        print(f"two nodes are {best[1] / best[2]:.2f} times as fast as one")


slurm.enter_namespaces()
main()
