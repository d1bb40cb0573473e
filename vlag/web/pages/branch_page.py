# SPDX-License-Identifier: GPL-2.0-only
"""One branch on one board type."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Sequence
from statistics import median
from typing import TypedDict

from flask import render_template, request
from markupsafe import Markup

from vlag.report import lane_lines as worded
from vlag.report import overview, read_model
from vlag.report.overview import ROLES, BranchLine, Square
from vlag.report.plots import sparkline
from vlag.report.read_model.branch_figures import History, MedianRow, PointRow
from vlag.report.read_model.branches import BranchState, JudgedComparison, OfBranch
from vlag.report.read_model.choose import differing
from vlag.report.read_model.comparison_rows import MeasuredRow
from vlag.report.read_model.view_rows import SummaryRow, SuspicionRow, TimeSeriesRow
from vlag.stats import severity
from vlag.stats.changepoint_tuning import EXCURSION
from vlag.stats.modes import Modes, alternating, common
from vlag.store import path_points
from vlag.store.database import Connection
from vlag.web import drawing, squares
from vlag.web.installation import reading
from vlag.web.pages.blueprint import pages
from vlag.web.params import Params, missing, wrong

#: Kernels of a sparkline.
_PAST = 120
#: Figures and kernels that are seen at once; the others unfold.
_TILES = 12
_ROWS = 20
#: Cells that a line of the list of branches weighs, for the length of a page.
_BOARDS = 16


@pages.get("/branch")
def branch() -> str:
    """One branch on one board type: the history of a figure over the commits."""
    asked = Params(request.args, "branch", "board", "series", "statistic", "filter", "page")
    if "branch" not in asked:
        return _branches(asked.optional_text("filter") or "", asked.optional_integer("page") or 1)
    tree, name = asked.branch("branch")
    series_id, statistic = asked.optional_integer("series"), asked.optional_text("statistic")
    if (series_id is None) != (statistic is None):
        wrong("series and statistic belong together: write both or neither.")
    with reading() as conn:
        boards = read_model.boards_of_branch(conn, tree, name)
        if not boards:
            missing(
                f"No boot of branch {tree}/{name} is on record; the list of branches shows those"
                " that were compared."
            )
        board = asked.optional_text("board")
        series = None
        if series_id is not None:
            series = read_model.time_series(conn, series_id)
            if series is None:
                missing(f"There is no time series {series_id}; take one from the branch's figures.")
            if board not in (None, series["board_type"]):
                wrong(
                    f"Time series {series_id} is of board type {series['board_type']}, not {board}."
                )
            board = series["board_type"]
        board = board or boards[0]
        if board not in boards:
            missing(f"{tree}/{name} was never booted on {board}; it was on: {', '.join(boards)}.")
        state = read_model.branch(conn, tree, name, board)
        groups = _groups(state["comparisons"])
        first = next((g["figures"] for g in groups if g["figures"]), ())
        if series is None and first:
            series, statistic = (
                read_model.time_series(conn, first[0]["series"]),
                first[0]["statistic"],
            )
        history = None
        if series is not None and statistic is not None:
            history = _history(conn, tree, name, series, statistic, state["comparisons"])
        comparisons = read_model.comparisons_of_branch(conn, tree, name, board)
        lanes = read_model.lanes_of_branch(conn, tree, name)
        counted = bool(path_points.kinds(conn, tree, name))
        tiles = _tiles(conn, tree, name, _once(first), state, history)
    if history is not None:
        _judge(history["kernels"], comparisons)
    return render_template(
        "branch.html",
        tree=tree, name=name, branch_name=f"{tree}/{name}", board=board, boards=boards,
        series=series, statistic=statistic, groups=groups, history=history,
        comparisons=comparisons, state=state, roles=ROLES,
        varied=any(_varied(c) for c in comparisons), suspicions=_suspicions(state["suspicions"]),
        tiles=tiles, tiles_shown=_TILES, rows_shown=_ROWS, lanes=lanes, lane_lines=worded.lines,
        lanes_headline=worded.headline, counted=counted,
    )  # fmt: skip


class ListedLine(BranchLine):
    """A branch in the list of all."""

    worst: OfBranch
    at: datetime.datetime  # of its newest comparison
    squares: list[Square | None]


def _branches(words: str, page: int) -> str:
    with reading() as conn:
        ranked = [x for x in overview.ranked(read_model.newest(conn, words)) if x[0][2]]
        # Patched kernels have the page of their branch.
        own = [x for x in ranked if not x[0][1]]
        named = {key[0] for key, _ in own}
        own += [x for x in ranked if x[0][0] not in named]
        last = squares.pages(len(own), _BOARDS)
        if page > last:
            wrong(f"There is no page {page}; the last is {last}.")
        size = squares.lines_of_a_page(_BOARDS)
        shown = [overview.line(*item) for item in own[(page - 1) * size : page * size]]
        columns = squares.fill(conn, shown)
    listed: list[ListedLine] = [
        {
            **line,
            "worst": overview.worst_of(line),
            "at": max(r["worst"]["at"] for c in line["cells"].values() for r in c["roles"]),
            "squares": squares.over_boards(line),
        }
        for line in shown
    ]
    return render_template(
        "branches.html", lines=listed, **columns, count=len(own), page=page, pages=last,
        filter=words, looks=squares.LOOKS, few=squares.FEW, branches=(), matrix=False, roles=ROLES,
    )  # fmt: skip


class TimeSeriesFigure(MeasuredRow):
    """A figure with its series, and against what it was compared when."""

    series: int
    role: str | None
    compared_at: datetime.datetime


class Tile(TimeSeriesFigure):
    """A figure with a sparkline."""

    differing: str
    svg: Markup


class Group(TypedDict):
    """Comparisons that differ from the branch's own in the same."""

    subject: str
    comparisons: list[JudgedComparison]
    figures: list[TimeSeriesFigure]


