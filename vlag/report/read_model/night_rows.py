# SPDX-License-Identifier: GPL-2.0-only
"""Nights, and what they proved and did not deliver."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypedDict

from vlag.compare import predictions
from vlag.report.read_model.rows import one, rows
from vlag.report.read_model.view_rows import PredictionRow
from vlag.store.database import Connection
from vlag.store.nights import NightBranch
from vlag.verdict_data import ProofData

#: Nights of a heat map; what is newer than the last of them is one more column.
NIGHTS: Final = 14


class NightRow(TypedDict):
    """`night`: a night that has ended."""

    id: int
    key: str
    started_at: datetime
    finished_at: datetime
    comparisons: list[int]
    branches: list[NightBranch]
    missing: list[str]
    notes: list[str]
    url: str | None
    report: str | None
    tests: int | None
    q: float | None
    compared: int
    conclusion: str | None  # null: it was not kept yet


class NightSpan(TypedDict):
    """When a night began and ended."""

    id: int
    started_at: datetime
    finished_at: datetime


class NightProof(ProofData):
    """The self-proof of a night, its failed predictions first."""

    rows: list[PredictionRow]


class UndeliveredRow(TypedDict):
    """Messages of a channel that did not reach people."""

    channel: str
    state: str  # waiting or given up
    messages: int
    since: datetime


class _WordRow(TypedDict):
    verdict: str
    count: int


def night(conn: Connection, id_: int | None) -> NightRow | None:
    """Return a night on record, by default the last one; None if there is none."""
    return one(
        conn,
        NightRow,
        "SELECT n.* FROM read_model.night n WHERE %(id)s::bigint IS NULL OR n.id = %(id)s"
        " ORDER BY n.id DESC LIMIT 1",
        {"id": id_},
    )


def nights(conn: Connection) -> list[NightSpan]:
    """Return the last nights, at most `NIGHTS`, the newest last."""
    spans = rows(
        conn,
        NightSpan,
        "SELECT n.id, n.started_at, n.finished_at FROM read_model.night n"
        " ORDER BY n.id DESC LIMIT %(most)s",
        {"most": NIGHTS},
    )
    return spans[::-1]


def words(conn: Connection, ids: Sequence[int]) -> dict[str, int]:
    """Return how many of some comparisons have each verdict, without those of the self-proof."""
    counts = rows(
        conn,
        _WordRow,
        "SELECT s.verdict, count(*) AS count FROM read_model.comparison_summary s"
        " JOIN read_model.comparison c ON c.id = s.id"
        " WHERE s.id = ANY(%(ids)s) AND c.as_predicted IS NULL"
        " GROUP BY s.verdict, s.severity ORDER BY s.severity, s.verdict",
        {"ids": list(ids)},
    )
    return {r["verdict"]: r["count"] for r in counts}


def proof(conn: Connection, night: NightRow | None) -> NightProof | None:
    """Return the self-proof of a night, or None where nothing was to be predicted."""
    if night is None:
        return None
    predicted = rows(
        conn,
        PredictionRow,
        "SELECT p.* FROM read_model.prediction p WHERE p.comparison = ANY(%(ids)s)"
        " ORDER BY p.good, p.name, p.comparison",
        {"ids": night["comparisons"]},
    )
    proven = predictions.proof(predicted, night["missing"])
    return None if proven is None else {**proven, "rows": predicted}


def undelivered(conn: Connection) -> list[UndeliveredRow]:
    """Return how many messages did not reach people, a row a channel and state."""
    return rows(
        conn,
        UndeliveredRow,
        "SELECT u.channel, u.state, u.messages, u.since FROM read_model.undelivered u"
        " ORDER BY u.channel, u.state",
    )
