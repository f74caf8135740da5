#!/usr/bin/env python3
"""Rules of the source tree, checked: usage structure_test.py INCLUDES|SOURCES|NAMES|OPTIONS|HEADERS ROOT [COMPILER]

INCLUDES  cli -> engine -> feature -> vulkan -> core, and within cli the order of its rooms: no #include points the other
          way or in a circle, metrics do not know each other, and only some folders know libraries; below cli nobody
          asks for a terminal or a signal, ends the process, or names a flag of the command line, and for the environment
          the library alone that takes libvmaf's place
SOURCES   every source file is in a list that the builds read, of a kind that they know, and every document in that of what
          is installed; no folder of code has more entries than fit on a screen
NAMES     outside feature/<metric>/ no code has the name of an option or a metric, no two types have the same name, and
          a shader's first comment names the stages that it implements
OPTIONS   options of the compiler that change results are refused
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
    "shaders": {"shaders"},
    "feature": {"feature", "vulkan", "core", "shaders"},
    "engine": {"engine", "feature", "vulkan", "core"},
    "cli": {"cli", "engine", "feature", "vulkan", "core"},
}
# Each room of cli/ may include itself and those after it.
ROOMS = ["bench", "commands", "cluster", "batch", "run", "inputs", "pages", "reports", "pictures", "decoding",
         "sandbox", "system"]
# What metrics share, beside them.
SHARED = {"common", "fitting", "light", "words"}
# The metrics are known by the registry alone.
KNOWS_METRICS = {"feature/registry.cpp"}
# Library headers, and the folders that may know them.
LIBRARIES = {
    r"libav\w+/": {"cli/decoding", "cli/pictures"},
    r"nlohmann/": {"cli", "engine"},
    r"CLI/": {"cli/commands"},
    r"zlib": {"cli/pages"},
    r"seccomp": {"cli/sandbox"},
    r"vulkan/vulkan": {"vulkan"},
    r"libvmaf/": {"engine/libvmaf"},
}
# Folders whose sources are built with a precompiled header before their own.
PRECOMPILED = {"vulkan"}
# Of docs/, what is for users, and the list of it.
DOCUMENTS = {".ipynb", ".json", ".md", ".png", ".txt"}
DOCUMENT_LIST = "docs/installed.txt"
# The most entries of a folder: what a listing shows on one screen.
MOST_ENTRIES = 60
# A header and its source are one idea, of no fewer lines than these together.
FEWEST_LINES = 80
# Where sources are.
FOLDERS = [*MAY_INCLUDE, "tests"]


def sources(root, *patterns):
    for folder in MAY_INCLUDE:
        for pattern in patterns:
            yield from sorted((root / folder).rglob(pattern))


def includes_of(path):
    return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', path.read_text(), re.M)


def is_within(name, folder):
    return name.startswith(folder + "/")


def faults_of_include(name, included):
    """name, included: paths below the root."""
    faults = []
    top, included_top = name.split("/")[0], included.split("/")[0]
    if included_top in MAY_INCLUDE and included_top not in MAY_INCLUDE[top] and not included.startswith("vulkan/vulkan"):
        faults.append(f"{name}: {top} must not include {included}")
    for pattern, allowed in LIBRARIES.items():
        if re.match(pattern, included) and not any(is_within(name, folder) for folder in allowed):
            faults.append(f"{name}: only {', '.join(sorted(allowed))} may include {included}")
    if is_within(included, "cli"):
        room, included_room = name.split("/")[1], included.split("/")[1]
        if included_room not in ROOMS:
            faults.append(f"{name}: {included} is in no room")
        elif room in ROOMS and ROOMS.index(included_room) < ROOMS.index(room):
            faults.append(f"{name}: {room} must not include {included}")
    metric = re.match(r"(?:feature|shaders)/(\w+)/", included)
    own = re.match(r"(?:feature|shaders)/(\w+)/", name)
    if metric and metric[1] not in SHARED and name not in KNOWS_METRICS and (own is None or own[1] != metric[1]):
        faults.append(f"{name}: {included} belongs to a metric")
    return faults


# What only the program may do.
PROGRAMS = re.compile(r"\b(getenv|secure_getenv|isatty|interrupt_signal|is_interrupted|Messages|_Exit|_exit|std::exit|sigaction)\b|std::signal\(")
# A library has no command line, so its users say by the environment what its interface has no words for.
ASKS_ENVIRONMENT = {"engine/libvmaf/backend.cpp": {"getenv", "secure_getenv"}}
# A flag in a text, and the one text that has another program's.
FLAG = re.compile(r'"[^"]*(?<![\w-])--[a-z][^"]*"')
NAMES_FLAGS = {"engine/report/segments.cpp"}


def faults_of_border(name, text):
    faults = []
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        without_texts = re.sub(r'"(?:[^"\\]|\\.)*"', '""', code)
        faults += [f"{name}:{number}: {found[0]} is for the program alone" for found in PROGRAMS.finditer(without_texts)
                   if found[0] not in ASKS_ENVIRONMENT.get(name, ())]
        if FLAG.search(code) and name not in NAMES_FLAGS:
            faults.append(f"{name}:{number}: a flag of the command line")
    return faults


def circles(graph):
    """The files of each circle of includes, in order."""
    found, done = [], set()

    def visit(name, path):
        if name in path:
            found.append(path[path.index(name):] + [name])
            return
        if name in done:
            return
        for included in graph.get(name, ()):
            visit(included, path + [name])
        done.add(name)

    for name in graph:
        visit(name, [])
    return found


def check_includes(root):
    faults, graph = [], {}

    def node(name):
        """A header and its source are one, but for the private headers of vulkan/."""
        return name if is_within(name, "vulkan") else re.sub(r"\.\w+$", "", name)

    for path in sources(root, "*.h", "*.cpp", "*.comp", "*.glsl"):
        name = str(path.relative_to(root))
        if not is_within(name, "cli") and path.suffix in (".h", ".cpp"):
            faults += faults_of_border(name, path.read_text())
        for included in includes_of(path):
            beside = f"{path.parent.relative_to(root)}/{included}"
            if (root / beside).exists():
                included = beside
            faults += faults_of_include(name, included)
            graph.setdefault(node(name), set()).add(node(included))
    for name, included in graph.items():
        included.discard(name)
    faults += [f"includes in a circle: {' -> '.join(circle)}" for circle in circles(graph)]
    return faults


def rows_of_lists(root):
    """Each list's folder, and the words of each of its lines: a source and its kinds."""
    for folder in FOLDERS:
        for line in (root / folder / "sources.txt").read_text().splitlines():
            yield folder, line.split()


