#!/usr/bin/env python3
"""Writes the font of captions as C++: usage embed_font.py OUTPUT.cpp DEPFILE FONT.ttf"""
import pathlib
import sys

output, depfile, font = (pathlib.Path(argument) for argument in sys.argv[1:])
data = font.read_bytes()
# A string, which compilers read four times faster than a list of numbers.
lines = ['"' + "".join(f"\\{byte:03o}" for byte in data[i:i + 30]) + '"' for i in range(0, len(data), 30)]
output.write_text('#include "cli/pictures/picture.h"\n\n#pragma GCC diagnostic ignored "-Woverlength-strings"\n\nnamespace vq::cli {\n\n'
                  "std::string_view lettering_font() {\n  static constexpr char kFont[] =\n" + "\n".join(lines) +
                  ";\n  return {kFont, sizeof kFont - 1};\n}\n\n}  // namespace vq::cli\n")
read = str(font).replace(" ", "\\ ")
depfile.write_text(f"{output}: {read}\n", encoding="utf-8")
