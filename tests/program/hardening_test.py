#!/usr/bin/env python3
"""Looks at what a hardened build made: usage hardening_test.py PROGRAM_OR_LIBRARY...

Each is to be position-independent, with relocations that are bound at start and read-only then, without an executable
stack, segments that are writable and executable, or relocations of code; compiled with stack protectors, and with the
checked forms of those calls of the C library that always have one.
"""
import re
import subprocess
import sys

# Of the C library, those that are never called so where calls are checked. std::to_string() takes vsnprintf by its address.
PLAIN_CALLS = {"printf", "fprintf", "sprintf", "snprintf", "vprintf", "vfprintf", "vsprintf"}


def readelf(option, path):
    return subprocess.run(["readelf", "--wide", option, path], check=True, capture_output=True, text=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def segments(path):
    """(type, flags) of each: ("LOAD", "R E")."""
    pattern = r"^  (\w+) +0x\w+ 0x\w+ 0x\w+ 0x\w+ 0x\w+ ([R ][W ][E ]) "
    return re.findall(pattern, readelf("--program-headers", path), re.M)


def imports(path):
    """The functions that come from other libraries."""
    table = readelf("--dyn-syms", path)
    return set(re.findall(r"FUNC +GLOBAL +DEFAULT +UND +(\w+)", table))


def faults_of(path):
    header, dynamic, found, calls = readelf("--file-header", path), readelf("--dynamic", path), segments(path), imports(path)
    flags = " ".join(re.findall(r"\((?:FLAGS|FLAGS_1)\) +(.*)", dynamic))
    faults = []

    def expect(holds, what):
        if not holds:
            faults.append(f"{path}: {what}")

    expect(re.search(r"Type: +DYN", header), "not position-independent")
    expect(any(kind == "INTERP" for kind, _ in found) <= ("PIE" in flags), "a program that is no PIE")
    expect(any(kind == "GNU_RELRO" for kind, _ in found), "relocations stay writable")
    expect("NOW" in flags, "functions are not bound at start")
    expect(all("E" not in rights for kind, rights in found if kind == "GNU_STACK"), "an executable stack")
    expect(any(kind == "GNU_STACK" for kind, _ in found), "no word on the stack, which makes it executable")
    expect(all(not ("W" in rights and "E" in rights) for _, rights in found), "writable code")
    expect("TEXTREL" not in dynamic, "relocations in code")
    expect("__stack_chk_fail" in calls, "no stack protectors")
    expect(not calls & PLAIN_CALLS, f"calls that are not checked: {' '.join(calls & PLAIN_CALLS)}")
    return faults


def main():
    faults = [fault for path in sys.argv[1:] for fault in faults_of(path)]
    print("\n".join(faults) or f"{len(sys.argv) - 1} files are hardened")
    sys.exit(1 if faults or len(sys.argv) < 2 else 0)


main()
