"""A headless Chromium for tests, driven through chromedriver's HTTP interface; only the standard library."""
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

CHROMIUM_ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
]
START_SECONDS = 60
COMMAND_SECONDS = 120
KEYS = {"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Escape": "\ue00c",
        "Home": "\ue011", "End": "\ue010", "Enter": "\ue007", "Tab": "\ue004", "Space": " "}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """Chromium with a profile of its own; use it in a `with` statement."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cambi-browser-"))
        self.base = f"http://127.0.0.1:{free_port()}"
        port = self.base.rsplit(":", 1)[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.session = None

    def __enter__(self):
        try:
            self.wait_for_driver()
            arguments = CHROMIUM_ARGUMENTS + [f"--user-data-dir={self.folder}"]
            options = {"args": arguments, "binary": shutil.which("chromium"),
                       "perfLoggingPrefs": {"enableNetwork": True}}
            answer = self.send("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:chromeOptions": options,
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
            self.session = "/session/" + answer["sessionId"]
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.session:
            try:
                self.send("DELETE", self.session)
            except OSError:
                pass
        self.driver.terminate()
        self.driver.wait(timeout=30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def wait_for_driver(self):
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                if self.send("GET", "/status")["ready"]:
                    return
            except OSError:
                pass
            if time.monotonic() > end:
                raise RuntimeError("chromedriver does not answer")
            time.sleep(0.05)

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=COMMAND_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def call(self, path, **body):
        return self.send("POST", self.session + path, body)

    def devtools(self, command, **parameters):
        return self.call("/goog/cdp/execute", cmd=command, params=parameters)

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        self.call("/url", url=pathlib.Path(path).resolve().as_uri())
        self.settle()

    def run(self, script, *arguments):
        return self.call("/execute/sync", script=script, args=list(arguments))

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.call("/execute/async", args=[], script=(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));"))

    def console(self):
        """What the page wrote to the console since the last call, errors of the page among it."""
        return [entry["message"] for entry in self.call("/se/log", type="browser")]

    def requests(self):
        """The addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.call("/se/log", type="performance")]
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]

    def press(self, *keys, shift=False):
        actions = [{"type": "keyDown", "value": "\ue008"}] if shift else []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        if shift:
            actions.append({"type": "keyUp", "value": "\ue008"})
        self.call("/actions", actions=[{"type": "key", "id": "keys", "actions": actions}])
        self.settle()

    def point(self, x, y):
        self.drag([(x, y)], hold=False)

    def drag(self, places, hold=True):
        """Moves the mouse from place to place in the window, holding its button from the first to the last."""
        moves = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)} for x, y in places]
        if hold:
            moves = [moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0}]
        self.call("/actions", actions=[{"type": "pointer", "id": "mouse", "actions": moves}])
        self.settle()

    def click(self, selector):
        element = self.call("/element", using="css selector", value=selector)
        self.call(f"/element/{next(iter(element.values()))}/click")
        self.settle()

    def screenshot(self, path, whole=True):
        parameters = {"format": "png", "captureBeyondViewport": whole}
        pathlib.Path(path).write_bytes(base64.b64decode(self.devtools("Page.captureScreenshot", **parameters)["data"]))

    def pdf(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.devtools("Page.printToPDF", printBackground=True)["data"]))
