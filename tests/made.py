# SPDX-License-Identifier: GPL-2.0-only
"""Rows made by hand, with what a test does not name; kernels and runs are in bundles.py."""

from __future__ import annotations

from typing import Any

from vlag.store.comparisons import VerdictRow


def figure(metric: str, verdict: str, effect: float | None = None, **changes: Any) -> VerdictRow:
    """Return the verdict on one figure of stress-ng-switch."""
    given: dict[str, Any] = {
        "benchmark": "stress-ng-switch", "parameters": {"duration_s": 12}, "metric": metric,
        "statistic": "median", "series_base": None, "series_new": None, "unit": "1/s",
        "direction": "higher", "base_value": 1.0,
        "new_value": None if effect is None else 1 + effect, "effect": effect, "ci_low": None,
        "ci_high": None, "n_base": 5, "n_new": 5, "p": None, "verdict": verdict,
        "reason": "because", "hint": False, "base_runs": [], "new_runs": [], **changes,
    }  # fmt: skip
    return VerdictRow(**given)
