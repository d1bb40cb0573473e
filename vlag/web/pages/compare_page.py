# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels: their comparison, and its distributions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from flask import redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from vlag.profile import decision_text
from vlag.report import context, plots, read_model, why
from vlag.report.data import blocker_data, comparison_context
from vlag.report.document import SIDES, Side
from vlag.report.overview import ROLES
from vlag.report.read_model.branch_figures import MedianRow
from vlag.report.read_model.comparison_rows import MeasuredRow, WholeComparison
from vlag.report.read_model.run_rows import PlaceRow
from vlag.report.read_model.sayings import Replacement, Saying
from vlag.report.read_model.view_rows import KernelRow, QuantileRow, VerdictRow
from vlag.stats import severity
from vlag.store import comparisons
from vlag.store.database import Connection
from vlag.web import counters, declared_rows, difference_rows, drawing
from vlag.web.installation import reading, show_at, site
from vlag.web.pages import elsewhere_page
from vlag.web.pages.blueprint import pages
from vlag.web.params import Params, missing, wrong

#: Boots of a heat map: a column each.
_COLUMNS = 60
#: Distributions on the page of a comparison; that of the latencies has all.
_DISTRIBUTIONS = 3
#: Newest kernels of a thumbnail.
_PAST = 80
#: Ranks of figures that get worse, as far as anybody knows.
_WORSE = severity.severity("MARGINAL")


@pages.get("/compare")
def compare() -> str | Response:
    """Two kernels on one board type, worst first."""
    asked = Params(request.args, "id", "base", "new", "said")
    if "id" not in asked:
        if "base" not in asked and "new" not in asked:
            wrong("Which comparison? Write id=NUMBER, or base=KERNEL and new=KERNEL.")
        return _pair(asked.integer("base"), asked.integer("new"))
    with reading() as conn:
        screen = read_model.screen_of(conn, asked.integer("id"))
        if screen is not None:
            return redirect(url_for("pages.compare", id=screen))
        moment = _moment(conn, asked)
        comparison = _comparison(conn, asked.integer("id"))
        kernels: dict[Side, KernelRow | None] = {
            "base": read_model.kernel(conn, comparison["base_kernel"]),
            "new": read_model.kernel(conn, comparison["new_kernel"]),
        }
        runs = sorted(
            {r for v in comparison["verdicts"] for r in (*v["base_runs"], *v["new_runs"])}
        )
        places = read_model.places(conn, runs)
        differing = difference_rows.of(conn, comparison)
        figures = _with_values(conn, _with_thumbnails(conn, comparison), runs)
        distributions = _distributions(conn, comparison, _DISTRIBUTIONS)
        same = elsewhere_page.of(conn, comparison["verdicts"])
        counted = counters.of(conn, comparison, comparison["verdicts"])
        profiles = read_model.profiles(conn, [comparison["id"]])
        sampled = read_model.sampled(conn, [comparison["id"]])
        decided = read_model.decided_differently(conn, [comparison["id"]])
        blocked = blocker_data.of(conn, [comparison["id"]])
        searches = read_model.bisections(conn, [comparison["id"]])
        searching = read_model.searching(conn, [comparison["id"]])
    return render_template(
        "compare.html",
        moment=moment,
        c={**comparison, "verdicts": figures}, kernels=kernels, roles=ROLES, apart=differing,
        designed=_designed(comparison, kernels),
        worst=next((v for v in figures[:1] if _tells(v)), None),
        plot=drawing.effects(figures), drawn=drawing.EFFECTS,
        searches=searches, searching=searching,
        whys=[
            {
                **p,
                "plot": drawing.functions(p),
                "flame": drawing.flame(p),
                "callers": why.callers(p),
                "path_said": why.path_with_limits(p),
            }
            for p in profiles
        ],
        sampled=sampled,
        decided=[
            {
                **d,
                "plot": drawing.decisions(d["told"]),
                "caption": decision_text.picture_caption(d["told"]),
                "text": decision_text.render(d["told"]),
            }
            for d in decided
        ],
        blocked=blocked, latencies=distributions, boots=_boots(figures, places), elsewhere=same,
        **counted,
    )  # fmt: skip


class Moment(TypedDict):
    """A comparison as it was said when a link was made."""

    sayings: list[Saying]
    number: int | None  # the one that is asked for
    replaced: Replacement | None
    shown: Saying | None
    after: Saying | None  # the one after it


class Beside(TypedDict):
    """A metric that a figure judges as well: geometric means over the boots."""

    metric: str
    unit: str
    base: float | None
    new: float | None


class ListedRow(MeasuredRow):
    """A figure of the page."""

    history: Markup | None  # a picture of its series along the branch


class FigureOfPage(ListedRow):
    """The same with what it judges as well."""

    beside: list[Beside]


class SameBoots(TypedDict):
    """Figures that come from the same boots."""

    figures: list[FigureOfPage]
    sides: dict[Side, list[PlaceRow]]