class KernelOfHistory(TypedDict):
    """A kernel of a history with its boots, and the newest comparison in each role."""

    kernel: int
    points: list[PointRow]
    low: float
    high: float
    median: float
    verdicts: list[tuple[str | None, SummaryRow]]


class TwoLevels(TypedDict):
    """The levels of a bimodal history."""

    modes: Modes
    places: str  # what lies at one or the other: commits, boots


class DrawnHistory(History):
    """A history with its plot."""

    knobs: str
    bimodal: TwoLevels | None
    kernels: list[KernelOfHistory]  # the newest first
    plot: Markup


def _tiles(
    conn: Connection, tree: str, name: str, figures: Sequence[TimeSeriesFigure], state: BranchState,
    history: DrawnHistory | None,
) -> list[Tile]:  # fmt: skip
    """Return the figures of a branch with a sparkline each, worst first."""
    if history is None:
        return []
    medians = read_model.medians(
        conn, tree, name, sorted({f["series"] for f in figures}), knobs=history["knobs"], most=_PAST
    )
    by_series: dict[tuple[int, str], list[MedianRow]] = {}
    for m in medians:
        by_series.setdefault((m["series"], m["statistic"]), []).append(m)
    steps: dict[tuple[int, str], set[int]] = {}
    for p in state["changes"]:
        if (p["worsening"] or 0) > 0:
            steps.setdefault((p["series"], p["statistic"]), set()).add(p["kernel"])
    of_baseline = {
        (v["series_new"] or v["series_base"], v["statistic"]): v["base_value"]
        for c in state["comparisons"]
        if c["role"] != "parent" and not _varied(c)
        for v in c["verdicts"]
    }
    made: list[Tile] = []
    for f, words in zip(figures, differing(figures, figures), strict=True):
        key = f["series"], f["statistic"]
        some = by_series.get(key, [])
        base = of_baseline.get(key)
        marked = [i for i, m in enumerate(some) if m["kernel"] in steps.get(key, ())]
        title = f"{f['name']} {words}: medians of the last kernels in {f['unit']}"
        band = None if base is None else (base, base)
        values = [m["value"] for m in some]
        svg = sparkline(values, title=title, marked=marked, band=band, width=150)
        shown = Markup(svg)  # noqa: S704 - it escapes what it shows
        made.append({**f, "differing": words, "svg": shown})
    return made


def _judge(kernels: Iterable[KernelOfHistory], comparisons: Iterable[SummaryRow]) -> None:
    """Add to each kernel the newest comparison in each role, as `verdicts`."""
    by_kernel: dict[int, dict[str | None, SummaryRow]] = {}
    for c in comparisons:
        if not _varied(c):
            by_kernel.setdefault(c["new_kernel"], {}).setdefault(c["role"], c)
    for k in kernels:
        k["verdicts"] = [
            (role, by_kernel[k["kernel"]][role])
            for role in ROLES
            if role in by_kernel.get(k["kernel"], {})
        ]


