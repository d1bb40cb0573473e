# SPDX-License-Identifier: GPL-2.0-only
"""Several kernels side by side as plain text: rows are metrics, columns are kernels."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from vlag.report.compared import number, times
from vlag.report.document import AcrossRow, AcrossTable, Cell
from vlag.report.grid import LEGEND, MARKS, folded
from vlag.report.layout import page
from vlag.verdict_data import VerdictColumns

WIDTH = 80
_CELL = 14
_NAME = 24  # of a metric; four cells follow
#: Kernels of a table beside the baseline, which each table repeats.
_OTHERS = (WIDTH - _NAME) // _CELL - 1

_EXPLAINED = (
    " Without a mark: the median of a kernel that was measured and not compared with the baseline."
    " From: the base's level in the boots of that comparison, where it is another than the first"
    " column's."
)


def text(kernels: Sequence[str], tables: Sequence[AcrossTable]) -> str:
    """Return a table for each board type as text of at most `WIDTH`, with a final newline.

    `kernels` are display names, the baseline first.  `tables` are those of
    `read_model.across.across`.
    """
    head = f"{len(kernels)} kernels, against {kernels[0]}"
    lines = [*_wrap(head), "=" * min(len(head), WIDTH)]
    shown = [t for t in tables if t["rows"]]
    for t in shown:
        title = f"on {t['board_type']}"
        lines += ["", title, "-" * len(title), *_table(kernels, t["rows"])]
    legend = LEGEND + _EXPLAINED
    if not shown:
        boards = {t["board_type"] for t in tables if t["board_type"] is not None}
        where = f" on {', '.join(sorted(boards))}" if boards else ""
        legend = f"No two of these kernels were measured with the same benchmark{where}."
    return page([*lines, "", *_wrap(legend)])


def _table(kernels: Sequence[str], rows: Sequence[AcrossRow]) -> Iterator[str]:
    for start in range(1, len(kernels), _OTHERS):
        columns = [0, *range(start, min(start + _OTHERS, len(kernels)))]
        if start > 1:
            yield ""
        labels = [folded(kernels[i], _CELL) for i in columns]
        for n in range(max(map(len, labels))):
            words = [x[n] if n < len(x) else "" for x in labels]
            yield f"{'metric' if not n else '':<{_NAME}}{_right(words)}"
        yield "-" * WIDTH
        for r in rows:
            yield from _row(r, [r["cells"][i] for i in columns])


def _row(r: AcrossRow, cells: Sequence[Cell | None]) -> Iterator[str]:
    """Yield the name above or beside the values, and the changes below them."""
    name = _wrap(" ".join(filter(None, (r["name"], r["differing"], f"[{r['unit']}]"))))
    values = _right(["-" if c is None else number(c["value"]) for c in cells])
    beside = len(name) == 1 and len(name[0]) < _NAME
    yield from () if beside else name
    yield f"{name[0] if beside else '':<{_NAME}}{values}"
    changes = [_change(c["verdict"]) if c and c["verdict"] else "" for c in cells]
    from_ = [_own_base(c, r["cells"][0]) for c in cells]
    for below in (changes, from_):
        if any(below):
            yield f"{'':<{_NAME}}{_right(below)}"


def _own_base(cell: Cell | None, first: Cell | None) -> str:
    """Return what a change starts from, if that is not what the first column shows."""
    if cell is None or cell["verdict"] is None or cell["verdict"]["base_value"] is None:
        return ""
    own = number(cell["verdict"]["base_value"])
    return "" if first is not None and own == number(first["value"]) else f"from {own}"


def _change(v: VerdictColumns) -> str:
    mark = MARKS[v["verdict"]]
    change = "-" if v["effect"] is None else times(v["effect"])
    return f"{change} {mark.lower() if v['hint'] else mark}"


def _right(cells: Sequence[str]) -> str:
    return "".join(f"{x:>{_CELL}}" for x in cells)


def _wrap(paragraph: str) -> list[str]:
    return textwrap.wrap(paragraph, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
