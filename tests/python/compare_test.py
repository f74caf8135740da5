"""compare() has the figures of `cambi compare`."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import videos

import cambi


NAMES = ["noisy", "banded", "fine"]


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.reports, cls.results = folder.name, [], []
        reference = videos.video(4, 1)
        for name, noise in zip(NAMES, (9, 0, 2)):
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
            for results in self.reports, dict(zip(NAMES, self.results)):
                comparison, expected = cambi.compare(results, by=by, metric=metric), self.expected(*arguments)
                self.assertEqual((comparison.metric, comparison.by), (expected["metric"], expected["by"]))
                self.assertEqual(len(comparison.runs), 3)
                for run, of_program in zip(comparison.runs, expected["runs"]):
                    del of_program["path"], of_program["report"]
                    self.assertEqual(run, of_program)

    def test_the_best_is_named_by_each_metric(self):
        def best(choose, metric, statistic="mean"):
            return choose(zip((result.statistic(metric, statistic) for result in self.results), NAMES))[1]

        comparison = cambi.compare(self.reports)
        self.assertEqual((comparison.metric, comparison.best), ("vmaf", best(max, "vmaf")))
        means = dict(zip(NAMES, (result.mean("vmaf") for result in self.results)))
        self.assertEqual([run["name"] for run in comparison.runs], sorted(means, key=means.get, reverse=True))
        winners = comparison.winners
        self.assertEqual((winners["vmaf"], winners["psnr_y"], winners["cambi"]), ("banded", best(max, "psnr_y"), "fine"))
        self.assertEqual(self.results[2].mean("cambi"), 0)
        self.assertNotIn("integer_motion2", winners)  # neither side is better
        self.assertEqual(cambi.compare(self.reports, by="stdev").winners["vmaf"], best(min, "vmaf", "stdev"))

    def test_reports_of_libvmaf_are_compared(self):
        paths = []
        for name, score in ("low", 40.5), ("high", 90.25):
            paths.append(os.path.join(self.folder, name + ".vmaf.json"))
            report = {"version": "3.0.0", "fps": 1.0, "frames": [{"frameNum": 0, "metrics": {"vmaf": score}}]}
            pathlib.Path(paths[-1]).write_text(json.dumps(report), encoding="utf-8")
        comparison = cambi.compare(paths)
        self.assertEqual((comparison.best, comparison.runs[0]["statistics"]["mean"]), ("high.vmaf", 90.25))
        self.assertEqual(cambi.load(paths[0]).facts, {})

    def test_results_without_names_are_told_apart(self):
        self.assertEqual({run["name"] for run in cambi.compare(self.results).runs}, {"run", "run (2)", "run (3)"})

    def test_a_comparison_is_shown_as_a_table(self):
        comparison = cambi.compare(self.reports, by="p10")
        lines = repr(comparison).splitlines()
        self.assertRegex(lines[0], r"^vmaf of +p10 +mean +min +p5 +p50 +p95 +max$")
        self.assertTrue(lines[1].startswith("banded"))
        self.assertIn("<td>fine</td>", comparison._repr_html_())

    def test_what_cannot_be_compared_is_an_error(self):
        with self.assertRaisesRegex(cambi.FormatError, "no_such_metric"):
            cambi.compare(self.reports, metric="no_such_metric")
        with self.assertRaisesRegex(cambi.UsageError, "worst"):
            cambi.compare(self.reports, by="worst")

    def test_files_that_are_no_reports_are_errors_of_the_package(self):
        video, text = os.path.join(self.folder, "encode.mp4"), os.path.join(self.folder, "notes.txt")
        pathlib.Path(video).write_bytes(bytes(range(256)))
        pathlib.Path(text).write_text("notes", encoding="utf-8")
        for path, words in ((video, "encode.mp4 is no JSON report; score.. makes one of a video"),
                            (text, "notes.txt cannot be read: .*not JSON"), (self.folder, "Is a directory"),
                            ("missing.json", "missing.json cannot be read: No such file"), ("a\0b", "null")):
            with self.subTest(path), self.assertRaisesRegex(cambi.FormatError, words):
                cambi.compare([self.reports[0], path])
        with self.assertRaisesRegex(cambi.Error, "missing/a.json cannot be written: No such file") as caught:
            self.results[0].save(os.path.join(self.folder, "missing/a.json"))
        self.assertEqual(caught.exception.status, -7)


if __name__ == "__main__":
    unittest.main()