class Distribution(TypedDict):
    """A distribution with its two plots."""

    title: str
    quantiles: list[QuantileRow]
    headline: str
    screened: str | None
    unit: str
    series: int | None
    overlay: Markup | None
    plot: Markup


def _moment(conn: Connection, asked: Params) -> Moment:
    """Let the views show a comparison as it was said when a link was made; return that moment."""
    id_, number = asked.integer("id"), asked.optional_integer("said")
    moments = read_model.sayings(conn, id_)
    until = number or max((s["said"] for s in moments), default=0)
    at = max((i for i, s in enumerate(moments) if s["since"] <= until), default=0)
    replaced = read_model.replaced_by(conn, id_)
    show_at(conn, number, since=moments[0]["since"] if moments else 0, what=f"comparison {id_}")
    return {
        "sayings": moments, "number": number, "replaced": replaced,
        "shown": moments[at] if moments else None, "after": next(iter(moments[at + 1 :]), None),
    }  # fmt: skip


def _pair(base: int, new: int) -> str | Response:
    """Show the comparison of two kernels, or a list if there are several."""
    with reading() as conn:
        for side, number in (("base", base), ("new", new)):
            if read_model.kernel(conn, number) is None:
                missing(f"There is no kernel {number} ({side}) on record.")
        ids = read_model.of_pair(conn, base, new)
        compared = read_model.by_ids(conn, ids)
    if not compared:
        missing(
            f"Kernels {base} and {new} were never compared; `vlag compare` with their builds does"
            " it."
        )
    if len(compared) == 1:
        return redirect(url_for("pages.compare", id=compared[0]["id"]))
    return render_template("pair.html", comparisons=compared, roles=ROLES)


def _comparison(conn: Connection, number: int) -> WholeComparison:
    whole = read_model.comparison(conn, number)
    if whole is None:
        missing(
            f"There is no comparison {number} on record; the overview links to the existing ones."
        )
    return whole


def _designed(comparison: WholeComparison, kernels: Mapping[Side, KernelRow | None]) -> list[str]:
    """Return the changes of the scheduler by design that lie between the two kernels."""
    base, new = (k["release"] if (k := kernels[side]) else None for side in SIDES)
    figures = {(v["benchmark"], v["metric"]) for v in comparison["verdicts"]}
    between = comparison_context.known_changes(site().catalogue, base, new, figures)
    return context.known_changes({"known_changes": between})


def _tells(v: VerdictRow) -> bool:
    """Return whether the worst figure answers what happened: it changed, and by how much."""
    if v["effect"] is None:
        return False
    return v["verdict"] == "IMPROVEMENT" or severity.severity(v["verdict"], v["standing"]) <= _WORSE


def _with_thumbnails(conn: Connection, comparison: WholeComparison) -> list[ListedRow]:
    """Return the verdicts, each with the `history` of its series along the branch as a picture."""
    verdicts = comparison["verdicts"]
    if comparison["branch"] is None or not verdicts:
        return [{**v, "history": None} for v in verdicts]
    histories: dict[tuple[int | None, str], list[MedianRow]] = {}
    for m in read_model.medians(
        conn, comparison["tree"], comparison["branch"],
        sorted({v["series_new"] for v in verdicts if v["series_new"] is not None}),
        knobs=comparison["new_knobs"], most=_PAST,
    ):  # fmt: skip
        histories.setdefault((m["series"], m["statistic"]), []).append(m)
    return [
        {
            **v,
            "history": _thumbnail(
                v, comparison, histories.get((v["series_new"], v["statistic"]), ())
            ),
        }
        for v in verdicts
    ]


def _thumbnail(
    v: VerdictRow, comparison: WholeComparison, history: Sequence[MedianRow]
) -> Markup | None:
    if len(history) < 2:
        return None
    worse = v["verdict"] == "REGRESSION"
    marked = [i for i, h in enumerate(history) if worse and h["kernel"] == comparison["new_kernel"]]
    title = f"{v['name']} along {comparison['branch_name']}"
    svg = plots.sparkline([h["value"] for h in history], title=title, marked=marked)
    return Markup(svg)  # noqa: S704 - the plots escape what they show


