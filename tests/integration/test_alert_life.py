# SPDX-License-Identifier: GPL-2.0-only
"""The life of an alert: what happened to it, a line each, on its page and in the mail."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.integration import nights as nights_of
from tests.integration.alerting import BASE, SAME, SLOW, Record, head
from tests.integration.nights import Nights
from tests.integration.webpages import read, text, unlinked
from tests.integration.websites import application, visitor
from vlag.alerts import triage
from vlag.config.catalogue import Catalogue
from vlag.notifications.channels import WEBHOOK
from vlag.report import read_model
from vlag.store import messages
from vlag.store.database import Connection

HOOK = '[webhook]\nurl = "https://hook.test/vlag"\nsecret_file = "hook"\n'


@pytest.fixture
def nights(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Nights:
    (tmp_path / "hook").write_text("secret")
    here = nights_of.settings(tmp_path, nights_of.MAIL + HOOK)
    return Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=here)


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


@pytest.fixture
def site(dsn: str, tmp_path: Path) -> FlaskClient:
    return visitor(application(dsn, tmp_path))


def words(conn: Connection, alert: int = 1) -> list[str]:
    return [line["words"] for line in read_model.life_of(conn, alert)]


def of_page(site: FlaskClient, alert: int = 1) -> str:
    """Return the part of an alert's page that tells its life, with its links."""
    page = read(site, f"/alert?id={alert}")
    return page.split('id="life"')[1].split("</ol>")[0]


def test_from_the_first_night_to_the_fix_and_back(
    conn: Connection, nights: Nights, site: FlaskClient
) -> None:
    nights.tell([nights.compare("1")])
    screen = nights.compare("2", 0.9, stage="screen", boots=2)
    nights.compare("2", 0.9, stage="confirm", boots=2)
    nights.tell([screen])
    until = datetime.now(UTC) + timedelta(days=2)
    triage.set_state(conn, 1, "investigating", by="kim", why="looks like the wakeup path")
    triage.mute(conn, 1, until, by="kim", why="the board moves")
    nights.tell([nights.compare("3", stage="screen", boots=2)])
    nights.tell([nights.compare("4", 0.85, stage="screen", boots=2)])
    nights.compare("4", 0.85, stage="confirm", boots=2)
    last = nights.tell([nights.compare("4", 0.85, stage="screen", boots=2)])
    told = words(conn)
    expected = (
        r"confirmed by a rerun: .*", "opened", "investigating by kim: looks like the wakeup path",
        f"muted by kim: until {until:%Y-%m-%d}.*: the board moves",
        r"gone: .*6\.12\.3.* no longer shows it", "came back: it came back",
    )  # fmt: skip
    found = [next((n for n, w in enumerate(told) if re.fullmatch(e, w)), None) for e in expected]
    assert None not in found, told
    assert found[1:] == sorted(n for n in found[1:] if n is not None), told
    assert sum(w.startswith("confirmed") for w in told) == 2, told
    page = of_page(site)
    shown = text(unlinked(page))
    assert [line for line in told if line not in shown] == []
    assert f'href="/compare?id={screen}"' in page
    sent = [m for m in messages.latest(conn, 99) if m.night == last.night]
    [document] = [json.loads(m.body) for m in sent if m.channel == WEBHOOK]
    [alert] = document["alerts"]
    assert [line.partition(" ")[2] for line in alert["life"]] == told


def test_the_mail_of_a_new_alert_tells_its_life(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.9)])
    mails = [m for m in messages.latest(conn, 99) if m.channel != WEBHOOK]
    assert re.search(r"\d{4}-\d\d-\d\d opened", mails[-1].body.decode())
    # Negative control: before there was an alert there is no life.
    assert not re.search(r"\d{4}-\d\d-\d\d opened", mails[0].body.decode())


def test_a_baseline_that_moved_is_a_line(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1", 0.9)])
    assert not any(w.startswith("baseline moved") for w in words(conn))
    nights.tell([nights.compare("2", 0.9, tag="v6.1.1")])
    [moved] = [w for w in words(conn) if w.startswith("baseline moved")]
    assert moved.endswith("-> v6.1.1-vlag"), moved


def test_alerts_of_one_figure_lead_to_each_other(
    record: Record, conn: Connection, site: FlaskClient
) -> None:
    for of, factors in ((BASE, SAME), (head(1), SAME), (head(2), SLOW)):
        record.fill(of, factors)
    by_baseline: Any = record.told(record.compare(BASE, head(2), "baseline"))
    by_parent = record.told(record.compare(head(1), head(2), "parent"))
    assert (by_baseline, sorted(by_parent)) == ([(1, "opened")], [(1, "withdrawn"), (2, "opened")])
    assert "gone: alert 2 is about the commit that accounts for it" in words(conn, 1)
    assert "tells the figures of alert 1" in words(conn, 2)
    assert 'href="/alert?id=2"' in of_page(site, 1)
    assert 'href="/alert?id=1"' in of_page(site, 2)
