"""The C library libcambi: where it is found, its declarations, and its errors as exceptions."""
import ctypes
import os
import pathlib
from concurrent.futures import ThreadPoolExecutor
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_ssize_t, c_uint32
from ctypes import c_void_p
from functools import lru_cache
from typing import Any, Dict, List, Optional, Type

NAME = "libcambi-0.dll" if os.name == "nt" else "libcambi.so.0"

OK, PENDING = 0, 1
EUSAGE, EFORMAT, EDEVICE, ENOMEM, ESTOPPED, ENOTFOUND, EOUTPUT, EINTERNAL = range(-1, -9, -1)

Write = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_char), c_size_t)
Release = ctypes.CFUNCTYPE(None, c_void_p)


class Error(Exception):
    """What the library or the program refuses; `status` is one of the CambiStatus codes of cambi.h."""

    status = EINTERNAL

    def __init__(self, message: str, status: int = EINTERNAL) -> None:
        super().__init__(message)
        self.status = status


class UsageError(Error, ValueError):
    """An argument, a name or an option is wrong, or the order of the calls."""


class FormatError(Error, ValueError):
    """The pictures do not fit together, a feature cannot take them, or a file cannot be read."""


class DeviceError(Error, RuntimeError):
    """The backend or the device is not available, or was lost."""


class NotFoundError(Error, LookupError):
    """The run has no such metric, frame or text."""


class Cancelled(Error):
    """The run was cancelled."""


CLASSES: Dict[int, Type[Error]] = {EUSAGE: UsageError, EFORMAT: FormatError, EDEVICE: DeviceError,
                                   ENOTFOUND: NotFoundError, ESTOPPED: Cancelled}


def error_of(status: int, message: str) -> Error:
    return CLASSES.get(status, Error)(message, status)


def check_size(value: Any, bits: int, name: str = "a number") -> None:
    """Refuses what ctypes would cut to so many bits."""
    if isinstance(value, int) and not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise UsageError(f"{name} is {value}, which has more than {bits} bits", EUSAGE)


class Sized(Structure):
    """A struct that begins with its size."""

    def __init__(self, **members: Any) -> None:
        for name, kind in self._fields_:
            if kind in (c_int, c_int64):
                check_size(members.get(name), 8 * ctypes.sizeof(kind), name)
        super().__init__(size=ctypes.sizeof(self), **members)


class Options(Sized):
    _fields_ = [("size", c_size_t), ("threads", c_int), ("backend", c_char_p), ("device", c_char_p),
                ("cache_folder", c_char_p), ("log", c_void_p), ("log_user", c_void_p)]


class RunOptions(Sized):
    _fields_ = [("size", c_size_t), ("subsample", c_int64), ("frame_rate", c_double), ("no_prediction", c_int),
                ("as_stored", c_int), ("histograms", c_int), ("skip_unchanged", c_int)]


class Picture(Sized):
    _fields_ = [("size", c_size_t), ("planes", c_void_p * 3), ("strides", c_ssize_t * 3), ("width", c_int),
                ("height", c_int), ("bit_depth", c_int), ("chroma", c_int), ("range", c_int), ("matrix", c_int),
                ("transfer", c_int), ("chroma_location", c_int), ("seconds", c_double), ("has_seconds", c_int),
                ("release", Release), ("release_user", c_void_p)]


class Metric(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("title", c_char_p), ("subject", c_char_p),
                ("unit", c_char_p), ("better", c_int), ("has_noteworthy", c_int), ("noteworthy", c_double),
                ("noteworthy_meaning", c_char_p), ("is_inner", c_int)]


class Backend(Sized):
    _fields_ = [("size", c_size_t), ("backend", c_char_p), ("simd", c_char_p), ("device", c_char_p),
                ("driver", c_char_p), ("repeated_frames", c_int64), ("certificate", c_char_p)]


class PairFault(Sized):
    _fields_ = [("size", c_size_t), ("kind", c_char_p), ("text", c_char_p), ("is_certain", c_int),
                ("frames", POINTER(c_int64)), ("stretches", c_size_t)]


