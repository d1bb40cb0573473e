# SPDX-License-Identifier: GPL-2.0-only
"""The function that makes comparisons slower: as hardware sampled it, as a board counted it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from vlag.report.read_model.rows import one, rows
from vlag.store.database import Connection


class _Counted(TypedDict):
    name: str
    change: float
    operation: str
    benchmark: str
    board_type: str


class _Sampled(_Counted):
    low: float
    high: float
    event: str


class _Same(TypedDict):
    change: float
    certain: bool
    event: str


def function_of(conn: Connection, comparisons: Sequence[int]) -> str | None:
    """Return the function with the largest sure change in profiles of comparisons, in words.

    What boards of hardware have sampled comes first, with its interval over boots; beside it stands
    what a deterministic board has counted, and whether the samples agree.  A count alone names its
    board where the comparisons are of several board types.  None where no profile is on record, or
    none names a function.
    """
    sampled, counted = _sampled(conn, comparisons), _counted(conn, comparisons)
    if sampled is None:
        if counted is None:
            return None
        place = f", counted on {counted['board_type']}" if _several(conn, comparisons) else ""
        return f"{counted['name']}, {_change(counted)}{place} ({counted['benchmark']})"
    interval = f"[{sampled['low']:+.1f}, {sampled['high']:+.1f}]"
    words = (
        f"{sampled['name']}, {sampled['change']:+.1f} {interval} {sampled['event']} a"
        f" {sampled['operation']}, sampled ({sampled['benchmark']})"
    )
    if counted is None or counted["benchmark"] != sampled["benchmark"]:
        return words
    prediction = f"{counted['board_type']} counts {_change(counted)} in {counted['name']}"
    return f"{words}; {prediction}, {_agreement(conn, comparisons, counted)}"


class _Types(TypedDict):
    types: int


def _several(conn: Connection, comparisons: Sequence[int]) -> bool:
    """Return whether comparisons are of several board types, of which one may count."""
    found = one(
        conn,
        _Types,
        "SELECT count(DISTINCT c.board_type) AS types FROM read_model.comparison c"
        " WHERE c.id = ANY(%(ids)s)",
        {"ids": list(comparisons)},
    )
    return found is not None and found["types"] > 1


def _change(counted: _Counted) -> str:
    return f"{counted['change']:+.1f} instructions a {counted['operation']}"


def _counted(conn: Connection, comparisons: Sequence[int]) -> _Counted | None:
    return one(
        conn,
        _Counted,
        "SELECT f.name, f.change, p.operation, p.benchmark, p.board_type"
        " FROM read_model.profile p JOIN read_model.profile_function f ON f.profile = p.id"
        " WHERE p.comparison = ANY(%(ids)s) AND f.certain"
        " ORDER BY abs(f.change / p.base_instructions) DESC, p.id, f.number LIMIT 1",
        {"ids": list(comparisons)},
    )


def _sampled(conn: Connection, comparisons: Sequence[int]) -> _Sampled | None:
    return one(
        conn,
        _Sampled,
        "SELECT f.name, f.change, f.low, f.high, p.operation, p.benchmark, p.event, p.board_type"
        " FROM read_model.sampled_profile p"
        " JOIN read_model.sampled_function f ON f.profile = p.id"
        " WHERE p.comparison = ANY(%(ids)s) AND f.certain"
        " ORDER BY abs(f.change / nullif(p.base_value, 0)) DESC NULLS LAST, p.id, f.number LIMIT 1",
        {"ids": list(comparisons)},
    )


def _agreement(conn: Connection, comparisons: Sequence[int], counted: _Counted) -> str:
    """Return whether the samples of the same benchmark show the function that a board counts.

    A compiler's suffix (`.isra.0`) is another one on another architecture.
    """
    same = rows(
        conn,
        _Same,
        "SELECT f.change, f.certain, p.event FROM read_model.sampled_profile p"
        " JOIN read_model.sampled_function f ON f.profile = p.id"
        " WHERE p.comparison = ANY(%(ids)s) AND p.benchmark = %(benchmark)s"
        " AND split_part(f.name, '.', 1) = split_part(%(name)s, '.', 1)"
        " ORDER BY f.certain DESC, abs(f.change) DESC",
        {"ids": list(comparisons), "benchmark": counted["benchmark"], "name": counted["name"]},
    )
    if not same:
        return "which the samples do not show"
    shown = f"{same[0]['change']:+.1f} {same[0]['event']}"
    if not same[0]["certain"]:
        return f"of which the samples are not sure ({shown})"
    alike = (same[0]["change"] > 0) == (counted["change"] > 0)
    return f"and the samples {'agree' if alike else 'do not agree'} ({shown})"