def _varied(c: SummaryRow) -> bool:
    return bool(c["patches"] or c["variant"] != "default" or c["new_knobs"] != c["base_knobs"])


def _suspicions(rows: Iterable[SuspicionRow]) -> list[tuple[str, list[SuspicionRow]]]:
    """Return suspicions by kernel, knobs and base."""
    by_board: dict[str, list[SuspicionRow]] = {}
    for s in rows:
        knobs = f" [{s['new_knobs']}]" if s["new_knobs"] else ""
        by_board.setdefault(f"{s['new']}{knobs} against {s['base']}", []).append(s)
    return list(by_board.items())


def _groups(comparisons: Iterable[JudgedComparison]) -> list[Group]:
    """Return the branch's own figures, then those with patches, variants or knobs, by what differs.

    The first group is the branch's own, without a `subject`, even if it has no figures.
    """
    by_patches: dict[str, list[JudgedComparison]] = {"": []}
    for c in comparisons:
        by_patches.setdefault(_subject(c), []).append(c)
    return [
        {"subject": subject, "comparisons": some, "figures": _figures(some)}
        for subject, some in by_patches.items()
    ]


def _subject(c: SummaryRow) -> str:
    words = [f"{c['patches']} {c['application']}"] if c["patches"] else []
    words += [f"variant {c['variant']}"] if c["variant"] != "default" else []
    words += [c["new_knobs"]] if c["new_knobs"] != c["base_knobs"] else []
    return ", ".join(words)


def _figures(comparisons: Iterable[JudgedComparison]) -> list[TimeSeriesFigure]:
    """Return the newest verdict of each figure of a branch in each role, worst first.

    A change against the parent and one against the baseline are two figures, and so are changes
    against two baselines: none of them stands for the other.
    """
    newest: dict[tuple[object, ...], TimeSeriesFigure] = {}
    for c in sorted(comparisons, key=lambda c: c["id"]):
        for v in c["verdicts"]:
            series = v["series_new"] or v["series_base"]
            if series is not None:
                key = series, v["statistic"], c["role"], c["baseline"]
                newest[key] = {**v, "series": series, "role": c["role"], "compared_at": c["at"]}
    return sorted(newest.values(), key=severity.order)


def _once(figures: Iterable[TimeSeriesFigure]) -> list[TimeSeriesFigure]:
    """Return each figure once, in the same order: against the baseline, where it is known so."""
    chosen: dict[tuple[int, str], TimeSeriesFigure] = {}
    order = list(ROLES)
    for f in figures:
        known = chosen.setdefault((f["series"], f["statistic"]), f)
        if order.index(f["role"]) < order.index(known["role"]):
            chosen[f["series"], f["statistic"]] = f
    return sorted(chosen.values(), key=severity.order)


def _history(
    conn: Connection, tree: str, name: str, series: TimeSeriesRow, statistic: str,
    comparisons: Sequence[SummaryRow],
) -> DrawnHistory:  # fmt: skip
    # Patched kernels have the branch's head as their base.
    comparisons = sorted(comparisons, key=_varied)
    baseline = next((c["base_kernel"] for c in comparisons if c["role"] != "parent"), None)
    # A branch that always runs with knobs has its history with these knobs.
    knobs = next((c["new_knobs"] for c in comparisons if not c["patches"]), "")
    history = read_model.branch_history(
        conn, tree, name, series["id"], statistic, baseline=baseline, knobs=knobs
    )
    kernels: list[KernelOfHistory] = []
    for kernel, group in itertools.groupby(history["points"], key=lambda p: p["kernel"]):
        points = list(group)
        values = [p["value"] for p in points]
        kernels.append({
            "kernel": kernel, "points": points, "low": min(values), "high": max(values),
            "median": median(values), "verdicts": [],
        })  # fmt: skip
    return {
        **history,
        "knobs": knobs,
        "bimodal": _bimodal(kernels),
        "kernels": kernels[::-1],
        "plot": drawing.history(
            history["points"],
            history["band"],
            history["changes"],
            history["alerts"],
            series,
            statistic,
        ),
    }


def _bimodal(kernels: Sequence[KernelOfHistory]) -> TwoLevels | None:
    """Return the two levels of a history whose commits, or whose boots, alternate between them."""
    alternation = alternating([k["median"] for k in kernels], EXCURSION)
    if alternation is not None:
        return {"modes": alternation.modes, "places": "commits"}
    modes = common([[p["value"] for p in k["points"]] for k in kernels])
    return None if modes is None else {"modes": modes, "places": "boots"}
