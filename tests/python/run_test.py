"""Contexts and runs: what they take, where samples are read from, and what happens in several threads."""
import json
import os
import sys
import threading
import unittest
import weakref
from unittest import mock

import numpy
import videos

import cambi
from cambi import _library, _picture, _run


class Samples(numpy.ndarray):
    """Arrays that weak references can watch."""


def watched(array):
    return array.view(Samples)


def run_of(*features, context=None, **options):
    run = cambi.Run(context or cambi.Context(threads=1, backend="cpu"), **options)
    for feature in features:
        run.add_feature(feature)
    return run


def scores_of(pairs, *features, format=cambi.Format()):
    with run_of(*features, format=format) as run:
        for reference, distorted in pairs:
            run.push(reference, distorted)
        run.finish()
        return {metric.name: run.scores(metric.name).tolist() for metric in run.metrics()}


class Pictures(unittest.TestCase):
    def test_samples_are_read_where_they_lie_and_held_until_they_were(self):
        pushed = []

        def spy(name, *arguments):
            if name == "run_push":
                pushed.extend(argument._obj.planes[0] for argument in arguments[1:])
            return _library.call(name, *arguments)

        arrays = [watched(videos.planes(0, noise)[0]) for noise in (1, 3)]
        addresses = [array.ctypes.data for array in reversed(arrays)]
        alive = [weakref.ref(array) for array in arrays]
        run = run_of("motion")
        with mock.patch.object(_run, "call", spy):
            run.push(*arrays)
        self.assertEqual(pushed, addresses)
        del arrays
        # The next frame needs the one before: of the pair what is looked at is held, and nothing behind the end.
        self.assertTrue(any(reference() is not None for reference in alive))
        run.push(videos.planes(1, 1)[0], videos.planes(1, 3)[0])
        run.finish()
        self.assertEqual([reference() for reference in alive], [None, None])

    def test_pictures_that_are_refused_are_released(self):
        small, large = videos.planes(0, 1, 200, 100), videos.planes(0, 1)
        of_floats, of_times = large[0].astype(float), numpy.zeros((240, 320), "datetime64[s]")
        wrong = [(small, large), (large, small), (large, large[:2]), (large, (large[0], large[0], of_floats)),
                 (large, "text"), (large, of_times), (large[0].astype(numpy.uint16), large),
                 (large, (numpy.zeros((2, 2, 2), numpy.uint8),)), (large, ())]
        counts = [sys.getrefcount(plane) for plane in large]
        with run_of("psnr") as run:
            run.push(large, large)
            for reference, distorted in wrong:
                with self.assertRaises(cambi.FormatError):
                    run.push(reference, distorted)
            with self.assertRaises(cambi.UsageError):
                run.push(None, large)
            with self.assertRaises(cambi.FormatError):
                run.push(large, None)
            run.finish()
            self.assertEqual([sys.getrefcount(plane) for plane in large], counts)

    def test_pictures_are_given_back_while_frames_are_pushed(self):
        run = run_of("psnr")
        pictures = [watched(videos.planes(0, 1)[0]) for _ in range(20)]
        alive = [weakref.ref(picture) for picture in pictures]
        while pictures:
            picture = pictures.pop()
            run.push(picture, picture)
            del picture
            self.assertLess(sum(reference() is not None for reference in alive) - len(pictures), 3)

    def test_layouts_of_any_kind_have_the_same_scores(self):
        first, second = ([plane for plane in videos.planes(0, noise)] for noise in (1, 3))
        expected = scores_of([(tuple(first), tuple(second))], "psnr", "cambi")

        def padded(plane):
            room = numpy.full((plane.shape[0], plane.shape[1] + 13), 255, plane.dtype)
            room[:, : plane.shape[1]] = plane
            return room[:, : plane.shape[1]]

        def read_only(plane):
            plane = plane.copy()
            plane.setflags(write=False)
            return plane

        layouts = {
            "padded": (padded, True),
            "upside down": (lambda plane: plane[::-1].copy()[::-1], True),
            "read-only": (read_only, True),
            "memoryview": (lambda plane: memoryview(plane.tobytes()).cast("B", plane.shape), True),
            "interleaved": (lambda plane: numpy.stack([plane] * 3, axis=2)[:, :, 1], False),
            "by columns": (numpy.asfortranarray, False),
        }
        for name, (change, in_place) in layouts.items():
            with self.subTest(name):
                changed = [tuple(change(plane) for plane in planes) for planes in (first, second)]
                self.assertEqual(scores_of([changed], "psnr", "cambi"), expected)
                plane = changed[0][0]
                view = _picture.view_of(plane)
                address = plane.ctypes.data if isinstance(plane, numpy.ndarray) else None
                if address is not None:
                    self.assertEqual(view.buf == address, in_place)
                _picture._release_buffer(view)
        deep = [tuple(plane.astype(numpy.uint16) << 2 for plane in planes) for planes in (first, second)]
        swapped = [tuple(plane.astype(">u2") for plane in planes) for planes in deep]
        ten = cambi.Format(bit_depth=10)
        self.assertEqual(scores_of([swapped], "psnr", "cambi", format=ten), scores_of([deep], "psnr", "cambi", format=ten))
        with self.assertRaisesRegex(cambi.FormatError, "bit_depth says how many bits"):
            scores_of([deep], "psnr")

    def test_chroma_is_that_of_the_planes(self):
        for chroma, (columns, rows) in _picture.CHROMAS.items():
            if columns:
                planes = videos.planes(0, 1, 323, 241, chroma=(columns, rows))
                views = [_picture.view_of(plane) for plane in planes]
                self.assertEqual(_picture.chroma_of(views, None), chroma)
                with self.assertRaisesRegex(cambi.FormatError, "are no picture of 4:0:0"):
                    _picture.chroma_of(views, "4:0:0")

    def test_formats_reach_the_library(self):
        picture = videos.planes(0, 1, bit_depth=10)
        format = cambi.Format(bit_depth=10, range="full", matrix="bt2020", transfer="pq", chroma_location="top_left")
        with run_of("psnr") as run:
            for _ in range(2):
                run.push(cambi.Picture(picture, format, seconds=1.5), cambi.Picture(picture, format, seconds=1.5))
            run.finish()
            report = json.loads(run.report("extended"))
        facts = report["run"]["inputs"][0]
        self.assertEqual([facts[key] for key in ("bit_depth", "chroma", "range", "transfer", "matrix")],
                         [10, "4:2:0", "full", "pq", "bt2020"])
        self.assertEqual(report["frames"][1]["timestamp"], 1.5)

    def test_without_numpy_there_are_arrays_of_the_standard_library(self):
        planes = tuple(memoryview(plane.tobytes()).cast("B", plane.shape) for plane in videos.planes(0, 1))
        with mock.patch.object(_picture, "numpy", None), run_of("psnr", "histogram", histograms=True) as run:
            run.push(planes, planes)
            run.finish()
            self.assertEqual((run.scores("psnr_y").tolist(), run.scores("psnr_y").typecode), ([60.0], "d"))
            self.assertEqual(run.frames().tolist(), [0])
            self.assertEqual(sum(run.histogram("y", 0)), 320 * 240)
            with self.assertRaisesRegex(cambi.FormatError, "2 dimensions of type f"):
                run.push(planes, numpy.zeros((240, 320), numpy.float32))


