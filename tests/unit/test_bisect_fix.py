# SPDX-License-Identifier: GPL-2.0-only
"""`vlag bisect --fix`: what takes a loss back, or that nothing does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from click.testing import CliRunner

from tests.integration import tiny_tree
from tests.repositories import WorkTree
from vlag.cli import bisect as command
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.search.measure import Figure

pytestmark = pytest.mark.slow

SCATTER = (1.0, 1.001, 0.999, 1.0005, 0.9995)
FIX = 3


@define
class Boots:
    """Stands for builds and boots of `commits`: a level from a commit on."""

    commits: Sequence[str]
    levels: Mapping[int, float]
    figure: Figure
    board_type: Any
    builds: dict[str, Path] = field(factory=dict)
    asked: list[str] = field(factory=list)

    def build(self, commit: str) -> Path:
        return Path(commit)

    def search_mode(self) -> None:
        pass

    def known(self, commits: Sequence[str]) -> set[str]:
        return set()

    def history(self) -> Sequence[Sequence[float]]:
        return ()

    def values(self, commit: str, seeds: Sequence[int]) -> list[float]:
        self.asked.append(commit)
        n = self.commits.index(commit) if commit in self.commits else 0
        level = self.levels[max(k for k in self.levels if k <= n)]
        return [level * SCATTER[s % len(SCATTER)] for s in seeds]

    def values_of(self, seeds_of: Mapping[str, Sequence[int]]) -> list[list[float]]:
        return [self.values(commit, seeds) for commit, seeds in seeds_of.items()]


@define
class Search:
    """A tree whose commit 0 made a figure worse and whose commit `FIX` says that it mends it."""

    folder: Path
    catalogue: Catalogue
    patch: pytest.MonkeyPatch
    commits: list[str] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        tree = WorkTree(self.folder / "tree")
        for n in range(9):
            about = f'\n\nFixes: {self.commits[0][:12]} ("sched: change 0")' if n == FIX else ""
            self.commits.append(tree.commit(f"sched: change {n}{about}", **{f"f{n}": f"{n}\n"}))
        tree.git("tag", "v6.99")
        (self.folder / "vlag.toml").write_text(tiny_tree.settings(tree.folder))
        mirror = self.folder / "state/mirrors/tiny.git"
        mirror.parent.mkdir(parents=True)
        tree.git("clone", "--quiet", "--mirror", str(tree.folder), str(mirror))

    def run(self, levels: Mapping[int, float], *words: str) -> tuple[str, Boots]:
        """Return what the command prints, and the boots that it made."""
        made: list[Boots] = []

        def measurer(_s: Any, _c: Any, _t: Any, kind: Any, asked: Figure, *_: Any) -> Boots:
            made.append(Boots(self.commits, levels, asked, kind))
            return made[0]

        self.patch.setattr(command, "_measurer", measurer)
        ends = [self.commits[0], self.commits[-1]]
        given = ["bisect", *ends, "--tree", "tiny", "--benchmark", "stress-ng-switch", "--fix"]
        env = {"VLAG_SETTINGS": str(self.folder / "vlag.toml")}
        done = CliRunner().invoke(main, [*given, *words], env=env)
        assert done.exit_code == 0, done.output
        return done.stdout, made[0]


@pytest.fixture
def search(tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Search:
    return Search(tmp_path, catalogue, monkeypatch)


def test_the_commit_that_says_so_is_booted_first_and_named(search: Search) -> None:
    output, boots = search.run({0: 97.0, FIX: 100.0})
    assert output.splitlines()[-1] == (
        f'fixed by {search.commits[FIX][:12]} ("sched: change {FIX}") in v6.99, which says so'
        " itself"
    )
    between = [c for c in boots.asked if c not in (search.commits[0], search.commits[-1])]
    assert between[0] == search.commits[FIX]


def test_another_commit_takes_it_back(search: Search) -> None:
    """Negative control: what says so is not believed."""
    output, _ = search.run({0: 97.0, 6: 100.0}, "--format", "json")
    fix = json.loads(output.splitlines()[-1])["fix"]
    assert (fix["commit"], fix["says_so"]) == (search.commits[6], False)


@pytest.mark.parametrize(
    ("levels", "why"),
    [({0: 97.0}, "do not surely differ"), ({0: 97.0, 5: 90.0}, "is worse still")],
)
def test_no_fix_is_said(search: Search, levels: Mapping[int, float], why: str) -> None:
    """Negative control: nothing takes it back."""
    output, _ = search.run(levels)
    said = " ".join(output.split())
    assert said.startswith(f"No fix among the 8 commits after {search.commits[0]}")
    assert why in said
