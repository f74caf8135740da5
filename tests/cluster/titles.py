"""What the tests of clusters share: titles to score, their plan, and the comparison with single runs."""
import json
import pathlib
import shutil
import subprocess

SIZE, RATE, KEY_FRAMES, SHARD_FRAMES = "320x180", 25, 12, 48
# What a catalogue looks like: folders, titles of different lengths, one shorter than a shard, a name with blanks.
CATALOGUE = {"one.mp4": 192, "season 1/two.mkv": 240, "season 1/three.mp4": 96, "short.mkv": 20}


def run(*words, code=0):
    result = subprocess.run([str(word) for word in words], text=True, capture_output=True, stdin=subprocess.DEVNULL)
    if result.returncode != code:
        raise AssertionError(f"{words} ended with {result.returncode}, not {code}:\n{result.stdout}{result.stderr}")
    return result


def make_video(path, frames, picture="gradients", size=SIZE, key_frames=KEY_FRAMES):
    path.parent.mkdir(parents=True, exist_ok=True)
    source = {"gradients": f"gradients=size={size}:rate={RATE}:speed=0.02:seed=7", "other": f"testsrc2=size={size}:rate={RATE}"}
    run("ffmpeg", "-y", "-loglevel", "error", "-f", "lavfi", "-i", source[picture], "-frames:v", frames, "-c:v", "libx264",
        "-preset", "ultrafast", "-qp", 30, "-g", key_frames, "-pix_fmt", "yuv420p", "-bf", 2, path)


def make_catalogue(folder, size=SIZE):
    for name, frames in CATALOGUE.items():
        make_video(folder / name, frames, size=size)
    return folder


class Catalogue:
    """Videos, a plan of them and the reports of single runs, in a folder."""

    def __init__(self, cambi, folder, made=None):
        """`made`: a folder of other videos, there already."""
        self.cambi = pathlib.Path(cambi).resolve()
        self.videos = made or make_catalogue(folder / "videos")
        self.plan_file = folder / "plan.json"
        self.reports = folder / "reports"
        self.single = folder / "single"

    def plan(self, code=0, shard_frames=SHARD_FRAMES):
        return run(self.cambi, "plan", self.videos, "--backend", "cpu", "--shard-frames", shard_frames, "-o", self.plan_file,
                   code=code)

    def head(self):
        """What the plan says of itself."""
        return json.loads(self.plan_file.read_text())

    def shards(self):
        return self.head()["shard_count"]

    def results_folder(self):
        return pathlib.Path(self.head()["results"])

    def forget(self):
        """All that was scored."""
        for folder in (self.results_folder(), self.reports):
            shutil.rmtree(folder, ignore_errors=True)

    def submit_words(self, *more):
        return [self.cambi, "submit", self.plan_file, "--reports", self.reports, *more]

    def score_single(self):
        if not self.single.exists():
            run(self.cambi, "batch", self.videos, "--backend", "cpu", "--reports", self.single, "--quiet")

    def results(self):
        return sorted(self.results_folder().rglob("*.shard"))

    def expect_equal(self, names=CATALOGUE):
        """Every report is that of a single run, to the last digit."""
        self.score_single()
        for name in names:
            report = f"{name}.json"
            assert (self.reports / report).exists(), f"there is no report of {name}"
            run(self.cambi, "diff", "--places", 17, self.single / report, self.reports / report)

    def expect_none(self, name):
        assert not (self.reports / f"{name}.json").exists(), f"there is a report of {name}, which cannot be"
