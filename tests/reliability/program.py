"""Runs of the program with one fault each, and what they leave behind."""
import collections
import concurrent.futures
import csv
import dataclasses
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Far more than any run takes, on a busy machine as well: one that has not ended by then hangs.
TIME_LIMIT_S = 180
# Within that, processes end whose parent was killed.
LEFT_LIMIT_S = 10
OLD = b"of an earlier run\n"
VIDEO = "the video"  # that word of a command


@dataclasses.dataclass
class Fault:
    """What happens to a run: variables for tests/support/failing_calls.cpp and failing_vulkan.cpp, and a signal."""

    name: str = "none"
    environment: dict = dataclasses.field(default_factory=dict)
    signal: int = 0
    delay: float = 0  # of the signal; seconds
    video: str = ""  # in place of the work's

    @staticmethod
    def of_call(call, at, error=0, from_then_on=False, number=0, own=False):
        """The at-th call fails with that errno, or the signal of that number comes before it."""
        variables = {"CAMBI_FAIL_CALL": call, "CAMBI_FAIL_AT": str(at), "CAMBI_FAIL_ERRNO": str(error)}
        if from_then_on:
            variables["CAMBI_FAIL_ON"] = "1"
        if own:
            variables["CAMBI_FAIL_OWN"] = "1"
        if number:
            variables["CAMBI_FAIL_SIGNAL"] = str(int(number))
        what = signal.Signals(number).name if number else os.strerror(error)
        return Fault(f"{what} at {call} {at}{' and later' if from_then_on else ''}", variables, signal=int(number))

    def within(self, after, until):
        """Only if it comes after a file whose path ends with `after` was opened or got that name, and before `until`."""
        bounds = {"CAMBI_FAIL_AFTER": after, "CAMBI_FAIL_UNTIL": until}
        variables = {name: text for name, text in bounds.items() if text}
        return dataclasses.replace(self, environment=self.environment | variables)

    @staticmethod
    def of_device(call, at, result, from_then_on=False):
        return Fault(f"{result} of {call} {at}", {"CAMBI_VULKAN_FAULT": f"{call}:{at}{'+' if from_then_on else ''}:{result}"})

    @staticmethod
    def sent(number, delay):
        return Fault(f"{signal.Signals(number).name} after {delay * 1000:.0f} ms", signal=int(number), delay=delay)


@dataclasses.dataclass
class Outcome:
    code: int  # below 0: ended by that signal
    error: str
    files: dict  # path -> bytes
    happened: bool  # the fault did; None where that is not known
    hangs: bool
    left_running: bool
    trace: str

    @property
    def errors(self):
        return [line for line in self.error.splitlines() if line.startswith("cambi: error: ")]


def content(path, data):
    """What whole files of the same run have in common, as their times differ. Throws ValueError for a half written one."""
    name = pathlib.Path(path).name
    if name == "summary.csv":
        rows = list(csv.DictReader(io.StringIO(data.decode())))
        return {row["name"]: {key: row[key] for key in row if key not in NOT_OF_SCORES} for row in rows if row["frames"]}
    if name == "plan.json":
        return {title["name"]: title["distorted"] for title in json.loads(data)["titles"]}
    if path.endswith(".json"):
        value = json.loads(data)
        if name == "summary.json":
            return {video["name"]: video["scores"]["metrics"] for video in value["videos"] if video["scores"]}
        if "runs" in value:
            return {run["name"]: run["statistics"] for run in value["runs"]}
        return {key: member for key, member in value.items() if key not in ("fps", "run")}
    if path.endswith(".html"):
        return data.rstrip().endswith(b"</html>")
    if path.endswith(".xml"):
        return re.sub(rb' (fps|time|timestamp)="[^"]*"', b"", data)
    if path.endswith(".shard"):  # its length and this stand at its end
        if not data.endswith(b"cambi.\n\n") or int.from_bytes(data[-16:-8], "little") != len(data):
            raise ValueError
        return True
    return data


# Columns of summary.csv.
NOT_OF_SCORES = ("path", "state", "error", "message", "report")


