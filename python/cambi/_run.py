"""Runs over pictures in memory: contexts, and what a run found."""
import array
import contextlib
import itertools
import json
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

from . import _library
from ._library import EUSAGE, NotFoundError, UsageError, call, encoded, library, written
from ._picture import OPEN, Format, Held, as_array, struct_of

# In the order of the enumerations of cambi.h.
REPORTS = ("xml", "json", "csv", "sub", "extended")
INT64 = "l" if array.array("l").itemsize == 8 else "q"  # NumPy's own int64 has the code of a long if that has 64 bits
CATALOGUES = ("features", "models", "devices")


@dataclass(frozen=True)
class Metric:
    """What a column of scores means; `better` is 1 if higher is better, -1 if lower is, else 0."""

    name: str
    title: str
    subject: str
    unit: str
    better: int
    noteworthy: Optional[float]
    noteworthy_meaning: str
    is_inner: bool  # requested by a model only


@dataclass(frozen=True)
class Threshold:
    """How a threshold came out; `value` is the statistic. `crossed` is None if it cannot be judged, as the videos do
    not fit together."""

    expression: str
    crossed: Optional[bool]
    value: float


@dataclass(frozen=True)
class PairFault:
    """What is wrong with a pair of videos: kind ("pictures", "range", "shift", ...), the sentence, whether it is certain
    that scores which compare the videos are wrong, and the first and last frame of each stretch that is compared
    wrongly (none: all frames)."""

    kind: str
    text: str
    certain: bool
    frames: List[Tuple[int, int]]


@dataclass(frozen=True)
class Backend:
    """What really ran; `device`, `driver` and `certificate` are empty on the CPU."""

    backend: str
    simd: str
    device: str
    driver: str
    repeated_frames: int
    certificate: str


class Handle:
    """A context or a run of the library, closed with the last reference to it; calls in progress hold one."""

    def __init__(self, opener: str, closer: str, *arguments: Any) -> None:
        self.held: List[Held] = []  # pictures that the run has
        self._as_parameter_ = c_void_p()
        call(opener, *arguments, byref(self._as_parameter_))
        self._close = getattr(library(), closer)

    def __del__(self) -> None:
        if hasattr(self, "_close"):
            self._close(self._as_parameter_)


