# SPDX-License-Identifier: GPL-2.0-only
"""What a rehearsal leaves alone is what it would not have changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.integration.alerting import BIG, SAME, SLOW, SLOWER, SMALL, Record, head
from tests.integration.grouped import found, night
from tests.integration.rehearsed import LATER, a_while, rehearsed
from vlag.alerts import rehearsal, triage
from vlag.alerts.at_rest import AtRest, Stirred
from vlag.config import Alerts
from vlag.config.catalogue import Catalogue
from vlag.store import nights, rehearsal_links, rehearsals
from vlag.store.database import Connection
from vlag.store.nights import Night
from vlag.store.rehearsals import Moment

OTHER = {"branch": "linux-6.13", "describe": "debian/6.13.1-1"}
THIRD = {"branch": "linux-6.14", "describe": "debian/6.14.1-1"}
FOURTH = {"tree": "stable", "branch": "linux-6.15", "describe": "v6.15.1"}


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


def told(record: Record, comparisons: list[int]) -> None:
    """End a night that has compared something a while ago."""
    now = datetime.now(UTC)
    one = Night(
        key=str(comparisons), started_at=now, finished_at=now, multiple_testing=None,
        comparisons=comparisons, branches=[], missing=[], notes=[], url=None, report=None,
    )  # fmt: skip
    nights.insert(record.conn, one)
    record.derive(*comparisons)


def few(record: Record) -> None:
    """Put a head of each of four branches on record, two of which a search has linked."""
    record.derive(*night(record, 2, {SMALL: SLOW}).values())
    record.derive(*night(record, 9, {SMALL: SLOW}, of=head(9, **OTHER)).values())
    third = night(record, 10, {SMALL: SLOWER}, of=head(10, **THIRD))
    found(record, third[SMALL], head(9, **OTHER)["commit"])
    record.derive(*third.values())
    record.derive(*night(record, 12, {SMALL: SLOW}, of=head(12, **FOURTH)).values())


def many(record: Record) -> None:
    """Put four branches on record, which get their figures one after the other."""
    a_while(record)
    few(record)
    triage.set_state(record.conn, record.standing()[-1], "invalid", by="kim", why="a hot board")
    # What a night has compared is there before it ends: a push meanwhile sees it.
    better = night(record, 11, {SMALL: SAME}, of=head(11, **OTHER))
    record.derive(*night(record, 13, {SMALL: SLOWER, BIG: SLOW}, of=head(13, **FOURTH)).values())
    told(record, list(better.values()))
    record.derive(*night(record, 14, {SMALL: SLOW}, of=head(14, **OTHER)).values())


@contextmanager
def copies() -> Iterator[list[Any]]:
    """Yield what is in each copy at its end."""
    kept: list[Any] = []
    real = rehearsal._replay
    columns = {
        "alert": "id, key, kind, tree, branch, board_type, base_kernel, new_kernel, change_point,"
        " role, throughput, latency, title, body, triage, opened_at, withdrawn_at",
        "alert_verdict": "alert, verdict",
        "alert_event": "id, alert, action, triage, by, why",
        "alert_text": "said, alert, title, body, verdicts",
    }

    def replay(conn: Connection, *given: Any) -> Any:
        done = real(conn, *given)
        kept.append([
            conn.execute(f"SELECT {its} FROM pg_temp.{table} ORDER BY 1, 2").fetchall()  # noqa: S608
            for table, its in columns.items()
        ])  # fmt: skip
        return done

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rehearsal, "_replay", replay)
        yield kept


def test_nothing_that_is_left_alone_would_have_changed(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    since = datetime.now(UTC) - timedelta(days=1)
    many(record)
    middle = record.conn.execute(
        "SELECT created_at FROM comparison ORDER BY id OFFSET 5 LIMIT 1"
    ).fetchall()[0][0]
    until = datetime.now(UTC) + LATER
    asked = [
        (Alerts(), since),
        (Alerts(throughput=0.15), middle),
    ]

    def done(thresholds: Alerts, begin: datetime) -> list[Any]:
        with copies() as kept:
            told = rehearsed(record.conn, record.catalogue, thresholds, since=begin, until=until)
        return [repr(told), kept]

    alone = [done(*one) for one in asked]
    seen: list[Stirred] = []
    real = AtRest.stirred

    def everything(self: AtRest, moment: Moment) -> Stirred:
        seen.append(real(self, moment))
        return evolve(seen[-1], parts=None)

    with monkeypatch.context() as patched:
        patched.setattr(AtRest, "stirred", everything)
        assert [done(*one) for one in asked] == alone
    left = [s for s in seen if s.parts is not None and len(s.parts) < 2]
    assert len(left) > len(seen) / 2, "hardly anything is left alone"
    # Negative control: what stands is left alone whatever comes.
    with monkeypatch.context() as patched:
        patched.setattr(Stirred, "concerns", lambda _self, _alert: False)
        assert done(*asked[0]) != alone[0]


@contextmanager
def at_rest(record: Record) -> Iterator[tuple[AtRest, datetime]]:
    """Yield parts none of which may change, on a copy, and the time of that."""
    at = datetime.now(UTC)
    with rehearsals.copied(record.conn, at):
        rest = AtRest.of(record.conn, [])
        for _ in range(2):
            rest.stirred(Moment(at=at, night=False, comparisons=[]))
        assert rest.stirred(Moment(at=at, night=False, comparisons=[])).nothing
        yield rest, at


def test_what_is_done_to_an_alert_stirs_its_branches(record: Record) -> None:
    few(record)
    with at_rest(record) as (rest, at):
        moment = Moment(at=at, night=False, comparisons=[])
        record.conn.execute("UPDATE pg_temp.alert SET triage = triage")
        assert rest.stirred(moment).nothing, "it is as it was"
        for change in (
            "UPDATE pg_temp.alert SET triage = 'wont_fix' WHERE id = 1",
            "DELETE FROM pg_temp.alert_verdict WHERE alert = 1",
            "INSERT INTO pg_temp.alert_event (alert, at, by, action, why)"
            " VALUES (1, now(), 'kim', 'muted', 'loud')",
        ):
            record.conn.execute(change)
            stirred = rest.stirred(moment)
            assert stirred.parts is not None
            assert len(stirred.parts) == 1, change
            assert rest.stirred(moment).nothing
            ((_n, first),) = record.conn.execute("SELECT id, branch FROM alert WHERE id = 1")
            assert first == "linux-6.12"


def test_new_figures_stir_their_branches_twice(record: Record) -> None:
    few(record)
    new = night(record, 15, {SMALL: SAME}, of=head(15, **FOURTH))
    at = datetime.now(UTC)
    with rehearsals.copied(record.conn, at):
        rest = AtRest.of(record.conn, [Moment(at=at, night=False, comparisons=list(new.values()))])
        nothing = Moment(at=at, night=False, comparisons=[])
        assert rest.stirred(nothing).parts is None, "nothing is known yet"
        assert rest.stirred(nothing).nothing
        for _ in range(2):
            moment = Moment(at=at, night=False, comparisons=list(new.values()))
            # What they opened may be another one's without them.
            for now in (moment, nothing):
                parts = rest.stirred(now).parts
                assert parts is not None
                assert len(parts) == 1
            assert rest.stirred(nothing).nothing


def test_what_is_measured_otherwise_stirs_everything(record: Record) -> None:
    few(record)
    begin = datetime.now(UTC)
    row = {"tree": "debian", "branch": "linux-6.*", "board_types": [SMALL], "plans": ["nightly"]}
    for number, branches in enumerate(([row], [row], [{**row, "plans": ["commit"]}])):
        nights.insert(record.conn, Night(
            key=f"night {number}", started_at=begin, finished_at=begin + timedelta(hours=number),
            multiple_testing=None, comparisons=[], branches=branches,  # type: ignore[arg-type]
            missing=[], notes=[], url=None, report=None,
        ))  # fmt: skip
    with rehearsals.copied(record.conn, begin):
        rest = AtRest.of(record.conn, [])
        moments = [
            Moment(at=begin + timedelta(hours=hours), night=True, comparisons=[])
            for hours in (0, 0, 1, 2, 2)
        ]
        assert [rest.stirred(m).parts is None for m in moments] == [True, False, False, True, False]


def test_branches_that_a_cause_may_have_together_are_one_part(record: Record) -> None:
    few(record)

    def parts(named: list[tuple[str, str]]) -> int:
        with rehearsals.copied(record.conn, datetime.now(UTC)):
            rest = AtRest.of(record.conn, [])
            return len({rest._part(tree, branch, None) for tree, branch in named})

    first, *two = [("debian", f"linux-6.{n}") for n in (12, 13, 14)]
    assert parts(two) == 1, "a search found a commit of the one in the other"
    assert parts([first, *two, ("stable", "linux-6.15")]) == 3
    record.conn.execute("DELETE FROM bisection_comparison")
    record.conn.execute("UPDATE alert SET branch = 'linux-6.13' WHERE branch = 'linux-6.14'")
    assert parts(two) == 1, "an alert tells of both"
    record.conn.execute(
        "INSERT INTO alert_pin (scope, benchmark, alert) SELECT repeat('a', 64), 'schbench',"
        " min(id) FROM alert"
    )
    assert parts([first, *two, ("stable", "linux-6.15")]) == 1, "people join anything"


def test_an_unknown_kernel_is_a_part_of_its_own(record: Record) -> None:
    few(record)
    with rehearsals.copied(record.conn, datetime.now(UTC)):
        nodes = [node for link in rehearsal_links.links(record.conn) for node in link]
        kernels = record.conn.execute("SELECT id FROM kernel").fetchall()
    assert {rehearsal_links.kernel(id_) for (id_,) in kernels} <= set(nodes)
