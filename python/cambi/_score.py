"""score(): the one call that most users need."""
import itertools
import os
import pathlib
from typing import Any, Iterable, List, Optional, Sequence, Tuple, Union

from ._files import score_files
from ._library import EFORMAT, EUSAGE, FormatError, UsageError
from ._picture import Format
from ._progress import Bar, Progress, Tell, teller
from ._result import Result
from ._run import Context, Run

Names = Union[None, str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]

MISSING = object()


def listed(names: Names) -> List[str]:
    """Models or features as the library takes them; a path is that of a model."""
    if names is None:
        return []
    if isinstance(names, (str, os.PathLike)):
        names = [names]
    escaped = str.maketrans({character: "\\" + character for character in "\\:="})
    return [name if isinstance(name, str) else "path=" + os.fspath(name).translate(escaped) for name in names]


def frames_of(video: Any) -> Tuple[Iterable[Any], Optional[int]]:
    """The pictures of what the caller gave, and how many there are if that is known."""
    dimensions = getattr(video, "ndim", None)
    if isinstance(video, tuple) or hasattr(video, "planes") or dimensions == 2:
        return [video], 1
    if dimensions is not None and (dimensions != 3 or video.shape[2] <= 4):
        raise FormatError(f"an array of shape {video.shape} is no list of luma planes; a picture's planes are a tuple",
                          EFORMAT)
    return video, len(video) if hasattr(video, "__len__") else None


def pairs_of(reference: Any, distorted: Any) -> Tuple[Iterable[Any], Optional[int]]:
    """Pairs of pictures, and how many there are if that is known; MISSING stands for what one side lacks."""
    pictures, total = frames_of(distorted)
    if reference is None:
        return ((None, picture) for picture in pictures), total
    return itertools.zip_longest(frames_of(reference)[0], pictures, fillvalue=MISSING), total


def score_arrays(run: Run, reference: Any, distorted: Any, tell: Optional[Tell]) -> None:
    pairs, total = pairs_of(reference, distorted)
    for done, pair in enumerate(pairs):
        if pair[0] is MISSING or pair[1] is MISSING:
            shorter = "reference" if pair[0] is MISSING else "distorted video"
            raise FormatError(f"the {shorter} has only {done} frames", EFORMAT)
        run.push(*pair)
        if tell is not None:
            tell(done + 1, total)
    run.finish()


def score(reference: Any, distorted: Any, *, model: Names = "auto", features: Names = (), backend: str = "auto",
          device: Union[None, int, str] = None, threads: int = 0, subsample: int = 1, progress: Progress = None,
          thresholds: Sequence[str] = (), frame_rate: float = 0, as_stored: bool = False, compare_anyway: bool = False,
          format: Optional[Format] = None, arguments: Sequence[str] = (), **members: Any) -> Result:
    """Scores a distorted video against its reference, by models, features, or both.

    Videos are files of any kind that FFmpeg reads, or pictures in memory: an array of rows (one luma plane), an array
    of three dimensions or an iterable (frames), where a frame may be a tuple of planes (Y, Cb, Cr) or a Picture.
    `format`, or its members as keywords such as bit_depth=10, says what samples mean. The reference may be None for
    features that need none, and is then without a model, too: score(None, video) measures banding. A pair for which
    no feature is asked for is scored by the model and, if that is "auto", for banding.

    `model` is "auto" (the VMAF model that suits the pictures), a name, the path of a model file, a list of these, or
    None. `features` are the words of the command line, such as "psnr" or "cambi=topk=0.2". `progress` is True for a
    bar, or is called with the number of frames that are done, and of all or None. `arguments` are further flags of
    the program, for files.

    Files that do not fit together, such as another film, are refused with a FormatError; with `compare_anyway` they are
    scored, as pictures in memory always are, and the result is not `comparable`.

    >>> import cambi
    >>> flat = [memoryview(bytes([level]) * 320 * 240).cast("B", (240, 320)) for level in (60, 64)]
    >>> result = cambi.score(flat, flat, model="vmaf_v0.6.1", features=["psnr"], thresholds=["psnr_y<40"])
    >>> len(result), result.mean("psnr_y"), result.passed
    (2, 60.0, True)
    """
    models, wanted = listed(model), listed(features)
    if reference is None and model == "auto":
        models = []
    is_default = model == "auto" and not wanted
    if is_default or not models and not wanted:
        wanted = ["cambi"]
    bar = teller(progress)
    given = [isinstance(video, (str, os.PathLike)) for video in (reference, distorted) if video is not None]
    try:
        if all(given):
            if format is not None or members:
                raise UsageError("files say their format themselves; raw video is described by arguments", EUSAGE)
            words = [] if is_default else [word for one in models for word in ("--model", one)]
            words += [] if is_default else [word for one in wanted for word in ("--feature", one)]
            words += ["--backend", backend, "--threads", str(threads), "--subsample", str(subsample)]
            words += (["--device", str(device)] if device is not None else []) + (["--as-stored"] if as_stored else [])
            words += ["--compare-anyway"] if compare_anyway and reference is not None else []
            run = score_files(reference, distorted, [*words, *arguments], bar)
            return Result(run, thresholds, pathlib.Path(distorted).stem)
        if any(given):
            raise UsageError("one video is a file and the other is not", EUSAGE)
        if arguments:
            raise UsageError("arguments are for files", EUSAGE)
        with Context(threads=threads, backend=backend, device=device) as context:
            run = Run(context, subsample=subsample, frame_rate=frame_rate, as_stored=as_stored,
                      format=format or Format(**members))
        try:
            for one in wanted:
                run.add_feature(one)
            for one in models:
                run.add_model(one)
            score_arrays(run, reference, distorted, bar)
            return Result(run, thresholds)
        except BaseException as error:
            run.close()  # a notebook would keep it with the traceback
            signs = ("vmaf", "needs")
            if model != "auto" or not isinstance(error, FormatError) or not any(sign in str(error) for sign in signs):
                raise
            raise FormatError(f'{error}; model="vmaf_v0.6.1" takes pictures of any size, and luma alone',
                              error.status) from None
    finally:
        if isinstance(bar, Bar):
            bar.close()