class Owner:
    """What is closed with its `with` block, or earlier."""

    _handle: Optional[Handle]

    def _opened(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise UsageError(f"the {type(self).__name__.lower()} is closed", EUSAGE)
        return handle

    def close(self) -> None:
        """Calls in progress in other threads end first. What is closed may be closed again."""
        self._handle = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Context(Owner):
    """How runs compute. `log(level, text)` gets each note and warning of its runs, in the thread that pushes.

    >>> with Context(threads=1, backend="cpu") as context:
    ...     run = Run(context)
    >>> Context(backend="abacus")
    Traceback (most recent call last):
    cambi._library.UsageError: there is no backend "abacus"; it is auto, cpu, scalar, hybrid or vulkan
    """

    def __init__(self, threads: int = 0, backend: str = "auto", device: Union[None, int, str] = None,
                 cache_folder: Optional[str] = None, log: Optional[Callable[[str, str], None]] = None) -> None:
        self.log = log
        options = _library.Options(threads=threads, backend=encoded(backend),
                                   device=encoded(device if device is None else str(device)),
                                   cache_folder=encoded(cache_folder))
        self._handle = Handle("open", "cambi_close", byref(options))


class Run(Owner):
    """Scores pairs of pictures, frame by frame. One thread pushes; others may read scores and cancel meanwhile.

    >>> picture = memoryview(bytes(range(240)) * 160).cast("B", (160, 240))
    >>> with Run() as run:
    ...     run.add_feature("psnr")
    ...     run.push(picture, picture)
    ...     run.finish()
    ...     run.statistic("psnr_y", "mean")
    60.0
    """

    format = OPEN
    _context: Optional[Context] = None
    _told = 0

    def __init__(self, context: Optional[Context] = None, *, subsample: int = 1, frame_rate: float = 0,
                 prediction: bool = True, as_stored: bool = False, histograms: bool = False,
                 skip_unchanged: bool = False, format: Format = OPEN) -> None:
        self.format = format
        self._turn = threading.Lock()
        self._context = context or Context()
        options = _library.RunOptions(subsample=subsample, frame_rate=frame_rate, no_prediction=not prediction,
                                      as_stored=as_stored, histograms=histograms, skip_unchanged=skip_unchanged)
        self._handle = Handle("run_open", "cambi_run_close", self._context._opened(), byref(options))

    @classmethod
    def read(cls, report: str) -> "Run":
        """A finished run, from its JSON report: one of this package, of the program or of libvmaf."""
        run = cls.__new__(cls)
        run._turn = threading.Lock()
        text = report.encode()
        run._handle = Handle("run_read", "cambi_run_close", text, len(text))
        return run

    def add_feature(self, feature: str) -> None:
        """A feature by the words of the command line: "psnr", "cambi=topk=0.2"."""
        with self._turn:
            call("run_add_feature", self._opened(), encoded(feature))

    def add_model(self, model: str) -> None:
        """A model by the words of the command line: "vmaf_v0.6.1", "path=mine.json:name=mine", "auto"."""
        with self._turn:
            call("run_add_model", self._opened(), encoded(model))

    def push(self, reference: Any, distorted: Any) -> None:
        """Scores the next pair. A picture is an array of rows, a tuple of such planes, or a Picture.

        The library reads samples in place. Arrays are kept until a later call finds that it has read them, and
        nothing may write to them meanwhile. `reference` may be None.
        """
        pictures = [struct_of(distorted, self.format)]
        if reference is not None:
            pictures.append(struct_of(reference, self.format))
        structs = [byref(struct) for struct, _ in pictures]
        with self._turn:
            handle = self._opened()
            handle.held = [one for one in handle.held if not one.is_released()] + [held for _, held in pictures]
            self._tell(call, "run_push", handle, structs[0], structs[1] if len(structs) > 1 else None)

    def finish(self) -> None:
        """Scores what is left, as no frame follows."""
        with self._turn:
            handle = self._opened()
            self._tell(call, "run_finish", handle)
            handle.held.clear()

    def _tell(self, function: Any, *arguments: Any) -> None:
        """Calls what may find notes and warnings, and hands those that are new to the context's log."""
        try:
            function(*arguments)
        finally:
            if self._context is not None and self._context.log is not None:
                for remark in self.remarks(self._told):
                    self._told += 1
                    self._context.log(*remark)

    def cancel(self) -> None:
        """Ends the run's calls with Cancelled, at the latest when the frame in progress is done."""
        call("run_cancel", self._opened())

    def progress(self) -> Tuple[int, int]:
        """Number of frames that were pushed, and of rows that are scored."""
        pushed, rows = c_int64(), c_int64()
        call("run_progress", self._opened(), byref(pushed), byref(rows))
        return pushed.value, rows.value

    def _column(self, code: str, function: str, first: int, count: Optional[int], *metric: Any) -> Any:
        count = self.progress()[1] - first if count is None else count
        values = array.array(code, bytes(8 * max(count, 0)))
        call(function, self._opened(), *metric, first, count, values.buffer_info()[0])
        return as_array(values)

    def frames(self, first: int = 0, count: Optional[int] = None) -> Any:
        """Numbers of the frames of the rows, as a NumPy array if NumPy is installed, else an array.array."""
        return self._column(INT64, "run_frames", first, count)

    def scores(self, metric: str, first: int = 0, count: Optional[int] = None) -> Any:
        """Scores of the rows, as frames() has their numbers."""
        return self._column("d", "run_scores", first, count, encoded(metric))

    def score(self, metric: str, frame: int) -> Optional[float]:
        """A frame's score; None: not yet."""
        value = c_double()
        pending = call("run_score", self._opened(), encoded(metric), frame, byref(value))
        return None if pending else value.value

    def statistic(self, metric: str, statistic: str = "mean", first: int = 0, last: int = -1) -> float:
        """min, max, mean, harmonic_mean, stdev, median, p0 to p100 or share of rows, both included; -1: the last."""
        value = c_double()
        call("run_statistic", self._opened(), encoded(metric), encoded(statistic), first, last, byref(value))
        return value.value

    def text(self, name: str, frame: int) -> Optional[str]:
        """What a feature says of a frame in words, such as its "fingerprint"; None: not yet."""
        handle, text = self._opened(), c_char_p()
        pending = call("run_text", handle, encoded(name), frame, byref(text))
        return None if pending else (text.value or b"").decode()

    def texts(self, name: str) -> List[Optional[str]]:
        """The same of all rows."""
        return [self.text(name, int(frame)) for frame in self.frames()]

    def histogram(self, channel: str, frame: int) -> Any:
        """Number of samples in each bin; None: not yet. Needs: Run(histograms=True)."""
        handle, bins, count = self._opened(), POINTER(c_uint32)(), c_size_t()
        if call("run_histogram", handle, encoded(channel), frame, byref(bins), byref(count)):
            return None
        return as_array(array.array("I", bins[: count.value]))

    def aggregates(self) -> Dict[str, float]:
        """Figures of the whole run, such as "apsnr_y". Known when the run is finished."""
        value, found = c_double(), {}
        for name in json.loads(self.report("json")).get("aggregate_metrics", {}):
            call("run_aggregate", self._opened(), encoded(name), byref(value))
            found[name] = value.value
        return found

    def threshold(self, expression: str) -> Threshold:
        """Whether the rows there are cross a threshold: "vmaf:p5<80", "cambi:share>10%"."""
        crossed, value = c_int(), c_double()
        call("run_threshold", self._opened(), encoded(expression), byref(crossed), byref(value))
        return Threshold(expression, None if crossed.value < 0 else bool(crossed.value), value.value)

    def metrics(self) -> List[Metric]:
        """The metrics in the order of reports. Known once a pair was pushed."""
        one, found = _library.Metric(), []
        for _ in self._numbered("run_metric", 0, one):
            known = _library.members_of(one)
            known["noteworthy"] = one.noteworthy if known.pop("has_noteworthy") else None
            known["is_inner"] = bool(one.is_inner)
            found.append(Metric(**known))
        return found

    def remarks(self, first: int = 0) -> List[Tuple[str, str]]:
        """Notes and warnings so far: "note" or "warning", and what it says."""
        level, text = c_int(), c_char_p()
        return [(("note", "warning")[level.value], (text.value or b"").decode())
                for _ in self._numbered("run_remark", first, level, text)]

    def pair_faults(self) -> List[PairFault]:
        """What is wrong with the pair, as far as it is known. Some faults are known when the run is finished only."""
        one, found = _library.PairFault(), []
        for _ in self._numbered("run_pair_fault", 0, one):
            frames = [(one.frames[2 * place], one.frames[2 * place + 1]) for place in range(one.stretches)]
            found.append(PairFault(one.kind.decode(), one.text.decode(errors="replace"), bool(one.is_certain), frames))
        return found

    def _numbered(self, function: str, first: int, *places: Any) -> Iterator[None]:
        """Fills the places with one thing after another, until there is none of the number."""
        handle = self._opened()
        with contextlib.suppress(NotFoundError):
            for index in itertools.count(first):
                call(function, handle, index, *map(byref, places))
                yield

    def backend(self) -> Backend:
        """What really runs. Needs: a pair was pushed."""
        with self._turn:  # its texts live until the next push
            handle, one = self._opened(), _library.Backend()
            call("run_backend", handle, byref(one))
            return Backend(**_library.members_of(one))

    def report(self, format: str = "json") -> str:
        """The report of the rows there are: "json", "extended" (JSON with facts of the run), "xml", "csv" or "sub"."""
        if format not in REPORTS:
            raise UsageError(f"there is no report {format!r}; it is one of {', '.join(REPORTS)}", EUSAGE)
        return written("run_write", self._opened(), REPORTS.index(format))


def catalogue(which: str) -> List[Dict[str, Any]]:
    """The JSON array of what the library has: "features", "models" or "devices"."""
    found: List[Dict[str, Any]] = json.loads(written("catalogue", CATALOGUES.index(which)))
    return found
