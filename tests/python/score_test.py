"""score() has the program's figures, of files and of arrays."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import numpy
import videos

import cambi
from cambi import _files


def report_of_program(folder, distorted, reference, *arguments):
    path = os.path.join(folder, "expected.json")
    subprocess.run([os.environ["CAMBI_PROGRAM"], "-d", distorted, "-r", reference, "-q", "--precision", "max", "-o", path,
                    *arguments], check=True)
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def film(frames, shift=0):
    """Luma whose every part moves, with another scene each second."""
    x, y = numpy.meshgrid(numpy.arange(160), numpy.arange(96))

    def picture(time):
        scene = time // 25
        wave = numpy.sin(0.09 * x + 0.3 * time + 2.7 * scene) * numpy.cos(0.07 * y - 0.21 * time + scene)
        return (numpy.rint(120 + 80 * wave).astype(numpy.uint8),)

    return [picture(time + shift) for time in range(frames)]


class Scores(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.reference, self.distorted = (os.path.join(self.folder, name) for name in ("ref.y4m", "dist.y4m"))

    def write(self, reference, distorted, words="C420jpeg"):
        videos.write_y4m(self.reference, reference, words)
        videos.write_y4m(self.distorted, distorted, words)

    def assert_is_of_program(self, result, expected):
        self.assertEqual(result.frames.tolist(), [frame["frameNum"] for frame in expected["frames"]])
        names = list(expected["frames"][0]["metrics"])
        self.assertEqual(result.columns, names)
        for name in names:
            scores = [frame["metrics"][name] for frame in expected["frames"]]
            self.assertEqual(result[name].tolist(), scores, name)
            for statistic in ("min", "max", "mean", "harmonic_mean"):
                self.assertEqual(result.statistic(name, statistic), expected["pooled_metrics"][name][statistic], name)

    def test_arrays_have_every_score_of_the_program(self):
        for bit_depth, words in (8, "C420jpeg"), (10, "C420p10"):
            reference, distorted = (videos.video(6, noise, bit_depth=bit_depth) for noise in (1, 3))
            self.write(reference, distorted, words)
            features = ["psnr", "cambi=topk=0.2", "ciede", "float_ssim"]
            flags = [word for feature in features for word in ("--feature", feature)]
            result = cambi.score(reference, distorted, model="vmaf_v0.6.1", features=features, bit_depth=bit_depth)
            expected = report_of_program(self.folder, self.distorted, self.reference, "--model", "version=vmaf_v0.6.1", *flags)
            self.assertGreater(len(result.columns), 15)
            self.assert_is_of_program(result, expected)

    def test_a_pair_that_does_not_fit_is_not_comparable(self):
        reference, late = film(60), film(60, shift=3)
        thresholds = ["psnr_y<1", "bounds_width:max>9999"]
        psnr = {"model": None, "features": ["psnr=enable_chroma=false", "bounds"], "thresholds": thresholds}
        fits = cambi.score(reference, reference, **psnr)
        self.assertEqual((fits.comparable, fits.pair_faults, fits.passed), (True, [], True))
        self.write(reference, late, "Cmono")
        with self.assertRaises(cambi.FormatError) as refused:
            cambi.score(self.reference, self.distorted, **psnr)
        self.assertIn("--compare-anyway", str(refused.exception))
        of_files = cambi.score(self.reference, self.distorted, compare_anyway=True, **psnr)
        saved = os.path.join(self.folder, "saved.json")
        of_files.save(saved)
        for result in cambi.score(reference, late, **psnr), of_files, cambi.load(saved, thresholds):
            self.assertFalse(result.comparable)
            self.assertIs(result.passed, False)
            self.assertEqual([(fault.kind, fault.certain, fault.frames) for fault in result.pair_faults], [("shift", True, [])])
            self.assertEqual([one.crossed for one in result.thresholds], [None, False])
            self.assertIn("not comparable: ", repr(result))
        comparison = cambi.compare({"late": of_files, "fine": fits}, metric="psnr_y")
        self.assertEqual((comparison.best, comparison.winners["psnr_y"]), ("fine", "fine"))
        self.assertIn("late (not comparable)", repr(comparison))

    def test_files_have_every_score_of_the_program(self):
        self.write(videos.video(6, 1), videos.video(6, 3))
        told = []
        result = cambi.score(self.reference, pathlib.Path(self.distorted), features=["psnr"], subsample=2, threads=1,
                             thresholds=["vmaf:p5<99", "psnr_y<10"], progress=lambda *facts: told.append(facts))
        expected = report_of_program(self.folder, self.distorted, self.reference, "--model", "auto", "--feature", "psnr",
                                     "--subsample", "2")
        self.assert_is_of_program(result, expected)
        self.assertEqual([one.crossed for one in result.thresholds], [True, False])
        self.assertFalse(result.passed)
        self.assertEqual(told[-1], (3, 3))
        self.assertEqual(result.facts["threads"], 1)
        self.assertTrue(any("vmaf_v1" in note for note in result.notes), result.notes)
        self.assertEqual(result.metrics["vmaf"].better, 1)
        self.assertTrue(result.metrics["integer_motion2_mmxv_18"].is_inner)

    def test_saved_results_are_read_back(self):
        self.write(videos.video(3, 1), videos.video(3, 3))
        result = cambi.score(self.reference, self.distorted)
        path = os.path.join(self.folder, "saved.json")
        result.save(path)
        self.assertEqual([name for name in result if not result.metrics[name].is_inner], ["cambi", "vmaf"])
        again = cambi.load(path, thresholds=["vmaf<101"])
        self.assertEqual(again.columns, result.columns)
        for name in result:
            self.assertEqual(again[name].tolist(), result[name].tolist())
        self.assertFalse(again.passed)
        self.assertEqual(again.facts["inputs"], result.facts["inputs"])
        for format in ("json", "extended", "csv", "xml", "sub"):
            self.assertEqual(again.report(format), result.report(format))

    def test_model_files_are_named_by_paths(self):
        model = pathlib.Path(self.folder, "a model: x=1.json")
        shutil.copy(pathlib.Path(__file__).parents[2] / "engine/models/files/vmaf_v0.6.1.json", model)
        reference, distorted = videos.video(2, 1), videos.video(2, 3)
        self.write(reference, distorted)
        expected = cambi.score(reference, distorted, model="vmaf_v0.6.1")["vmaf"].tolist()
        for pair in (reference, distorted), (self.reference, self.distorted):
            self.assertEqual(cambi.score(*pair, model=[model])["vmaf"].tolist(), expected)

    def test_banding_is_measured_without_a_reference(self):
        self.write(videos.video(2, 1), videos.video(2, 0))
        of_file, of_arrays = cambi.score(None, self.distorted), cambi.score(None, iter(videos.video(2, 0)))
        self.assertEqual(of_file.columns, ["cambi"])
        self.assertEqual(of_file["cambi"].tolist(), of_arrays["cambi"].tolist())

    def test_auto_sees_pictures_as_its_display_shows_them(self):
        one = videos.planes(0, 1, 1920, 1080)
        result = cambi.score(one, one, frame_rate=25)
        self.assertEqual([name for name in result if not result.metrics[name].is_inner], ["cambi", "vmaf"])
        self.assertIn("vmaf=vmaf_v1.0.16_3d0h (1920x1080, 25 frames/s)", result.notes)
        self.write(videos.video(2, 1), videos.video(2, 3, width=240, height=180))
        result = cambi.score(videos.video(2, 1), videos.video(2, 3, width=240, height=180), frame_rate=25)
        self.assertIn("vmaf scored at 1440x1080, 10 bits (bicubic)", result.notes)
        self.assert_is_of_program(result, report_of_program(self.folder, self.distorted, self.reference))
        with self.assertRaisesRegex(cambi.FormatError, 'model="vmaf_v0.6.1"'):
            cambi.score(one[0], one[0])
        tiny = videos.planes(0, 1, 160, 90)
        with self.assertRaisesRegex(cambi.FormatError, '160x90@8; .* widths of 180 .* model="vmaf_v0.6.1"'):
            cambi.score(tiny, tiny, features=["psnr"])

    def test_arrays_of_three_dimensions_are_frames(self):
        stack = numpy.stack([picture[0] for picture in videos.video(4, 1)])
        told = []
        result = cambi.score(stack, stack, model=None, features="psnr", subsample=3, progress=lambda *facts: told.append(facts))
        self.assertEqual(result.frames.tolist(), [0, 3])
        self.assertEqual(told, [(1, 4), (2, 4), (3, 4), (4, 4)])
        with self.assertRaisesRegex(cambi.FormatError, r"\(240, 320, 3\) is no list of luma planes"):
            cambi.score(numpy.zeros((240, 320, 3), numpy.uint8), stack, model="vmaf_v0.6.1")

    def test_results_and_failures_keep_no_threads(self):
        picture = videos.planes(0, 1)
        threads = len(os.listdir("/proc/self/task"))
        results = [cambi.score(picture, picture, model=None, features="motion", threads=3) for _ in range(3)]
        failures = []
        for _ in range(3):
            try:
                cambi.score([picture] * 2, [picture], model=None, features="motion", threads=3)
            except cambi.FormatError as error:
                failures.append(error)  # with its traceback
        self.assertEqual(len(failures), 3)
        self.assertEqual(len(os.listdir("/proc/self/task")), threads)
        self.assertEqual([result["integer_motion2"].tolist() for result in results], [[0.0]] * 3)

    def test_videos_of_other_lengths_are_refused(self):
        for reference, distorted, words in (3, 2, "distorted video has only 2"), (2, 3, "reference has only 2"):
            with self.assertRaisesRegex(cambi.FormatError, words):
                cambi.score(videos.video(reference, 1), iter(videos.video(distorted, 3)), model=None, features="psnr")

    def test_errors_say_what_is_wrong(self):
        self.write(videos.video(2, 1), videos.video(2, 0))
        cases = [
            (cambi.UsageError, "vmaf_v9", {"model": "vmaf_v9"}),
            (cambi.UsageError, "psnrr", {"features": ["psnrr"]}),
            (cambi.UsageError, "no-such-device", {"backend": "vulkan", "device": "no-such-device"}),
            (cambi.UsageError, "raw video is described by arguments", {"bit_depth": 8}),
        ]
        for kind, words, options in cases:
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                cambi.score(self.reference, self.distorted, **options)
        with mock.patch.dict(os.environ, VK_DRIVER_FILES="/missing", VK_ICD_FILENAMES="/missing"):
            with self.assertRaisesRegex(cambi.DeviceError, "Vulkan") as caught:
                cambi.score(self.reference, self.distorted, backend="vulkan")
            self.assertEqual(caught.exception.status, -3)
        with self.assertRaisesRegex(cambi.FormatError, "missing.mp4"):
            cambi.score(self.reference, os.path.join(self.folder, "missing.mp4"))
        with self.assertRaisesRegex(cambi.UsageError, "one video is a file"):
            cambi.score(self.reference, videos.video(2, 1))
        with self.assertRaisesRegex(cambi.NotFoundError, "no_such_metric"):
            cambi.score(self.reference, self.distorted)["no_such_metric"]
        with self.assertRaises(cambi.UsageError):
            cambi.score(self.reference, self.distorted, thresholds=["vmaf:p5=80"])

    def test_the_program_is_named_where_it_is_missing(self):
        none = mock.patch.object(_files, "built", lambda name: None)  # as the source tree may have one
        with none, mock.patch.dict(os.environ, CAMBI_PROGRAM="", PATH=self.folder):
            with self.assertRaisesRegex(cambi.Error, "install the Debian package cambi, .* CAMBI_PROGRAM"):
                cambi.score(self.reference, self.distorted)

    def test_ctrl_c_ends_a_run(self):
        self.write(videos.video(200, 1), videos.video(200, 3))
        start = f"import sys; sys.path.insert(0, {videos.__file__.rsplit('/', 1)[0]!r}); import videos, cambi, itertools\n"
        of_files = f"cambi.score({self.reference!r}, {self.distorted!r}, model='vmaf_v0.6.1', progress=print, threads=1)"
        of_arrays = ("frames = itertools.repeat(videos.planes(0, 1))\n"
                     "cambi.score(frames, frames, model='vmaf_v0.6.1', progress=print)")
        for code in of_files, of_arrays:
            process = subprocess.Popen([sys.executable, "-B", "-u", "-c", start + code], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, start_new_session=True,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            with process:
                process.stdout.readline()
                os.killpg(process.pid, signal.SIGINT)
                _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, -signal.SIGINT, errors)
            self.assertEqual(errors.count("Traceback"), 1, errors)
            self.assertTrue(errors.endswith("KeyboardInterrupt\n"), errors)

    def test_a_callback_that_raises_ends_the_run(self):
        self.write(videos.video(3, 1), videos.video(3, 3))

        def interrupt(done, total):
            raise KeyboardInterrupt

        for reference, distorted in (self.reference, self.distorted), (videos.video(3, 1), videos.video(3, 3)):
            with self.assertRaises(KeyboardInterrupt):
                cambi.score(reference, distorted, model="vmaf_v0.6.1", progress=interrupt)
        self.assertEqual(sorted(os.listdir(self.folder)), ["dist.y4m", "ref.y4m"])
        # Stands in for a program that has a minute to go.
        program = os.path.join(self.folder, "program")
        pathlib.Path(program).write_text("#!/bin/sh\necho '{\"frames\": 1}' >&2\nexec sleep 60\n", encoding="utf-8")
        os.chmod(program, 0o755)
        began = time.monotonic()
        with mock.patch.dict(os.environ, CAMBI_PROGRAM=program), self.assertRaises(KeyboardInterrupt):
            cambi.score(self.reference, self.distorted, progress=interrupt)
        self.assertLess(time.monotonic() - began, 30)


if __name__ == "__main__":
    unittest.main()
