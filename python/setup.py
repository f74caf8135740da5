"""Puts the program and the library into the package: from the folder that CAMBI_BUILT names, an unpacked archive or a build; else what
./run has built in the folder above, which it is called for if there is nothing yet."""
import os
import pathlib
import platform
import shutil
import subprocess
from typing import Dict, Tuple

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

TOP = pathlib.Path(__file__).resolve().parent.parent
NAMED = os.environ.get("CAMBI_BUILT")
BUILT = (TOP / (NAMED or "build/release")).resolve()  # pip works in a folder of its own
DOCUMENTS = "share/doc/cambi/"
IN_ARCHIVE = ("bin/cambi", "bin/cambi.exe", "bin/*.dll", "lib/lib*.so.[0-9]", "lib/lib*.so.[0-9][0-9]", DOCUMENTS + "licences/*",
              DOCUMENTS + "*copyright", DOCUMENTS + "*.spdx.json", DOCUMENTS + "docs/third-party.md", DOCUMENTS + "docs/Apache-2.0.txt")
IN_BUILD = {"bin/cambi": "cambi", "lib/libcambi.so.0": "libcambi.so.0"}


def files() -> Dict[str, pathlib.Path]:
    """By their paths in the package."""
    found = {str(path.relative_to(BUILT)): path for pattern in IN_ARCHIVE for path in BUILT.glob(pattern)}
    found.update((place, BUILT / name) for place, name in IN_BUILD.items() if (BUILT / name).exists())
    if NAMED and not found:
        raise SystemExit(f"CAMBI_BUILT: neither an unpacked archive nor a build: {BUILT}")
    return found


class WithFiles(Distribution):
    """A wheel that holds a library says for which system."""

    def has_ext_modules(self) -> bool:
        return bool(files())


class Wheel(bdist_wheel):
    """For any Python of a system: nothing is compiled against it."""

    def get_tag(self) -> Tuple[str, str, str]:
        places = files()
        if "bin/cambi.exe" in places:
            return "py3", "none", "win_amd64"
        tag: Tuple[str, str, str] = super().get_tag()
        # With FFmpeg beside it the program needs the C library alone, of the version that it was built with or newer.
        if any("libavformat" in place for place in places):
            return "py3", "none", tag[2].replace("linux", "manylinux_" + platform.libc_ver()[1].replace(".", "_"))
        return "py3", "none", tag[2]


class WithBuilt(build_py):
    def run(self) -> None:
        super().run()
        if getattr(self, "editable_mode", False):
            return  # which uses the source tree, and finds them there
        package = pathlib.Path(self.build_lib, "cambi")
        for folder in "bin", "lib", "share":
            shutil.rmtree(package / folder, ignore_errors=True)
        for place, path in files().items():
            (package / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, package / place)


if not files() and (TOP / "run").exists() and platform.system() == "Linux":
    subprocess.run([TOP / "run", "--version"], check=True)
setup(distclass=WithFiles, cmdclass={"build_py": WithBuilt, "bdist_wheel": Wheel})
