"""Firefox, through its own Marionette protocol: lengths and JSON over TCP."""
import json
import re
import socket
import subprocess

from browser import COMMAND_SECONDS, START_SECONDS, Browser, BrowserError, save, wait_for

# A port of the system's choice, what pages write to the console on standard output, and no calls home.
PREFERENCES = {
    "marionette.port": 0, "devtools.console.stdout.content": True, "devtools.console.stdout.chrome": False,
    "app.normandy.enabled": False, "app.update.disabledForTesting": True, "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False, "app.shield.optoutstudies.enabled": False, "messaging-system.log": "Off",
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1", "toolkit.telemetry.enabled": False,
    "dom.w3c_touch_events.enabled": 1, "ui.useOverlayScrollbars": 1,
}
COMMANDS = {"navigate": "WebDriver:Navigate", "run": "WebDriver:ExecuteScript", "wait": "WebDriver:ExecuteAsyncScript",
            "act": "WebDriver:PerformActions", "find": "WebDriver:FindElement"}
# The requests of tabs, not the browser's own.
WATCH_REQUESTS = """
    window.asked = [];
    Services.obs.addObserver((channel) => {
      channel.QueryInterface(Ci.nsIHttpChannel);
      if (channel.loadInfo.browsingContextID) window.asked.push(channel.URI.spec);
    }, 'http-on-opening-request');"""
ERRORS_OF_PAGES = """
    const texts = [];
    for (const message of Services.console.getMessageArray()) {
      if (!(message instanceof Ci.nsIScriptError) || !/^(file|data|blob):/.test(message.sourceName)) continue;
      texts.push(message.message);
    }
    Services.console.reset();
    return texts;"""


class Firefox(Browser):
    name = "firefox"

    def __init__(self):
        super().__init__()
        self.connection = None
        self.sent = 0
        self.read_to = 0
        preferences = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
        (self.folder / "user.js").write_text("".join(preferences))
        self.output = self.folder / "output.txt"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                ["firefox-esr", "--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile",
                 str(self.folder)], stdout=output, stderr=subprocess.STDOUT)

    def start(self):
        port = int(wait_for(self.port))
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS)
        self.stream = self.connection.makefile("rb")
        self.receive()
        self.send("WebDriver:NewSession", capabilities={"alwaysMatch": {}})
        self.connection.settimeout(COMMAND_SECONDS)
        self.manage(WATCH_REQUESTS)

    def port(self):
        path = self.folder / "MarionetteActivePort"
        return path.exists() and path.read_text()

    def stop(self):
        if self.connection:
            try:
                self.send("Marionette:Quit", flags=["eForceQuit"])
            except (OSError, BrowserError):
                self.process.terminate()
            self.connection.close()
        else:
            self.process.terminate()
        self.process.wait(timeout=30)

    def receive(self):
        """What Firefox says next: the length of a message, a colon, the message."""
        length = b""
        while (byte := self.stream.read(1)) != b":":
            if not byte:
                raise BrowserError("Firefox has gone")
            length += byte
        return json.loads(self.stream.read(int(length)))

    def send(self, name, **parameters):
        self.sent += 1
        message = json.dumps([0, self.sent, name, parameters]).encode()
        self.connection.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self.receive()
        assert number == self.sent
        if error:
            raise BrowserError(f"{error['error']}: {error['message']}")
        return result["value"] if isinstance(result, dict) and result.keys() == {"value"} else result

    def command(self, name, **body):
        return self.send(COMMANDS[name], **body)

    def manage(self, script, *arguments):
        """Runs a script with the rights of the browser itself."""
        self.send("Marionette:SetContext", value="chrome")
        try:
            return self.run(script, *arguments)
        finally:
            self.send("Marionette:SetContext", value="content")

    def click_element(self, element):
        self.send("WebDriver:ElementClick", id=element)

    def resize(self, width, height):
        """The tab's, as the window has a least width."""
        self.manage("""
            for (const [name, value] of [['width', arguments[0]], ['height', arguments[1]], ['min-width', 0]]) {
              gBrowser.selectedBrowser.style.setProperty(name, `${value}px`);
            }""", width, height)
        self.wait("""
            const [width, height, done] = arguments;
            (function look() { if (innerWidth === width && innerHeight === height) done(); else requestAnimationFrame(look); })();""",
                  width, height)

    def prefer(self, scheme):
        # An override of the tab's own is lost to the pages that are opened once something has been printed.
        self.manage("Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', arguments[0]);",
                    ["dark", "light"].index(scheme))
        self.wait("""
            const wanted = matchMedia(`(prefers-color-scheme: ${arguments[0]})`), done = arguments[1];
            (function look() { if (wanted.matches) done(); else requestAnimationFrame(look); })();""", scheme)

    def show_as(self, medium):
        """Applies the rules for `print`, say, in the window; an empty medium ends that."""
        self.manage("gBrowser.selectedBrowser.browsingContext.mediumOverride = arguments[0];", medium)

    def console(self):
        """What the page wrote to the console since the last call, errors of the page among it."""
        with self.output.open(encoding="utf-8", errors="replace") as output:
            output.seek(self.read_to)
            written = output.read()
            self.read_to = output.tell()
        return re.findall(r"^console\.\w+: .*", written, re.M) + self.manage(ERRORS_OF_PAGES)

    def requests(self):
        """The addresses that were asked for since the last call."""
        return self.manage("return window.asked.splice(0);")

    def screenshot(self, path, whole=True):
        save(path, self.send("WebDriver:TakeScreenshot", full=whole, hash=False))

    def pdf(self, path):
        """On A4 paper, with the margins that the page asks for."""
        save(path, self.send("WebDriver:Print", background=True, shrinkToFit=False, page={"width": 21.0, "height": 29.7}))
