# SPDX-License-Identifier: GPL-2.0-only
"""A search by hand on boards of a lab whose levels differ by more than the loss."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from tests.integration import bundles
from tests.repositories import WorkTree
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import mirror as mirrors
from vlag.model import Board
from vlag.pipeline import side_by_side
from vlag.pipeline.lab_boards import BoardPool
from vlag.search.bisection import Bisection
from vlag.search.found import Found
from vlag.search.measure import Unmeasurable, figure
from vlag.search.measure_in_lab import LabMeasurer

pytestmark = pytest.mark.slow

#: By how much each board is faster; the loss is 3 %.
LEVELS = {"pi1": 1.0, "pi2": 1.06, "pi3": 0.95}
LAST = 12
#: Of each boot: 20 s.
TIMES = {"started_at": "2026-03-01T10:00:00+00:00", "finished_at": "2026-03-01T10:00:20+00:00"}


@define(kw_only=True)
class Boots:
    """Stands for `side_by_side.boot`: a level for each commit, or an outcome without a figure."""

    folder: Path
    levels: Mapping[str, float | str]  # by the name of a kernel's folder
    board_levels: Mapping[str, float]
    made: list[tuple[str, str, int, str | None]] = field(factory=list)
    timeouts: list[int] = field(factory=list)

    def __call__(
        self,
        kernel: Path,
        board: Board,
        *,
        seed: int,
        request: str | None,
        timeout_s: int,
        **_: Any,
    ) -> dict[str, Any]:
        self.made.append((kernel.name, board.name, seed, request))
        self.timeouts.append(timeout_s)
        level = self.levels[kernel.name]
        if isinstance(level, str):
            return {"outcome": level, "reason": "it fails", "output": None}
        number = list(self.levels).index(kernel.name)
        scatter = math.exp(random.Random(f"{number} {seed}").gauss(0, 0.005))
        output = self.folder / f"{kernel.name}-{board.name}-{seed}"
        output.write_bytes(bundles.stress_ng(level * self.board_levels[board.name] * scatter))
        bundle = self.folder / f"{output.name}.bundle"
        bundle.mkdir(exist_ok=True)
        (bundle / "run.json").write_text(json.dumps({**TIMES, "files": []}))
        return {
            "outcome": "complete", "reason": None, "output": str(output), "bundle": str(bundle),
        }  # fmt: skip


@define(kw_only=True)
class Search:
    """A repository, and a search of it."""

    catalogue: Catalogue
    folder: Path
    commits: Sequence[str]
    levels: Mapping[int, float | str]  # from a commit on
    boots: Boots

    def measurer(self) -> LabMeasurer:
        (self.folder / "vlag.toml").write_text("")
        settings: Any = None  # it builds nothing: all kernels are there
        return LabMeasurer(
            settings=settings, catalogue=self.catalogue, tree="tree",
            board_type=self.catalogue.board_type("rpi5"),
            figure=figure(self.catalogue.benchmark("stress-ng-switch"), None, {}, {}),
            timeout_s=600, builds={c: Path(c) for c in self.commits}, request="bisect 1",
            ends=[self.commits[0], self.commits[-1]],
            pool=BoardPool([Board(name=n, board_type="rpi5", lab="home") for n in LEVELS]),
        )  # fmt: skip

    def run(self) -> Found:
        git = self.folder / "tree/.git"
        good, bad = (mirrors.resolve(git, self.commits[n]) for n in (0, -1))
        return Bisection(
            measurer=self.measurer(), mirror=git, scratch=self.folder / "scratch", good=good,
            bad=bad, boots=6, most=80, noisy=True, reverts=False,
        ).run(())  # fmt: skip


def made(
    folder: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch,
    levels: Mapping[int, float | str], boards: Mapping[str, float] = LEVELS,
) -> Search:  # fmt: skip
    tree = WorkTree(folder / "tree")
    commits = [tree.commit(f"sched: change {n}", file=f"{n}\n") for n in range(LAST + 1)]
    (folder / "raw").mkdir()
    by_name = {c: levels[max(k for k in levels if k <= n)] for n, c in enumerate(commits)}
    boots = Boots(folder=folder / "raw", levels=by_name, board_levels=boards)
    monkeypatch.setattr(side_by_side, "boot", boots)
    return Search(
        catalogue=catalogue, folder=folder, commits=commits, levels=levels, boots=boots
    )  # fmt: skip


def test_the_commit_is_named_though_boards_differ_more_than_kernels(
    tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = made(tmp_path, catalogue, monkeypatch, {0: 1000.0, 8: 970.0})
    answer = search.run()
    assert [c.sha for c in answer.commits] == [search.commits[8]]
    assert answer.doubt is None
    assert answer.change.effect == pytest.approx(-0.03, abs=0.01)
    # Each board had the same seeds of both ends, and all boots are of one search.
    ends = [
        {(board, seed) for kernel, board, seed, _ in search.boots.made if kernel == end}
        for end in (search.commits[0], search.commits[-1])
    ]
    assert ends[0] == ends[1]
    assert {request for *_, request in search.boots.made} == {"bisect 1"}
    assert max(Counter(search.boots.made).values()) == 1


def test_after_a_restart_the_boots_are_the_same(
    tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = made(tmp_path, catalogue, monkeypatch, {0: 1000.0, 8: 970.0})
    first = search.run()
    boots = sorted(map(str, search.boots.made))
    search.boots.made.clear()
    again = search.run()
    assert (again.commits, again.change) == (first.commits, first.change)
    assert sorted(map(str, search.boots.made)) == boots


def test_boards_levels_alone_are_no_change(
    tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: equal kernels on boards that differ."""
    search = made(tmp_path, catalogue, monkeypatch, {0: 1000.0})
    with pytest.raises(UsageError, match="do not surely differ"):
        search.run()


