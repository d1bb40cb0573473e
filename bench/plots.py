"""Plots of the comparison of boots: false alarms and power by boots and by effect.

The pictures are plain SVG written here, so that no plotting library is needed; each
point of a picture is a row's figure in the page's tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from xml.etree import ElementTree

from attrs import frozen

from bench.evidence import table, write
from bench.peers import ours, ours_two_stage, pairs_drawn
from vlag import ROOT
from vlag.stats.stages import ROUNDS

SEED = 20_262
BOOTS = (3, 5, 7, 10, 20, 30)  # a side, in the only or the first stage
EFFECTS = (0.01, 0.02, 0.03, 0.05, 0.10)
SPREADS = (0.005, 0.02)  # CV between boots
AA_PAIRS = 30_000
SHIFTED_PAIRS = 3_000
X_LABEL = "boots a side, in the only or the first stage (logarithmic)"
FOLDER = ROOT / "docs" / "evidence" / "plots"

# Blue and vermilion of Okabe and Ito: told apart with any colour vision.
_ONE, _TWO = "#0072b2", "#d55e00"
_WIDTH, _HEIGHT = 170, 190  # of a panel, px
_LEFT, _TOP, _GAP, _BOTTOM = 60, 62, 22, 48


@frozen(kw_only=True)
class Cell:
    """What was measured at one number of boots, spread and effect, as shares of pairs."""

    spread: float
    boots: int
    effect: float  # 0: no change, the shares are false alarms
    one: float  # flagged by one comparison
    two: float  # told after two stages
    again: float  # booted again for the second stage


@frozen(kw_only=True)
class Line:
    """One line of a panel: (x, y) in the axes' units."""

    label: str
    points: tuple[tuple[float, float], ...]
    colour: str
    dashed: bool


@frozen(kw_only=True)
class Panel:
    """One of several plots side by side, with one pair of axes for all."""

    title: str
    lines: tuple[Line, ...]


def measured(
    spread: float, boots: int, effect: float, *, aa_pairs: int, shifted_pairs: int
) -> Cell:
    """Draw pairs and return what both procedures make of them."""
    pairs = shifted_pairs if effect else aa_pairs
    seed = [SEED, round(spread * 10_000), boots, round(effect * 10_000)]
    base, new, fresh = pairs_drawn(boots, pairs, effect, spread, seed)
    told, again = ours_two_stage(base, new, fresh)
    return Cell(
        spread=spread,
        boots=boots,
        effect=effect,
        one=float(ours(base, new).mean()),
        two=float(told.mean()),
        again=float(again.mean()),
    )


def _text(parent: ElementTree.Element, x: float, y: float, words: str, **more: str) -> None:
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": "middle", **more}
    ElementTree.SubElement(parent, "text", attributes).text = words


def _stroke(parent: ElementTree.Element, ends: Sequence[float], colour: str, dash: str) -> None:
    names = dict(zip(("x1", "y1", "x2", "y2"), (f"{v:.1f}" for v in ends), strict=True))
    dashes = {"stroke-dasharray": dash} if dash else {}
    ElementTree.SubElement(
        parent, "line", {**names, "stroke": colour, "stroke-width": "1.4", **dashes}
    )


def _axis_top(panels: Sequence[Panel]) -> float:
    """Return the least of 1, 2, 5, 10, ... (or a tenth, ...) that no point exceeds."""
    most = max(y for panel in panels for line in panel.lines for _, y in line.points)
    if most <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= most * (1 - 1e-9))


def svg(
    title: str, panels: Sequence[Panel], *, x_label: str, y_label: str, x_ticks: Sequence[float]
) -> str:
    """Return a picture of panels side by side; x is logarithmic, y begins at 0.

    Every point of every line is one element of the class "point".
    """
    top = _axis_top(panels)
    width = _LEFT + len(panels) * (_WIDTH + _GAP)
    height = _TOP + _HEIGHT + _BOTTOM
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {height}",
            "width": str(width),
            "height": str(height),
            "font-family": "sans-serif",
            "font-size": "11",
            "role": "img",
        },
    )
    ElementTree.SubElement(root, "title").text = title
    ElementTree.SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": "white"})
    _text(root, _LEFT, 18, title, **{"text-anchor": "start", "font-size": "14"})
    legend = _LEFT
    for line in panels[0].lines:
        _stroke(root, (legend, 34, legend + 28, 34), line.colour, "5 3" if line.dashed else "")
        _marker(root, legend + 14, 34, line, "key")
        _text(root, legend + 34, 38, line.label, **{"text-anchor": "start"})
        legend += 60 + 6 * len(line.label)
    low, high = math.log(min(x_ticks)), math.log(max(x_ticks))
    for column, panel in enumerate(panels):
        left = _LEFT + column * (_WIDTH + _GAP)
        _frame(root, left, panel, column == 0, top)

        def place(x: float, y: float, left: int = left) -> tuple[float, float]:
            across = left + 8 + (math.log(x) - low) / (high - low) * (_WIDTH - 16)
            return across, _TOP + _HEIGHT * (1 - y / top)

        for tick in x_ticks:
            across, _ = place(tick, 0)
            bottom = _TOP + _HEIGHT
            _stroke(root, (across, bottom, across, bottom + 4), "#444444", "")
            _text(root, across, bottom + 16, f"{tick:g}")
        for line in panel.lines:
            places = [place(x, y) for x, y in line.points]
            for one, other in pairwise(places):
                _stroke(root, (*one, *other), line.colour, "5 3" if line.dashed else "")
            for x, y in places:
                _marker(root, x, y, line, "point")
    middle = (_LEFT + width - _GAP) / 2
    _text(root, middle, height - 10, x_label)
    turned = f"rotate(-90 14 {_TOP + _HEIGHT / 2:.1f})"
    _text(root, 14, _TOP + _HEIGHT / 2, y_label, transform=turned)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _frame(root: ElementTree.Element, left: int, panel: Panel, first: bool, top: float) -> None:
    """Draw a panel's title, border, grid and, in the first panel, the labels of y."""
    _text(root, left + _WIDTH / 2, _TOP - 7, panel.title, **{"font-weight": "bold"})
    for part in range(6):
        y = _TOP + _HEIGHT * (1 - part / 5)
        _stroke(root, (left, y, left + _WIDTH, y), "#dddddd" if part else "#444444", "")
        if first:
            _text(root, left - 6, y + 4, f"{top * part / 5:g}", **{"text-anchor": "end"})
    _stroke(root, (left, _TOP, left, _TOP + _HEIGHT), "#444444", "")


