#!/usr/bin/env python3
"""Holds the C library's interface against the recorded one: usage abi_test.py LIBRARY SOURCE_FOLDER COMPILER

Recorded is the header without its comments. The types come from such headers alone, by libraries whose functions do nothing; the
symbols from the library itself. A change that is meant is recorded with CAMBI_UPDATE_ABI=1, after a look at what breaks.
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


def prototypes_of(text):
    return re.findall(r"^CAMBI_API ([^;]+?\b(cambi_\w+)\([^;]*\));", text, flags=re.M)


def library_of(text, compiler, folder):
    """A library with the functions of a header, in a folder of its own; its path."""
    folder.mkdir()
    bodies = "".join(f"{prototype} {{ __builtin_trap(); }}\n" for prototype, _ in prototypes_of(text))
    (folder / "cambi.h").write_text(text, encoding="utf-8")
    (folder / "cambi.c").write_text(f'#include "cambi.h"\n{bodies}', encoding="utf-8")
    code, said = output_of(compiler, "-x", "c", "-g", "-shared", "-fPIC", "-w", folder / "cambi.c", "-o", folder / "libcambi.so.0")
    if code != 0:
        sys.exit(said)
    return folder / "libcambi.so.0"


def main():
    library, source, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    recorded = source / "testdata/golden/interface.txt"
    text = re.sub(r"/\*.*?\*/", "", (source / "include/cambi/cambi.h").read_text(encoding="utf-8"), flags=re.S)
    text = "".join(line.rstrip() + "\n" for line in text.splitlines() if line.strip())
    functions = sorted(name for _, name in prototypes_of(text))
    if len(functions) > MOST_FUNCTIONS:
        sys.exit(f"{len(functions)} functions; {MOST_FUNCTIONS} are the limit")
    _, symbols = output_of("nm", "--dynamic", "--defined-only", library)
    shown = sorted(line.split()[2].split("@")[0] for line in symbols.splitlines() if " A " not in line)
    if shown != functions:
        sys.exit(f"the header has {functions}\nthe library shows {shown}")
    if os.environ.get("CAMBI_UPDATE_ABI"):
        recorded.write_text(text, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        then, now = (library_of(header, compiler, pathlib.Path(folder) / name)
                     for name, header in (("then", recorded.read_text(encoding="utf-8")), ("now", text)))
        code, said = output_of("abidiff", then, now)
        if code != 0:
            sys.exit(said)
    print(f"{len(functions)} functions, as recorded")


main()
