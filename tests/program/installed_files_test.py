#!/usr/bin/env python3
"""Installs a build into a folder of its own and looks at what is there: usage installed_files_test.py BUILD_FOLDER MESON

Both build files install the same files, documents find each other, the licences of what becomes part of the program are
among them, and nothing tells where the program was built. The system stays as it is.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = "share/doc/cambi"


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}")
    return done.stdout


def cache_of(build):
    lines = (build / "CMakeCache.txt").read_text(encoding="utf-8").splitlines()
    return dict(re.findall(r"^(\w+):\w+=(.*)$", line)[0] for line in lines if re.match(r"\w+:\w+=", line))


def installed_by_cmake(build, folder, prefix):
    """The prefix as it lies in the folder, and its files."""
    run("cmake", "--install", build, "--prefix", prefix, DESTDIR=str(folder))
    top = folder / prefix.lstrip("/")
    files = {path for path in folder.rglob("*") if not path.is_dir()}
    return top, {str(path.relative_to(top)) for path in files if path.is_relative_to(top)}, files


def installed_by_meson(meson, folder, prefix):
    """The files, and the version of the project. Nothing is built."""
    run(meson, "setup", folder, SOURCE, "--prefix", prefix, "--libdir", "lib", "-Dvulkan=false", "-Dhtml=disabled")
    files = json.loads(run(meson, "introspect", "--installed", folder))
    version = json.loads(run(meson, "introspect", "--projectinfo", folder))["version"]
    return {str(pathlib.Path(path).relative_to(prefix)) for path in files.values()}, version


def faults_of_links(top):
    for page in sorted((top / DOCUMENTS).rglob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not (page.parent / link).is_file():
                yield f"{page.relative_to(top)}: {link} is not there"
    manual = (top / "share/man/man1/cambi.1").read_text(encoding="utf-8")
    named = re.findall(r"share/doc/cambi/[\w/]+\.md", manual.replace("\\", ""))
    for name in named:
        if not (top / name).is_file():
            yield f"the manual page: {name} is not there"
    if not named:
        yield "the manual page: it does not say where the documents are"


def licence_of_font(path):
    """What the font itself says of its licence, in its table of names."""
    data = path.read_bytes()
    tables = [struct.unpack_from(">4sIII", data, 12 + 16 * i) for i in range(struct.unpack_from(">H", data, 4)[0])]
    start = next(offset for tag, _, offset, _ in tables if tag == b"name")
    _, count, strings = struct.unpack_from(">HHH", data, start)
    for i in range(count):
        platform, _, _, name, length, offset = struct.unpack_from(">6H", data, start + 6 + 12 * i)
        if (platform, name) == (3, 13):
            return data[start + strings + offset:][:length].decode("utf-16-be")
    sys.exit(f"{path}: it says nothing of its licence")


def faults_of_licences(top, cache):
    def words(text):
        return " ".join(text.split())

    folder = top / DOCUMENTS
    for name, original in ("copyright", "LICENSE"), ("models.copyright", "engine/models/files/LICENSE"):
        if (folder / name).read_bytes() != (SOURCE / original).read_bytes():
            yield f"{name} is not {original}"
    ours = words((folder / "docs/third-party.md").read_text(encoding="utf-8"))
    plot, font = pathlib.Path(cache["UPLOT_FOLDER"]), pathlib.Path(cache["LETTERING_FONT"])
    if plot.is_dir():
        owner, terms = re.search(r"Copyright \(c\) (.*?)\n(.*)", (plot / "LICENSE").read_text(encoding="utf-8"), re.S).groups()
        if words(terms) not in ours or f"| {owner} |" not in ours:
            yield f"third-party.md: not the licence of uPlot, {owner}"
    if font.is_file() and words(licence_of_font(font)) not in ours:
        yield "third-party.md: not the licence of the font"


def faults_of_paths(top, build, cache):
    """But for programs where they have symbols for debuggers, which name sources."""
    may_tell = {top / "bin/cambi", top / "bin/cambi-bench"} if re.search(r"(^| )-g", cache["CMAKE_CXX_FLAGS"]) else set()
    for path in sorted(path for path in top.rglob("*") if path.is_file() and path not in may_tell):
        for folder in (SOURCE, build):
            # As a path of its own: "/cambi" is the end of many others.
            if re.search(rb"(?:(?<![\w.~/-])|(?<=-I))" + re.escape(bytes(folder)) + rb"(?![\w.-])", path.read_bytes()):
                yield f"{path.relative_to(top)}: it names {folder}"


def main():
    build, meson = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    cache, faults = cache_of(build), []
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        top, files, _ = installed_by_cmake(build, work / "usual", "/usr")
        # Meson makes the link by a script, which its list of files does not show.
        if os.readlink(top / "bin/vmaf") != "cambi":
            faults.append("bin/vmaf is no link to the program")
        files.discard("bin/vmaf")
        same, version = installed_by_meson(meson, work / "meson", "/usr")
        faults += [f"only CMake installs {file}" for file in sorted(files - same)]
        faults += [f"only Meson installs {file}" for file in sorted(same - files)]
        faults += [*faults_of_links(top), *faults_of_licences(top, cache), *faults_of_paths(top, build, cache)]
        said = run(top / "bin/cambi", "--version").strip()
        if said != f"cambi {version}":
            faults.append(f"{said} is version {version} for Meson")
        taken = work / "other/opt/folder with spaces/bin/vmaf"
        taken.parent.mkdir(parents=True)
        taken.write_text("another's", encoding="utf-8")
        other, _, everything = installed_by_cmake(build, work / "other", "/opt/folder with spaces")
        if taken.read_text(encoding="utf-8") != "another's":
            faults.append("another's bin/vmaf is gone")
        faults += [f"outside of the prefix: {path}" for path in sorted(everything) if not path.is_relative_to(other)]
        if not (other / "share/zsh/site-functions/_cambi").is_file():
            faults.append("other prefixes: the completion for zsh is missing")
    if faults:
        sys.exit("\n".join(faults))
    print(f"installed_files_test: {len(files)} files")


main()