def unknown_kinds(root):
    """Kinds that no build reads, with or without what a build may have or lack behind them."""
    build = "".join((root / name).read_text() for name in ("CMakeLists.txt", "tests/tests.cmake"))
    kinds = {kind for _, (_, *kinds) in rows_of_lists(root) for kind in kinds}
    return [f"no build reads the kind {kind}" for kind in sorted(kinds)
            if not re.search(r"\b(%s|%s)\b" % (kind, re.sub(r"_(no_)?(cuda|html|program|seccomp|vulkan)$", "", kind)), build, re.I)]


def listed(root):
    """The sources that the lists name, and those that a build file names itself."""
    names = {f"{folder}/{name}" for folder, (name, *_) in rows_of_lists(root)}
    for path in (root / "CMakeLists.txt", root / "meson.build"):
        names |= set(re.findall(r"\b(?:%s)/[\w/]+\.(?:cpp|comp)\b" % "|".join(FOLDERS), path.read_text()))
    return names


def check_sources(root):
    present = {str(p.relative_to(root)) for folder in FOLDERS for pattern in ("**/*.cpp", "**/*.comp")
               for p in (root / folder).glob(pattern)}
    documents = {path.name for path in (root / "docs").iterdir() if path.suffix in DOCUMENTS}
    documents.remove(pathlib.Path(DOCUMENT_LIST).name)
    named = set((root / DOCUMENT_LIST).read_text().split())
    folders = sorted({path.parent for folder in FOLDERS for path in (root / folder).rglob("*")})
    crowded = [f"{path.relative_to(root)}: {count} entries" for path in folders
               if (count := sum(1 for entry in path.iterdir() if entry.name != "__pycache__")) > MOST_ENTRIES]
    for source in sorted(present):
        both = [root / source, (root / source).with_suffix(".h")]
        lines = sum(path.read_text().count("\n") for path in both if path.exists())
        if source.endswith(".cpp") and all(path.exists() for path in both) and lines < FEWEST_LINES \
                and not is_within(source, "tests"):
            crowded.append(f"{source}: {lines} lines with its header: whose idea does it belong to?")
    return crowded + unknown_kinds(root) + [f"in no list: {f}" for f in sorted(present - listed(root))] + [
        f"not in {DOCUMENT_LIST}, or not in docs: {name}" for name in sorted(documents ^ named)]