def test_levels_are_taken_off_by_what_boards_ran_in_common(
    tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = made(tmp_path, catalogue, monkeypatch, {0: 1000.0, 8: 970.0})
    ends = [search.commits[0], search.commits[-1]]
    values = search.measurer().values_of(dict.fromkeys(ends, range(1, 10)))
    for side in values:
        assert max(side) / min(side) < 1.03  # the boards alone differ by 11 %
    # Negative control: boots of one kernel alone on three boards keep their distance.
    [alone] = search.measurer().values_of({ends[0]: range(1, 4)})
    assert max(alone) / min(alone) > 1.08


def test_a_kernel_that_hangs_is_booted_by_each_board_at_most_once(
    tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = made(tmp_path, catalogue, monkeypatch, {0: 1000.0, 5: "hang", 7: 1000.0, 8: 970.0})
    measurer, hangs = search.measurer(), search.commits[5]
    with pytest.raises(Unmeasurable, match="hang: it fails"):
        measurer.values_of({search.commits[0]: range(1, 31), hangs: range(1, 31)})
    boots = [boot for boot in search.boots.made if boot[0] == hangs]
    assert 1 <= len(boots) <= len(LEVELS)
    with pytest.raises(Unmeasurable, match="hang: it fails"):
        measurer.values(hangs, range(31, 40))
    assert [boot for boot in search.boots.made if boot[0] == hangs] == boots
    answer = search.run()
    assert [c.sha for c in answer.commits] == [search.commits[8]]


def test_the_longest_boot_of_both_ends_bounds_the_others(
    tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = made(tmp_path, catalogue, monkeypatch, {0: 1000.0, 8: 970.0})
    measurer = search.measurer()
    for end in (0, -1):
        measurer.values(search.commits[end], range(1, 4))
    assert set(search.boots.timeouts) == {600}  # a loss may be large
    search.boots.timeouts.clear()
    measurer.values(search.commits[1], range(1, 4))
    assert set(search.boots.timeouts) == {60 + 3 * 20}
