#!/usr/bin/env python3
"""Writes the built-in models as C++: usage embed_models.py OUTPUT.cpp DEPFILE FOLDER

Each FOLDER/NAME.json becomes the model NAME, in the order of names; FOLDER/LICENSE goes with them. DEPFILE tells make or ninja
what was read: the folder as well, which is newer once a model was added.
"""
import pathlib
import sys


def array(name, data):
    # A string, which compilers read four times faster than a list of numbers.
    lines = ['"' + "".join(f"\\{byte:03o}" for byte in data[i:i + 30]) + '"' for i in range(0, len(data), 30)]
    return f"constexpr char {name}[] =\n" + "\n".join(lines) + ";\n"


def main():
    output, depfile, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    models = sorted(folder.glob("*.json"), key=lambda path: path.stem)
    text = '#include "engine/models/catalogue.h"\n\n#pragma GCC diagnostic ignored "-Woverlength-strings"\n\nnamespace vq::model {\nnamespace {\n\n'
    text += "".join(array(f"kModel{i}", path.read_bytes()) for i, path in enumerate(models))
    text += array("kLicence", (folder / "LICENSE").read_bytes())
    text += "\ntemplate <size_t kSize>\nstd::string_view text(const char (&bytes)[kSize]) {\n"
    text += "  return {bytes, kSize - 1};\n}\n\n}  // namespace\n\n"
    rows = ",\n".join(f'      {{.name = "{path.stem}", .json = text(kModel{i})}}' for i, path in enumerate(models))
    text += f"std::span<const BuiltIn> built_in_models() {{\n  static const BuiltIn kModels[] = {{\n{rows}}};\n  return kModels;\n}}\n\n"
    text += "std::string_view models_licence() {\n  return text(kLicence);\n}\n\n}  // namespace vq::model\n"
    output.write_text(text)
    read = " ".join(str(path).replace(" ", "\\ ") for path in (folder, folder / "LICENSE", *models))
    depfile.write_text(f"{output}: {read}\n", encoding="utf-8")


main()
