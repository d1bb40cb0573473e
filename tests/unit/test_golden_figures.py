# SPDX-License-Identifier: GPL-2.0-only
"""The golden figures are those of the record; `python -m bench figures --write` renews it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

import pytest
from attrs import evolve

from bench import changepoints, figures
from vlag.search import noisy_search
from vlag.stats import compare, stages
from vlag.stats.changepoint_tuning import SHIPPED

pytestmark = pytest.mark.slow

#: Those of the queries are compared in tests/integration/test_pages_speed.py.
HERE = [group for group in figures.GROUPS if group != "queries"]


@pytest.mark.parametrize("group", HERE)
def test_no_figure_has_moved(group: str) -> None:
    lines = figures.moved(group, figures.GROUPS[group]())
    assert not lines, "\n".join(lines)


def test_each_group_is_on_record_with_a_tolerance() -> None:
    assert set(figures.recorded()) == set(figures.GROUPS) == set(figures.TOLERANCES)


@pytest.mark.parametrize(
    ("group", "module", "constant", "value"),
    [
        ("false alarms", stages, "LEVEL", 0.3),
        ("verdicts", compare, "SCREEN", 0.05),
        ("verdicts", stages, "LEVEL", 1e-6),
        ("searches", noisy_search, "FACTOR", 1e30),
    ],
)
def test_a_worse_constant_leaves_the_tolerance(
    group: str, module: Any, constant: str, value: float
) -> None:
    """Negative control."""
    with mock.patch.object(module, constant, value):
        assert figures.moved(group, figures.GROUPS[group]())


@pytest.mark.parametrize(("group", "evidence"), [("series", 2.6), ("false alarms", 1.0)])
def test_another_tuning_leaves_the_tolerance(group: str, evidence: float) -> None:
    """Negative control."""
    tuned = partial(changepoints.ours, tuning=evolve(SHIPPED, evidence=evidence))
    with mock.patch.object(changepoints, "ours", tuned):
        assert figures.moved(group, figures.GROUPS[group]())


def test_a_longer_report_leaves_the_tolerance() -> None:
    """Negative control: a night with its largest comparison twice."""
    kept = figures.DATA / "short" / "whole-night.json"
    night = json.loads(kept.read_text(encoding="utf-8"))
    largest = max(night["comparisons"], key=lambda c: len(c["rows"]))
    longer = {**night, "comparisons": [*night["comparisons"], largest]}
    assert any("lines, whole" in line for line in figures.moved("report", figures.of_night(longer)))


def test_what_has_moved_is_told_with_both_values_and_the_way_to_renew_it() -> None:
    record = figures.recorded()["series"]
    assert figures.moved("series", record) == []
    worse = {**record, "F1": record["F1"] - 0.0102}
    assert figures.moved("series", worse) == [
        f"series: F1: recorded {record['F1']:.6g}, now {worse['F1']:.6g}"
        " (allowed: 0.01 either way)",
        f"if that is meant: {figures.RENEW}, and name the figures in the commit",
    ]
    within = {**record, "F1": record["F1"] - 0.0098}
    assert figures.moved("series", within) == []
    # One that is gone, and one that is new.
    lines = figures.moved("series", {**record, "F2": 1.0} | {})
    assert lines[0] == "series: F2: recorded nothing, now 1"
    gone = {name: value for name, value in record.items() if name != "F1"}
    assert figures.moved("series", gone)[0].endswith("now nothing (allowed: 0.01 either way)")


def test_the_record_is_written_by_one_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "figures.json"
    found = [1.0]
    groups: dict[str, Callable[[], dict[str, float]]] = {"series": lambda: {"F1": found[0]}}
    monkeypatch.setattr(figures, "GROUPS", groups)
    monkeypatch.setattr(figures, "RECORD", record)
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    figures.main(["--write"])
    figures.main()
    found[0] = 0.9
    with pytest.raises(SystemExit, match="1"):
        figures.main()
    assert "series: F1: recorded 1, now 0.9" in capsys.readouterr().out
    assert json.loads(record.read_text()) == {"series": {"F1": 1.0}}
