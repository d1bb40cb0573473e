# SPDX-License-Identifier: GPL-2.0-only
"""Who follows which alerts, and what is queued for them: at once, or each week.

What happens to alerts is on record; how far each follower has been told is, too.  So it does not
matter what derived an alert, a night, a push or a search, and nothing is told twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from fnmatch import fnmatchcase

from vlag.alerts.surroundings import Surroundings
from vlag.config import Settings, Subscription
from vlag.config.settings import FOLLOWED
from vlag.notifications import rfc5322
from vlag.notifications.webhook import host
from vlag.report import followed, read_model
from vlag.report.data import followed_alerts
from vlag.report.followed import Followed
from vlag.store import database, messages, subscriptions
from vlag.store.database import Connection
from vlag.store.subscriptions import Facts, News

#: Tree and commit -> name and address of its author; nothing where nobody knows it.
Authors = Callable[[str, str], Sequence[str]]

_WEEK = timedelta(days=7)


def fits(follower: Subscription, facts: Facts, authors: Authors) -> bool:
    """Return whether somebody follows an alert: of each kind of pattern, one fits."""
    its: Mapping[str, Callable[[], Iterable[str]]] = {
        "branches": lambda: facts.branches,
        "boards": lambda: facts.boards,
        "benchmarks": lambda: facts.benchmarks,
        "functions": lambda: facts.functions,
        # They are asked of git, so last.
        "authors": lambda: (a.lower() for c in facts.commits for a in authors(*c)),
    }
    for kind in FOLLOWED:
        patterns = getattr(follower, kind)
        if kind == "authors":
            patterns = tuple(p.lower() for p in patterns)
        if patterns and not any(fnmatchcase(x, p) for x in its[kind]() for p in patterns):
            return False
    return True


def anything_due(dsn: str, followers: Sequence[Subscription]) -> bool:
    """Return whether a sender has anything to do; InfrastructureError if the database is away."""
    with database.connect(dsn) as conn:
        return messages.waiting(conn) or due(conn, followers, datetime.now(UTC))


def due(conn: Connection, followers: Sequence[Subscription], now: datetime) -> bool:
    """Return whether somebody who follows alerts is to be told, or is new."""
    weekly = [s.name for s in followers if s.weekly]
    at_once = [s.name for s in followers if not s.weekly]
    return bool(followers) and subscriptions.waiting(conn, at_once, weekly, _monday(now))


def queue(conn: Connection, settings: Settings, now: datetime) -> list[str]:
    """Queue what followers are to be told; return their names.

    `conn` must be in autocommit mode.  Of one who is new, what has happened so far is no news.
    """
    if not due(conn, settings.subscriptions, now):
        return []
    subscriptions.enter(conn, [s.name for s in settings.subscriptions], _monday(now))
    around = Surroundings.of(settings)
    return [s.name for s in settings.subscriptions if _tell(conn, settings, s, around.people, now)]


def _monday(now: datetime) -> date:
    today = now.astimezone(UTC).date()
    return today - timedelta(days=today.weekday())


def _tell(
    conn: Connection, settings: Settings, follower: Subscription, authors: Authors, now: datetime
) -> bool:
    """Queue what one is to be told, if there is anything; note how far that goes."""
    with conn.transaction():
        known, week = subscriptions.locked(conn, follower.name), _monday(now)
        if follower.weekly and known.digested >= week:
            return False
        news = subscriptions.news(conn, known.told)
        if follower.weekly:
            end = datetime.combine(week, time(), UTC)
            news = [n for n in news if n.at < end]
        told = max((n.id for n in news), default=known.told)
        data = _followed(conn, settings, follower, news, authors, now)
        if follower.weekly:
            data["since"] = max(known.digested, week - _WEEK).isoformat()
            data["until"] = week.isoformat()
        subscriptions.note(conn, follower.name, told=told, digested=week)
        if not any((data["new"], data["back"], data["gone"], data["open"])):
            return False
        mark = week.isoformat() if follower.weekly else str(told)
        key = f"{follower.channel}:follows:{follower.name}:{mark}"
        return _queue(conn, settings, follower, data, key, now)


def _followed(
    conn: Connection,
    settings: Settings,
    follower: Subscription,
    news: Sequence[News],
    authors: Authors,
    now: datetime,
) -> Followed:
    """Return what one is told of what has happened; of each alert what happened last counts."""
    last = {n.alert: n for n in news}
    every = {a["id"]: a for a in read_model.alerts(conn, closed=True)}
    open_ = [a for a in every.values() if a["open"] and not a["synthetic"]]
    ids = [*last, *(a["id"] for a in open_ if follower.weekly and a["id"] not in last)]
    facts = subscriptions.facts(conn, ids)
    mine = {id_ for id_ in ids if id_ in facts and fits(follower, facts[id_], authors)}

    def told(*actions: str) -> list[followed.FollowedAlert]:
        fitting = [n for n in last.values() if n.alert in mine and not every[n.alert]["muted"]]
        its = [n for n in fitting if n.action in actions]
        return followed_alerts.collect(
            [every[n.alert] for n in its], facts, web=settings.url, now=now,
            why_gone={n.alert: n.why for n in its if n.action == "withdrawn"},
        )  # fmt: skip

    oldest_first = sorted(
        (a for a in open_ if a["id"] in mine), key=lambda a: (a["opened_at"], a["id"])
    )
    return {
        "schema": 1,
        "kind": "week of alerts" if follower.weekly else "alerts",
        "follower": follower.name,
        "follows": _words(follower),
        "since": None,
        "until": None,
        "new": told("opened"),
        "back": told("reopened"),
        "gone": told("withdrawn"),
        "open": followed_alerts.collect(oldest_first, facts, web=settings.url, now=now)
        if follower.weekly
        else [],
    }


def _words(follower: Subscription) -> str:
    """Return what one follows, in words."""
    kinds = [f"{kind} {', '.join(p)}" for kind in FOLLOWED if (p := getattr(follower, kind))]
    return "; ".join(kinds) or "all alerts"


def _queue(
    conn: Connection,
    settings: Settings,
    follower: Subscription,
    data: Followed,
    key: str,
    now: datetime,
) -> bool:
    written = followed.render(data)
    if follower.webhook is not None:
        document = {**data, "subject": written.subject, "text": written.text}
        recipient = host(follower.webhook.url)
        body = json.dumps(document, sort_keys=True, ensure_ascii=False).encode()
    else:
        assert settings.mail is not None  # noqa: S101 - the settings were checked
        assert follower.mail is not None  # noqa: S101 - or a webhook
        recipient, sender = follower.mail, settings.mail.sender
        news = [a["id"] for kind in ("new", "back", "gone") for a in data[kind]]
        # Mails of nights that tell of one alert are in the same thread.
        about = news[0] if len(news) == 1 and not follower.weekly else None
        thread = None if about is None else f"alert {about} of {settings.url}"
        body = rfc5322.night_mail(
            written, key=key, sender=sender, to=recipient, at=now, thread=thread
        )
    return messages.queue(
        conn, key=key, channel=follower.channel, recipient=recipient, subject=written.subject,
        body=body, night=None,
    )  # fmt: skip
