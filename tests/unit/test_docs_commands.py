# SPDX-License-Identifier: GPL-2.0-only
"""What README and docs tell people to type and to open: it exists, spelt like that."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from vlag import ROOT
from vlag.cli.main import main

FIRST = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "lava-jobs/README.md", "release/README.md")
DOCUMENTS = sorted([*(ROOT / name for name in FIRST), *(ROOT / "docs").glob("*.md")])

#: What a service, a board or a person makes.
MADE = re.compile(r"var/|raw/|secrets/|/|~|\$|people\.htpasswd$|ssh/")
PLACE = re.compile(r"`((?:[a-z][\w-]*/)+[\w.-]*|[\w-]+\.(?:toml|yml|env|md))`")


def commands(text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each command in a block of code, without its comment."""
    for number, line in enumerate(text.replace("\\\n", "").splitlines(), 1):
        if match := re.match(r" {4}(?:\$ )?((?:vlag|make) .*)", line):
            yield number, re.split(r"\s+#\s", match[1])[0].strip()


def fault(command: str) -> str | None:
    """Return what is wrong with a command, or None."""
    program, *words = shlex.split(command)
    if program == "make":
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
        unknown = [word for word in words if "=" not in word and word not in targets]
        return f"make has no target {unknown[0]}" if unknown else None
    verb: click.Command = main
    context = click.Context(verb, info_name="vlag")
    while isinstance(verb, click.Group):
        name = words.pop(0) if words else ""
        found = verb.get_command(context, name)
        if found is None:
            return f"no command {name!r}"
        verb = found
        context = click.Context(verb, info_name=name, parent=context)
    words = [word for word in words if word not in {"...", "…"}]
    try:
        _options, left, _order = verb.make_parser(context).parse_args(words)
    except click.UsageError as e:
        return e.message
    return f"too many words: {' '.join(left)}" if left else None


def there(name: str, beside: Path) -> bool:
    """Tell whether a place exists; NAME and the like in it stand for any name."""
    pattern = re.sub(r"\b[A-Z]+\b(?!\.md)", "*", name.rstrip("/"))
    ours = [
        ROOT / name for name in ("vlag", "master", "lava-jobs", "dashboards", "docs", "ansible")
    ]
    return any(any(folder.glob(pattern)) for folder in (ROOT, beside)) or any(
        any(folder.glob(f"**/{pattern}")) for folder in ours
    )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_commands_are_commands(path: Path) -> None:
    wrong = [
        f"{path.name}:{number}: {command}: {said}"
        for number, command in commands(path.read_text(encoding="utf-8"))
        if (said := fault(command))
    ]
    assert wrong == []


PAGES = sorted((ROOT / "vlag" / "web" / "templates").glob("*.html"))


def named_on(page: str) -> list[str]:
    """Return the commands that a page names, with a number for each value."""
    found = re.findall(r"<code>(vlag [^<]*)</code>", re.sub(r"\{\{.*?\}\}", "1", page))
    return [command for command in found if not re.fullmatch(r"vlag \w+", command)]


def test_commands_on_pages_are_commands() -> None:
    commands_of = {p.name: named_on(p.read_text(encoding="utf-8")) for p in PAGES}
    assert sum(map(len, commands_of.values())) >= 3
    assert [
        (name, c, said) for name, of in commands_of.items() for c in of if (said := fault(c))
    ] == []


def test_a_command_on_a_page_that_does_not_exist_is_found_out() -> None:
    """Negative control."""
    (command,) = named_on("<p>run <code>vlag bored check {{ b.name }}</code></p>")
    assert fault(command) == "no command 'bored'"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_places_are_there(path: Path) -> None:
    named = set(PLACE.findall(path.read_text(encoding="utf-8")))
    gone = [name for name in sorted(named) if not MADE.match(name) and not there(name, path.parent)]
    assert gone == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("vlag raport", "no command 'raport'"),
        ("vlag report --nights last", "No such option '--nights'"),
        ("vlag boards check one two", "too many words: two"),
        ("vlag report --format", "requires an argument"),
        ("make rnu", "make has no target rnu"),
    ],
)
def test_a_wrong_command_is_found(command: str, said: str) -> None:
    found = fault(command)
    assert found is not None
    assert said in found


def test_commands_are_found_in_the_text() -> None:
    text = "Say\n\n    vlag report   # the latest\n    $ make run ONCE=1\n    git log\n`vlag no`\n"
    assert list(commands(text)) == [(3, "vlag report"), (4, "make run ONCE=1")]
    assert list(commands("    vlag backup \\\n  /b\n")) == [(1, "vlag backup   /b")]


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        ("docs/farm.md", True),
        ("docs/form.md", False),
        ("lava-jobs/benchmarks/NAME/", True),
        ("lava-jobs/bench/NAME/", False),
    ],
)
def test_a_place_is_told_from_a_slip(name: str, is_there: bool) -> None:
    assert there(name, ROOT / "docs") is is_there
