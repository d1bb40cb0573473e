# SPDX-License-Identifier: GPL-2.0-only
"""A search on boards of a lab begins with the boots that confirmed, none that raised the doubt."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from tests.integration.hardware_story import Story, farm
from tests.integration.search_lab import LAST
from vlag.config.catalogue import Catalogue
from vlag.search import walks
from vlag.store.database import Connection

SCREEN = range(1, 6)
RERUN = range(6, 11)


@define(kw_only=True)
class Unlucky(Story):
    """The first boots of the head are slower by lot, so that the loss looks twice as large."""

    boots: list[tuple[int, int]] = field(factory=list)  # number of the commit and seed, in order

    def scatter(self, commit: str, seed: int) -> float:
        number = self.commits.index(commit) if commit in self.commits else -1
        self.boots.append((number, seed))
        return super().scatter(commit, seed) * (0.95 if number == LAST and seed in SCREEN else 1)


def made(conn: Connection, dsn: str, catalogue: Catalogue, folder: Path) -> Unlucky:
    lab = Unlucky(conn=conn, dsn=dsn, catalogue=farm(catalogue), folder=folder,
                  levels={0: 1.0, 6: 0.95})  # fmt: skip
    lab.prepare()
    return lab


def searched(lab: Unlucky) -> tuple[dict[str, Any], float, list[tuple[int, int]]]:
    """Return the answer of a night's search, the change of its ends, and the boots it asked for."""
    id_ = lab.night()
    before = len(lab.boots)
    answer = lab.search(id_)
    [row] = lab.conn.execute("SELECT effect FROM bisection").fetchall()
    return answer["found"][str(id_)], math.log1p(row[0]), lab.boots[before:]


def test_the_boots_of_the_screen_are_no_evidence(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    lab = made(conn, dsn, catalogue, tmp_path)
    found, change, boots = searched(lab)
    assert found["commits"] == [lab.commits[6]]
    assert change == pytest.approx(math.log(0.95), abs=0.01)
    assert not [b for b in boots if b[1] in SCREEN]
    # Those that confirmed are not made again: the ends get five more, not ten.
    ends = [b for b in boots if b[0] in (0, LAST) and b[1] < 1000]
    assert sorted(ends) == [(n, seed) for n in (0, LAST) for seed in range(11, 16)]


def test_with_them_the_change_of_the_ends_is_too_large(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Negative control: the ends' first ten boots, of which the screen has five."""
    monkeypatch.setattr(walks, "_screened", lambda _: 0)
    _, change, boots = searched(made(conn, dsn, catalogue, tmp_path))
    assert change < math.log(0.95) - 0.015
    assert not [b for b in boots if b[0] in (0, LAST) and b[1] in (*SCREEN, *RERUN)]


def test_a_kernel_that_failed_in_every_boot_of_a_night_is_not_booted_again(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    lab = made(conn, dsn, catalogue, tmp_path)
    lab.build(lab.commits[4])
    panic: dict[str, Any] = {"outcome": "panic", "reason": "not syncing: oops", "raw": None}
    for seed in SCREEN:
        lab.boot(lab.commits[4], seed, "nightly", **panic)
    _, _, boots = searched(lab)
    assert 4 not in {number for number, _ in boots}
