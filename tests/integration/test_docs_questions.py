# SPDX-License-Identifier: GPL-2.0-only
"""docs/questions.md: its commands are run, its outputs and pages are those of the code."""

from __future__ import annotations

import glob
import re
import shlex
from collections.abc import Sequence
from contextlib import chdir

import pytest
from attrs import frozen
from click.testing import CliRunner
from flask.testing import FlaskClient

from tests.conftest import fresh_database
from tests.integration import questions
from tests.integration.reports import environment
from tests.integration.websites import application, visitor
from tests.unit.printed import agree
from vlag import ROOT
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.store import database

PAGE = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
#: Stands for lines that the page leaves out.
CUT = "[...]"
#: Changes beside two numbers, as the short report and both long forms print them.
CHANGES = re.compile(r" (\d[\d.]*) +(\d[\d.]*) +([+-][\d.]+) %")

Told = tuple[str, list[str]]


def told(page: str) -> list[Told]:
    """Return each command with a "$" in a block, and the lines below it."""
    found: list[Told] = []
    for block in re.findall(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        assert block.startswith("$ "), block
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def missing(said: Sequence[str], printed: Sequence[str]) -> str | None:
    """Return the first line that is not printed there, or that the page should have."""
    at, free = 0, False
    for line in said:
        if line == CUT:
            free = True
            continue
        places = [n for n in range(at, len(printed)) if printed[n] == line]
        if not places or (places[0] != at and not free):
            return line
        at, free = places[0] + 1, False
    return None if free or at == len(printed) else printed[at]


@frozen(kw_only=True)
class Place:
    printed: list[list[str]]  # lines of each command of the page
    site: FlaskClient


@pytest.fixture(scope="module")
def place(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Place:
    folder, here = tmp_path_factory.mktemp("questions"), tmp_path_factory.mktemp("files")
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        questions.fill(conn, catalogue, folder)
    questions.outputs(here)
    with chdir(here):
        printed = [run(command, environment(dsn, folder)) for command, _ in told(PAGE)]
    return Place(printed=printed, site=visitor(application(dsn, folder / "var")))


def run(command: str, env: dict[str, str]) -> list[str]:
    """Run a command of the page as a shell would; return its lines without empty ends."""
    program, *words = shlex.split(command)
    assert program == "vlag"
    words = [w for x in words for w in (sorted(glob.glob(x)) if "*" in x else [x])]
    done = CliRunner().invoke(main, words, env=env, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout.rstrip("\n").splitlines()


def wrong(page: str, printed: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return each command of a page whose output is another one, with the first odd line."""
    pairs = zip(told(page), printed, strict=True)
    return [(c, odd) for (c, said), lines in pairs if (odd := missing(said, lines)) is not None]


def test_the_outputs_are_those_of_the_commands(place: Place) -> None:
    assert len(place.printed) == 10
    assert wrong(PAGE, place.printed) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bogo-ops-rate 3.9 % worse", "bogo-ops-rate 4.9 % worse"),
        ("accounts for 88 %", "accounts for 89 %"),
        ("-3.94 % worse", "-3.95 % worse"),
        ("[-4.28, -4.03]", "[-4.28, -4.02]"),
        ("448694   +2.02 %", "448695   +2.02 %"),
        ("458758", "458759"),
        ("leftmost entity\")\n[...]", "leftmost entity\")"),
        ("35ddf38023c1 (\"sched", "35ddf38023c2 (\"sched"),
    ],
)  # fmt: skip
def test_another_figure_is_found(place: Place, old: str, new: str) -> None:
    """Negative control."""
    assert old in PAGE
    assert len(wrong(PAGE.replace(old, new, 1), place.printed)) == 1


def test_the_printed_changes_are_those_of_the_printed_numbers() -> None:
    found = CHANGES.findall("\n".join(line for _, said in told(PAGE) for line in said))
    assert len(found) == 5
    assert all(agree(row, 6) for row in found)
    # Side by side the change is below its value.
    [values, changes] = [x.split() for x in told(PAGE)[-1][1][-3:-1]]
    base, *others = values
    pairs = list(zip(others, re.findall(r"([+-][\d.]+) %", " ".join(changes)), strict=True))
    assert len(pairs) == 2
    assert all(agree((base, value, change), 6) for value, change in pairs)
    assert not agree((base, others[1], pairs[0][1]), 6)  # negative control


def test_the_pages_answer(place: Place) -> None:
    named = re.findall(r"`(/[a-z]+(?:\?[^`]*)?)`", PAGE)
    assert len(named) == 7
    assert {n.partition("?")[0] for n in named} == {
        "/alert", "/branch", "/compare", "/matrix", "/choose", "/across",
    }  # fmt: skip
    for address in named:
        assert place.site.get(address).status_code == 200, address
    for address, words in (
        ("/compare?id=1", "3.94"),
        ("/across?kernels=linux-6.1,linux-6.12,linux-6.18", "458758"),
        ("/choose?base=linux-6.12%2Bleftmost-v1&new=linux-6.12%2Bleftmost-v2", "448694"),
        ("/alert?id=1", "35ddf38023c1"),
    ):
        assert address in named
        assert words in place.site.get(address).get_data(as_text=True), address


def test_each_question_has_an_answer() -> None:
    parts = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    assert len(parts) == 7
    assert all(part.splitlines()[0].endswith("?") for part in parts)
    first, *others = parts  # what needs a tree on disk has a page of its own
    assert "(my-tree.md)" in first
    assert all("$ vlag " in part for part in others)
