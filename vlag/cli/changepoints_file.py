# SPDX-License-Identifier: GPL-2.0-only
"""A time series in a file, for `vlag changepoints`."""

from __future__ import annotations

import codecs
import csv
import itertools
import math
import re
import statistics
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import define, field, frozen

from vlag.cli.numbers_in_words import Decimal, is_number, number_of
from vlag.cli.times_in_order import in_order
from vlag.errors import ContentError, UsageError
from vlag.parsers import pasted

#: Words for a value that is not there.
_MISSING = {"", "-", "--", "?", "na", "n/a", "nan", "nil", "none", "null"}
_DELIMITERS = (";", "\t", "|", ",")
# 2026-01-01 10:00 94.0 ms
_TWO_WORDS = re.compile(r"\s*(\S*[\d/:-]\S*(?: \d\d:\d\d\S*)?)\s+(\d[\d.]*(?:\s*[^\s\d]\S*)?)\s*")
# A mail or log within another, and no deeper.
_QUOTES = 3
_COLOUR = r"\x1b\[[0-9;?]*[A-Za-z]"
# 2026-01-01,94.0
# night-7; 94,5
_TIMED = re.compile(r"\s*[\"']?[^,;|\s]*(?:[a-z]|\d[-:/]\d)[^,;|\s]*[\"']?[,;|\s]", re.I)
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


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
class Columns:
    """How a person says that a file is to be read; None: as the file itself shows."""

    value: str | None = None  # name or number, from 1, of a column
    time: str | None = None
    build: str | None = None
    delimiter: str | None = None
    decimal: Decimal | None = None


@define
class Series:
    """Points, the oldest first, and what a reader must know of the file."""

    points: list[Point]
    notes: list[str] = field(factory=list)


@frozen(kw_only=True)
class _Row:
    where: str  # FILE:LINE
    fields: list[str]


@frozen(kw_only=True)
class _Value:
    where: str
    text: str
    time: str | None
    build: str | None


def read(file: str, columns: Columns = Columns()) -> Series:
    """Return the series of a file, "-" for stdin.

    Raises ContentError, with the line, for what is no series of numbers above 0, and for what can
    be read in two ways, with both and the option that decides; UsageError for a file or a column
    that is not there.
    """
    text, notes = _own(_text(file))
    rows = list(_rows(file, text, columns))
    values = [v for v in _values(file, rows, columns) if v.text.casefold() not in _MISSING]
    header = _is_header(values)
    missing = len(rows) - len(values)
    values = values[header:]
    if not values:
        raise ContentError(f"{file}: it holds no value")
    if missing:
        many = "1 line has" if missing == 1 else f"{missing} lines have"
        notes.append(f"{many} no value: left out")
    numbers, unit = number_of([(v.where, v.text) for v in values], columns.decimal)
    notes += [f"values are in {unit}"] if unit else []
    order, turned = in_order([(v.where, v.time) for v in values])
    notes += [turned] if turned else []
    return Series(points=_points([(values[i], numbers[i]) for i in order]), notes=notes)


def _own(text: str) -> tuple[str, list[str]]:
    """Return a text without what a mail or a log put before each line, and the note on it.

    The time of a log stays where a line has no other word or time before its value.
    """
    own = textwrap.dedent(re.sub(_COLOUR, "", text).replace("\ufeff", ""))
    quotes = 0
    while quotes < _QUOTES and (inner := pasted.without_common(own)) is not None:
        if not (_is_quote(own) or _is_quote(inner) or _has_times(inner)):
            break
        own, quotes = textwrap.dedent(inner), quotes + 1
    return own, ["read without what stands before its lines"] if quotes else []


def _is_quote(text: str) -> bool:
    return text.lstrip().startswith(">")


def _has_times(text: str) -> bool:
    """Return whether most lines have a word, a date or a time before their value."""
    lines = [line for line in text.split("\n") if line.strip()]
    return sum(_TIMED.match(line) is not None for line in lines) * 2 > len(lines)


def _points(values: Sequence[tuple[_Value, float]]) -> list[Point]:
    points: dict[str | int, Point] = {}
    for number, (row, value) in enumerate(values):
        if not math.isfinite(value) or value <= 0:
            raise ContentError(f"{row.where}: {row.text} is not a finite number above 0")
        key = number if row.build is None else row.build
        known = points.get(key) or Point(time=row.time, build=row.build, values=())
        points[key] = Point(time=known.time, build=row.build, values=(*known.values, value))
    return list(points.values())


