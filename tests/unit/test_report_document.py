# SPDX-License-Identifier: GPL-2.0-only
"""Reports that are kept have the keys of `vlag.report.document`, and values of their types."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.typed import faults
from vlag import ROOT
from vlag.report.document import NightData, PrintedComparison

KEPT = sorted((ROOT / "tests" / "data" / "short").glob("*.json"))


def read(name: str) -> Any:
    return json.loads((ROOT / "tests" / "data" / "short" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [path.name for path in KEPT])
def test_a_kept_report_has_the_types_of_its_keys(name: str) -> None:
    report = read(name)
    kind = NightData if report["kind"] == "night" else PrintedComparison
    assert list(faults(report, kind)) == []


def test_each_fault_is_named_with_its_place() -> None:
    """Negative control."""
    report = read("regression.json")
    del report["machine"]
    report["base"]["toolchian"] = report["base"].pop("toolchain")
    report["rows"][0] |= {"effect": "-3 %", "worse": 1, "n_base": 5.5}
    report["kind"] = "night"
    assert sorted(faults(report, PrintedComparison)) == [
        ".base.toolchain: missing",
        ".base.toolchian: unknown",
        ".kind: 'night'",
        ".machine: missing",
        ".rows[0].effect: '-3 %'",
        ".rows[0].n_base: 5.5",
        ".rows[0].worse: 1",
    ]
