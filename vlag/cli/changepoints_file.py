# SPDX-License-Identifier: GPL-2.0-only
"""A time series in a file, for `vlag changepoints`."""

from __future__ import annotations

import csv
import math
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from vlag.errors import UsageError


@frozen(kw_only=True)
class Point:
    """A point of a time series: one value, or all values of one build."""

    time: str | None  # of its first value
    build: str | None  # None: each value is a point
    values: tuple[float, ...]  # in the order of the file

    @property
    def value(self) -> float:
        """Return the median of its values."""
        return statistics.median(self.values)

    @property
    def spread(self) -> float:
        """Return largest / smallest value - 1."""
        return max(self.values) / min(self.values) - 1


@frozen(kw_only=True)
class _Row:
    where: str  # FILE:LINE
    fields: list[str]


def read(file: str, build: str | None) -> list[Point]:
    """Return the points of a file, "-" for stdin.

    `build` is the name or the number, from 1, of the column that says of which build a value is.
    Raises UsageError, with the line, for what is no series of numbers above 0.
    """
    rows = list(_rows(file, _text(file)))
    column = None if build is None else _column(file, rows, build)
    points: dict[str | int, Point] = {}
    for number, row in enumerate(rows):
        name = None if column is None else _taken(row, column)
        if (value := _value(row, first=number == 0)) is None:
            continue  # the header
        key = number if name is None else name
        known = points.get(key) or Point(
            time=row.fields[0] if len(row.fields) == 2 else None, build=name, values=()
        )
        points[key] = Point(time=known.time, build=name, values=(*known.values, value))
    if not points:
        raise UsageError(f"{file}: it holds no value")
    return list(points.values())


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
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        where = f"{file}:{number}"
        try:
            fields = [f.strip() for f in next(csv.reader([line], strict=True))]
        except csv.Error as e:
            raise UsageError(f"{where}: {e}") from e
        yield _Row(where=where, fields=fields)


def _column(file: str, rows: list[_Row], build: str) -> int:
    """Return the index of the column of builds."""
    header = rows[0].fields if rows else []
    if build.isdecimal() and 1 <= int(build) <= len(header):
        return int(build) - 1
    if build in header:
        return header.index(build)
    there = ", ".join(header) or "none"
    raise UsageError(f"{file}: no column {build!r} for --build; in its first line are: {there}")


def _taken(row: _Row, column: int) -> str:
    """Take the build out of a row; return it."""
    if column >= len(row.fields):
        raise UsageError(f"{row.where}: {len(row.fields)} columns; the build is in {column + 1}")
    if not (name := row.fields.pop(column)):
        raise UsageError(f"{row.where}: it names no build")
    return name


def _value(row: _Row, *, first: bool) -> float | None:
    """Return the value of a row without its build; None: it is the header."""
    if len(row.fields) not in (1, 2):
        raise UsageError(
            f"{row.where}: {len(row.fields)} columns, expected a value or time,value"
            " (and with --build one more)"
        )
    word = row.fields[-1]
    try:
        value = float(word)
    except ValueError:
        if first:
            return None
        raise UsageError(f"{row.where}: {word!r} is not a number") from None
    if not math.isfinite(value) or value <= 0:
        raise UsageError(f"{row.where}: {word} is not a finite number above 0")
    return value
