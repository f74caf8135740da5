#!/usr/bin/env python3
"""What the library shows and needs: usage symbols_test.py LIBRARY EXPORTS

It exports the functions that the list names and nothing else, has the name by which programs ask for it, needs neither
Vulkan nor CUDA nor FFmpeg, and can be loaded and unloaded over and over.
"""
import ctypes
import pathlib
import re
import subprocess
import sys


def lines_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def faults_of_symbols(library, exports):
    listed = set(re.findall(r"^\s+(vmaf_\w+);$", exports.read_text(encoding="utf-8"), re.M))
    shown = {line.split()[-1] for line in lines_of("nm", "-D", "--defined-only", library)}
    if len(listed) != 34:
        yield f"the list names {len(listed)} functions"
    yield from (f"is shown and not listed, or not shown: {name}" for name in sorted(listed ^ shown))


def faults_of_dependencies(library):
    entries = "\n".join(lines_of("readelf", "-d", library))
    if "Library soname: [libvmaf.so.3]" not in entries:
        yield "its name is not libvmaf.so.3"
    if "NODELETE" not in entries:
        yield "it can be unmapped while a driver's thread runs"
    for needed in re.findall(r"Shared library: \[(.*)\]", entries):
        if re.match(r"lib(vulkan|cuda|av|sw|nv)", needed):
            yield f"it needs {needed}"


def faults_of_loading(library):
    libc = ctypes.CDLL(None)
    libc.dlclose.argtypes = [ctypes.c_void_p]
    for _ in range(10):
        loaded = ctypes.CDLL(library, mode=ctypes.RTLD_LOCAL)
        loaded.vmaf_version.restype = ctypes.c_char_p
        if not loaded.vmaf_version().startswith(b"3.2.0"):
            yield "it has another version"
        picture = ctypes.create_string_buffer(96)
        if loaded.vmaf_picture_alloc(picture, 1, 8, 64, 64) != 0 or loaded.vmaf_picture_unref(picture) != 0:
            yield "it makes no picture"
        libc.dlclose(loaded._handle)
    version = f"import ctypes; ctypes.CDLL({library!r}).vmaf_version"
    if subprocess.run([sys.executable, "-c", version], env={"LD_BIND_NOW": "1"}, check=False).returncode != 0:
        yield "it cannot be loaded with all symbols at once"


def main():
    library, exports = sys.argv[1], pathlib.Path(sys.argv[2])
    faults = [*faults_of_symbols(library, exports), *faults_of_dependencies(library), *faults_of_loading(library)]
    print("\n".join(faults) or "nothing to complain about")
    sys.exit(1 if faults else 0)


main()
