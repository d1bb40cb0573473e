# SPDX-License-Identifier: GPL-2.0-only
"""Who is told of which alerts, at once and of a week: from nights on record to messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from attrs import evolve

from tests.integration.nights import MAIL, Nights, settings
from vlag.alerts import triage
from vlag.config import Settings, Subscription, documents
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.notifications import following
from vlag.notifications.channels import transports
from vlag.store import messages
from vlag.store.database import Connection
from vlag.store.messages import Message
from vlag.store.subscriptions import Facts

AT_ONCE = """
[subscriptions.kim]
mail = "kim@follows.test"
when = "at once"
branches = ["debian/linux-6.*"]
boards = ["qemu-*"]
benchmarks = ["stress-ng-*"]
"""
OTHERS = """
[subscriptions.other-branch]
mail = "other@follows.test"
when = "at once"
branches = ["debian/linux-5.*"]

[subscriptions.functions]
mail = "functions@follows.test"
when = "at once"
functions = ["pick_*"]
"""
WEEKLY = """
[subscriptions.week]
webhook = "https://chat.test/hooks/secret"
secret_file = "hook"
when = "weekly"
"""


@pytest.fixture
def nights(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Nights:
    return Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=settings(tmp_path))


def followed(folder: Path, text: str) -> Settings:
    (folder / "of-followers").mkdir(exist_ok=True)
    return settings(folder / "of-followers", MAIL + text)


def queued(conn: Connection) -> list[Message]:
    return [m for m in messages.latest(conn, 99) if ":follows:" in m.key]


def text_of(message: Message) -> str:
    mail = message_from_bytes(message.body, policy=default)
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def now() -> datetime:
    return datetime.now(UTC)


def test_a_follower_is_told_at_once_of_what_comes_and_goes(
    conn: Connection, nights: Nights, tmp_path: Path
) -> None:
    given = followed(tmp_path, AT_ONCE + OTHERS)
    nights.tell([nights.compare("1")])
    assert following.queue(conn, given, now()) == []  # all are new here: it is no news
    nights.tell([nights.compare("2", 0.9)])
    assert following.due(conn, given.subscriptions, now())
    assert following.queue(conn, given, now()) == ["kim"]
    # Once: nothing is due, and nothing is queued.
    assert not following.due(conn, given.subscriptions, now())
    assert following.queue(conn, given, now()) == []
    nights.tell([nights.compare("3")])
    assert following.queue(conn, given, now()) == ["kim"]
    came, went = queued(conn)
    assert came.recipient == "kim@follows.test"
    assert came.channel == "mail"
    assert came.subject.startswith("[vlag] new alert 1: debian/linux-6.12")
    assert len(came.subject) <= 78
    assert "stress-ng-switch bogo-ops-rate is 10.0 % worse on qemu-sim-2" in " ".join(
        text_of(came).split()
    )
    assert "[subscriptions.kim]" in text_of(came)
    assert went.subject.startswith("[vlag] alert 1 is gone: ")
    assert "no longer shows it" in " ".join(text_of(went).split())
    threads = [message_from_bytes(m.body)["References"] for m in (came, went)]
    assert threads[0] is not None
    assert len(set(threads)) == 1
    for mail in (came, went):
        assert max(map(len, text_of(mail).splitlines())) <= 75 or "http" in text_of(mail)


def test_a_muted_alert_is_told_to_nobody(conn: Connection, nights: Nights, tmp_path: Path) -> None:
    given = followed(tmp_path, AT_ONCE)
    nights.tell([nights.compare("1")])
    following.queue(conn, given, now())
    nights.tell([nights.compare("2", 0.9)])
    triage.mute(conn, 1, now() + timedelta(days=1), by="kim", why="the board moves")
    assert following.queue(conn, given, now()) == []
    nights.tell([nights.compare("3")])
    assert following.queue(conn, given, now()) == []
    assert queued(conn) == []


def test_a_report_of_somebody_is_no_news(conn: Connection, nights: Nights, tmp_path: Path) -> None:
    """Nor is its alert looked at again and again."""
    given = followed(tmp_path, AT_ONCE)
    nights.tell([nights.compare("1")])
    following.queue(conn, given, now())
    nights.tell([nights.compare("2", 0.9)])
    conn.execute("UPDATE alert SET synthetic = true")
    assert not following.due(conn, given.subscriptions, now())
    assert following.queue(conn, given, now()) == []
    # Negative control.
    conn.execute("UPDATE alert SET synthetic = false")
    assert following.queue(conn, given, now()) == ["kim"]


def test_a_week_is_told_on_its_monday_with_owner_and_deadline(
    conn: Connection, nights: Nights, tmp_path: Path
) -> None:
    given = followed(tmp_path, WEEKLY)
    nights.tell([nights.compare("1")])
    following.queue(conn, given, now())
    nights.tell([nights.compare("2", 0.9)])
    today = now()
    triage.set_state(
        conn, 1, "investigating", by="kim", why="it is mine", due=today.date() - timedelta(days=1)
    )
    # Not within its week.
    assert not following.due(conn, given.subscriptions, today)
    assert following.queue(conn, given, today) == []
    monday = today + timedelta(days=7 - today.weekday())
    assert following.queue(conn, given, monday) == ["week"]
    assert following.queue(conn, given, monday + timedelta(days=2)) == []
    [message] = queued(conn)
    assert message.channel == "webhook:week"
    assert message.recipient == "https://chat.test"  # the path may be a secret
    document = json.loads(message.body)
    assert documents.fault(document, "followed.schema.json") is None
    assert documents.fault({**document, "kind": "night"}, "followed.schema.json") is not None
    assert [a["id"] for a in document["new"]] == [1]
    assert [(a["owner"], a["overdue"]) for a in document["open"]] == [("kim", True)]
    assert document["open"][0]["age_days"] == (monday - today).days
    assert "investigating, kim, was due" in " ".join(document["text"].split())
    assert message.subject.endswith("1 new, 1 open")
    # A week later it is no news, and still open.
    later = monday + timedelta(days=7)
    assert following.queue(conn, given, later) == ["week"]
    second = json.loads(queued(conn)[-1].body)
    assert (second["new"], [a["id"] for a in second["open"]]) == ([], [1])
    # The channel has a way of its own; without the subscription it waits.
    assert message.channel in transports(given)
    assert message.channel not in transports(settings(tmp_path))


FACTS = Facts(
    alert=1,
    branches=["debian/linux-6.12"],
    boards=["rpi5", "altra"],
    benchmarks=["stress-ng-switch"],
    functions=["pick_eevdf"],
    commits=[("debian", "a" * 40)],
)


@pytest.mark.parametrize(
    ("patterns", "fits"),
    [
        ({}, True),
        ({"branches": ["debian/*"]}, True),
        ({"branches": ["linux-6.12"]}, False),
        ({"boards": ["x86-*", "rpi5"]}, True),
        ({"boards": ["x86-*"]}, False),
        ({"benchmarks": ["*switch"]}, True),
        ({"benchmarks": ["*pipe"]}, False),
        ({"functions": ["pick_*"]}, True),
        ({"functions": ["place_*"]}, False),
        ({"authors": ["*@Example.org"]}, True),
        ({"authors": ["kim doe"]}, True),
        ({"authors": ["*@example.com"]}, False),
        ({"branches": ["debian/*"], "functions": ["place_*"]}, False),
    ],
)
def test_of_each_kind_one_pattern_must_fit(patterns: dict[str, Sequence[str]], fits: bool) -> None:
    follower = Subscription(
        name="x", mail="x@test", webhook=None, weekly=False,
        **{kind: tuple(each) for kind, each in patterns.items()},
    )  # fmt: skip

    def authors(tree: str, commit: str) -> Sequence[str]:
        assert (tree, commit) == FACTS.commits[0]
        return ("Kim Doe", "kim@example.org")

    assert following.fits(follower, FACTS, authors) is fits
    # An alert of which nothing is known fits those alone that ask for nothing.
    nothing = evolve(FACTS, branches=[], boards=[], benchmarks=[], functions=[], commits=[])
    assert following.fits(follower, nothing, authors) is (not patterns)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[subscriptions.kim]\nwhen = "weekly"\n', "subscriptions.kim"),
        ('[subscriptions.kim]\nmail = "kim@test"\n', "when"),
        ('[subscriptions.kim]\nmail = "kim@test"\nwhen = "daily"\n', "daily"),
        ('[subscriptions.kim]\nmail = "kim@test"\nwhen = "weekly"\nbranch = ["x"]\n', "branch"),
    ],
)
def test_a_subscription_that_reaches_nobody_is_refused(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        settings(tmp_path, MAIL + text)


def test_mail_needs_a_server(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no mail can be sent: give a server in \[mail\]"):
        settings(tmp_path, AT_ONCE)
    assert settings(tmp_path, WEEKLY).subscriptions[0].webhook is not None


def test_a_deadline_is_of_those_that_somebody_works_on(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.9)])
    day = now().date()
    set_ = triage.set_state(conn, 1, "acknowledged", by="kim", why="mine", due=day)
    assert set_.due == day
    # It stays with another state that is open, and goes with one that is closed.
    assert triage.set_state(conn, 1, "investigating", by="kim", why="so far").due == day
    assert triage.set_state(conn, 1, "invalid", by="kim", why="noise").due is None
    with pytest.raises(UsageError, match="an alert that is fixed has no deadline"):
        triage.set_state(conn, 1, "fixed", by="kim", why="it is", due=day)
