# SPDX-License-Identifier: GPL-2.0-only
"""Which builder goes first: one query for all of them, where Buildbot makes four a builder."""

from __future__ import annotations

import math
from typing import Any

import sqlalchemy
from buildbot.util.twisted import async_to_deferred
from sqlalchemy import func

#: Of a builder for which nothing waits.
NOTHING = (-math.inf, math.inf)


@async_to_deferred
async def most_urgent_first(master: Any, builders: list[Any]) -> list[Any]:
    """Return the builders in the order that Buildbot's own `prioritizeBuilders` gives.

    The highest priority among the requests that wait decides, then the oldest request, then
    the builder's name.
    """
    waiting = await master.db.pool.do(_waiting, master.db.model)
    keys = {b.name: waiting.get(await b.getBuilderId(), NOTHING) for b in builders}
    return sorted(builders, key=lambda b: (-keys[b.name][0], keys[b.name][1], b.name))


def _waiting(conn: Any, model: Any) -> dict[int, tuple[float, float]]:
    """Return the highest priority and the oldest time of what waits, by builder id."""
    requests, claims = model.buildrequests, model.buildrequest_claims
    rows = conn.execute(
        sqlalchemy.select(
            requests.c.builderid, func.max(requests.c.priority), func.min(requests.c.submitted_at)
        )
        .select_from(requests.outerjoin(claims, requests.c.id == claims.c.brid))
        .where(claims.c.claimed_at.is_(None), requests.c.complete == 0)
        .group_by(requests.c.builderid)
    )
    return {builder: (priority, float(oldest)) for builder, priority, oldest in rows}
