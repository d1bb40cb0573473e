# SPDX-License-Identifier: GPL-2.0-only
"""`vlag changepoints`: change points of a time series in a file."""

from __future__ import annotations

import json
import statistics
from typing import TYPE_CHECKING

import click
from attrs import asdict

from vlag.cli.changepoints_file import Columns, Point, read
from vlag.cli.command import FORMAT, echo, one_sentence
from vlag.cli.numbers_in_words import Decimal
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.stats.changepoint import Bimodal, ChangePoint, Drift, Excursion, History

# Characters of a time or a build that fit in a line of 80 columns.
_WIDTH = 25


@click.command()
@click.argument("file")
@click.option(
    "--break", "breaks", type=int, multiple=True, metavar="INDEX",
    help="First point, from 0, after a change of tool, firmware, config or board; vlag finds "
    "no change point there. Repeatable.",
)  # fmt: skip
@click.option(
    "--build", metavar="COLUMN",
    help="Name or number, from 1, of a column that says of which build a value is: the values of "
    "one build are one point, their median.",
)  # fmt: skip
@click.option("--value", metavar="COLUMN", help="Likewise the column of values.")
@click.option("--time", metavar="COLUMN", help="Likewise the column of times.")
@click.option("--delimiter", metavar="SIGN", help="The sign between columns (default: as in FILE).")
@click.option(
    "--decimal", type=click.Choice([d.value for d in Decimal]),
    help="The sign before a fraction, where FILE does not show it.",
)  # fmt: skip
@FORMAT
@click.option(
    "--full", is_flag=True,
    help="With JSON: an object with change_points (the list), excursions, drifts, bimodal and "
    "points.",
)  # fmt: skip
@one_sentence
def changepoints(
    file: str,
    breaks: tuple[int, ...],
    build: str | None,
    value: str | None,
    time: str | None,
    delimiter: str | None,
    decimal: str | None,
    form: str,
    full: bool,
) -> None:
    """Find change points in the time series of FILE.

    FILE has one value per line, or "time,value"; - reads stdin. vlag skips a header, blank lines
    and lines that begin with #, and leaves out values that are missing. Values must be above 0 and
    in one unit. Where the times fall, the newest comes first; where there are none, the first value
    is taken for the oldest, and a note says so. What can be read in two ways is refused. Several
    boots of a build are no steps: with a column of builds, --build makes them one point.

    JSON is a list of objects: index (from 0, of the first point of the new level), time
    (null without a column of times), build (null without --build), direction (up, down),
    size (new / old level - 1, so 0.05 is +5 %), low and high (95 % interval of size), before
    and after (the levels). An excursion has first, last and size. A drift has first, last,
    slope (relative, per point), low and high (95 % interval of slope) and size (from first
    to last). A bimodal part, which alternates between two levels, has first, last, low and
    high (the levels), share_high and switches. A point has time, build, value (the median),
    values (their number) and spread (largest / smallest - 1).
    """
    from vlag.stats.changepoint import detect

    columns = Columns(
        value=value, time=time, build=build, delimiter=delimiter,
        decimal=None if decimal is None else Decimal(decimal),
    )  # fmt: skip
    series = read(file, columns)
    rows = series.points
    for note in series.notes:
        echo(f"note: {note}", err=True)
    try:
        history = detect([row.value for row in rows], breaks=breaks)
    except ValueError as e:
        raise UsageError(f"{file}: {e}") from e
    if form == "json":
        points = [_document(p, rows) for p in history.points]
        echo(json.dumps(_full(history, points, rows) if full else points, sort_keys=True))
        return
    if history.points:
        echo(f"{'index':>7}  {'size':>8}  {'95 % interval':>19}  {'before':>11}  {'after':>11}")
        for point in history.points:
            echo(_line(point, rows))
    else:
        echo(f"no change points in {len(rows)} points")
    for excursion in history.excursions:
        echo(_aside(excursion))
    for drift in history.drifts:
        echo(_moving(drift))
    for part in history.bimodal:
        echo(_alternating(part))
    if build is not None:
        echo(_repeats(rows))


def _document(point: ChangePoint, rows: list[Point]) -> dict[str, object]:
    return {
        "index": point.index,
        "time": rows[point.index].time,
        "build": rows[point.index].build,
        "direction": "up" if point.effect > 0 else "down",
        "size": point.effect,
        "low": point.low,
        "high": point.high,
        "before": point.before,
        "after": point.after,
    }


def _full(
    history: History, points: list[dict[str, object]], rows: list[Point]
) -> dict[str, object]:
    return {
        "change_points": points,
        "excursions": [
            {"first": e.first, "last": e.last, "size": e.effect} for e in history.excursions
        ],
        "drifts": [
            {"first": d.first, "last": d.last, "slope": d.slope, "low": d.low, "high": d.high,
             "size": d.effect}
            for d in history.drifts
        ],
        "bimodal": [asdict(part) for part in history.bimodal],
        "points": [
            {"time": r.time, "build": r.build, "value": r.value, "values": len(r.values),
             "spread": r.spread}
            for r in rows
        ],
    }  # fmt: skip


def _percent(effect: float) -> str:
    return f"{100 * effect:+.3g} %"


def _line(point: ChangePoint, rows: list[Point]) -> str:
    from vlag.stats.numbers import plain

    interval = f"{_percent(point.low)} to {_percent(point.high)}"
    figures = (
        f"{point.index:>7}  {_percent(point.effect):>8}  {interval:>19}"
        f"  {plain(point.before, 5):>11}  {plain(point.after, 5):>11}"
    )
    # Neither would fit beside all figures.
    row = rows[point.index]
    known = [text[:_WIDTH] for text in (row.time, row.build) if text is not None]
    return f"{figures}\n         at {', '.join(known)}" if known else figures


def _alternating(part: Bimodal) -> str:
    from vlag.stats.numbers import plain

    return (
        f"bimodal: {plain(part.low, 5)} or {plain(part.high, 5)},"
        f" {100 * part.share_high:.0f} % of the points at the upper level\n"
        f"         from point {part.first} to {part.last}, {part.switches} switches"
    )


def _repeats(rows: list[Point]) -> str:
    """Return what to say of builds with several values."""
    widest = max(rows, key=lambda row: row.spread)
    usual = statistics.median(row.spread for row in rows)
    return (
        f"{sum(len(row.values) for row in rows)} values of {len(rows)} builds; those of one build"
        f" are within {100 * usual:.2g} %\n"
        f"         as a rule, and within {100 * widest.spread:.2g} % at most"
        f" ({(widest.build or '')[:_WIDTH]})"
    )


def _aside(excursion: Excursion) -> str:
    return (
        f"set aside: points {excursion.first} to {excursion.last} were at "
        f"{_percent(excursion.effect)} and returned"
    )


def _moving(drift: Drift) -> str:
    return (
        f"drift: {_percent(drift.slope)} a point ({_percent(drift.low)} to"
        f" {_percent(drift.high)})\n"
        f"         from point {drift.first} to {drift.last}, {_percent(drift.effect)} in all"
    )
