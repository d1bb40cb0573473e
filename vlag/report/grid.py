# SPDX-License-Identifier: GPL-2.0-only
"""Patches or knobs by metrics for people: plain text of at most 75 columns, and Markdown.

First the matrix, each cell a change and a letter; then every figure with its interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vlag.report import markdown as md
from vlag.report.compared import confirmed_against_parent, interval, number, percent
from vlag.report.document import (
    BoardMatrix,
    FigureCell,
    MatrixCell,
    MatrixColumn,
    MatrixData,
    MatrixMetric,
    has_figure,
)
from vlag.report.layout import WIDTH, field, page, pairs, section, wrap
from vlag.stats import severity
from vlag.verdict_data import Parameters

_CELL = 15
_NAME = WIDTH - 3 * _CELL  # of a metric; three cells follow
MARKS = {
    "REGRESSION": "W",
    "IMPROVEMENT": "B",
    "UNCHANGED": "=",
    "MARGINAL": "M",
    "INCONCLUSIVE": "?",
    "NOT_COMPARABLE": "x",
}
LEGEND = (
    "Changes against the base. W: worse; B: better; =: no change; M: marginal, certain and"
    " about as large as what matters; ?: not decided; x: not"
    " comparable; small letters: a hint, which proves nothing."
)
SYNTHETIC = "SYNTHETIC: these figures come from a report, not from a boot."


def title(data: MatrixData) -> str:
    """Return the headline."""
    what = {p for m in data["matrices"] for c in m["columns"] if (p := c["patches"]) is not None}
    named = f" {', '.join(sorted(what))}" if what else ""
    return f"Matrix of {data['name']}{named}" if data["name"] else f"Matrix{named}"


def subject(m: BoardMatrix) -> str:
    """Return the title of a matrix: its base and board type."""
    knobs = f" ({m['base_knobs']})" if m["base_knobs"] else ""
    return f"base {m['base']}{knobs} on {m['board_type']}"


def cell(c: MatrixCell) -> str:
    """Return a cell in a few characters: a change with its mark, or the reason for no change."""
    if not has_figure(c):
        return str(c["nothing"])
    mark = MARKS[c["verdict"]]
    change = "-" if c["effect"] is None else f"{percent(c['effect'])} %"
    return f"{change} {mark.lower() if c['hint'] else mark}"


def verdict_text(c: FigureCell) -> str:
    """Return a cell's verdict as text, with what confirms it elsewhere."""
    verdict = f"{c['verdict']}{' (hint)' if c['hint'] else ''}"
    suspected = c["suspicion"] if c["standing"] == "suspected" else None
    elsewhere = confirmed_against_parent(suspected.get("confirmed_by") if suspected else None)
    return f"{verdict}; {elsewhere}" if elsewhere else verdict


def facts(m: BoardMatrix) -> list[tuple[str, str]]:
    """Return the header of a matrix: names and values."""
    built = {
        f"{c['label']} = {c['new']} ({(c['new_commit'] or '')[:12]})"
        for c in m["columns"]
        if c["new"]
    }
    rows = [
        ("base", f"{m['base']} ({m['base_commit'][:12]})"),
        ("knobs", m["base_knobs"]),
        ("kernels", "; ".join(sorted(built))),
        ("board", m["board_type"]),
        ("limits", m["limits"] or ""),
        ("tools", ", ".join(m["tools"])),
        ("with", "; ".join(parameters(m))),
        ("not run", ", ".join(c["label"] for c in m["columns"] if c["comparison"] is None)),
        ("compared", ", ".join(f"{c['comparison']}" for c in m["columns"] if c["comparison"])),
    ]
    return [(name, value) for name, value in rows if value]


def parameters(m: BoardMatrix) -> list[str]:
    """Return each benchmark's parameters that differ from the defaults, if all cells agree."""
    by_benchmark: dict[str, list[Parameters]] = {}
    for metric in m["metrics"]:
        by_benchmark.setdefault(metric["benchmark"], []).append(metric["overrides"])
    return [
        f"{benchmark}: {pairs(alike)}"
        for benchmark, every in by_benchmark.items()
        if (alike := {k: v for k, v in every[0].items() if all(o.get(k) == v for o in every)})
    ]


def details(m: BoardMatrix) -> Iterator[tuple[MatrixMetric, MatrixColumn, FigureCell]]:
    """Yield metric, column and cell of every figure."""
    for metric in m["metrics"]:
        for column, c in zip(m["columns"], metric["cells"], strict=True):
            if has_figure(c):
                yield metric, column, c


def accounts(m: BoardMatrix) -> list[str]:
    """Return which patches account for the series' effect, a sentence per metric.

    Patches that need an earlier one come first.
    """
    return [*m["dependences"], *(f"{a['metric']}: {a['sentence']}" for a in m["accounts"])]


class NamedCell(FigureCell):
    """A cell with the names of its row and column."""

    name: str


def effects(m: BoardMatrix) -> list[NamedCell]:
    """Return what a plot of the effects shows, worst first."""
    named: list[NamedCell] = [
        {**c, "name": f"{metric['name']}: {k['label']}"} for metric, k, c in details(m)
    ]
    return sorted(named, key=severity.order)


