"""A headless browser for tests, with only the standard library: chromium.py and firefox.py say how each is driven.

Coordinates and sizes are CSS pixels of the window's content; use a browser in a `with` statement.
"""
import base64
import pathlib
import shutil
import tempfile
import time

START_SECONDS = 60
COMMAND_SECONDS = 120
SHIFT = "\ue008"
KEYS = {"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Escape": "\ue00c",
        "Home": "\ue011", "End": "\ue010", "PageUp": "\ue00e", "PageDown": "\ue00f", "Enter": "\ue007", "Tab": "\ue004",
        "Space": " "}


class BrowserError(RuntimeError):
    """What a browser answered instead of doing what it was asked for."""


def wait_for(what, seconds=START_SECONDS):
    """Returns what `what` returns once that is something."""
    end = time.monotonic() + seconds
    while not (got := what()):
        if time.monotonic() > end:
            raise BrowserError(f"{what.__name__} took over {seconds} s")
        time.sleep(0.02)
    return got


class Browser:
    """What is alike in all: those below have `start`, `stop`, `command`, and what only one kind of browser can."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cambi-browser-"))

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, path):
        self.command("navigate", url=pathlib.Path(path).resolve().as_uri())
        self.settle()

    def run(self, script, *arguments):
        """What the script returns; it sees the arguments as `arguments`."""
        return self.command("run", script=script, args=list(arguments))

    def wait(self, script, *arguments):
        """What the script hands to its last argument, a function."""
        return self.command("wait", script=script, args=list(arguments))

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.wait("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));")

    def press(self, *keys, shift=False):
        actions = [{"type": "keyDown", "value": SHIFT}] if shift else []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        if shift:
            actions.append({"type": "keyUp", "value": SHIFT})
        self.act({"type": "key", "id": "keys", "actions": actions})

    def point(self, x, y):
        self.drag([(x, y)], hold=False)

    def drag(self, places, hold=True):
        """Moves the mouse from place to place in the window, holding its button from the first to the last."""
        self.act(pointer("mouse", "mouse", places, hold))

    def touch(self, *fingers):
        """Each finger goes down at its first place, moves from place to place and is lifted at the last."""
        self.act(*(pointer("touch", f"finger{i}", places, True) for i, places in enumerate(fingers)))

    def act(self, *sources):
        self.command("act", actions=list(sources))
        self.settle()

    def click(self, selector):
        element = self.command("find", using="css selector", value=selector)
        self.click_element(next(iter(element.values())))
        self.settle()


def pointer(kind, name, places, hold):
    moves = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)} for x, y in places]
    if hold:
        moves = [moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0}]
    return {"type": "pointer", "id": name, "parameters": {"pointerType": kind}, "actions": moves}


def save(path, encoded):
    pathlib.Path(path).write_bytes(base64.b64decode(encoded))
