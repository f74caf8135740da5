#!/usr/bin/env python3
"""Prints what an archive contains as an SPDX document: usage sbom.py linux|windows NAME

The list is that of docs/third-party.md, and versions are those of Debian's sources from which the libraries were built, or of what
is installed.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[1]
SYSTEMS = {"linux": "Linux", "windows": "Windows"}


def installed_versions():
    rows = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package} ${source:Upstream-Version}\n"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return dict(re.sub(r"^gcc-\d+ ", "gcc ", row).split() for row in sorted(rows.splitlines()))


def version_of(source, installed):
    built = list((TOP / "build/sources").glob(source + "-*/"))
    if source == "npm":
        return json.loads((TOP / "build/npm/node_modules/uplot/package.json").read_text(encoding="utf-8"))["version"]
    return built[0].name[len(source) + 1:] if built else installed[source]


def packages(system):
    """Of each row of the document's tables that has a licence and is of this system."""
    installed = installed_versions()
    others = [word for name, word in SYSTEMS.items() if name != system]
    for line in (TOP / "docs/third-party.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if not line.startswith("| ") or len(cells) != 5 or cells[0] in ("what", "---") or any(word in cells[2] for word in others):
            continue
        what, source, _, holders, licence = cells
        name, address = re.match(r"\[?([^\](`,]*)(?:\]\((.*?)\))?", what).groups()
        package = {"SPDXID": "SPDXRef-" + re.sub(r"[^\w.-]+", "-", name.strip()), "name": name.strip(),
                   "downloadLocation": address or "NOASSERTION", "filesAnalyzed": False, "supplier": "NOASSERTION",
                   "copyrightText": holders, "licenseConcluded": "NOASSERTION",
                   "licenseDeclared": re.match(r"[\w.-]+(?: (?:WITH|OR|AND) [\w.-]+)*", licence)[0]}
        if source != "-":
            package["versionInfo"] = version_of(source.strip("`"), installed)
        yield package


def main():
    system, name = sys.argv[1:]
    version = re.search(r"project\(cambi VERSION (\S+)", (TOP / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    found = list(packages(system))
    program = {"SPDXID": "SPDXRef-cambi", "name": "cambi", "versionInfo": version, "downloadLocation": "NOASSERTION",
               "filesAnalyzed": False, "supplier": "NOASSERTION", "copyrightText": "NOASSERTION",
               "licenseConcluded": "BSD-2-Clause-Patent", "licenseDeclared": "BSD-2-Clause-Patent"}
    digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-cambi")]
    relations += [("SPDXRef-cambi", "CONTAINS", package["SPDXID"]) for package in found]
    json.dump({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
               "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
               "creationInfo": {"created": created, "creators": ["Tool: cambi-" + version]}, "packages": [program, *found],
               "relationships": [dict(zip(("spdxElementId", "relationshipType", "relatedSpdxElement"), row)) for row in relations]},
              sys.stdout, indent=1, ensure_ascii=False)
    print()


main()
