# SPDX-License-Identifier: GPL-2.0-only
"""Searches by chances that have not named a commit: the likeliest commits so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen
from psycopg.types.json import Jsonb

from vlag.store.columns import columns
from vlag.store.database import Connection


@frozen(kw_only=True)
class SearchProgress:
    """A row of `search_progress`: what the boots of a search say so far."""

    comparison: int
    tree: str
    benchmark: str
    parameters: Mapping[str, str | int]
    likeliest: Sequence[Mapping[str, Any]]  # commit, subject, chance; the likeliest first
    credible: int  # commits that together have the culprit surely enough
    several: float  # chance that no single commit made the change
    ended: bool  # without a name; False: it goes on


_KEY = ("comparison", "benchmark", "parameters")
_COLUMNS = columns(SearchProgress)


def put(conn: Connection, row: SearchProgress) -> None:
    """Store how far a search is, in place of what was stored of it before."""
    values = {name: getattr(row, name) for name in _COLUMNS.names}
    values |= {"parameters": Jsonb(dict(row.parameters)), "likeliest": Jsonb([*row.likeliest])}
    conn.execute(
        f"INSERT INTO search_progress {_COLUMNS.inserted()} ON CONFLICT ({', '.join(_KEY)})"
        f" DO UPDATE SET {_COLUMNS.renewed(_KEY)}, updated_at = now()",
        values,
    )
