"""Pictures for tests, and files of them."""
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))


def planes(frame, noise, width=320, height=240, bit_depth=8, chroma=(2, 2)):
    """Bands under noise that moves from frame to frame, as a tuple of arrays."""
    random = numpy.random.RandomState(frame * 100 + noise)
    kind, shift = (numpy.uint8, 0) if bit_depth == 8 else (numpy.uint16, bit_depth - 8)

    def plane(columns, rows, speed):
        x, y = numpy.meshgrid(numpy.arange(-(-width // columns)), numpy.arange(-(-height // rows)))
        levels = (x // 16 + y // 8 + frame * speed) % 100 + 60 + random.randint(0, noise + 1, x.shape)
        return (levels << shift).astype(kind)

    return (plane(1, 1, 1), plane(*chroma, 2), plane(*chroma, 3))


def video(frames, noise, **shape):
    return [planes(frame, noise, **shape) for frame in range(frames)]


def write_y4m(path, pictures, words="C420jpeg"):
    height, width = pictures[0][0].shape
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F25:1 {words}\n".encode())
        for picture in pictures:
            file.write(b"FRAME\n" + b"".join(plane.tobytes() for plane in picture))
