# SPDX-License-Identifier: GPL-2.0-only
"""Plots of a page; each point links to its run."""

from __future__ import annotations

import hashlib
import itertools
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from flask import url_for
from markupsafe import Markup

from vlag.profile import decision_text
from vlag.report import plots
from vlag.report.compared import number
from vlag.report.document import ProfileData
from vlag.report.read_model.branch_figures import Band, RunBucketRow
from vlag.report.read_model.view_rows import QuantileRow, TimeSeriesRow, VerdictRow
from vlag.store.path_points import PointRow
from vlag.web import commit_links, declared_rows
from vlag.web.words import moment

#: The plotting library shares its style between threads, and several threads answer requests.
_LOCK = threading.Lock()

#: Cache of plots, by content: one takes up to a second, and readers come back.
_MOST_KEPT = 200
_kept: dict[tuple[str, bytes], str] = {}


class Boot(TypedDict):
    """A point of a history."""

    run: int
    kernel: int
    name: str  # of the kernel
    value: float
    board: str
    seed: int
    marked: bool


class Mark(TypedDict):
    """An alert in a history."""

    id: int
    title: str
    kernel: int


class HeatColumn(TypedDict):
    """A boot of a heat map, with the share of its samples in each range."""

    run: int
    at: str
    cells: list[float]


class HeatKernel(TypedDict):
    """A kernel of a heat map, with the number of its columns."""

    name: str
    at: datetime
    boots: int


class HeatMap(TypedDict):
    """Histograms of boots: columns are boots, rows ranges of values."""

    columns: list[HeatColumn]
    kernels: list[HeatKernel]
    rows: list[str]


#: Rows of a forest plot: more exceed a screen by far.
EFFECTS = 30

#: Rows of a heat map: values in factors of two, or the longest tail would fill it.
_BASE = 2


def history(
    boots: Sequence[Boot],
    band: Band | None,
    changes: Sequence[Mapping[str, object]],
    marks: Sequence[Mark],
    series: TimeSeriesRow,
    statistic: str,
) -> Markup:
    """Return the plot of a history, as `vlag.report.read_model.branch_history` has it."""
    points = [
        {
            **p,
            "url": url_for("places.run", id=p["run"]),
            "label": f"{p['name']}: {number(p['value'])} {series['unit']}, seed {p['seed']} on"
            f" {p['board']}",
        }
        for p in boots
    ]
    alerts = [
        {
            "kernel": a["kernel"],
            "name": f"alert {a['id']}",
            "value": None,
            "url": url_for("triage.alert", id=a["id"]),
            "label": f"Alert {a['id']}: {a['title']}",
        }
        for a in marks
    ]
    return _drawn(
        plots.history,
        points,
        band,
        changes,
        alerts=alerts,
        title=f"{series['name']} {statistic}",
        unit=series["unit"],
        direction=series["direction"],
    )


def path(
    tree: str,
    levels: Sequence[tuple[PointRow, float]],
    steps: Sequence[Mapping[str, object]],
    *,
    title: str,
    unit: str,
) -> Markup:
    """Return the plot of what commits of a tree execute; each point links to its commit."""
    points = [
        {
            "kernel": row.kernel,
            "name": row.describe,
            "value": level,
            "url": commit_links.commit_address(tree, row.commit),
            "label": f"{row.commit[:12]} {row.subject}: {number(level)} {unit}",
        }
        for row, level in levels
    ]
    return _drawn(plots.history, points, None, steps, title=title, unit=unit, direction="lower")


def effects(verdicts: Sequence[VerdictRow]) -> Markup:
    """Return the forest plot of the first `EFFECTS` rows of the view `verdict`."""
    own = declared_rows.settings(verdicts).own
    rows = [
        {
            "effect": v["effect"],
            "ci_low": v["ci_low"],
            "ci_high": v["ci_high"],
            "verdict": v["verdict"],
            "hint": v["hint"],
            "standing": v["standing"],
            "name": " ".join(filter(None, (v["benchmark"], own[v["id"]], _figure(v)))),
            "worse": v["worsening"] > 0 if v["worsening"] else None,
            "relevance": declared_rows.relevance(v),
        }
        for v in verdicts[:EFFECTS]
    ]
    return _drawn(plots.effects, rows)


