"""A row of a report: the keys that every report gives a verdict, wherever it was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vlag.model import Direction

_SIDES = ("base", "new")
_AS_THEY_ARE = (
    "benchmark", "metric", "statistic", "unit", "direction", "effect", "ci_low", "ci_high",
    "n_base", "n_new", "p", "verdict", "reason", "hint",
)  # fmt: skip


def row(verdict: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a verdict as a row of a report, as JSON has it.

    `verdict` has the columns of the table `verdict`, or of the view of that name.  Base,
    new and their interval are in `unit`; effects are relative, 0.01 = 1 %.
    """
    return {
        **{key: verdict[key] for key in _AS_THEY_ARE},
        "parameters": dict(parameters),
        "base": verdict["base_value"],
        "new": verdict["new_value"],
        "worse": worse(verdict["effect"], verdict["direction"]),
        "boots": {side: len(verdict[f"{side}_runs"]) for side in _SIDES},
        "marked": {side: verdict[f"{side}_marked"] for side in _SIDES},
        "samples": None
        if all(verdict[f"{side}_achieved"] is None for side in _SIDES)
        else {
            side: {k: verdict[f"{side}_{k}"] for k in ("achieved", "expected")} for side in _SIDES
        },
    }


def overrides(parameters: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that are not a benchmark's usual ones."""
    return {k: v for k, v in parameters.items() if usual.get(k) != v}


def worse(effect: float | None, direction: str) -> bool | None:
    """Return whether an effect is for the worse; None where there is none."""
    return (effect < 0) == (direction == Direction.HIGHER.value) if effect else None
