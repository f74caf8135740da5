#!/usr/bin/env python3
"""same_output.py OLD NEW [PART...]: shows that two builds of the program do the same.

Runs the commands of tests/program/messages/*.txt and of the documents with both programs and compares what they print, their
exit codes and every file that they write, byte for byte but for what depends on the clock. PART: only transcripts and documents
of that name (compare, README ...).
"""
import base64
import concurrent.futures
import difflib
import fnmatch
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
VIDEO = re.compile(r"\.(mp4|mkv|mov|y4m|png|jxl|tif)$")
OF_REFERENCES = re.compile(r"ref|master|source|film|a\.png", re.IGNORECASE)
CLOCK = re.compile(rb"""("(?:fps|wall_seconds|milliseconds|opening|decoding|preparing|submitting|scoring|reporting|waiting|"""
                   rb"""limit|modified|ts|dur)": ?|fps=)["\w.-]+|[\d.]+( fps)|\d+( threads?\)  )|(\()[\d.]+ (?:kB|bytes)\)"""
                   rb"""|(^(?:cpu|scalar|hybrid|vulkan)\b.*?)  +[\d.]+(?=  +\d+  )|(^backend.*frames) +fps|(^)\d+(?=/\d+  )"""
                   rb"""|^.* left  now .*\n""", re.MULTILINE)
PACKED = re.compile(rb"(?<=>)eN[A-Za-z0-9+/=]+(?=<)")  # what a page carries


def commands_of(path):
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    if path.suffix == ".txt":
        return re.findall(r"^\$ (.*)$", text, re.MULTILINE)
    commands = re.findall(r"^    (?:\$ )?(cambi (?![0-9 ]).*)$", text, re.MULTILINE)
    return [re.sub(r"\s#\s.*", "", command) for command in commands if "[" not in command]


def y4m(width, height, phase):
    """Two frames of bands with a little texture, as a y4m file of 8 bits."""
    frames = b""
    for frame in range(2):
        luma = bytes((x // 8 + y // 16 + (x * y + phase * x) % 5 + frame + phase) % 200 + 20 for y in range(height)
                     for x in range(width))
        frames += b"FRAME\n" + luma + bytes([120 + phase]) * (width * height // 2)
    return b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height) + frames


def prepare(folder, commands):
    """The files that tests/program/messages_test.cpp describes, and those that documents speak of."""
    clips = ROOT / "testdata/clips"
    for name in ("clips", "formats"):
        (folder / name).symlink_to(ROOT / "testdata" / name)
    (folder / "testdata").symlink_to(ROOT / "testdata")
    videos = {"a.y4m": y4m(320, 240, 0), "b.y4m": y4m(320, 240, 3), "small.y4m": y4m(240, 160, 0)}
    for name, content in videos.items():
        (folder / name).write_bytes(content)
    (folder / "a.yuv").write_bytes(re.sub(rb"FRAME\n", b"", videos["a.y4m"].split(b"\n", 1)[1]))
    (folder / "text.txt").write_text("This is a text.\n", encoding="utf-8")
    (folder / "folder").mkdir()
    if commands is None:
        return
    for season in ("season1", "inbox", "videos"):
        (folder / season).mkdir()
        for name in ("sky_640x360_8b.mp4", "static_640x360_8b.mp4"):
            (folder / season / name).symlink_to(clips / name)
    for word in {word for command in commands for word in shlex.split(command.replace("'", '"').split("|")[0])}:
        for name in {word.replace("*", "1"), word.replace("*", "2")}:
            name = name.replace("%04d", "0001")
            path = folder / name
            if VIDEO.search(name) and "testdata" not in name and "$" not in name and not name.startswith("/"):
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.exists():
                    path.symlink_to(clips / f"sky_640x360_8b{'_ref' if OF_REFERENCES.search(name) else ''}.mp4")


def outcome(program, commands, are_documents, top):
    """What each command printed, its exit code, and the files that were there after all of them."""
    work = top / "work"
    work.mkdir()
    prepare(work, commands if are_documents else None)
    for path in work.iterdir():
        os.utime(path, (1e9, 1e9), follow_symlinks=False)
    environment = dict(os.environ, XDG_CACHE_HOME=f"{top}/cache", TMPDIR=str(top))
    environment.pop("COLUMNS", None)
    told = {}
    for number, command in enumerate(commands):
        script = f'cambi() {{ "{program}" "$@"; }}\ncp() {{ command cp -p "$@"; }}\n{command}'
        ended = subprocess.run(["/bin/sh", "-c", script], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                               capture_output=True, check=False)
        if command.startswith("cambi bench") and ended.returncode == 0:
            continue  # measurements
        told[f"{number}: {command}"] = b"%s\n%s\nexit code %d\n" % (ended.stdout, ended.stderr, ended.returncode)
    for path in work.rglob("*"):
        # Shards and traces hold times; what is merged is compared.
        if path.is_file() and not path.is_symlink() and path.suffix != ".shard" and path.name != "trace.json":
            told[f"file {path.relative_to(work)}"] = path.read_bytes()
    for name, text in told.items():
        text = PACKED.sub(lambda packed: zlib.decompress(base64.b64decode(packed[0])), text)
        text = CLOCK.sub(rb"\1\2\3\4\5\6\7", text.replace(str(program).encode(), b"PROGRAM"))
        told[name] = text if name.startswith("file") else b"\n".join(in_order(text.split(b"\n")))
    shutil.rmtree(top)
    top.mkdir()
    return told


def in_order(lines):
    """With lines of videos that are scored at the same time in the order of their text."""
    videos = sorted(line for line in lines if line.startswith(b"/"))
    return [videos.pop(0) if line.startswith(b"/") else line for line in lines]


def differences(path, old, new):
    commands = commands_of(path)
    if not commands:
        return 0, []
    are_documents = path.suffix == ".md"
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder, "top")
        top.mkdir()
        before, now = (outcome(program, commands, are_documents, top) for program in (old, new))
    other = [name for name in sorted(now.keys() | before.keys()) if now.get(name) != before.get(name)]
    said = []
    for name in other:
        texts = [told.get(name, b"").decode("utf-8", "replace").splitlines() for told in (before, now)]
        said.append(f"{path.relative_to(ROOT)}: {name}\n" +
                    "\n".join(line[:300] for line in list(difflib.unified_diff(*texts, "old", "new", "", "", 0, ""))[:20]))
    return len(now), said


def main():
    old, new = (shutil.which(program) for program in sys.argv[1:3])
    parts = sys.argv[3:] or ["*"]
    paths = [path for path in [*ROOT.glob("tests/program/messages/*.txt"), *ROOT.glob("docs/*.md"), ROOT / "README.md"]
             if any(fnmatch.fnmatch(path.stem, part) for part in parts)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: differences(path, os.path.abspath(old), os.path.abspath(new)), sorted(paths)))
    for _, said in results:
        for text in said:
            print(text)
    count = sum(count for count, _ in results)
    other = sum(len(said) for _, said in results)
    print(f"{count} outputs and files, {other} differ")
    return 1 if other or not count else 0


if __name__ == "__main__":
    sys.exit(main())
