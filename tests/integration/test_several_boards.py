# SPDX-License-Identifier: GPL-2.0-only
"""Several real boards of one type: each is a block, in comparisons and in histories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.integration import bundles
from tests.integration.answers import stored
from tests.integration.several_boards import BASE, NEW, Lab
from vlag.config.catalogue import Catalogue
from vlag.store.comparisons import VerdictRow
from vlag.store.database import Connection


@pytest.fixture
def lab(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Lab:
    return Lab(conn, catalogue, tmp_path)


def rates(found: Sequence[Any]) -> list[Any]:
    return [c for c in found if c["metric"] == "bogo-ops-rate"]


def width(row: VerdictRow) -> float:
    assert row.ci_low is not None
    assert row.ci_high is not None
    return row.ci_high - row.ci_low


def test_boards_apart_are_no_change_and_widen_nothing(lab: Lab) -> None:
    """The sides have the boards in unequal shares, which alone would look like -2 %."""
    lab.boot(BASE, "12222", 0)
    lab.boot(NEW, "11112", 0)
    row = lab.rate()
    assert abs(row.effect or 0) < 0.01
    assert width(row) < 0.025
    assert not row.suspect
    assert "; within 2 boards: rpi5-1, rpi5-2 (" in row.reason
    assert row.base_value is not None
    assert row.new_value is not None
    assert row.new_value / row.base_value - 1 == pytest.approx(row.effect)


def test_a_loss_is_seen_within_boards(lab: Lab) -> None:
    """Negative control: the same boards, a kernel that lost 5 %."""
    lab.boot(BASE, "12323", 0)
    lab.boot(NEW, "11223", 0, level=0.95)
    row = lab.rate()
    assert row.effect == pytest.approx(-0.05, abs=0.01)
    assert row.suspect
    assert row.verdict == "REGRESSION"


def test_boots_of_a_board_that_one_side_lacks_are_left_out(lab: Lab) -> None:
    lab.boot(BASE, "11122", 0)
    lab.boot(NEW, "11113", 0)
    comparison = lab.compared()
    row = next(v for v in comparison.verdicts if v.metric == "bogo-ops-rate")
    assert (row.n_base, row.n_new) == (3, 4)
    assert abs(row.effect or 0) < 0.01
    assert "within" not in row.reason  # one board is left
    assert [n for n in stored(lab.conn, comparison).notes if "none there" in n] == [
        "2 run(s) of stress-ng-switch of the base on board rpi5-2 are left out:"
        " the new has none there",
        "1 run(s) of stress-ng-switch of the new on board rpi5-3 are left out:"
        " the base has none there",
    ]


def test_sides_on_different_boards_are_not_comparable(lab: Lab) -> None:
    lab.boot(BASE, "11111", 0)
    lab.boot(NEW, "22222", 0)
    row = lab.rate()
    assert row.verdict == "NOT_COMPARABLE"
    assert row.reason == (
        "the base ran on rpi5-1 and the new ran on rpi5-2, and what these boards ran in common does"
        " not say how far apart they are: boot both kernels on one board"
    )


def test_known_levels_make_them_comparable(lab: Lab) -> None:
    for night in range(8):
        lab.boot(bundles.kernel(f"old.{night}"), "112212", night)
    lab.boot(BASE, "11111", 20)
    lab.boot(NEW, "22222", 20)
    same = lab.rate()
    assert same.verdict not in ("NOT_COMPARABLE", "REGRESSION", "IMPROVEMENT")
    assert abs(same.effect or 0) < 0.01
    assert "base and new ran on different boards, rpi5-1, rpi5-2: their levels, known to" in (
        same.reason
    )
    # Less is known than of boots on one board.
    lab.boot(NEW, "11111", 20)
    assert width(lab.rate()) < width(same)


def test_a_history_goes_on_over_its_boards(lab: Lab) -> None:
    """A board a night in turns; the baseline says how far they are apart."""
    lab.nights([1.0] * 16 + [0.95] * 16, ["11", "22"])
    found = lab.follow()
    [change] = rates(found.new_changes)
    assert change["effect"] == pytest.approx(-0.05, abs=0.01)
    assert "/topic.16." in change["kernel"]
    assert change["cause"] == "kernel"


def test_boards_apart_are_no_step_of_a_history(lab: Lab) -> None:
    """Negative control: one board for weeks, then the other."""
    lab.nights([1.0] * 30, ["12", "11", "12"] * 5 + ["22", "12", "22"] * 5)
    assert rates(lab.follow().new_changes) == []


def test_boards_with_nothing_in_common_have_histories_of_their_own(lab: Lab) -> None:
    levels = [1.0] * 32 + [0.95] * 32
    lab.nights(levels, ["11", "22"], baseline=False)
    found = lab.follow()
    assert {round(c["effect"], 2) for c in rates(found.new_changes)} == {-0.05}
    assert len(rates(found.new_changes)) == 2  # each board's own first night of it
    again = lab.follow()
    assert (again.new_changes, again.withdrawn) == ((), 0)


def test_an_update_of_one_boards_firmware_does_not_end_a_history(lab: Lab) -> None:
    lab.firmware = {"rpi5-1": "1", "rpi5-2": "1"}
    lab.nights([1.0] * 12, ["12"])
    lab.firmware["rpi5-1"] = "2"
    lab.levels["rpi5-1"] *= 0.94  # the update made it slower
    lab.nights([1.0] * 4 + [0.95] * 12, ["12"], first=12)
    [change] = rates(lab.follow().new_changes)
    assert "/topic.16." in change["kernel"]
    assert change["effect"] == pytest.approx(-0.05, abs=0.01)
