# SPDX-License-Identifier: GPL-2.0-only
"""A difference of two kernels' caches as text of 80 columns, and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from attrs import asdict, evolve

from vlag import printable
from vlag.profile.cache_difference import Changed, Difference

#: What the model leaves out.
LIMITS = (
    "A model: no prefetching, store buffers, speculation, TLBs, bandwidth or second socket. Its"
    " CPUs take turns, so a line goes from one to another once a turn at most: where CPUs contend"
    " at one time, real ones exchange it more often. Signs are what to read, not sizes."
)
_NAME = 33


def render(difference: Difference, *, rows: int = 10) -> str:
    """Return the text: totals, functions by their change, fields that CPUs exchange, limits."""
    return "\n".join(map(printable.flat, _lines(difference, rows)))


def _lines(difference: Difference, rows: int) -> Iterator[str]:
    one = difference.operation
    yield f"{f'for each {one}':<{_NAME}}{'base':>12}{'new':>12}{'change':>12}"
    for total in difference.totals:
        percent = f"{total.change / total.base:+.2%}".replace("%", " %") if total.base else ""
        yield f"{_figures(total)}{percent:>10}"
    counts = " and ".join(f"{n:.0f}" for n in difference.operations)
    yield f"boots: {difference.boots[0]} and {difference.boots[1]}; operations a boot: {counts}"
    yield ""
    yield f"{'cycles of functions':<{_NAME}}{'base':>12}{'new':>12}{'change':>12}{'misses':>10}"
    shown = [f for f in difference.functions if f.change][:rows]
    for function in shown:
        missed = function.misses[1] - function.misses[0]
        yield f"{_figures(function)}{missed:>+10.3f}"
    if not shown:
        yield "no function takes more or fewer"
    yield ""
    yield f"{'exchanged by CPUs':<{_NAME}}{'base':>12}{'new':>12}{'change':>12}"
    for field in difference.fields[:rows]:
        if len(field.name) >= _NAME:  # the whole name is the answer
            yield field.name
            yield _figures(evolve(field, name=""), ".4f")
        else:
            yield _figures(field, ".4f")
        yield f"  by {', '.join(field.functions)}"[:79]
    if not difference.fields:
        yield "no line of the kernel's"
    if any(not f.certain for f in (*difference.totals, *shown, *difference.fields[:rows])):
        yield "? boots of one kernel may differ by as much"
    yield ""
    yield from textwrap.wrap(
        f"{_levels(difference)} A turn is {difference.turn[0]:.0f} instructions in the base and"
        f" {difference.turn[1]:.0f} in the new kernel. {LIMITS}",
        79,
    )


def _figures(changed: Changed, form: str = ".2f") -> str:
    name = changed.name if len(changed.name) < _NAME else f"{changed.name[: _NAME - 2]}~"
    mark = " " if changed.certain or not changed.change else "?"
    figures = f"{changed.base:>12{form}}{changed.new:>12{form}}{changed.change:>+12{form}}"
    return f"{name:<{_NAME}}{figures}{mark}"


def _levels(difference: Difference) -> str:
    code, data, second, third = (
        f"{level.size >> 10} KiB in {level.ways} ways" for level in difference.levels
    )
    return (
        f"Each of {difference.cpus} CPUs has caches of {code} for code, {data} for data and"
        f" {second} behind them; all share {third}."
    )


def data(difference: Difference) -> dict[str, Any]:
    """Return the difference as JSON: figures for an operation."""
    return {**asdict(difference), "limits": LIMITS}
