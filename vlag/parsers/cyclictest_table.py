# SPDX-License-Identifier: GPL-2.0-only
"""The rows of cyclictest's text histogram, rt-tests 2.4 to 2.6: bytes in, counts out.

A board of hundreds of CPUs gives tens of megabytes.  Rows of the usual width are
converted in blocks, with every byte checked; any other line is read on its own.
"""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

from attrs import frozen

from vlag.errors import ParseError
from vlag.parsers.lines import lines

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# Six digits with zeros before them, or more digits without; 12 keep sums within 64 bits.
_COUNT = r"(?:\d{6}|[1-9]\d{6,11})"

# 000019 000027<TAB>000024; where it was pasted, the tabs may have become spaces
_ROW = re.compile(rf"(?P<bound>\d{{6}}) (?P<counts>{_COUNT}(?:(?:\t| +){_COUNT})*)", re.ASCII)

_INDEX = len("000019 ")
_CELL = len("000027\t")
_BLOCK = 64  # rows at a time, so that a block's arrays stay in the processor's cache


@frozen(kw_only=True)
class Rows:
    """The histogram's rows."""

    bounds: tuple[int, ...]  # ascending, only buckets that any column hit
    counts: npt.NDArray[np.int64]  # shape (columns, bounds)
    limit: int  # bucket behind the last row: of a dense table, the number of rows
    is_sparse: bool  # rows are left out, so that the tool's own limit may be larger
    end: int  # where the line that follows the last row begins
    line: int  # that line's number, from 1


@frozen(kw_only=True)
class _Table:
    """Positions and counts after the lines are classified."""

    columns: int
    bounds: list[int]  # of the rows that are not all zero
    starts: list[int]  # where each of these begins in the file; -1 for those in `slow`
    slow: dict[int, list[int]]  # place in `bounds` -> counts
    rows: int
    limit: int
    end: int
    line: int


def _own(raw: bytes, path: str) -> str:
    """Return the tool's text on one line; "" if the line is the kernel's or empty."""
    return next((own.text for own in lines(raw, path)), "")


def _row(text: str, index: int, columns: int, path: str, line: int) -> tuple[int, list[int]]:
    """Return bucket and counts of one row; `columns` is 0 for the first.

    The bucket is at least `index`: rt-tests 2.10 leaves out rows that nothing hit.
    """
    match = _ROW.fullmatch(text)
    if match is None:
        raise ParseError(
            f"'{text[:40]}' is not a row of the histogram, or is damaged", path=path, line=line
        )
    if int(match["bound"]) < index:
        raise ParseError(
            f"the histogram's row of {int(match['bound'])} us appears where that of {index} us or"
            " a later one must",
            path=path,
            line=line,
        )
    counts = [int(cell) for cell in match["counts"].split()]
    if columns not in (0, len(counts)):
        raise ParseError(
            f"this row has {len(counts)} columns, the first one has {columns}",
            path=path,
            line=line,
        )
    return int(match["bound"]), counts


def _tell_apart(data: bytes, start: int, line: int, path: str) -> _Table:
    """Find the rows from `start`, the beginning of line number `line`, to the next '#'."""
    bounds: list[int] = []
    starts: list[int] = []
    slow: dict[int, list[int]] = {}
    columns = width = index = rows = 0
    zeros = b""
    at = start
    for number in count(line):
        feed = data.find(b"\n", at)
        if feed < 0:
            raise ParseError(
                "the output is cut off: the histogram has no '# Total:' line",
                path=path,
                line=number,
            )
        end = feed
        while end > at and data[end - 1] == ord("\r"):  # a serial console adds them
            end -= 1
        if end - at == width and data.startswith(b"%06d " % index, at):
            if not data.startswith(zeros, at + _INDEX):
                bounds.append(index)
                starts.append(at)
            index += 1
            rows += 1
        else:
            text = _own(data[at:end], path)
            if text.startswith("#"):
                break
            if text:
                index, counts = _row(text, index, columns, path, number)
                if not columns:
                    columns = len(counts)
                    width = _INDEX + columns * _CELL - 1
                    zeros = b"\t".join([b"000000"] * columns)
                if any(counts):
                    slow[len(bounds)] = counts
                    bounds.append(index)
                    starts.append(-1)
                index += 1
                rows += 1
        at = feed + 1
    return _Table(
        columns=columns, bounds=bounds, starts=starts, slow=slow, rows=rows, limit=index, end=at,
        line=number,
    )  # fmt: skip


def _numbers(block: bytes, columns: int) -> npt.NDArray[np.int32] | None:
    """Return counts, shape (rows, columns), of cells of six digits and one byte after.

    None for an unexpected byte.  The byte after a row's last cell may be any.
    """
    import numpy as np  # noqa: PLC0415 - no other tool needs it

    table = np.frombuffer(block, np.uint8).reshape(-1, columns, _CELL)
    digits = table[:, :, :6] - np.uint8(ord("0"))  # what lies below "0" wraps to above 9
    if digits.max() > 9 or (table[:, :-1, 6] != ord("\t")).any():
        return None
    numbers = digits[:, :, 0].astype(np.int32)
    for k in range(1, 6):
        numbers *= 10
        numbers += digits[:, :, k]
    return numbers


def read_rows(data: bytes, start: int, line: int, path: str) -> Rows:
    """Return the rows that begin at `start`, up to the next line that begins with '#'.

    `line` is the number of the line at `start`.  Kernel messages and empty lines are
    skipped.  Raises ParseError for any other line that is not a row, for rows that are
    out of order, appear twice or differ in their columns, and for a missing end.
    """
    import numpy as np  # noqa: PLC0415 - as above

    table = _tell_apart(data, start, line, path)
    columns = table.columns
    counts = np.empty((columns, len(table.bounds)), dtype=np.int64)
    for place, cells in table.slow.items():
        counts[:, place] = cells
    fast = [place for place, at in enumerate(table.starts) if at >= 0]
    length = columns * _CELL
    for first in range(0, len(fast), _BLOCK):
        places = fast[first : first + _BLOCK]
        begins = [table.starts[place] + _INDEX for place in places]
        numbers = _numbers(b"".join(data[at : at + length] for at in begins), columns)
        if numbers is not None:
            counts[:, places] = numbers.T
            continue
        for place, begin in zip(places, begins, strict=True):
            text = _own(data[begin - _INDEX : begin + length - 1], path)
            number = data.count(b"\n", 0, begin) + 1
            _, counts[:, place] = _row(text, table.bounds[place], columns, path, number)
    return Rows(
        bounds=tuple(table.bounds),
        counts=counts,
        limit=table.limit,
        is_sparse=table.rows < table.limit,
        end=table.end,
        line=table.line,
    )
