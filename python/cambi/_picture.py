"""Pictures in memory: their formats, where their samples lie, and until when the library has them."""
import array
import ctypes
import sys
from ctypes import POINTER, c_char_p, c_int, c_void_p
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, List, Optional, Sequence, Tuple

from . import _library
from ._library import EFORMAT, EUSAGE, FormatError, UsageError

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

# In the order of the enumerations of cambi.h. Of each chroma format: how many columns and rows of luma share a sample.
CHROMAS = {"4:2:0": (2, 2), "4:0:0": (0, 0), "4:2:2": (2, 1), "4:4:0": (1, 2), "4:4:4": (1, 1), "4:1:1": (4, 1),
           "4:1:0": (4, 4)}
WORDS: Dict[str, Sequence[str]] = {
    "chroma": tuple(CHROMAS),
    "range": ("unknown", "limited", "full"),
    "matrix": ("unknown", "bt601", "bt709", "fcc", "smpte240", "bt2020", "other", "rgb"),
    "transfer": ("unknown", "bt1886", "pq", "hlg", "other", "srgb", "linear"),
    "chroma_location": ("unknown", "left", "center", "top_left", "top", "bottom_left", "bottom"),
}
CHROMA_NUMBERS = {word: number for number, word in enumerate(CHROMAS)}


def as_array(values: "array.array[Any]") -> Any:
    """The values as a NumPy array where NumPy is there."""
    return values if numpy is None else numpy.asarray(values)


def number_of(what: str, word: str) -> int:
    """The number of a word in its enumeration."""
    try:
        return WORDS[what].index(word)
    except ValueError:
        raise UsageError(f"{what} is {word!r}; it is one of {', '.join(WORDS[what])}", EUSAGE) from None


@dataclass(frozen=True)
class Format:
    """What samples mean. Where `bit_depth` and `chroma` are left open, the planes say them.

    >>> Format(bit_depth=10, transfer="pq", matrix="bt2020").range
    'unknown'
    >>> Format(range="narrow")
    Traceback (most recent call last):
    cambi._library.UsageError: range is 'narrow'; it is one of unknown, limited, full
    """

    bit_depth: Optional[int] = None  # 8 to 16; of uint8 always 8, of uint16 it must be said
    chroma: Optional[str] = None  # "4:2:0", "4:2:2", "4:4:4", "4:0:0", "4:4:0", "4:1:1" or "4:1:0"
    range: str = "unknown"  # "limited" or "full"
    matrix: str = "unknown"  # "bt601", "bt709", "bt2020", "fcc", "smpte240", "other" or "rgb" (planes G, B, R)
    transfer: str = "unknown"  # "bt1886", "pq", "hlg", "srgb", "linear" or "other"
    chroma_location: str = "unknown"  # "left", "center", "top_left", "top", "bottom_left" or "bottom"
    numbers: ClassVar[Dict[str, int]]  # of these words in cambi.h, but for a chroma that is left open

    def __post_init__(self) -> None:
        words = {what: getattr(self, what) for what in WORDS}
        if self.chroma is None:
            del words["chroma"]
        object.__setattr__(self, "numbers", {what: number_of(what, word) for what, word in words.items()})


OPEN = Format()


@dataclass(frozen=True)
class Picture:
    """One picture: its planes (Y, or Y, Cb and Cr), their format, and the time at which it is shown."""

    planes: Sequence[Any]
    format: Format = OPEN
    seconds: Optional[float] = None


