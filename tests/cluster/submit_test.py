#!/usr/bin/env python3
"""scripts/cambi-submit: its parts, its scripts with a made-up Slurm, and local runs.

Usage: submit_test.py CAMBI [arguments of unittest]
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/cambi-submit"
CAMBI = ""  # set below


def load():
    loader = importlib.machinery.SourceFileLoader("cambi_submit", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("cambi_submit", loader))
    loader.exec_module(module)
    return module


submit = load()


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.patch_environment(CAMBI_PROGRAM="/opt/cambi")

    def patch_environment(self, **variables):
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def work(self, shards, missing=None, **facts):
        """Of a plan that there is no file of."""
        missing = range(shards) if missing is None else missing
        return submit.Work("/plans/season1.json", {
            "version": "1", "results": str(self.folder), "arguments": [], "shards": shards, "threads": 1, "memory_bytes": 0,
            "missing": [{"shard": i, "result": str(self.folder / f"{i}.shard"), "share": 1 / shards} for i in missing], **facts})

    def lines(self, name):
        return (self.folder / name).read_text(encoding="utf-8").splitlines()


def request(*words):
    return submit.read_command_line(["/plans/season1.json", *words] if "--" not in words else list(words))


class CommandLine(unittest.TestCase):
    def test_passes_flags_to_merge_and_options_to_sbatch(self):
        read = submit.read_command_line(["--reports=r", "--wait", "--gpus=1", "--tasks=7", "--fail-above=p95>5", "--progress=json",
                                         "--quiet", "--by=max", "p.json", "--", "--partition=long", "-t", "1:00:00"])
        self.assertEqual(read.plan, os.path.abspath("p.json"))
        self.assertEqual(read.options, ["--partition=long", "-t", "1:00:00"])
        self.assertEqual(read.merge, ["--reports=" + os.path.abspath("r"), "--fail-above=p95>5", "--quiet", "--by=max"])
        self.assertEqual((read.wait, read.quiet, read.dry_run, read.gpus, read.tasks, read.at_once, read.progress),
                         (True, True, False, 1, 7, 0, "json"))

    def test_gives_paths_to_jobs_that_run_anywhere(self):
        names = ["--html=%sx.html", "--junit=%sj.xml", "--baseline=%sold.json", "--scenes=%ss.csv", "--scenes-from=%scuts.json",
                 "--segments-output=x265:%sz:1.txt"]
        words = ["--html=-", "--scenes=table", "--segments-output=csv:-", "--fail-above=mean>+1"]
        read = request("--reports=r", *(name % "" for name in names), *words)
        self.assertEqual(read.merge[1:], [name % (os.getcwd() + "/") for name in names] + words)

    def test_refuses_numbers_that_are_none(self):
        for text in ("", "-1", "x", "2000000"):
            with self.assertRaises(submit.Failure) as caught:
                request("--reports=r", f"--at-once={text}")
            self.assertEqual(caught.exception.code, 1)


class TaskArray(unittest.TestCase):
    def test_has_a_task_for_each_shard_that_is_missing(self):
        self.assertEqual(submit.task_array(4, range(4), 1001), (1, 4, "0-3"))
        self.assertEqual(submit.task_array(1, [0], 1001), (1, 1, "0"))
        self.assertEqual(submit.task_array(10, [0, 1, 2, 5, 8, 9], 1001), (1, 6, "0-2,5,8-9"))
        self.assertEqual(submit.task_array(10, [], 1001), (1, 0, ""))

    def test_stays_below_what_the_cluster_takes(self):
        self.assertEqual(submit.task_array(2002, range(2002), 1001), (2, 1001, "0-1000"))
        self.assertEqual(submit.task_array(2003, range(2003), 1001), (3, 668, "0-667"))
        # Tasks are numbered as they are without results, so that each has the same shards.
        self.assertEqual(submit.task_array(2003, [0, 1, 9, 2002], 1001), (3, 3, "0,3,667"))

    def test_of_too_many_pieces_is_given_whole(self):
        self.assertEqual(submit.task_array(8000, range(1, 8000, 2), 10000), (1, 8000, "0-7999"))


# Notes its arguments and its script under the number of the call, and that number is the job's id.
FAKE_SBATCH = """#!/bin/sh
folder=$(dirname "$0")
number=$(cat "$folder/number" 2>/dev/null || echo 6)
number=$((number + 1))
echo "$number" >"$folder/number"
for word in "$@"; do printf '%s\\n' "$word"; done >"$folder/words-$number"
cat >"$folder/script-$number"
echo "$number;cluster"
"""


class SlurmScript(Folder):
    def setUp(self):
        super().setUp()
        self.program("sbatch", FAKE_SBATCH)
        self.patch_environment(PATH=f"{self.folder}:/usr/bin:/bin")

    def script(self, work, *words, array_size=1001):
        return submit.slurm_script(request("--reports=/reports", *words), work, array_size)

    def run_shell(self, script, shell="sh", **environment):
        return subprocess.run([shell, "-c", script], env={**os.environ, **environment}, text=True, capture_output=True, check=False)

    def test_shards_score_what_the_merge_compares_anyway(self):
        work = submit.Work("/plans/season1.json", self.work(1).facts, ["--compare-anyway"])
        self.assertIn('--threads "${SLURM_CPUS_PER_TASK:-1}" --compare-anyway --quiet', self.script(work))
        self.assertIn("--compare-anyway", submit.shard_words(work, 0, 1, ""))

    def test_asks_for_what_the_plan_needs(self):
        script = self.script(self.work(12, threads=4, memory_bytes=3 * 2**30))
        for line in ("--array=0-11", "--requeue", "--cpus-per-task=4", "--mem=4096M"):
            self.assertIn(f"#SBATCH {line}\n", script)
        for word in ("gres", "--device", "--each"):
            self.assertNotIn(word, script)
        self.assertIn("--mem=512M", self.script(self.work(12)))

    def test_asks_for_gpus_and_fewer_tasks_at_a_time(self):
        script = self.script(self.work(12), "--gpus=2", "--at-once=5", "--tasks=6")
        for text in ("#SBATCH --array=0-5%5\n", "#SBATCH --gres=gpu:2\n", "--device all", "--each 2"):
            self.assertIn(text, script)
        self.assertIn("--each 3", self.script(self.work(12), "--tasks=6", array_size=4))

    def test_prints_the_ids_of_both_jobs(self):
        for shell in ("sh", "bash"):
            (self.folder / "number").unlink(missing_ok=True)
            done = self.run_shell(self.script(self.work(12)), shell)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "7 8\n", ""), shell)
            logs = self.folder / "logs"
            self.assertTrue(logs.is_dir())
            self.assertEqual(self.lines("words-7"), ["--parsable", "--job-name=season1", f"--output={logs}/shards-%A_%a.log"])
            self.assertEqual(self.lines("words-8"), ["--parsable", "--job-name=season1-merge", f"--output={logs}/merge-%j.log",
                                                     "--dependency=afterany:7"])

    def test_merges_at_once_where_nothing_is_missing(self):
        self.assertEqual(self.run_shell(self.script(self.work(12, missing=[]))).stdout, " 7\n")
        self.assertNotIn("dependency", "".join(self.lines("words-7")))

    def test_keeps_every_character_of_paths_and_options(self):
        awkward = "it's 100% $HOME `id` \"x\" \\n"
        program = self.program("program", "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\n' \"$word\"; done\n")
        self.patch_environment(CAMBI_PROGRAM=str(program))
        work = self.work(12, results=str(self.folder / awkward))
        work.plan = f"/plans/{awkward}"
        read = request(f"--reports=/reports/{awkward}", work.plan, "--", f"--comment={awkward}", "--partition", "long")
        done = self.run_shell(submit.slurm_script(read, work, 1001))
        self.assertEqual(done.returncode, 0, done.stderr)
        doubled = awkward.replace("%", "%%")
        self.assertEqual(self.lines("words-7")[2:], [f"--output={self.folder}/{doubled}/logs/shards-%A_%a.log",
                                                     f"--comment={awkward}", "--partition", "long"])
        shard = self.run_shell((self.folder / "script-7").read_text(), SLURM_ARRAY_TASK_ID="3", SLURMD_NODENAME="n1",
                               SLURM_CPUS_PER_TASK="2")
        self.assertEqual(shard.stdout.splitlines()[1:], ["shard", work.plan, "--index", "3", "--threads", "2", "--quiet"])
        merge = self.run_shell((self.folder / "script-8").read_text(), SLURM_JOB_ID="8")
        self.assertEqual(merge.stdout.splitlines(), ["merge", work.plan, f"--reports=/reports/{awkward}"])
        self.assertEqual(self.lines(f"{awkward}/logs/merge-8.code"), ["0"])

    def test_tries_again_what_may_go_well_elsewhere(self):
        program = self.program("program", "#!/bin/sh\n[ $CODE -lt 128 ] || kill -$((CODE - 128)) $$\nexit $CODE\n")
        self.program("scontrol", "#!/bin/sh\necho \"$@\"\n")
        self.patch_environment(CAMBI_PROGRAM=str(program), SLURM_ARRAY_TASK_ID="3", SLURMD_NODENAME="n1", SLURM_JOB_ID="70")
        self.run_shell(self.script(self.work(12)))
        task = (self.folder / "script-7").read_text()

        def is_tried_again(code, starts):
            done = self.run_shell(task, CODE=str(code), SLURM_RESTART_COUNT=str(starts))
            self.assertEqual(done.returncode, code)
            return "requeue 70" in done.stdout

        for code in (4, 5, 8, 70, 134, 137, 139):
            self.assertEqual([is_tried_again(code, starts) for starts in (0, 1, 2)], [True, True, False], code)
        for code in (0, 1, 2, 3, 6, 130, 143):  # the last two: somebody asked it to stop
            self.assertFalse(is_tried_again(code, 0), code)


class Waiting(Folder):
    """For a merge job of the id 8."""

    def setUp(self):
        super().setUp()
        self.slept, self.interrupt = 0, mock.Mock(number=0, sleep=self.sleep)
        (self.folder / "logs").mkdir()
        (self.folder / "logs/merge-8.log").write_text("what the merge said\n")

    def sleep(self, seconds):
        self.slept += seconds

    def note(self, code):
        (self.folder / "logs/merge-8.code").write_text(f"{code}\n")

    def wait(self, ask, work=None):
        work = work or self.work(4)
        out, self.shown = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(self.shown):
            code = submit.wait_for_slurm(["7", "8"], work, submit.Progress("json", work), self.interrupt, ask)
        return code, out.getvalue()

    def events(self):
        return [json.loads(line) for line in self.shown.getvalue().splitlines() if line.startswith("{")]

    def test_ends_with_the_code_of_the_merge(self):
        (self.folder / "1.failed").write_text("x\n")
        (self.folder / "3.shard").write_text("of another plan")
        self.interrupt.sleep = lambda seconds: ((self.folder / "0.shard").write_text("new"), self.note(7))
        self.assertEqual(self.wait(lambda job: (True, "")), (7, "what the merge said\n"))
        first, last = self.events()
        self.assertEqual((first["event"], first["shards"], first["done"], first["failed"]), ("progress", 4, 0, 1))
        self.assertEqual((last["event"], last["done"], last["percent"]), ("finish", 1, 25.0))

    def test_gives_up_on_a_merge_that_is_gone_without_a_code(self):
        looks = iter([True] * 3)
        with self.assertRaisesRegex(submit.Failure, "job 8 .*merge-8.log") as caught:
            self.wait(lambda job: (next(looks, False), ""))
        self.assertEqual(caught.exception.code, 6)
        self.assertGreaterEqual(self.slept, 90)  # as long as a file of another machine may take to be seen

    def test_waits_for_a_controller_that_does_not_answer(self):
        def sleep(seconds):
            self.sleep(seconds)
            if self.slept > 1000:
                self.note(0)

        self.interrupt.sleep = sleep
        self.assertEqual(self.wait(lambda job: (None, "Unable to contact slurm controller"))[0], 0)
        self.assertEqual(self.shown.getvalue().count("Unable to contact"), 1)

    def test_leaves_the_jobs_after_a_signal(self):
        def sleep(seconds):
            self.interrupt.number = signal.SIGINT

        self.interrupt.sleep = sleep
        self.assertEqual(self.wait(lambda job: (True, "")), (130, ""))
        self.assertIn("scancel 7 8", self.shown.getvalue())

    def test_asks_squeue(self):
        self.patch_environment(PATH=f"{self.folder}:/usr/bin:/bin")
        self.program("squeue", "#!/bin/sh\nprintf '7\\n88\\n'\n")
        self.assertEqual([submit.is_queued(job) for job in ("7", "8")], [(True, ""), (False, "")])
        self.program("squeue", "#!/bin/sh\necho 'Unable to contact\nit' >&2\nexit 1\n")
        self.assertEqual(submit.is_queued("7"), (None, "Unable to contact"))

    def test_asks_scontrol_for_the_largest_array(self):
        self.patch_environment(PATH=f"{self.folder}:/usr/bin:/bin")
        self.assertEqual(submit.max_array_size(), 1001)
        self.program("scontrol", "#!/bin/sh\necho 'MaxArrayTasks = 3'\necho 'MaxArraySize            = 5001'\n")
        self.assertEqual(submit.max_array_size(), 5001)


class Progress(Folder):
    def test_tells_the_time_left_by_the_pace_since_the_start(self):
        now, shown = 100, io.StringIO()
        with contextlib.redirect_stderr(shown):
            progress = submit.Progress("plain", self.work(8, missing=range(4, 8)), lambda: now)
            now = 105
            progress.show((5, 0, 0.625))
            self.assertEqual(shown.getvalue(), "")
            now = 120
            progress.show((6, 1, 0.75))
        self.assertEqual(shown.getvalue(), "6/8 shards  75%  0:00:20 left  1 failed\n")

    def test_redraws_a_line(self):
        shown = io.StringIO()
        with contextlib.redirect_stderr(shown):
            progress = submit.Progress("bar", self.work(8), lambda: 1)
            progress.show((0, 2, 0.0))
            progress.show((0, 0, 0.0))
            progress.finish((0, 0, 0.0))
        self.assertEqual(shown.getvalue(), "\r0/8 shards  0%  2 failed\r0/8 shards  0%          " + "\r" + " " * 14 + "\r")


class LocalShares(Folder):
    def shares(self, cores, gibibytes, at_once=0, missing=range(20), arguments=(), devices=()):
        work = self.work(20, missing, threads=2, memory_bytes=2**30, arguments=list(arguments))
        machine = {"cores": cores, "memory_bytes": int(gibibytes * 2**30), "devices": list(devices)}
        return submit.local_shares(work, machine, at_once)

    def test_keep_cores_busy_and_stay_within_memory(self):
        self.assertEqual(self.shares(16, 64), (8, 2, []))
        self.assertEqual(self.shares(16, 64, at_once=3), (3, 5, []))
        self.assertEqual(self.shares(16, 5), (5, 3, []))
        self.assertEqual(self.shares(1, 0), (1, 1, []))
        self.assertEqual(self.shares(16, 64, missing=range(2)), (2, 8, []))

    def test_spread_over_the_gpus(self):
        devices = [{"index": 0, "type": "discrete", "usable": True}, {"index": 1, "type": "software", "usable": True},
                   {"index": 2, "type": "integrated", "usable": True}, {"index": 3, "type": "discrete", "usable": False}]
        self.assertEqual(self.shares(4, 64, devices=devices)[2], ["0", "2"])
        for word in ("--backend=cpu", "--backend=scalar", "--device=1"):
            self.assertEqual(self.shares(4, 64, devices=devices, arguments=[word])[2], [])
        self.assertEqual(submit.shard_words(self.work(1), 7, 1, "2"),
                         ["/opt/cambi", "shard", "/plans/season1.json", "--index", "7", "--threads", "1", "--quiet",
                          "--device", "2"])


class LocalProgram(Folder):
    """A plan of one title in five shards."""

    def setUp(self):
        super().setUp()
        del os.environ["CAMBI_PROGRAM"]

    def path(self, name):
        return str(self.folder / name)

    def run_program(self, *words, code=0):
        done = subprocess.run(words, text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, code, f"{words}:\n{done.stdout}{done.stderr}")
        return done

    def plan(self, size="320x180", backend="cpu"):
        self.run_program("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", f"gradients=seed=7:speed=0.02:rate=25:size={size}",
                         "-frames:v", "100", "-c:v", "libx264", "-qp", "30", "-g", "10", "-pix_fmt", "yuv420p",
                         self.path("video.mkv"))
        self.run_program(CAMBI, "plan", self.path("video.mkv"), "--shard-frames", "20", "--backend", backend,
                         "-o", self.path("plan.json"), "--quiet")

    def words(self, *more):
        return [CAMBI, "submit", self.path("plan.json"), "-o", self.path("merged.json"), "--engine", "local", *more]

    def expect_as_single(self):
        self.run_program(CAMBI, self.path("video.mkv"), "--backend", "cpu", "--extended", "--precision", "max", "-q",
                         "-o", self.path("single.json"))
        self.run_program(CAMBI, "diff", "--places", "17", self.path("single.json"), self.path("merged.json"))

    def test_scores_a_plan_as_a_single_run_does(self):
        self.plan()
        done = self.run_program(*self.words("--precision", "max", "--extended", "--progress", "json"))
        last = json.loads(next(line for line in done.stderr.splitlines() if "finish" in line))
        self.assertEqual((last["shards"], last["done"], last["failed"], last["percent"]), (5, 5, 0, 100.0))
        self.assertEqual(len(list(self.folder.rglob("*.shard"))), 5)
        self.expect_as_single()

    def test_prints_a_script_that_does_the_same(self):
        self.plan()
        script = self.run_program(*self.words("--dry-run", "--precision", "max", "--extended")).stdout
        self.assertFalse((self.folder / "plan.shards").exists())
        self.run_program("sh", "-c", script)
        self.expect_as_single()

    def test_ends_with_the_code_of_the_merge(self):
        self.plan()
        self.run_program(*self.words("--fail-above", "mean>=0"), code=7)
        self.run_program(*self.words("--fail-above", "mean>100"))
        # Without a name of the program, as when it is called by itself.
        beside = os.path.join(os.path.dirname(CAMBI), "cambi-submit")
        self.run_program(beside, *self.words("--fail-above", "mean>=0")[2:], code=7)

    def test_refuses_what_merge_would_before_anything_is_scored(self):
        self.plan()
        for words in (["--by", "max"], ["--fail-above", "mean>>5"], ["--backend", "cpu"]):
            self.run_program(*self.words(*words), code=1)
        self.assertFalse((self.folder / "plan.shards").exists())

    def test_tells_of_a_video_that_changed(self):
        self.plan()
        with open(self.path("video.mkv"), "ab") as video:
            video.write(b"more")
        done = self.run_program(*self.words("--progress", "json"), code=6)
        self.assertIn('"failed": 5', done.stderr)
        self.assertFalse((self.folder / "merged.json").exists())

    def test_stops_its_shards_and_goes_on_later(self):
        self.plan("640x360", "scalar")
        with subprocess.Popen(self.words("--progress", "json"), stderr=subprocess.PIPE, text=True) as process:
            self.assertIn('"progress"', process.stderr.readline())
            process.send_signal(signal.SIGTERM)
            self.assertIn("interrupted", process.communicate()[1])
            self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertFalse((self.folder / "merged.json").exists())
        # No process of it is left that would write a result.
        self.run_program("pgrep", "-f", self.path("plan.json"), code=1)
        self.run_program(*self.words("--quiet"))
        self.assertTrue((self.folder / "merged.json").exists())

    def test_takes_signals_while_python_starts_and_ends(self):
        self.plan()
        self.patch_environment(PYTHONPATH=self.path("python"))
        (self.folder / "python").mkdir()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            send = f"import os; os.kill(os.getpid(), {int(number)})\n"
            self.program("python/sitecustomize.py", send)
            done = self.run_program(*self.words("--quiet"), code=128 + number)
            self.assertRegex(done.stderr, r"\Acambi: error: interrupted;[^\n]*\n\Z")
            at_end = f"class Last:\n  def __del__(self, kill=os.kill, own=os.getpid()): kill(own, {int(number)})\nlast = Last()\n"
            self.program("python/sitecustomize.py", "import os\n" + at_end)
            self.run_program(*self.words("--quiet"))
            (self.folder / "merged.json").unlink()

    def test_needs_a_plan_and_for_slurm_a_scheduler(self):
        (self.folder / "plan.json").write_text("{}\n")
        self.run_program(*self.words(), code=2)
        self.plan()
        (self.folder / "bin").mkdir()
        os.symlink(sys.executable, self.folder / "bin/python3")
        self.patch_environment(PATH=self.path("bin"))
        done = self.run_program(CAMBI, "submit", self.path("plan.json"), "--reports", self.path("r"), code=1)
        self.assertIn("--engine local", done.stderr)

    def test_is_found_beside_the_program_or_in_path(self):
        alone = shutil.copy(CAMBI, self.folder)
        self.patch_environment(PATH=self.path("bin"))
        self.assertIn("cambi-submit", self.run_program(alone, "submit", "plan.json", code=1).stderr)
        (self.folder / "bin").mkdir()
        for folder in ("bin", "."):  # what lies beside the program wins
            self.program(f"{folder}/cambi-submit", f"#!/bin/sh\necho {folder} $CAMBI_PROGRAM \"$@\"\n")
            done = self.run_program(alone, "submit", "-q", "--by", "max", "plan.json", "--", "-t", "1")
            self.assertEqual(done.stdout, f"{folder} {alone} --quiet --by=max plan.json -- -t 1\n")

    def test_hands_a_plan_to_slurm(self):
        self.plan()
        self.program("sbatch", FAKE_SBATCH)
        self.program("squeue", "#!/bin/sh\n")
        self.patch_environment(PATH=f"{self.folder}:{os.environ['PATH']}")
        words = [CAMBI, "submit", self.path("plan.json"), "-o", self.path("merged.json")]
        done = self.run_program(*words, "--", "--time=1")
        self.assertEqual(done.stdout, "array 7\nmerge 8\n")
        self.assertIn("plan.shards/logs", done.stderr)
        self.assertEqual(self.lines("words-7")[-1], "--time=1")
        for task in range(5):
            self.run_program("env", f"SLURM_ARRAY_TASK_ID={task}", "SLURMD_NODENAME=n1", "sh", self.path("script-7"))
        self.run_program("env", "SLURM_JOB_ID=9", "sh", self.path("script-8"))
        # Nothing is left but the merge, whose job has the next number.
        done = self.run_program(*words, "--wait", "--quiet")
        self.assertEqual(done.stdout, "merge 9\n")
        self.program("sbatch", "#!/bin/sh\necho 'sbatch: error: no such partition' >&2\nexit 1\n")
        self.assertIn("no such partition", self.run_program(*words, code=4).stderr)


if __name__ == "__main__":
    CAMBI = os.path.abspath(sys.argv.pop(1))
    unittest.main()
