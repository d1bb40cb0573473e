# SPDX-License-Identifier: GPL-2.0-only
"""Golden figures: small fixed inputs, computed in seconds and compared with a record.

`python -m bench figures` prints each figure beside that of tests/data/figures.json and ends with 1
where one has moved by more than its tolerance; `--write` renews the record.  A change that moves a
figure on purpose says so in its commit.  Inputs are files of tests/data/, numbers drawn from a seed
by the locked version of numpy, and a database that `bench/scale.sql` fills from a seed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from bench import changepoints, noisy_boots, noisy_searches, scale, verdicts
from bench.changepoints import Noise
from bench.noisy_searches import Cell
from bench.shapes import shipped
from vlag import ROOT
from vlag.report import markdown, short, text
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.migrate import migrate

DATA = ROOT / "tests" / "data"
RECORD = DATA / "figures.json"
#: What a person types when a figure has moved on purpose.
RENEW = "python -m bench figures --write"
#: Pairs of boots that are drawn for a share.
PAIRS = 500
#: Steps of each size that are put into each history, one at a time.
STEPS = 4
#: Searches for a commit of each loss.
SEARCHES, LOSSES = 6, (0.05, 0.10)
#: Commits of a branch in the database of the queries: it has 26,400 runs.
COMMITS = 3
#: Tables that grow with every run: what a query reads of them must not grow with them.
LARGE = {"run", "sample", "histogram", "run_value", "verdict"}
#: Questions of `scale_questions.sql` whose answers do not depend on the day of the year.
QUESTIONS = (
    "overview: every branch and board", "branch: history, all time",
    "branch: tail of a latency, all time", "branch: change points", "compare: verdicts",
    "compare: summary", "compare: values of every boot", "latency: histograms of a comparison",
    "matrix: patches of a branch", "run: all of it", "run: its values", "run: its histogram",
    "alert: its evidence",
)  # fmt: skip

Figures = dict[str, float]


@frozen
class Tolerance:
    """By how much a figure may differ from its record: the larger of both."""

    absolute: float
    share: float = 0.0  # of the record

    def allows(self, old: float, new: float) -> bool:
        """Return whether a figure is near enough to its record."""
        return abs(new - old) <= self.of(old)

    def of(self, old: float) -> float:
        """Return the difference that is allowed, with room for the last digit."""
        return max(self.absolute, self.share * abs(old)) + 1e-9


#: Figures are equal on one version of numpy and PostgreSQL; the tolerances leave room for another
#: rounding of a boundary case, and for the sample that another PostgreSQL takes of a table.
TOLERANCES = {
    "series": Tolerance(0.01),
    "false alarms": Tolerance(0.5),  # of whole ones: none more, none less
    "verdicts": Tolerance(0.01),
    "report": Tolerance(2.0, 0.02),
    "searches": Tolerance(0.5, 0.03),
    "queries": Tolerance(5.0, 0.2),
}


def series() -> Figures:
    """Return how steps are found in drawn histories: F1, and the share found of each size."""
    windows = _histories("histories")
    given = Noise(windows=windows, spread=np.ones(len(windows)))
    score = changepoints.score(changepoints.ours, given, STEPS)
    return {
        "F1": score.f1,
        "precision": score.precision,
        **{f"{size:.0%} steps found": share for size, share in score.by_size.items()},
    }


def false_alarms() -> Figures:
    """Return steps that are found where none is, and changes that are reported of equal kernels."""
    steps = {
        f"steps in {name}": sum(len(changepoints.ours(window)) for window in _histories(name))
        for name in ("histories", "histories-wandering")
    }
    reported = {
        f"{plan}: reported of {PAIRS} pairs of equal kernels": PAIRS * share
        for plan, (_again, share) in _pairs(0.0).items()
    }
    return {**steps, **reported}


def _histories(name: str) -> changepoints.Array:
    return np.loadtxt(DATA / f"{name}.csv", delimiter=",")


def shares() -> Figures:
    """Return the shares of drawn pairs that verdicts as shipped suspect and report."""
    figures = {}
    for change in (0.0, 0.03, -0.05):
        for plan, (again, reported) in _pairs(change).items():
            pairs = f"{plan}, {change:+.0%}" if change else f"{plan}, equal kernels"
            figures[f"{pairs}: run again"] = again
            if change:
                figures[f"{pairs}: reported"] = reported
    return figures


def _pairs(change: float) -> dict[str, tuple[float, float]]:
    """Return by plan the shares of pairs with a change that are run again, and reported."""
    return {
        plan: verdicts.taken_through(shape, 0, 0, change, verdicts.CV, PAIRS)[:2]
        for plan, shape in zip(("nightly", "weekly"), shipped()[:2], strict=True)
    }


def searches() -> Figures:
    """Return how searches for a commit end on boards whose boots scatter, and what they take."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        git, commits = noisy_searches.repository(Path(folder))
        noise = noisy_boots.real(noisy_boots.modelled())
        for loss in LOSSES:
            cell = Cell(name="modelled", losses=(loss,), noise=noise, searches=SEARCHES)
            made = noisy_searches.answers(cell, git, commits)
            named = f"{loss:.0%} loss, of {made.confirmed} that are confirmed"
            figures[f"{named}: right"] = float(made.ours[noisy_searches.RIGHT])
            figures[f"{named}: wrong"] = float(noisy_searches.wrong(made))
            figures[f"{named}: boots of a search"] = sum(made.boots) / len(made.boots)
    return figures


