# SPDX-License-Identifier: GPL-2.0-only
"""Which builder goes first, in one query where Buildbot makes four a builder.

And which of the boots that wait for a board.
"""

from __future__ import annotations

import json
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


@async_to_deferred
async def is_preceded(builder: Any, request: Any, board_type: str) -> bool:
    """Return whether something more urgent than a request waits for a board of the same type.

    Buildbot goes through what waits once, the most urgent first.  A board that falls free meanwhile
    would go to whatever has its turn just then, and two boots of equal length end together each
    time.  Requests that are pinned to one board do not count: another may be free.
    """
    number = await builder.getBuilderId()
    master = builder.master
    wanted = await master.db.pool.do(_wanted, master.db.model, number, request.priority)
    return any(of.get("board_type") == board_type and not of.get("pinned") for of in wanted)


def _wanted(conn: Any, model: Any, builder: int, priority: int) -> list[dict[str, Any]]:
    """Return board types and pinned boards of what waits with a higher priority."""
    requests, claims, said = (
        model.buildrequests, model.buildrequest_claims, model.buildset_properties
    )  # fmt: skip
    rows = conn.execute(
        sqlalchemy.select(requests.c.id, said.c.property_name, said.c.property_value)
        .select_from(
            requests.outerjoin(claims, requests.c.id == claims.c.brid).join(
                said, said.c.buildsetid == requests.c.buildsetid
            )
        )
        .where(
            claims.c.claimed_at.is_(None),
            requests.c.complete == 0,
            requests.c.builderid == builder,
            requests.c.priority > priority,
            said.c.property_name.in_(("board_type", "pinned")),
        )
    )
    found: dict[int, dict[str, Any]] = {}
    for request, name, value in rows:
        found.setdefault(request, {})[name] = json.loads(value)[0]
    return list(found.values())


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
