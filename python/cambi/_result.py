"""What a finished run found, whether it scored arrays or files, or was saved before."""
import html
import json
import os
import pathlib
from typing import Any, Dict, Iterator, List, Sequence, Tuple, Union

from ._library import EFORMAT, EOUTPUT, Error, FormatError
from ._run import Metric, PairFault, Run, Threshold

STATISTICS = ("mean", "min", "p5", "p50", "p95", "max")


class Result:
    """Scores of a run, by the names of its metrics.

    >>> result = Result(Run.read('{"frames": [{"frameNum": 0, "metrics": {"vmaf": 80.5}},'
    ...                          ' {"frameNum": 1, "metrics": {"vmaf": 90.5}}]}'), ["vmaf:min<85"])
    >>> [float(score) for score in result["vmaf"]]
    [80.5, 90.5]
    >>> result.mean("vmaf"), result.statistic("vmaf", "p25"), result.passed
    (85.5, 83.0, False)
    >>> result
    metric    mean     min      p5     p50     p95     max
    vmaf    85.500  80.500  81.000  85.500  90.000  90.500
    crossed: vmaf:min<85 (80.5)
    """

    def __init__(self, run: Run, thresholds: Sequence[str] = (), name: str = "") -> None:
        self.run = run  # finished
        self.name = name
        self.metrics: Dict[str, Metric] = {metric.name: metric for metric in run.metrics()}
        self.frames = run.frames()
        self.thresholds: List[Threshold] = [run.threshold(expression) for expression in thresholds]
        self._columns: Dict[str, Any] = {}

    @property
    def columns(self) -> List[str]:
        """Names of the metrics, in the order of reports."""
        return list(self.metrics)

    def __getitem__(self, metric: str) -> Any:
        if metric not in self._columns:
            self._columns[metric] = self.run.scores(metric)
        return self._columns[metric]

    def __contains__(self, metric: object) -> bool:
        return metric in self.metrics

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        """Number of scored frames."""
        return len(self.frames)

    def mean(self, metric: str) -> float:
        return self.run.statistic(metric, "mean")

    def statistic(self, metric: str, statistic: str) -> float:
        """min, max, mean, harmonic_mean, stdev, median, p0 to p100, or share: of noteworthy frames, 0 to 1."""
        return self.run.statistic(metric, statistic)

    @property
    def passed(self) -> bool:
        """Whether all thresholds are kept. False where one cannot be judged, and without thresholds where the scores are
        not comparable."""
        return all(threshold.crossed is False for threshold in self.thresholds) if self.thresholds else self.comparable

    @property
    def pair_faults(self) -> List[PairFault]:
        """What is wrong with the pair of videos; a fault that is certain makes scores which compare them worthless."""
        return self.run.pair_faults()

    @property
    def comparable(self) -> bool:
        """Whether the videos fit together, so that scores which compare them say something of quality."""
        return not any(fault.certain for fault in self.pair_faults)

    @property
    def notes(self) -> List[str]:
        return [text for kind, text in self.run.remarks() if kind == "note"]

    @property
    def warnings(self) -> List[str]:
        return [text for kind, text in self.run.remarks() if kind == "warning"]

    @property
    def facts(self) -> Dict[str, Any]:
        """`run` of the extended report: inputs, models, backend and more."""
        facts: Dict[str, Any] = json.loads(self.report("extended")).get("run", {})
        return facts

    def report(self, format: str = "json") -> str:
        """The report as "json", "extended" (JSON with facts about the run), "xml", "csv" or "sub"."""
        return self.run.report(format)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the extended report, which load(), compare() and the program read."""
        text = self.report("extended")
        try:
            pathlib.Path(path).write_text(text, encoding="utf-8")
        except (OSError, ValueError) as error:
            raise Error(f"{os.fspath(path)} cannot be written: {getattr(error, 'strerror', error)}", EOUTPUT) from None

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each scored frame: its time in seconds where that is known, scores of models, what
        else was asked for, and what only models score from. Needs pandas."""
        try:
            import pandas  # type: ignore[import]
        except ImportError:
            raise Error("to_pandas() needs pandas: pip install pandas") from None
        document = json.loads(self.report("extended"))
        times = [frame.get("timestamp") for frame in document["frames"]]
        models = {model["name"] for model in document["run"].get("models", [])}
        names = sorted(self, key=lambda name: (name not in models, self.metrics[name].is_inner))
        columns = {} if None in times else {"timestamp": times}
        columns.update({name: self[name] for name in names})
        return pandas.DataFrame(columns, index=pandas.Index(self.frames, name="frame"))

    def table(self) -> List[Tuple[str, ...]]:
        """A heading, and a row of statistics for each metric that was asked for."""
        rows: List[Tuple[str, ...]] = [("metric", *STATISTICS)]
        for metric in self.metrics.values():
            if not metric.is_inner:
                values = (self.statistic(metric.name, statistic) for statistic in STATISTICS)
                rows.append((metric.name, *(f"{value:.3f}" for value in values)))
        return rows

    def _lines(self) -> List[str]:
        words = {True: "crossed", False: "kept", None: "not judged"}
        certain = [fault.text for fault in self.pair_faults if fault.certain]
        lines = [f"not comparable: {text}" for text in certain]
        lines += [f"{words[one.crossed]}: {one.expression} ({one.value:g})" for one in self.thresholds]
        return lines + [f"{kind}: {text}" for kind, text in self.run.remarks() if text not in certain]

    def __repr__(self) -> str:
        return "\n".join(aligned(self.table()) + self._lines())

    def _repr_html_(self) -> str:
        return html_table(self.table()) + "".join(f"<p>{html.escape(line)}</p>" for line in self._lines())


def aligned(rows: Sequence[Sequence[str]]) -> List[str]:
    """Lines of a table whose columns but the first are numbers."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths)))
            for row in rows]


def html_table(rows: Sequence[Sequence[str]]) -> str:
    def line(row: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"

    head, *body = (line(row, "td" if place else "th") for place, row in enumerate(rows))
    return f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def load(path: Union[str, "os.PathLike[str]"], thresholds: Sequence[str] = ()) -> Result:
    """The result that a JSON report holds: of this package, of the program or of libvmaf."""
    try:
        run = Run.read(pathlib.Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise FormatError(f"{os.fspath(path)} is no JSON report; score() makes one of a video", EFORMAT) from None
    except (OSError, ValueError) as error:
        raise FormatError(f"{os.fspath(path)} cannot be read: {getattr(error, 'strerror', error)}", EFORMAT) from None
    return Result(run, thresholds, pathlib.Path(path).stem)
