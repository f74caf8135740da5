#!/usr/bin/env python3
"""Makes the manual page and the completions: usage make_docs.py OUTPUT_FOLDER SOURCE_FOLDER DEPFILE

The templates beside this script become cambi.1, cambi (for bash) and _cambi (for zsh). What they say of flags and
subcommands comes from the tables that the program itself is built from: those of cli/commands, and that of features' flags
in cli/run. Of C++ only such tables are understood (see cli/commands/flags.h); anything else in them is an error.
"""
import ast
import pathlib
import re
import sys

RUN_FLAGS = "cli/commands/run_flags.cpp"
SUBCOMMANDS = "cli/commands/subcommand_table.cpp"
FEATURE_FLAGS = "cli/inputs/feature_flags.cpp"
FEATURE_SOURCES = "feature/sources.txt"
MODELS = "engine/models/files"
# The fields of a row: those that are text, and those that are not.
FIELDS = {
    "Flag": ({"name", "short_name", "type", "help", "manual", "words"}, {"may_repeat", "of_run", "set"}),
    "Subcommand": ({"name", "alias", "arguments", "help", "details", "topic", "needs", "completes"},
                   {"least", "most", "is_everyday", "takes_run_flags", "roles", "flags", "run"}),
    "Topic": ({"name", "help"}, {"role", "flags", "text"}),
    "FeatureFlag": ({"name", "type", "help", "option"}, {"expand", "is_preset"}),
}
TOKEN = re.compile(r"""\s*(?:(?P<comment>//[^\n]*)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<other>[\w:]+|.))""")


def blank_row(kind):
    texts, others = FIELDS[kind]
    return {**dict.fromkeys(texts, ""), **dict.fromkeys(others, False)}


class Reader:
    """A row is a dict of all its fields; what is no text is true, false or its C++."""

    def __init__(self, path, text, start):
        self.path, self.text, self.position = path, text, start
        self.advance()

    def advance(self):
        match = TOKEN.match(self.text, self.position)
        while match and match["comment"]:
            match = TOKEN.match(self.text, match.end())
        if not match:
            sys.exit(f"{self.path}: a table does not end")
        self.string, self.token, self.position = match["string"], match["string"] or match["other"], match.end()

    def fail(self, wanted):
        line = self.text.count("\n", 0, self.position) + 1
        sys.exit(f"{self.path}:{line}: expected {wanted} and not {self.token}")

    def take(self, wanted):
        if self.token != wanted:
            self.fail(wanted)
        self.advance()

    def table(self, kind):
        rows = []
        self.take("{")
        while self.token != "}":
            rows.append(self.row(kind))
            if self.token == ",":
                self.take(",")
        return rows

    def row(self, kind):
        row, (texts, others) = blank_row(kind), FIELDS[kind]
        self.take("{")
        while self.token != "}":
            self.take(".")
            field = self.token
            if field not in row:
                self.fail(f"one of {', '.join(sorted(row))}")
            self.advance()
            self.take("=")
            row[field] = self.code() if field in others else self.string_value()
            if self.token != "}":
                self.take(",")
        self.take("}")
        return row

    def string_value(self):
        if not self.string:
            self.fail("a string")
        text = ""
        while self.string:
            text += ast.literal_eval(self.string)
            self.advance()
        return text

    def code(self):
        code, depth = "", 0
        while depth > 0 or self.token not in ",}":
            depth += (self.token in "(<{[") - (self.token in ")>}]")
            code += self.token
            self.advance()
        return code == "true" if code in ("true", "false") else code