# Text for people: examples on the command line, what else the manual page says, and flags that set options of features.
MAY_NAME_METRICS = {"cli/commands/help.h", "cli/commands/help.cpp", "cli/commands/run_flags.cpp",
                    "cli/commands/subcommand_table.cpp", "cli/commands/flag_setters.cpp", "cli/inputs/feature_flags.cpp"}
# Of options, words that mean something else as well.
COMMON_WORDS = {"bins", "fps", "planes", "range", "scale", "threshold"}


def names_of_metrics(root):
    """Options and metrics as the tables of feature/<metric>/ have them, but for the names of the features: one of them is
    the program's."""
    names = set()
    for path in sorted((root / "feature").glob("*/*.cpp")):
        text = path.read_text()
        for table in re.findall(r"OptionSpec k\w*\[\] = \{(.*?)\n\};", text, re.S):
            names |= set(re.findall(r'\.name = "(\w+)"', table))
        for table in re.findall(r"k\w*Metrics\[\] = \{(.*?)\};", text, re.S):
            # Some are composed of words that are no names.
            names |= set(re.findall(r'\w+\("(\w+)"', table))
    return names - COMMON_WORDS - {path.name for path in (root / "feature").iterdir() if path.is_dir()}


def check_names(root):
    names = names_of_metrics(root)
    if not names:
        return ["no options and metrics were found"]
    word = re.compile(r"\b(%s)\b" % "|".join(sorted(names)))
    faults = []
    for folder in ("core", "engine", "cli", "vulkan"):
        for path in sorted((root / folder).rglob("*")):
            name = str(path.relative_to(root))
            if path.suffix not in (".h", ".cpp", ".js") or name in MAY_NAME_METRICS:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for found in word.findall(line.split("//")[0]):
                    faults.append(f"{name}:{number}: {found} belongs to a metric")
    return faults


def types_of(path):
    """The types that a source or header defines at the top of a namespace, as far as other files could meet them."""
    within, types = [], []
    for line in path.read_text().splitlines():
        opened = re.match(r"namespace(?: ([\w:]+))? \{$", line)
        defined = re.match(r"(?:struct|class|enum class|enum|union) (\w+)(?: final)?(?: : [^;{]+)? \{", line)
        if opened:
            within.append(opened[1])
        elif line.startswith("}  // namespace"):
            within.pop()
        elif defined and None not in within:
            types.append("::".join([*within, defined[1]]))
    return types


def check_types(root):
    """Two types of one name are undefined behaviour, which only a linker that optimizes sees."""
    files = {}
    for path in sources(root, "*.h", "*.cpp"):
        for name in types_of(path):
            files.setdefault(name, []).append(str(path.relative_to(root)))
    if not files:
        return ["no types were found"]
    return [f"{name} is defined in {' and '.join(paths)}" for name, paths in files.items() if len(paths) > 1]


# Stages without a shader: prepare is several others in one; the host does the rest after the device.
HOST_STAGES = {"cambi": {"prepare", "heatmap"}, "speed": {"covariance", "eigenvalues", "solve", "entropies"}}


def check_stages(root):
    """A stage's name finds its shader, so some shader of its metric has the name in the comment at its top."""
    faults, found = [], False
    for header in sorted((root / "feature").glob("*/*.h")):
        metric = header.parent.name
        shaders = sorted((root / "shaders" / metric).glob("*.comp"))
        comments = " ".join(re.match(r"(//.*\n)*", path.read_text())[0] for path in shaders)
        for stages in re.findall(r"^VQ_STAGES\((.*?)\);", header.read_text(), re.M | re.S):
            found = True
            missing = set(re.findall(r"\w+", stages)) - set(re.findall(r"\w+", comments)) - HOST_STAGES.get(metric, set())
            if shaders:
                faults += [f"{header.relative_to(root)}: no shader of shaders/{metric}/ names {stage} in its first comment"
                           for stage in sorted(missing)]
    return faults if found else ["no stages were found"]


def is_first_of_its_source(path, root):
    """Whether the build itself shows that the header compiles alone: its own source includes it first."""
    source = path.with_suffix(".cpp")
    if not source.exists() or path.relative_to(root).parts[0] in PRECOMPILED:
        return False
    first = next((line for line in source.read_text().splitlines() if line.startswith("#include")), "")
    return first == f'#include "{path.relative_to(root)}"'


