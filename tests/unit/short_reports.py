# SPDX-License-Identifier: GPL-2.0-only
"""Reports of real nights, and comparisons with other rows."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.report_rows import row
from vlag import ROOT
from vlag.report import changed_figures

Data = dict[str, Any]

#: Reports of real nights, as `vlag report --format json` printed them.
KEPT = ROOT / "tests" / "data" / "short"

NIGHT, REGRESSION, WHOLE = "first-night", "regression", "whole-night"

LONG = "a-name-of-somebody-with-time " * 9


def kept(name: str) -> Data:
    data: Data = json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
    return data


VERDICTS = {
    "worse": "REGRESSION", "maybe": "MARGINAL", "better": "IMPROVEMENT", "hint": "REGRESSION",
    "inconclusive": "INCONCLUSIVE", "not comparable": "NOT_COMPARABLE", "unchanged": "UNCHANGED",
}  # fmt: skip


def figure(kind: str, n: int, **more: Any) -> Any:
    """Return a row of one of `changes.KINDS`."""
    base = 1e3 + n / 7
    given: Data = {"standing": "", "suspicion": None, "told": None, "boots_needed": 3 + n}
    given |= {"metric": f"metric-{n}", "base": base, "new": 0.707 * base, "overrides": {}}
    given |= {"benchmark": f"bench-{n % 30}", "verdict": VERDICTS[kind], "hint": kind == "hint"}
    return {**row(), **given, **more}


def comparison(*rows: Data, **more: Any) -> Data:
    """Return a kept comparison with other rows, each with a boot a side to run again."""
    boots: list[Data] = [
        {"side": side, "seed": 1, "board": "sim2-1", "values": {}, "marked": False, "screen": False,
         "raw": "raw", "job": None, "config": None, "reproduce": f"vlag run {side} --seed 1"}
        for side in ("base", "new")
    ]  # fmt: skip
    keys = ("benchmark", "parameters", "metric", "unit")
    origins = [{**{key: r[key] for key in keys}, "runs": boots} for r in rows]
    return {**kept(REGRESSION), "rows": list(rows), "origins": origins, **more}


def beside(said: str, n: int) -> Data:
    """Return what a report says beside its figures, `n` of each."""
    option = {"option": f"SCHED_{said}", "base": said, "new": said, "value": said}
    change = {"between": ["6.5", "6.6"], "text": said, "commit": "147f3efaa241", "side": "new"}
    return {
        "config": {"changed": [option] * n, "new": [option] * n, "gone": [option] * n},
        "known_changes": [change] * n,
        "suspects": {"commit": said, "toggle": said, "function": said},
        "trailers": ["Reported-by: Somebody <somebody@example.org>",
                     f"#regzbot introduced: {'1' * 40}..{'2' * 40}"],
    }  # fmt: skip


def crowded(n: int) -> Any:
    """Return a comparison with too much of everything, in long words."""
    rows = [
        figure(kind, i, benchmark=f"{LONG}{i}") for i in range(40) for kind in changed_figures.KINDS
    ]
    run = {"kind": "run", "benchmark": LONG, "seed": 1, "outcome": "panic", "reason": LONG}
    alarm = {"side": "new", "kind": "warning", "place": LONG, "runs": [1], "of": 5, "text": LONG,
             "base_runs": [], "base_of": 5, "phases": [], "callers": [], "where": "x"}  # fmt: skip
    c = comparison(
        *rows, id=n, notes=[LONG] * 30, attribution=[LONG] * 30, head_notes=[LONG] * 30,
        failures=[{**run, "side": "new", "log": "x", "reproduce": "vlag run x"}] * 30,
        health=[alarm] * 30, differences=[LONG] * 9, limits=LONG * 9, machine=[LONG],
        tools=[LONG], factors={LONG: {"base": "", "new": ""}}, commands=[], **beside(LONG, 30),
    )  # fmt: skip
    for side in ("base", "new"):
        c[side] |= {"subject": f"{LONG}{n}", "release": f"{LONG}{n}", "describe": LONG + side}
    return c


WHERE = {"commands": ["vlag report --comparison 6 --full"], "url": "http://127.0.0.1:8010/"}
