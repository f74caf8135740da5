#!/usr/bin/env python3
"""What goes wrong on a cluster neither loses nor spoils anything: usage faults_test.py CAMBI CASE

Each case injects one fault into a cluster of three nodes at work, and expects the reports of single runs at the end, or to be
told once what is missing.
"""
import os
import shutil
import signal
import sys
import time

import slurm
import titles

SECONDS = 300


def node_of(process):
    with open(f"/proc/{process}/environ", "rb") as environment:
        for variable in environment.read().split(b"\0"):
            if variable.startswith(b"SLURMD_NODENAME="):
                return variable.split(b"=")[1].decode()
    return ""


def is_stopped(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0] == "T"


def stop_a_shard():
    """Halts a process in the middle of a shard; returns its id."""

    def stopped():
        for process in slurm.processes("cambi", ["shard"]):
            try:
                os.kill(process, signal.SIGSTOP)
                time.sleep(0.05)
                if is_stopped(process):
                    return process
            except (ProcessLookupError, FileNotFoundError):
                pass
        return None

    return slurm.wait_until(stopped, "a shard is at work")


class Run:
    """cambi submit --wait in the background."""

    def __init__(self, cluster, catalogue, *more):
        self.process = cluster.start(catalogue.submit_words("--wait", "--quiet", *more))

    def end(self, code=0):
        out, err = self.process.communicate(timeout=SECONDS)
        assert self.process.returncode == code, f"it ended with {self.process.returncode}, not {code}:\n{out}{err}"
        return out + err


def logs(catalogue):
    return "".join(path.read_text() for path in sorted((catalogue.results_folder() / "logs").glob("shards-*.log")))


def expect_told_once(text, *words):
    """On one line, and on no other."""
    lines = [line for line in text.splitlines() if all(word in line for word in words)]
    assert len(lines) == 1, f"{words} are told {len(lines)} times:\n{text}"


def node_killed(cluster, catalogue):
    run = Run(cluster, catalogue)
    node = node_of(stop_a_shard())
    cluster.kill_node(node)
    run.end()
    catalogue.expect_equal()
    # It comes back, and is of use again.
    cluster.start_node(node)
    slurm.wait_until(lambda: cluster.idle_nodes() == 3, "the node is back")


def process_killed(cluster, catalogue):
    run = Run(cluster, catalogue)
    os.kill(stop_a_shard(), signal.SIGKILL)
    run.end()
    catalogue.expect_equal()
    expect_told_once(logs(catalogue), "exit code 137", "put into the queue again")


def process_always_killed(cluster, catalogue):
    """One shard that never gets to its end is given up, and told; the same command does what is missing."""
    run = Run(cluster, catalogue)
    task = None
    for _ in range(3):

        def again():
            for process in slurm.processes("cambi", ["shard"]):
                try:
                    words = open(f"/proc/{process}/cmdline", encoding="utf-8").read().split("\0")
                except OSError:
                    continue
                number = words[words.index("--index") + 1]
                if task in (None, number):
                    return process, number
            return None

        process, task = slurm.wait_until(again, "the shard is at work", pause=0.002)
        os.kill(process, signal.SIGKILL)
        slurm.wait_until(lambda process=process: not os.path.exists(f"/proc/{process}"), "it is gone")
    text = run.end(code=6)
    expect_told_once(text, ": 1 of ", " is missing: number ")
    assert Run(cluster, catalogue).end().count("array") == 1
    catalogue.expect_equal()


def controller_restarted(cluster, catalogue):
    run = Run(cluster, catalogue)
    shard = stop_a_shard()
    cluster.stop_controller()
    # The others end in the meantime, and cannot tell it.
    time.sleep(5)
    os.kill(shard, signal.SIGCONT)
    time.sleep(2)
    cluster.start_controller()
    text = run.end()
    expect_told_once(text, "squeue cannot tell")
    catalogue.expect_equal()


def full_disk(cluster, catalogue):
    """What one node cannot write is tried again; where that node gets it again, it is told, and done by the others later."""
    results = catalogue.results_folder() / "0000"
    results.mkdir(parents=True)
    cluster.kill_node("n1")
    cluster.start_node("n1", full=[results])
    slurm.wait_until(lambda: cluster.idle_nodes() == 3, "the node is back")
    run = Run(cluster, catalogue)
    out, err = run.process.communicate(timeout=SECONDS)
    log = logs(catalogue)
    assert "No space left on device" in log and "exit code 5; this task is put into the queue again" in log, log
    missing = catalogue.shards() - len(catalogue.results())
    assert run.process.returncode == (6 if missing else 0), f"{missing} are missing:\n{out}{err}"
    if missing:
        Run(cluster, catalogue, "--", "--exclude=n1").end()
    catalogue.expect_equal()


def twice_at_once(cluster, catalogue):
    runs = [Run(cluster, catalogue), Run(cluster, catalogue)]
    for run in runs:
        run.end()
    catalogue.expect_equal()
    assert len(catalogue.results()) == catalogue.shards()


def truncated_title(cluster, catalogue):
    text = Run(cluster, catalogue).end(code=6)
    expect_told_once(text, "cut.mkv", "the file ended after")
    catalogue.expect_none("cut.mkv")
    os.remove(catalogue.videos / "cut.mkv")
    catalogue.expect_equal()


def replaced_input(cluster, catalogue):
    """Between plan and run. Once the file is back, the same command does what is missing."""
    name = "season 1/two.mkv"
    catalogue.score_single()
    video = catalogue.videos / name
    kept = video.with_suffix(".kept")
    os.rename(video, kept)
    titles.make_video(video, 240, "other")
    text = Run(cluster, catalogue).end(code=6)
    expect_told_once(text, "two.mkv", "changed")
    catalogue.expect_none(name)
    catalogue.expect_equal(set(titles.CATALOGUE) - {name})
    os.replace(kept, video)
    Run(cluster, catalogue).end()
    catalogue.expect_equal()


def cut_a_title(catalogue):
    whole = catalogue.videos / "cut.mkv"
    titles.make_video(whole, 192)
    with open(whole, "r+b") as file:
        file.truncate(whole.stat().st_size * 6 // 10)


CASES = [node_killed, process_killed, process_always_killed, controller_restarted, full_disk, twice_at_once, truncated_title,
         replaced_input]


def main():
    case = next(case for case in CASES if case.__name__ == sys.argv[2])
    with slurm.temporary_folder() as folder:
        # A shard of small pictures may take less than a tenth of a second, in which it has to be found.
        large = titles.make_catalogue(folder / "videos", "960x540") if case is process_always_killed else None
        catalogue = titles.Catalogue(sys.argv[1], folder, large)
        if case is truncated_title:
            cut_a_title(catalogue)
        catalogue.plan()
        cluster = slurm.Cluster(folder / "slurm", nodes=3)
        try:
            with cluster:
                case(cluster, catalogue)
        except BaseException:
            print(cluster.logs(), file=sys.stderr)
            if catalogue.results_folder().exists():
                print(logs(catalogue), file=sys.stderr)
            raise
        finally:
            shutil.rmtree(folder / "slurm", ignore_errors=True)


slurm.enter_namespaces()
main()
