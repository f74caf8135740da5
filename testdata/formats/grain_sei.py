"""Puts a message about film grain before every picture of a byte stream: grain_sei.py h264|hevc IN OUT."""
import re
import sys

FILM_GRAIN = 19  # payload type


class Bits:
    def __init__(self):
        self.text = ""

    def fixed(self, count, value):
        self.text += format(value, f"0{count}b")

    def unsigned(self, value):
        bits = format(value + 1, "b")
        self.text += "0" * (len(bits) - 1) + bits

    def signed(self, value):
        self.unsigned(2 * value - 1 if value > 0 else -2 * value)

    def payload(self):
        text = self.text + ("1" if len(self.text) % 8 else "")
        text += "0" * (-len(text) % 8)
        return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))


def message(codec):
    bits = Bits()
    for count, value in [(1, 0), (2, 0), (1, 0), (2, 0), (4, 2),  # not cancelled, model 0, additive, scale 1/4
                         (1, 1), (1, 0), (1, 0),                  # luma alone
                         (8, 0), (3, 2), (8, 0), (8, 255)]:       # one interval, three values, all levels
        bits.fixed(count, value)
    for value in (120, 8, 8):
        bits.signed(value)
    if codec == "h264":
        bits.unsigned(1)
    else:
        bits.fixed(1, 1)
    payload = bits.payload()
    unit = (b"\x06" if codec == "h264" else b"\x4e\x01") + bytes([FILM_GRAIN, len(payload)]) + payload + b"\x80"
    return b"\0\0\0\1" + re.sub(rb"\x00\x00(?=[\x00-\x03])", b"\0\0\3", unit)


def begins_picture(codec, unit):
    if codec == "h264":
        return unit[0] & 31 in (1, 5) and bool(unit[1] & 0x80)
    return unit[0] >> 1 & 63 < 32 and bool(unit[2] & 0x80)


def main():
    codec, source, target = sys.argv[1:]
    units = [unit.rstrip(b"\0") for unit in re.split(rb"\x00\x00\x01", open(source, "rb").read())[1:]]
    with open(target, "wb") as out:
        for unit in units:
            out.write((message(codec) if begins_picture(codec, unit) else b"") + b"\0\0\0\1" + unit)


main()
