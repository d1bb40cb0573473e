# SPDX-License-Identifier: GPL-2.0-only
"""One cause is one alert, and two are two: boards, parts of a series, searches, toggles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.integration import bundles
from tests.integration.alerting import BASE, BIG, SAME, SLOW, SLOWER, SMALL, Record, head
from tests.integration.grouped import SWITCH, found, night
from tests.integration.planted import places
from vlag.alerts import derive as alerting
from vlag.alerts.surroundings import Surroundings
from vlag.config.catalogue import Catalogue
from vlag.report import read_model
from vlag.report.layout import WIDTH
from vlag.store.database import Connection

PATCHES = [{"name": f"{n}.patch", "sha256": bundles.sha(n)} for n in ("one", "two")]


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


def test_two_boards_of_one_night_are_one_alert(record: Record) -> None:
    night(record, 1, {SMALL: SAME, BIG: SAME})
    ids = night(record, 2, {SMALL: SLOW, BIG: SLOWER})
    around = Surroundings()
    [alert] = alerting.derive(record.conn, record.catalogue, [*ids.values()], around=around)
    assert (alert.id, alert.action, alert.board_type) == (1, "opened", None)
    assert alert.title.startswith("debian/linux-6.12 on 2 board types: ")
    assert f"worse on 2 board types: {BIG} 20.0 %, {SMALL} 12.0 %" in " ".join(alert.body.split())
    assert max(map(len, alert.body.splitlines())) <= WIDTH
    assert places(record.conn) == {1: {(SMALL, SWITCH), (BIG, SWITCH)}}
    # One board heals: it goes on with the other; both: it ends.
    ids = night(record, 3, {SMALL: SAME, BIG: SLOWER})
    assert record.told(*ids.values()) == [(1, None)]
    assert places(record.conn) == {1: {(BIG, SWITCH)}}
    ids = night(record, 4, {SMALL: SAME, BIG: SAME})
    assert record.told(*ids.values()) == [(1, "withdrawn")]


def test_boards_that_became_worse_at_other_times_are_two(record: Record) -> None:
    """Negative control: the same figure on another board, but by a later commit."""
    night(record, 1, {SMALL: SAME, BIG: SAME})
    ids = night(record, 2, {SMALL: SLOW, BIG: SAME})
    assert record.told(*ids.values()) == [(1, "opened")]
    ids = night(record, 3, {SMALL: SLOW, BIG: SLOW})
    assert sorted(record.told(*ids.values())) == [(1, None), (2, "opened")]
    assert places(record.conn) == {1: {(SMALL, SWITCH)}, 2: {(BIG, SWITCH)}}
    assert sorted(record.told(*ids.values())) == [(1, None), (2, None)]


def test_what_a_search_parts_is_split_off_and_keeps_apart(record: Record) -> None:
    ids = night(record, 3, {SMALL: SLOW, BIG: SLOW})
    assert record.told(*ids.values()) == [(1, "opened")]
    found(record, ids[SMALL], head(1)["commit"])
    assert record.told(*ids.values()) == [(1, None)]
    # A second commit was hidden in it.
    found(record, ids[BIG], head(2)["commit"], BIG)
    assert sorted(record.told(*ids.values())) == [(1, None), (2, "opened")]
    assert sorted(record.told(*ids.values())) == [(1, None), (2, None)]
    assert sorted(map(len, places(record.conn).values())) == [1, 1]
    # The next night has no search yet, and each goes on.
    ids = night(record, 4, {SMALL: SLOW, BIG: SLOW})
    assert sorted(record.told(*ids.values())) == [(1, None), (2, None)]
    assert sorted(map(len, places(record.conn).values())) == [1, 1]


def test_one_commit_by_searches_of_two_branches_is_one_alert(record: Record) -> None:
    other = head(3, branch="linux-next", kconfig=bundles.sha("next"))
    ids = [
        *night(record, 3, {SMALL: SLOW}).values(),
        *night(record, 3, {SMALL: SLOW}, of=other).values(),
    ]
    assert sorted(record.told(*ids)) == [(1, "opened"), (2, "opened")]
    found(record, ids[0], head(1)["commit"])
    found(record, ids[1], head(1)["commit"])
    assert sorted(record.told(*ids)) == [(1, None), (2, "withdrawn")]
    [event] = record.events(2)[-1:]
    assert event.why == f"alert 1 tells its figures: it is commit {head(1)['commit'][:12]} as well"
    # Both lead to each other.
    lines = [line for a in (1, 2) for line in read_model.life_of(record.conn, a) if line["alert"]]
    assert [line["alert"] for line in lines] == [2, 1]
    assert record.told(*ids) == [(1, None)]


def test_a_series_and_its_patch_alone_are_one_alert(record: Record) -> None:
    whole = head(1, series="queue", application="full", patches=PATCHES)
    alone = head(1, series="queue", application="solo(2)", patches=PATCHES[1:])
    boards = {SMALL: SLOW, BIG: SLOW}
    ids = [*night(record, 1, boards, of=whole).values()]
    ids += night(record, 1, boards, of=alone, base=head(1), role=None).values()
    assert record.told(*ids) == [(1, "opened")]
    alert = record.alert(1)
    assert "queue full" in alert["title"]
    assert len(places(record.conn)[1]) == 2


def test_two_patches_of_a_series_are_two_alerts(record: Record) -> None:
    """Negative control: another patch is worse alone, which the whole series does not show."""
    whole = head(1, series="queue", application="full", patches=PATCHES)
    ids = [*night(record, 1, {SMALL: SLOWER}, of=whole).values()]
    for n, factors in ((1, SLOW), (2, SLOWER)):
        alone = head(1, series="queue", application=f"solo({n})", patches=PATCHES[n - 1 : n])
        lost = {SMALL: factors}
        ids += night(record, 1, lost, of=alone, base=head(1), role=None).values()
    assert [action for _, action in record.told(*ids)] == ["opened"] * 2


def test_two_commits_of_one_night_are_two_alerts(record: Record) -> None:
    """Negative control: both were compared with their parents, on two boards each."""
    ids = []
    for board_type in (SMALL, BIG):
        for number, factors in ((1, SAME), (2, SLOW), (3, tuple(0.8 * f for f in SLOW))):
            record.fill(head(number), factors, board_type=board_type)
        record.fill(BASE, SAME, board_type=board_type)
        ids += [
            record.compare(head(1), head(2), "parent", board_type=board_type),
            record.compare(head(2), head(3), "parent", board_type=board_type),
            record.compare(BASE, head(3), "baseline", board_type=board_type),
        ]
    assert sorted(record.told(*ids)) == [(1, "opened"), (2, "opened")]
    assert sorted(record.told(*ids)) == [(1, None), (2, None)]


def test_a_search_leads_to_the_alert_of_its_commit(record: Record) -> None:
    """What a head of another branch has lost is told with the commit that a search found."""
    record.fill(head(1), SAME)
    record.fill(head(2), SLOW)
    push = record.compare(head(1), head(2), "parent")
    assert record.told(push) == [(1, "opened")]
    [other] = night(record, 5, {BIG: SLOW}, of=head(5, branch="linux-next")).values()
    assert sorted(record.told(push, other)) == [(1, None), (2, "opened")]
    found(record, other, head(2)["commit"], BIG)
    assert sorted(record.told(push, other)) == [(1, None), (2, "withdrawn")]
    assert record.events(2)[-1].why == "alert 1 is about the commit that accounts for it"


def two_benchmarks(record: Record, toggles: Mapping[str, str]) -> list[int]:
    """Put a head on record that is worse in one benchmark on each of two boards.

    `toggles` are by board type what takes its loss back there, and nothing else does.
    """
    ids = []

    def fill(of: dict[str, Any], factors: Sequence[float], **knobs: Any) -> None:
        given = (tuple(factors), ()) if board_type == SMALL else ((), tuple(factors))
        record.fill(of, given[0], nested=given[1], board_type=board_type, **knobs)

    for board_type in (SMALL, BIG):
        fill(BASE, SAME)
        fill(head(1), SAME)
        fill(head(2), SLOW)
        for toggle in sorted(set(toggles.values())):
            back = toggles.get(board_type) == toggle
            fill(head(2), SAME if back else SLOW, knobs={"sched_features": toggle})
        record.derive(record.compare(BASE, head(1), "baseline", board_type=board_type))
        ids.append(record.compare(BASE, head(2), "baseline", board_type=board_type))
    return ids


@pytest.mark.parametrize(
    ("toggles", "alerts"),
    [
        ({SMALL: "NO_DELAY_DEQUEUE", BIG: "NO_DELAY_DEQUEUE"}, 1),
        # Negative controls: two toggles, one board only, and none.
        ({SMALL: "NO_DELAY_DEQUEUE", BIG: "NO_PLACE_LAG"}, 2),
        ({SMALL: "NO_DELAY_DEQUEUE"}, 2),
        ({}, 2),
    ],
)
def test_what_one_toggle_takes_back_on_two_boards_is_one_alert(
    record: Record, toggles: Mapping[str, str], alerts: int
) -> None:
    """Other figures got worse on each board: only the toggle says that they are one."""
    ids = two_benchmarks(record, toggles)
    assert [action for _, action in record.told(*ids)] == ["opened"] * alerts
    if alerts == 1:
        assert places(record.conn) == {1: {(SMALL, SWITCH), (BIG, f"{SWITCH}-nested")}}


@pytest.mark.parametrize(
    ("level", "alerts"),
    [
        (1.0, 1),
        # Negative control: much more is lost against the other base, which has another cause too.
        (1.6, 2),
    ],
)
def test_as_much_against_two_bases_is_one_alert(record: Record, level: float, alerts: int) -> None:
    """A head that is compared with a baseline and, on purpose, with another kernel."""
    other = bundles.kernel("6.6")
    record.fill(other, [level * f for f in SAME])
    ids = [*night(record, 1, {SMALL: SAME}).values()]
    ids += night(record, 2, {SMALL: SLOW}).values()
    ids.append(record.compare(other, head(2), None))
    assert [action for _, action in record.told(*ids)] == ["opened"] * alerts
    assert [action for _, action in record.told(*ids)] == [None] * alerts


def test_what_was_lost_at_other_times_against_two_bases_is_two(record: Record) -> None:
    """Negative control: as much, but the other base is compared with an older loss."""
    other = bundles.kernel("6.6")
    record.fill(other, SLOW)
    slower = tuple(0.88 * f for f in SLOW)
    ids = [*night(record, 1, {SMALL: SAME}).values(), record.compare(other, head(1), None)]
    ids += [*night(record, 2, {SMALL: SLOW}).values(), record.compare(other, head(2), None)]
    ids += [*night(record, 3, {SMALL: slower}).values(), record.compare(other, head(3), None)]
    assert [action for _, action in record.told(*ids)] == ["opened"] * 2
