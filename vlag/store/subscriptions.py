# SPDX-License-Identifier: GPL-2.0-only
"""How far the followers of alerts have been told, and what they may be told next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from attrs import frozen
from psycopg.rows import class_row

from vlag.store.database import Connection

#: What happens to an alert that people are told.
NEWS = ("opened", "reopened", "withdrawn")
# What happened to alerts about boots.
_NEWS = (
    "FROM alert_event e JOIN alert a ON a.id = e.alert"
    " WHERE e.action = ANY(%(news)s) AND NOT a.synthetic"
)


@frozen(kw_only=True)
class Told:
    """A row of `subscription`."""

    told: int  # the last event that was looked at for it
    digested: date  # the Monday of the last week of which it was told


@frozen(kw_only=True)
class News:
    """One thing that happened to an alert."""

    id: int
    alert: int
    at: datetime
    action: str
    why: str


@frozen(kw_only=True)
class Facts:
    """What an alert is about, by which people follow it."""

    alert: int
    branches: Sequence[str]  # TREE/BRANCH
    boards: Sequence[str]  # board types, and the board of an alert about one
    benchmarks: Sequence[str]
    functions: Sequence[str]  # that surely do more, by profiles
    commits: Sequence[tuple[str, str]]  # tree and commit: where it began


def enter(conn: Connection, names: Sequence[str], week: date) -> None:
    """Note those that are new: what has happened so far is no news to them."""
    conn.execute(
        "INSERT INTO subscription (name, told, digested)"  # noqa: S608 - constants
        f" SELECT n, coalesce((SELECT max(e.id) {_NEWS}), 0), %(week)s"
        " FROM unnest(%(names)s::text[]) n ON CONFLICT (name) DO NOTHING",
        {"names": list(names), "week": week, "news": list(NEWS)},
    )


def waiting(conn: Connection, at_once: Sequence[str], weekly: Sequence[str], week: date) -> bool:
    """Return whether any of these has not been looked at since the last news, or this week."""
    row = conn.execute(
        "SELECT EXISTS (SELECT FROM unnest(%(at_once)s::text[] || %(weekly)s::text[]) n"  # noqa: S608
        "   WHERE NOT EXISTS (SELECT FROM subscription s WHERE s.name = n))"
        " OR EXISTS (SELECT FROM subscription s WHERE s.name = ANY(%(at_once)s) AND s.told <"
        f"   (SELECT max(e.id) {_NEWS}))"
        " OR EXISTS (SELECT FROM subscription s WHERE s.name = ANY(%(weekly)s)"
        "   AND s.digested < %(week)s)",
        {"at_once": list(at_once), "weekly": list(weekly), "news": list(NEWS), "week": week},
    ).fetchone()
    return bool(row and row[0])


def locked(conn: Connection, name: str) -> Told:
    """Return how far one has been told, locked until the transaction ends; it is there."""
    with conn.cursor(row_factory=class_row(Told)) as cursor:
        known = cursor.execute(
            "SELECT told, digested FROM subscription WHERE name = %s FOR UPDATE", (name,)
        ).fetchone()
    assert known is not None  # noqa: S101 - `enter` came before
    return known


def note(conn: Connection, name: str, *, told: int, digested: date) -> None:
    """Note how far one has been told."""
    conn.execute(
        "UPDATE subscription SET told = %s, digested = %s WHERE name = %s", (told, digested, name)
    )


def news(conn: Connection, after: int) -> list[News]:
    """Return what happened to alerts about boots after an event, in its order."""
    with conn.cursor(row_factory=class_row(News)) as cursor:
        return cursor.execute(
            f"SELECT e.id, e.alert, e.at, e.action, e.why {_NEWS}"
            " AND e.id > %(after)s ORDER BY e.id",
            {"after": after, "news": list(NEWS)},
        ).fetchall()


def facts(conn: Connection, alerts: Sequence[int]) -> Mapping[int, Facts]:
    """Return what alerts are about, by their ids."""
    with conn.cursor(row_factory=class_row(Facts)) as cursor:
        found = cursor.execute(_FACTS, {"ids": list(alerts)}).fetchall()
    return {f.alert: f for f in found}


# A withdrawn alert keeps its verdicts.
_FACTS = """
WITH stood AS (
  SELECT v.alert, v.board_type, v.benchmark, v.comparison
  FROM read_model.alert_verdict v WHERE v.alert = ANY(%(ids)s)
)
SELECT a.id AS alert,
  ARRAY(SELECT a.tree || '/' || b FROM unnest(a.branches) b) AS branches,
  ARRAY(SELECT s.board_type FROM stood s WHERE s.alert = a.id
    UNION SELECT a.board_type WHERE a.board_type IS NOT NULL
    UNION SELECT a.board WHERE a.board IS NOT NULL) AS boards,
  ARRAY(SELECT DISTINCT s.benchmark FROM stood s WHERE s.alert = a.id) AS benchmarks,
  ARRAY(SELECT DISTINCT f.name FROM stood s JOIN read_model.profile p ON p.comparison = s.comparison
    JOIN read_model.profile_function f ON f.profile = p.id
    WHERE s.alert = a.id AND f.certain AND f.change > 0) AS functions,
  ARRAY(SELECT ARRAY[a.tree, a.commit] WHERE a.role = 'parent' AND a.commit IS NOT NULL
    UNION SELECT ARRAY[b.tree, c] FROM stood s
    JOIN read_model.bisection b ON b.comparison = s.comparison, unnest(b.commits) c
    WHERE s.alert = a.id AND cardinality(b.commits) = 1) AS commits
FROM read_model.alert a WHERE a.id = ANY(%(ids)s)
"""