def _with_values(
    conn: Connection, verdicts: Sequence[ListedRow], runs: Sequence[int]
) -> list[FigureOfPage]:
    """Return the figures to list, each with its `beside`: what it judges as well.

    These are metrics of the same boots that the catalogue does not compare, because the figure
    does it for them: name, unit, and geometric means over the boots of the two sides.
    """
    figures, folded = declared_rows.judging(verdicts)
    hosts: dict[tuple[str, str], ListedRow] = {}
    for v in figures:
        m = declared_rows.metric(v)
        if declared_rows.place(v) not in hosts or (m is not None and m.headline):
            hosts[declared_rows.place(v)] = v
    series = sorted({s for v in figures for s in (v["series_new"], v["series_base"]) if s})
    values: dict[tuple[str, str, str, str], dict[int, float]] = {}
    for r in read_model.beside(conn, series, runs):
        m = declared_rows.metric(r)
        if m is not None and not m.compared:
            key = r["benchmark"], r["parameters"], r["metric"], r["unit"]
            values.setdefault(key, {})[r["run"]] = r["value"]
    beside: dict[int, list[Beside]] = {}
    for (benchmark, parameters, metric, unit), by_statistic in values.items():
        host = hosts.get((benchmark, parameters))
        if host is not None:
            base, new = (_mean([by_statistic[r] for r in runs if r in by_statistic])
                         for runs in (host["base_runs"], host["new_runs"]))  # fmt: skip
            if base is not None and new is not None:
                mean: Beside = {"metric": metric, "unit": unit, "base": base, "new": new}
                beside.setdefault(host["id"], []).append(mean)
    for v in folded:
        shown = beside.setdefault(hosts[declared_rows.place(v)]["id"], [])
        if v["metric"] not in {b["metric"] for b in shown} and v["base_value"] is not None:
            shown.append({
                "metric": v["metric"], "unit": v["unit"],
                "base": v["base_value"], "new": v["new_value"],
            })  # fmt: skip
    return [{**v, "beside": beside.get(v["id"], [])} for v in figures]


def _mean(values: Sequence[float]) -> float | None:
    """Return the geometric mean of values, as that of a figure over its boots."""
    if not values or min(values) <= 0:
        return None
    return math.exp(sum(map(math.log, values)) / len(values))


def _boots(figures: Sequence[FigureOfPage], places: Mapping[int, PlaceRow]) -> list[SameBoots]:
    """Return boots, each group of figures that come from the same ones once."""
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[FigureOfPage]] = {}
    for v in figures:
        base, new = (
            tuple(sorted((r for r in runs if r in places), key=lambda r: places[r]["seed"]))
            for runs in (v["base_runs"], v["new_runs"])
        )
        if base or new:
            groups.setdefault((base, new), []).append(v)
    return [
        {
            "figures": some,
            "sides": {"base": [places[r] for r in base], "new": [places[r] for r in new]},
        }
        for (base, new), some in groups.items()
    ]


def _distributions(
    conn: Connection, c: WholeComparison, most: int | None = None
) -> list[Distribution]:
    """Return the distributions, that of the worst figure first, with their two plots."""
    return list(_drawn(conn, c, most))


def _drawn(conn: Connection, c: WholeComparison, most: int | None) -> Iterator[Distribution]:
    by_metric: dict[tuple[str, str, str], list[QuantileRow]] = {}
    for q in c["distributions"]:
        by_metric.setdefault((q["benchmark"], q["parameters"], q["metric"]), []).append(q)
    own = declared_rows.settings(c["verdicts"]).own
    first: dict[tuple[str, str, str], MeasuredRow] = {}
    for figure in c["verdicts"]:
        place = figure["benchmark"], figure["parameters"], figure["metric"]
        first.setdefault(place, figure)
    order = {key: i for i, key in enumerate(first)}
    names = (f"base: {c['base']}", f"new: {c['new']}")
    for key in sorted(by_metric, key=lambda k: order.get(k, len(order)))[:most]:
        quantiles, v = by_metric[key], first.get(key)
        title = " ".join(filter(None, (key[0], own[v["id"]] if v else key[1], key[2])))
        overlay = None
        if v is not None and v["series_base"] is not None and v["series_new"] is not None:
            overlay = drawing.distributions(
                read_model.buckets(conn, v["base_runs"], v["series_base"]),
                read_model.buckets(conn, v["new_runs"], v["series_new"]),
                title=f"Distribution: {title}", unit=quantiles[0]["unit"], names=names,
            )  # fmt: skip
        yield {
            "title": title, "quantiles": quantiles, "headline": quantiles[0]["headline"],
            "screened": quantiles[0]["screened_headline"], "unit": quantiles[0]["unit"],
            "series": None if v is None else v["series_new"], "overlay": overlay,
            "plot": drawing.shift(
                quantiles, f"Shift function: {title}", declared_rows.relevance(v) if v else None
            ),
        }  # fmt: skip


@pages.get("/latency")
def latency() -> str:
    """The latency distributions of a comparison."""
    asked = Params(request.args, "id", "said")
    with reading() as conn:
        id_ = asked.integer("id")
        since = comparisons.statement_numbers(conn, [id_]).get(id_, 0)
        show_at(conn, asked.optional_integer("said"), since=since, what=f"comparison {id_}")
        comparison = _comparison(conn, id_)
        metrics = [
            {**m, "heat": _heat(conn, comparison, m)} for m in _distributions(conn, comparison)
        ]
    return render_template("latency.html", c=comparison, metrics=metrics, roles=ROLES)


def _heat(conn: Connection, c: WholeComparison, metric: Distribution) -> drawing.HeatMap | None:
    if c["branch"] is None or metric["series"] is None:
        return None
    buckets = read_model.buckets_over_time(
        conn, tree=c["tree"], branch=c["branch"], series=metric["series"], most=_COLUMNS
    )
    return drawing.heat_map(buckets, metric["unit"])
