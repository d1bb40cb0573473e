# SPDX-License-Identifier: GPL-2.0-only
"""Who ran on each CPU around the first decision that two kernels took differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vlag.report import colours
from vlag.report.plots.canvas import canvas, short
from vlag.report.svg import svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 8.6  # inches, as of the functions' bars
_ROW, _EDGES = 0.32, 1.0  # inches of a CPU's row, and above and below them
_CHARACTERS = 125  # of the small print that fit into the whole width
#: Grounds of tasks in the order that they come in, and of those after these.
_GROUNDS = (colours.GAIN, colours.MARGINAL, colours.HINT, colours.UNSURE)
_US = 1000


def decisions(shown: Mapping[str, Any]) -> str:
    """Return rows of CPUs, the base kernel's above the new one's, as an `svg` element.

    `shown` is the data of `vlag.profile.decision_timeline.around`.
    """
    rows = [
        (side, cpu, runs)
        for side in ("base", "new")
        for cpu, runs in sorted(shown[side].items(), key=lambda item: int(item[0]))
    ]
    grounds = _grounds([runs for _, _, runs in rows])
    span = (shown["until_ns"] - shown["from_ns"]) / _US
    with canvas(_EDGES + _ROW * len(rows)) as (figure, axes):
        figure.set_figwidth(_WIDTH)
        for place, (_, _, runs) in enumerate(rows):
            _draw(axes, place, runs, grounds, span)
        axes.axvline(0, color=colours.INK, lw=1.2, ls="--")
        axes.axhline(len(shown["base"]) - 0.5, color=colours.LINE, lw=1)
        axes.set_yticks(range(len(rows)), [f"{side}, CPU {cpu}" for side, cpu, _ in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(shown["from_ns"] / _US, shown["until_ns"] / _US)
        axes.set_xlabel("us from the first decision that differs (dashed)")
        return svg(figure, "Who ran on each CPU", _said(rows))


def _grounds(rows: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, str]:
    """Return each task's ground; tasks that come late share the last one."""
    tasks = dict.fromkeys(str(run["task"]) for runs in rows for run in runs)
    return {task: _GROUNDS[min(n, len(_GROUNDS) - 1)] for n, task in enumerate(tasks)}


def _draw(
    axes: Axes,
    place: int,
    runs: Sequence[Mapping[str, Any]],
    grounds: Mapping[str, str],
    span: float,
) -> None:
    for run in runs:
        begin, width = run["begin_ns"] / _US, (run["end_ns"] - run["begin_ns"]) / _US
        ground = grounds[str(run["task"])]
        axes.barh(place, width, left=begin, height=0.8, color=ground, ec=colours.INK, lw=0.4)
        room = int(_CHARACTERS * width / span)
        if room >= 3:
            axes.text(
                begin + 0.003 * span, place, _fitting(str(run["task"]), room), va="center",
                fontsize=6.5, color=colours.ink_on(ground),
            )  # fmt: skip


def _fitting(task: str, room: int) -> str:
    """Return a task's name; if room is short, its place among those of its name stays."""
    name, mark, number = task.partition("#")
    left = room - len(mark + number)
    return short(name, left) + mark + number if left >= 3 else mark + number or short(name, room)


def _said(rows: Sequence[tuple[str, str, Sequence[Mapping[str, Any]]]]) -> str:
    return "; ".join(
        f"{side}, CPU {cpu}: {', '.join(str(run['task']) for run in runs) or 'idle'}"
        for side, cpu, runs in rows
    )
