# SPDX-License-Identifier: GPL-2.0-only
"""Reports as one HTML file that needs nothing else: no network, no script.

The same figures as in the text, with plots.  It follows the reader's light or dark colours,
fits a telephone and can be printed.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from vlag import printable
from vlag.profile import decision_text
from vlag.report import branch, colours, compared, context, grid, lane_lines, plots, text, why
from vlag.stats.sentences import probability
from vlag.stats.severity import RANKS

Data = Mapping[str, Any]


class Drawing(TypedDict):
    """A plot, with what is said above it."""

    title: str
    caption: str
    svg: Markup


class Profiled(TypedDict):
    """A profile that names a function, a decision or a longer path."""

    sentence: str
    path: str
    operation: str
    decisions: list[Data]  # those that are sure
    callers: list[str]  # of its functions
    drawings: list[Drawing]  # none where no function is sure


class Decided(TypedDict):
    """The first decision that differs in a benchmark, or that none does."""

    sentence: str
    drawings: list[Drawing]  # none where no decision differs
    kept: bool  # the comparison's page has a file of it


_EFFECTS = 40  # rows of one plot: more would exceed the height of a page
_TEMPLATES = Path(__file__).parent / "templates"


def render(data: Data, plotted: Mapping[int, Data] | None = None) -> str:
    """Return a report as an HTML document.

    `plotted` is the data of its comparisons' plots, by their numbers: see
    `vlag.report.data.plot_data.of`; without it only plots without further data are drawn.
    """
    template = _environment().get_template(f"{data['kind']}.html")
    return printable.block(template.render(data=data, plotted=plotted or {})) + "\n"


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": compared.number,
        "percent": compared.percent,
        "probability": probability,
        "interval": compared.interval,
        "metric": compared.metric,
        "verdict": compared.verdict,
        "badge": _badge,
        "ground": _ground,
        "merged": _merged,
        "overall": _overall,
    }
    environment.globals |= {
        "text": text,
        "context": context,
        "branch": branch,
        "grid": grid,
        "lanes": lane_lines,
        "drawn": _drawn,
        "effects": _effects,
        "profiled": _profiled,
        "decided": _decided,
        "blocked": why.blocked,
        "sampled": lambda c: [why.sampled_sentence(p) for p in why.sampled(c)],
        "named": _named,
        "style": Markup(colours.css() + (_TEMPLATES / "report.css").read_text(encoding="utf-8")),  # noqa: S704
    }
    return environment


def _variable(word: str, *, unproved: bool) -> str:
    pale = {"REGRESSION": "hint", "IMPROVEMENT": "gain"} if unproved else {}
    return pale.get(word) or colours.variable(word)


def _badge(word: str, unproved: bool) -> str:
    """Return the style of a verdict's word."""
    name = _variable(word, unproved=unproved)
    return f"background:{colours.ground(name)};border-color:{colours.var(name)}"


def _ground(cell: Data) -> str:
    return colours.ground(_variable(cell["verdict"], unproved=cell["hint"]))


def _overall(comparison: Data) -> str:
    return RANKS[comparison["severity"]][0]


def _merged(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Return names, each with all its values; an empty name continues the last one."""
    merged: list[tuple[str, list[str]]] = []
    for name, value in pairs:
        if name or not merged:
            merged.append((name, []))
        merged[-1][1].append(value)
    return merged


def _named(rows: Sequence[Data]) -> list[Data]:
    return [{**r, "name": name} for r, name in zip(rows, compared.names(rows), strict=True)]


def _effects(rows: Sequence[Data], title: str) -> list[Drawing]:
    """Return the plot of the effects, in the order of the rows: worst first."""
    known = [r for r in rows if r["effect"] is not None]
    svg = plots.effects(known[:_EFFECTS], title=title)
    return _figures([(title, "", svg)])


def _profiled(c: Data) -> list[Profiled]:
    """Return the profiles that name a function, a decision or a longer path."""
    return [
        {
            "sentence": f"{p['benchmark']}: {p['sentence']}",
            "path": why.path_with_limits(p),
            "operation": p["operation"],
            "decisions": why.decided(p),
            "callers": why.callers(p),
            "drawings": _figures(
                [
                    (f"Functions of {p['benchmark']}", "", plots.functions(p)),
                    (f"Calls of {p['benchmark']} by caller", "", plots.flame(p)),
                ]
            )
            if why.named(p)
            else [],
        }
        for p in why.named_profiles(c)
    ]


def _decided(c: Data) -> list[Decided]:
    """Return the benchmarks whose decisions were compared, with what both kernels ran there."""
    return [
        {
            "sentence": sentence,
            "drawings": _figures(
                [(f"Decisions of {d['benchmark']}", decision_text.picture_caption(d["told"]),
                  plots.decisions(around))]
            ) if around else [],
            "kept": d.get("timeline") is not None,
        }
        for d, sentence in zip(c.get("decided") or (), why.first_decisions(c), strict=True)
        # A report that was stored by an earlier version has no picture.
        for around in [decision_text.told_of(d["told"]).get("around")]
    ]  # fmt: skip


def _drawn(plotted: Data) -> list[Drawing]:
    """Return a comparison's plots: title, sentence, SVG."""
    drawings = []
    for h in plotted["histories"]:
        words = {k: h[k] for k in ("title", "unit", "direction")}
        drawings.append((f"History: {h['title']}", "", plots.history(
            h["points"], h["band"], h["changes"], **words)))  # fmt: skip
    for d in plotted["distributions"]:
        title = f"Distributions: {d['title']}"
        drawings.append((title, "", plots.distributions(
            d["base"], d["new"], title=title, unit=d["unit"], names=d["names"])))  # fmt: skip
    for s in plotted["shifts"]:
        title = f"Shift function: {s['title']}"
        drawings.append((title, s["headline"], plots.shift(
            s["quantiles"], title=title, direction=s["direction"])))  # fmt: skip
    return _figures(drawings)


def _figures(drawings: Iterable[tuple[str, str, str]]) -> list[Drawing]:
    # Our own code made it from escaped text.
    return [{"title": t, "caption": w, "svg": Markup(svg)} for t, w, svg in drawings if svg]  # noqa: S704