class Program:
    """The build that is tested, and a folder for all that its runs write."""

    def __init__(self, build, folder):
        self.cambi = build / "cambi"
        self.calls = build / "libfailing_calls.so"
        self.has_devices = (build / "libfailing_vulkan.so").exists()
        self.folder = folder
        self.layers = folder / "layers"
        self.layers.mkdir()
        layer = {
            "name": "VK_LAYER_CAMBI_failing",
            "type": "GLOBAL",
            "library_path": str(build / "libfailing_vulkan.so"),
            "api_version": "1.3.0",
            "implementation_version": "1",
            "description": "makes calls fail",
        }
        (self.layers / "failing.json").write_text(json.dumps({"file_format_version": "1.2.0", "layer": layer}))
        self.number = 0
        self.lock = threading.Lock()

    def new_folder(self):
        with self.lock:
            self.number += 1
            folder = self.folder / f"run{self.number}"
        folder.mkdir()
        return folder

    def environment(self, fault, mark, cache):
        # A driver's own cache is none of the program's.
        environment = dict(os.environ, XDG_CACHE_HOME=str(cache), MESA_SHADER_CACHE_DISABLE="true")
        if any(name.startswith("CAMBI_FAIL_") for name in fault.environment):
            environment.update(LD_PRELOAD=str(self.calls), CAMBI_FAIL_MARK=str(mark), CAMBI_FAIL_TRACE=str(mark) + ".trace")
        if "CAMBI_VULKAN_FAULT" in fault.environment:
            environment.update(VK_INSTANCE_LAYERS="VK_LAYER_CAMBI_failing", VK_LAYER_PATH=str(self.layers))
            environment.update(CAMBI_VULKAN_MARK=str(mark))
        environment.update(fault.environment)
        return environment

    def run(self, words, fault=Fault(), folder=None, cold=False):
        """In that folder, or in one that is gone afterwards."""
        own = folder is None
        folder = folder or self.new_folder()
        mark = folder.with_suffix(".mark")
        trace = pathlib.Path(f"{mark}.trace")
        with tempfile.TemporaryFile("w+", errors="replace") as error:
            process = subprocess.Popen(
                [str(word) for word in [self.cambi, *words]],
                cwd=folder,
                env=self.environment(fault, mark, (folder if cold else self.folder) / "cache"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=error,
                start_new_session=True,
            )
            happened, hangs = self.wait(process, fault)
            # What it started has its group, and is none of a test's that runs beside it.
            left_running = stays(process.pid)
            if left_running:
                os.killpg(process.pid, signal.SIGKILL)
            error.seek(0)
            text = error.read()
        if fault.environment:
            happened = mark.exists()
        outcome = Outcome(process.returncode, text, files_in(folder), happened, hangs, left_running,
                          trace.read_text() if trace.exists() else "")
        mark.unlink(missing_ok=True)
        trace.unlink(missing_ok=True)
        if own:
            shutil.rmtree(folder)
        return outcome

    def destroyed_json(self, trace):
        """Whether a destructor of a JSON value made the call that failed."""
        addresses = re.findall(re.escape(str(self.cambi)) + r"[(][+](0x\w+)[)]", trace)
        names = subprocess.run(["addr2line", "-f", "-C", "-e", self.cambi, *addresses], stdin=subprocess.DEVNULL,
                               check=True, capture_output=True, text=True).stdout
        return "json_value::destroy(" in names

    @staticmethod
    def wait(process, fault):
        """Returns whether a signal that is sent found the program, and whether the program had to be killed."""
        happened = None
        try:
            if fault.delay:
                try:
                    process.wait(fault.delay)
                    happened = False
                except subprocess.TimeoutExpired:
                    process.send_signal(fault.signal)
                    happened = True
            if fault.signal == signal.SIGSTOP and process.returncode is None:
                status = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
                if status.si_code == os.CLD_STOPPED:
                    process.send_signal(signal.SIGCONT)
            process.wait(TIME_LIMIT_S)
            return happened, False
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return happened, True


def stays(group):
    """Whether there still is a process of that group after a while."""
    until = time.monotonic() + LEFT_LIMIT_S
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.01)
    return True


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@dataclasses.dataclass
class Work:
    """A command, and what it promises."""

    name: str
    words: list
    prepare: object = None  # called with the folder of a run before it starts
    goes_on: bool = False  # the same command completes what a run left
    video: str = ""  # that VIDEO stands for
    replaces: tuple = ()  # outputs that are there before
    codes: set = dataclasses.field(default_factory=lambda: {0})  # without a fault
    cold: bool = False  # with an empty cache


