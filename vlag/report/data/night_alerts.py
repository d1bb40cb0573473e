# SPDX-License-Identifier: GPL-2.0-only
"""The alerts that a night tells of, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from vlag.report.mail_data import NightAlert
from vlag.report.named_causes import found
from vlag.report.read_model import courses, life_of
from vlag.report.read_model.lives import LifeLine
from vlag.report.read_model.rows import rows
from vlag.store.database import Connection
from vlag.store.nights import Night

_ALERTS = """
SELECT a.id, a.kind, a.branch_name, a.tree, a.branches, a.board_type, a.title,
  a.body, a.triage, a.owner,
  a.opened_at, a.muted_until, a.withdrawn_at, a.told_at IS NULL AS untold, a.loud, a.open,
  (SELECT e.why FROM read_model.alert_event e WHERE e.alert = a.id AND e.action = 'withdrawn'
    ORDER BY e.id DESC LIMIT 1) AS why_withdrawn,
  (SELECT coalesce(max(e.id) FILTER (
        WHERE e.action = 'reopened' OR e.action = 'unmuted' AND e.by = 'vlag')
      > max(e.id) FILTER (WHERE e.action = 'told'), false)
    FROM read_model.alert_event e WHERE e.alert = a.id) AS back,
  (SELECT t.body FROM read_model.alert_text t WHERE t.alert = a.id AND t.at <= (
      SELECT max(e.at) FROM read_model.alert_event e WHERE e.alert = a.id AND e.action = 'told')
    ORDER BY t.said DESC LIMIT 1) AS told_body
FROM read_model.alert a
WHERE (%(synthetic)s OR NOT a.synthetic)
  AND (a.open OR a.told_at IS NOT NULL AND (a.withdrawn_at > %(since)s OR a.withdrawn_at IS NOT NULL
    AND EXISTS (
      SELECT FROM read_model.fix f JOIN read_model.verdict v ON v.comparison = f.comparison
      JOIN read_model.alert_text t ON v.id = ANY(t.verdicts)
      WHERE t.alert = a.id AND f.at > %(since)s AND f.commits <> '{}')))
ORDER BY a.id
"""


class _AlertRow(TypedDict):
    id: int
    kind: str
    branch_name: str | None
    tree: str | None
    branches: list[str]
    board_type: str | None
    title: str
    body: str
    triage: str
    owner: str | None
    opened_at: datetime
    muted_until: datetime | None
    withdrawn_at: datetime | None
    untold: bool
    loud: bool
    open: bool
    why_withdrawn: str | None
    back: bool
    told_body: str | None  # as people were told last


def page(at: tuple[str, int], name: str, id_: int) -> str:
    """Return the page of a comparison or an alert as it is now.

    `at` is the site and the number of what was said last.
    """
    return f"{at[0]}{name}?id={id_}&said={at[1]}"


def collect(
    conn: Connection, last: Night | None, at: tuple[str, int], *, synthetic: bool
) -> list[NightAlert]:
    """Return the open alerts, and those that people were told of and that are gone since.

    `last` is the night before, `at` as for `page`.
    """
    since = None if last is None else last.finished_at
    return [
        {
            "id": a["id"],
            "kind": a["kind"],
            "branch": a["branch_name"],
            "branches": [f"{a['tree']}/{name}" for name in a["branches"]],
            "board_type": a["board_type"],
            "title": a["title"],
            "body": a["body"],
            "triage": a["triage"],
            "owner": a["owner"],
            "opened": courses.day(a["opened_at"]),
            "muted_until": a["muted_until"].isoformat() if a["muted_until"] else None,
            "withdrawn": a["withdrawn_at"] is not None,
            "why_withdrawn": _why_gone(a, life) if a["withdrawn_at"] is not None else None,
            "life": [f"{courses.day(one['at'])} {one['words']}" for one in life],
            "new": a["untold"] and a["open"],
            "back": a["back"] and a["open"],
            "found": found(a["body"], a["told_body"]) if a["open"] else [],
            "loud": a["loud"],
            "url": page(at, "alert", a["id"]),
        }
        for a in rows(conn, _AlertRow, _ALERTS, {"since": since, "synthetic": synthetic})
        for life in [life_of(conn, a["id"])]
    ]


def _why_gone(a: _AlertRow, life: Sequence[LifeLine]) -> str:
    """Return why an alert was withdrawn, and what a search has found to have mended it."""
    fixes = [one["words"] for one in life if one["fix"]]
    return "; ".join([a["why_withdrawn"] or "withdrawn", *fixes])