def text(data: MatrixData) -> str:
    """Return matrices as text with a final newline.

    Only commands to copy may be wider than `WIDTH`.
    """
    lines = [x for note in data["head_notes"] for x in wrap(note, "", "    ")]
    head = title(data)
    lines += [*wrap(head, "", "    "), "=" * min(len(head), WIDTH)]
    for m in data["matrices"]:
        lines += ["", *_matrix(m)]
    return page(lines)


def _matrix(m: BoardMatrix) -> list[str]:
    head = subject(m)
    lines = [*wrap(head, "", "    "), "-" * min(len(head), WIDTH)]
    lines += [SYNTHETIC] if m["synthetic"] else []
    lines += [x for name, value in facts(m) for x in field(name, value)]
    for start in range(0, len(m["columns"]), 3):
        part = slice(start, start + 3)
        labels = [folded(c["label"], _CELL) for c in m["columns"][part]]
        lines.append("")
        for i in range(max(map(len, labels))):
            words = [x[i] if i < len(x) else "" for x in labels]
            lines.append(f"{'metric' if not i else '':<{_NAME}}" + _right(words))
        lines.append("-" * WIDTH)
        for metric in m["metrics"]:
            cells = _right([cell(c) for c in metric["cells"][part]])
            name = wrap(f"{metric['name']} [{metric['unit']}]", "", "  ")
            fits = len(name) == 1 and len(name[0]) < _NAME
            lines += [f"{name[0]:<{_NAME}}{cells}"] if fits else [*name, f"{'':<{_NAME}}{cells}"]
    lines += ["-" * WIDTH, *wrap(LEGEND, "", "")]
    attributed = [x for sentence in accounts(m) for x in wrap(sentence, "  ", "    ")]
    lines += ["", *section("Attribution to patches", attributed)] if attributed else []
    lines += ["", *section("Every figure", _figures(m))]
    again = [f"  {a['command']}" for a in m["again"]]
    return [*lines, "", *section("To run it again", again)] if again else lines


def folded(label: str, width: int) -> list[str]:
    """Return a column's label in lines shorter than `width`; longer words are cut."""
    lines = [""]
    for word in label.split():
        if len(lines[-1]) + len(word) < width - 1:
            lines[-1] = f"{lines[-1]} {word}".strip()
        else:
            lines += [word[i : i + width - 1] for i in range(0, len(word), width - 1)]
    return [x for x in lines if x] or [label]


def _right(cells: Sequence[str]) -> str:
    return "".join(f"{x:>{_CELL}}" for x in cells)


def _figures(m: BoardMatrix) -> list[str]:
    lines: list[str] = []
    last = None
    for metric, column, c in details(m):
        if metric is not last:
            lines += wrap(f"{metric['name']} [{metric['unit']}]", "", "    ")
            lines.append(f"  {metric['direction']} is better")
            last = metric
        lines += wrap(f"{column['label']}: {verdict_text(c)}", "  ", "      ")
        change = "-" if c["effect"] is None else f"{percent(c['effect'])} %"
        n = f"n {c['n_base']} + {c['n_new']}"
        values = f"{number(c['base']):>14} {number(c['new']):>14}"
        lines.append(f"  {values} {change:>11} {interval(c):^21}{n:>10}")
        if c["verdict"] in severity.OPEN:
            lines += wrap(c["reason"], "    ", "    ")
    return lines


def markdown(data: MatrixData) -> str:
    """Return matrices as Markdown with a final newline."""
    lines = [f"### {md.escape(title(data))}", ""]
    lines += [f"{md.escape(note)}\n" for note in data["head_notes"]]
    for m in data["matrices"]:
        lines += [f"#### {md.escape(subject(m))}", ""]
        lines += [f"**{SYNTHETIC}**", ""] if m["synthetic"] else []
        lines += [f"- {name}: {md.escape(value)}" for name, value in facts(m)]
        labels = [md.escape(c["label"]) for c in m["columns"]]
        lines += ["", "| " + " | ".join(["metric", *labels]) + " |"]
        lines.append("| --- |" + " ---: |" * len(labels))
        for metric in m["metrics"]:
            name = md.escape(f"{metric['name']} [{metric['unit']}]")
            lines.append("| " + " | ".join([name, *map(cell, metric["cells"])]) + " |")
        lines += ["", LEGEND, ""]
        lines += [f"- {md.escape(sentence)}" for sentence in accounts(m)]
        lines += ["", "| metric | kernel | base | new | change | 95 % interval | n | verdict |"]
        lines.append("| --- | --- | ---: | ---: | ---: | :---: | ---: | --- |")
        for metric, column, c in details(m):
            change = "-" if c["effect"] is None else f"{percent(c['effect'])} %"
            cells = [
                md.escape(metric["name"]), md.escape(column["label"]), number(c["base"]),
                number(c["new"]), change, interval(c), f"{c['n_base']} + {c['n_new']}",
                md.escape(verdict_text(c)),
            ]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
        lines += ["", *(f"- again: {md.code(a['command'])}" for a in m["again"]), ""]
    return "\n".join(md.closed(lines)) + "\n"
