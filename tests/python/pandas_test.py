"""Results as DataFrames of pandas, which is too large for the short check: `./check --all` runs it."""
import importlib.util
import pathlib
import unittest

import videos

import cambi


@unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
class DataFrames(unittest.TestCase):
    def test_rows_are_frames_and_columns_metrics(self):
        result = cambi.score(videos.video(4, 1), videos.video(4, 3), model=None, features=["psnr", "cambi"], subsample=2)
        frame = result.to_pandas()
        self.assertEqual(list(frame.columns), result.columns)
        self.assertEqual((frame.index.name, frame.index.tolist()), ("frame", [0, 2]))
        for name in result:
            self.assertEqual(frame[name].tolist(), result[name].tolist())

    def test_scores_of_models_come_first_and_what_they_score_from_last(self):
        path = pathlib.Path(__file__).parents[2] / "testdata/clips/colour_640x360_8b_{}.mp4"
        result = cambi.score(str(path).format("ref"), str(path).format("shift"), features=["psnr"])
        columns = list(result.to_pandas().columns)
        self.assertEqual(columns[:5], ["timestamp", "vmaf", "psnr_y", "psnr_cb", "psnr_cr"])
        self.assertTrue(all(result.metrics[name].is_inner for name in columns[5:]))
        self.assertEqual(sorted(columns[1:]), sorted(result.columns))


if __name__ == "__main__":
    unittest.main()
