#!/usr/bin/env python3
"""Writes the parts of the page as C++: usage embed.py OUTPUT.cpp DEPFILE PAGE_FOLDER UPLOT_FOLDER

UPLOT_FOLDER is the folder of the npm package, with package.json, LICENSE and dist/. DEPFILE tells make or ninja what was read.
"""
import json
import pathlib
import sys

SCRIPTS = ["base", "theme", "plot", "lines", "gestures", "strip", "panel", "curve", "histogram", "levels", "panes", "frames", "statistics", "advice", "facts", "segments", "scenes", "reasons", "report",
           "sorting", "rates", "rate_tables", "run_table", "moments", "compare", "batch", "scrolling", "main"]  # in this order

STYLES = ["page", "panes", "compare", "rates"]


def array(name, text):
    data = text.encode()
    # A string, which compilers read four times faster than a list of numbers.
    lines = ['"' + "".join(f"\\{byte:03o}" for byte in data[i:i + 30]) + '"' for i in range(0, len(data), 30)]
    return f"constexpr char {name}[] =\n" + "\n".join(lines) + ";\n"


def main():
    output, depfile, page, plot = (pathlib.Path(argument) for argument in sys.argv[1:])
    dist = plot / "dist"
    files = []

    def read(path):
        files.append(str(path).replace(" ", "\\ "))
        return path.read_text(encoding="utf-8")

    parts = {
        "template_html": read(page / "page.html"),
        "style": "\n".join(read(page / f"{name}.css") for name in STYLES),
        "script": "\n".join(read(page / f"{name}.js") for name in SCRIPTS),
        "plot_style": read(dist / "uPlot.min.css"),
        "plot_script": read(dist / "uPlot.iife.min.js"),
        "plot_licence": read(plot / "LICENSE"),
        "plot_version": json.loads(read(plot / "package.json"))["version"],
    }
    text = '#include "cli/pages/page_assets.h"\n\n#pragma GCC diagnostic ignored "-Woverlength-strings"\n\nnamespace vq::cli {\nnamespace {\n\n'
    text += "".join(array(f"k_{name}", part) for name, part in parts.items())
    text += "\ntemplate <size_t kSize>\nstd::string_view text(const char (&bytes)[kSize]) {\n"
    text += "  return {bytes, kSize - 1};\n}\n\n}  // namespace\n\n"
    members = ", ".join(f".{name} = text(k_{name})" for name in parts)
    text += f"PageAssets page_assets() {{\n  return {{{members}}};\n}}\n\n}}  // namespace vq::cli\n"
    output.write_text(text)
    depfile.write_text(f"{output}: {' '.join(files)}\n", encoding="utf-8")


main()
