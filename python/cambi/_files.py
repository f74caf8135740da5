"""Files, which the program `cambi` decodes and scores, and comparisons of results."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._library import EDEVICE, EFORMAT, ENOMEM, ENOTFOUND, EOUTPUT, EUSAGE, Error, UsageError, built, error_of
from ._progress import Tell
from ._result import Result, aligned, html_table, load
from ._run import Run

File = Union[str, "os.PathLike[str]"]
# Of the program's exit codes; the others are defects.
STATUS_OF_CODE = {1: EUSAGE, 2: EFORMAT, 3: EFORMAT, 4: EDEVICE, 5: EOUTPUT, 6: EFORMAT, 8: ENOMEM}


def find_program() -> str:
    """The program that CAMBI_PROGRAM names, that was built with the package, or that is in PATH."""
    program = os.environ.get("CAMBI_PROGRAM") or built("cambi.exe" if os.name == "nt" else "cambi") or shutil.which("cambi")
    if program is None:
        raise Error("files are scored by the program cambi, which was not found: install the Debian package cambi, or "
                    "build it with ./run and install this package again, or set CAMBI_PROGRAM")
    return program


def argument_of(path: File) -> str:
    """A path that the program takes for no flag and not for standard input."""
    text = os.fspath(path)
    return "./" + text if text.startswith("-") else text


def run_program(arguments: Sequence[str], tell: Optional[Tell] = None) -> None:
    """Runs the program to its end; an exception, such as that of Ctrl-C, ends it. Raises what it refuses."""
    command = [find_program(), *arguments]
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:
        raise UsageError(f"{command[0]} cannot be run: {error}", EUSAGE) from None
    said: List[str] = []
    with process:
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if not line.startswith("{"):
                    said.append(line.strip())
                elif tell is not None:
                    facts = json.loads(line)
                    tell(facts["frames"], facts.get("total"))
            code = process.wait()
        except BaseException:
            process.terminate()
            raise
    if code != 0:
        errors = [line for line in said if "error: " in line] or said or [f"the program ended with {code}"]
        message = " ".join(errors).replace("cambi: error: ", "")
        raise error_of(STATUS_OF_CODE.get(code, Error.status), message)


def score_files(reference: Optional[File], distorted: File, arguments: Sequence[str],
                tell: Optional[Tell]) -> Run:
    """The finished run of a pair of files."""
    with tempfile.TemporaryDirectory(prefix="cambi-") as folder:
        report = os.path.join(folder, "report.json")
        command = ["--distorted", argument_of(distorted), "--quiet", "--progress", "json" if tell else "none",
                   "--output", report, "--extended", "--precision", "max"]
        if reference is not None:
            command += ["--reference", argument_of(reference)]
        run_program([*command, *arguments], tell)
        return Run.read(pathlib.Path(report).read_text(encoding="utf-8"))


class Comparison:
    """Results ranked by a statistic of a metric, best first, with the figures of `cambi compare`.

    `runs` has a dict for each: rank, name, statistics of the metric, others (statistics of the other metrics), and
    file_bytes, bit_rate and worth_its_bits where these are known. A run whose videos do not fit together is not
    `comparable`: it comes last, without a rank.
    """

    def __init__(self, document: Dict[str, Any], better: Mapping[str, int]) -> None:
        self.metric: str = document["metric"]
        self.by: str = document["by"]
        self.runs: List[Dict[str, Any]] = document["runs"]
        self.remarks: List[str] = document["remarks"]
        self._better = better

    @property
    def best(self) -> str:
        """The name of the result that ranks first. Raises NotFoundError where none is comparable."""
        if not self.runs[0]["comparable"]:
            raise error_of(ENOTFOUND, "no run is comparable")
        name: str = self.runs[0]["name"]
        return name

    @property
    def winners(self) -> Dict[str, str]:
        """The best result by each metric of which one side is better."""
        by = self.by if self.by in self.runs[0]["statistics"] else "mean"  # size and bitrate are of no metric
        found = {}
        for metric in (self.metric, *self.runs[0]["others"]):
            sign = -1 if by in ("stdev", "share") else self._better.get(metric, 0)
            runs = [run for run in self.runs if run["comparable"]]
            known = [(run["statistics"] if metric == self.metric else run["others"][metric])[by] for run in runs]
            if sign != 0 and known and None not in known:
                found[metric] = runs[known.index(max(known) if sign > 0 else min(known))]["name"]
        return found

    def table(self) -> List[Sequence[str]]:
        names = list(dict.fromkeys((self.by, "mean", "min", "p5", "p50", "p95", "max")))
        names = [name for name in names if name in self.runs[0]["statistics"]]
        rows: List[Sequence[str]] = [(f"{self.metric} of", *names)]
        for run in self.runs:
            values = [run["statistics"][name] for name in names]
            name = run["name"] if run["comparable"] else run["name"] + " (not comparable)"
            rows.append((name, *("-" if value is None else f"{value:.3f}" for value in values)))
        return rows

    def __repr__(self) -> str:
        return "\n".join(aligned(self.table()) + self.remarks)

    def _repr_html_(self) -> str:
        return html_table(self.table())


def compare(results: Union[Sequence[Union[Result, File]], Mapping[str, Union[Result, File]]], by: str = "mean",
            metric: Optional[str] = None) -> Comparison:
    """Ranks results, or JSON reports of runs, by a statistic of a metric that all have.

    `by` is mean, median, min, p5 or another percentile, harmonic, stdev, share, size or bitrate; `metric` the first
    that all have. A mapping gives the names; otherwise they are those of the files.
    """
    if isinstance(results, Mapping):
        named = dict(results)
    else:
        named = {}
        for result in results:
            name = result.name or "run" if isinstance(result, Result) else pathlib.Path(result).stem
            taken = sum(known == name or known.startswith(name + " (") for known in named)
            named[f"{name} ({taken + 1})" if taken else name] = result
    with tempfile.TemporaryDirectory(prefix="cambi-") as folder:
        output = os.path.join(folder, "comparison.json")
        reports, better = [], {}
        for place, result in enumerate(named.values()):
            loaded = result if isinstance(result, Result) else load(result)
            better.update({name: metric.better for name, metric in loaded.metrics.items()})
            reports.append(os.path.join(folder, f"{place}.json"))
            loaded.save(reports[-1]) if isinstance(result, Result) else shutil.copy(result, reports[-1])
        choice = [] if metric is None else ["--metric", metric]
        run_program(["compare", *reports, "--by", by, *choice, "--quiet", "--precision", "max", "--output", output])
        document = json.loads(pathlib.Path(output).read_text(encoding="utf-8"))
    names = list(named)
    for run in document["runs"]:
        run["name"] = names[int(pathlib.Path(run["path"]).stem)]
        del run["path"], run["report"]  # files that are gone
    return Comparison(document, better)
