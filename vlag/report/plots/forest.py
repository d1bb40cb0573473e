"""Effects with their intervals, one below the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vlag.report import colours
from vlag.report.compared import percent
from vlag.report.plots.canvas import (
    NAME,
    Rows,
    canvas,
    high_of,
    low_of,
    short,
)
from vlag.report.svg import svg

if TYPE_CHECKING:
    pass

_ROW = 0.27  # inches of a row
_EDGES = 0.95  # above and below the rows
_TOO_FAR = 300  # per cent, for a linear axis


def effects(rows: Rows, *, title: str = "") -> str:
    """Return effects with their intervals, the first row on top: a forest plot.

    A row has `name`, `effect`, `ci_low`, `ci_high`, `worse` and `verdict`.  Worse is on the
    right, whatever the direction of the metric.
    """
    known = [r for r in rows if r["effect"] is not None]
    if not known:
        return ""
    with canvas(_EDGES + _ROW * len(known)) as (figure, axes):
        axes.axvline(0, color=colours.INK, lw=0.8)
        for verdict, colour in colours.VERDICT_COLOURS.items():
            some = [(y, *_turned(r)) for y, r in enumerate(known) if r["verdict"] == verdict]
            if some:
                axes.errorbar(
                    [100 * e for _, e, _, _ in some], [y for y, *_ in some],
                    xerr=[[100 * (e - low) for _, e, low, _ in some],
                          [100 * (high - e) for _, e, _, high in some]],
                    fmt="o", color=colour, ms=5, lw=1.6, capsize=2.5, label=verdict,
                )  # fmt: skip
        most = max(100 * max(abs(low_of(r)), abs(high_of(r))) for r in known)
        if most > _TOO_FAR:
            # One huge effect would shrink all intervals to dots.
            axes.set_xscale("symlog", linthresh=10)
            axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        axes.set_yticks(range(len(known)))
        axes.set_yticklabels([short(str(r["name"]), NAME) for r in known])
        axes.set_ylim(len(known) - 0.4, -0.6)
        axes.set_xlabel("change in %; worse is on the right")
        figure.legend(loc="outside upper right", ncols=4, frameon=False, fontsize=8)
        said = "; ".join(f"{r['name']} {percent(r['effect'])} %: {r['verdict']}" for r in known)
        return svg(figure, title or "Effects, worst first", said)


def _turned(row: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return effect, low and high of a row so that above 0 is worse."""
    effect, low, high = float(row["effect"]), low_of(row), high_of(row)
    if row["worse"] is None or (effect > 0) == bool(row["worse"]):
        return effect, low, high
    return -effect, -high, -low
