"""How far a run is: a callback, a bar in a terminal, or one in a notebook."""
import sys
import time
from typing import Any, Callable, Optional, Union

Tell = Callable[[int, Optional[int]], object]
Progress = Union[None, bool, Tell]
SECONDS_BETWEEN = 0.1
WIDTH = 30


def in_notebook() -> bool:
    """Whether IPython shows outputs that can be replaced."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """Shows at most ten times a second what is done; nothing where standard error is no terminal."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._shown = 0.0
        self._display: Any = None
        self._text = ""
        if in_notebook():
            from IPython.display import display  # type: ignore[import]

            self._display = display({"text/plain": ""}, raw=True, display_id=True)

    def __call__(self, done: int, total: Optional[int]) -> None:
        now = time.monotonic()
        speed = done / max(now - self._begun, 1e-6)
        self._text = f"{done} frames  {speed:.1f} fps"
        if total:
            full = WIDTH * done // total
            self._text = f"[{'#' * full}{'.' * (WIDTH - full)}] {done} of {total} frames  {speed:.1f} fps"
        if now - self._shown >= SECONDS_BETWEEN:
            self._shown = now
            self._show("")

    def _show(self, end: str) -> None:
        if self._display is not None:
            self._display.update({"text/plain": self._text}, raw=True)
        elif sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write("\r" + self._text + "\x1b[K" + end)
            sys.stderr.flush()

    def close(self) -> None:
        if self._text:
            self._show("\n")


def teller(progress: Progress) -> Optional[Tell]:
    """What is called with the number of frames that are done and, where it is known, of all."""
    return Bar() if progress is True else progress or None
