#!/usr/bin/env python3
"""Breaks the sources on purpose, one small change at a time, and sees whether a test notices.

tests/mutate.py [--since REV] [--folder FOLDER] [--list] [FILE[:FIRST-LAST] | FILE:FUNCTION]...
Without files: the functions that changed since REV (the commit before the last). Each change flips a comparison, swaps && and
||, + and -, min and max or true and false, negates a condition, moves a constant by one, or drops a statement. The tests are
those of the folder that mirrors the source's, in the program of KINDS below. Works on a copy of the tree in FOLDER, which is
built once and kept. Prints a line for each change that no test noticed; the exit code is 1 where there is one. --list builds
nothing and prints the changes. A survivor that changes nothing (an equivalent) is for people to judge.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Sources whose path matches: their test program, what else that needs, and the folder of its tests. The first match counts.
KINDS = [
    (r"feature/(\w+)/(?:device|vulkan)\w*\..*", "gpu_tests", (), r"\1"),
    (r"(feature)/(?:device|frame_slot|slot_pool|start_up|gather)\w*\..*", "gpu_tests", (), r"\1"),
    (r"(core|feature)/[^/]*", "unit_tests", (), r"\1"),
    (r"feature/(\w+)/.*", "unit_tests", (), r"\1"),
    (r"shaders/(\w+)/.*", "gpu_tests", (), r"\1"),
    (r"(vulkan)/.*", "gpu_tests", (), r"\1"),
    (r"cli/(\w+)/.*", "cli_tests", ("cambi",), r"cli/\1"),
]

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
         "+=": "-=", "-=": "+=", "min": "max", "max": "min", "Min": "Max", "Max": "Min", "true": "false", "false": "true"}
# An operator has blanks around it, so no template, reference or sign is taken for one. Texts are only added up.
SWAPPED = re.compile(r"(?<= )(?<!\" )(<=|>=|==|!=|&&|\|\||[<>+-]|[+-]=)(?= )(?! \")|\b(min|max|Min|Max)(?=\()|\b(true|false)\b")
CONSTANT = re.compile(r"(?<![\w.'])(\d+)(?![\w.'])(?!\s*\))|(?<![\w.'])(\d+)(?=\))")
CONDITION = re.compile(r"\b(if|while) \(")
DECLARATION = re.compile(r"(const|constexpr|static|auto|using|return|throw|friend|typename|template|namespace|struct|class|enum|case"
                         r"|default|public|private|else|for|switch)\b|[\w:<>,&*\[\]() ]+[\w>&*] [\w\[\]]+( =|;|\{|\()")
STATEMENT = re.compile(r"(if \(.*\) .+;|[\w+*(-].*;)$")


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def git(*words):
    return subprocess.check_output(["git", "-C", TOP, *words], text=True)


def masked(line):
    """The line with its strings and comments blanked out, so that places are the same."""
    return re.sub(r'"(?:\\.|[^"\\])*"|(?<!\w)\'(?:\\.|[^\'\\])+\'|//.*', lambda found: '"' * len(found.group()), line)


def end_of(text, start):
    """Where the parenthesis at start is closed; 0 on another line."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return 0


def changes(line, before):
    """What can be done to a line: its new text. `before` is the line before it."""
    code = masked(line)
    if re.match(r"\s*(#|//|static_assert|assert|HWY_D?ASSERT)", code) or "operator" in code:
        return
    for found in SWAPPED.finditer(code):
        yield line[:found.start()] + SWAPS[found.group()] + line[found.end():]
    for found in CONSTANT.finditer(code):
        for value in sorted({int(found.group()) + 1, max(int(found.group()) - 1, 0)} - {int(found.group())}):
            yield line[:found.start()] + str(value) + line[found.end():]
    for found in CONDITION.finditer(code):
        end = end_of(code, found.end() - 1)
        if end and not re.fullmatch(r"[^&|]*(==|!=)[^&|]*|.*; .*", code[found.end():end]):  # the first of these is flipped already
            yield f"{line[:found.end()]}!({line[found.end():end]}){line[end:]}"
    bare = code.strip()
    is_whole = re.search(r"(^|[;{}:])[\s\"]*$", masked(before))
    if is_whole and STATEMENT.match(bare) and bare.count("(") == bare.count(")") and not DECLARATION.match(bare):
        yield ""


def function_lines(lines, name):
    """From the first line that has the name before a parenthesis to the end of its block."""
    for first, line in enumerate(lines):
        if re.search(rf"\b{name}\(", masked(line)) and re.match(r"\s{0,2}[\w\[]", line) and not line.rstrip().endswith(";"):
            indent = re.match(r"\s*", line).group()
            last = next(i for i in range(first, len(lines)) if lines[i].startswith(indent + "}") or lines[i].endswith("; }\n"))
            return range(first + 1, last + 2)
    sys.exit(f"no function {name}")


