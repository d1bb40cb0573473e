# SPDX-License-Identifier: GPL-2.0-only
"""What becomes of a suspicion: raised by a screen, settled by a rerun, on record."""

from __future__ import annotations

from collections.abc import Sequence

from vlag.stats.stages import Stand
from vlag.store import suspicions
from vlag.store.comparisons import Comparison, VerdictRow
from vlag.store.database import Connection
from vlag.store.suspicions import Suspicion


def known(conn: Connection, pair: Comparison) -> list[Suspicion]:
    """Return the suspicions on two kernels on a board type; `pair` need not be stored."""
    return suspicions.of(conn, pair)


def follow(conn: Connection, comparison: Comparison, rows: Sequence[VerdictRow]) -> None:
    """Put a screen's suspects on record, or what a rerun says of them."""
    if comparison.stage != "confirm":
        suspicions.raise_(conn, comparison, [row for row in rows if row.suspect])
        return
    for suspicion, row in _suspected(conn, comparison, rows):
        suspicions.decide(conn, suspicion, row, comparison, stand=str(row.stand))


def unsettled(
    conn: Connection, comparison: Comparison, rows: Sequence[VerdictRow]
) -> tuple[str, ...]:
    """Return the benchmarks that a rerun leaves open one way: nothing of it is confirmed.

    What is better, but only as a hint, is never settled.
    """
    pairs = _suspected(conn, comparison, rows)
    decided = [(row.benchmark, s.worse, row.stand) for s, row in pairs if s.worse or not s.hint]
    confirmed = {(name, worse) for name, worse, stand in decided if stand == Stand.CONFIRMED.value}
    undecided = (Stand.OPEN.value, Stand.UNDECIDED.value)
    left = {(name, worse) for name, worse, stand in decided if stand in undecided}
    return tuple(sorted({name for name, _worse in left - confirmed}))


def settled(
    conn: Connection, comparison: Comparison, rows: Sequence[VerdictRow]
) -> tuple[str, ...]:
    """Return the benchmarks of a screen of which a rerun has said all that there is to say.

    Under the same conditions, of the same two kernels: another rerun asks the same question.
    """
    if comparison.stage == "confirm":
        return ()
    open_ = {s.subject for s in known(conn, comparison) if s.stand == Stand.OPEN.value}
    suspects = [row for row in rows if row.suspect]
    left = {row.benchmark for row in suspects if suspicions.subject(row) in open_}
    return tuple(sorted({row.benchmark for row in suspects} - left))


def _suspected(
    conn: Connection, comparison: Comparison, rows: Sequence[VerdictRow]
) -> list[tuple[Suspicion, VerdictRow]]:
    """Return the rows of a rerun that were suspected, with what is on record of each."""
    if comparison.stage != "confirm":
        return []
    on_record = {s.subject: s for s in known(conn, comparison)}
    pairs = ((on_record.get(suspicions.subject(row)), row) for row in rows)
    return [(s, row) for s, row in pairs if s is not None and row.stand is not None]
