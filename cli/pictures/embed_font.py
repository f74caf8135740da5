#!/usr/bin/env python3
"""Writes the font of captions as C++: usage embed_font.py OUTPUT.cpp DEPFILE FONT.ttf"""
import pathlib
import sys

output, depfile, font = (pathlib.Path(argument) for argument in sys.argv[1:])
data = font.read_bytes()
lines = [",".join(str(byte) for byte in data[i:i + 40]) for i in range(0, len(data), 40)]
output.write_text('#include "cli/pictures/picture.h"\n\nnamespace vq::cli {\nnamespace {\n\n'
                  "constexpr unsigned char kFont[] = {\n" + ",\n".join(lines) + "};\n\n}  // namespace\n\n"
                  "std::string_view lettering_font() {\n  return {reinterpret_cast<const char*>(kFont), sizeof kFont};\n}\n\n"
                  "}  // namespace vq::cli\n")
read = str(font).replace(" ", "\\ ")
depfile.write_text(f"{output}: {read}\n", encoding="utf-8")
