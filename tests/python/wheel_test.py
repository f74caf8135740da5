"""Files and arrays are scored by what a wheel brought into an environment of its own: usage wheel_test.py CLIPS, by its Python."""
import pathlib
import sys

import numpy

import cambi

CLIPS = sys.argv[1] + "/colour_1280x720_8b_"
for found in cambi.__file__, cambi._files.find_program(), cambi._library.find():
    if not pathlib.Path(found).is_relative_to(sys.prefix):
        sys.exit(f"{found} is not in {sys.prefix}")
result = cambi.score(CLIPS + "ref.mp4", CLIPS + "band.mp4", features=["psnr"])
assert (round(result.mean("vmaf"), 3), len(result)) == (74.823, 3), result
assert result["psnr_y"].argmin() == 2, result
planes = numpy.zeros((2, 240, 320), numpy.uint8)
assert cambi.score(planes, planes + 1, model="vmaf_v0.6.1").to_pandas().shape[0] == 2
print("wheel_test: " + pathlib.Path(cambi.__file__).parent.name + " " + cambi.__version__)
