#!/usr/bin/env python3
"""Rules of the source tree, checked: usage structure_test.py INCLUDES|SOURCES|HEADERS ROOT [COMPILER]

INCLUDES  cli -> feature -> vulkan -> core: no #include points the other way, and only the CLI knows its libraries
SOURCES   every source file is in a list that the builds read
HEADERS   every header compiles alone
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

MAY_INCLUDE = {
    "core": {"core"},
    "vulkan": {"vulkan", "core"},
    "shaders": set(),
    "feature": {"feature", "vulkan", "core", "shaders"},
    "cli": {"cli", "feature", "vulkan", "core"},
}
# Library headers, and the folders that may know them.
LIBRARIES = {
    r"(libav|libsw)\w+/": {"cli"},
    r"nlohmann/": {"cli"},
    r"CLI/": {"cli"},
    r"vulkan/vulkan": {"vulkan"},
}
# Folders whose sources are built with a precompiled header before their own.
PRECOMPILED = {"vulkan"}
# Where sources are.
FOLDERS = [*MAY_INCLUDE, "tests"]


def sources(root, *patterns):
    for folder in MAY_INCLUDE:
        for pattern in patterns:
            yield from sorted((root / folder).glob(pattern))


def check_includes(root):
    faults = []
    for path in sources(root, "*.h", "*.cpp", "*.comp"):
        folder = path.parent.name
        for included in re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', path.read_text(), re.M):
            top = included.split("/")[0]
            if top in MAY_INCLUDE and top not in MAY_INCLUDE[folder] and not included.startswith("vulkan/vulkan"):
                faults.append(f"{path}: {folder} must not include {included}")
            for pattern, allowed in LIBRARIES.items():
                if re.match(pattern, included) and folder not in allowed:
                    faults.append(f"{path}: only {', '.join(allowed)} may include {included}")
    return faults


def listed(root):
    """The sources that the lists name, and those that a build file names itself."""
    names = set()
    for path in root.glob("*/*.txt"):
        if path.parent.name in FOLDERS:
            names |= {f"{path.parent.name}/{name}" for name in path.read_text().split()}
    for path in (root / "CMakeLists.txt", root / "meson.build"):
        names |= set(re.findall(r"\b(?:%s)/[\w/]+\.(?:cpp|comp)\b" % "|".join(FOLDERS), path.read_text()))
    return names


def check_sources(root):
    present = {str(p.relative_to(root)) for folder in FOLDERS for pattern in ("**/*.cpp", "**/*.comp")
               for p in (root / folder).glob(pattern)}
    return [f"in no list: {f}" for f in sorted(present - listed(root))]


def is_first_of_its_source(path):
    """Whether the build itself shows that the header compiles alone: its own source includes it first."""
    source = path.with_suffix(".cpp")
    if not source.exists() or path.parent.name in PRECOMPILED:
        return False
    first = next((line for line in source.read_text().splitlines() if line.startswith("#include")), "")
    return first == f'#include "{path.parent.name}/{path.name}"'


def check_headers(root, compiler):
    def faults_of(path):
        result = subprocess.run(
            [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-I", str(root), "-x", "c++", "-"],
            input=f'#include "{path.relative_to(root)}"\n', text=True, capture_output=True)
        return [f"{path} does not compile alone:\n{result.stderr}"] if result.returncode else []

    headers = [path for path in sources(root, "*.h")
               if path.parent.name != "shaders" and not is_first_of_its_source(path)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as compilers:
        return [fault for faults in compilers.map(faults_of, headers) for fault in faults]


def main():
    what, root = sys.argv[1], pathlib.Path(sys.argv[2])
    checks = {"INCLUDES": lambda: check_includes(root), "SOURCES": lambda: check_sources(root),
              "HEADERS": lambda: check_headers(root, sys.argv[3])}
    if not any(sources(root, "*.h")):
        sys.exit(f"no headers under {root}")
    faults = checks[what]()
    print("\n".join(faults) or f"{what}: nothing to complain about")
    sys.exit(1 if faults else 0)


main()
