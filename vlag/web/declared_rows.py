# SPDX-License-Identifier: GPL-2.0-only
"""What the catalogue declares of the rows of the view `verdict`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict, TypeVar

from attrs import frozen

from vlag.compare.verdict_keys import overrides
from vlag.model import Metric
from vlag.report.read_model.comparison_rows import parameters_of
from vlag.report.read_model.view_rows import VerdictRow
from vlag.stats.severity import pairs
from vlag.web.installation import site


class Figure(TypedDict):
    """What the catalogue knows a figure by."""

    benchmark: str
    parameters: str
    metric: str


class BoardFigure(Figure):
    """The same on a board type."""

    board_type: str


Verdict = TypeVar("Verdict", bound=VerdictRow)


@frozen(kw_only=True)
class Settings:
    """Parameters of figures that are not the catalogue's defaults, as text "a=1 b=2"."""

    common: tuple[tuple[str, str], ...]  # benchmark and what all its figures have
    own: Mapping[int, str]  # id of a verdict -> what sets it apart from others of its benchmark


def settings(verdicts: Sequence[VerdictRow]) -> Settings:
    """Return the parameters to show with rows of the view `verdict`."""
    known = site().catalogue.benchmarks
    by_benchmark: dict[str, dict[int, dict[str, str]]] = {}
    for v in verdicts:
        usual = known[v["benchmark"]].parameters if v["benchmark"] in known else {}
        unusual = overrides(parameters_of(v), {k: str(value) for k, value in usual.items()})
        by_benchmark.setdefault(v["benchmark"], {})[v["id"]] = unusual
    common: dict[str, dict[str, str]] = {}
    for benchmark, rows in by_benchmark.items():
        first, *others = rows.values()
        common[benchmark] = {k: x for k, x in first.items() if all(o.get(k) == x for o in others)}
    own = {
        number: pairs({k: x for k, x in unusual.items() if k not in common[benchmark]})
        for benchmark, rows in by_benchmark.items()
        for number, unusual in rows.items()
    }
    return Settings(
        common=tuple((b, pairs(alike)) for b, alike in sorted(common.items()) if alike), own=own
    )


def metric(verdict: Figure) -> Metric | None:
    """Return the declared metric of a row, or None for one that the catalogue does not have."""
    entry = site().catalogue.benchmarks.get(verdict["benchmark"])
    return None if entry is None else entry.metric(verdict["metric"])


def relevance(verdict: BoardFigure) -> float | None:
    """Return the smallest relative change of a row that matters; None where nobody declared it."""
    declared = metric(verdict)
    kind = site().catalogue.board_types.get(verdict["board_type"])
    return None if declared is None or kind is None else declared.relevance_on(kind)


def judging(verdicts: Sequence[Verdict]) -> tuple[list[Verdict], list[Verdict]]:
    """Return the rows that judge their benchmark, and those that another row judges with.

    A rate and the time for one operation are one figure with two names: the catalogue compares
    one of them.  A row stays where no other of its benchmark and parameters judges it.
    """
    judges = [v for v in verdicts if (m := metric(v)) is None or m.compared]
    there = {place(v) for v in judges}
    beneath = [v for v in verdicts if v not in judges and place(v) in there]
    return [v for v in verdicts if v not in beneath], beneath


def place(verdict: Figure) -> tuple[str, str]:
    """Return what a row shares with the other figures of the same boots."""
    return verdict["benchmark"], verdict["parameters"]
