"""`vlag changepoints`: change points of a series in a file."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import frozen

from vlag.cli.command import FORMAT, echo, one_sentence
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.stats.changepoint import ChangePoint, Drift, Excursion, History

# Characters of a time that fit beside the figures in 80 columns.
_TIME_WIDTH = 25


@frozen(kw_only=True)
class _Row:
    time: str | None
    value: float


@click.command()
@click.argument("file")
@click.option(
    "--break", "breaks", type=int, multiple=True, metavar="INDEX",
    help="First point, from 0, after a change of tool, firmware, config or board; vlag finds "
    "no change point there. Repeatable.",
)  # fmt: skip
@FORMAT
@click.option(
    "--full", is_flag=True,
    help="With JSON: an object with change_points (the list), excursions and drifts.",
)  # fmt: skip
@one_sentence
def changepoints(file: str, breaks: tuple[int, ...], form: str, full: bool) -> None:
    """Find change points in the series of numbers in FILE.

    FILE has one value per line, oldest first, or "time,value"; - reads stdin. vlag skips a
    header, blank lines and lines that begin with #. Values must be above 0.

    JSON is a list of objects: index (from 0, of the first point of the new level), time
    (null without a column of times), direction (up, down), size (new / old level - 1, so
    0.05 is +5 %), low and high (95 % interval of size), before and after (the levels).
    An excursion has first, last and size. A drift has first, last, slope (relative, per
    point), low and high (95 % interval of slope) and size (from first to last).
    """
    from vlag.stats.changepoint import detect

    rows = list(_rows(file, _text(file)))
    if not rows:
        raise UsageError(f"{file}: it holds no value")
    try:
        history = detect([row.value for row in rows], breaks=breaks)
    except ValueError as e:
        raise UsageError(f"{file}: {e}") from e
    if form == "json":
        points = [_document(p, rows) for p in history.points]
        echo(json.dumps(_full(history, points) if full else points, sort_keys=True))
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


def _text(file: str) -> str:
    try:
        if file == "-":
            return sys.stdin.buffer.read().decode()
        path = Path(file)
        if not path.is_file():
            raise UsageError(f"{file}: no such file")
        return path.read_bytes().decode()
    except UnicodeDecodeError as e:
        raise UsageError(f"{file}: not a text file: byte {e.start} is not UTF-8") from e


def _rows(file: str, text: str) -> Iterator[_Row]:
    begun = False
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        where = f"{file}:{number}"
        try:
            fields = [f.strip() for f in next(csv.reader([line], strict=True))]
        except csv.Error as e:
            raise UsageError(f"{where}: {e}") from e
        if len(fields) > 2:
            raise UsageError(f"{where}: {len(fields)} columns, expected a value or time,value")
        try:
            value = float(fields[-1])
        except ValueError:
            if not begun:
                begun = True  # the header
                continue
            raise UsageError(f"{where}: {fields[-1]!r} is not a number") from None
        if not math.isfinite(value) or value <= 0:
            raise UsageError(f"{where}: {fields[-1]} is not a finite number above 0")
        begun = True
        yield _Row(time=fields[0] if len(fields) == 2 else None, value=value)


def _document(point: ChangePoint, rows: list[_Row]) -> dict[str, object]:
    return {
        "index": point.index,
        "time": rows[point.index].time,
        "direction": "up" if point.effect > 0 else "down",
        "size": point.effect,
        "low": point.low,
        "high": point.high,
        "before": point.before,
        "after": point.after,
    }


def _full(history: History, points: list[dict[str, object]]) -> dict[str, object]:
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
    }  # fmt: skip


def _percent(effect: float) -> str:
    return f"{100 * effect:+.3g} %"


def _line(point: ChangePoint, rows: list[_Row]) -> str:
    from vlag.stats.numbers import plain

    interval = f"{_percent(point.low)} to {_percent(point.high)}"
    figures = (
        f"{point.index:>7}  {_percent(point.effect):>8}  {interval:>19}"
        f"  {plain(point.before, 5):>11}  {plain(point.after, 5):>11}"
    )
    time = rows[point.index].time
    # A time would not fit beside all figures.
    return figures if time is None else f"{figures}\n         at {time[:_TIME_WIDTH]}"


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
