# SPDX-License-Identifier: GPL-2.0-only
"""Where two kernels spend their cycles, as text of 80 columns and as JSON."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from typing import TypedDict

from vlag import printable
from vlag.profile.sampled_functions import Difference, Row

_NAME = 28
#: Functions in the closing sentence.
_NAMED = 3
#: Samples that are lost, as a share, from which on the text says so.
_LOST = 0.01


def render(difference: Difference, *, rows: int = 10) -> str:
    """Return the text: totals, the functions with the largest changes, a sentence."""
    return "\n".join(map(printable.flat, _lines(difference, rows)))


def _lines(difference: Difference, rows: int) -> Iterator[str]:
    head = f"{difference.event} a {difference.operation}, sampled"
    yield f"{head:<{_NAME}}{'base':>9}{'new':>9}{'change':>9}  95 % interval"
    yield _row(difference.kernel)
    yield _row(difference.user)
    counts = " and ".join(f"{n:.0f}" for n in difference.operations)
    yield f"boots: {difference.boots[0]} and {difference.boots[1]}; operations a boot: {counts}"
    samples = " and ".join(f"{n:.0f}" for n in difference.samples)
    yield f"samples in the kernel a boot: {samples}"
    for side, lost, taken in zip(("base", "new"), difference.lost, difference.samples, strict=True):
        if lost > _LOST * taken:
            yield f"perf lost {lost:.0f} samples a boot of {side}: shares may be wrong"
    yield ""
    yield "function"
    yield from map(_row, difference.functions[:rows])
    left = difference.functions[rows:]
    if left:
        change = sum(r.change for r in left)
        yield f"{f'{len(left)} other functions':<{_NAME}}{'':>18}{_signed(change):>9}"
    if difference.merged:
        yield _row(difference.others, f"{difference.merged} with few samples")
    if not all(r.certain for r in (difference.kernel, *difference.functions[:rows])):
        yield "? boots of one kernel may differ by as much"
    yield ""
    yield from textwrap.wrap(sentence(difference), 79, break_on_hyphens=False)


def _row(row: Row, name: str = "") -> str:
    text = name or row.name
    text = text if len(text) < _NAME else f"{text[: _NAME - 2]}~"
    figures = f"{_number(row.base):>9}{_number(row.new):>9}{_signed(row.change):>9}"
    if math.isinf(row.half):
        return f"{text:<{_NAME}}{figures}  - ?"
    ends = f"[{_signed(row.change - row.half)}, {_signed(row.change + row.half)}]"
    return f"{text:<{_NAME}}{figures}  {ends}{'' if row.certain else ' ?'}"


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.2f}"


def _signed(value: float) -> str:
    return f"{value:+.0f}" if abs(value) >= 1000 else f"{value:+.2f}"


def sentence(difference: Difference) -> str:
    """Return the difference in words: how much, and in which functions."""
    share = f"{difference.kernel.change / difference.kernel.base:+.2%}".replace("%", " %")
    events = f"{difference.kernel.change:+.1f} {difference.event}"
    whole = f"{share} = {events} a {difference.operation} in the kernel"
    named = [r for r in difference.functions if r.certain][:_NAMED]
    if named:
        return f"{whole}: {', '.join(f'{r.change:+.1f} in {r.name}' for r in named)}."
    return f"{whole}; no function differs by more than boots of one kernel do."


class RowData(TypedDict):
    """Events for an operation."""

    name: str
    base: float
    new: float
    change: float
    interval: list[float] | None  # of the change, 95 %; None: one boot a side
    certain: bool


class SampledFigures(TypedDict):
    """What a board with a PMU has sampled of two kernels, as JSON has it; lists are of sides."""

    operation: str
    event: str
    merged: int
    boots: list[int]
    operations: list[float]
    samples: list[float]
    lost: list[float]
    kernel: RowData
    user: RowData
    functions: list[RowData]  # by their change
    others: RowData
    sentence: str


def data(difference: Difference) -> SampledFigures:
    """Return the difference as JSON: figures an operation, functions by their change."""

    def row(r: Row) -> RowData:
        ends = None if math.isinf(r.half) else [r.change - r.half, r.change + r.half]
        return {
            "name": r.name, "base": r.base, "new": r.new, "change": r.change, "interval": ends,
            "certain": r.certain,
        }  # fmt: skip

    return {
        "operation": difference.operation,
        "event": difference.event,
        "merged": difference.merged,
        "boots": list(difference.boots),
        "operations": list(difference.operations),
        "samples": list(difference.samples),
        "lost": list(difference.lost),
        "kernel": row(difference.kernel),
        "user": row(difference.user),
        "functions": [row(r) for r in difference.functions],
        "others": row(difference.others),
        "sentence": sentence(difference),
    }
