"""Chromium, through chromedriver's HTTP interface."""
import json
import shutil
import socket
import subprocess
import urllib.error
import urllib.request

from browser import COMMAND_SECONDS, Browser, BrowserError, save, wait_for

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
]
PATHS = {"navigate": "/url", "run": "/execute/sync", "wait": "/execute/async", "act": "/actions", "find": "/element"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Chromium(Browser):
    name = "chromium"

    def __init__(self):
        super().__init__()
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        self.media = {}
        self.session = None
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)

    def start(self):
        wait_for(self.is_ready)
        options = {"args": ARGUMENTS + [f"--user-data-dir={self.folder}"], "binary": shutil.which("chromium"),
                   "perfLoggingPrefs": {"enableNetwork": True}}
        answer = self.send("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.session = "/session/" + answer["sessionId"]

    def is_ready(self):
        try:
            return self.send("GET", "/status")["ready"]
        except OSError:
            return False

    def stop(self):
        if self.session:
            try:
                self.send("DELETE", self.session)
            except (OSError, BrowserError):
                pass
        self.driver.terminate()
        self.driver.wait(timeout=30)

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=COMMAND_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise BrowserError(json.load(error)["value"]["message"]) from None

    def call(self, path, **body):
        return self.send("POST", self.session + path, body)

    def command(self, name, **body):
        return self.call(PATHS[name], **body)

    def devtools(self, command, **parameters):
        return self.call("/goog/cdp/execute", cmd=command, params=parameters)

    def click_element(self, element):
        self.call(f"/element/{element}/click")

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        self.emulate(scheme=scheme)

    def show_as(self, medium):
        """Applies the rules for `print`, say, in the window; an empty medium ends that."""
        self.emulate(medium=medium)

    def emulate(self, **changes):
        self.media |= changes
        self.devtools("Emulation.setEmulatedMedia", media=self.media.get("medium", ""),
                      features=[{"name": "prefers-color-scheme", "value": self.media.get("scheme", "light")}])

    def console(self):
        """What the page wrote to the console since the last call, errors of the page among it."""
        return [entry["message"] for entry in self.call("/se/log", type="browser")]

    def requests(self):
        """The addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.call("/se/log", type="performance")]
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]

    def screenshot(self, path, whole=True):
        save(path, self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])

    def pdf(self, path):
        """On A4 paper, with the margins that the page asks for."""
        save(path, self.devtools("Page.printToPDF", printBackground=True, preferCSSPageSize=True, paperWidth=8.27,
                                 paperHeight=11.69)["data"])
