#!/usr/bin/env python3
"""Injects faults into runs of the program, and expects that nothing is lost, half written or left running.

usage: faults_test.py BUILD [--whole] [--table FILE] [ROW ...]

Rows: see ROWS. Without --whole, each grid of faults is thinned to a few of them. The table goes to standard output, and to FILE in
the form that docs/reliability.md has it in.
"""
import argparse
import errno
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from program import VIDEO, Fault, Grid, Program, Tally, Work, thinned

WIDTH, HEIGHT = 216, 64  # the smallest that both CAMBI and VMAF take
# Names, FFmpeg's options for the coder, and whether a decoder notices every change.
CLIPS = [
    ("ffv1.mkv", ["-c:v", "ffv1", "-level", "3", "-slicecrc", "1"], True),
    ("h264.mp4", ["-c:v", "libx264", "-preset", "fast", "-bf", "2", "-threads", "1", "-movflags", "+faststart"], False),
]


def make_video(path, frames, shift=0):
    """Flat steps that move, in y4m."""
    path.parent.mkdir(exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F25:1 C420jpeg\n" % (WIDTH, HEIGHT))
        for frame in range(frames):
            rows = [bytes(64 + (x // 3 + y // 2 + 5 * frame + shift) % 64 for x in range(WIDTH)) for y in range(HEIGHT)]
            file.write(b"FRAME\n" + b"".join(rows) + bytes([128]) * (WIDTH * HEIGHT // 2))
    return path


class Rows:
    """One method for each kind of fault."""

    def __init__(self, program, most):
        self.program, self.most = program, most
        folder = program.folder / "videos"
        self.reference = make_video(folder / "reference.y4m", 2)
        self.video = make_video(folder / "video.y4m", 2, shift=1)
        self.long = make_video(folder / "long.y4m", 150)
        self.folder = folder / "several"
        self.several = [make_video(self.folder / f"{name}.y4m", 40, shift) for shift, name in enumerate("abc")]
        self.tallies = []

    def thinned(self, numbers, share=1):
        return thinned(numbers, self.most and max(2, self.most // share))

    def chosen(self, works):
        return [work for work in works if self.most is None or work.name in ("run", "batch")]

    def tally(self, name, what):
        self.tallies.append(Tally(name, what))
        return self.tallies[-1]

    def scoring(self, *more, name="run", video=None, backend="cpu", **rest):
        words = ["-r", self.reference, "-d", self.video] if video is None else [video]
        models = ["--model", "vmaf_v0.6.1"] if video is None else []
        return Work(name, [*words, "--feature", "cambi", *models, "--backend", backend, "--precision", "max", *more], **rest)

    def works(self):
        """A command of each kind that writes files."""
        flags = ["--backend", "cpu", "--threads", "2"]
        plan = ["plan", self.folder, "--shards", "2", "--backend", "cpu", "-o", "plan.json", "-q"]

        def planned(folder):
            self.program.run(plan, folder=folder)

        def sharded(folder):
            planned(folder)
            self.program.run(["shard", "plan.json", "--index", "0-5", "-q"], folder=folder)

        outputs = ["-o", "r.json", "-o", "r.csv", "-o", "r.xml", "-o", "r.sub", "--html", "r.html"]
        return [
            self.scoring(*outputs, "--threads", "2", name="run", replaces=("r.json", "r.html"), goes_on=True),
            self.scoring("-o", "r.json", "--heatmaps", "maps", "--heatmap-format", "gray,png,video", "--threads", "2",
                         name="heat maps", replaces=("r.json",), goes_on=True),
            Work("batch", ["batch", self.folder, *flags, "--reports", "out", "--formats", "html,csv,xml", "-q"], goes_on=True),
            Work("compare", ["compare", *self.several, *flags, "-o", "c.json", "--html", "c.html", "-q"], replaces=("c.json",),
                 goes_on=True),
            Work("plan", plan, goes_on=True),
            Work("shard", ["shard", "plan.json", "--index", "0-5", "-q"], prepare=planned, goes_on=True),
            Work("merge", ["merge", "plan.json", "--reports", "out", "--formats", "html,csv", "-q"], prepare=sharded, goes_on=True),
        ]

    def at_uses(self, grid, what, fault, codes, share, each=None, first=0, step=1):
        """A row: `fault(at)` for calls from the first on, as many as a run without a fault makes."""
        numbers = self.thinned(range(first, grid.uses(fault), step), share)
        grid.all_of(self.tally(grid.work.name, what), [fault(at) for at in numbers], codes, each)

    def memory(self):
        names = ("batch", "compare", "shard", "merge")
        run = self.scoring("-o", "r.json", "--threads", "2", "-q", replaces=("r.json",))
        for work in self.chosen([run, *(work for work in self.works() if work.name in names)]):
            grid = Grid(self.program, work)
            first = 5000 if work is run else 0  # of these each
            last = grid.uses(of_call("malloc", error=errno.ENOMEM))
            for what, numbers, later in (("each of the first 5,000 allocations fails", range(first), False),
                                         ("every 10th allocation fails", range(first, last, 10), False),
                                         ("every 20th and all later ones fail", range(0, last, 20), True)):
                fault = of_call("malloc", error=errno.ENOMEM, from_then_on=later)
                if numbers:
                    grid.all_of(self.tally(work.name, what), [fault(at) for at in self.thinned(numbers, 6)], {8})

    def memory_on_device(self):
        work = self.scoring("-o", "r.json", "--threads", "1", "-q", name="--backend vulkan", backend="vulkan", replaces=("r.json",))
        grid = Grid(self.program, work)
        first = 8000  # before the device is there, which takes longer than all of them
        fault = of_call("malloc", error=errno.ENOMEM, own=True)
        grid.all_of(self.tally(work.name, "each of the program's first 8,000 own allocations fails"),
                    [fault(at) for at in self.thinned(range(first), 2)], {4, 8})
        self.at_uses(grid, "every 25th of the others fails", fault, {4, 8}, 2, first=first, step=25)

    def disks(self):
        for work in self.chosen(self.works()):
            grid = Grid(self.program, work)

            def each_call(what, call, error, codes, from_then_on=False, each=None, grid=grid):
                self.at_uses(grid, what, of_call(call, error=error, from_then_on=from_then_on), codes, 12, each)

            each_call("write: no space left", "write", errno.ENOSPC, {5})
            each_call("write: no space left from then on", "write", errno.ENOSPC, {5}, True)
            each_call("write: I/O error", "write", errno.EIO, {5})
            each_call("write: half of it is written", "short write", 0, set())
            each_call("fsync: I/O error", "fsync", errno.EIO, {5})
            each_call("rename: I/O error", "rename", errno.EIO, {5})
            each_call("close: I/O error", "close", errno.EIO, {2, 5, 6})
            each_call("open: I/O error", "open", errno.EIO, {2, 5})
            each_call("open: too many open files", "open", errno.EMFILE, {2, 5, 8})
            each_call("open: permission denied", "open", errno.EACCES, {2, 5})
            each_call("read: I/O error", "read", errno.EIO, {2, 6}, each=names_its_frame if work.name == "run" else None)
            each_call("read: half of it is read", "short read", 0, set())
            if work.name == "run":
                each_call("fsync: nothing can be flushed there", "fsync", errno.EINVAL, set())
                for call in ("write", "fsync", "close", "read"):
                    each_call(f"{call}: interrupted", call, errno.EINTR, set())
                # Two videos are opened in turn if they cannot be at once.
                each_call("a thread is refused", "thread", errno.EAGAIN, {8})
                each_call("threads are refused from then on", "thread", errno.EAGAIN, {8}, True)
                grid.all_of(self.tally(work.name, "the first thread is refused"), [Fault.of_call("thread", 0, errno.EAGAIN)], set())

    def caches(self):
        """A cache that cannot be written costs nothing but time."""
        work = self.scoring("-o", "r.json", "--threads", "1", "-q", name="cold cache", backend="vulkan", goes_on=True,
                            cold=True)
        grid = Grid(self.program, work)
        for call, error in (("write", errno.ENOSPC), ("rename", errno.EIO), ("open", errno.EIO), ("read", errno.EIO)):
            fault = of_call(call, error=error)
            # A device without a cache takes long, and most of what it opens and reads is no cache.
            numbers = self.thinned(thinned(range(grid.uses(fault)), 24), 8)
            grid.all_of(self.tally(work.name, f"{call}: {os.strerror(error)}"), [fault(at) for at in numbers], {2, 4, 5, 6})

    def signals(self):
        long_run = self.scoring("-o", "r.json", "--html", "r.html", "--threads", "2", video=self.long, name="run",
                                replaces=("r.json",), goes_on=True)
        submit = ["submit", "plan.json", "--engine", "local", "--reports", "out", "-q", "--wait"]
        works = [work for work in self.works() if work.name not in ("run", "plan")]
        planned = next(work.prepare for work in works if work.name == "shard")
        works = [long_run, *works, Work("submit", submit, prepare=planned, goes_on=True)]
        for work in self.chosen(works):
            grid = Grid(self.program, work)
            grid.start()  # the first run took longer, as nothing was cached
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGKILL, signal.SIGSTOP):
                stops = number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
                codes = {128 + number} if stops else set()
                steps = 30
                delays = [grid.seconds * 1.1 * (step + 1) / steps for step in range(steps)]
                name = "STOP, then CONT" if number == signal.SIGSTOP else number.name[3:]
                tally = self.tally(work.name, f"{name} after each {grid.seconds * 1100 / steps:.0f} ms")
                grid.all_of(tally, [Fault.sent(number, delay) for delay in self.thinned(delays, 12)], codes,
                            some_end=(128 + number, -number) if stops else ())
            for number in (signal.SIGTERM, signal.SIGKILL):
                for call in ("write", "fsync", "rename"):
                    fault, last = of_call(call, number=number), grid.uses(of_call(call, number=signal.SIGCONT))
                    tally = self.tally(work.name, f"{number.name[3:]} at each {call}")
                    # Of submit's processes one has the call, and the others say so.
                    codes = {128 + number} if number == signal.SIGTERM or work.name == "submit" else set()
                    grid.all_of(tally, [fault(at) for at in self.thinned(range(last), 12)], codes)

    def devices(self):
        frames = make_video(self.program.folder / "videos" / "device.y4m", 6)
        named = Grid(self.program, self.scoring("-o", "r.json", "--threads", "2", video=frames, backend="vulkan",
                                                name="--backend vulkan", replaces=("r.json",)))
        left = Work("--device 0", [frames, "--device", "0", "--feature", "cambi", "--precision", "max", "-o", "r.json",
                                   "--threads", "2"])
        left = Grid(self.program, left)
        assert left.whole == Grid(self.program, self.scoring("-o", "r.json", video=frames)).whole, "the backends differ"
        kinds = [("lost", "vkQueueSubmit", -4, False), ("out of memory", "vkQueueSubmit", -2, False),
                 ("lost", "vkWaitForFences", -4, False), ("hung from then on", "vkWaitForFences", 2, True),
                 ("out of memory", "vkAllocateMemory", -2, False), ("cannot be mapped", "vkMapMemory", -5, False),
                 ("out of memory", "vkCreateComputePipelines", -2, False)]
        for what, call, result, later in kinds:
            def fault(at, call=call, result=result, later=later):
                return Fault.of_device(call, at, result, later)

            faults = [fault(at) for at in self.thinned(range(named.uses(fault)), 14)]
            named.all_of(self.tally("--backend vulkan", f"{what} at each {call}"), faults, {4}, names_its_frame)
            left.all_of(self.tally("--device 0", f"{what} at each {call}"), faults, set())

    def decoders(self):
        folder = self.program.folder / "damaged"
        folder.mkdir()
        # Uncompressed video needs no FFmpeg.
        uncompressed = Grid(self.program, self.scoring("-o", "r.json", "--threads", "2", replaces=("r.json",)))
        no_library = Fault.of_call("dlopen", 0, from_then_on=True)
        uncompressed.all_of(self.tally("run", "no library can be opened"), [no_library], set())
        for name, coder, notices in CLIPS:
            clip = coded_video(folder / name, coder)
            work = Work(name, [VIDEO, "--feature", "cambi", "--backend", "cpu", "--threads", "2", "-o", "r.json", "-q"],
                        video=clip, replaces=("r.json",))
            grid = Grid(self.program, work)
            packets = packets_of(clip)
            cut = [Fault(f"cut at {at}", video=cut_video(folder, clip, at))
                   for at in self.thinned([at + delta for at, size in packets for delta in (0, size // 2)], 4)]
            grid.all_of(self.tally(name, "ends before, and within, each packet"), cut, {2, 6})
            spoilt = [Fault(f"noise at {at}", video=spoilt_video(folder, clip, at, size))
                      for at, size in self.thinned(packets, 4)]
            grid.all_of(self.tally(name, "noise within each packet"), spoilt, {2, 6}, None if notices else forgives_scores)
            # A decoder does not always say that memory was what it lacked, and may give a wrong picture.
            for call, error, later, step, codes, what, check in (
                    ("read", errno.EIO, False, 1, {2, 6}, "read: I/O error", None),
                    ("short read", 0, False, 1, set(), "read: half of it is read", None),
                    ("malloc", errno.ENOMEM, False, 7, {2, 6, 8}, "every 7th allocation fails", forgives_scores),
                    ("thread", errno.EAGAIN, False, 1, {8}, "a thread is refused", None),
                    ("thread", errno.EAGAIN, True, 1, {8}, "threads are refused from then on", None)):
                self.at_uses(grid, what, of_call(call, error=error, from_then_on=later), codes, 4, check, step=step)
            grid.all_of(self.tally(name, "no library can be opened"), [no_library], {8})

    def states(self):
        """Every state of a batch, and of the loop over the shards of a plan, with every event."""
        folder = self.program.folder / "states"
        videos = [make_video(folder / f"{name}.y4m", 12, shift) for shift, name in enumerate("abcd")]

        def planned(own, backend, missing=False):
            (own / "videos").mkdir()
            for video in videos[:3]:
                shutil.copy(video, own / "videos")
            self.program.run(["plan", "videos", "--shards", "2", "--backend", backend, "-o", "plan.json", "-q"], folder=own)
            if missing:
                (own / "videos/b.y4m").unlink()

        def batch(count, *more):
            words = ["batch", *videos[:count], "--reports", "out", *more]
            return lambda backend: Work("batch", [*words, "--backend", backend], goes_on=True)

        def shards(missing=False):
            words = ["shard", "plan.json", "--index", "0-5", "-q"]
            return lambda backend: Work("shard", words, prepare=lambda own: planned(own, backend, missing), goes_on=True,
                                        codes={2} if missing else {0})

        in_turn, beside = batch(3, "--jobs", "1", "--threads", "2"), batch(2, "--jobs", "2", "--threads", "2")
        alone = batch(4, "--jobs", "4", "--threads", "4", "--max-memory", str(self.least_memory(videos[0])))
        there, missing = shards(), shards(missing=True)
        scores, writes = {"thread", "threads", "device"}, {"output", "name"}
        # State, work, the files between whose opening or naming a run is in it, and the events that it cannot meet.
        self.walk("batch", [("before the first video", in_turn, "", "/a.y4m", scores | writes),
                            ("during a video", in_turn, "/b.y4m", "/b.y4m.json", set()),
                            ("during two videos", beside, "/b.y4m", ".y4m.json", set()),
                            ("in a retry", alone, "/a.y4m.json", "/b.y4m.json", set()),
                            ("between videos", in_turn, "/a.y4m.json", "/b.y4m", scores | writes),
                            ("writing the summary", in_turn, "/c.y4m.json", "/index.html", scores),
                            ("ended", in_turn, "/index.html", "", scores | writes)])
        self.walk("shard", [("before the first shard", there, "", "/a.y4m", scores | writes),
                            ("during a shard", there, "/b.y4m", "/000001/000000.shard", set()),
                            ("noting a failure", missing, "/000000/000001.shard", "/000001/000000.failed", scores),
                            ("between shards", there, "/000000/000001.shard", "/b.y4m", scores | writes),
                            ("ended", there, "/000002/000001.shard", "", scores | writes)])

    def least_memory(self, video):
        """The least with which four threads score it, a quarter of which is too little for one."""
        low, high = 0, 1 << 30
        while high - low > 1 << 12:
            middle = (low + high) // 2
            code = self.program.run([video, "-q", "--threads", "4", "--backend", "cpu", "--max-memory", middle]).code
            low, high = (middle, high) if code == 8 else (low, middle)
        return high

    def walk(self, name, states):
        """A cell for each state and event: its calls in geometric progression, as far as there are so many."""
        grids, cells = {}, []
        for state, work, after, until, cannot in states:
            for event, backend, fault, most, codes in EVENTS:
                if backend == "vulkan" and (self.most or not self.program.has_devices):
                    continue  # a software device for each takes minutes
                if (work, backend) not in grids:
                    grids[work, backend] = Grid(self.program, work(backend))
                grid, tally = grids[work, backend], self.tally(f"{name}: {state}", event)
                cells.append(tally)
                numbers = [number for number in (16**i if self.most else 4**i for i in range(8)) if number <= most]
                each = grid.costs_one if "once" in event and not state.startswith("before") else None
                grid.all_of(tally, [fault(0).within(after, until)], codes, each)
                if (tally.faults == 0) != (event.split()[0] in cannot):
                    tally.broken.append(f"{tally.name}: {event}: {tally.faults} faults")
                if tally.faults:
                    grid.all_of(tally, [fault(at).within(after, until) for at in numbers], codes, each)
        print(f"{name}: {len(states)} states, {len(cells) // len(states)} events, {len(cells)} cells, of which "
              f"{sum(cell.faults == 0 for cell in cells)} cannot happen; {sum(cell.runs for cell in cells)} runs, "
              f"{sum(cell.faults for cell in cells)} with a fault, {sum(len(cell.broken) for cell in cells)} broken")


def of_call(call, **how):
    return lambda at: Fault.of_call(call, at, **how)


# What happens, on which backend, up to which call, and the exit codes it may have.
EVENTS = [
    ("memory refused once", "cpu", of_call("malloc", error=errno.ENOMEM), 10000, {8}),
    ("memory refused from then on", "cpu", of_call("malloc", error=errno.ENOMEM, from_then_on=True), 10000, {8}),
    ("thread refused once", "cpu", of_call("thread", error=errno.EAGAIN), 8, {8}),
    ("threads refused from then on", "cpu", of_call("thread", error=errno.EAGAIN, from_then_on=True), 8, {8}),
    ("device lost", "vulkan", lambda at: Fault.of_device("vkQueueSubmit", at, -4), 16, {4}),
    ("cancelled", "cpu", of_call("malloc", number=signal.SIGTERM), 10000, {128 + signal.SIGTERM}),
    ("killed", "cpu", of_call("malloc", number=signal.SIGKILL), 10000, set()),
    ("output refused once", "cpu", of_call("write", error=errno.ENOSPC), 8, {5}),
    ("output refused from then on", "cpu", of_call("write", error=errno.ENOSPC, from_then_on=True), 8, {5}),
    ("name refused once", "cpu", of_call("rename", error=errno.EACCES), 8, {5}),
]


def coded_video(path, coder, frames=12):
    source = f"testsrc2=size={WIDTH}x{HEIGHT}:rate=25"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, "-frames:v", str(frames), "-pix_fmt", "yuv420p", *coder,
                    str(path)], check=True)
    return path


def packets_of(clip):
    """Where each begins in the file, and its size."""
    words = ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pos,size", "-of", "json", str(clip)]
    packets = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["packets"]
    return [(int(packet["pos"]), int(packet["size"])) for packet in packets]


def cut_video(folder, clip, at):
    path = folder / f"cut_{at}_{clip.name}"
    path.write_bytes(clip.read_bytes()[:at])
    return path


def spoilt_video(folder, clip, at, size):
    path = folder / f"noise_{at}_{clip.name}"
    data = bytearray(clip.read_bytes())
    middle = at + size // 2
    length = max(1, size // 4)
    data[middle : middle + length] = random.Random(at).randbytes(length)
    path.write_bytes(data)
    return path


def forgives_scores(_fault, outcome, complaints):
    """Where a codec has no checksums, a decoder may take noise for a picture."""
    scores = ("is not what a run without", "has other scores")
    return [complaint for complaint in complaints if not any(text in complaint for text in scores)] if outcome.code in (0, 6) else complaints


def names_its_frame(_fault, outcome, complaints):
    """A device or a file that fails costs the frames from the one that the error names on."""
    if outcome.code in (4, 6) and "r.json.partial" in outcome.files:
        kept = len(json.loads(outcome.files["r.json.partial"])["frames"])
        named = re.search(r": frame (\d+):", outcome.error)
        if named is None or int(named.group(1)) != kept:
            return [*complaints, f"keeps {kept} frames, and says {outcome.error}"]
    return complaints


ROWS = [Rows.memory, Rows.memory_on_device, Rows.disks, Rows.caches, Rows.signals, Rows.devices, Rows.decoders, Rows.states]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("rows", nargs="*", metavar="ROW")
    arguments = parser.parse_intermixed_args()
    # Whoever started this may ignore them, and the program would as well.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.default_int_handler)
    chosen = [row for row in ROWS if not arguments.rows or row.__name__ in arguments.rows]
    with tempfile.TemporaryDirectory(prefix="cambi-faults-") as folder:
        rows = Rows(Program(arguments.build.resolve(), pathlib.Path(folder)), None if arguments.whole else 24)
        for row in chosen:
            row(rows)
        lines = ["| run | fault | runs | faults | exit codes | broken promises |", "| --- | --- | --- | --- | --- | --- |",
                 *(tally.line() for tally in rows.tallies)]
        print("\n".join(lines))
        if arguments.table:
            arguments.table.write_text("\n".join(lines) + "\n")
        return 1 if any(tally.broken for tally in rows.tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