class Tables:
    def __init__(self, root):
        self.root, self.files = root, []
        run = self.arrays(RUN_FLAGS)
        self.topics = [topic["name"] for topic in run.pop("Topics")]
        sources = self.read(FEATURE_SOURCES).split()
        folders = [name.split("/")[0] for name in sources if re.fullmatch(r"(\w+)/\1\.cpp", name)]
        self.features = [name for folder in folders for name in self.features_in(folder)]
        for rows in self.arrays(FEATURE_FLAGS).values():
            known = {flag["name"] for flag in run["Features"]}
            run["Features"] += [{**blank_row("Flag"), **flag} for flag in rows if flag["name"] not in known]
        self.models = sorted(path.stem for path in (root / MODELS).glob("*.json"))
        self.groups = list(run.items())
        self.run_flags = [flag for _, flags in self.groups for flag in flags]
        own = self.arrays(SUBCOMMANDS)
        self.subcommands = own["Subcommands"]
        for subcommand in self.subcommands:
            flags = own[subcommand["flags"][1:]] if subcommand["flags"] else []
            subcommand["flags"] = [self.whole(flag) for flag in flags]

    def whole(self, flag):
        """With what a row for one of the run's flags leaves out, but for the sentences of the manual, which are there."""
        if not flag["of_run"]:
            return flag
        of_run = next(other for other in self.run_flags if other["name"] == flag["name"])
        return {**of_run, "manual": "", **{field: value for field, value in flag.items() if value}}

    def read(self, name):
        self.files.append(self.root / name)
        return self.files[-1].read_text(encoding="utf-8")

    def features_in(self, folder):
        """A folder's features: named where they are described, or where the folder keeps names that it needs elsewhere as well."""
        source = self.read(f"feature/{folder}/{folder}.cpp")
        if "FeatureInfo&" not in source:
            return []  # what features share, such as light
        names = re.findall(r'FeatureInfo kInfo =\s+(?:describe<[\w, ]+>\(\s*)?\{\s*\.name = "(\w+)"', source)
        for path in sorted((self.root / "feature" / folder).glob("*.[ch]*")) if not names else []:
            text = self.read(f"feature/{folder}/{path.name}")
            names += re.findall(r'kFeatureName = "(\w+)"', text)
            for body in re.findall(r"string_view name_of\(Feature \w+\) \{(.*?)\n\}", text, re.S):
                names += re.findall(r'"(\w+)"', body)
        if not names:
            sys.exit(f"feature/{folder}: it does not say what its features are called")
        return names

    def arrays(self, name):
        """constexpr Flag kInputs[] = {...} of a source, as {"Inputs": rows}."""
        text = self.read(name)
        found = {match[2]: Reader(name, text, match.end()).table(match[1])
                 for match in re.finditer(r"^constexpr (%s) k(\w+)\[\] =" % "|".join(FIELDS), text, re.M)}
        tables = len(re.findall(r"\b(?:%s)\s+k\w+\[" % "|".join(FIELDS), text))
        if not found or len(found) != tables:
            sys.exit(f"{name}: {len(found)} of {tables} tables begin as constexpr TYPE kName[] =")
        return found

    def choices(self, text):
        """What completions offer: ("words", [...]), ("list", [...]), ("files", [pattern]), ("folders", []) or ("", [])."""
        if text in ("FILE", "DIR"):
            return ("files", ["*"]) if text == "FILE" else ("folders", [])
        if text.startswith("FILE."):
            return "files", ["*" + text[4:]]
        if text == "FEATURE":
            return "words", self.features
        if text == "SUBJECT":
            return "words", [subcommand["name"] for subcommand in self.subcommands] + self.topics
        if re.fullmatch(r"[a-z]+(,[a-z]+)+", text):
            return "list", text.split(",")
        if text == "MODEL":
            return "words", ["auto", "neg", *self.models]
        words = [word for word in text.split("|") if re.fullmatch(r"[a-z0-9<>-]+|v\d\.\d", word)]
        return ("words", words) if words else ("", [])


def names_of(flag):
    return [flag["short_name"], flag["name"]] if flag["short_name"] else [flag["name"]]


# The manual page.

