"""compare() has the figures of `cambi compare`."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import videos

import cambi


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.reports, cls.results = folder.name, [], []
        reference = videos.video(4, 1)
        for name, noise in ("noisy", 9), ("fine", 2), ("medium", 5):
            result = cambi.score(reference, videos.video(4, noise), model="vmaf_v0.6.1", features=["psnr", "cambi"])
            path = os.path.join(cls.folder, name + ".json")
            result.save(path)
            cls.reports.append(path)
            cls.results.append(result)

    def expected(self, *arguments):
        path = os.path.join(self.folder, "expected.out.json")
        subprocess.run([os.environ["CAMBI_PROGRAM"], "compare", *self.reports, "--precision", "max", "-q", "-o", path, *arguments],
                       check=True)
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))

    def test_figures_are_those_of_the_program(self):
        for by, arguments in ("mean", []), ("p5", ["--by", "p5"]), ("share", ["--by", "share", "--metric", "cambi"]):
            metric = "cambi" if by == "share" else None
            for results in self.reports, dict(zip(["noisy", "fine", "medium"], self.results)):
                comparison, expected = cambi.compare(results, by=by, metric=metric), self.expected(*arguments)
                self.assertEqual((comparison.metric, comparison.by), (expected["metric"], expected["by"]))
                self.assertEqual(len(comparison.runs), 3)
                for run, of_program in zip(comparison.runs, expected["runs"]):
                    del of_program["path"]
                    self.assertEqual(run, of_program)

    def test_the_best_is_named_by_each_metric(self):
        comparison = cambi.compare(self.reports)
        self.assertEqual(comparison.metric, "vmaf")
        self.assertEqual(comparison.best, "fine")
        means = {name: result.mean("vmaf") for name, result in zip(["noisy", "fine", "medium"], self.results)}
        self.assertEqual([run["name"] for run in comparison.runs], sorted(means, key=means.get, reverse=True))
        winners = comparison.winners
        self.assertEqual((winners["vmaf"], winners["psnr_y"]), ("fine", "fine"))
        banding = {name: result.mean("cambi") for name, result in zip(["noisy", "fine", "medium"], self.results)}
        self.assertEqual(winners["cambi"], min(banding, key=banding.get))
        self.assertNotEqual(winners["cambi"], "fine")
        self.assertNotIn("integer_motion2", winners)  # neither side is better
        by_deviation = cambi.compare(self.reports, by="stdev").winners["vmaf"]
        deviations = {name: result.statistic("vmaf", "stdev") for name, result in zip(["noisy", "fine", "medium"], self.results)}
        self.assertEqual(by_deviation, min(deviations, key=deviations.get))

    def test_results_without_names_are_told_apart(self):
        self.assertEqual({run["name"] for run in cambi.compare(self.results).runs}, {"run", "run (2)", "run (3)"})

    def test_a_comparison_is_shown_as_a_table(self):
        comparison = cambi.compare(self.reports, by="p10")
        lines = repr(comparison).splitlines()
        self.assertRegex(lines[0], r"^vmaf of +p10 +mean +min +p5 +p50 +p95 +max$")
        self.assertTrue(lines[1].startswith("fine"))
        self.assertIn("<td>fine</td>", comparison._repr_html_())

    def test_what_cannot_be_compared_is_an_error(self):
        with self.assertRaisesRegex(cambi.FormatError, "no_such_metric"):
            cambi.compare(self.reports, metric="no_such_metric")
        with self.assertRaisesRegex(cambi.UsageError, "worst"):
            cambi.compare(self.reports, by="worst")


if __name__ == "__main__":
    unittest.main()