def _marker(root: ElementTree.Element, x: float, y: float, line: Line, name: str) -> None:
    """Draw one point: filled on a solid line, hollow on a dashed one."""
    centre = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "3.2", "stroke": line.colour}
    fill = "white" if line.dashed else line.colour
    ElementTree.SubElement(root, "circle", {**centre, "fill": fill, "class": name})


def _lines(cells: Sequence[Cell], scale: float) -> tuple[Line, ...]:
    """Return the lines of both procedures over the boots, y times `scale`."""
    return (
        Line(
            label="one comparison",
            points=tuple((cell.boots, scale * cell.one) for cell in cells),
            colour=_ONE,
            dashed=False,
        ),
        Line(
            label="two stages",
            points=tuple((cell.boots, scale * cell.two) for cell in cells),
            colour=_TWO,
            dashed=True,
        ),
    )


def power_plot(cells: Sequence[Cell], spread: float) -> str:
    """Return the picture of the power at one spread, a panel for each effect."""
    effects = sorted({cell.effect for cell in cells if cell.effect})
    panels = [
        Panel(
            title=f"true change {effect:.0%}",
            lines=_lines([c for c in cells if c.spread == spread and c.effect == effect], 1),
        )
        for effect in effects
    ]
    return svg(
        f"Power at {spread:.1%} between boots (CV)",
        panels,
        x_label=X_LABEL,
        y_label="share of pairs that are told",
        x_ticks=sorted({cell.boots for cell in cells}),
    )


def alarm_plot(cells: Sequence[Cell]) -> str:
    """Return the picture of the false alarms, a panel for each spread."""
    panels = [
        Panel(
            title=f"CV {spread:.1%}",
            lines=_lines([c for c in cells if c.spread == spread and not c.effect], 1000),
        )
        for spread in sorted({cell.spread for cell in cells})
    ]
    return svg(
        "False alarms: no true change",
        panels,
        x_label=X_LABEL,
        y_label="told, per 1000 pairs",
        x_ticks=sorted({cell.boots for cell in cells}),
    )


def _tables(cells: Sequence[Cell]) -> list[str]:
    lines = []
    for spread in sorted({cell.spread for cell in cells}):
        rows = []
        for cell in cells:
            if cell.spread == spread:
                scale, digits = (1, 3) if cell.effect else (1000, 2)
                shown = [f"{scale * v:.{digits}f}" for v in (cell.one, cell.two)]
                change = f"{cell.effect:.0%}" if cell.effect else "none (per 1000)"
                rows.append((cell.boots, change, *shown, f"{cell.again:.1%}"))
        head = ("boots a side", "true change", "one comparison", "two stages", "booted again")
        lines += [f"## CV {spread:.1%}", "", *table(head, rows), ""]
    return lines


def main() -> None:
    """Measure every cell, and write the pictures and their page."""
    cells = [
        measured(spread, boots, effect, aa_pairs=AA_PAIRS, shifted_pairs=SHIFTED_PAIRS)
        for spread in SPREADS
        for boots in BOOTS
        for effect in (0.0, *EFFECTS)
    ]
    FOLDER.mkdir(parents=True, exist_ok=True)
    pictures = {"false-alarms": alarm_plot(cells)}
    pictures |= {f"power-cv-{100 * s:g}": power_plot(cells, s) for s in SPREADS}
    for name, picture in pictures.items():
        (FOLDER / f"{name}.svg").write_text(picture, encoding="utf-8")
    write(
        "statistics-plots",
        "False alarms and power, drawn",
        "python -m bench plots",
        [
            f"{AA_PAIRS} drawn pairs a point without a change, {SHIFTED_PAIRS} with one; "
            f"log-normal boots; relevance 1 %; seed {SEED}",
            "no history of the series: every comparison knows its own boots only",
        ],
        [
            "One comparison reports a REGRESSION or an IMPROVEMENT at once. Two stages report only "
            f"what a screen suspects and up to {ROUNDS[-1]} boots a side of a rerun confirm. The "
            "last column of the tables is the share of pairs that boot again for this.",
            "",
            *(line for name in pictures for line in (f"![{name}](plots/{name}.svg)", "")),
            *_tables(cells),
        ],
    )


if __name__ == "__main__":
    main()
