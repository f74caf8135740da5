#!/usr/bin/env python3
"""The pages in a real Chromium: usage page_browser_test.py CAMBI [SCREENSHOT_FOLDER]

Makes pages of made-up reports with `cambi report` and `cambi compare`, opens them headless and looks at what a reader
gets: the curve's values, hover, zoom, the keyboard, the large view, light and dark, paper, small screens, odd reports.
"""
import base64
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

from browser import Browser

CAMBI = sys.argv.pop(1)
SHOTS = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
FRAME_RATE = 24
EVIL = "/data/</script><script>window.hacked = 1</script>/<img src=x onerror='window.hacked = 2'> \"&amp;" + "long_" * 40
WIDTH = 1280


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
           "simd": "AVX2", "device": "", "driver": "", "threads": 2, "arguments": [path, "--html", "page one.html"],
           "inputs": [video], "features": [{"name": "cambi", "options": {"topk": "0.6"}}], "warnings": []}
    return {"version": "0.1.0", "fps": 41.2, "run": run, "frames": frames}


def picture(width, height, shade):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes((x * 255 // width + shade) % 256 for x in range(width)) for _ in range(height))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    png += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(png).decode()


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="cambi-pages-")
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.browser = Browser().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.scratch.cleanup()

    def setUp(self):
        self.browser.prefer("light")
        self.browser.resize(WIDTH, 900)
        self.browser.console()
        self.browser.requests()

    def page(self, name, data):
        """Makes the page of a report."""
        saved = self.folder / f"{name}.json"
        saved.write_text(json.dumps(data))
        subprocess.run([CAMBI, "report", "--force", str(saved)], check=True)
        return self.folder / f"{name}.html"

    def comparison(self, name, reports, *flags):
        paths = []
        for run, data in reports.items():
            paths.append(self.folder / f"{run}.json")
            paths[-1].write_text(json.dumps(data))
        page = self.folder / f"{name}.html"
        subprocess.run([CAMBI, "compare", *map(str, paths), "--html", str(page), *flags], check=True,
                       stdout=subprocess.DEVNULL)
        return page

    def open(self, page):
        self.browser.open(page)
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

    def shoot(self, name):
        if SHOTS:
            SHOTS.mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(SHOTS / f"{name}.png")

    def window(self):
        return self.run_script("return cambi.curve.window")

    def place_of(self, position):
        """Where in the browser's window the curve has a frame, by position."""
        return self.run_script("""
            const {curve} = cambi, over = curve.u.over;
            over.scrollIntoView({block: 'center'});
            const box = over.getBoundingClientRect();
            return [box.left + curve.u.valToPos(curve.xs[arguments[0]], 'x'), box.top + box.height / 2];""", position)

    def with_pictures(self):
        scores = wave(600)
        for i in range(50, 600, 100):
            scores[i] += 4
        page = self.page("pictured", report(scores))
        worst = json.loads(re.search(r'class="report">(.*?)</script>', page.read_text(), re.S)[1])["worst"]["cambi"][:4]
        pictures = [{"frame": one["frameNum"], "timestamp": one["timestamp"], "thumbnail": picture(32, 18, i * 20),
                     "plain": picture(320, 180, i * 20), "overlay": picture(320, 180, i * 20 + 90)}
                    for i, one in enumerate(worst)]
        page.write_text(page.read_text().replace('id="pictures">[]', f'id="pictures">{json.dumps(pictures)}'))
        return page, worst, pictures

    def test_the_curve_has_the_reports_values(self):
        scores = wave(600)
        self.open(self.page("values", report(scores, metrics=("cambi", "cambi_source"))))
        data = self.run_script("return cambi.curve.u.data.map((column) => [...column])")
        self.assertEqual(data[0], list(range(600)))
        for drawn, score in zip(data[1], scores):
            self.assertAlmostEqual(drawn, score, delta=1e-6)
        for drawn, score in zip(data[2], scores):
            self.assertAlmostEqual(drawn, score / 2, delta=1e-6)
        self.assertEqual(self.run_script("return cambi.histogram.counts.reduce((a, b) => a + b)"), 600)
        inked = self.run_script("""
            const {canvas} = cambi.curve.u.ctx, pixels = cambi.curve.u.ctx.getImageData(0, 0, canvas.width, canvas.height).data;
            let count = 0;
            for (let i = 0; i < pixels.length; i += 4) if (pixels[i] < 30 && pixels[i + 2] > 140 && pixels[i + 3]) ++count;
            return count;""")
        self.assertGreater(inked, 500, "no curve in its colour")
        self.shoot("full_reference")

    def test_the_verdict_and_the_statistics(self):
        scores = wave(600)
        self.open(self.page("verdict", report(scores)))
        annoying = sum(score >= 5 for score in scores)
        self.assertIn(f"{annoying} of 600 frames", self.text(".verdict"))
        self.assertIn(f"{max(scores):.3f}", self.text(".figures"))
        self.assertIn(f"{sum(scores) / 600:.3f}", self.text("table"))
        self.assertEqual(self.text("h1"), "show.mkv")

    def test_hover_reads_the_frame_under_the_pointer(self):
        scores = wave(600)
        self.open(self.page("hover", report(scores)))
        self.browser.point(*self.place_of(417))
        self.assertIn("Frame 417", self.text(".curve .readout"))
        self.assertIn("0:00:17.37", self.text(".curve .readout"))
        self.assertIn(f"{scores[417]:.3f}", self.text(".curve .readout"))
        box = self.run_script("""const over = cambi.histogram.u.over; over.scrollIntoView({block: 'center'});
            const box = over.getBoundingClientRect(); return [box.left + 3, box.top + 20];""")
        self.browser.point(*box)
        low = sum(score < 0.25 for score in scores)
        self.assertIn(f"Score 0 to 0.25{low} frame", self.text(".histogram .readout"))
        self.check_clean()

    def test_drag_buttons_and_double_click_zoom(self):
        self.open(self.page("zoom", report(wave(600))))
        self.assertEqual(self.window(), [0, 599])
        x, y = self.place_of(100)
        self.browser.drag([(x, y), (x + 40, y), (self.place_of(200)[0], y)])
        low, high = self.window()
        self.assertAlmostEqual(low, 100, delta=2)
        self.assertAlmostEqual(high, 200, delta=2)
        self.assertIn("of 600", self.text(".curve .range"))
        self.shoot("zoomed")
        self.browser.click(".curve .buttons button[aria-label='Zoom in']")
        self.assertLess(self.window()[1] - self.window()[0], 60)
        self.browser.click(".curve .buttons button:last-child")
        self.assertEqual(self.window(), [0, 599])
        self.browser.click(".curve .chooser label:last-of-type")
        self.assertEqual(self.run_script("return cambi.curve.unit"), "time")
        self.assertAlmostEqual(self.window()[1], 599 / FRAME_RATE, places=5)
        self.check_clean()

    def test_the_keyboard_reaches_and_moves_everything(self):
        scores = wave(600)
        self.open(self.page("keys", report(scores)))
        reached = []
        for _ in range(40):
            self.browser.press("Tab")
            reached.append(self.run_script("""const at = document.activeElement;
                return at.getAttribute('aria-label') || at.textContent || at.value || at.tagName;"""))
        for wanted in ("Download JSON", "Dark", "Zoom in", "Show all", "Score of every frame", "Options of cambi"):
            self.assertTrue(any(wanted in name for name in reached), f"{wanted} is not reached: {reached}")
        self.run_script("cambi.curve.host.focus()")
        self.browser.press("Home")
        self.browser.press("ArrowRight", "ArrowRight")
        self.browser.press("ArrowRight", shift=True)
        self.assertIn("Frame 12 ", self.text(".curve .readout"))
        slider = "return cambi.curve.host.getAttribute(arguments[0])"
        self.assertEqual(self.run_script(slider, "aria-valuenow"), "12")
        self.assertIn(f"{scores[12]:.3f}", self.run_script(slider, "aria-valuetext"))
        self.browser.press("+")
        self.assertLess(self.window()[1] - self.window()[0], 320)
        self.browser.press("End")
        self.assertIn("Frame 599", self.text(".curve .readout"))
        self.assertAlmostEqual(self.window()[1], 599, places=6)
        self.browser.press("0")
        self.assertEqual(self.window(), [0, 599])
        self.check_clean()

    def test_the_large_view(self):
        page, worst, pictures = self.with_pictures()
        self.open(page)
        alts = self.run_script("return [...document.querySelectorAll('.card')].map((card) => card.getAttribute('aria-label'))")
        self.assertTrue(all(alts) and f"Frame {worst[0]['frameNum']}" in alts[0], alts)
        self.shoot("pictures")
        self.browser.click(".pictured li:first-child .card")
        state = """const view = document.querySelector('dialog.large'), image = view.querySelector('img');
            return {open: view.open, title: view.querySelector('h3').textContent, src: image.src, alt: image.alt,
              loaded: image.naturalWidth};"""
        shown = self.run_script(state)
        self.assertTrue(shown["open"])
        self.assertIn(f"{worst[0]['score']:.3f}", shown["title"])
        self.assertEqual(shown["src"], pictures[0]["overlay"])
        self.assertIn("heat map", shown["alt"])
        self.assertEqual(shown["loaded"], 320)
        self.shoot("large_view")
        self.browser.press("ArrowRight", "ArrowRight")
        self.assertEqual(self.run_script(state)["src"], pictures[2]["overlay"])
        self.browser.press("ArrowLeft")
        self.assertEqual(self.run_script(state)["src"], pictures[1]["overlay"])
        self.browser.click("dialog.large .chooser label:first-of-type")
        self.assertEqual(self.run_script(state)["src"], pictures[1]["plain"])
        self.assertNotIn("heat map", self.run_script(state)["alt"])
        self.browser.press("Escape")
        self.assertFalse(self.run_script(state)["open"])
        focused = self.run_script("return document.activeElement.getAttribute('aria-label')")
        self.assertEqual(focused, alts[0], "the focus is not back where it was")
        self.check_clean()

    def test_a_worst_frame_without_a_picture_shows_in_the_curve(self):
        self.open(self.page("nopictures", report(wave(600))))
        self.browser.click(".card")
        self.browser.settle()
        low, high = self.window()
        self.assertLess(high - low, 70)
        worst = max(range(600), key=lambda i: wave(600)[i])
        self.assertIn(f"Frame {worst} ", self.text(".curve .readout"))

    def test_light_dark_and_the_toggle(self):
        page, _, _ = self.with_pictures()
        ground = "return getComputedStyle(document.body).backgroundColor"
        self.open(page)
        light = self.run_script(ground)
        self.browser.prefer("dark")
        self.browser.settle()
        dark = self.run_script(ground)
        self.assertNotEqual(light, dark)
        self.shoot("dark")
        self.browser.click("header button.quiet")
        self.assertEqual(self.run_script(ground), light)
        self.browser.click("header button.quiet")
        self.assertEqual(self.run_script(ground), dark)

    def test_text_has_contrast(self):
        """WCAG 2.1: 4.5 to 1 for text, 3 to 1 for lines of the plot."""
        self.open(self.page("contrast", report(wave(60))))
        ratio = """
            const part = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
            const luminance = (hex) => [1, 3, 5].map((i) => part(parseInt(hex.slice(i, i + 2), 16) / 255))
              .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
            const style = getComputedStyle(document.documentElement);
            const [a, b] = [...arguments].map((name) => luminance(style.getPropertyValue('--' + name).trim()));
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);"""
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            self.browser.settle()
            for text in ("ink", "muted", "warn", "good"):
                self.assertGreaterEqual(self.run_script(ratio, text, "ground"), 4.5, f"{text} in {scheme}")
            for line in range(7):
                self.assertGreaterEqual(self.run_script(ratio, f"c{line}", "ground"), 3, f"c{line} in {scheme}")

    def test_paper_is_light_and_fits(self):
        page, _, _ = self.with_pictures()
        self.browser.prefer("dark")
        self.open(page)
        pdf = (SHOTS or self.folder) / "page.pdf"
        pdf.parent.mkdir(parents=True, exist_ok=True)
        self.browser.pdf(pdf)
        self.assertGreater(pdf.stat().st_size, 20000)
        self.run_script("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.run_script("return document.documentElement.dataset.theme"), "light")
        self.assertLessEqual(self.run_script("return cambi.curve.u.width"), 680)
        self.run_script("dispatchEvent(new Event('afterprint'))")
        self.browser.settle()
        self.assertEqual(self.run_script("return document.documentElement.dataset.theme"), "dark")
        self.assertGreater(self.run_script("return cambi.curve.u.width"), 900)

    def test_a_small_screen(self):
        page, _, _ = self.with_pictures()
        self.browser.resize(360, 740)
        self.open(page)
        self.assertLessEqual(self.run_script("return cambi.curve.u.width"), 360)
        self.shoot("small")

    def test_one_frame(self):
        self.open(self.page("one", report([3.25])))
        self.assertIn("nowhere", self.text(".verdict"))
        self.run_script("cambi.curve.host.focus()")
        self.browser.press("ArrowRight", "+", "End")
        self.assertIn("3.250", self.text(".curve .readout"))
        self.shoot("one")
        self.check_clean()

    def test_a_score_of_zero_throughout(self):
        self.open(self.page("zero", report([0.0] * 500)))
        self.assertIn("No banding found", self.text(".verdict"))
        self.assertIn("No frame has a flaw", self.text("#page"))
        self.shoot("zero")

    def test_missing_scores(self):
        scores = wave(100)
        scores[40] = None
        self.open(self.page("missing", report(scores)))
        self.assertIn("missing", self.text(".verdict"))
        self.assertIsNone(self.run_script("return cambi.curve.u.data[1][40]"))

    def test_a_hundred_thousand_frames(self):
        page = self.page("long", report(wave(100000)))
        self.open(page)
        self.assertEqual(self.run_script("return cambi.curve.u.data[1].length"), 100000)
        self.assertIn("mean of", self.text(".legend"))
        # uPlot draws in a microtask, so the time is that until the next one.
        took = self.browser.call("/execute/async", args=[], script="""const done = arguments[0];
            (async () => {
              let draws = 0;
              cambi.curve.u.hooks.draw.push(() => { ++draws; });
              const start = performance.now();
              for (let i = 0; i < 5; ++i) { cambi.curve.zoom(0.5); await null; await null; }
              cambi.curve.reset(); await null; await null;
              done([draws, performance.now() - start]);
            })();""")
        self.assertEqual(took[0], 6)
        self.assertLess(took[1], 6000)
        if SHOTS:
            print(f"six draws of 100,000 frames: {took[1]:.0f} ms")
        self.shoot("long")
        self.run_script("cambi.curve.host.focus()")
        self.browser.press("End")
        self.assertIn("Frame 99,999", self.text(".curve .readout"))
        self.check_clean()

    def test_markup_in_names_stays_text(self):
        data = report(wave(60), path=EVIL, metrics=(EVIL, "cambi"))
        data["run"]["warnings"] = [EVIL]
        data["run"]["device"] = EVIL
        data["run"]["features"] = [{"name": EVIL, "options": {"topk": EVIL}}]
        self.open(self.page("markup", data))
        self.assertIn("<img src=x onerror='window.hacked = 2'>", self.text("h1"))
        self.assertIn("</script><script>", self.text(".warnings"))
        self.assertEqual(self.run_script("return document.querySelectorAll('#page img, #page script').length"), 0)
        self.shoot("markup")
        self.browser.resize(360, 740)
        self.browser.settle()
        self.check_clean()

    def test_the_download_is_the_report(self):
        self.open(self.page("download", report(wave(60))))
        got = self.run_script("""let blob = null; const make = URL.createObjectURL;
            URL.createObjectURL = (made) => { blob = made; return make(made); };
            HTMLAnchorElement.prototype.click = function () { window.saved = this.download; };
            [...document.querySelectorAll('header button')].find((one) => one.textContent === 'Download JSON').click();
            window.blob = blob; return window.saved;""")
        self.assertEqual(got, "show.mkv.json")
        text = self.browser.call("/execute/async", args=[], script="window.blob.text().then(arguments[0]);")
        self.assertEqual(len(json.loads(text)["frames"]), 60)

    def test_a_compatible_report(self):
        data = report(wave(60))
        del data["run"]
        for frame in data["frames"]:
            del frame["timestamp"]
        self.open(self.page("plain", data))
        self.assertEqual(self.text("h1"), "plain.json")
        self.assertIsNone(self.run_script("return document.querySelector('.curve .chooser')"))
        self.shoot("compatible")

    def test_a_comparison(self):
        reports = {"a": report(wave(300, 2)), "b": report(wave(300, 4)), "c": report(wave(280, 1))}
        self.open(self.comparison("compared", reports, "--by", "p95"))
        ranked = self.run_script("return [...document.querySelectorAll('.ranked tbody th')].map((cell) => cell.textContent)")
        self.assertEqual([pathlib.Path(name).name for name in ranked], ["c.json", "a.json", "b.json"])
        data = self.run_script("return cambi.curve.u.data.map((column) => [...column])")
        self.assertEqual([len(column) for column in data], [300] * 4)
        self.assertIn("c.json has the least banding", self.text(".verdict .title"))
        self.assertIn("Lengths differ: c.json has 280 frames, ", self.text(".warnings"))
        self.assertIsNone(data[1][290])
        self.assertAlmostEqual(data[3][290], wave(300, 4)[290], places=6)
        self.browser.click(".legend button:nth-child(2)")
        shown = self.run_script("return cambi.curve.u.series.slice(1).map((one) => one.show)")
        self.assertEqual(shown, [True, False, True])
        self.browser.point(*self.place_of(100))
        self.assertEqual(self.run_script("return document.querySelectorAll('.curve .readout .value').length"), 2)
        lines = self.run_script("return cambi.curve.u.series.slice(1).map((one) => [one.stroke(), String(one.dash)].join())")
        self.assertEqual(len(set(lines)), 3)
        self.shoot("comparison")
        self.check_clean()

    def test_the_best_of_a_comparison_may_still_be_bad(self):
        best, other = report([2] * 40 + [6] * 60), report([7] * 100)
        self.open(self.comparison("bad", {"best": best, "other": other}))
        title = self.text(".verdict .title")
        self.assertIn("best.json has the least banding, but 60 of its 100 frames (60.0\u202f%) reach 5", title)
        self.assertTrue(self.run_script("return document.querySelector('.verdict').classList.contains('bad')"))
        headings = self.run_script("return [...document.querySelectorAll('.ranked thead th')].map((cell) => cell.textContent)")
        self.assertIn("99th percentile", headings)
        self.assertNotIn("Harmonic", headings)

    def test_runs_of_one_name_are_told_apart(self):
        paths = []
        for folder in ("x", "y"):
            (self.folder / folder).mkdir(exist_ok=True)
            paths.append(self.folder / folder / "enc.json")
            paths[-1].write_text(json.dumps(report(wave(60, 1 + len(paths)))))
        page = self.folder / "named.html"
        subprocess.run([CAMBI, "compare", *map(str, paths), "--html", str(page)], check=True, stdout=subprocess.DEVNULL)
        self.open(page)
        names = self.run_script("return [...document.querySelectorAll('.ranked tbody th')].map((cell) => cell.textContent)")
        self.assertEqual(names, ["x/enc.json", "y/enc.json"])
        self.assertIn("x/enc.json has the least banding", self.text(".verdict .title"))

    def test_what_was_settled_and_judged_is_told(self):
        data = report(wave(60))
        data["run"] |= {"crop": {"width": 1920, "height": 800, "x": 0, "y": 140}, "notes": ["eotf=bt1886 (assumed)"],
                        "thresholds": [{"expression": "p95>5", "metric": "cambi", "statistic": "p95", "value": 6.25, "crossed": True},
                                       {"expression": "share>50%", "metric": "cambi", "statistic": "share", "value": 0.25,
                                        "crossed": False}]}
        self.open(self.page("settled", data))
        text = self.text("#page")
        self.assertIn("1920\u00d7800 at 0, 140", text)
        self.assertIn("eotf=bt1886 (assumed)", text)
        lines = self.run_script("return [...document.querySelectorAll('.thresholds li')].map((one) => [one.className, one.textContent])")
        self.assertEqual(lines, [["bad", "Threshold crossed: p95 of cambi is 6.250 (p95>5)"],
                                 ["good", "Threshold kept: share of cambi is 25.0\u202f% (share>50%)"]])
        self.shoot("settled")

    def test_worst_moments_are_numbered_as_the_report_lists_them(self):
        page, worst, _ = self.with_pictures()
        self.open(page)
        ranks = self.run_script("return [...document.querySelectorAll('.card .rank')].map((one) => one.textContent)")
        self.assertEqual(ranks, [str(i + 1) for i in range(len(ranks))])
        self.assertGreater(len(ranks), 4)

    def test_levels_and_histograms_of_a_run(self):
        page = self.folder / "levels.html"
        clip = pathlib.Path(__file__).parents[3] / "testdata" / "clips" / "colour_640x360_444_crushed.mp4"
        subprocess.run([CAMBI, str(clip), "--feature", "histogram=planes=rgb", "--backend", "cpu", "-q", "--html", str(page)],
                       check=True)
        for width in (1440, 390):
            self.browser.resize(width, 900)
            self.open(page)
            self.shoot(f"levels-{width}")
        # A line for each channel, of the whole run and of each picture.
        lines = "return [...document.querySelectorAll('svg.levels')].map((one) => one.querySelectorAll('polyline').length)"
        drawn = self.run_script(lines)
        self.assertGreater(len(drawn), 1)
        self.assertEqual(set(drawn), {4})
        self.assertIn("Clipped: R", self.text(".whole figcaption"))
        self.assertTrue(self.run_script("return document.querySelector('.whole .end.clipped') !== null"))
        # Levels are those of the chosen channel, whose metrics the report has as well.
        for channel in ("r", "l"):
            self.browser.click(f".chooser input[value={channel}] + span")
            for figure, line in (("p99", 0), ("p50", 1), ("p1", 2)):
                shown = self.run_script(f"return cambi.levels.curve.series[{line}].values")
                told = self.run_script(f"""
                    return JSON.parse(document.querySelector('script.report').textContent).frames.map(
                      (frame) => frame.metrics.histogram_{channel}_{figure})""")
                self.assertEqual(shown, told)

    def test_many_metrics_have_one_curve_and_a_row_each(self):
        names = tuple(f"cambi_{i}" for i in range(9))
        self.open(self.page("many", report(wave(60), metrics=names)))
        self.assertEqual(self.run_script("return cambi.curve.series.map((one) => one.label)"), ["cambi_0"])
        self.assertEqual(len(self.run_script("return [...document.querySelectorAll('table.metrics tbody tr')].map(() => 1)")), 9)
        self.run_script("""
            const list = document.querySelector('select');
            list.value = 'cambi_7';
            list.dispatchEvent(new Event('change'))""")
        self.assertEqual(self.run_script("return cambi.curve.series.map((one) => one.label)"), ["cambi_7"])
        self.assertEqual(self.run_script("return document.querySelectorAll('.curve').length"), 1)
        self.check_clean()

    def test_a_comparison_of_many_long_runs(self):
        reports = {f"run{i}{'_long' * 20}": report(wave(20000, 1 + i / 4)) for i in range(10)}
        self.open(self.comparison("many", reports))
        lines = self.run_script("return cambi.curve.u.series.slice(1).map((one) => [one.stroke(), String(one.dash)].join())")
        self.assertEqual(len(set(lines)), 10, "two runs look the same")
        self.shoot("many")


unittest.main(verbosity=1)
