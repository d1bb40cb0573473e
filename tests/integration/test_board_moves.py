# SPDX-License-Identifier: GPL-2.0-only
"""A board that drifts in its benchmarks, though not in its checks, is named and left out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from attrs import evolve

from tests.integration import bundles
from tests.integration.nights import settings
from tests.integration.several_boards import BASE, BOARD, FIRST, NEW, Lab
from vlag.compare import board_moves
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Board
from vlag.notifications.night_end import EndedNight, tell
from vlag.operate.farm import board_checks
from vlag.stats import siblings
from vlag.store import boards, messages
from vlag.store.boards import GOOD, MAINTENANCE
from vlag.store.database import Connection

#: Nights on which a drift can be seen first.
NIGHTS = siblings.REFERENCE + siblings.LATELY


@pytest.fixture
def lab(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Lab:
    lab = Lab(conn, catalogue, tmp_path)
    there = tuple(Board(name=name, board_type=BOARD) for name in lab.levels)
    lab.catalogue = evolve(lab.catalogue, boards=there)
    return lab


def live(
    lab: Lab, on: str, slow: dict[str, float], *, nights: Sequence[int], baseline: bool = False
) -> None:
    """Boot a new head each night on boards; some are slower from the end of the reference on."""
    levels = dict(lab.levels)
    for night in nights:
        late = night >= siblings.REFERENCE
        lab.levels = {b: v * (slow.get(b, 1.0) if late else 1.0) for b, v in levels.items()}
        lab.boot(bundles.kernel(f"topic.{night}", branch="topic"), on, night)
        if baseline:
            lab.boot(BASE, on, night)
    lab.levels = levels


def after(night: int) -> datetime:
    return FIRST + timedelta(days=night, hours=3)


def follow(lab: Lab, night: int) -> list[str]:
    return board_moves.follow(lab.conn, lab.catalogue, after(night))


def out(lab: Lab) -> dict[str, str]:
    """Return the boards that are in maintenance, with the reason."""
    states = boards.states(lab.conn)
    return {n: s.reason for n, s in states.items() if s.state == MAINTENANCE}


def mail(lab: Lab, folder: Path, night: int) -> str:
    """End a night in which nothing was compared, and return its mail."""
    end = after(night)
    ended = EndedNight(
        key=f"night {night}", started=end - timedelta(hours=2), comparisons=[], finished=end
    )
    tell(lab.conn, lab.catalogue, settings(folder), ended)
    newest = max(messages.latest(lab.conn, 99), key=lambda m: m.id)
    plain = message_from_bytes(newest.body, policy=default).get_body(("plain",))
    assert plain is not None
    return " ".join(plain.get_content().split())


def test_one_of_three_that_drifts_is_named_once_and_left_out(lab: Lab, tmp_path: Path) -> None:
    live(lab, "123", {"rpi5-2": 0.96}, nights=range(NIGHTS))
    assert out(lab) == {}
    title = "board rpi5-2 (rpi5) is out of service: stress-ng-switch bogo-ops-rate moved by -"
    first = mail(lab, tmp_path, NIGHTS - 1)
    assert first.count(f"New alert 1: {title}") == 1, first
    [(board, reason)] = out(lab).items()
    assert board == "rpi5-2"
    assert "against rpi5-1, rpi5-3 over the 20 nights since 2026-03-31; steady boards" in reason
    # Of its runs those of the last nights are in doubt, and comparisons say so.
    assert boards.doubted(lab.conn) == {"rpi5-2": siblings.LATELY}
    lab.boot(BASE, "11233", NIGHTS)
    lab.boot(NEW, "11223", NIGHTS)
    notes = lab.conn.execute(
        "SELECT notes FROM comparison WHERE id = %s", (lab.compared().id,)
    ).fetchone()
    assert notes is not None
    assert any("on board rpi5-2 are left out: since 2026-03-31" in n for n in notes[0])
    # The next night says nothing new of it.
    second = mail(lab, tmp_path, NIGHTS)
    assert "New alert" not in second
    assert title[:50] in second

    # A person takes it back, with a fresh reference as after any repair.
    def good(*, new_band: bool = False) -> None:
        board_checks.good(
            lab.conn, lab.catalogue, "rpi5-2", reason="cooler cleaned", by="kim",
            now=after(NIGHTS), new_band=new_band,
        )  # fmt: skip

    with pytest.raises(UsageError, match="failed its last check"):
        good()
    good(new_band=True)
    assert boards.states(lab.conn)["rpi5-2"].state == GOOD
    assert follow(lab, NIGHTS) == []
    assert out(lab) == {}


def test_steady_boards_and_updates_of_firmware_are_no_drift(lab: Lab) -> None:
    """Negative control: the same nights with boards that stay, and with a step that is known."""
    live(lab, "123", {}, nights=range(siblings.REFERENCE))
    lab.firmware["rpi5-2"] = "2026-03-30"
    live(lab, "123", {"rpi5-2": 0.96}, nights=range(siblings.REFERENCE, NIGHTS))
    assert follow(lab, NIGHTS) == []
    assert out(lab) == {}


def test_of_two_boards_the_baseline_says_which_one_moved(lab: Lab) -> None:
    live(lab, "12", {"rpi5-1": 0.96}, nights=range(NIGHTS), baseline=True)
    assert follow(lab, NIGHTS) == []
    assert list(out(lab)) == ["rpi5-1"]


def test_of_two_boards_without_a_common_kernel_nobody_is_named(lab: Lab) -> None:
    live(lab, "12", {"rpi5-1": 0.96}, nights=range(NIGHTS))
    [sentence] = follow(lab, NIGHTS)
    assert sentence.startswith("boards rpi5-1 and rpi5-2 (rpi5) moved apart: stress-ng-switch")
    assert "Which of them moved is not known" in sentence
    assert out(lab) == {}


def test_what_a_drift_is_held_against_stays_where_it_was(lab: Lab) -> None:
    """A board that drifts slowly takes no reference along."""
    live(lab, "123", {}, nights=range(siblings.REFERENCE))
    for night in range(siblings.REFERENCE, NIGHTS + 20):
        live(lab, "123", {"rpi5-3": 1 - 0.001 * (night - 29)}, nights=[night])
    assert list(out(lab)) == []
    assert follow(lab, NIGHTS + 20) == []
    assert list(out(lab)) == ["rpi5-3"]
