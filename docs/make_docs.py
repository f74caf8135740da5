#!/usr/bin/env python3
"""Makes the manual page and the completions: usage make_docs.py HELP.json OUTPUT_FOLDER

The templates beside this script become cambi.1, cambi (for bash) and _cambi (for zsh). HELP.json is what `cambi help --json`
writes of flags and subcommands.
"""
import json
import pathlib
import re
import sys

# Headings of topics in the manual page that are not their names.
HEADINGS = {"vmaf": "Models", "metrics": "Features"}
TEMPLATES = {"cambi.1": "cambi.1.in", "cambi": "cambi.bash.in", "_cambi": "_cambi.in"}


class Tables:
    def __init__(self, text):
        read = json.loads(text)
        topics = {topic["name"]: topic["flags"] for topic in read["topics"]}
        topics["metrics"] += topics.pop("")  # flags of features
        self.topics, self.features, self.models = list(topics), sorted(read["features"]), sorted(read["models"])
        self.groups = [(HEADINGS.get(name, name.capitalize()), flags) for name, flags in topics.items() if flags]
        self.run_flags = [flag for _, flags in self.groups for flag in flags]
        self.subcommands = read["subcommands"]

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
    tables, output = Tables(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), pathlib.Path(sys.argv[2])
    parts = {
        "cambi.1": {"OPTIONS": manual_options(tables).rstrip(), "SUBCOMMANDS": manual_subcommands(tables).rstrip()},
        "cambi": {"FLAGS": " ".join(flag["name"] for flag in tables.run_flags),
                  "SUBCOMMANDS": " ".join(subcommand["name"] for subcommand in tables.subcommands),
                  "FLAGS_OF_SUBCOMMANDS": bash_flags(tables), "VALUES": bash_values(tables),
                  "ARGUMENTS": bash_arguments(tables)},
        "_cambi": {"FLAGS": zsh_flags(tables), "SUBCOMMANDS": zsh_subcommands(tables),
                   "ARGUMENTS": zsh_arguments(tables)},
    }
    for name, values in parts.items():
        text = (pathlib.Path(__file__).parent / TEMPLATES[name]).read_text(encoding="utf-8")
        for key, value in values.items():
            if text.count(f"@{key}@") != 1:
                sys.exit(f"docs/{TEMPLATES[name]}: @{key}@ must stand there once")
            text = text.replace(f"@{key}@", value)
        (output / name).write_text(text, encoding="utf-8")


main()
