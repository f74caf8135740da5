"""Pages as they are printed: what pdftotext, of poppler, finds on each sheet."""
import re
import subprocess
import unicodedata
import xml.etree.ElementTree as xml
from dataclasses import dataclass

SHEET_WIDTH = 688  # CSS pixels between the margins of 14 mm of A4 paper
MARGIN = 14 / 25.4 * 72  # in points, as places on sheets are
SLACK = 2


@dataclass
class Line:
    text: str
    left: float
    right: float
    top: float


def squeezed(text):
    """With single spaces, and letters for ligatures."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()


def sheets(pdf):
    """Of each sheet its width and its lines, from top to bottom."""
    page = subprocess.run(["pdftotext", "-bbox-layout", str(pdf), "-"], check=True, capture_output=True, text=True).stdout
    found = []
    for sheet in xml.fromstring(page).findall(".//{*}page"):
        lines = [Line(squeezed(" ".join(word.text for word in line.findall("{*}word"))), float(line.get("xMin")),
                      float(line.get("xMax")), float(line.get("yMin"))) for line in sheet.findall(".//{*}line")]
        found.append((float(sheet.get("width")), sorted(lines, key=lambda line: line.top)))
    return found


def margin_faults(found):
    """Empty sheets, and words that reach into the margins."""
    faults = [] if found else ["there is no sheet"]
    for number, (width, lines) in enumerate(found, 1):
        if not lines:
            faults.append(f"sheet {number} is empty")
        faults += [f"sheet {number}: \"{line.text}\" lies in the margin" for line in lines
                   if line.left < MARGIN - SLACK or line.right > width - MARGIN + SLACK]
    return faults


def missing_words(found, words):
    """Those that are on no sheet. Words that were broken or set apart are whole again without spaces."""
    printed = "".join(re.sub(r"\s", "", line.text) for _, lines in found for line in lines)
    return [word for word in words if word not in printed]


def orphans(found, headings):
    """`headings`: how each begins, and a text that must follow it on its sheet. Both may also be elsewhere."""
    faults = []
    for heading, follower in headings:
        holds = [lines for _, lines in found if any(line.text.startswith(heading) for line in lines)]
        if not holds:
            faults.append(f'"{heading}" is not printed')
        elif not any(follows(lines, heading, follower) for lines in holds):
            faults.append(f'"{heading}" and "{follower}" are on different sheets')
    return faults


def follows(lines, heading, follower):
    top = next(line.top for line in lines if line.text.startswith(heading))
    return any(line.top > top and follower in line.text for line in lines)
