# SPDX-License-Identifier: GPL-2.0-only
"""Mail that did not reach people is named where they look, and its recipients are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from tests.integration import websites
from vlag import ROOT
from vlag.cli.main import main
from vlag.report import overview, read_model
from vlag.store import messages
from vlag.store.database import Connection

TO = "kim@owners.example"


def queue(conn: Connection, state: str, *, hours: int = 0, attempts: int = 0, to: str = TO) -> int:
    """Queue a message and give it a state and an age."""
    key = f"{state} {hours} {attempts} {to}"
    messages.queue(conn, key=key, channel="mail", recipient=to, subject="x", body=b"x", night=None)
    row = conn.execute(
        "UPDATE message SET state = %s, attempts = %s,"
        " created_at = '2026-03-05 09:00Z'::timestamptz - make_interval(hours => %s)"
        " WHERE key = %s RETURNING id",
        (state, attempts, hours, key),
    ).fetchone()
    assert row is not None
    return int(row[0])


def places(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str, dict[tuple[str, str], float]]:
    """Return the screen, the overview page, and the metric by channel and state."""
    settings = tmp_path / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text(encoding="utf-8")
    settings.write_text(text.replace("web = 8010", "web = 1"), encoding="utf-8")
    monkeypatch.setenv("VLAG_SETTINGS", str(settings))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    done = CliRunner().invoke(main, ["status"])
    assert done.exit_code == 0, done.output
    visitor = websites.application(dsn, tmp_path).test_client()
    page = " ".join(visitor.get("/").get_data(as_text=True).split())
    found = {
        (sample.labels["channel"], sample.labels["state"]): sample.value
        for family in text_string_to_metric_families(visitor.get("/metrics").text)
        if family.name == "vlag_messages_undelivered"
        for sample in family.samples
    }
    both = json.dumps([done.stdout, page])
    assert TO not in both
    return " ".join(done.stdout.split()), page, found


def test_it_is_said_at_the_door(
    dsn: str, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue(conn, "given up", hours=24)
    queue(conn, "given up")
    queue(conn, "queued", attempts=3)
    said = (
        "2 mails not delivered since 2026-03-04 09:00 UTC; 1 mail waiting to be sent since"
        " 2026-03-05 09:00 UTC: `vlag notify list` says why"
    )
    screen, page, metric = places(dsn, tmp_path, monkeypatch)
    assert f"Mail: {said}" in screen
    assert f"{said}." in page
    assert metric["mail", "given up"] == 2
    assert metric["mail", "waiting"] == 1
    assert metric["webhook", "waiting"] == 0
    found = CliRunner().invoke(main, ["status", "--format", "json"])
    assert json.loads(found.stdout)["undelivered"][0]["messages"] == 2


def test_nothing_is_said_where_all_arrived(
    dsn: str, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue(conn, "sent")
    screen, page, metric = places(dsn, tmp_path, monkeypatch)
    assert "Mail:" not in screen
    assert "delivered" not in page
    assert set(metric.values()) == {0}


def test_which_messages_count(conn: Connection) -> None:
    def said() -> list[tuple[str, int]]:
        return [(r["state"], r["messages"]) for r in read_model.undelivered(conn)]

    # One that waits for its sender is no news, one that nobody has sent for an hour is.
    messages.queue(conn, key="k", channel="mail", recipient=TO, subject="x", body=b"x", night=None)
    assert said() == []
    conn.execute("UPDATE message SET created_at = now() - interval '2 hours'")
    assert said() == [("waiting", 1)]
    conn.execute("DELETE FROM message")
    # A later message that arrived tells what was missed; one to somebody else does not.
    queue(conn, "unconfirmed")
    queue(conn, "sent", to="somebody@else.example")
    assert said() == [("given up", 1)]
    queue(conn, "sent")
    assert said() == []
    assert overview.undelivered([]) is None
