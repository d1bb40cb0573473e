# SPDX-License-Identifier: GPL-2.0-only
"""What the plots of a report show, as plain data for `vlag.report.plots`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypedDict

from vlag.model import FLAGS
from vlag.report import read_model
from vlag.report.compared import names, number
from vlag.report.document import TableFigure
from vlag.report.read_model.branch_figures import Band, MarkRow, PointRow
from vlag.report.read_model.comparison_rows import MeasuredRow, WholeComparison
from vlag.report.read_model.view_rows import ChangePointRow, QuantileRow
from vlag.store.database import Connection

# Of one comparison; more than a reader looks at only makes a file large.
_HISTORIES = 8
_DISTRIBUTIONS = 6


class NamedFigure(TableFigure):
    """A figure with the name of its row."""

    name: str


class LinkedPoint(PointRow):
    """A boot of a history, and where its point leads to."""

    url: str
    label: str


class PlottedHistory(TypedDict):
    """A figure along a branch."""

    title: str
    verdict: str
    unit: str
    direction: str
    points: Sequence[PointRow]
    band: Band | None  # of the baseline
    changes: list[ChangePointRow]
    alerts: list[MarkRow]


class PlottedHistogram(TypedDict):
    """The samples of both sides: (lower bound, samples) in order."""

    title: str
    direction: str
    unit: str
    base: list[tuple[float, int]]
    new: list[tuple[float, int]]
    names: tuple[str, str]  # of the kernels


class PlottedQuantile(QuantileRow):
    """A quantile with its name."""

    name: str


class PlottedShift(TypedDict):
    """Where a distribution moved."""

    title: str
    direction: str
    headline: str
    quantiles: list[PlottedQuantile]


class PlotData(TypedDict):
    """What the plots of a comparison show."""

    effects: list[NamedFigure]  # all figures, as reruns left them
    histories: list[PlottedHistory]  # the moved series of an unpatched branch
    distributions: list[PlottedHistogram]  # the latencies that moved
    shifts: list[PlottedShift]


def of(conn: Connection, comparisons: Iterable[int], url: str | None = None) -> dict[int, PlotData]:
    """Return what the plots of some comparisons show, by their numbers.

    `url` is the address of the web pages, to which points lead; None: they lead nowhere.
    """
    return {i: _of(conn, c, url) for i in comparisons if (c := read_model.comparison(conn, i))}


def _of(conn: Connection, c: WholeComparison, url: str | None) -> PlotData:
    rows = names([read_model.row(v) for v in c["verdicts"]])
    named = list(zip(rows, c["verdicts"], strict=True))
    moved = _moved(c, named)
    return {
        "effects": [{**read_model.row(v), "name": name} for name, v in named],
        "histories": _histories(conn, c, named, url),
        "distributions": list(_histograms(conn, c, moved)),
        "shifts": list(_shifts(moved)),
    }


def _histories(
    conn: Connection,
    c: WholeComparison,
    named: Sequence[tuple[str, MeasuredRow]],
    url: str | None,
) -> list[PlottedHistory]:
    if c["branch"] is None or c["patches"] is not None or c["variant"] != "default":
        return []
    moved = [
        (name, series, v)
        for name, v in named
        if v["verdict"] in FLAGS and (series := v["series_new"]) is not None
    ]
    moved.sort(key=lambda one: (one[2]["hint"], -abs(one[2]["effect"] or 0)))
    histories: list[PlottedHistory] = []
    for name, series, v in moved[:_HISTORIES]:
        history = read_model.branch_history(
            conn, c["tree"], c["branch"], series, v["statistic"],
            baseline=c["base_kernel"], knobs=c["new_knobs"], baseline_knobs=c["base_knobs"],
        )  # fmt: skip
        points = history["points"]
        histories.append(
            {
                "title": f"{name} on {c['board_type']}",
                "verdict": v["verdict"],
                "unit": v["unit"],
                "direction": v["direction"],
                "points": points if url is None else [_linked(p, url) for p in points],
                "band": history["band"],
                "changes": history["changes"],
                "alerts": history["alerts"],
            }
        )
    return histories


def _linked(p: PointRow, url: str) -> LinkedPoint:
    label = f"{p['name']} boot {p['seed']} on {p['board']}: {number(p['value'])}"
    return {**p, "url": f"{url}run?id={p['run']}", "label": label}


class _Moved(TypedDict):
    title: str
    figure: MeasuredRow
    quantiles: list[QuantileRow]


def _moved(c: WholeComparison, named: Sequence[tuple[str, MeasuredRow]]) -> list[_Moved]:
    """Return the distributions of which a quantile moved."""
    quantiles: dict[tuple[str, str, str], list[QuantileRow]] = {}
    for q in c["distributions"]:
        quantiles.setdefault((q["benchmark"], q["parameters"], q["metric"]), []).append(q)
    rows = {(v["benchmark"], v["parameters"], v["metric"]): (n, v) for n, v in reversed(named)}
    moved: list[_Moved] = []
    for key, of_key in quantiles.items():
        if key in rows and any(q["moved"] for q in of_key):
            name, v = rows[key]
            title = name.removesuffix(f" {v['statistic']}")
            moved.append({"title": title, "figure": v, "quantiles": of_key})
    return moved[:_DISTRIBUTIONS]


def _histograms(
    conn: Connection, c: WholeComparison, moved: Iterable[_Moved]
) -> Iterator[PlottedHistogram]:
    for m in moved:
        v = m["figure"]
        if v["series_base"] is not None and v["series_new"] is not None:
            yield {
                "title": m["title"],
                "direction": v["direction"],
                "unit": v["unit"],
                "base": read_model.buckets(conn, v["base_runs"], v["series_base"]),
                "new": read_model.buckets(conn, v["new_runs"], v["series_new"]),
                "names": (c["base"], c["new"]),
            }


def _shifts(moved: Iterable[_Moved]) -> Iterator[PlottedShift]:
    for m in moved:
        yield {
            "title": m["title"],
            "direction": m["figure"]["direction"],
            "headline": m["quantiles"][0]["headline"],
            "quantiles": [{**q, "name": q["quantile"]} for q in m["quantiles"]],
        }
