#!/usr/bin/env python3
"""The pages in real browsers: page_browser_test.py CAMBI [chromium|firefox]... [--shots FOLDER] [-k NAME]...

Makes pages of made-up reports with `cambi report` and `cambi compare`, opens them headless and looks at what a reader
gets. The tests are in the files *_tests.py beside this one; -k runs those whose names contain NAME.
"""
import argparse
import pathlib
import sys
import unittest

from chromium import Chromium
from firefox import Firefox
from pages import PageTest

BROWSERS = {one.name: one for one in (Chromium, Firefox)}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split(": ", 1)[1].splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("browsers", nargs="*", default=list(BROWSERS))
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("-k", dest="names", action="append", default=[])
    chosen = parser.parse_intermixed_args()
    PageTest.program, PageTest.shots = chosen.program.resolve(), chosen.shots
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{name}*" for name in chosen.names] or None
    good = True
    for name in chosen.browsers:
        tests = loader.discover(str(pathlib.Path(__file__).parent), "*_tests.py")
        print(f"{name}: {tests.countTestCases()} tests", file=sys.stderr)
        with BROWSERS[name]() as PageTest.browser:
            good = unittest.TextTestRunner().run(tests).wasSuccessful() and tests.countTestCases() > 0 and good
    return 0 if good else 1


sys.exit(main())
