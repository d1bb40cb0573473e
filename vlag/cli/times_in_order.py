# SPDX-License-Identifier: GPL-2.0-only
"""Times as people write them, and the order that they give."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Sequence

from vlag.errors import ContentError

_FORMATS = (
    "%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%Y/%m/%d", "%Y/%m/%d %H:%M:%S", "%Y%m%d",
    "%d %b %Y", "%b %d %Y", "%d-%b-%Y", "%a, %d %b %Y %H:%M:%S %z",
)  # fmt: skip
# The same text may be either.
_DAY_FIRST, _MONTH_FIRST = "%d/%m/%Y", "%m/%d/%Y"

Time = float
_Reader = Callable[[str], Time]


def in_order(times: Sequence[tuple[str, str | None]]) -> tuple[list[int], str | None]:
    """Return the indices of values from the oldest to the newest, and what to say of it.

    `times` has where each value stands, and its time.  Raises ContentError for times that are in no
    order, or in another one where a day may be a month.
    """
    as_it_is = list(range(len(times)))
    if len(times) < 2:
        return as_it_is, None
    texts = [text for _, text in times if text is not None]
    if len(texts) < len(times):
        return as_it_is, "there are no times: the first value is taken for the oldest"
    readings = [r for r in (_read(texts, reader) for reader in _readers()) if r is not None]
    if not readings:
        return as_it_is, "the first column is no time: the first value is taken for the oldest"
    directions = {_direction(reading) for reading in readings}
    if len(directions) > 1 and None not in directions:
        raise ContentError(
            f"{times[0][0]}: {texts[0]!r} has the day or the month first, and that turns the order;"
            " write times as YYYY-MM-DD"
        )
    direction = next((d for d in map(_direction, readings) if d is not None), None)
    if direction is None:
        reading = readings[0]
        wrong = next(i for i in range(2, len(reading)) if _direction(reading[: i + 1]) is None)
        raise ContentError(
            f"{times[wrong][0]}: {texts[wrong]!r} is out of the order of the times before it; sort"
            " the lines by time"
        )
    if direction < 0:
        return as_it_is[::-1], "the newest value comes first: read from the last line to the first"
    return as_it_is, None


def _readers() -> list[_Reader]:
    def of(form: str) -> _Reader:
        return lambda text: (
            datetime.datetime.strptime(text, form).replace(tzinfo=datetime.UTC).timestamp()
        )

    return [float, _iso, *map(of, _FORMATS), of(_DAY_FIRST), of(_MONTH_FIRST)]


def _iso(text: str) -> Time:
    known = datetime.datetime.fromisoformat(text)
    return (known if known.tzinfo else known.replace(tzinfo=datetime.UTC)).timestamp()


def _read(texts: Sequence[str], reader: _Reader) -> list[Time] | None:
    try:
        return [reader(text) for text in texts]
    except (ValueError, OverflowError):
        return None


def _direction(times: Sequence[Time]) -> int | None:
    """Return 1 for times that never fall, -1 for those that never rise, None for others."""
    pairs = list(itertools.pairwise(times))
    if all(a <= b for a, b in pairs):
        return 1
    return -1 if all(a >= b for a, b in pairs) else None
