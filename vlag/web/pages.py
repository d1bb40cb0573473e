"""Pages that compare kernels: overview, branch, comparison, latency, matrix."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from vlag.report import read_model
from vlag.report.data import matrices
from vlag.stats import severity
from vlag.store.database import Connection
from vlag.web import differences, drawing, queries
from vlag.web.installation import reading
from vlag.web.params import Params, missing, wrong

pages = Blueprint("pages", __name__)

Row = Mapping[str, Any]

#: Boots of a heat map: a column each.
_COLUMNS = 60
#: A mail reader shows narrow texts; so does a table's head.
_ROLES = {"baseline": "against the baseline", "parent": "against the parent", None: "by hand"}


@pages.get("/")
def overview() -> str:
    """Show the newest verdicts, branch by board type."""
    Params(request.args)
    with reading() as conn:
        found = read_model.overview(conn)
    return render_template("overview.html", **_overview(found))


@pages.get("/index.html")
def fragment() -> str:
    """Show the overview as a fragment for a page of Buildbot, without styles."""
    with reading() as conn:
        found = read_model.overview(conn)
    return render_template("fragment.html", **_overview(found))


def _overview(found: Row) -> dict[str, Any]:
    comparisons = found["comparisons"]
    boards = sorted({c["board_type"] for c in comparisons})
    lines: dict[tuple[str, str, bool], dict[str, list[Row]]] = {}
    for c in comparisons:
        # A kernel that was only asked for by a tag or commit belongs to no branch.
        name = c["branch_name"] or f"{c['tree']} {c['ref']}"
        line = lines.setdefault((name, c["patches"] or "", c["branch_name"] is not None), {})
        line.setdefault(c["board_type"], []).append(c)
    matrix: list[dict[str, Any]] = [
        {
            "branch": branch,
            "patches": patches,
            "page": page,
            "cells": [_cell(cells.get(board, [])) for board in boards],
        }
        for (branch, patches, page), cells in lines.items()
    ]
    matrix.sort(key=lambda r: (min(c["order"] for c in r["cells"]), r["branch"], r["patches"]))
    return {
        "boards": boards,
        "matrix": matrix,
        "alerts": found["alerts"],
        "night": found["night"],
        "proof": found["proof"],
        "roles": _ROLES,
    }


def _cell(comparisons: Sequence[Row]) -> dict[str, Any]:
    """Return a cell: for each role the worst comparison and the number of all."""
    by_role: dict[str | None, list[Row]] = {}
    for c in comparisons:
        by_role.setdefault(c["role"], []).append(c)
    roles: list[dict[str, Any]] = [
        {"role": role, "of": len(some), "worst": min(some, key=_badness)}
        for role, some in sorted(by_role.items(), key=lambda item: item[0] or "z")
    ]
    worst = min(
        comparisons, key=lambda c: (severity.severity(c["verdict"]), -c["size"]), default=None
    )
    return {
        "roles": roles,
        "order": min(map(_badness, comparisons), default=(len(severity.RANKS), 0.0)),
        "verdict": None if worst is None else worst["verdict"],
    }


def _badness(c: Row) -> tuple[int, float]:
    return c["severity"], -c["size"]


@pages.get("/proof")
def proof() -> str:
    """Show the self-proof of a night: patches that make it worse on purpose, and what was found."""
    asked = Params(request.args, "night")
    number = asked.optional_integer("night")
    with reading() as conn:
        night = read_model.night(conn, number)
        if night is None and number is not None:
            missing(f"There is no night {number} on record.")
        found = read_model.proof(conn, night)
    return render_template("proof.html", night=night, proof=found)


@pages.get("/branch")
def branch() -> str:
    """One branch on one board type: the history of a figure over the commits."""
    asked = Params(request.args, "branch", "board", "series", "statistic")
    if "branch" not in asked:
        with reading() as conn:
            return render_template(
                "branches.html", branches=read_model.branches(conn), matrix=False
            )
    tree, name = asked.branch("branch")
    series_id, statistic = asked.optional_integer("series"), asked.optional_text("statistic")
    if (series_id is None) != (statistic is None):
        wrong("series and statistic belong together: write both or neither.")
    with reading() as conn:
        boards = queries.board_types(conn, tree, name)
        if not boards:
            missing(
                f"No boot of branch {tree}/{name} is on record; the list of branches shows those"
                " that were compared."
            )
        board = asked.optional_text("board")
        series = None
        if series_id is not None:
            series = queries.series(conn, series_id)
            if series is None:
                missing(f"There is no series {series_id}; take one from the branch's figures.")
            if board not in (None, series["board_type"]):
                wrong(f"Series {series_id} is of board type {series['board_type']}, not {board}.")
            board = series["board_type"]
        board = board or boards[0]
        if board not in boards:
            missing(f"{tree}/{name} was never booted on {board}; it was on: {', '.join(boards)}.")
        state = read_model.branch(conn, tree, name, board)
        groups = _groups(state["comparisons"])
        first = next((g["figures"] for g in groups if g["figures"]), ())
        if series is None and first:
            series, statistic = queries.series(conn, first[0]["series"]), first[0]["statistic"]
        history = None
        if series is not None and statistic is not None:
            history = _history(conn, tree, name, series, statistic, state["comparisons"])
        comparisons = queries.comparisons(conn, tree, name, board)
    return render_template(
        "branch.html",
        tree=tree, name=name, branch_name=f"{tree}/{name}", board=board, boards=boards,
        series=series, statistic=statistic, groups=groups, history=history,
        comparisons=comparisons, state=state, roles=_ROLES,
        varied=any(_varied(c) for c in comparisons), suspicions=_suspicions(state["suspicions"]),
    )  # fmt: skip


def _varied(c: Row) -> bool:
    return bool(c["patches"] or c["variant"] != "default" or c["new_knobs"] != c["base_knobs"])


def _suspicions(found: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """Return suspicions by kernel, knobs and base."""
    of: dict[str, list[Row]] = {}
    for s in found:
        knobs = f" [{s['new_knobs']}]" if s["new_knobs"] else ""
        of.setdefault(f"{s['new']}{knobs} against {s['base']}", []).append(s)
    return list(of.items())


def _groups(comparisons: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the branch's own figures, then those with patches, variants or knobs, by what differs.

    The first group is the branch's own, without a `subject`, even if it has no figures.
    """
    of: dict[str, list[Row]] = {"": []}
    for c in comparisons:
        of.setdefault(_subject(c), []).append(c)
    return [
        {"subject": subject, "comparisons": some, "figures": _figures(some)}
        for subject, some in of.items()
    ]