class Tally:
    """A row of the table."""

    def __init__(self, name, what):
        self.name, self.what = name, what
        self.runs = self.faults = 0
        self.codes = collections.Counter()
        self.broken = []

    def add(self, fault, outcome, complaints):
        self.runs += 1
        self.faults += outcome.happened is not False
        self.codes[outcome.code] += 1
        self.broken += [f"{self.name}: {fault.name}: {complaint}" for complaint in complaints]

    def line(self):
        codes = ", ".join(f"{code}: {count}" for code, count in sorted(self.codes.items()))
        return f"| {self.name} | {self.what} | {self.runs} | {self.faults} | {codes} | {len(self.broken)} |"


class Grid:
    """Runs of one kind of work with many faults, several at a time, held against a run without one."""

    def __init__(self, program, work):
        self.program, self.work = program, work
        self.codes = set()  # that a run with a fault may have, beside those without
        self.seconds = 0  # of a run without
        self.given = set()  # files of a folder before the run
        first = self.start()
        self.clean, self.errors = first.files, len(first.errors)
        self.whole = {path: content(path, data) for path, data in self.clean.items()
                      if path not in self.given and not path.endswith(".failed")}

    def start(self):
        """The first run, without a fault."""
        folder = self.prepared()
        self.given = {path for path, data in files_in(folder).items() if data != OLD}
        began = time.monotonic()
        outcome = self.run(folder, Fault())
        self.seconds = time.monotonic() - began
        shutil.rmtree(folder)
        assert outcome.code in self.work.codes, f"{self.work.name}: {outcome.code}\n{outcome.error}"
        return outcome

    def run(self, folder, fault):
        words = [(fault.video or self.work.video) if word == VIDEO else word for word in self.work.words]
        return self.program.run(words, fault, folder, self.work.cold)

    def prepared(self):
        folder = self.program.new_folder()
        for path in self.work.replaces:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(OLD)
        if self.work.prepare:
            self.work.prepare(folder)
        return folder

    def attempt(self, fault):
        """Returns the outcome, and what is wrong with it."""
        folder = self.prepared()
        try:
            outcome = self.run(folder, fault)
            complaints = list(self.complaints(fault, outcome))
            if self.work.goes_on and outcome.code != 0:
                again = self.run(folder, Fault(video=fault.video))
                if again.code not in self.work.codes:
                    complaints.append(f"goes on with code {again.code}: {again.error}")
                else:
                    may_stay = fault.signal == signal.SIGKILL
                    complaints += [f"goes on: {text}" for text in self.differences(again.files, True, may_stay)]
            return outcome, complaints
        finally:
            shutil.rmtree(folder)

    def complaints(self, fault, outcome):
        killed = fault.signal == signal.SIGKILL
        # Before the program has begun, a signal ends it as it does any.
        is_default = outcome.code == -fault.signal or "KeyboardInterrupt" in outcome.error
        too_early = fault.delay and is_default and not self.has_written(outcome.files)
        if outcome.hangs:
            yield f"hangs; {outcome.error}"
            return
        if outcome.left_running:
            yield "left a process running"
        if outcome.code < 0 and not too_early and not (killed and outcome.code == -signal.SIGKILL):
            yield f"ended by signal {-outcome.code}: {outcome.error}\n{outcome.trace}"
        elif outcome.code >= 0 and outcome.code not in self.codes | self.work.codes and not too_early:
            yield f"exit code {outcome.code}: {outcome.error}"
        if outcome.code > 0 and outcome.code < 128 and outcome.code not in self.work.codes and not outcome.errors:
            yield f"exit code {outcome.code} without an error: {outcome.error}"
        # An exit code that is not 0 without a fault may be that of several failures.
        is_whole = outcome.code in self.work.codes and (outcome.code == 0 or len(outcome.errors) == self.errors)
        yield from self.differences(outcome.files, is_whole, killed)
        if outcome.code == 0:
            yield from (f"left {path}" for path in outcome.files if is_partial(path))
        if self.work.name == "batch" and "out/summary.json" in outcome.files:
            videos = json.loads(outcome.files["out/summary.json"])["videos"]
            named = {f"out/{video['partial']}" for video in videos if video["partial"]}
            if named != {path for path in outcome.files if path.endswith(".json.partial")}:
                yield f"the summary names other partial reports: {named}"

    def has_written(self, files):
        return any(path not in self.given and data != OLD for path, data in files.items())

    def differences(self, files, must_be_there, may_stay):
        for path, data in files.items():
            if path in self.given or path.startswith("cache/"):
                continue
            if is_temporary(path):
                if not may_stay:
                    yield f"left {path}"
            elif path.endswith(".failed"):
                if not re.fullmatch(rb"[^\n]+\n", data):
                    yield f"{path} is no sentence: {data!r}"
            elif path in self.whole:
                if data == OLD and not must_be_there:
                    continue
                if not is_equal(path, data, self.whole[path], must_be_there):
                    yield f"{path} is not what a run without a fault writes: {data[:60]!r}"
            elif is_partial(path):
                yield from self.of_partial(path, data)
            else:
                yield f"{path} is new"
        if must_be_there:
            cached = (path for path in self.whole if path.startswith("cache/"))
            yield from (f"{path} is missing" for path in self.whole.keys() - files.keys() - set(cached))

    def costs_one(self, fault, outcome, complaints):
        """What fails once costs one video or shard at most, but where a destructor lacks memory, which ends the process."""
        if self.program.destroyed_json(outcome.trace):
            return complaints
        results = [path for path in self.whole if re.search(r"[.]y4m[.]json$|[.]shard$", path)]
        missing = [path for path in results if path not in outcome.files]
        return [*complaints, f"lacks {missing}: {outcome.error}"] if len(missing) > 1 else complaints

    def of_partial(self, path, data):
        """Frames that were scored before, as without a fault."""
        whole = path.replace(".partial", "")
        if not path.endswith(".json.partial") or whole not in self.clean:
            return
        try:
            kept = json.loads(data).get("frames")
        except ValueError:
            yield f"{path} is half written: {data[:60]!r}"
            return
        if kept is None:  # a comparison
            if not is_equal(whole, data, self.whole[whole], of_all=False):
                yield f"{path} is not what a run without a fault writes"
            return
        frames = {frame["frameNum"]: frame["metrics"] for frame in json.loads(self.clean[whole])["frames"]}
        for frame in kept:
            expected = frames[frame["frameNum"]]
            # As at the end of any video, the last frame lacks the one after it.
            left_out = OF_NEIGHBOURS if frame is kept[-1] else ()
            if any(value != expected[name] for name, value in frame["metrics"].items() if name not in left_out):
                yield f"{path} has other scores of frame {frame['frameNum']}"

    def all_of(self, tally, faults, codes, each=None, some_end=()):
        """`codes`: that a run with a fault may have, beside those without. `each` is called with a fault, its outcome and its
        complaints, and returns what remains of these. `some_end`: codes one of which some run must have."""
        self.codes = set(codes)
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for fault, (outcome, complaints) in zip(faults, pool.map(self.attempt, faults)):
                if each:
                    complaints = each(fault, outcome, complaints)
                tally.add(fault, outcome, complaints)
        if some_end and not tally.codes.keys() & set(some_end):
            tally.broken.append(f"{tally.name}: {tally.what}: ended no run")
        print(tally.line(), *tally.broken, sep="\n", file=sys.stderr, flush=True)

    def uses(self, make_fault, most=1_000_000):
        """The number of calls that a run without a fault makes, or `most`, found by halving."""
        low, high = 0, 1
        while high < most and self.happens(make_fault(high)):
            low, high = high, high * 2
        high = min(high, most)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.happens(make_fault(middle)) else (low, middle)
        return low

    def happens(self, fault):
        return self.attempt(fault)[0].happened


# Of a frame and those beside it.
OF_NEIGHBOURS = ("integer_motion2", "integer_motion3", "vmaf")


def is_temporary(path):
    return pathlib.Path(path).name.startswith(".cambi-")


def is_partial(path):
    return path.endswith(".partial") or ".partial." in path


def is_equal(path, data, whole, of_all):
    """What is about several videos may have those alone that did not fail, unless `of_all`."""
    try:
        found = content(path, data)
    except ValueError:
        return False
    if isinstance(found, dict) and not of_all and OF_SEVERAL.search(path):
        return found.items() <= whole.items()
    return found == whole


OF_SEVERAL = re.compile(r"(^|/)(summary|plan|c)[.](csv|json)$")


def thinned(numbers, most):
    """As many of them, evenly spread."""
    numbers = list(numbers)
    if most is None or len(numbers) <= most:
        return numbers
    return [numbers[i * len(numbers) // most] for i in range(most)]
