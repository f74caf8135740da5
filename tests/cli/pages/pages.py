"""What the tests of the pages share: made-up reports, pages made of them with the program, and a look at a page."""
import base64
import json
import math
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest
import zlib

FRAME_RATE = 24
WIDTH = 1280
CLIPS = pathlib.Path(__file__).parents[3] / "testdata" / "clips"
EVIL = "/data/</script><script>window.hacked = 1</script>/<img src=x onerror='window.hacked = 2'> \"&amp;" + "long_" * 40


def wave(frames, level=4.0):
    """Scores with a slow and a fast part, of which each value is the only one of its kind."""
    return [round(max(0.0, level + level * math.sin(i / 97) * 0.8 + (i * 7919 % 101) / 200), 6) for i in range(frames)]


def report(scores, path="show.mkv", metrics=("cambi",)):
    frames = [{"frameNum": i, "timestamp": i / FRAME_RATE,
               "metrics": {name: None if score is None else score / (k + 1) for k, name in enumerate(metrics)}}
              for i, score in enumerate(scores)]
    video = {"role": "distorted", "path": path, "container": "matroska", "codec": "hevc", "pixel_format": "yuv420p",
             "width": 1920, "height": 1080, "bit_depth": 8, "chroma": "4:2:0", "range": "limited",
             "transfer": "bt709", "matrix": "bt709", "frame_rate": FRAME_RATE, "frames": len(scores)}
    run = {"complete": True, "scored_frames": len(scores), "repeated_frames": 0, "wall_seconds": 1.5, "backend": "cpu",
           "simd": "AVX2", "device": "", "driver": "", "certificate": "", "threads": 2,
           "arguments": [path, "--html", "page one.html"], "inputs": [video],
           "features": [{"name": "cambi", "options": {"topk": "0.6"}}], "warnings": []}
    return {"version": "0.1.0", "fps": 41.2, "run": run, "frames": frames}


def embedded_report(page):
    packed = re.search(r'class="report">(.*?)</script>', page.read_text())[1]
    return zlib.decompress(base64.b64decode(packed)).decode()


def picture(width, height, shade):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes((x * 255 // width + shade) % 256 for x in range(width)) for _ in range(height))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    png += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(png).decode()


class PageTest(unittest.TestCase):
    """The runner sets these for all tests: the browser, the program, and where screenshots go, if anywhere."""
    browser = None
    program = None
    shots = None

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="cambi-pages-")
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.addClassCleanup(cls.scratch.cleanup)

    def setUp(self):
        self.browser.prefer("light")
        self.browser.resize(WIDTH, 900)
        self.browser.console()
        self.browser.requests()

    @classmethod
    def cambi(cls, *arguments):
        try:
            subprocess.run([cls.program, *map(str, arguments)], capture_output=True, text=True, check=True)
        except subprocess.CalledProcessError as error:
            error.add_note(error.stderr)
            raise

    @classmethod
    def saved(cls, name, data):
        path = cls.folder / f"{name}.json"
        path.write_text(json.dumps(data))
        return path

    @classmethod
    def page(cls, name, data):
        """Makes the page of a report."""
        cls.cambi("report", "--force", cls.saved(name, data))
        return cls.folder / f"{name}.html"

    @classmethod
    def comparison(cls, name, reports, *flags):
        paths = [cls.saved(run, data) for run, data in reports.items()]
        page = cls.folder / f"{name}.html"
        cls.cambi("compare", *paths, "--html", page, *flags)
        return page

    def open(self, page):
        """Opens the page and waits until it has built itself."""
        self.browser.open(page)
        self.browser.wait("""
            const [done] = arguments, end = performance.now() + 20000;
            (function look() { if (window.cambi || performance.now() > end) done(); else setTimeout(look, 5); })();""")
        self.browser.settle()
        self.check_clean()

    def check_clean(self):
        self.assertEqual(self.browser.console(), [])
        outside = [url for url in self.browser.requests() if not re.match(r"(file|data|chrome|blob):", url)]
        self.assertEqual(outside, [])
        self.assertIsNone(self.run_script("return window.hacked ?? null"))
        wide = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        content, window = self.run_script(wide)
        self.assertLessEqual(content, window, "the page is wider than the window")

    def run_script(self, script, *arguments):
        return self.browser.run(script, *arguments)

    def text(self, selector):
        return self.run_script("return document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector):
        return self.run_script("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)

    def rows(self, selector):
        """The texts of the cells of each row that the selector finds."""
        return self.run_script("""return [...document.querySelectorAll(arguments[0])]
            .map((row) => [...row.cells].map((cell) => cell.textContent))""", selector)

    def shoot(self, name):
        if self.shots:
            self.shots.mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(self.shots / f"{self.browser.name}-{name}.png")

    def window(self):
        return self.run_script("return cambi.curve.window")

    def place_of(self, position):
        """Where in the browser's window the curve has a frame, by position."""
        return self.run_script("""
            const {curve} = cambi, over = curve.u.over;
            over.scrollIntoView({block: 'center'});
            const box = over.getBoundingClientRect();
            return [box.left + curve.u.valToPos(curve.xs[arguments[0]], 'x'), box.top + box.height / 2];""", position)

    @classmethod
    def with_pictures(cls, data=None, size=(320, 180), metric="cambi", has_heat=True, difference=False, facts=None):
        """A page with pictures of its four worst frames, what it tells of those frames, and the pictures."""
        if data is None:
            scores = wave(600)
            for i in range(50, 600, 100):
                scores[i] += 4
            data = report(scores)
        page = cls.page("pictured", data)
        worst = json.loads(embedded_report(page))["worst"][metric][:4]
        pictures = [{"frame": one["frameNum"], "timestamp": one["timestamp"], "picture": picture(*size, i * 20),
                     "reference": picture(*size, i * 20 + 9), **({"heat": picture(*size, i * 20 + 90)} if has_heat else {}),
                     **({"difference": picture(*size, i * 20 + 50)} if difference else {}), **(facts or {})}
                    for i, one in enumerate(worst)]
        page.write_text(page.read_text().replace('id="pictures">[]', f'id="pictures">{json.dumps(pictures)}'))
        return page, worst, pictures
