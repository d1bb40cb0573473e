# SPDX-License-Identifier: GPL-2.0-only
"""The man pages say what `--help` says, of every command."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from vlag.cli import man_pages
from vlag.cli.main import PLUMBING_COMMANDS, SECTIONS, main


def plain(page: str) -> str:
    """Return a page as it is read: without man's macros and escapes."""
    lines = [re.sub(r"^\.\w+ ?", "", line) for line in page.splitlines()]
    text = re.sub(r"\\f[BPI]", "", "\n".join(lines)).replace("\\&", "").replace("\\-", "-")
    return text.replace("\\e", "\\")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("man")
    done = CliRunner().invoke(main, ["man", str(made)])
    assert done.exit_code == 0, done.output
    count = len(list((made / "man1").iterdir()))
    assert done.stdout == f"wrote {count} pages to {made}/man1\n"
    return made / "man1"


def commands(command: click.Command, *before: str) -> list[tuple[str, ...]]:
    words = (*before, str(command.name))
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return [words, *(found for c in below for found in commands(c, *words))]


LISTED = [found for part in SECTIONS.values() for c in part for found in commands(c)]


def test_each_command_that_the_help_lists_has_a_page(folder: Path) -> None:
    names = {"-".join(("vlag", *words)) for words in LISTED}
    assert {path.stem for path in folder.iterdir()} == {"vlag", *names}
    assert not names & {f"vlag-{command.name}" for command in PLUMBING_COMMANDS}
    top = plain((folder / "vlag.1").read_text())
    for command in (c for part in SECTIONS.values() for c in part):
        assert f"vlag-{command.name}(1)\n{command.get_short_help_str(1000)}" in top


def words_of(text: str) -> Counter[str]:
    return Counter(re.findall(r"[\w']+", text))


def test_a_page_has_every_word_of_the_help(folder: Path) -> None:
    top = click.Context(main, info_name="vlag")
    for words in LISTED:
        ctx = top
        for word in words:
            assert isinstance(ctx.command, click.Group)
            below = ctx.command.commands[word]
            ctx = click.Context(below, info_name=word, parent=ctx)
        page = plain((folder / f"{'-'.join(('vlag', *words))}.1").read_text())
        missing = words_of(ctx.get_help()) - words_of(page)
        assert set(missing) <= {"Usage", "Options", "Commands"}, words


def test_text_that_man_would_take_for_its_own_stays_text() -> None:
    @click.command("odd", help=".TH is a macro\n'so is this\n\n\b\na \\n stays\n  as it is")
    @click.option("--file", help=".vlag, a file's name")
    def odd() -> None: ...

    [_, (name, page)] = man_pages.pages(click.Context(click.Group()), {"Odd": [odd]})
    assert name == "vlag-odd"
    assert "\\&.TH is a macro\n\\&'so is this\n.PP\n.nf\na \\en stays\n  as it is\n.fi\n" in page
    assert ".TP\n\\fB\\-\\-file TEXT\\fP\n\\&.vlag, a file's name\n" in page
    macros = re.findall(r"^\.(\w+)", page, re.M)
    assert set(macros) <= {"TH", "SH", "TP", "PP", "nf", "fi", "nh", "ad"}
    assert macros.count("TH") == 1


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = CliRunner().invoke(main, ["man", str(tmp_path / "file")])
    assert done.exit_code == 2
    assert "is a file" in done.stderr


def test_without_a_folder_it_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for value, place in (
        (str(tmp_path / "data"), "data/man"),
        ("data", "home/.local/share/man"),
        ("", "home/.local/share/man"),
    ):
        monkeypatch.setenv("XDG_DATA_HOME", value)
        done = CliRunner().invoke(main, ["man"])
        assert done.stdout.endswith(f" pages to {tmp_path / place}/man1\n")
        assert (tmp_path / place / "man1" / "vlag.1").exists()
