# SPDX-License-Identifier: GPL-2.0-only
"""Alerts as their followers are told of them, as data that JSON can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from vlag.buildbot import PAGES
from vlag.printable import minute
from vlag.report.followed import FollowedAlert
from vlag.report.read_model.alert_rows import AlertRow
from vlag.store.subscriptions import Facts


def collect(
    alerts: Iterable[AlertRow],
    facts: Mapping[int, Facts],
    *,
    web: str,
    now: datetime,
    why_gone: Mapping[int, str] | None = None,
) -> list[FollowedAlert]:
    """Return alerts as they stand now, in their order; `web` is the address of the site."""
    told = []
    for a in alerts:
        its = facts[a["id"]]
        muted = a["muted_until"]
        told.append(
            FollowedAlert(
                id=a["id"],
                kind=a["kind"],
                branches=list(its.branches),
                boards=sorted(its.boards),
                title=a["title"],
                body=a["body"],
                triage=a["triage"],
                owner=a["owner"],
                due=None if a["due"] is None else a["due"].isoformat(),
                overdue=a["due"] is not None and a["due"] < now.astimezone(UTC).date(),
                muted_until=minute(muted) if muted is not None and muted > now else None,
                opened=a["opened_at"].astimezone(UTC).date().isoformat(),
                age_days=max((now - a["opened_at"]).days, 0),
                why_gone=None if why_gone is None else why_gone.get(a["id"]),
                url=f"{web}{PAGES}alert?id={a['id']}&said={a['said']}",
            )
        )
    return told
