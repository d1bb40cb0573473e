"""Attribution as plain text: which toggle, patch or factor accounts for a change.

Tables of at most 78 columns, so that one level of quoting fits into 80.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from vlag.model import Direction
from vlag.stats.attribution import Role, ToggleReport
from vlag.stats.factorial import Factorial
from vlag.stats.matrix import Effect, Share, change, share_text
from vlag.stats.patches import PatchReport

WIDTH = 78

_EFFECT = 25
_SHARE = 19
_LEGEND = (
    "[ ]: 95 % intervals, simultaneous over a column; share: of the change from base to"
    " new, in the metric's unit."
)


def text(report: ToggleReport | PatchReport | Factorial) -> str:
    """Return a report as text with a final newline."""
    if isinstance(report, ToggleReport):
        lines = _toggles(report)
    elif isinstance(report, PatchReport):
        lines = _patches(report)
    else:
        lines = _factorial(report)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _wrap(words: str, indent: str = "") -> list[str]:
    """Return lines of at most `WIDTH`; a figure and its per cent sign stay together."""
    lines = textwrap.wrap(
        words.replace(" %", "\N{NO-BREAK SPACE}%"),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_on_hyphens=False,
    )
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def _row(name: str, cells: Sequence[tuple[str, int]]) -> list[str]:
    """Return a row of right-aligned cells; names and cells that are too wide get a new line."""
    tail = "".join(f"{x:>{width}}" for x, width in cells)
    head = WIDTH - sum(width for _, width in cells)
    if len(name) < head and len(tail) == WIDTH - head:
        return [f"{name:<{head}}{tail}"]
    if len(tail) == WIDTH - head:
        return [*_wrap(name), f"{'':<{head}}{tail}"]
    return [*_wrap(name), *_wrap(", ".join(x for x, _ in cells if x), "    ")]


def _effect(effect: Effect | None, problem: str | None) -> str:
    return (problem or "-") if effect is None else change(effect)


def _share(share: Share | None) -> str:
    return "-" if share is None else share_text(share)


def _better(direction: Direction) -> str:
    return f"{direction.value} is better"


def _toggles(report: ToggleReport) -> list[str]:
    lines = [*_wrap(report.sentence), ""]
    boots = f"{report.base_boots} + {report.new_boots} boots"
    lines += _wrap(
        f"base to new: {_effect(report.whole, 'not known')}, {boots}, {_better(report.direction)}"
    )
    lines += ["", *_row("toggle", [("on new", _EFFECT), ("on base", _EFFECT)]), "-" * WIDTH]
    for t in report.toggles:
        lines += _row(
            t.name,
            [
                (_effect(t.on_new, t.problem), _EFFECT),
                (_effect(t.on_base, t.problem_base), _EFFECT),
            ],
        )
        if t.role is not None and t.role is not Role.UNKNOWN:
            lines += _wrap(f"share {_share(t.share)}: {t.role.value}", "  ")
    return [*lines, "-" * WIDTH, *_wrap(_LEGEND)]


def _patches(report: PatchReport) -> list[str]:
    lines = [*_wrap(report.sentence), ""]
    lines += _wrap(
        f"none to full: {_effect(report.whole, 'not known')}, {_better(report.direction)}"
    )
    lines += ["", *_row("patch", [("effect", _EFFECT), ("share", _SHARE)]), "-" * WIDTH]
    for p in report.patches:
        mark = " *" if p.number in report.blamed else ""
        lines += _wrap(f"{p.number} {p.name}{mark}")
        for e in p.estimates:
            if e.effect is None:
                lines += _wrap(f"{e.way.value}: {e.problem}", "  ")
            else:
                cells = [(change(e.effect), _EFFECT), (_share(e.share), _SHARE)]
                lines += _row(f"  {e.way.value}", cells)
    told = _LEGEND + (" *: accounts for it." if report.blamed else "")
    return [*lines, "-" * WIDTH, *_wrap(told)]


def _factorial(report: Factorial) -> list[str]:
    lines = [*_wrap(report.sentence), ""]
    lines += [*_row(", ".join(report.factors), [("change", _EFFECT), ("boots", 7)]), "-" * WIDTH]
    for key, cell in report.cells.items():
        told = "base" if key == report.base and cell.problem is None else None
        shown = told or _effect(report.changes.get(key), cell.problem)
        lines += _row(", ".join(key), [(shown, _EFFECT), (str(len(cell.boots)), 7)])
    lines += ["-" * WIDTH, "", *_row("effect", [("", _EFFECT)]), "-" * WIDTH]
    for term in (*report.terms, *report.combined):
        if term.effect is None:
            lines += _wrap(f"{term.name}: {term.problem}")
        else:
            lines += _row(term.name, [(change(term.effect), _EFFECT)])
    spread = f"standard deviation of one boot: {100 * report.spread:.2g} %"
    return [*lines, "-" * WIDTH, *_wrap(f"{_LEGEND.split(';', maxsplit=1)[0]}; {spread}.")]
