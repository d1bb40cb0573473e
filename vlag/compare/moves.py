# SPDX-License-Identifier: GPL-2.0-only
"""What moved beside the kernels between two nights: tools, compilers, firmware, set-ups, boards.

Boots from before and after are not compared with each other, so a night says what moved, once.
"""

from __future__ import annotations

from collections.abc import Sequence

from vlag.compare import conditions
from vlag.model import canonical_json
from vlag.store import runs
from vlag.store.database import Connection

#: Board type, benchmark, its parameters, board -> condition in words -> its value in the newest
#: boot of a night.  The board is None where the condition is not of one.
_Seen = dict[tuple[str, str, bytes, str | None], dict[str, str]]

_MEANS = "what was measured before is not compared with what is measured since"
_LISTED = 3
# Metrics of one tool differ in these; boots do not.
_OF_METRIC = ("unit", "direction", "tool")
_OF_BOARD = ("firmware", "processors")


def since(conn: Connection, before: Sequence[int], now: Sequence[int]) -> list[str]:
    """Return a sentence for each condition that differs between the comparisons of two nights.

    Only what both nights have booted counts: what is new has nothing to differ from.
    """
    then, today = _seen(conn, before), _seen(conn, now)
    moved: dict[tuple[str, str, str, str], set[str]] = {}
    for place in sorted(then.keys() & today.keys(), key=str):
        board_type, benchmark, _parameters, board = place
        old, new = then[place], today[place]
        for name in sorted(old.keys() | new.keys()):
            values = old.get(name, "not given"), new.get(name, "not given")
            if values[0] != values[1]:
                where = board_type if board is None else f"{board} ({board_type})"
                moved.setdefault((name, where, *values), set()).add(benchmark)
    return [_sentence(*what, sorted(benchmarks)) for what, benchmarks in moved.items()]


def _sentence(name: str, where: str, old: str, new: str, benchmarks: Sequence[str]) -> str:
    more = f" and {len(benchmarks) - _LISTED} more" if len(benchmarks) > _LISTED else ""
    listed = f"{', '.join(benchmarks[:_LISTED])}{more}"
    return f"{name} on {where} is {new} now, it was {old}: {_MEANS} ({listed})"


def _seen(conn: Connection, comparisons: Sequence[int]) -> _Seen:
    """Return the conditions of the newest boot of each benchmark on each board."""
    rows = conn.execute(
        "SELECT max(r.id) FROM comparison c JOIN verdict v ON v.comparison = c.id"
        " JOIN run r ON r.id = ANY(v.new_runs) WHERE c.id = ANY(%s) AND NOT c.synthetic"
        " GROUP BY r.board, r.benchmark, r.parameters",
        (list(comparisons),),
    ).fetchall()
    by_id = runs.by_id(conn, sorted(row[0] for row in rows))
    seen: _Seen = {}
    for figures in sorted(runs.figures_of(conn, sorted(by_id)), key=lambda f: f.run):
        run = by_id[figures.run]
        words = conditions.words(conditions.of_run(run, figures))
        version = f"version of {words['tool']} for {figures.series.metric}"
        for name, value in words.items():
            if name not in _OF_METRIC:
                board = run.board if name in _OF_BOARD else None
                place = (run.board_type, run.benchmark, canonical_json(dict(run.parameters)), board)
                label = version if name == "tool version" else name
                seen.setdefault(place, {})[label] = value
    return seen
