# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a short report: what changed, one line each, and a count of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from vlag.model import CHANGES, FLAGS
from vlag.report import text
from vlag.report.compared import interval, metric, number, percent, unmeasured
from vlag.report.document import ComparisonData, FigureRow
from vlag.report.layout import WIDTH, clip, pairs
from vlag.report.limited_parts import Part

_NAME = 24  # columns of a figure's name; its numbers have the rest
# Words of a comparison that hints of a change must not be under.
_QUIET = ("UNCHANGED", "INCONCLUSIVE", "NOT_COMPARABLE")


def word(c: ComparisonData) -> str:
    """Return the word of a comparison; nothing is UNCHANGED above a hint of a change."""
    word_ = str(c["word"])
    hints = {r["verdict"] for r in c["rows"] if kind_of(r) == "hint"}
    for verdict in CHANGES:
        if word_ in _QUIET and verdict in hints:
            return f"{verdict} (hint)"
    return word_


def kind_of(row: FigureRow) -> str:
    """Return in which part of a report a row is."""
    verdict = row["verdict"]
    if verdict in CHANGES and row["hint"]:
        return "hint"
    if verdict in FLAGS:
        return "better" if verdict == "IMPROVEMENT" else "worse"
    if verdict == "MARGINAL" or (verdict == "INCONCLUSIVE" and _undecided(row)):
        return "maybe"
    return str(verdict).lower().replace("_", " ")


def _undecided(row: FigureRow) -> bool:
    """Return whether a rerun of the boots left a suspicion that the board can prove open."""
    known = row["suspicion"]
    rerun = known is not None and known["boots"] and known["stand"] in ("open", "undecided")
    return bool(rerun) and not row["hint"]


KINDS: Mapping[str, tuple[str, str]] = {
    "worse": ("Worse", "worse"),
    "maybe": ("May have changed", "may have changed"),
    "better": ("Better", "better"),
    "hint": ("Hints: no proof", "hint{s}"),
    "inconclusive": ("Inconclusive", "inconclusive"),
    "not comparable": ("Not comparable", "not comparable"),
    "unchanged": ("", "unchanged"),
}


def tally(c: ComparisonData) -> str:
    """Return how many figures of a comparison are of each kind, and its failures."""
    kinds = [kind_of(r) for r in c["rows"]]
    counts = [
        f"{n} {words.format(s='' if n == 1 else 's')}"
        for kind, (_, words) in KINDS.items()
        if (n := kinds.count(kind))
    ]
    counts += [lack] if (lack := unmeasured(c)) else []
    counts += [f"{len(c['failures'])} failed"] if c["failures"] else []
    new = sum(h["side"] == "new" for h in c["health"])
    counts += [f"{new} new on the console"] if new else []
    return ", ".join(counts) or "nothing to compare"


def figures(kind: str, listed: Iterable[tuple[ComparisonData, str]]) -> Part:
    """Return the rows of a kind, below a line for those of one benchmark and standing."""
    columns = f" {'base':>10} {'new':>10} {'change':>9} {'95 % interval':>18}"
    groups: dict[str, list[list[str]]] = {}
    for c, prefix in listed:
        for row in (r for r in c["rows"] if kind_of(r) == kind):
            head = clip(f"  {prefix}{_group(row, c if prefix else None)}")
            groups.setdefault(head, []).append(line(row))
    items = [x for head, (first, *rest) in groups.items() for x in ([head, *first], *rest)]
    title = f"{KINDS[kind][0]:<{_NAME}}{columns}"
    return Part(title=title, items=items, urgent=kind in ("worse", "maybe"))


def _group(row: FigureRow, c: ComparisonData | None) -> str:
    """Return what rows in one group have in common."""
    overrides = f" {pairs(row['overrides'])}" if row["overrides"] else ""
    board = f" on {c['board_type']}" if c is not None else ""
    n = f"n {row['n_base']} + {row['n_new']}"
    remarks = [rerun] if (rerun := text.rerun(row)) else []
    remarks += [text.CHANCE] if row["told"] is False else []
    return f"{row['benchmark']}{overrides}{board}, {n}{': ' if remarks else ''}{', '.join(remarks)}"


def line(row: FigureRow) -> list[str]:
    """Return a row in one line, or in two where its name or its numbers are long."""
    change = "-" if row["effect"] is None else f"{percent(row['effect'])} %"
    values = f" {number(row['base']):>10} {number(row['new']):>10} {change:>9} {interval(row):>18}"
    name = f"    {metric(row)}"
    if len(name) <= _NAME and len(values) <= WIDTH - _NAME:
        return [f"{name:<{_NAME}}{values}"]
    return [clip(name), f"{values:>{WIDTH}}"]


def inconclusive(comparisons: Sequence[ComparisonData]) -> Part:
    """Return a line a benchmark on what its boots could not decide."""
    by_reason: dict[str, list[FigureRow]] = {}
    for c in comparisons:
        for row in (r for r in c["rows"] if kind_of(r) == "inconclusive"):
            by_reason.setdefault(row["benchmark"], []).append(row)
    return Part(
        title=f"{KINDS['inconclusive'][0]:<{_NAME - 1}}figures  boots a side that would decide",
        items=[
            [clip(f"{f'  {name}':<{_NAME - 1}}{len(r):>7}  {_why(r)}")]
            for name, r in by_reason.items()
        ],
    )


def _why(rows: Sequence[FigureRow]) -> str:
    """Return how many boots would decide figures, and which have too few samples for that."""
    few = [r["statistic"] for r in rows if r["effect"] is None and _short_of(r)]
    need = sorted({r["boots_needed"] for r in rows if r["boots_needed"]})
    most = f" to {need[-1]}" if need[1:] else ""
    parts = [f"{need[0]}{most}"] if need else []
    parts += [f"too few samples for {', '.join(dict.fromkeys(few))}"] if few else []
    return "; ".join(parts) or "no estimate"


def _short_of(row: FigureRow) -> bool:
    """Return whether boots of a row have no value: their samples do not reach so far."""
    return row["n_base"] < row["boots"]["base"] or row["n_new"] < row["boots"]["new"]
