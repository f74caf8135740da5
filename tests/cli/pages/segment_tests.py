"""Segments and scene cuts on a page."""
from pages import PageTest, report, wave


def with_segments(scores, rule, metrics=("cambi",), cuts=()):
    """A report with the stretches of the first metric at `rule` or more."""
    data = report(scores, metrics=metrics)
    stretches, begin = [], None
    for i, score in enumerate([*scores, 0]):
        if score >= rule and begin is None:
            begin = i
        elif score < rule and begin is not None:
            part = scores[begin:i]
            stretches.append({"first": begin, "last": i - 1, "start": begin / 24, "end": i / 24, "mean": sum(part) / len(part),
                              "worst": max(part), "worst_frame": begin + part.index(max(part))})
            begin = None
    data["run"]["segments"] = {"metric": metrics[0], "from": rule, "until": rule, "shortest_frames": 1,
                               "shortest_seconds": 0, "list": stretches}
    data["run"]["scene_cuts"] = list(cuts)
    return data, stretches


class SegmentsOfAPage(PageTest):
    TABLE = ".segments tbody tr"

    def test_a_segment_leads_to_the_curve(self):
        scores = [7 if 100 <= i < 200 or 400 <= i < 424 else 1 for i in range(600)]
        data, _ = with_segments(scores, 5, cuts=[100, 350])
        self.open(self.page("segments", data))
        self.assertEqual(self.rows(self.TABLE), [["1", "0:00:04.16", "0:00:08.33", "4.17 s", "7.000", "7.000"],
                                       ["2", "0:00:16.66", "0:00:17.66", "1.00 s", "7.000", "7.000"]])
        self.assertIn("2 stretches of CAMBI at 5 or more: 0:00:05.16 together, 20.7\u202f% of the video.", self.text(".segments .note"))
        self.assertIn("2 segments", self.text(".axis-name"))
        self.assertIn("2 scene cuts", self.text(".axis-name"))
        self.browser.click(f"{self.TABLE}:nth-child(2) button")
        low, high = self.window()
        self.assertTrue(380 <= low < 400 and 423 < high <= 445, (low, high))
        self.assertIn("Frame 400", self.text(".curve .readout"))
        self.assertTrue(self.run_script("return document.activeElement === cambi.curve.host"))
        self.run_script(f"document.querySelector('{self.TABLE} button').focus()")
        self.browser.press("Enter")
        self.assertIn("Frame 100 \u00b7 0:00:04.16 \u00b7 scene cut", self.text(".curve .readout"))
        self.shoot("segments")
        self.check_clean()

    def test_scores_that_are_not_comparable_are_not_ranked(self):
        data, _ = with_segments([7 if 100 <= i < 200 else 1 for i in range(600)], 5, metrics=("psnr_y",), cuts=[100, 350])
        ranked = {"Segments", "Scenes", "Worst moments"}
        self.open(self.page("comparable", data))
        self.assertLessEqual(ranked, set(self.texts("h2")))
        data["run"]["pair_faults"] = [{"kind": "pictures", "text": "Other pictures.", "certain": True, "frames": []}]
        self.open(self.page("apart", data))
        self.assertEqual(self.text("#page > :nth-child(2)"), "Not comparableOther pictures.")
        self.assertIn("no verdict", self.text(".verdict"))
        self.assertFalse({*ranked, "What to do next"} & set(self.texts("h2")))
        self.assertNotIn("segment", self.text(".axis-name"))
        # What is of one video alone is ranked all the same.
        data["run"]["segments"]["metric"] = "cambi"
        for frame in data["frames"]:
            frame["metrics"]["cambi"] = frame["metrics"]["psnr_y"]
        self.open(self.page("beside", data))
        self.assertLessEqual(ranked, set(self.texts("h2")))
        self.assertNotIn("PSNR", self.text(".scenes"))

    def test_what_is_marked_is_drawn(self):
        data, _ = with_segments([7 if 100 <= i < 200 else 1 for i in range(600)], 5, cuts=[300])
        self.open(self.page("marks", data))
        seen = self.run_script("""
            const {curve} = cambi, {ctx, bbox} = curve.u;
            const at = (frame, y) => ctx.getImageData(Math.round(curve.u.valToPos(frame, 'x', true)), y, 1, 1).data.join();
            const foot = bbox.top + bbox.height - 3, middle = Math.round(bbox.top + bbox.height * 0.55);
            return {band: at(150, middle), beside: at(250, middle), cut: at(300, foot), besideCut: at(310, foot)};""")
        self.assertNotEqual(seen["band"], seen["beside"])
        self.assertNotEqual(seen["cut"], seen["besideCut"])

    def test_many_segments_begin_with_the_worst(self):
        scores = [6 + i / 1000 if i % 20 < 5 else 1 for i in range(2000)]
        data, stretches = with_segments(scores, 5)
        self.assertEqual(len(stretches), 100)
        self.open(self.page("many_segments", data))
        self.assertEqual([row[0] for row in self.rows(self.TABLE)], [str(i) for i in range(100, 90, -1)])
        self.browser.click(".segments .chooser label:first-of-type")
        self.assertEqual([row[0] for row in self.rows(self.TABLE)], [str(i) for i in range(1, 11)])
        self.browser.click(".segments button.more")
        self.assertEqual(len(self.rows(self.TABLE)), 100)
        self.assertEqual(self.run_script("return document.activeElement.textContent"), "11")
        self.assertIsNone(self.run_script("return document.querySelector('.segments button.more').offsetParent"))
        self.shoot("many_segments")
        self.check_clean()

    def test_a_segment_shows_its_metric(self):
        scores = [7 if 100 <= i < 200 else 1 for i in range(600)]
        data, _ = with_segments(scores, 5, ("cambi", "cambi_source"))
        self.open(self.page("hidden_line", data))
        self.browser.click(".legend button:first-of-type")
        self.assertTrue(self.run_script("return cambi.curve.series[0].hidden"))
        self.browser.click(f"{self.TABLE} button")
        self.assertFalse(self.run_script("return cambi.curve.series[0].hidden"))
        self.assertEqual(self.run_script("return document.querySelector('.legend button').getAttribute('aria-pressed')"), "true")
        data, _ = with_segments(scores, 5, ("cambi", *(f"cambi_topk_0.{i}" for i in range(1, 8))))
        self.open(self.page("crowded", data))
        self.run_script("""const list = document.querySelector('.menu select'); list.value = 'cambi_topk_0.4';
            list.dispatchEvent(new Event('change'));""")
        self.assertEqual(self.run_script("return cambi.curve.bands.length"), 0)
        self.browser.click(f"{self.TABLE} button")
        self.assertEqual(self.run_script("return cambi.metric"), "cambi")
        self.assertEqual(self.run_script("return document.querySelector('.menu select').value"), "cambi")
        self.assertEqual(self.run_script("return cambi.curve.bands.length"), 1)
        low, high = self.window()
        self.assertTrue(80 <= low < 100 and 199 < high <= 220, (low, high))
        self.check_clean()

    def test_several_metrics_have_a_table_each(self):
        data, _ = with_segments([7 if 100 <= i < 200 else 1 for i in range(600)], 5, ("cambi", "psnr_y"))
        other = {"metric": "psnr_y", "from": 40, "until": 40, "smoothed_seconds": 0.5, "shortest_frames": 1, "shortest_seconds": 0, "list": []}
        data["run"]["more_segments"] = [other]
        self.open(self.page("two_metrics", data))
        notes = self.texts(".segments .part .note")
        self.assertTrue(notes[0].startswith("1 stretch of CAMBI at 5 or more: "), notes)
        self.assertEqual(notes[1], "No stretch whose half-second mean of psnr_y is 40 or less.")
        self.assertEqual(len(self.rows(self.TABLE)), 1)
        self.check_clean()

    def test_what_is_better_higher_and_what_has_none(self):
        data, _ = with_segments(wave(300), 90)
        self.open(self.page("none", data))
        self.assertIn("No stretch of CAMBI at 90 or more.", self.text(".segments .note"))
        self.assertEqual(self.rows(self.TABLE), [])
        data = report([30 if i < 150 else 45 for i in range(300)], metrics=("psnr_y",))
        self.open(self.page("psnr", data))
        self.assertEqual(self.run_script("return document.querySelectorAll('.segments').length"), 0)
        self.cambi("report", "--force", self.saved("psnr", data), "--segments", "psnr_y:40", "-o", self.folder / "psnr.html")
        self.open(self.folder / "psnr.html")
        self.assertIn("1 stretch whose half-second mean of psnr_y is 40 or less: 0:00:06.33 together, 50.7\u202f% of the video.", self.text(".segments .note"))
