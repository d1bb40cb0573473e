# SPDX-License-Identifier: GPL-2.0-only
"""Tables for mails: each printed change is that of the numbers printed beside or above it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.compared_files import OTHER, SAME, answer, cyclictest, hackbench, switch
from tests.unit.printed import MARKDOWN, TEXT, agree
from vlag.report import across, compared, markdown

_STEP = 14  # characters of a column
_NAME = 24

Line = tuple[str, str, str]  # base, new and change as printed


def holds(line: Line) -> bool:
    """Return whether a change is that of its numbers: percent, or a factor as "× 17"."""  # noqa: RUF002
    base, new, change = line
    if change.endswith(" %"):
        return agree((base, new, change.removesuffix(" %")), 6)
    sign, size = change.split()
    ratio = float(new) / float(base)
    step = 10.0 ** -len(size.partition(".")[2])
    # Each number has six digits.
    return abs((ratio if sign == "×" else 1 / ratio) - float(size)) <= 0.501 * step + 2e-5 * ratio  # noqa: RUF001


def changes(table: str) -> list[Line]:
    """Return each change of a table side by side, with the numbers that it is of."""
    lines = table.splitlines()
    begin = max(n for n, x in enumerate(lines) if x.startswith("---")) + 1
    values, marked, own = (
        [x[_NAME:][i : i + _STEP].strip() for i in range(0, 4 * _STEP, _STEP)]
        for x in (*lines[begin + 1 : begin + 3], lines[begin + 3])
    )
    froms = [x.removeprefix("from ") if x.startswith("from ") else values[0] for x in own]
    return [
        (base, new, said[:-2])
        for base, new, said in zip(froms, values, marked, strict=True)
        if said
    ]


def cell(base: float, change: float) -> dict[str, Any]:
    verdict = {"verdict": "REGRESSION", "hint": False, "effect": change, "base_value": base}
    return {"value": base * (1 + change), "boots": 5, "verdict": verdict}


def side_by_side(first: float, cells: list[dict[str, Any]]) -> str:
    base = {"value": first, "boots": 5, "verdict": None}
    row: Any = {
        "name": "stress-ng-switch bogo-ops-rate",
        "unit": "1/s",
        "differing": "",
        "cells": [base, *cells],
    }
    names = [f"6.{n}" for n in range(len(cells) + 1)]
    return across.text(names, [{"board_type": "rpi5", "boards": [], "rows": [row]}])


level = st.floats(1.0, 99_000.0)


@given(
    bases=st.lists(level, min_size=3, max_size=3),
    sizes=st.lists(st.floats(-0.9, 8.0), min_size=3, max_size=3),
    same=st.booleans(),
)
@settings(derandomize=True, deadline=None)
def test_changes_side_by_side_are_those_of_their_columns(
    bases: list[float], sizes: list[float], same: bool
) -> None:
    bases = [bases[0]] * 3 if same else bases
    said = side_by_side(bases[0], [cell(b, size) for b, size in zip(bases, sizes, strict=True)])
    found = changes(said)
    assert len(found) == 3
    assert all(map(holds, found)), said
    assert max(map(len, said.splitlines())) <= across.WIDTH
    if same:
        assert "  from " not in said


def test_a_change_from_another_base_would_be_found() -> None:
    """Negative control."""
    said = side_by_side(1000.0, [cell(1000.0, 0.05), cell(980.0, 0.05), cell(980.0, 3.0)])
    assert changes(said) == [
        ("1000", "1050", "+5.00 %"), ("980", "1029", "+5.00 %"), ("980", "3920", "× 4.0"),  # noqa: RUF001
    ]  # fmt: skip
    assert [line for line in changes(said.replace("from 980", "        ")) if holds(line)] == [
        ("1000", "1050", "+5.00 %")
    ]


@pytest.mark.parametrize(
    ("base", "new", "rows"),
    [
        ([hackbench(f) for f in SAME], [hackbench(1.1 * f) for f in OTHER], 1),
        ([switch(f) for f in SAME], [switch(0.93 * f) for f in OTHER], 1),
        ([cyclictest(0, i) for i in range(5)], [cyclictest(9, i) for i in range(5)], 4),
        ([hackbench(1.0)], [hackbench(4.0)], 1),
    ],
)
def test_changes_of_files_are_those_of_their_columns(
    base: list[bytes],
    new: list[bytes],
    rows: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    paths: dict[str, list[Path]] = {"base": [], "new": []}
    for side, files in (("base", base), ("new", new)):
        for i, output in enumerate(files):
            paths[side].append(Path(f"{side}-{i}.txt"))
            paths[side][-1].write_bytes(output)
    data = answer(paths["base"], paths["new"])
    assert len([r for r in data["rows"] if r["effect"] is not None]) == rows
    for said, pattern in ((compared.render(data), TEXT), (markdown.render(data), MARKDOWN)):
        found = pattern.findall(said)
        assert len(found) == rows
        assert all(agree(line, 6) for line in found), said
        # Negative control: another digit.
        low, high, change = found[0]
        assert not agree((low, high, f"{float(change) + 0.03:+.2f}"), 6)
    widths = [len(x) for x in compared.render(data).splitlines()]
    assert max(widths) <= compared.WIDTH


def test_a_factor_is_held_to_its_digits() -> None:
    assert holds(("100", "310", "× 3.1"))  # noqa: RUF001
    assert not holds(("100", "310", "× 3.2"))  # noqa: RUF001
    assert holds(("310", "100", "÷ 3.1"))
    assert not holds(("310", "100", "÷ 3.0"))
