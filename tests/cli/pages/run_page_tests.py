"""The page of one run: its facts, figures and tables, and odd reports."""
import json

from pages import CLIPS, EVIL, PageTest, embedded_report, report, wave


class RunPage(PageTest):
    def test_the_verdict_and_the_statistics(self):
        scores = wave(600)
        self.open(self.page("verdict", report(scores)))
        annoying = sum(score >= 5 for score in scores)
        self.assertIn(f"{annoying} of 600 frames", self.text(".verdict"))
        self.assertIn(f"{max(scores):.3f}", self.text(".figures"))
        self.assertIn(f"{sum(scores) / 600:.3f}", self.text('[aria-label=Statistics] table'))
        self.assertEqual(self.text("h1"), "show.mkv")

    def test_one_frame(self):
        self.open(self.page("one", report([3.25])))
        self.assertIn("Banding is barely visible at most", self.text(".verdict"))
        self.run_script("cambi.curve.host.focus()")
        self.browser.press("ArrowRight", "+", "End")
        self.assertIn("3.250", self.text(".curve .readout"))
        self.shoot("one")
        self.check_clean()

    def test_a_verdict_has_grades(self):
        for worst, word in ((6, "slightly annoying"), (12, "annoying"), (23, "very annoying")):
            self.open(self.page("grades", report([1.0] * 50 + [worst] * 10)))
            self.assertEqual(self.text(".verdict .title"), f"Banding in places, {word} at its worst")
            self.assertIn("10 of 60 frames (16.7\u202f%) reach 5, where banding becomes slightly annoying.", self.text(".verdict"))

    def test_options_of_one_feature_twice_say_which_is_which(self):
        data = report(wave(60))
        data["run"]["features"] = [{"name": "cambi", "options": {"topk": "0.6", "cambi_max_val": limit}} for limit in ("17", "1000")]
        self.open(self.page("twice", data))
        self.assertEqual([text for text in self.texts("summary") if text.startswith("Options")],
                         ["Options of cambi (cambi_max_val 17)", "Options of cambi (cambi_max_val 1000)"])

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
        page = self.page("download", report(wave(60)))
        self.open(page)
        name, text = self.browser.wait("""const done = arguments[0], make = URL.createObjectURL;
            let blob = null;
            URL.createObjectURL = (made) => { blob = made; return make(made); };
            HTMLAnchorElement.prototype.click = function () { blob.text().then((text) => done([this.download, text])); };
            [...document.querySelectorAll('header button')].find((one) => one.textContent === 'Download JSON').click();""")
        self.assertEqual(name, "show.mkv.json")
        self.assertEqual(text, embedded_report(page))
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

    def test_what_was_settled_and_judged_is_told(self):
        data = report(wave(60))
        data["run"] |= {"crop": {"width": 1920, "height": 800, "x": 0, "y": 140}, "notes": ["eotf=bt1886 (assumed)"],
                        "thresholds": [{"expression": "p95>5", "metric": "cambi", "statistic": "p95", "value": 6.25, "crossed": True},
                                       {"expression": "share>50%", "metric": "cambi", "statistic": "share", "value": 0.25,
                                        "crossed": False},
                                       {"expression": "mean>+1", "metric": "cambi", "statistic": "mean", "value": 6.5,
                                        "crossed": True, "baseline": 5.25}]}
        self.open(self.page("settled", data))
        text = self.text("#page")
        self.assertIn("1920\u00d7800 at 0, 140", text)
        self.assertIn("eotf=bt1886 (assumed)", text)
        lines = self.run_script("return [...document.querySelectorAll('.thresholds li')].map((one) => [one.className, one.textContent])")
        self.assertEqual(lines, [["bad", "Threshold crossed: p95 of cambi is 6.250 (p95>5)"],
                                 ["good", "Threshold kept: share of cambi is 25.0\u202f% (share>50%)"],
                                 ["bad", "Threshold crossed: mean of cambi is 6.500, in the baseline 5.250 (mean>+1)"]])
        self.shoot("settled")

    def test_levels_and_histograms_of_a_run(self):
        page = self.folder / "levels.html"
        self.cambi(CLIPS / "colour_640x360_444_crushed.mp4", "--feature", "histogram=planes=rgb", "--backend", "cpu", "-q",
                   "--html", page)
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
                told = self.run_script(f"return cambi.report.frames.map((frame) => frame.metrics.histogram_{channel}_{figure})")
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
