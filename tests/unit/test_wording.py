# SPDX-License-Identifier: GPL-2.0-only
"""What people read has the words of the kernel's lists: rerun, too few samples, undecided."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from tests.unit.wording import strings, unwanted
from vlag import ROOT
from vlag.cli.main import main

#: What people read as it is.
TEXTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "decisions").glob("*.md"),
        *ROOT.glob("[!.]*/README.md"),
        *(ROOT / "dashboards").glob("*.md"),
        *(ROOT / "vlag").rglob("*.html"),
        *(ROOT / "vlag" / "web" / "static").glob("*.js"),
        *(ROOT / "schemas" / "views").glob("*.sql"),
        *(ROOT / "schemas" / "json").glob("*.json"),
        *(ROOT / "lava-jobs" / "plans").glob("*.yaml"),
        *(ROOT / "lava-jobs" / "benchmarks").rglob("*.yaml"),
        *(ROOT / "kernel-patches").rglob("*.patch"),
    ]
)
#: What prints: reports, pages, mails, errors, steps and pages of Buildbot, panels, evidence.
FOLDERS = ("vlag", "master", "dashboards", "bench")
CODE = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
DASHBOARDS = sorted((ROOT / "dashboards" / "json").glob("*.json"))


def values(node: Any) -> Iterator[str]:
    """Yield each text of a JSON document."""
    if isinstance(node, str):
        yield node
    for inner in (
        node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    ):
        yield from values(inner)


def helps(command: click.Command, name: str = "vlag") -> Iterator[tuple[str, str]]:
    """Yield the help of a command, and of each below it, by its name."""
    yield name, command.get_help(click.Context(command, info_name=name))
    if isinstance(command, click.Group):
        for part, below in command.commands.items():
            yield from helps(below, f"{name} {part}")


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_text_has_the_lists_words(path: Path) -> None:
    assert unwanted(path.read_text(encoding="utf-8")) == []


def test_what_the_code_prints_has_them() -> None:
    said = {p: [s for s in strings(p.read_text(encoding="utf-8")) if unwanted(s)] for p in CODE}
    assert len(said) > 400
    assert {p: found for p, found in said.items() if found} == {}


def test_dashboards_have_them() -> None:
    said = [text for path in DASHBOARDS for text in values(json.loads(path.read_text()))]
    assert any("rerun" in text for text in said)
    assert [text for text in said if unwanted(text)] == []


def test_the_help_of_each_command_has_them() -> None:
    said = dict(helps(main))
    assert "vlag compare" in said
    assert [name for name, text in said.items() if unwanted(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "10 fresh boots a side confirm it",
        "ten boots, then fresh\n    boots of both",
        "1 of 5 boots of the base do not know p99.9: too few samples",
        "Fresh boots decide",
    ],
)
def test_other_words_are_found(text: str) -> None:
    """Negative control."""
    assert unwanted(text)
    assert not unwanted("vlag build --fresh; a rerun of 10 boots; does not know the option")


def test_other_words_are_found_in_code_and_on_a_dashboard() -> None:
    """Negative control."""
    code = 'def f(n, s):\n    "Return fresh boots."\n    return f"{n} boots do not know {s}: few"\n'
    assert [s for s in strings(code) if unwanted(s)] == ["{} boots do not know {}: few"]
    panel = {"panels": [{"title": "Suspected", "options": ["fresh boots say"]}]}
    assert [s for s in values(panel) if unwanted(s)] == ["fresh boots say"]
    command = click.Command("x", help="Boots for a rerun.", params=[])
    group = click.Group("g", commands={"x": command})
    assert not any(unwanted(text) for _, text in helps(group))
    command.help = "Count fresh boots."
    assert [name for name, text in helps(group) if unwanted(text)] == ["vlag", "vlag x"]
