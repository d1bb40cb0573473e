# SPDX-License-Identifier: GPL-2.0-only
"""docs/my-tree.md is walked as it is written, and the tree is afterwards as it was.

A tiny tree is built with the shipped settings in the real sandbox; its boots are stand-ins.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests import sandboxes
from tests.integration import tiny_tree, tree_to_check
from tests.integration.tree_to_check import Tree, contents
from vlag import ROOT
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode

pytestmark = pytest.mark.long

PAGE = (ROOT / "docs" / "my-tree.md").read_text(encoding="utf-8")
#: Command of the page -> exit status and how the answer begins, with the tree below.
ANSWERS = {
    "--against v6.6": (10, "HEAD is slower: 1 of "),
    "": (10, "HEAD is slower: 1 of "),
    "--against HEAD~1": (0, "HEAD is not slower: both have the same image"),
    "--ref my-v2 --against my-v1": (10, "my-v2 is slower: 1 of "),
    "--work-tree --against HEAD": (10, "the work tree is slower: 1 of "),
    "--against v6.6 --since": (10, "HEAD is slower: 1 of "),
    "--patches 3": (10, r"[0-9a-f]{12}: v6\.1 "),
}


def commands(page: str) -> list[str]:
    """Return each command of the page's blocks that checks a tree, without its comment."""
    found = re.findall(r"^    (vlag check .*?)(?:\s+#.*)?$", page, re.MULTILINE)
    return list(dict.fromkeys(found))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dsn: str, catalogue: Catalogue) -> Tree:
    """A person's tree below the home folder, and an installation with the shipped settings."""
    settings = tmp_path / "installation" / "vlag.toml"
    settings.parent.mkdir()
    shipped = (ROOT / "vlag.toml").read_text(encoding="utf-8")
    settings.write_text(f'{shipped}\n[sandbox]\nuser = "{sandboxes.user()}"\n')
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "src" / "linux"
    folder.parent.mkdir()
    tree = tree_to_check.made(folder, settings, catalogue, dsn, monkeypatch)
    for tag in ("v6.1", "v6.6", "v6.12"):
        tiny_tree.git(folder, "tag", tag)
    for branch, speed in (("my-v1", "0.95"), ("my-v2", "0.85")):
        tiny_tree.git(folder, "checkout", "--quiet", "-b", branch, "v6.6")
        tree.commit(speed=f"{speed}\n")
    tiny_tree.git(folder, "checkout", "--quiet", "main")
    for number, speed in enumerate(("1.0", "0.9", "0.9")):
        tree.commit(speed=f"{speed}\n", other=f"{number}\n")
    (folder / "speed").write_text("0.8\n")
    (folder / "notes").write_text("not of the kernel\n")
    return tree


def test_the_page_is_walked_and_the_tree_is_as_it_was(home: Tree) -> None:
    before = contents(home.folder)
    refs = tiny_tree.git(home.folder, "for-each-ref")
    given = commands(PAGE)
    assert [c.removeprefix("vlag check ~/src/linux").strip() for c in given] == list(ANSWERS)
    for command, (status, begins) in zip(given, ANSWERS.values(), strict=True):
        words = [os.path.expanduser(word) for word in shlex.split(command)[1:]]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == status, (command, result.stderr)
        assert re.match(begins, result.stdout), (command, result.stdout)
        assert contents(home.folder) == before, command
    assert tiny_tree.git(home.folder, "for-each-ref") == refs
    # Control: a change of one file, a mode or a ref is seen.
    tiny_tree.git(home.folder, "tag", "v6.6.1")
    assert contents(home.folder) != before


def test_the_statuses_are_those_of_the_page() -> None:
    rows = re.findall(r"^\| ([a-z ]+?) \| .* \| (\d+) \|$", PAGE, re.MULTILINE)
    said = dict(rows)
    assert said["slower"] == str(ExitCode.REGRESSION.value)
    assert said["not slower"] == "0"
    assert said["does not build"] == str(ExitCode.KERNEL_FAILED.value)