def _subject(c: Row) -> str:
    words = [f"{c['patches']} {c['application']}"] if c["patches"] else []
    words += [f"variant {c['variant']}"] if c["variant"] != "default" else []
    words += [c["new_knobs"]] if c["new_knobs"] != c["base_knobs"] else []
    return ", ".join(words)


def _figures(comparisons: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the figures of a branch, worst first, each once."""
    found: dict[tuple[int, str], dict[str, Any]] = {}
    for c in comparisons:
        for v in c["verdicts"]:
            series = v["series_new"] or v["series_base"]
            if series is not None:
                key = series, v["statistic"]
                if key not in found or severity.order(v) < severity.order(found[key]):
                    found[key] = {**v, "series": series}
    return sorted(found.values(), key=severity.order)


def _history(
    conn: Connection, tree: str, name: str, series: Row, statistic: str, comparisons: Sequence[Row]
) -> dict[str, Any]:
    # Patched kernels have the branch's head as their base.
    comparisons = sorted(comparisons, key=_varied)
    baseline = next((c["base_kernel"] for c in comparisons if c["role"] != "parent"), None)
    # A branch that always runs with knobs has its history with these knobs.
    knobs = next((c["new_knobs"] for c in comparisons if not c["patches"]), "")
    found = read_model.branch_history(
        conn, tree, name, series["id"], statistic, baseline=baseline, knobs=knobs
    )
    kernels = [
        {"kernel": kernel, "points": list(points)}
        for kernel, points in itertools.groupby(found["points"], key=lambda p: p["kernel"])
    ]
    return {
        **found,
        "knobs": knobs,
        "kernels": kernels[::-1],
        "plot": drawing.history(found, series, statistic),
    }


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
    return render_template(
        "compare.html",
        c=found, kernels=kernels, places=places, roles=_ROLES, apart=differing,
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
    return render_template("pair.html", comparisons=found, roles=_ROLES)


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
    return render_template("latency.html", c=found, metrics=metrics, roles=_ROLES)


@pages.get("/matrix")
def matrix() -> str:
    """Patches, variants or knobs of a branch by metric."""
    asked = Params(request.args, "branch", "board")
    if "branch" not in asked:
        with reading() as conn:
            return render_template("branches.html", branches=read_model.branches(conn), matrix=True)
    tree, name = asked.branch("branch")
    board = asked.optional_text("board")
    with reading() as conn:
        boards = queries.board_types(conn, tree, name)
        if not boards:
            missing(f"No boot of branch {tree}/{name} is on record.")
        if board is not None and board not in boards:
            missing(f"{tree}/{name} was never booted on {board}; it was on: {', '.join(boards)}.")
        found = [c for c in read_model.matrix(conn, tree, name) if board in (None, c["board_type"])]
        verdicts = read_model.verdicts(conn, [c["id"] for c in found])
    return render_template(
        "matrix.html", branch_name=f"{tree}/{name}", boards=boards, board=board,
        tables=_tables(found, verdicts), roles=_ROLES,
    )  # fmt: skip


def _tables(comparisons: Sequence[Row], verdicts: Sequence[Row]) -> list[dict[str, Any]]:
    """Return one table per board type and base: comparisons as rows, figures as columns."""
    of: dict[int, dict[tuple[str, str], Row]] = {}
    for v in verdicts:
        of.setdefault(v["comparison"], {})[v["name"], v["parameters"]] = v
    tables: dict[tuple[str, int, str], list[Row]] = {}
    for c in comparisons:
        tables.setdefault((c["board_type"], c["base_kernel"], c["base_knobs"]), []).append(c)
    found = []
    for (board_type, _, base_knobs), some in tables.items():
        columns = sorted({key for c in some for key in of.get(c["id"], {})})
        lines = [
            {"c": c, "cells": [of.get(c["id"], {}).get(column) for column in columns]} for c in some
        ]
        found.append({
            "board_type": board_type, "base": some[0]["base"], "base_knobs": base_knobs,
            "columns": columns, "rows": lines, "not_run": matrices.not_run(some),
        })  # fmt: skip
    return found
