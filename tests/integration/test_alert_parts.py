# SPDX-License-Identifier: GPL-2.0-only
"""People split and join alerts: what they say goes before the automatic grouping."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attrs import evolve

from bench.years.world import World
from tests.integration.alerting import BIG, SAME, SLOW, SLOWER, SMALL, Record, head
from tests.integration.grouped import SWITCH, found, night
from tests.integration.planted import places
from vlag.alerts import derive as alerting
from vlag.alerts import parts, rehearsal, triage
from vlag.alerts.parts import Chosen
from vlag.config import Alerts
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.report import read_model
from vlag.store.alerts import Alert
from vlag.store.database import Connection, connect

KIM = {"by": "kim", "why": "the boards differ"}


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


def split(record: Record, alert: int, **chosen: Sequence[str] | int) -> Alert:
    def derive(_conn: Connection, ids: Sequence[int]) -> object:
        return record.derive(*ids)

    made = Chosen(**chosen)  # type: ignore[arg-type]
    return parts.split(record.conn, record.catalogue, derive, alert, made, **KIM)


def join(record: Record, alert: int, other: int) -> Alert:
    def derive(_conn: Connection, ids: Sequence[int]) -> object:
        return record.derive(*ids)

    return parts.join(record.conn, record.catalogue, derive, alert, other, **KIM)


def forget(record: Record) -> None:
    """Forget what people have said."""
    record.conn.execute("DELETE FROM alert_pin")


def life(record: Record, alert: int) -> list[tuple[str, int | None]]:
    return [(line["words"], line["alert"]) for line in read_model.life_of(record.conn, alert)]


@pytest.fixture
def one_of_two_boards(record: Record) -> dict[str, int]:
    """Alert 1, of one commit that a search has found on two boards."""
    night(record, 1, {SMALL: SAME, BIG: SAME})
    ids = night(record, 2, {SMALL: SLOW, BIG: SLOWER})
    for board_type, comparison in ids.items():
        found(record, comparison, head(2)["commit"], board_type)
    assert record.told(*ids.values()) == [(1, "opened")]
    return ids


@pytest.fixture
def two_commits(record: Record) -> dict[str, int]:
    """Alerts 1 and 2, of two commits that searches have found."""
    ids = night(record, 3, {SMALL: SLOW, BIG: SLOW})
    found(record, ids[SMALL], head(1)["commit"])
    found(record, ids[BIG], head(2)["commit"], BIG)
    assert sorted(record.told(*ids.values())) == [(1, "opened"), (2, "opened")]
    assert places(record.conn) in (
        {1: {(SMALL, SWITCH)}, 2: {(BIG, SWITCH)}}, {2: {(SMALL, SWITCH)}, 1: {(BIG, SWITCH)}},
    )  # fmt: skip
    return ids


def test_a_split_holds_whatever_is_derived_again(
    record: Record, one_of_two_boards: dict[str, int]
) -> None:
    other = split(record, 1, board_types=[BIG])
    assert (other.id, other.open) == (2, True)
    two = {1: {(SMALL, SWITCH)}, 2: {(BIG, SWITCH)}}
    assert places(record.conn) == two
    assert f"on {BIG}" in other.title
    assert f"on {SMALL}" in record.alert(1)["title"]
    # The same commit was proven of both: without a person they would be one.
    assert sorted(record.told(*one_of_two_boards.values())) == [(1, None), (2, None)]
    # Nor does another night bring them together.
    ids = night(record, 3, {SMALL: SLOW, BIG: SLOWER})
    assert sorted(record.told(*ids.values())) == [(1, None), (2, None)]
    assert places(record.conn) == two
    # Each leads to the other.
    assert (f"split by kim: alert 2 tells of {BIG} {SWITCH}: the boards differ", 2) in life(
        record, 1
    )
    assert (f"split by kim: alert 1 told of {BIG} {SWITCH}: the boards differ", 1) in life(
        record, 2
    )
    # What it said is only what it says: no text of the moment before.
    whole = read_model.alert(record.conn, 2)
    assert whole is not None
    assert [bool(t["body"]) for t in whole["texts"]] == [True] * len(whole["texts"])
    assert record.actions(2) == ["opened", "split"]


def test_without_the_row_the_proof_decides_again(
    record: Record, one_of_two_boards: dict[str, int]
) -> None:
    """Negative control of a split."""
    split(record, 1, board_types=[BIG])
    forget(record)
    assert sorted(record.told(*one_of_two_boards.values())) == [(1, None), (2, "withdrawn")]
    assert places(record.conn) == {1: {(SMALL, SWITCH), (BIG, SWITCH)}}


def test_a_join_holds_and_is_taken_back(record: Record, two_commits: dict[str, int]) -> None:
    before = places(record.conn)
    joined = join(record, 1, 2)
    assert (joined.id, record.standing()) == (1, [1])
    assert places(record.conn) == {1: {(SMALL, SWITCH), (BIG, SWITCH)}}
    assert record.events(2)[-1].why == "alert 1 tells its figures: kim joined them"
    assert ("joined by kim: alert 2 is the same cause: the boards differ", 2) in life(record, 1)
    assert [line["alert"] for line in read_model.life_of(record.conn, 2) if line["alert"]] == [1, 1]
    # Two commits are proven, and a person's word stands, on another night too.
    assert record.told(*two_commits.values()) == [(1, None)]
    ids = night(record, 4, {SMALL: SLOW, BIG: SLOW})
    assert record.told(*ids.values()) == [(1, None)]
    assert read_model.joined_into(record.conn, 1) == [2]
    # Taken back: two proven commits are two alerts, with their old numbers.
    again = split(record, 1, joined=2)
    assert (again.id, again.open) == (2, True)
    assert places(record.conn) == before
    assert sorted(record.told(*two_commits.values(), *ids.values())) == [(1, None), (2, None)]
    assert places(record.conn) == before
    assert read_model.joined_into(record.conn, 1) == []


def test_without_the_row_two_commits_are_two_alerts(
    record: Record, two_commits: dict[str, int]
) -> None:
    """Negative control of a join."""
    join(record, 1, 2)
    forget(record)
    record.told(*two_commits.values())
    assert sorted(map(len, places(record.conn).values())) == [1, 1]


def test_what_was_split_is_joined_again(record: Record, one_of_two_boards: dict[str, int]) -> None:
    split(record, 1, board_types=[BIG])
    assert join(record, 2, 1).id == 2
    assert places(record.conn) == {2: {(SMALL, SWITCH), (BIG, SWITCH)}}
    assert record.told(*one_of_two_boards.values()) == [(2, None)]


def test_a_branch_is_told_with_a_commit(record: Record) -> None:
    """A person knows what no search has found: the other board has it from that commit."""
    record.fill(head(1), SAME)
    record.fill(head(2), SLOW)
    push = record.compare(head(1), head(2), "parent")
    assert record.told(push) == [(1, "opened")]
    [other] = night(record, 5, {BIG: SLOW}, of=head(5, branch="linux-next")).values()
    assert sorted(record.told(push, other)) == [(1, None), (2, "opened")]
    with pytest.raises(UsageError, match=r"one commit and its parent.*alert 1 can tell of alert 2"):
        join(record, 2, 1)
    join(record, 1, 2)
    assert record.standing() == [1]
    assert record.told(push, other) == [(1, None)]
    assert len(places(record.conn)[1]) == 2
    # And back: what the commit itself has lost stays with it.
    assert split(record, 1, joined=2).id == 2
    assert sorted(record.told(push, other)) == [(1, None), (2, None)]
    assert sorted(map(len, places(record.conn).values())) == [1, 1]
    # Nobody can take away a commit's own comparison.
    with pytest.raises(UsageError, match="that is nothing of alert 1"):
        split(record, 1, board_types=[SMALL])


def test_what_people_said_ends_with_the_alert(record: Record, two_commits: dict[str, int]) -> None:
    join(record, 1, 2)
    ids = night(record, 4, {SMALL: SAME, BIG: SAME})
    assert record.told(*ids.values()) == [(1, "withdrawn")]
    assert record.conn.execute("SELECT * FROM alert_pin").fetchall() == []


def test_a_branch_keeps_it_under_another_name(conn: Connection, tmp_path: Path) -> None:
    world = World(conn=conn, state=tmp_path / "state", seed=11, pushes=False)
    for _ in range(3):
        world._push()
    world.night([])
    lost = {(board, SWITCH): 0.08 for board in ("rpi5", SMALL)}
    world._push(lost=lost)
    world.line.commits[-1] = evolve(world.head, culprits=dict.fromkeys(lost, world.head.id))
    world.night(["no push"])
    assert [len(some) for some in places(conn).values()] == [2]

    def derive(conn: Connection, ids: Sequence[int]) -> object:
        return alerting.derive(conn, world.catalogue, ids)

    chosen = Chosen(board_types=[SMALL])
    parts.split(conn, world.catalogue, derive, 1, chosen, **KIM)
    two = {1: {("rpi5", SWITCH)}, 2: {(SMALL, SWITCH)}}
    assert places(conn) == two
    world.night(["the branch is renamed"])
    assert world.branch != "master"
    assert places(conn) == two


@pytest.mark.usefixtures("one_of_two_boards")
def test_what_cannot_be_is_refused(record: Record) -> None:
    for words, chosen in (
        ("name what is another cause", {}),
        (f"all of alert 1, which tells of {SMALL} {SWITCH}, {BIG}", {"benchmarks": [SWITCH]}),
        ("that is nothing of alert 1", {"benchmarks": ["cyclictest"]}),
        ("that is nothing of alert 1", {"joined": 7}),
        ("that is all of alert 1", {"branches": ["debian/linux-6.12"]}),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=words):
            split(record, 1, **chosen)
    for words, pair in (
        ("there is no alert 9", (1, 9)), ("there is no alert 9", (9, 1)), ("with itself", (1, 1)),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=words):
            join(record, *pair)
    assert record.actions(1) == ["opened"]
    assert record.standing() == [1]


def test_a_part_that_is_too_small_is_refused_and_nothing_stays(record: Record) -> None:
    night(record, 1, {SMALL: SAME, BIG: SAME})
    ids = night(record, 2, {SMALL: tuple(0.4 * f for f in SAME), BIG: SLOW})
    assert record.told(*ids.values()) == [(1, "opened")]
    strict = Alerts(deterministic=1000.0, throughput=0.6, latency=0.9)

    def derive(_conn: Connection, some: Sequence[int]) -> object:
        return record.derive(*some, thresholds=strict)

    with pytest.raises(UsageError, match="then alert 2 would be none: what is left of it is far"):
        parts.split(
            record.conn, record.catalogue, derive, 1, Chosen(board_types=[BIG]), **KIM
        )  # fmt: skip
    assert (record.standing(), record.actions(1)) == ([1], ["opened"])


def test_a_rehearsal_begins_with_what_people_said(
    record: Record, two_commits: dict[str, int]
) -> None:
    join(record, 1, 2)
    since = datetime.now(UTC)
    ids = night(record, 4, {SMALL: SLOW, BIG: SLOW})
    for number, board_type in enumerate((SMALL, BIG), 1):
        found(record, ids[board_type], head(number)["commit"], board_type)
    assert record.told(*two_commits.values(), *ids.values()) == [(1, None)]

    def back() -> int:
        until = since + timedelta(hours=1)
        done = rehearsal.rehearse(
            record.conn, record.catalogue, Alerts(), since=since, until=until, recipients=None
        )
        return done.rehearsed.back + done.rehearsed.opened

    assert back() == 0
    forget(record)  # negative control
    assert back() == 1


def test_a_person_and_a_night_wait_for_each_other(
    record: Record, one_of_two_boards: dict[str, int], dsn: str
) -> None:
    """Both take the locks in one order: no deadlock ends either."""
    errors: list[BaseException] = []

    def nights() -> None:
        try:
            with connect(dsn) as conn:
                mine = Record(conn=conn, catalogue=record.catalogue, folder=record.folder)
                for _ in range(5):
                    mine.derive(*one_of_two_boards.values())
        except BaseException as e:  # noqa: BLE001 - told to the test
            errors.append(e)

    thread = threading.Thread(target=nights)
    thread.start()
    split(record, 1, board_types=[BIG])
    join(record, 1, 2)
    thread.join(timeout=120)
    assert (thread.is_alive(), errors) == (False, [])
    assert record.standing() == [1]


@pytest.mark.usefixtures("one_of_two_boards")
def test_each_is_said_by_somebody_and_for_a_reason(record: Record) -> None:
    for by, why, words in (("", "x", "give your name"), ("kim", " ", "give a reason")):
        with pytest.raises(UsageError, match=words):
            parts.join(record.conn, record.catalogue, lambda *_: None, 1, 2, by=by, why=why)
    triage.set_state(record.conn, 1, "acknowledged", by="kim", why="seen")
    assert split(record, 1, board_types=[BIG]).triage == "new"
    assert record.alert(1)["triage"] == "acknowledged"
