# SPDX-License-Identifier: GPL-2.0-only
"""A regression as one thing: from the kernel's build to the fix, whichever comparison found it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from datetime import datetime
from typing import TypedDict

from vlag.report.read_model.alert_rows import AlertEventRow
from vlag.report.read_model.bisection_rows import bisections
from vlag.report.read_model.course_steps import Step, step
from vlag.report.read_model.course_work import work
from vlag.report.read_model.rows import column, rows
from vlag.report.read_model.view_rows import SuspicionRow
from vlag.store.database import Connection


class SuspicionDecisionRow(TypedDict):
    """`suspicion_decision`: what a rerun made of a suspicion."""

    suspicion: int
    said: int
    at: datetime
    stand: str
    boots: int
    decided_by: int | None
    effect: float | None
    mode: str | None


class NightMessageRow(TypedDict):
    """`night_message`: how many messages a night has sent."""

    night: int
    channel: str
    state: str
    messages: int


class _ScreenRow(TypedDict):
    suspicion: int
    effect: float | None
    boots: int
    mode: str | None


class _ProfileRow(TypedDict):
    comparison: int
    at: datetime
    benchmark: str
    sentence: str


class _NightRow(TypedDict):
    id: int
    at: datetime
    report: bool


class Named(TypedDict):
    """What names the figure of a suspicion."""

    benchmark: str
    metric: str
    statistic: str


class Regression(TypedDict):
    """What belongs to one regression."""

    suspicions: list[SuspicionRow]  # oldest first
    alerts: list[int]
    course: list[Step]  # oldest first


def regression_of_alert(conn: Connection, alert: int) -> Regression:
    """Return the regression that an alert is about."""
    ids = column(
        conn,
        "SELECT x.suspicion FROM read_model.alert_suspicion x WHERE x.alert = %(id)s",
        {"id": alert},
    )
    return _whole(conn, ids, [alert])


def regression_of_suspicion(conn: Connection, suspicion: int) -> Regression | None:
    """Return the regression that a suspicion belongs to; None where there is no such suspicion.

    With it go those of the same kernel, board type, figure and way against other bases, which
    no rerun has refuted.
    """
    ids = column(
        conn,
        "SELECT s.id FROM read_model.suspicion x JOIN read_model.suspicion s"
        " ON s.new_kernel = x.new_kernel AND s.new_knobs = x.new_knobs"
        " AND s.board_type = x.board_type AND s.benchmark = x.benchmark"
        " AND s.parameters = x.parameters AND s.metric = x.metric AND s.statistic = x.statistic"
        " AND s.worse = x.worse AND (s.stand <> 'refuted' OR s.id = x.id) WHERE x.id = %(id)s",
        {"id": suspicion},
    )
    if not ids:
        return None
    alerts = column(
        conn,
        "SELECT DISTINCT x.alert FROM read_model.alert_suspicion x"
        " WHERE x.suspicion = ANY(%(ids)s) ORDER BY x.alert",
        {"ids": ids},
    )
    return _whole(conn, ids, alerts)


def of_cause(conn: Connection, comparisons: Sequence[int]) -> list[int]:
    """Return comparisons and those in which the same commit shows the same cause.

    That is on other boards, with parts of the series, and with its parent or its baseline.
    What a knob or a known regression of the self-proof costs on that commit is something else.
    """
    return column(
        conn,
        "SELECT DISTINCT o.id FROM read_model.comparison c JOIN read_model.comparison o"
        " ON o.tree = c.tree AND o.new_commit = c.new_commit AND o.synthetic = c.synthetic"
        " AND o.patches IS NOT DISTINCT FROM c.patches AND o.variant = c.variant"
        " AND o.new_knobs = c.new_knobs AND o.base_knobs = c.base_knobs"
        # Parts of a series are compared with the commit without it.
        " AND (o.role IS NOT NULL OR o.base_commit = c.base_commit"
        "   OR o.patches IS NOT NULL AND o.base_commit = o.new_commit)"
        " AND (o.as_predicted IS NULL OR o.id = c.id)"
        " WHERE c.id = ANY(%(ids)s) ORDER BY o.id",
        {"ids": list(comparisons)},
    )


def _whole(conn: Connection, ids: Sequence[int], alerts: Sequence[int]) -> Regression:
    suspicions = rows(
        conn,
        SuspicionRow,
        "SELECT s.* FROM read_model.suspicion s WHERE s.id = ANY(%(ids)s) ORDER BY s.id",
        {"ids": list(ids)},
    )
    compared = _comparisons(conn, suspicions, alerts)
    benchmarks = {s["benchmark"] for s in suspicions} | _benchmarks(conn, alerts)
    steps = [
        *work(conn, compared, benchmarks),
        *_suspected(conn, suspicions),
        *_decided(conn, suspicions),
        *_causes(conn, benchmarks, compared),
        *_nights(conn, compared),
        *_events(conn, alerts),
    ]
    course = sorted(steps, key=lambda s: s["at"])
    return {"suspicions": suspicions, "alerts": list(alerts), "course": course}


def _comparisons(
    conn: Connection, suspicions: Sequence[SuspicionRow], alerts: Sequence[int]
) -> list[int]:
    """Return the comparisons of first boots that suspicions and alerts are of."""
    raised = {s["raised_by"] for s in suspicions if s["raised_by"] is not None}
    grounds = column(
        conn,
        "SELECT DISTINCT v.comparison FROM read_model.alert_verdict v WHERE v.alert = ANY(%(ids)s)",
        {"ids": list(alerts)},
    )
    return sorted(raised | {*grounds})


def _suspected(conn: Connection, suspicions: Sequence[SuspicionRow]) -> Iterator[Step]:
    screens = {
        row["suspicion"]: row
        for row in rows(
            conn,
            _ScreenRow,
            "SELECT v.suspicion_id AS suspicion,"
            " coalesce(v.screened_effect, v.effect) AS effect,"
            " coalesce(v.screened_n_new, v.n_new) AS boots, v.mode"
            " FROM read_model.verdict v JOIN read_model.suspicion s ON s.id = v.suspicion_id"
            " AND s.raised_by = v.comparison WHERE v.comparison = ANY(%(ids)s)",
            {"ids": sorted({s["raised_by"] for s in suspicions if s["raised_by"] is not None})},
        )
    }
    for s in suspicions:
        words = f"{figure_name(s)}: {s['new']} against {s['base']} on {s['board_type']}"
        screen = screens.get(s["id"])
        if screen is not None:
            words += f", {change_words(screen['effect'])} in {screen['boots']} boots"
            words += f"; {screen['mode']}" if screen["mode"] and s["stand"] == "open" else ""
        elif s["raised_by"] is None:
            words += ", by its history"
        yield step(s["created_at"], "suspected", words, comparison=s["raised_by"])


def _decided(conn: Connection, suspicions: Sequence[SuspicionRow]) -> Iterator[Step]:
    by_id = {s["id"]: s for s in suspicions}
    for d in rows(
        conn,
        SuspicionDecisionRow,
        "SELECT d.* FROM read_model.suspicion_decision d WHERE d.suspicion = ANY(%(ids)s)"
        " ORDER BY d.said",
        {"ids": list(by_id)},
    ):
        s = by_id[d["suspicion"]]
        words = f"{figure_name(s)}: a rerun of {d['boots']} boots a side against {s['base']} on"
        words += f" {s['board_type']}, {change_words(d['effect'])}"
        words += f"; {d['mode']}" if d["mode"] else ""
        # The page of the first boots has those of the rerun.
        yield step(d["at"], d["stand"], words, comparison=s["raised_by"] or d["decided_by"])


def _benchmarks(conn: Connection, alerts: Sequence[int]) -> set[str]:
    """Return the benchmarks of what alerts stand on, which no screen need have suspected."""
    return set(
        column(
            conn,
            "SELECT DISTINCT v.benchmark FROM read_model.alert_verdict v"
            " WHERE v.alert = ANY(%(ids)s)",
            {"ids": list(alerts)},
        )
    )


def _causes(conn: Connection, benchmarks: Set[str], compared: Sequence[int]) -> Iterator[Step]:
    for b in bisections(conn, compared):
        if b["benchmark"] in benchmarks:
            words = f"{b['benchmark']}: since {b['sentence']} (on {b['board_type']})"
            at = datetime.fromisoformat(b["at"])
            yield step(at, "commit", words, comparison=b["comparison"])
    for p in rows(
        conn,
        _ProfileRow,
        "SELECT p.comparison, p.at, p.benchmark, p.sentence FROM read_model.profile p"
        " WHERE p.comparison = ANY(%(ids)s) UNION ALL"
        " SELECT p.comparison, p.at, p.benchmark, p.sentence FROM read_model.sampled_profile p"
        " WHERE p.comparison = ANY(%(ids)s) ORDER BY comparison, at",
        {"ids": list(compared)},
    ):
        if p["benchmark"] in benchmarks:
            words = f"{p['benchmark']}: {p['sentence']}"
            yield step(p["at"], "profile", words, comparison=p["comparison"])


def _nights(conn: Connection, compared: Sequence[int]) -> Iterator[Step]:
    """Yield the nights that have compared it, with what they sent."""
    nights = rows(
        conn,
        _NightRow,
        "SELECT n.id, n.finished_at AS at, n.report IS NOT NULL AS report FROM read_model.night n"
        " WHERE n.comparisons && %(ids)s::bigint[] ORDER BY n.id",
        {"ids": list(compared)},
    )
    sent: dict[int, list[str]] = {}
    for m in rows(
        conn,
        NightMessageRow,
        "SELECT m.* FROM read_model.night_message m WHERE m.night = ANY(%(ids)s)"
        " ORDER BY m.night, m.channel, m.state",
        {"ids": [n["id"] for n in nights]},
    ):
        sent.setdefault(m["night"], []).append(f"{m['messages']} by {m['channel']} {m['state']}")
    for n in nights:
        messages = ", ".join(sent.get(n["id"], ())) or "nobody asked for messages"
        night = n["id"] if n["report"] else None
        yield step(n["at"], "night", f"messages: {messages}", night=night)


def _events(conn: Connection, alerts: Sequence[int]) -> Iterator[Step]:
    for e in rows(
        conn,
        AlertEventRow,
        "SELECT e.* FROM read_model.alert_event e WHERE e.alert = ANY(%(ids)s) ORDER BY e.id",
        {"ids": list(alerts)},
    ):
        what = e["action"] + (f": {e['triage'].replace('_', ' ')}" if e["triage"] else "")
        words = e["why"] if e["by"] == "vlag" else f"{e['by']}: {e['why']}"
        yield step(e["at"], f"alert {what}", words, alert=e["alert"])


def figure_name(s: Named | SuspicionRow) -> str:
    """Return what a suspicion is about: benchmark, metric and statistic."""
    statistic = "" if s["statistic"] == "median" else f" {s['statistic']}"
    return f"{s['benchmark']} {s['metric']}{statistic}"


def change_words(effect: float | None) -> str:
    """Return a relative change in percent."""
    return "no figure" if effect is None else f"{100 * effect:+.2f} %"
