# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels that a person chooses: what changed between them, counted and listed."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TypedDict

from flask import render_template, request

from vlag.model import CHANGES, FLAGS
from vlag.report.overview import ROLES
from vlag.report.read_model import board_types
from vlag.report.read_model import choose as model
from vlag.report.read_model.choose import Choice, MeasuredBoard, Pair, differing
from vlag.report.read_model.comparison_rows import MeasuredRow
from vlag.store.database import Connection
from vlag.web.installation import reading, site
from vlag.web.pages.blueprint import pages
from vlag.web.params import Params, wrong

_FIELDS = ("base", "new", "board", "plan", "knobs", "benchmark", "show")
#: Which figures the tables list, by the value of `show`; the first is the default.
SHOWN = {
    "changes": "changes, proven or not",
    "proven": "proven changes only",
    "all": "every figure",
}
# Standings that prove a change.
_PROVEN = ("confirmed", "told")


class DifferingRow(MeasuredRow):
    """A figure with those parameters that others of the benchmark lack."""

    differing: str


class Counts(TypedDict):
    """Proven changes of one way, and those that are a hint, suspected or refuted by a rerun.

    Changes have the sign of the view's `worsening`: above 0 is worse, 0.01 = 1 %.
    """

    way: str  # worse, better or all
    number: int
    doubtful: int
    mean: float | None
    least: float | None
    most: float | None


class FigureClass(TypedDict):
    """Primary or secondary figures."""

    name: str
    total: int
    counts: list[Counts]
    figures: list[DifferingRow]


class Command(MeasuredBoard):
    """What compares the boots of a board type; None: a side has none."""

    command: str | None


@pages.get("/choose")
def choose() -> str | tuple[str, int]:
    """Compare any two kernels, branches or tags."""
    asked = Params(request.args, *_FIELDS)
    given = {name: asked.optional_text(name) for name in _FIELDS}
    show = given["show"] or next(iter(SHOWN))
    if show not in SHOWN:
        wrong(f"show={show!r} is not one of: {', '.join(SHOWN)}.")
    with reading() as conn:
        known = {"names": model.offered(conn), "boards": offered_boards(conn, given["board"])}
        sides = {
            side: None if given[side] is None else model.choice(conn, given[side] or "")
            for side in ("base", "new")
        }
        base, new = sides["base"], sides["new"]
        pair = None
        if base and new and base.kernels and new.kernels:
            pair = model.pair(
                conn, base, new,
                board_type=given["board"], plan=given["plan"], knobs=given["knobs"],
            )  # fmt: skip
    page = render_template(
        "choose.html",
        given=given, show=show, shown=SHOWN, sides=sides, known=known, pair=pair, roles=ROLES,
        same=pair is not None and base is not None and base.ids == getattr(new, "ids", None),
        benchmarks=_benchmarks(pair), classes=_classes(pair, given["benchmark"], show),
        commands=[] if pair is None else [_command(m, given) for m in pair["measured"]],
    )  # fmt: skip
    return page, status(sides.values())


def offered_boards(conn: Connection, asked: str | None) -> list[str]:
    """Return the board types to choose from; another one ends the request with 400."""
    boards = board_types(conn)
    if asked is not None and asked not in boards:
        there = ", ".join(boards) or "none yet"
        wrong(f"Nothing was measured on board type {asked!r}; there are: {there}.")
    return boards


def status(sides: Iterable[Choice | None]) -> int:
    """Return 404 for an unknown name, 300 for one with several meanings, otherwise 200."""
    faults = [c for c in sides if c is not None and not c.kernels]
    if not faults:
        return 200
    return 300 if all(c.several for c in faults) else 404


def _benchmarks(pair: Pair | None) -> list[str]:
    return [] if pair is None else sorted({v["benchmark"] for v in pair["figures"]})


def _classes(pair: Pair | None, benchmark: str | None, show: str) -> list[FigureClass]:
    """Return the figures in two classes, primary and secondary, each with its counts."""
    if pair is None:
        return []
    if benchmark is not None and pair["figures"] and benchmark not in _benchmarks(pair):
        there = ", ".join(_benchmarks(pair))
        wrong(f"The two kernels have no figure of benchmark {benchmark!r}; there are: {there}.")
    figures = [v for v in pair["figures"] if benchmark in (None, v["benchmark"])]
    first, rest = parted(figures, site().catalogue.headlines)
    return [
        {"name": name, "total": len(some), "counts": counts(some),
         "figures": _shown(some, figures, show)}
        for name, some in (("Primary", first), ("Secondary", rest))
    ]  # fmt: skip


def _shown(
    some: Iterable[MeasuredRow], among: Iterable[MeasuredRow], show: str
) -> list[DifferingRow]:
    shown = [v for v in some if _is_shown(v, show)]
    return [
        {**v, "differing": words} for v, words in zip(shown, differing(shown, among), strict=True)
    ]


def parted(
    figures: Iterable[MeasuredRow], headlines: Set[tuple[str, str]]
) -> tuple[list[MeasuredRow], list[MeasuredRow]]:
    """Return the figures of headline metrics, and the others."""
    parts: tuple[list[MeasuredRow], list[MeasuredRow]] = [], []
    for v in figures:
        parts[(v["benchmark"], v["metric"]) not in headlines].append(v)
    return parts


def counts(figures: Sequence[MeasuredRow]) -> list[Counts]:
    """Return worse, better and all proven changes: number, mean and range."""
    by_benchmark: dict[str, list[MeasuredRow]] = {
        "worse": [v for v in figures if v["verdict"] == "REGRESSION"],
        "better": [v for v in figures if v["verdict"] == "IMPROVEMENT"],
    }
    by_benchmark["all"] = [*by_benchmark["worse"], *by_benchmark["better"]]
    listed: list[Counts] = []
    for way, some in by_benchmark.items():
        proven = (v["worsening"] for v in some if v["standing"] in _PROVEN)
        sizes = [s for s in proven if s is not None]
        listed.append({
            "way": way, "number": sum(v["standing"] in _PROVEN for v in some),
            "doubtful": sum(v["standing"] not in _PROVEN for v in some),
            "mean": sum(sizes) / len(sizes) if sizes else None,
            "least": min(sizes, key=abs) if sizes and way != "all" else min(sizes, default=None),
            "most": max(sizes, key=abs) if sizes and way != "all" else max(sizes, default=None),
        })  # fmt: skip
    return listed


def _is_shown(v: MeasuredRow, show: str) -> bool:
    if show == "all":
        return True
    if show == "proven":
        return v["verdict"] in FLAGS and v["standing"] in _PROVEN
    return v["verdict"] in CHANGES or v["standing"] == "suspected"


def _command(measured: MeasuredBoard, given: Mapping[str, str | None]) -> Command:
    """Return what compares the boots of a board type, and how many there are."""
    words = None
    if measured["base"] and measured["new"]:
        words = ["vlag", "compare", measured["base"]["digest"], measured["new"]["digest"],
                 "--board-type", measured["board_type"]]  # fmt: skip
        words += ["--plan", plan] if (plan := given["plan"]) else []
        for pair in (given["knobs"] or "").split():
            words += ["--new-knob", pair]
    return {**measured, "command": None if words is None else shlex.join(words)}