def _text(file: str) -> str:
    try:
        path = Path(file)
        if file != "-" and not path.is_file():
            raise UsageError(f"{file}: no such file")
        data = sys.stdin.buffer.read() if file == "-" else path.read_bytes()
        encoding = next((e for bom, e in _BOMS.items() if data.startswith(bom)), "utf-8")
        return data.decode(encoding)
    except UnicodeDecodeError as e:
        raise ContentError(f"{file}: not a text file: byte {e.start} is not UTF-8") from e


def _rows(file: str, text: str, columns: Columns) -> Iterator[_Row]:
    signs = [d for d in _DELIMITERS if d != "," or columns.decimal is not Decimal.COMMA]
    lines = [
        (f"{file}:{number}", line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    unquoted = [re.sub(r'"[^"]*"', '""', line) for _, line in lines]
    known = columns.delimiter or next((d for d in signs if any(d in u for u in unquoted)), None)
    if known == "," and columns.delimiter is None:
        _check_commas(lines)
    for where, line in lines:
        if known is None:
            yield _Row(where=where, fields=_words(line))
            continue
        try:
            fields = [f.strip() for f in next(csv.reader([line], delimiter=known, strict=True))]
        except csv.Error as e:
            raise ContentError(f"{where}: {e}") from e
        yield _Row(where=where, fields=fields)


def _words(line: str) -> list[str]:
    """Return the columns of a line without a delimiter: a value with its unit, or a time before."""
    match = _TWO_WORDS.fullmatch(line)
    return [match[1], match[2]] if match else [line.strip()]


def _check_commas(lines: Sequence[tuple[str, str]]) -> None:
    """Refuse lines of two whole numbers and a comma that may be no columns at all."""
    pairs = [(w, m) for w, line in lines if (m := re.fullmatch(r"\s*(\d{1,3}),(\d+)\s*", line))]
    if len(pairs) < len(lines) or not pairs:
        return
    first = [int(m[1]) for _, m in pairs]
    steps = {b - a for a, b in itertools.pairwise(first)}
    is_counter = len(steps) == 1 and steps <= {1, -1}
    where, match = pairs[0]
    thousands = all(len(m[2]) == 3 for _, m in pairs)
    if is_counter and not (thousands and any(m[2].startswith("0") for _, m in pairs)):
        return
    one, two = match.groups()
    others = [f"{one}.{two} (--decimal comma)"]
    others += [f"{one}{two} (--decimal point --delimiter ';')"] if thousands else []
    raise ContentError(
        f"{where}: '{match[0].strip()}' is the time {one} and the value {two} (--delimiter ,), or"
        f" {' or '.join(others)}; say which"
    )


def _values(file: str, rows: Sequence[_Row], columns: Columns) -> Iterator[_Value]:
    build = _column(file, rows, columns.build, "--build")
    time = _column(file, rows, columns.time, "--time")
    value = _column(file, rows, columns.value, "--value")
    for row in rows:
        rest = [i for i in range(len(row.fields)) if i not in (build, time, value)]
        taken = {"build": build, "time": time, "value": value}
        for name, index in taken.items():
            if index is not None and index >= len(row.fields):
                raise ContentError(
                    f"{row.where}: {len(row.fields)} columns; the {name} is in {index + 1}"
                )
        own = value
        if own is None:
            if len(rest) not in (1, 2) or (time is not None and len(rest) > 1):
                raise ContentError(
                    f"{row.where}: {len(rest)} columns, expected a value or time,value (and with"
                    " --build one more); --value COLUMN and --time COLUMN name them"
                )
            own = rest[-1]
        when = time if time is not None else rest[0] if value is None and len(rest) == 2 else None
        if build is not None and not row.fields[build]:
            raise ContentError(f"{row.where}: it names no build")
        yield _Value(
            where=row.where,
            text=row.fields[own],
            time=None if when is None else row.fields[when],
            build=None if build is None else row.fields[build],
        )


def _column(file: str, rows: Sequence[_Row], named: str | None, option: str) -> int | None:
    """Return the index of a column that a person named; None where nobody did."""
    if named is None:
        return None
    header = rows[0].fields if rows else []
    if named.isdecimal() and 1 <= int(named) <= len(header):
        return int(named) - 1
    if named in header:
        return header.index(named)
    there = ", ".join(header) or "none"
    raise UsageError(f"{file}: no column {named!r} for {option}; in its first line are: {there}")


def _is_header(values: Sequence[_Value]) -> bool:
    """Return whether the first line names its columns."""
    return bool(values) and not is_number(values[0].text)