def report() -> Figures:
    """Return the lines of the reports of a night that is kept."""
    night = json.loads((DATA / "short" / "whole-night.json").read_text(encoding="utf-8"))
    return of_night(night)


def of_night(night: Mapping[str, Any]) -> Figures:
    """Return the lines of a night's reports in each form."""
    forms: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
        "short": short.render, "whole": text.render, "Markdown": markdown.render,
    }  # fmt: skip
    return {f"lines, {name}": len(render(night).splitlines()) for name, render in forms.items()}


def fill(conn: Connection) -> None:
    """Fill an empty database with the same rows each time, and statistics of all of them."""
    conn.execute("SELECT setseed(0.5)")
    conn.execute("SET default_statistics_target = 1000")
    scale.generate(conn, COMMITS)


def queries(conn: Connection) -> Figures:
    """Return the rows that queries of pages read from each large table, and how they find them."""
    # Workers would share the rows between them.
    conn.execute("SET max_parallel_workers_per_gather = 0")
    conn.execute("SET jit = off")
    figures: Figures = {}
    known = {q.name: q for q in scale.questions(conn)}
    for name in QUESTIONS:
        explain = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {known[name].sql}"
        [(plan,)] = conn.execute(explain.encode()).fetchall()
        for node in _nodes(plan[0]["Plan"]):
            if node.get("Relation Name") in LARGE:
                how = "whole" if node["Node Type"] == "Seq Scan" else "by index"
                key = f"{name}: rows of {node['Relation Name']}, {how}"
                figures[key] = figures.get(key, 0) + _rows(node)
    return figures


def _nodes(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


def _rows(node: Mapping[str, Any]) -> float:
    """Return the rows that a scan read, also those that it threw away."""
    kinds = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck")
    return float(node["Actual Loops"] * sum(node.get(kind, 0) for kind in kinds))


def of_private_database() -> Figures:
    """Return the figures of queries in a database that is made for them."""
    with tempfile.TemporaryDirectory(prefix="vlag-figures-") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL runs as another user
        with scale.private_cluster(Path(folder), "-c fsync=off") as dsn:
            migrate(dsn)
            with database.connect(dsn) as conn:
                fill(conn)
                return queries(conn)


GROUPS: Mapping[str, Callable[[], Figures]] = {
    "series": series,
    "false alarms": false_alarms,
    "verdicts": shares,
    "report": report,
    "searches": searches,
    "queries": of_private_database,
}


def recorded() -> dict[str, Figures]:
    """Return the record: figures by group and name."""
    return dict(json.loads(RECORD.read_text(encoding="utf-8")))


def moved(group: str, figures: Figures) -> list[str]:
    """Return a line for each figure that is not as recorded, with both values and what to do."""
    old, tolerance = recorded().get(group, {}), TOLERANCES[group]
    lines = []
    for name in dict.fromkeys((*old, *figures)):
        was, now = old.get(name), figures.get(name)
        if was is None or now is None or not tolerance.allows(was, now):
            allowed = "" if was is None else f" (allowed: {tolerance.of(was):.3g} either way)"
            lines.append(f"{group}: {name}: recorded {_said(was)}, now {_said(now)}{allowed}")
    if lines:
        lines.append(f"if that is meant: {RENEW}, and name the figures in the commit")
    return lines


def _said(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.6g}"


def main(words: Sequence[str] = ()) -> None:
    """Compute every figure, and compare or record them."""
    options = argparse.ArgumentParser(prog="python -m bench figures", description=__doc__)
    options.add_argument("--write", action="store_true", help="renew the record")
    given = options.parse_args(words)
    old = recorded() if RECORD.exists() else {}
    groups: dict[str, Figures] = {}
    for group, compute in GROUPS.items():
        groups[group] = compute()
        for name, value in groups[group].items():
            print(f"{group}: {name}: {_said(old.get(group, {}).get(name))} -> {_said(value)}")
    if given.write:
        rounded = {g: {n: round(v, 6) for n, v in figures.items()} for g, figures in groups.items()}
        RECORD.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
        print(f"{RECORD.relative_to(ROOT)} is written")
        return
    if lines := [line for group, figures in groups.items() for line in moved(group, figures)]:
        print("\n".join(["", *lines]))
        sys.exit(1)
