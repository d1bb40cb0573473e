# SPDX-License-Identifier: GPL-2.0-only
"""Rows of reports, made by hand."""

from __future__ import annotations

from typing import Any


def row(**changes: Any) -> dict[str, Any]:
    return {
        "id": 1, "comparison": 7, "benchmark": "stress-ng-pipe", "parameters": {"instances": "4"},
        "overrides": {"instances": "4"}, "metric": "bogo-ops-rate", "statistic": "median",
        "unit": "1/s", "direction": "higher", "base": 1000.0, "new": 707.0, "effect": -0.293,
        "ci_low": -0.31, "ci_high": -0.27, "p": 0.001, "n_base": 10, "n_new": 10, "worse": True,
        "verdict": "REGRESSION", "standing": "confirmed", "hint": False, "reason": "29 % worse",
        "told": None, "suspicion": {"stand": "confirmed", "boots": 10}, "confirmable": False,
        "decided_by": 8, "screen": {"verdict": "REGRESSION", "base": 1000.0, "new": 720.0,
                                    "effect": -0.28, "ci_low": -0.3, "ci_high": -0.26,
                                    "n_base": 5, "n_new": 5},
        "boots": {"base": 10, "new": 10}, "marked": {"base": 0, "new": 1}, "samples": None,
        **changes,
    }  # fmt: skip


def head(**changes: Any) -> dict[str, Any]:
    return {
        "id": 7, "at": "2026-03-01T10:00:00+00:00", "board_type": "rpi5", "role": "baseline",
        "plan": "nightly", "synthetic": False, "base": "6.6.78", "new": "6.12.81",
        "base_knobs": "", "new_knobs": "", "base_commit": "a" * 40, "new_commit": "b" * 40,
        "subject": "a subject", "patches": None, "application": "none", "variant": "default",
        "verdict": "REGRESSION", "severity": 0, "size": 0.347, "worst": 0.293, "failures": 0,
        "limits": None, "tools": ["stress-ng 0.15.06+"], "unchanged": 3, "rows": [row()],
        "again": [{"benchmark": "stress-ng-pipe", "command": "vlag run x --seed 1"}], **changes,
    }  # fmt: skip


def branch(**changes: Any) -> dict[str, Any]:
    return {
        "schema": 1, "kind": "branch", "tree": "tip", "branch": "sched/core", "head_notes": [],
        "synthetic": False, "states": [head()], "changes": [], "alerts": [], "suspicions": [],
        **changes,
    }  # fmt: skip


def matrix(*cells: dict[str, Any]) -> dict[str, Any]:
    columns = [
        {
            "label": f"solo({n})", "patches": "series", "application": f"solo({n})",
            "settings": "", "comparison": None if c["nothing"] else n, "new": f"6.12 solo({n})",
            "new_commit": "b" * 40, "verdict": "x", "failure": c["nothing"],
        }
        for n, c in enumerate(cells, 1)
    ]  # fmt: skip
    metric = {
        "benchmark": "stress-ng-pipe", "overrides": {}, "metric": "bogo-ops-rate",
        "statistic": "median", "unit": "1/s", "direction": "higher", "base": 1000.0,
        "name": "stress-ng-pipe bogo-ops-rate", "cells": list(cells),
    }  # fmt: skip
    return {
        "schema": 1, "kind": "matrix", "name": "tip/sched/core", "head_notes": [],
        "synthetic": False,
        "matrices": [
            {
                "board_type": "rpi5", "base": "6.12", "base_commit": "a" * 40, "base_knobs": "",
                "synthetic": False, "limits": None, "tools": ["stress-ng 0.15.06+"],
                "columns": columns, "metrics": [metric], "accounts": [], "dependences": [],
                "again": [],
            }
        ],
    }  # fmt: skip


def cell(**changes: Any) -> dict[str, Any]:
    return {"nothing": None, **row(**changes)}