class Runs(unittest.TestCase):
    def test_everything_of_a_run_can_be_read(self):
        logged = []
        context = cambi.Context(threads=1, backend="cpu", log=lambda *words: logged.append(words))
        with context, run_of("psnr=enable_apsnr=true", "fingerprint", "histogram", "ciede", context=context,
                             histograms=True) as run:
            left, center = (cambi.Format(chroma_location=word) for word in ("left", "center"))
            for frame in range(4):
                run.push(cambi.Picture(videos.planes(frame, 1), left), cambi.Picture(videos.planes(frame, 3), center))
            self.assertIsNone(run.score("psnr_y", 9))
            with self.assertRaisesRegex(cambi.NotFoundError, "rows 0 to 8 are not all there"):
                run.scores("psnr_y", 0, 9)
            run.finish()
            scores = run.scores("psnr_y")
            self.assertEqual((scores.dtype, run.frames().dtype), (numpy.float64, numpy.int64))
            self.assertEqual(run.progress(), (4, 4))
            self.assertEqual(run.score("psnr_y", 2), scores[2])
            self.assertEqual(run.scores("psnr_y", 1, 2).tolist(), scores[1:3].tolist())
            self.assertEqual(run.statistic("psnr_y", "min", 1, 2), min(scores[1:3]))
            self.assertAlmostEqual(run.statistic("psnr_y", "p25"), numpy.percentile(scores, 25), 12)
            self.assertEqual(len(run.text("fingerprint", 2)), 32)
            self.assertEqual([len(text) for text in run.texts("fingerprint")], [32] * 4)
            self.assertEqual(run.texts("fingerprint")[2], run.text("fingerprint", 2))
            self.assertEqual(run.histogram("y", 1).sum(), 320 * 240)
            self.assertAlmostEqual(run.aggregates()["apsnr_y"], scores.mean(), 1)
            self.assertEqual(run.threshold("psnr_y:min<99"), cambi.Threshold("psnr_y:min<99", True, scores.min()))
            metric = run.metrics()[0]
            self.assertEqual((metric.name, metric.unit, metric.better, metric.noteworthy), ("psnr_y", "dB", 1, None))
            kind, words = run.remarks()[-1]
            self.assertEqual(kind, "warning")
            self.assertIn("chroma samples", words)
            self.assertEqual(logged, run.remarks())
            backend = run.backend()
            self.assertEqual((backend.backend, backend.device, backend.repeated_frames), ("cpu", "", 0))
            self.assertEqual(len(json.loads(run.report())["frames"]), 4)
            self.assertEqual(run.report("csv").count("\n"), 5)
            with self.assertRaisesRegex(cambi.UsageError, "xml, json, csv, sub, extended"):
                run.report("yaml")
        with self.assertRaisesRegex(cambi.UsageError, "the run is closed"):
            run.progress()
        with self.assertRaisesRegex(cambi.UsageError, "the context is closed"):
            cambi.Run(context)

    def test_a_run_is_closed_when_no_call_uses_it(self):
        pictures = list(zip(videos.video(20, 1), videos.video(20, 3)))
        run, outcomes = run_of("psnr"), []

        def push():
            try:
                for reference, distorted in pictures * 20:
                    run.push(reference, distorted)
            except cambi.UsageError as error:
                outcomes.append(str(error))

        pusher = threading.Thread(target=push)
        pusher.start()
        while run.progress()[0] < 10:
            pass
        run.close()
        pusher.join()
        self.assertEqual(outcomes, ["the run is closed"])

    def test_cancelling_ends_a_push_in_another_thread(self):
        pair = videos.planes(0, 1), videos.planes(0, 3)
        run, outcomes = run_of("psnr"), []

        def push():
            try:
                while True:
                    run.push(*pair)
            except cambi.Cancelled as error:
                outcomes.append(error.status)

        pusher = threading.Thread(target=push)
        pusher.start()
        while run.progress()[0] < 5:
            pass
        run.cancel()
        pusher.join()
        self.assertEqual(outcomes, [-5])
        self.assertGreaterEqual(run.progress()[1], 4)

    def test_wrong_arguments_are_errors_in_words(self):
        for wrong, words in (7, "7 is no text"), ("psnr\0", "zero character"), ("psnr=enable_chroma", "enable_chroma"):
            with self.assertRaisesRegex(cambi.UsageError, words):
                run_of(wrong)
        with self.assertRaisesRegex(cambi.UsageError, "subsample is -1"):
            cambi.Run(subsample=-1)
        plane = numpy.zeros((64, 64), numpy.uint8)
        for words, refused in (("subsample is 18446744073709551621", lambda: cambi.Run(subsample=2**64 + 5)),
                               ("threads is 4294967298", lambda: cambi.Context(threads=2**32 + 2)),
                               ("18446744073709551616, which has more than 64 bits",
                                lambda: cambi.score(plane, plane, model=None, features="psnr").run.score("psnr_y", 2**64))):
            with self.assertRaisesRegex(cambi.UsageError, words):
                refused()
        with self.assertRaisesRegex(cambi.FormatError, "no report"):
            cambi.Run.read("{}")
        saved = cambi.Run.read('{"frames": [{"frameNum": 0, "metrics": {"vmaf": 80.5}}]}')
        with self.assertRaisesRegex(cambi.UsageError, "the run is finished"):
            saved.push(*[videos.planes(0, 1)] * 2)
        with self.assertRaisesRegex(cambi.UsageError, 'no device "7"'):
            run = run_of("psnr", context=cambi.Context(backend="vulkan", device=7))
            run.push(*[videos.planes(0, 1)] * 2)


if __name__ == "__main__":
    unittest.main()
