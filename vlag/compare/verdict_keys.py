# SPDX-License-Identifier: GPL-2.0-only
"""A row of a report: the keys that every report gives a verdict, wherever it was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from vlag.model import Direction
from vlag.verdict_data import (
    ConditionalChange,
    Parameters,
    QuantileData,
    Samples,
    SideSamples,
    VerdictColumns,
    VerdictData,
)

_Value = TypeVar("_Value")


def row(verdict: VerdictColumns, parameters: Parameters) -> VerdictData:
    """Return a verdict as a row of a report, as JSON has it.

    `verdict` has the columns of the table `verdict`, or of the view of that name.
    """
    return {
        "benchmark": verdict["benchmark"],
        "parameters": dict(parameters),
        "metric": verdict["metric"],
        "statistic": verdict["statistic"],
        "unit": verdict["unit"],
        "direction": verdict["direction"],
        "base": verdict["base_value"],
        "new": verdict["new_value"],
        "effect": verdict["effect"],
        "ci_low": verdict["ci_low"],
        "ci_high": verdict["ci_high"],
        "n_base": verdict["n_base"],
        "n_new": verdict["n_new"],
        "p": verdict["p"],
        "verdict": verdict["verdict"],
        "reason": verdict["reason"],
        "mode": verdict["mode"],
        "conditional": _conditional(verdict),
        "hint": verdict["hint"],
        "worse": worse(verdict["effect"], verdict["direction"]),
        "boots": {"base": len(verdict["base_runs"]), "new": len(verdict["new_runs"])},
        "marked": {"base": verdict["base_marked"], "new": verdict["new_marked"]},
        "samples": _samples(verdict),
    }


def _conditional(verdict: VerdictColumns) -> ConditionalChange | None:
    effect = verdict["conditional_effect"]
    low, high = verdict["conditional_low"], verdict["conditional_high"]
    if effect is None or low is None or high is None:
        return None
    return {"effect": effect, "ci_low": low, "ci_high": high}


def _samples(verdict: VerdictColumns) -> Samples | None:
    base = SideSamples(achieved=verdict["base_achieved"], expected=verdict["base_expected"])
    new = SideSamples(achieved=verdict["new_achieved"], expected=verdict["new_expected"])
    if base["achieved"] is None and new["achieved"] is None:
        return None
    return {"base": base, "new": new}


def of_figures(
    quantiles: Sequence[QuantileData], rows: Iterable[VerdictData]
) -> list[QuantileData]:
    """Return quantiles of a metric with the numbers of its `rows`, as the view `distribution` does.

    A figure has one number, whoever shows it: the row counts earlier boots of the base and may
    shift by ranks, the test of all quantiles does neither.  What moved, and p, are the test's.
    """
    by_name = {r["statistic"]: r for r in rows if r["effect"] is not None}
    return [_of_figure(q, by_name[q["name"]]) if q["name"] in by_name else q for q in quantiles]


def _of_figure(q: QuantileData, r: VerdictData) -> QuantileData:
    return {
        **q, "base": r["base"], "new": r["new"], "effect": r["effect"],
        "low": r["ci_low"], "high": r["ci_high"],
    }  # fmt: skip


def overrides(parameters: Mapping[str, _Value], usual: Mapping[str, object]) -> dict[str, _Value]:
    """Return the parameters that are not a benchmark's usual ones."""
    return {k: v for k, v in parameters.items() if usual.get(k) != v}


def worse(effect: float | None, direction: str) -> bool | None:
    """Return whether an effect is for the worse; None where there is none."""
    return (effect < 0) == (direction == Direction.HIGHER.value) if effect else None
