# SPDX-License-Identifier: GPL-2.0-only
"""A rehearsal of alerts: the present settings give the record, others another list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from attrs import evolve

from tests.integration import nights as nights_of
from tests.integration.alerting import BASE, SAME, SLOW, Record, head
from tests.integration.nights import Nights
from tests.integration.rehearsed import LATER, a_while, rehearsed
from vlag.alerts import derive, rehearsal, triage
from vlag.alerts.known import Known
from vlag.config import Alerts
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.store import findings, rehearsals
from vlag.store.database import Connection


@pytest.fixture
def nights(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Nights:
    here = nights_of.settings(tmp_path)
    return Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=here)


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


def everything(conn: Connection) -> list[Any]:
    return [
        conn.execute(f"SELECT * FROM public.{table} ORDER BY 1, 2").fetchall()  # noqa: S608
        for table in ("alert", "alert_verdict", "alert_event", "alert_text")
    ]


def test_the_present_settings_are_the_record_and_nothing_of_it_stays(record: Record) -> None:
    a_while(record)
    before = everything(record.conn)
    done = rehearsed(record.conn, record.catalogue, Alerts())
    assert everything(record.conn) == before
    opened = record.conn.execute("SELECT id, title, opened_at FROM alert ORDER BY id").fetchall()
    assert len(opened) > 1, opened
    assert [c.alert for c in done.both] == [id_ for id_, *_ in opened]
    assert (done.more, done.less) == ([], [])
    assert done.rehearsed == done.recorded
    assert done.rehearsed.back > 0
    assert done.both[0].judged == "real"
    for cause, (_, _title, at) in zip(done.both, opened, strict=True):
        assert abs(cause.opened_at - at) < timedelta(minutes=1)


def test_what_is_shared_by_nights_changes_nothing(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each night by itself, which reads everything anew, gives the same to the last byte."""
    a_while(record)
    given = {"since": datetime.now(UTC) - timedelta(days=1), "until": datetime.now(UTC) + LATER}
    together = rehearsed(record.conn, record.catalogue, Alerts(latency=0.02), **given)
    memories: list[findings.Remembered] = []
    once, asked = derive.rehearse, Known.of_culprit
    nights = 0

    def one(
        conn: Connection, catalogue: Catalogue, new: Any, shared: derive.Shared, concerned: Any
    ) -> Any:
        nonlocal nights
        nights += 1
        for memory in memories:
            for known in (memory.rows, memory.pairs, memory.explained, memory.with_parent,
                          memory.baselines):  # fmt: skip
                known.clear()
        fresh = derive.Shared.of(conn, catalogue, shared.limits.thresholds)
        return once(conn, catalogue, new, fresh, concerned)

    def anew(self: Known, culprit: Any) -> Any:
        self._by_key.clear()
        return asked(self, culprit)

    @contextmanager
    def remembering(at: datetime) -> Iterator[findings.Remembered]:
        with real(at) as memory:
            memories.append(memory)
            yield memory

    real = findings.remembering
    monkeypatch.setattr(derive, "rehearse", one)
    monkeypatch.setattr(Known, "of_culprit", anew)
    monkeypatch.setattr(findings, "remembering", remembering)
    alone = rehearsed(record.conn, record.catalogue, Alerts(latency=0.02), **given)
    assert nights > 5
    assert len(memories) == 1
    assert repr(alone) == repr(together)
    # Negative control: other thresholds are another list.
    assert repr(rehearsed(record.conn, record.catalogue, Alerts(throughput=0.5), **given)) != repr(
        together
    )


def test_a_changed_threshold_changes_the_list(record: Record) -> None:
    a_while(record)
    none = rehearsed(record.conn, record.catalogue, rehearsal.changed(
        Alerts(), ["alerts.throughput=0.5", "alerts.deterministic=1000", "latency=9"]
    ))  # fmt: skip
    assert (none.both, none.more) == ([], [])
    assert {c.alert for c in none.less} == {row[0] for row in record.conn.execute(
        "SELECT id FROM alert")}  # fmt: skip
    assert (none.rehearsed.opened, none.recorded.opened) == (0, len(none.less))


def test_what_was_too_small_opens(record: Record) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW)
    record.derive(record.compare(BASE, head(1), "baseline"), thresholds=Alerts(
        throughput=0.5, latency=0.9, deterministic=1000.0))  # fmt: skip
    assert record.standing() == []
    done = rehearsed(record.conn, record.catalogue, Alerts())
    assert [c.alert for c in done.more] == [None]
    assert done.more[0].title.startswith("debian/linux-6.12 on qemu-sim-2: stress-ng-switch")
    assert done.more[0].judged == "not judged"
    assert record.standing() == []


def test_a_rehearsal_may_not_write_to_the_tables(record: Record) -> None:
    with rehearsals.copied(record.conn, datetime.now(UTC)):
        record.conn.execute("UPDATE alert SET title = 'another'")  # the copy
        refused = pytest.raises(psycopg.errors.ReadOnlySqlTransaction)
        with refused, record.conn.transaction():
            record.conn.execute("UPDATE public.alert SET title = 'another'")


def test_nights_and_mails(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.9)])
    triage.set_state(conn, 1, "invalid", by="kim", why="the board was hot")
    nights.tell([nights.compare("3", 0.9)])
    mail = nights.settings.mail
    assert mail is not None
    done = rehearsed(conn, nights.catalogue, nights.settings.alerts, recipients=mail.recipients)
    assert [(c.alert, c.judged) for c in done.both] == [(1, "noise")]
    assert done.rehearsed == done.recorded
    assert done.rehearsed.mails_a_week > 0
    nobody = rehearsed(
        conn, nights.catalogue, nights.settings.alerts, recipients=lambda _tree, _branch: ()
    )
    assert nobody.rehearsed.mails_a_week == 0


def test_an_alert_of_before_is_not_opened_again(record: Record) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW)
    record.derive(record.compare(BASE, head(1), "baseline"))
    since = datetime.now(UTC)
    record.fill(head(2), SLOW)
    record.derive(record.compare(BASE, head(2), "baseline"))
    done = rehearsed(record.conn, record.catalogue, Alerts(), since=since)
    assert (done.both, done.more, done.less) == ([], [], [])
    assert rehearsed(record.conn, record.catalogue, Alerts()).both


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("alerts.latency", "sets nothing that opens alerts"),
        ("alerts.channel=grafana", "sets nothing that opens alerts"),
        ("alerts.latency=0", "a number above 0"),
        ("alerts.latency=nan", "a number above 0"),
        ("latency=ten", "a number above 0"),
    ],
)
def test_what_is_no_setting_is_refused(word: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        rehearsal.changed(Alerts(), [word])


def test_settings_to_try() -> None:
    tried = rehearsal.changed(Alerts(), ["alerts.latency=0.05", "relevances.hardware=3"])
    assert tried == evolve(Alerts(), latency=0.05, relevances={"hardware": 3.0})


def test_the_command(record: Record, vlag: Any) -> None:
    a_while(record)
    text = vlag("alerts", "rehearse", "--set", "alerts.throughput=0.5", "--since", "1d").stdout
    assert "alerts.throughput = 0.5 (now 0.02)" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 75
    document = json.loads(vlag("alerts", "rehearse", "--since", "1d", "--format", "json").stdout)
    assert document["recorded"] == document["rehearsed"]