class View(ctypes.Structure):
    """CPython's Py_buffer, which tells where the samples of any kind of array lie."""

    _fields_ = [("buf", c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
                ("readonly", c_int), ("ndim", c_int), ("format", c_char_p), ("shape", POINTER(ctypes.c_ssize_t)),
                ("strides", POINTER(ctypes.c_ssize_t)), ("suboffsets", POINTER(ctypes.c_ssize_t)),
                ("internal", c_void_p)]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, POINTER(View), c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes, _release_buffer.restype = [POINTER(View)], None
NATIVE = b"@=<" if sys.byteorder == "little" else b"@=>"
STRIDED_WITH_FORMAT = 0x1C  # PyBUF_STRIDES | PyBUF_FORMAT, also of arrays that are read-only

# The library releases a picture by sem_post(), in any of its threads. A function in Python would wait for Python's lock
# there, and on the main thread swallow the exception of Ctrl-C.
_libc = ctypes.CDLL(None)
_post = ctypes.cast(_libc.sem_post, _library.Release)


class Held:
    """The planes of a picture that the library has, and the semaphore with which it gives them back."""

    def __init__(self) -> None:
        self.views: List[View] = []
        self.semaphore = (ctypes.c_long * 16)()  # longer than any sem_t
        _libc.sem_init(self.semaphore, 0, 0)

    def is_released(self) -> bool:
        return bool(_libc.sem_trywait(self.semaphore) == 0)

    def __del__(self) -> None:
        for view in self.views:
            _release_buffer(view)


def view_of(plane: Any) -> View:
    """Where a plane's samples lie, as rows of bytes or of 16-bit words; copied where they lie in another way."""
    view = View()
    try:
        _get_buffer(plane, view, STRIDED_WITH_FORMAT)
    except (BufferError, TypeError, ValueError):
        if numpy is None or not hasattr(plane, "__array__") or isinstance(plane, numpy.ndarray):
            raise FormatError(f"{type(plane).__name__} is no array of samples", EFORMAT) from None
        return view_of(numpy.asarray(plane))
    kind = view.format.lstrip(NATIVE) if view.format else b"B"
    if view.ndim == 2 and kind in (b"B", b"H"):
        row_bytes, stride = view.shape[1] * view.itemsize, view.strides[0]
        whole = view.itemsize == 1 or (view.buf or 0) % 2 == stride % 2 == 0
        if view.strides[1] == view.itemsize and abs(stride) >= row_bytes and whole:
            return view
    layout = f"{view.ndim} dimensions of type {kind.decode()}"
    takes = view.ndim == 2 and kind in (b"B", b"H", b"<H", b">H") and numpy is not None
    _release_buffer(view)
    if takes:
        return view_of(numpy.array(plane, dtype=numpy.uint8 if kind == b"B" else numpy.uint16, order="C"))
    raise FormatError(f"a plane is an array of {layout}; it has rows and columns of uint8 or uint16", EFORMAT)


def side(luma: int, shared: int) -> int:
    """The side of a chroma plane."""
    return -(-luma // shared)


def chroma_of(planes: List[View], wanted: Optional[str]) -> str:
    """The chroma format that the planes have. Raises FormatError where it is not the wanted one."""
    sizes = [(view.shape[0], view.shape[1]) for view in planes]
    height, width = sizes[0]
    for name, (columns, rows) in CHROMAS.items():
        fits = sizes[1:] == ([(side(height, rows), side(width, columns))] * 2 if columns else [])
        if fits and wanted in (None, name):
            return name
    shapes = ", ".join(f"{w}x{h}" for h, w in sizes)
    raise FormatError(f"planes of {shapes} are no picture" + (f" of {wanted}" if wanted else ""), EFORMAT)


def struct_of(picture: Any, default: Format) -> "Tuple[_library.Picture, Held]":
    """The picture for the library, and what has to live until it is released."""
    planes = picture if isinstance(picture, tuple) else getattr(picture, "planes", (picture,))
    format = getattr(picture, "format", None)  # of a memoryview it is one of another kind
    format = default if not isinstance(format, Format) or format == OPEN else format
    held = Held()
    for plane in planes:
        held.views.append(view_of(plane))
    views = held.views
    sizes = {view.itemsize for view in views}
    bit_depth = format.bit_depth or (8 if 1 in sizes else None)
    if bit_depth is None:
        raise FormatError("the planes are uint16: bit_depth says how many bits samples have", EFORMAT)
    if sizes != {2 if bit_depth > 8 else 1}:
        word = "uint16" if bit_depth > 8 else "uint8"
        raise FormatError(f"samples of {bit_depth} bits are {word} in all planes", EFORMAT)
    chroma = chroma_of(views, format.chroma)
    seconds = getattr(picture, "seconds", None)
    return _library.Picture(
        planes=tuple(view.buf for view in views), strides=tuple(view.strides[0] for view in views),
        width=views[0].shape[1], height=views[0].shape[0], bit_depth=bit_depth,
        seconds=seconds or 0, has_seconds=seconds is not None, release=_post,
        release_user=ctypes.addressof(held.semaphore), **{**format.numbers, "chroma": CHROMA_NUMBERS[chroma]}), held


