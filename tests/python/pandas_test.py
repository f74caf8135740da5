"""Results as DataFrames of pandas, which is too large for the short check: `./check --all` runs it."""
import unittest

import videos

import cambi


class DataFrames(unittest.TestCase):
    def test_rows_are_frames_and_columns_metrics(self):
        result = cambi.score(videos.video(4, 1), videos.video(4, 3), model=None, features=["psnr", "cambi"], subsample=2)
        frame = result.to_pandas()
        self.assertEqual(list(frame.columns), result.columns)
        self.assertEqual((frame.index.name, frame.index.tolist()), ("frame", [0, 2]))
        for name in result:
            self.assertEqual(frame[name].tolist(), result[name].tolist())


if __name__ == "__main__":
    unittest.main()