def _figure(v: VerdictRow) -> str:
    return str(v["name"]).removeprefix(v["benchmark"]).strip()


def functions(profile: ProfileData) -> Markup | None:
    """Return the plot of a profile of `vlag.report.read_model.profile_rows`.

    None if it names no function: bars of what boots of one kernel differ by would mislead.
    """
    if not any(f["certain"] for f in profile["functions"]):
        return None
    return _drawn(plots.functions, profile)


def flame(profile: ProfileData) -> Markup | None:
    """Return the tree of calls of such a profile; None where `functions` has no plot or no tree."""
    if not profile["frames"] or not any(f["certain"] for f in profile["functions"]):
        return None
    return _drawn(plots.flame, profile)


def decisions(told: Mapping[str, Any]) -> Markup | None:
    """Return who ran around the first decision that differs; None if none does.

    `told` is that of `vlag.report.document.DecidedData`; earlier versions stored no picture.
    """
    around = decision_text.told_of(told).get("around")
    return None if around is None else _drawn(plots.decisions, around)


def shift(quantiles: Sequence[QuantileRow], title: str, relevance: float | None = None) -> Markup:
    """Return the plot of rows of the view `distribution` that belong to one metric."""
    rows = [{**q, "name": q["quantile"]} for q in quantiles]
    return _drawn(plots.shift, rows, title=title, relevance=relevance)


def distributions(
    base: Sequence[tuple[float, int]],
    new: Sequence[tuple[float, int]],
    *,
    title: str,
    unit: str,
    names: tuple[str, str],
) -> Markup:
    """Return two histograms, one over the other."""
    return _drawn(plots.distributions, base, new, title=title, unit=unit, names=names)


def heat_map(buckets: Sequence[RunBucketRow], unit: str) -> HeatMap | None:
    """Return a heat map of the boots' histograms, with ranges of values in factors of two.

    None for fewer than two boots.
    """
    by_kernel: dict[int, dict[int, int]] = {}
    about: dict[int, RunBucketRow] = {}
    for b in buckets:
        step = math.floor(math.log(b["lower_bound"], _BASE)) if b["lower_bound"] > 0 else -1
        column = by_kernel.setdefault(b["run"], {})
        column[step] = column.get(step, 0) + b["count"]
        about[b["run"]] = b
    if len(by_kernel) < 2:
        return None
    steps = range(
        max(s for c in by_kernel.values() for s in c),
        min(s for c in by_kernel.values() for s in c) - 1,
        -1,
    )
    columns: list[HeatColumn] = []
    for run, column in by_kernel.items():
        total = sum(column.values())
        cells = [column.get(s, 0) / total for s in steps]
        columns.append({"run": run, "at": moment(about[run]["at"]), "cells": cells})
    kernels: list[HeatKernel] = [
        {"name": about[some[0]]["name"], "at": about[some[0]]["committed_at"], "boots": len(some)}
        for _, same in itertools.groupby(by_kernel, key=lambda run: about[run]["kernel"])
        if (some := list(same))
    ]
    return {
        "columns": columns, "kernels": kernels, "rows": [_range(s, unit) for s in steps],
    }  # fmt: skip


def _range(step: int, unit: str) -> str:
    """Return the values of a row of a heat map as text."""
    low, high = (_BASE**step, _BASE ** (step + 1)) if step >= 0 else (0, 1)
    return f"{low:,} to {high:,} {unit}"


def _drawn(plot: Callable[..., str], *data: Any, **words: Any) -> Markup:
    key = plot.__name__, hashlib.sha256(repr((data, words)).encode()).digest()
    with _LOCK:
        svg = _kept.pop(key, None) or plot(*data, **words)
        _kept[key] = svg  # the most recently used is the last
        if len(_kept) > _MOST_KEPT:
            del _kept[next(iter(_kept))]
    return Markup(svg)  # noqa: S704 - the plots escape what they show
