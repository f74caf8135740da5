#!/usr/bin/env python3
"""Writes the parts of the page as C++: usage embed.py OUTPUT.cpp PAGE_FOLDER UPLOT_FOLDER

UPLOT_FOLDER is the folder of the npm package, with package.json, LICENSE and dist/.
"""
import json
import pathlib
import sys

SCRIPTS = ["base", "theme", "plot", "lines", "gestures", "strip", "panel", "curve", "histogram", "levels", "frames", "statistics", "advice", "facts", "segments", "reasons", "report",
           "sorting", "rates", "run_table", "moments", "compare", "batch", "scrolling", "main"]  # in this order

STYLES = ["page", "compare"]


def array(name, text):
    data = text.encode()
    lines = [", ".join(str(byte) for byte in data[i:i + 24]) for i in range(0, len(data), 24)]
    return f"constexpr unsigned char {name}[] = {{\n" + ",\n".join(lines) + "};\n"


def main():
    output, page, plot = (pathlib.Path(argument) for argument in sys.argv[1:4])
    dist = plot / "dist"
    parts = {
        "template_html": (page / "page.html").read_text(),
        "style": "\n".join((page / f"{name}.css").read_text() for name in STYLES),
        "script": "\n".join((page / f"{name}.js").read_text() for name in SCRIPTS),
        "plot_style": (dist / "uPlot.min.css").read_text(),
        "plot_script": (dist / "uPlot.iife.min.js").read_text(),
        "plot_licence": (plot / "LICENSE").read_text(),
        "plot_version": json.loads((plot / "package.json").read_text())["version"],
    }
    text = '#include "cli/pages/page_assets.h"\n\nnamespace vq::cli {\nnamespace {\n\n'
    text += "".join(array(f"k_{name}", part) for name, part in parts.items())
    text += "\ntemplate <size_t kSize>\nstd::string_view text(const unsigned char (&bytes)[kSize]) {\n"
    text += "  return {reinterpret_cast<const char*>(bytes), kSize};\n}\n\n}  // namespace\n\n"
    members = ", ".join(f".{name} = text(k_{name})" for name in parts)
    text += f"PageAssets page_assets() {{\n  return {{{members}}};\n}}\n\n}}  // namespace vq::cli\n"
    output.write_text(text)


main()
