"""Two kernels: their comparison, and its distributions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from vlag.report import read_model
from vlag.store.database import Connection
from vlag.web import differences, drawing, queries
from vlag.web.installation import reading
from vlag.web.pages import elsewhere
from vlag.web.pages.blueprint import ROLES, Row, pages
from vlag.web.params import Params, missing, wrong

#: Boots of a heat map: a column each.
_COLUMNS = 60


@pages.get("/compare")
def compare() -> str | Response:
    """Two kernels on one board type, worst first."""
    asked = Params(request.args, "id", "base", "new")
    if "id" not in asked:
        if "base" not in asked and "new" not in asked:
            wrong("Which comparison? Write id=NUMBER, or base=KERNEL and new=KERNEL.")
        return _pair(asked.integer("base"), asked.integer("new"))
    with reading() as conn:
        found = _comparison(conn, asked.integer("id"))
        kernels = {side: queries.kernel(conn, found[f"{side}_kernel"]) for side in ("base", "new")}
        runs = {r for v in found["verdicts"] for r in (*v["base_runs"], *v["new_runs"])}
        places = queries.places(conn, sorted(runs))
        differing = differences.of(conn, found)
        same = elsewhere.of(conn, found["verdicts"])
    return render_template(
        "compare.html",
        c=found, kernels=kernels, places=places, roles=ROLES, apart=differing,
        elsewhere=same,
        plot=drawing.effects(found["verdicts"]),
        latencies=_by_metric(found["distributions"]),
    )  # fmt: skip


def _pair(base: int, new: int) -> str | Response:
    """Show the comparison of two kernels, or a list if there are several."""
    with reading() as conn:
        for side, number in (("base", base), ("new", new)):
            if queries.kernel(conn, number) is None:
                missing(f"There is no kernel {number} ({side}) on record.")
        ids = queries.of_pair(conn, base, new)
        found = read_model.by_ids(conn, ids)
    if not found:
        missing(
            f"Kernels {base} and {new} were never compared; `vlag compare` with their builds does"
            " it."
        )
    if len(found) == 1:
        return redirect(url_for("pages.compare", id=found[0]["id"]))
    return render_template("pair.html", comparisons=found, roles=ROLES)


def _comparison(conn: Connection, number: int) -> dict[str, Any]:
    found = read_model.comparison(conn, number)
    if found is None:
        missing(
            f"There is no comparison {number} on record; the overview links to the existing ones."
        )
    return found


def _by_metric(quantiles: Sequence[Row]) -> list[dict[str, Any]]:
    """Return shift functions, one a metric, with their plots."""

    def key(q: Row) -> tuple[str, str, str]:
        return q["benchmark"], q["parameters"], q["metric"]

    found = []
    for (benchmark, parameters, metric), some in itertools.groupby(quantiles, key=key):
        rows = list(some)
        title = f"{benchmark} {metric}"
        found.append({
            "benchmark": benchmark, "parameters": parameters, "metric": metric, "title": title,
            "quantiles": rows, "headline": rows[0]["headline"],
            "screened": rows[0]["screened_headline"], "unit": rows[0]["unit"],
            "plot": drawing.shift(rows, f"Shift function: {title}"),
        })  # fmt: skip
    return found


@pages.get("/latency")
def latency() -> str:
    """The latency distributions of a comparison."""
    asked = Params(request.args, "id")
    with reading() as conn:
        found = _comparison(conn, asked.integer("id"))
        names = (f"base: {found['base']}", f"new: {found['new']}")
        metrics = _by_metric(found["distributions"])
        for m in metrics:
            m |= {"overlay": None, "heat": None}
            key = m["benchmark"], m["parameters"], m["metric"]
            v = next(
                (v for v in found["verdicts"]
                 if (v["benchmark"], v["parameters"], v["metric"]) == key),
                None,
            )  # fmt: skip
            if v is None or v["series_base"] is None or v["series_new"] is None:
                continue
            base = read_model.buckets(conn, v["base_runs"], v["series_base"])
            new = read_model.buckets(conn, v["new_runs"], v["series_new"])
            m["overlay"] = drawing.distributions(
                base, new, title=f"Distribution: {m['title']}", unit=m["unit"], names=names
            )
            if found["branch"] is not None:
                over_time = queries.buckets_over_time(
                    conn, tree=found["tree"], branch=found["branch"], series=v["series_new"],
                    most=_COLUMNS,
                )  # fmt: skip
                m["heat"] = drawing.heat_map(over_time, m["unit"])
    return render_template("latency.html", c=found, metrics=metrics, roles=ROLES)