def sentence(text):
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def roff(text):
    """Text as it is, flags and names of other manual pages in bold."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    text = re.sub(r"(?<![\w\\])((?:\\-){1,2}[a-zA-Z][\w\\-]*)", r"\\fB\1\\fR", text)
    text = re.sub(r"\b([a-z]+)(\(\d\))", r"\\fB\1\\fR\2", text)
    return re.sub(r"^\.", r"\\&.", text)


def manual_entry(flag):
    names = ", ".join(rf"\fB{name}\fR".replace("-", r"\-") for name in names_of(flag))
    value = rf" \fI{roff(flag['type'])}\fR" if flag["type"] else ""
    repeat = " May repeat." if flag["may_repeat"] else ""
    text = f"{sentence(flag['help'])}{repeat} {flag['manual']}".strip()
    return f".TP\n{names}{value}\n{roff(text)}\n"


def manual_options(tables):
    return "".join(f".SS {heading}\n" + "".join(map(manual_entry, flags)) for heading, flags in tables.groups)


def manual_subcommands(tables):
    text = ""
    for subcommand in tables.subcommands:
        arguments = rf" \fI{roff(subcommand['arguments'])}\fR" if subcommand["arguments"] else ""
        flags = "".join(map(manual_entry, subcommand["flags"]))
        text += f".TP\n\\fBcambi {subcommand['name']}\\fR{arguments}\n"
        text += roff(f"{sentence(subcommand['help'])} {subcommand['details']}".strip()) + "\n"
        text += f".RS\n{flags}.RE\n" if flags else ""
    return text


# Bash.

def bash_flags(tables):
    run, lines = {flag["name"] for flag in tables.run_flags}, []
    for subcommand in tables.subcommands:
        own = [flag["name"] for flag in subcommand["flags"]]
        if subcommand["takes_run_flags"]:
            own = ["$flags", *(name for name in own if name not in run)]
        else:
            own.append("--help")
        lines.append(f'{subcommand["name"]}) flags="{" ".join(own)}" ;;')
    return "\n    ".join(lines)


def bash_values(tables):
    lines, without = {}, set()
    for flag in tables.run_flags + [flag for subcommand in tables.subcommands for flag in subcommand["flags"]]:
        kind, words = tables.choices(flag["words"] or flag["type"])
        pattern = " | ".join(names_of(flag))
        if kind in ("words", "list"):
            # A model's name may stand behind version=.
            versions = ' [[ $current != version=* ]] || words=${words//vmaf_/version=vmaf_} ;;'
            lines[pattern] = f'{pattern}) {kind}="{" ".join(words)}" ;;'
            if flag["words"] == "MODEL":
                lines[pattern] = lines[pattern][:-3] + ";" + versions
        elif kind == "folders":
            lines[pattern] = f"{pattern}) folders=yes ;;"
        elif flag["type"] and not kind:
            without |= set(names_of(flag))
    return "\n    ".join([*lines.values(), f"{' | '.join(sorted(without))}) return ;;"])


def bash_arguments(tables):
    lines = []
    for subcommand in tables.subcommands:
        kind, words = tables.choices(subcommand["completes"])
        if kind == "words":
            lines.append(f'{subcommand["name"]}) words="{" ".join(words)}" ;;')
    return "\n      ".join(lines)


# Zsh.

def zsh_quoted(text):
    return "'" + text.replace("'", r"'\''") + "'"


def zsh_action(tables, what):
    kind, words = tables.choices(what)
    if kind == "words":
        return "(" + " ".join(re.sub(r"([<>])", r"\\\1", word) for word in words) + ")"
    if kind == "list":
        return "_values -s , word " + " ".join(words)
    if kind == "files":
        return "_files" if words == ["*"] else f'_files -g "{words[0]}"'
    return "_files -/" if kind == "folders" else ""


def zsh_spec(tables, flag):
    names = names_of(flag)
    help_text = re.sub(r"([\[\]\\])", r"\\\1", flag["help"].split(";")[0])
    spec = f"[{help_text}]"
    if flag["type"]:
        spec += f":{flag['name'][2:]}:{zsh_action(tables, flag['words'] or flag['type'])}"
    before = "*" if flag["may_repeat"] else f"({' '.join(names)})" if len(names) > 1 else ""
    ending = {name: "=" if flag["type"] and name.startswith("--") else "" for name in names}  # --flag VALUE or --flag=VALUE
    return " ".join(zsh_quoted(before + name + ending[name] + spec) for name in names)


def zsh_flags(tables):
    return "\n    ".join(zsh_spec(tables, flag) for flag in tables.run_flags)


def zsh_arguments(tables):
    lines = []
    for subcommand in tables.subcommands:
        own = [name for flag in subcommand["flags"] for name in names_of(flag)]
        specs = [zsh_spec(tables, flag) for flag in subcommand["flags"]]
        if subcommand["takes_run_flags"]:  # a flag of its own stands for that of a run
            specs.insert(0, '"${(@)run:#*(%s)(=|)\\[*}"' % "|".join(own))
        else:
            specs.append("'--help[print the help and exit]'")
        if subcommand["completes"]:
            action = zsh_action(tables, subcommand["completes"])
            specs.append(zsh_quoted(f"*:{subcommand['arguments']}:{action}".replace("...", "")))
        lines.append(f"{subcommand['name']}) _arguments {' '.join(specs)} ;;")
    return "\n    ".join(lines)


def zsh_subcommands(tables):
    return "\n    ".join(zsh_quoted(f"{subcommand['name']}:{subcommand['help']}") for subcommand in tables.subcommands)


def main():
    output, root, depfile = (pathlib.Path(argument) for argument in sys.argv[1:4])
    tables = Tables(root)
    parts = {
        "cambi.1": {"OPTIONS": manual_options(tables).rstrip(), "SUBCOMMANDS": manual_subcommands(tables).rstrip()},
        "cambi": {"FLAGS": " ".join(flag["name"] for flag in tables.run_flags),
                  "SUBCOMMANDS": " ".join(subcommand["name"] for subcommand in tables.subcommands),
                  "FLAGS_OF_SUBCOMMANDS": bash_flags(tables), "VALUES": bash_values(tables),
                  "ARGUMENTS": bash_arguments(tables)},
        "_cambi": {"FLAGS": zsh_flags(tables), "SUBCOMMANDS": zsh_subcommands(tables),
                   "ARGUMENTS": zsh_arguments(tables)},
    }
    templates = {"cambi.1": "cambi.1.in", "cambi": "cambi.bash.in", "_cambi": "_cambi.in"}
    output.mkdir(parents=True, exist_ok=True)
    for name, values in parts.items():
        text = tables.read(f"docs/{templates[name]}")
        for key, value in values.items():
            if text.count(f"@{key}@") != 1:
                sys.exit(f"docs/{templates[name]}: @{key}@ must stand there once")
            text = text.replace(f"@{key}@", value)
        (output / name).write_text(text, encoding="utf-8")
    read = " ".join(str(name).replace(" ", r"\ ") for name in [output / "cambi.1:", *tables.files])
    depfile.write_text(read + "\n", encoding="utf-8")


main()
