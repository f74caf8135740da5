"""The page of several runs."""
import json

from pages import PageTest, report, wave


class Comparison(PageTest):
    def test_a_comparison(self):
        reports = {"a": report(wave(300, 2)), "b": report(wave(300, 4)), "c": report(wave(280, 1))}
        self.open(self.comparison("compared", reports, "--by", "p95"))
        ranked = self.texts(".ranked tbody th")
        self.assertEqual(ranked, ["c", "a", "b"])
        data = self.run_script("return cambi.curve.u.data.map((column) => [...column])")
        self.assertEqual([len(column) for column in data], [300] * 4)
        self.assertIn("c has the least banding", self.text(".verdict .title"))
        self.assertIn("Lengths differ: c has 280 frames, ", self.text(".warnings"))
        self.assertIsNone(data[1][290])
        self.assertAlmostEqual(data[3][290], wave(300, 4)[290], places=6)
        self.browser.click(".legend button:nth-child(2)")
        shown = self.run_script("return cambi.curve.u.series.slice(1).map((one) => one.show)")
        self.assertEqual(shown, [True, False, True])
        self.browser.point(*self.place_of(100))
        self.assertEqual(self.texts(".legend .value"), [f"{data[1][100]:.3f}", "\u2013", f"{data[3][100]:.3f}"])
        lines = self.run_script("return cambi.curve.u.series.slice(1).map((one) => [one.stroke(), String(one.dash)].join())")
        self.assertEqual(len(set(lines)), 3)
        self.shoot("comparison")
        self.check_clean()

    def test_the_best_of_a_comparison_may_still_be_bad(self):
        best, other = report([2] * 40 + [6] * 60), report([7] * 100)
        self.open(self.comparison("bad", {"best": best, "other": other}))
        title = self.text(".verdict .title")
        self.assertIn("best has the least banding, but 60 of its 100 frames (60.0\u202f%) still reach 5", title)
        self.assertTrue(self.run_script("return document.querySelector('.verdict').classList.contains('bad')"))
        headings = self.texts(".ranked thead tr:last-child > *")
        self.assertIn("99th percentile", headings)
        self.assertNotIn("Harmonic", headings)

    def test_runs_of_one_name_are_told_apart(self):
        paths = []
        for folder in ("x", "y"):
            (self.folder / folder).mkdir(exist_ok=True)
            paths.append(self.folder / folder / "enc.json")
            paths[-1].write_text(json.dumps(report(wave(60, 1 + len(paths)))))
        page = self.folder / "named.html"
        self.cambi("compare", *paths, "--html", page)
        self.open(page)
        names = self.texts(".ranked tbody th")
        self.assertEqual(names, ["x/enc", "y/enc"])
        self.assertIn("x/enc has the least banding", self.text(".verdict .title"))

    def test_a_comparison_of_many_long_runs(self):
        reports = {f"run{i}{'_long' * 20}": report(wave(20000, 1 + i / 4)) for i in range(10)}
        self.open(self.comparison("many", reports))
        lines = self.run_script("return cambi.curve.u.series.slice(1).map((one) => [one.stroke(), String(one.dash)].join())")
        self.assertEqual(len(set(lines)), 10, "two runs look the same")
        self.shoot("many")
