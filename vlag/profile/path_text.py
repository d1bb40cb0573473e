# SPDX-License-Identifier: GPL-2.0-only
"""Lengths of paths as text of 80 columns, and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import asdict

from vlag import printable
from vlag.profile.path import UNSEEN, Length, percent, sentence
from vlag.profile.profiled_boots import Boot, mean

_NAME = 33


def render(
    lengths: Sequence[Length], operation: str, boots: tuple[Sequence[Boot], Sequence[Boot]]
) -> str:
    """Return the text: a row for each metric, what the counts do not see, a sentence."""
    return "\n".join(map(printable.flat, _lines(lengths, operation, boots)))


def _lines(
    lengths: Sequence[Length], operation: str, boots: tuple[Sequence[Boot], Sequence[Boot]]
) -> Iterator[str]:
    head = f"{f'instructions, calls a {operation}':<{_NAME}}{'base':>10}{'new':>10}{'change':>10}"
    yield f"{head}  verdict"
    for length in lengths:
        name = length.name if len(length.name) < _NAME else f"{length.name[: _NAME - 2]}~"
        figures = "".join(
            f"{_number(level, length.unit):>10}" for level in (length.base_level, length.new_level)
        )
        change = percent(length.effect)
        yield f"{name:<{_NAME}}{figures}{change:>10}  {length.verdict.value}"
    yield f"boots: {len(boots[0])} and {len(boots[1])}"
    shares = " and ".join(percent(unplaced(side)).lstrip("+") for side in boots)
    yield f"in functions of no known file: {shares} of the kernel's instructions"
    yield UNSEEN
    yield ""
    yield from textwrap.wrap(sentence(lengths), 79, break_on_hyphens=False)


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if unit == "calls" else f"{value:.2f}"


def unplaced(boots: Sequence[Boot]) -> float:
    """Return the share of the kernel's instructions that are in functions of no known file."""
    return mean([b.profile.unplaced / b.profile.kernel if b.profile.kernel else 0.0 for b in boots])


def data(
    lengths: Sequence[Length], operation: str, boots: tuple[Sequence[Boot], Sequence[Boot]]
) -> dict[str, Any]:
    """Return the lengths as JSON; values are one a boot, for an operation."""
    return {
        "operation": operation,
        "boots": [len(side) for side in boots],
        "metrics": [{**asdict(length), "verdict": length.verdict.value} for length in lengths],
        "unplaced": [unplaced(side) for side in boots],
        "unseen": UNSEEN,
        "sentence": sentence(lengths),
    }
