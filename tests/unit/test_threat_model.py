# SPDX-License-Identifier: GPL-2.0-only
"""The page on who is trusted with what names tests that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

import pytest

from vlag import ROOT

PAGE = ROOT / "docs" / "threat-model.md"
_TEST = re.compile(r"`(tests/\S+\.py)::(\w+)`")


def rows(number: int) -> list[list[str]]:
    """Return the cells of a table's rows, without its head."""
    tables = re.findall(r"(?m)(?:^\|.*\n)+", PAGE.read_text())
    lines = tables[number].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def lacking(named: Iterable[tuple[str, str]]) -> list[str]:
    """Return the tests of (path, name) that do not exist."""
    found = []
    for path, name in named:
        file = ROOT / path
        made = ast.walk(ast.parse(file.read_text())) if file.exists() else ()
        if name not in {n.name for n in made if isinstance(n, ast.FunctionDef)}:
            found.append(f"{path}::{name}")
    return found


def test_each_test_that_the_page_names_exists() -> None:
    named = _TEST.findall(PAGE.read_text())
    assert len(named) > 20
    assert lacking(named) == []


def test_a_test_that_is_gone_is_found() -> None:
    """Negative control."""
    here = "tests/unit/test_threat_model.py"
    assert lacking([(here, "test_gone"), (here, "lacking"), ("tests/gone.py", "a")]) == [
        f"{here}::test_gone", "tests/gone.py::a",
    ]  # fmt: skip


def bounded() -> list[list[str]]:
    """Return the rows of the first table, with the tests that their numbers stand for."""
    listed = dict(re.findall(r"(?m)^(\d+)\. (`tests/(?:.+\n)(?: +.*\n)*)", PAGE.read_text()))
    return [[*row[:4], " ".join(listed.get(row[4], row[4]).split())] for row in rows(0)]


@pytest.mark.parametrize("row", bounded(), ids=lambda row: row[1][:30])
def test_each_row_names_a_test_or_says_that_nothing_bounds_it(row: list[str]) -> None:
    assert len(row) == 5
    assert row[4] == "none" or _TEST.fullmatch(row[4].split(", ")[0])
    assert ("nothing" in row[3]) == (row[4] == "none")


#: Boundary -> words of the page's cells about who is outside, and what is tried.
BOUNDARIES = {
    "a stranger's series by `try`": "vlag try",
    "a stranger's series by every other verb": "vlag matrix",
    "a stranger's series by the pages": "sends on the pages",
    "a build's way out": "ways out of a sandbox",
    "a build's memory, processes and CPU": "memory, processes and CPU",
    "a build's disk": "the disk",
    "an emulator": "a kernel that boards boot",
    "a remote": "a remote,",
    "a mirror": "a mirror of packages",
    "container images": "container images",
    "the role that reads": "vlag_reader",
    "a browser": "a browser:",
    "a session": "a session,",
    "the console": "a line of its console",
    "the lab": "the lab (LAVA server",
    "mail": "what a mail's head shows",
    "the API": "questions to the API",
    "pages' parameters": "any parameter or form",
    "a backup": "who can write to a backup",
}


@pytest.mark.parametrize("words", BOUNDARIES.values(), ids=BOUNDARIES)
def test_each_boundary_has_a_row_with_a_test_that_attacks_it(words: str) -> None:
    named = [row for row in bounded() if words in row[0] or words in row[1]]
    assert named, words
    assert all(_TEST.match(row[4]) for row in named), words


def items(heading: str, page: str) -> list[str]:
    """Return the items of the list below a heading: what happens, a colon, and the tests."""
    text = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"(?m)^((?:\d+\.|-) .*\n(?: +.*\n)*)", text)
    return [" ".join(item.split()) for item in found]


def untested(found: Iterable[str]) -> list[str]:
    """Return the items that do not end with their tests."""
    return [
        item
        for item in found
        if not all(_TEST.fullmatch(name) for name in item.rpartition(": ")[2].split(", "))
    ]


def test_each_attack_and_each_process_has_its_test() -> None:
    page = PAGE.read_text()
    attacks, processes = (
        items(h, page) for h in ("Attacks that worked once", "Processes that end")
    )
    assert [item.split(".")[0] for item in attacks] == list("123456789")
    assert len(processes) >= 10
    assert untested([*attacks, *processes]) == []
    # Negative control.
    other = page.replace("database:\n  `tests", "database\n  `test")
    assert len(untested(items("Processes that end", other))) == 1
