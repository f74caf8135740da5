#!/usr/bin/env python3
"""Holds the C library's interface against the recorded one: usage abi_test.py LIBRARY SOURCE_FOLDER COMPILER

The types come from the header alone, by a library whose functions do nothing; the symbols from the library itself.
A change that is meant is recorded with CAMBI_UPDATE_ABI=1, after a look at what breaks.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MOST_FUNCTIONS = 40


def output_of(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    return done.returncode, done.stdout


def main():
    library, source, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    header = source / "include/cambi/cambi.h"
    recorded = source / "tests/c_api/cambi.abi"
    text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
    prototypes = re.findall(r"^CAMBI_API ([^;]+?\b(cambi_\w+)\([^;]*\));", text, flags=re.M)
    functions = sorted(name for _, name in prototypes)
    if len(functions) > MOST_FUNCTIONS:
        sys.exit(f"{len(functions)} functions; {MOST_FUNCTIONS} are the limit")
    _, symbols = output_of("nm", "--dynamic", "--defined-only", library)
    shown = sorted(line.split()[2].split("@")[0] for line in symbols.splitlines() if " A " not in line)
    if shown != functions:
        sys.exit(f"the header has {functions}\nthe library shows {shown}")
    with tempfile.TemporaryDirectory() as folder:
        declared, declared_library, found = (pathlib.Path(folder) / name for name in ("declared.c", "libcambi.so.0", "found.abi"))
        bodies = "".join(f"{prototype} {{ __builtin_trap(); }}\n" for prototype, _ in prototypes)
        declared.write_text(f'#include "{header}"\n{bodies}', encoding="utf-8")
        code, said = output_of(compiler, "-x", "c", "-g", "-shared", "-fPIC", "-w", declared, "-o", declared_library)
        if code != 0:
            sys.exit(said)
        code, said = output_of("abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--type-id-style", "hash",
                               "--out-file", found, declared_library)
        if code != 0:
            sys.exit(said)
        if os.environ.get("CAMBI_UPDATE_ABI"):
            recorded.write_text(found.read_text(encoding="utf-8"), encoding="utf-8")
        code, said = output_of("abidiff", recorded, found)
        if code != 0:
            sys.exit(said)
    print(f"{len(functions)} functions, as recorded")


main()
