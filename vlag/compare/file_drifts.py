# SPDX-License-Identifier: GPL-2.0-only
"""Drifts within a side's files: no verdict is sure of a side whose boots drift."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import evolve, frozen

from vlag.compare import verdict
from vlag.compare.file_sides import Boot
from vlag.model import FLAGS, UNDECIDED, Verdict
from vlag.stats import sentences
from vlag.stats.compare import clip
from vlag.stats.side_drift import Drift, confirmed, drift
from vlag.store.comparisons import VerdictRow

_NAMED = 3  # figures in a note


@frozen(kw_only=True)
class Tested:
    """A row with what it was made of."""

    subject: verdict.Subject
    row: VerdictRow
    sides: Sequence[verdict.Boots]  # with their boots in the order of `in_order`


def in_order(boots: Sequence[Boot]) -> list[Boot]:
    """Return boots in the order in which they ran: by their times, or raw files by name.

    Numbers in names count as numbers: `base-10` comes after `base-9`.
    """
    times = [boot.run["started_at"] for boot in boots if boot.run is not None]
    if len(times) == len(boots):
        return sorted(boots, key=lambda boot: "" if boot.run is None else boot.run["started_at"])
    return sorted(boots, key=lambda boot: _natural(boot.name))


def _natural(name: str) -> list[tuple[int, str]]:
    return [
        (int(word), "") if word.isdigit() else (-1, word) for word in re.findall(r"\d+|\D+", name)
    ]


def judged(tested: Sequence[Tested]) -> tuple[list[VerdictRow], list[str]]:
    """Return the rows, open where a side drifts by more than it scatters, and notes on drifts."""
    seen: list[tuple[int, str, Drift, float]] = []  # row, side, drift, relevance
    for i, one in enumerate(tested):
        for side in one.sides:
            values = clip(side.values(one.row.statistic), one.subject.metric.resolution)
            if (drifted := drift(values)) is not None:
                seen.append((i, side.name, drifted, one.subject.relevance))
    sure = confirmed([d for _i, _s, d, _r in seen], relevances=[r for _i, _s, _d, r in seen])
    drifts = [
        (i, side, drifted) for (i, side, drifted, _r), yes in zip(seen, sure, strict=True) if yes
    ]
    by_row: dict[int, list[tuple[str, Drift]]] = {}
    for i, name, change in drifts:
        by_row.setdefault(i, []).append((name, change))
    rows = [_open(one.row, by_row[i]) if i in by_row else one.row for i, one in enumerate(tested)]
    return rows, [note for side in ("base", "new") if (note := _note(side, tested, drifts))]


def _open(row: VerdictRow, drifts: Sequence[tuple[str, Drift]]) -> VerdictRow:
    if row.verdict in UNDECIDED:
        return row
    sentence = " and ".join(
        sentences.drifts(side, drifted.change, drifted.p) for side, drifted in drifts
    )
    flag = row.verdict in FLAGS
    return evolve(
        row,
        verdict=Verdict.INCONCLUSIVE.value,
        suspect=row.suspect or flag,
        boots_needed=None,
        reason=f"{sentence}; boot both kernels by turns, so that a drift is on both sides",
    )


def _note(
    side: str, tested: Sequence[Tested], drifts: Sequence[tuple[int, str, Drift]]
) -> str | None:
    """Return one sentence on the figures of a side that drift, the largest first."""
    mine = sorted(
        ((drifted, tested[i].row) for i, where, drifted in drifts if where == side),
        key=lambda item: -abs(item[0].change),
    )
    if not mine:
        return None
    named = [
        f"{row.metric} {row.statistic} {'+' if drifted.change > 0 else '-'}"
        f"{sentences.percent(drifted.change)}"
        for drifted, row in mine[:_NAMED]
    ]
    more = f" and {len(mine) - _NAMED} more" if len(mine) > _NAMED else ""
    return (
        f"the files of {side} drift from the first to the last by more than they scatter:"
        f" {', '.join(named)}{more}; no verdict on these is sure"
    )