def wanted(arguments):
    """Pairs of a file and its lines, counted from 1."""
    for place in arguments.places:
        path, _, part = place.partition(":")
        lines = open(os.path.join(TOP, path), encoding="utf-8").readlines()
        if re.fullmatch(r"\d+(-\d+)?", part):
            first, _, last = part.partition("-")
            yield path, range(int(first), int(last or first) + 1)
        else:
            yield path, function_lines(lines, part) if part else range(1, len(lines) + 1)
    if arguments.places:
        return
    path = None
    for line in git("diff", "--function-context", arguments.since, "--", "*.cpp", "*.h", "*.comp", "*.glsl", ":!tests").splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line != "+++ /dev/null" else None
        elif path and (found := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)):
            yield path, range(int(found[1]), int(found[1]) + int(found[2] or 1))


def tests_of(path):
    """The program, what it needs besides, and a filter for its tests of the path's folder. None where there is none."""
    for pattern, program, needs, folder in KINDS:
        found = re.fullmatch(pattern, path)
        if not found:
            continue
        names = [name for name, *programs in map(str.split, open(f"{TOP}/tests/sources.txt"))
                 if {program, program + "_vulkan"} & set(programs)]
        texts = [open(f"{TOP}/tests/{name}").read() for name in names if os.path.dirname(name) == found.expand(folder)]
        suites = sorted({suite for text in texts for suite in re.findall(r"^TEST(?:_[FP])?\((\w+),", text, re.M)})
        tests = ":".join(f"{suite}.*:*/{suite}.*" for suite in suites)
        return (program, needs, tests + ":-*OfEverySize*") if suites else None
    return None


def copy_tree(tree):
    """Copies what git knows or could be told of; what is the same keeps its time, so that little is built again."""
    for name in git("ls-files", "--cached", "--others", "--exclude-standard").splitlines():
        source, target = os.path.join(TOP, name), os.path.join(tree, name)
        if os.path.isfile(source) and not (os.path.exists(target) and open(source, "rb").read() == open(target, "rb").read()):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
    packages, link = os.path.join(TOP, "build", "npm"), os.path.join(tree, "build", "npm")
    os.makedirs(os.path.dirname(link), exist_ok=True)
    if os.path.isdir(packages) and not os.path.lexists(link):
        os.symlink(packages, link)


def verdict(tree, tests_of_it, seconds):
    """Builds the tree as it is and runs the tests. What takes longer than that was noticed as well: it hangs."""
    program, needs, tests = tests_of_it
    built = run(["ninja", "-C", f"{tree}/build/out", program, *needs])
    if built.returncode != 0:
        return "does not compile"
    try:
        command = [f"{tree}/build/out/{program}", "--gtest_brief=1", "--gtest_fail_fast", "--gtest_filter=" + tests]
        return "survived" if run(command, timeout=seconds).returncode == 0 else "noticed"
    except subprocess.TimeoutExpired:
        return "noticed"


def main():
    # A shell starts what runs in the background with these ignored, and tests of interrupts need them.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", default="HEAD~1")
    parser.add_argument("--folder", default=os.path.join(TOP, "build/mutation"))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("places", nargs="*")
    arguments = parser.parse_args()
    mutants = []
    for path, numbers in wanted(arguments):
        tests = tests_of(path)
        if not tests:
            print(f"{path}: no tests of its folder are known")
            continue
        lines = open(os.path.join(TOP, path), encoding="utf-8").read().splitlines()
        for number in numbers:
            before = lines[number - 2] if number > 1 else ""
            mutants += [(path, number, lines[number - 1], new, tests) for new in changes(lines[number - 1], before)]
    show = lambda m: f"{m[0]}:{m[1]}: {m[2].strip()}  ->  {m[3].strip() or 'nothing'}"
    if arguments.list or not mutants:
        print("\n".join(map(show, mutants)) or "nothing to change")
        return
    tree = os.path.abspath(arguments.folder)
    copy_tree(tree)
    run(["cmake", "-G", "Ninja", "-S", tree, "-B", f"{tree}/build/out", "-DCAMBI_TESTS=ON", "-DCMAKE_UNITY_BUILD=OFF"], check=True)
    limits = {}
    for tests in {m[4] for m in mutants}:
        run(["ninja", "-C", f"{tree}/build/out", tests[0], *tests[1]])
        start = time.monotonic()
        if verdict(tree, tests, 1800) != "survived":
            sys.exit(f"{tests[0]} {tests[2]} fails before anything is broken")
        limits[tests] = 20 + 5 * (time.monotonic() - start)
    found = {"noticed": 0, "survived": 0, "does not compile": 0}
    for mutant in mutants:
        path = os.path.join(tree, mutant[0])
        text = open(path, encoding="utf-8").read()
        lines = text.splitlines()
        lines[mutant[1] - 1] = mutant[3]
        try:
            open(path, "w", encoding="utf-8").write("\n".join(lines) + "\n")
            result = verdict(tree, mutant[4], limits[mutant[4]])
        finally:
            open(path, "w", encoding="utf-8").write(text)
        found[result] += 1
        if result == "survived":
            print("survived: " + show(mutant), flush=True)
    print(", ".join(f"{count} {name}" for name, count in found.items()))
    sys.exit(1 if found["survived"] else 0)


if __name__ == "__main__":
    main()
