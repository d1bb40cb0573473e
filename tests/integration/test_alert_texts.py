# SPDX-License-Identifier: GPL-2.0-only
"""What an alert said stays readable: each text is a row, and a link shows what it showed."""

from __future__ import annotations

import html
import json
import re
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from tests.integration.nights import MAIL, Nights, settings
from tests.integration.planted import before as earlier
from tests.integration.planted import planted
from tests.integration.webpages import inside, read, table
from tests.integration.websites import application, visitor
from vlag.alerts import derive
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.notifications.channels import WEBHOOK
from vlag.report import read_model
from vlag.store import messages, statements
from vlag.store.database import Connection

HOOK = '[webhook]\nurl = "https://hook.test/vlag"\nsecret_file = "hook"\n'


@pytest.fixture
def nights(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Nights:
    (tmp_path / "hook").write_text("secret")
    here = settings(tmp_path, MAIL + HOOK)
    return Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=here)


@pytest.fixture
def site(dsn: str, tmp_path: Path) -> FlaskClient:
    return visitor(application(dsn, tmp_path))


def sent(conn: Connection) -> list[dict[str, Any]]:
    """Return the alert of each night as it was sent to the webhook."""
    bodies = [m.body for m in messages.latest(conn, 99) if m.channel == WEBHOOK]
    return [alert for b in bodies for alert in json.loads(b)["alerts"]]


def mailed(conn: Connection) -> str:
    """Return the texts of all mails."""
    found = []
    for m in messages.latest(conn, 99):
        if m.channel != WEBHOOK:
            plain = message_from_bytes(m.body, policy=default).get_body(("plain",))
            assert plain is not None
            found.append(plain.get_content())
    return "\n".join(found)


def shown(site: FlaskClient, address: str) -> tuple[str, str, list[str]]:
    """Return title, text and figures of an alert's page."""
    page = read(site, "/" + address.rpartition("/")[2])
    changes = [row[2] for row in table(page, "figures")[1:]]
    return inside(page, "h1"), inside(page, "pre"), changes


def worse_and_worse(nights: Nights) -> None:
    for head, factor in (("1", 0.9), ("2", 0.85), ("3", 0.8)):
        nights.tell([nights.compare(head, factor)])


def test_the_link_of_each_message_shows_what_the_message_said(
    conn: Connection, nights: Nights, site: FlaskClient
) -> None:
    worse_and_worse(nights)
    found = sent(conn)
    assert [a["title"].rpartition(" %")[0].split()[-1] for a in found] == ["10.0", "15.0", "20.0"]
    for a in found:
        assert a["url"] in mailed(conn)
        title, body, changes = shown(site, a["url"])
        assert (title, body) == (a["title"], a["body"])
        assert f"-{title.rpartition(' %')[0].split()[-1]}" in changes[0]
    pages = [" ".join(read(site, "/" + a["url"].rpartition("/")[2]).split()) for a in found]
    assert ["It was replaced by" in p for p in pages] == [True, True, False]
    assert "nothing has" in pages[2]
    # The page has all of them, each with its link.
    now = read(site, "/alert?id=1")
    history = table(now, "what the alert said")[1:]
    assert [row[1] for row in history] == [a["title"] for a in found]
    assert history[-1][3] == "it says this now"
    for i, link in enumerate(re.findall(r'<a href="/(alert\?id=1&amp;said=\d+)">\d', now)):
        assert shown(site, html.unescape(link))[:2] == (found[i]["title"], found[i]["body"])
    # A figure of then links to its comparison of then.
    number = found[0]["url"].rpartition("=")[2]
    assert f'href="/compare?id=1&amp;said={number}"' in pages[0]


def test_a_text_is_kept_only_when_it_changes(
    conn: Connection, catalogue: Catalogue, nights: Nights
) -> None:
    nights.tell([nights.compare("1", 0.9)])
    [first] = conn.execute("SELECT said, replaces FROM alert_text").fetchall()
    derive.of_installation(conn, catalogue, nights.settings, [1])
    assert conn.execute("SELECT said, replaces FROM alert_text").fetchall() == [first]
    nights.tell([nights.compare("2", 0.8)])
    rows = conn.execute("SELECT said, replaces FROM alert_text ORDER BY said").fetchall()
    assert rows[0] == first
    assert [r[1] for r in rows] == [None, first[0]]
    for statement in ("UPDATE alert_text SET body = ''", "DELETE FROM alert_text"):
        with pytest.raises(psycopg.IntegrityError, match="what was said stays"):
            conn.execute(statement)


def test_without_the_guard_a_link_shows_something_else(
    conn: Connection, nights: Nights, site: FlaskClient
) -> None:
    """Negative control."""
    worse_and_worse(nights)
    [first, *_] = sent(conn)
    with planted(conn):
        conn.execute("UPDATE alert_text SET body = 'all is well'")
    assert shown(site, first["url"])[1] != first["body"]


def test_the_command_shows_a_text_by_its_number(
    conn: Connection, nights: Nights, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    worse_and_worse(nights)
    monkeypatch.setenv("VLAG_DATABASE", dsn)

    def show(*words: str) -> Any:
        return CliRunner().invoke(main, ["alerts", "show", "1", *words])

    for a in sent(conn):
        assert a["body"] in show("--said", a["url"].rpartition("=")[2]).stdout
    assert show().stdout.count("--said ") == 3
    newest, first = statements.last(conn), conn.execute("SELECT min(said) FROM alert_text")
    [since] = first.fetchone() or ()
    for number, said in (
        (newest + 1, f"nothing was said under the number {newest + 1}; the last one is {newest}"),
        (0, f"nothing was said under the number 0; the last one is {newest}"),
        (since - 1, f"alert 1 was made after {since - 1} was said: its first number is {since}"),
    ):
        done = show("--said", str(number))
        assert done.exit_code == ExitCode.USAGE
        assert said in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_number_that_shows_nothing_is_one_sentence_of_the_page(
    conn: Connection, nights: Nights, site: FlaskClient
) -> None:
    worse_and_worse(nights)
    newest = statements.last(conn)
    for number, said in ((newest + 1, "Nothing was said under the number"), (1, "was made after")):
        answer = site.get(f"/alert?id=1&said={number}")
        assert answer.status_code == 404
        assert said in answer.text
    # Negative control.
    assert site.get(f"/alert?id=1&said={newest}").status_code == 200


def test_alerts_from_before_keep_the_text_that_they_had(conn: Connection, nights: Nights) -> None:
    worse_and_worse(nights)
    with earlier(conn, "0035_alert_texts"):
        pass
    found = read_model.alert(conn, 1)
    assert found is not None
    [text] = found["texts"]
    assert (text["title"], text["body"]) == (found["title"], found["body"])
    assert text["body"] == sent(conn)[-1]["body"]
    assert len(found["verdicts"]) == len(text["verdicts"]) > 0
