#!/usr/bin/env python3
"""The fingerprint of docs/fingerprint.md computed a second time, in nothing but Python's whole numbers.

fingerprint.py vectors DOCUMENT             checks the document's test vectors; exit code 1 where one is wrong
fingerprint.py video FILE DEPTH SIZE...     prints the fingerprint of each frame of raw planar video; SIZE is WxH of a
                                            plane, one for each plane that is looked at; further planes: +SIZE
"""
import sys

MASK = 0xFFFFFFFF
FACTORS = (0x510E527F, 0x9B05688D, 0x1F83D9AB, 0x5BE0CD19)
OFFSETS = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A)


def mix(v):
    v = (v ^ v >> 17) * 0xED5AD4BB & MASK
    v = (v ^ v >> 11) * 0xAC4C1B51 & MASK
    v = (v ^ v >> 15) * 0x31848BAB & MASK
    return v ^ v >> 14


def mixes(word, x, y, plane):
    place = plane << 27 | y << 13 | x
    return [mix(word ^ (place * factor + offset & MASK)) for factor, offset in zip(FACTORS, OFFSETS)]


def stirred(lanes):
    first = sum(lanes) & MASK
    return [first] + [lane + first & MASK for lane in lanes[1:]]


def fingerprint(planes, depth):
    """planes: lists of rows, which are lists of samples."""
    places = [(depth, 0, 0, 3), (len(planes), 1, 0, 3)]
    width = 8 if depth == 8 else 16
    for number, rows in enumerate(planes):
        places += [(len(rows[0]), 0, number + 1, 3), (len(rows), 1, number + 1, 3)]
        for y, row in enumerate(rows):
            for x in range(0, len(row), 32 // width):
                word = sum(sample << width * k for k, sample in enumerate(row[x:x + 32 // width]))
                places.append((word, x * width // 32, y, number))
    lanes = [0, 0, 0, 0]
    for place in places:
        lanes = [lane + mixed for lane, mixed in zip(lanes, mixes(*place))]
    lanes = stirred([lane & MASK for lane in lanes])
    return "".join(f"{lane:08x}" for lane in stirred([mix(lane) for lane in lanes]))


def vectors(path):
    """Lines of a table: | depth | rows / rows; next plane | `hash` |"""
    for line in open(path, encoding="utf-8"):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 5 and cells[1].isdigit():
            planes = [[[int(s) for s in row.split()] for row in plane.split("/")] for plane in cells[2].split(";")]
            yield planes, int(cells[1]), cells[3].strip("`")


def frames(path, depth, sizes):
    sample_bytes = 1 if depth == 8 else 2
    with open(path, "rb") as file:
        while True:
            planes = []
            for size in sizes:
                width, height = map(int, size.strip("+").split("x"))
                data = file.read(width * height * sample_bytes)
                if len(data) < width * height * sample_bytes:
                    return
                samples = data if depth == 8 else memoryview(data).cast("H").tolist()
                if not size.startswith("+"):
                    planes.append([samples[y * width:(y + 1) * width] for y in range(height)])
            yield planes


if __name__ == "__main__":
    if sys.argv[1] == "vectors":
        found = [(fingerprint(planes, depth), expected) for planes, depth, expected in vectors(sys.argv[2])]
        for actual, expected in found:
            print(actual, "" if actual == expected else f"is not {expected}")
        sys.exit(len(found) == 0 or any(actual != expected for actual, expected in found))
    for picture in frames(sys.argv[2], int(sys.argv[3]), sys.argv[4:]):
        print(fingerprint(picture, int(sys.argv[3])))
