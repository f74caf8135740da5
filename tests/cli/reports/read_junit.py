#!/usr/bin/env python3
"""Reads a JUnit file as those who show it do: a line for each case, with what came of it. Fails where counts or times do
not add up.

Usage: read_junit.py FILE
"""
import sys
import xml.etree.ElementTree

COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def check(element, cases):
    assert int(element.get("tests")) == len(cases), "tests"
    for count, tag in COUNTS.items():
        if count == "skipped" and element.tag == "testsuites":
            assert element.get(count) is None, count  # Jenkins knows no such attribute
            continue
        assert int(element.get(count)) == sum(len(case.findall(tag)) for case in cases), count
    assert abs(float(element.get("time")) - sum(float(case.get("time")) for case in cases)) < 0.01, "time"


def main():
    root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
    assert root.tag == "testsuites"
    check(root, root.findall("testsuite/testcase"))
    for suite in root:
        assert suite.tag == "testsuite"
        check(suite, list(suite))
        names = [case.get("name") for case in suite]
        assert len(names) == len(set(names)), "names"
        for case in suite:
            assert case.tag == "testcase" and case.get("classname")
            assert all(outcome.get("message") for outcome in case if outcome.tag != "skipped")
            print(suite.get("name").split("/")[-1], case.get("name"), *[outcome.tag for outcome in case], sep=": ")


main()
