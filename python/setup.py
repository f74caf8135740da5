"""Puts the program and the library that ./run built in the folder above into the package, where it is installed from there."""
import pathlib
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build/release"
NAMES = "cambi", "libcambi.so.0"


class ForThisMachine(Distribution):
    """A wheel that holds a library says for which system."""

    def has_ext_modules(self) -> bool:
        return any((BUILD / name).exists() for name in NAMES)


class WithBuilt(build_py):
    def run(self) -> None:
        super().run()
        if getattr(self, "editable_mode", False):
            return  # which uses the source tree, and finds them there
        for name in NAMES:
            copy = pathlib.Path(self.build_lib, "cambi", name)
            copy.unlink(missing_ok=True)
            if (BUILD / name).exists():
                shutil.copy(BUILD / name, copy)


setup(distclass=ForThisMachine, cmdclass={"build_py": WithBuilt})