# Arguments of each function; what is no context, run or catalogue returns a status.
FUNCTIONS: Dict[str, List[Any]] = {
    "open": [POINTER(Options), POINTER(c_void_p)],
    "catalogue": [c_int, Write, c_void_p],
    "run_open": [c_void_p, POINTER(RunOptions), POINTER(c_void_p)],
    "run_read": [c_char_p, c_size_t, POINTER(c_void_p)],
    "run_add_feature": [c_void_p, c_char_p],
    "run_add_model": [c_void_p, c_char_p],
    "run_push": [c_void_p, POINTER(Picture), POINTER(Picture)],
    "run_finish": [c_void_p],
    "run_cancel": [c_void_p],
    "run_progress": [c_void_p, POINTER(c_int64), POINTER(c_int64)],
    "run_frames": [c_void_p, c_int64, c_int64, c_void_p],
    "run_metric": [c_void_p, c_size_t, POINTER(Metric)],
    "run_score": [c_void_p, c_char_p, c_int64, POINTER(c_double)],
    "run_scores": [c_void_p, c_char_p, c_int64, c_int64, c_void_p],
    "run_statistic": [c_void_p, c_char_p, c_char_p, c_int64, c_int64, POINTER(c_double)],
    "run_text": [c_void_p, c_char_p, c_int64, POINTER(c_char_p)],
    "run_histogram": [c_void_p, c_char_p, c_int64, POINTER(POINTER(c_uint32)), POINTER(c_size_t)],
    "run_aggregate": [c_void_p, c_char_p, POINTER(c_double)],
    "run_threshold": [c_void_p, c_char_p, POINTER(c_int), POINTER(c_double)],
    "run_remark": [c_void_p, c_size_t, POINTER(c_int), POINTER(c_char_p)],
    "run_pair_fault": [c_void_p, c_size_t, POINTER(PairFault)],
    "run_backend": [c_void_p, POINTER(Backend)],
    "run_write": [c_void_p, c_int, Write, c_void_p],
}


def built(name: str) -> Optional[str]:
    """A file that was installed with the package, or that ./run built in the source tree that the package is used from."""
    package = pathlib.Path(__file__).resolve().parent
    tree = package.parents[1]
    places = [package / "bin" / name, package / "lib" / name]
    if (tree / "python/pyproject.toml").exists():
        places.append(tree / "build/release" / name)
    return next((str(path) for path in places if path.exists()), None)


def find() -> str:
    """What to load: the file that CAMBI_LIBRARY names, what was built with the package, or what the loader finds."""
    return os.environ.get("CAMBI_LIBRARY") or built(NAME) or NAME


@lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded once. Calls release Python's lock."""
    path = find()
    try:
        loaded = ctypes.CDLL(path)
        for name, arguments in FUNCTIONS.items():
            getattr(loaded, "cambi_" + name).argtypes = arguments
    except (OSError, AttributeError) as error:
        raise Error(f"{path} cannot be used ({error}): install the Debian package libcambi0, or build cambi with ./run and "
                    f"install this package again, or set CAMBI_LIBRARY to its {NAME}") from None
    loaded.cambi_close.argtypes = loaded.cambi_run_close.argtypes = [c_void_p]
    loaded.cambi_close.restype = loaded.cambi_run_close.restype = None
    loaded.cambi_error.restype = loaded.cambi_version.restype = c_char_p
    return loaded


def call(name: str, *arguments: Any) -> int:
    """Calls a function and raises its error; returns OK or PENDING."""
    for argument in arguments:
        check_size(argument, 64)
    loaded = library()
    status: int = getattr(loaded, "cambi_" + name)(*arguments)
    if status < 0:
        raise error_of(status, loaded.cambi_error().decode(errors="replace"))
    return status


def written(name: str, *arguments: Any) -> str:
    """The text that a function gives to a CambiWrite."""
    pieces: List[bytes] = []

    def append(_: Any, text: Any, size: int) -> int:
        pieces.append(ctypes.string_at(text, size))
        return 0

    # In a thread of its own: on the main thread Ctrl-C might raise within append(), which would lose a piece.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(call, name, *arguments, Write(append), None).result()
    return b"".join(pieces).decode()


def members_of(struct: Sized) -> Dict[str, Any]:
    """What a function filled in, with texts as such."""
    values = {member[0]: getattr(struct, member[0]) for member in struct._fields_[1:]}
    return {name: value.decode(errors="replace") if isinstance(value, bytes) else value for name, value in values.items()}


def encoded(text: Any) -> Any:
    """A text as the library takes it."""
    if text is not None and not isinstance(text, str):
        raise UsageError(f"{text!r} is no text", EUSAGE)
    if text is not None and "\0" in text:
        raise UsageError(f"{text!r} has a zero character", EUSAGE)
    return None if text is None else text.encode("utf-8", "surrogateescape")
