"""Plots of a page; each point links to its run."""

from __future__ import annotations

import hashlib
import itertools
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flask import url_for
from markupsafe import Markup

from vlag.report import plots
from vlag.report.compared import number
from vlag.web import declared_rows
from vlag.web.words import moment

#: The plotting library shares its style between threads, and several threads answer requests.
_LOCK = threading.Lock()

#: Cache of plots, by content: one takes up to a second, and readers come back.
_MOST_KEPT = 200
_kept: dict[tuple[str, bytes], str] = {}

Row = Mapping[str, Any]

#: Rows of a forest plot: more exceed a screen by far.
EFFECTS = 30
_OF_EFFECT = ("effect", "ci_low", "ci_high", "verdict", "hint", "standing")

#: Rows of a heat map: values in factors of two, or the longest tail would fill it.
_BASE = 2


def history(found: Row, series: Row, statistic: str) -> Markup:
    """Return the plot of `vlag.report.read_model.branch_history`."""
    points = [
        {
            **p,
            "url": url_for("places.run", id=p["run"]),
            "label": f"{p['name']}: {number(p['value'])} {series['unit']}, seed {p['seed']} on"
            f" {p['board']}",
        }
        for p in found["points"]
    ]
    alerts = [
        {
            "kernel": a["kernel"],
            "name": f"alert {a['id']}",
            "value": None,
            "url": url_for("triage.alert", id=a["id"]),
            "label": f"Alert {a['id']}: {a['title']}",
        }
        for a in found["alerts"]
    ]
    return _drawn(
        plots.history,
        points,
        found["band"],
        found["changes"],
        alerts=alerts,
        title=f"{series['name']} {statistic}",
        unit=series["unit"],
        direction=series["direction"],
    )


def effects(verdicts: Sequence[Row]) -> Markup:
    """Return the forest plot of the first `EFFECTS` rows of the view `verdict`."""
    own = declared_rows.settings(verdicts).own
    rows = [
        {
            **{key: v[key] for key in _OF_EFFECT},
            "name": " ".join(filter(None, (v["benchmark"], own[v["id"]], _figure(v)))),
            "worse": v["worsening"] > 0 if v["worsening"] else None,
            "relevance": declared_rows.relevance(v),
        }
        for v in verdicts[:EFFECTS]
    ]
    return _drawn(plots.effects, rows)


def _figure(v: Row) -> str:
    return str(v["name"]).removeprefix(v["benchmark"]).strip()


def functions(profile: Row) -> Markup | None:
    """Return the plot of a profile of `vlag.report.read_model.profiles`.

    None if it names no function: bars of what boots of one kernel differ by would mislead.
    """
    if not any(f["certain"] for f in profile["functions"]):
        return None
    return _drawn(plots.functions, profile)


def flame(profile: Row) -> Markup | None:
    """Return the tree of calls of such a profile; None where `functions` has no plot or no tree."""
    if not profile["frames"] or not any(f["certain"] for f in profile["functions"]):
        return None
    return _drawn(plots.flame, profile)


def shift(quantiles: Sequence[Row], title: str, relevance: float | None = None) -> Markup:
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


def heat_map(buckets: Sequence[Row], unit: str) -> dict[str, Any] | None:
    """Return a heat map of the boots' histograms, as columns and rows for the template.

    Each column is a boot, each row a range of values in factors of two, each cell the share
    of the boot's samples; `kernels` are the columns' kernels, each with its number of them.
    None for fewer than two boots.
    """
    of: dict[int, dict[int, int]] = {}
    about: dict[int, Row] = {}
    for b in buckets:
        step = math.floor(math.log(b["lower_bound"], _BASE)) if b["lower_bound"] > 0 else -1
        column = of.setdefault(b["run"], {})
        column[step] = column.get(step, 0) + b["count"]
        about[b["run"]] = b
    if len(of) < 2:
        return None
    steps = range(
        max(s for c in of.values() for s in c), min(s for c in of.values() for s in c) - 1, -1
    )
    columns = []
    for run, column in of.items():
        total = sum(column.values())
        cells = [column.get(s, 0) / total for s in steps]
        columns.append({"run": run, "at": moment(about[run]["at"]), "cells": cells})
    kernels = [
        {"name": about[some[0]]["name"], "at": about[some[0]]["committed_at"], "boots": len(some)}
        for _, same in itertools.groupby(of, key=lambda run: about[run]["kernel"])
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
