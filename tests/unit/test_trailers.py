# SPDX-License-Identifier: GPL-2.0-only
"""What ends a mail about a regression: who reports it, and since which commit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.integration.reports import wide
from tests.repositories import git
from tests.unit.short_reports import figure, kept
from vlag import ROOT, config
from vlag.errors import UsageError
from vlag.report import short
from vlag.report.data import trailers

Data = dict[str, Any]

BY = "Jane Doe <jane@example.org>"
PUBLIC = config.Tree(
    name="linux", url="https://git.example.org/linux", packages={},
    web="https://git.example.org/linux/c/{commit}",
)  # fmt: skip
# Of a tree of Debian's sources, whose mirror somebody shows.
IMPORTED = config.Tree(
    name="linux", url=None, packages={"linux-6.12": "linux-source-6.12"}, web=PUBLIC.web
)


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return a state folder with a mirror of a tree, and its commits: two in a row, one aside."""
    folder = tmp_path_factory.mktemp("state")
    mirror = folder / "mirrors" / "linux.git"
    mirror.mkdir(parents=True)
    git(mirror, "init", "--quiet", "--initial-branch=main")
    for name in ("one", "two"):
        git(mirror, "commit", "--quiet", "--allow-empty", "-m", name)
    commits = git(mirror, "log", "--reverse", "--format=%H").split()
    git(mirror, "checkout", "--quiet", "-b", "aside", commits[0])
    git(mirror, "commit", "--quiet", "--allow-empty", "-m", "aside")
    (mirror / ".git").rename(folder / "bare")
    mirror.rmdir()
    (folder / "bare").rename(mirror)
    git(mirror, "config", "core.bare", "true")
    return folder, [*commits, git(mirror, "rev-parse", "aside")]


def settings(folder: Path, tree: config.Tree = PUBLIC, by: str | None = BY) -> config.Settings:
    shipped = config.load(ROOT / "vlag.toml")
    return evolve(shipped, state=folder, trees={"linux": tree}, reported_by=by)


def comparison(base: str, new: str, **more: Any) -> Data:
    """Return a comparison of two commits whose regression a rerun has confirmed."""
    data = kept("regression")
    row = figure("worse", 1, standing="confirmed")
    data |= {"rows": [row], "role": "baseline", "origins": [], **more}
    for side, commit in (("base", base), ("new", new)):
        data[side] |= {"tree": "linux", "commit": commit}
    return data


def test_a_range_is_named_where_the_history_is_known(state: tuple[Path, list[str]]) -> None:
    folder, (one, two, aside) = state
    found = trailers.of(comparison(one, two), settings(folder))
    assert found == [f"Reported-by: {BY}", f"#regzbot introduced: {one}..{two}"]
    # Negative controls: another line of history, an unknown commit, no mirror.
    only = [f"Reported-by: {BY}"]
    assert trailers.of(comparison(aside, two), settings(folder)) == only
    assert trailers.of(comparison(two, one), settings(folder)) == only
    assert trailers.of(comparison(one, "f" * 40), settings(folder)) == only
    assert trailers.of(comparison(one, two), settings(folder / "elsewhere")) == only


def test_a_commit_against_its_parent_is_named_itself(state: tuple[Path, list[str]]) -> None:
    folder, (one, two, _) = state
    found = trailers.of(comparison(one, two, role="parent"), settings(folder))
    assert found[1:] == [f"#regzbot introduced: {two}"]


def test_without_a_reporter_that_line_is_absent(state: tuple[Path, list[str]]) -> None:
    folder, (one, two, _) = state
    found = trailers.of(comparison(one, two), settings(folder, by=None))
    assert found == [f"#regzbot introduced: {one}..{two}"]


@pytest.mark.parametrize("tree", [IMPORTED, evolve(PUBLIC, web=None)])
def test_a_commit_that_others_cannot_find_is_not_named(
    state: tuple[Path, list[str]], tree: config.Tree
) -> None:
    folder, (one, two, _) = state
    for role in ("parent", "baseline"):
        found = trailers.of(comparison(one, two, role=role), settings(folder, tree))
        assert found == [f"Reported-by: {BY}"]


@pytest.mark.parametrize(
    "change",
    [
        {"series": "ours", "application": "full"},
        {"variant": "preempt_rt"},
        {"knobs": {"preempt": "lazy"}},
        {"tree": "other"},
    ],
)
def test_no_commit_is_blamed_for_what_is_not_its_doing(
    state: tuple[Path, list[str]], change: Data
) -> None:
    folder, (one, two, _) = state
    data = comparison(one, two, role="parent")
    data["base" if "tree" in change else "new"] |= change
    assert trailers.of(data, settings(folder)) == [f"Reported-by: {BY}"]


@pytest.mark.parametrize(
    "change",
    [
        {"rows": [figure("hint", 1, standing="hint")]},
        {"rows": [figure("worse", 1, standing="suspected")]},
        {"rows": [figure("worse", 1, told=False)]},
        {"rows": [figure("better", 1)]},
        {"rows": []},
        {"synthetic": True},
        {"prediction": {"good": True, "text": "as predicted"}},
    ],
)
def test_only_a_proven_regression_has_them(state: tuple[Path, list[str]], change: Data) -> None:
    folder, (one, two, _) = state
    assert trailers.of(comparison(one, two, role="parent", **change), settings(folder)) == []


def test_they_are_the_last_lines_of_the_short_report(state: tuple[Path, list[str]]) -> None:
    folder, (one, two, _) = state
    data = comparison(one, two)
    lines = trailers.of(data, settings(folder))
    said = short.render({**data, "trailers": lines}, {"commands": ["vlag report"], "url": None})
    assert said.endswith("\n\n" + "\n".join(lines) + "\n")
    assert len(lines[-1]) > 75
    assert wide(said) == []
    assert "regzbot" not in short.render({**data, "trailers": []})  # negative control
    assert "Reported-by" not in short.render(data)


@pytest.mark.parametrize(
    "given", ["Jane Doe", "jane@example.org", "<jane@example.org>", "Jane <jane>", "",
              "Jane <j@example.org>\\nSigned-off-by: x <x@example.org>"]
)  # fmt: skip
def test_a_reporter_is_a_name_and_an_address(tmp_path: Path, given: str) -> None:
    path = tmp_path / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text()
    path.write_text(f'{text}\n[report]\nreported_by = "{given}"\n')
    with pytest.raises(UsageError, match=r"vlag\.toml: report\.reported_by: .*Jane Doe") as caught:
        config.load(path)
    assert "\n" not in str(caught.value)
    path.write_text(f'{text}\n[report]\nreported_by = "{BY}"\n')  # negative control
    assert config.load(path).reported_by == BY
    assert config.load(ROOT / "vlag.toml").reported_by is None