def check_headers(root, compiler):
    def faults_of(path):
        result = subprocess.run(
            [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-I", str(root), "-I", str(root / "include"),
             "-x", "c++", "-"],
            input=f'#include "{path.relative_to(root)}"\n', text=True, capture_output=True)
        return [f"{path} does not compile alone:\n{result.stderr}"] if result.returncode else []

    headers = [path for path in sources(root, "*.h")
               if path.relative_to(root).parts[0] != "shaders" and not is_first_of_its_source(path, root)
               and "windows" not in path.stem]  # those need that system's headers
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as compilers:
        return [fault for faults in compilers.map(faults_of, headers) for fault in faults]


def check_options(root, compiler):
    def compiles(source, *options):
        return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", str(root), *options, "-x", "c++", "-"],
                              input=source, text=True, capture_output=True).returncode == 0

    # What every frame passes on its way, on any backend.
    source = '#include "core/elementary.h"\n'
    faults = [] if compiles(source) else ["core/elementary.h does not compile"]
    for option in ("-ffast-math", "-Ofast", "-ffinite-math-only"):
        if compiles(source, option):
            faults.append(f"core/elementary.h compiles with {option}, which changes scores")
    for path in ("core/worker_pool.cpp", "feature/host_extractor.cpp", "feature/device_extractor.cpp"):
        if '#include "core/elementary.h"' not in (root / path).read_text():
            faults.append(f"{path} does not refuse such options: it does not include core/elementary.h")
    return faults


# A comment begins with the thing or a verb, not with its owner or a clause about it.
FRAGMENT = re.compile(r"//+\s*(Of|That|Who|Whom|So many)\b")
LONGEST_LINE = 110


# Paths and texts become each other by path_of() and text_of() alone: on Windows std::filesystem takes a text for one of another
# encoding, and gives one back. What takes a path is given none but those, as far as names tell.
PATH = r"\b(?:fs|filesystem)::path\b"
TAKES_PATH = re.compile(r"(?:%s(?: \w+)?|\b(?:fs|filesystem)::(?:absolute|canonical|create_director\w+|exists|file_size|is_\w+|read_symlink"
                        r"|remove|remove_all|rename|space|directory_iterator)(?: \w+)?|[io]fstream \w+)\([^\w\"]*(\w*)(?:->|\.)?(\w*)" % PATH)
GIVES_TEXT = re.compile(r"\.(?:generic_)?string\(\)")
# Where these two are, and what runs where names are bytes.
OTHER_PATHS = re.compile(r"core/platform\.h|cli/sandbox/|.*_posix\.cpp$")


def faults_of_paths(name, text):
    code = [line.split("//")[0] for line in text.splitlines()]
    paths = set(re.findall(PATH + r"&? (\w+)", "\n".join(code))) | {"", "const", "path_of"}
    faults = []
    for number, line in enumerate(code, 1):
        if GIVES_TEXT.search(line):
            faults.append(f"{name}:{number}: text_of() gives the text of a path")
        faults += [f"{name}:{number}: path_of() makes a path of {found[1]}" for found in TAKES_PATH.finditer(line)
                   if found[1] not in paths and found[2] != "path"]
    return faults


def check_lines(root):
    faults = []
    for path in [*sources(root, "*.h", "*.cpp"), *sorted((root / "shaders").rglob("*.[cgh]*"))]:
        name, text = str(path.relative_to(root)), path.read_text()
        if not OTHER_PATHS.match(name):
            faults += faults_of_paths(name, text)
        for number, line in enumerate(text.splitlines(), 1):
            if FRAGMENT.search(line):
                faults.append(f"{name}:{number}: the comment begins with a fragment")
            if len(line) > LONGEST_LINE:
                faults.append(f"{name}:{number}: over {LONGEST_LINE} columns")
    return faults


def main():
    what, root = sys.argv[1], pathlib.Path(sys.argv[2])
    checks = {"INCLUDES": lambda: check_includes(root), "SOURCES": lambda: check_sources(root),
              "NAMES": lambda: check_names(root) + check_types(root) + check_stages(root) + check_lines(root),
              "OPTIONS": lambda: check_options(root, sys.argv[3]), "HEADERS": lambda: check_headers(root, sys.argv[3])}
    if not any(sources(root, "*.h")):
        sys.exit(f"no headers under {root}")
    faults = checks[what]()
    print("\n".join(faults) or f"{what}: nothing to complain about")
    sys.exit(1 if faults else 0)


main()
