# SPDX-License-Identifier: GPL-2.0-only
"""The matrix of a patch series for its cover letter: text of at most 75 columns, and Markdown.

Patches have their subjects and versions are "v1" and "v2". What only this installation knows is
left out: numbers of comparisons, paths, commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

from vlag.report import markdown as md
from vlag.report.compared import interval, number, percent
from vlag.report.document import (
    BoardMatrix,
    FigureCell,
    MatrixCell,
    MatrixColumn,
    MatrixData,
    MatrixMetric,
    has_figure,
)
from vlag.report.grid import MARKS, SYNTHETIC, cell, folded, parameters
from vlag.report.layout import WIDTH, field, page, section, wrap
from vlag.stats.attribution import Answer

_CELL = 15
_CELLS = WIDTH // _CELL  # kernels beside each other
_WORDS = {
    "REGRESSION": "worse",
    "IMPROVEMENT": "better",
    "UNCHANGED": "no change",
    "MARGINAL": "marginal",
    "INCONCLUSIVE": "not decided",
    "NOT_COMPARABLE": "not comparable",
}
#: What a word means that does not say it.
_MEANINGS = {"MARGINAL": "certain and about as large as what matters"}
_HINT = "(hint)"
_MEANS = "Figures are geometric means over the boots"
#: A path of this machine, up to the last folder.
_FOLDERS = re.compile(r"(?<![\w.~/-])/(?:[^\s/:'\"]+/)+")
_PATCH = re.compile(r"\bpatch (\d+) \([A-Za-z0-9_.+-]+\)")
_APPLICATION = re.compile(r"\b(solo|prefix|without)\((\d+)\)")


@frozen(kw_only=True)
class Series:
    """What people call a series, its patches and its versions."""

    title: str
    subjects: Sequence[str]  # of its patches, in order
    files: Sequence[str]  # of the same
    earlier: str | None = None  # version that is the base: "v1"
    version: str | None = None  # with `earlier`: "v2"


def text(data: MatrixData, series: Series) -> str:
    """Return matrices as text with a final newline, no line wider than `WIDTH`."""
    lines = wrap(series.title, "", "    ")
    lines += ["", *(x for n, s in _numbered(series) for x in wrap(s, f"{n:>4}  ", " " * 6))]
    for m in data["matrices"]:
        lines += ["", *(x for name, value in _facts(m, series) for x in field(name, value))]
        lines += [SYNTHETIC] if m["synthetic"] else []
        lines += ["", *(_side_by_side(m, series) if _is_single(m) else _bands(m, series))]
        lines += ["-" * WIDTH, *wrap(_legend(m), "", "")]
        failed = [x for why in _failures(m, series) for x in wrap(why, "  ", "    ")]
        lines += ["", *section("Kernels without figures", failed)] if failed else []
        shares = [x for sentence in _attribution(m) for x in wrap(sentence, "  ", "    ")]
        lines += ["", *section("Which patch does it", shares)] if shares else []
    return page(lines)


def markdown(data: MatrixData, series: Series) -> str:
    """Return matrices as Markdown with a final newline."""
    lines = [f"### {md.escape(series.title)}", ""]
    lines += [f"{n}. {md.escape(s)}" for n, s in _numbered(series)]
    for m in data["matrices"]:
        lines += ["", *(f"- {name}: {md.escape(value)}" for name, value in _facts(m, series))]
        lines += ["", f"**{SYNTHETIC}**"] if m["synthetic"] else []
        lines += ["", *_table(m, series), "", md.escape(_legend(m))]
        remarks = [*_failures(m, series), *_attribution(m)]
        lines += ["", *(f"- {md.escape(remark)}" for remark in remarks)] if remarks else []
    return "\n".join(lines) + "\n"


def _numbered(series: Series) -> Iterator[tuple[int, str]]:
    yield from enumerate(series.subjects, 1)


def _is_single(m: BoardMatrix) -> bool:
    return len(m["columns"]) == 1


def _facts(m: BoardMatrix, series: Series) -> list[tuple[str, str]]:
    release = m["base"].partition(" + ")[0]
    earlier = f" with {series.earlier}" if series.earlier else ""
    few, most = (m["boots_a_side"] or [0])[0], (m["boots_a_side"] or [0])[-1]
    rows = [
        ("base", f"{release}{earlier}{f' ({knobs})' if (knobs := m['base_knobs']) else ''}"),
        ("board", m["board_type"]),
        ("limits", m["limits"] or ""),
        ("boots", f"{few if few == most else f'{few} to {most}'} of each kernel" if most else ""),
        ("tools", ", ".join(m["tools"])),
        ("with", "; ".join(parameters(m))),
    ]
    return [(name, value) for name, value in rows if value]


def _label(column: MatrixColumn, m: BoardMatrix, series: Series) -> str:
    """Return what a kernel is, in words."""
    application = column["application"]
    whole = series.version or ("patched" if _is_single(m) else "all patches")
    words = {"none": "" if column["settings"] else "as it is", "full": whole}
    name = words.get(application) if application in words else _spoken(application)
    return " ".join(filter(None, (name, column["settings"])))


def _spoken(sentence: str) -> str:
    """Return a sentence with kernels and patches as a mail calls them."""
    forms = {"solo": "patch {} alone", "prefix": "patches 1-{}", "without": "all but {}"}
    plain = _PATCH.sub(r"patch \1", sentence)
    return _APPLICATION.sub(lambda k: forms[k[1]].format(k[2]), plain)


def _metric(metric: MatrixMetric) -> str:
    return f"{metric['name']} [{metric['unit']}]"


def _verdict(c: FigureCell) -> str:
    word = _WORDS[c["verdict"]]
    return f"{word} {_HINT}" if c["hint"] else word


def _change(c: FigureCell) -> str:
    return "-" if c["effect"] is None else f"{percent(c['effect'])} %"


def _side_by_side(m: BoardMatrix, series: Series) -> list[str]:
    """Return a table of one kernel beside the base."""
    [column] = m["columns"]
    head = (series.earlier or "base", _label(column, m, series), "change", "95 % interval", "")
    lines = [_row(*head), "-" * WIDTH]
    for metric in m["metrics"]:
        lines += wrap(f"{_metric(metric)}, {metric['direction']} is better", "", "    ")
        [c] = metric["cells"]
        if has_figure(c):
            lines.append(
                _row(number(c["base"]), number(c["new"]), _change(c), interval(c), _verdict(c))
            )
        else:
            lines.append(_row(number(metric["base"]), str(c["nothing"]), "", "", ""))
    return lines


def _row(base: str, new: str, change: str, ends: str, verdict: str) -> str:
    return f"{base:>13} {new:>14} {change:>10} {ends:>18} {verdict}"


def _bands(m: BoardMatrix, series: Series) -> list[str]:
    """Return tables of several kernels, as many beside each other as a line holds."""
    lines: list[str] = []
    for start in range(0, len(m["columns"]), _CELLS):
        part = slice(start, start + _CELLS)
        labels = [folded(_label(c, m, series), _CELL) for c in m["columns"][part]]
        lines += [""] if start else []
        for i in range(max(map(len, labels))):
            lines.append(_right([x[i] if i < len(x) else "" for x in labels]))
        lines.append("-" * WIDTH)
        for metric in m["metrics"]:
            base = "" if start else f" (base {number(metric['base'])})"
            lines += wrap(f"{_metric(metric)}{base}", "", "    ")
            lines.append(_right([_short(c) for c in metric["cells"][part]]))
    return lines


def _right(cells: Sequence[str]) -> str:
    return "".join(f"{x:>{_CELL}}" for x in cells)


def _short(c: MatrixCell) -> str:
    words = cell(c)
    return words if len(words) < _CELL else "failed"


def _table(m: BoardMatrix, series: Series) -> list[str]:
    labels = [md.escape(_label(c, m, series)) for c in m["columns"]]
    base = series.earlier or "base"
    if _is_single(m):
        lines = [f"| metric | {base} | {labels[0]} | change | 95 % interval | |"]
        lines.append("| --- | ---: | ---: | ---: | :---: | --- |")
    else:
        lines = ["| " + " | ".join(["metric", base, *labels]) + " |"]
        lines.append("| --- |" + " ---: |" * (1 + len(labels)))
    for metric in m["metrics"]:
        cells = [md.escape(_metric(metric)), number(metric["base"])]
        if not _is_single(m):
            cells += map(cell, metric["cells"])
        elif has_figure(c := metric["cells"][0]):
            cells += [number(c["new"]), _change(c), interval(c), _verdict(c)]
        else:
            cells += [str(c["nothing"]), "", "", ""]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _legend(m: BoardMatrix) -> str:
    """Return the meaning of what the table has, and of nothing else."""
    shown = [c for metric in m["metrics"] for c in metric["cells"] if has_figure(c)]
    parts = [_MEANS, "changes are against the base"]
    for verdict, word in _WORDS.items():
        if all(c["verdict"] != verdict for c in shown):
            continue
        meaning = _MEANINGS.get(verdict)
        if not _is_single(m):
            parts.append(f"{MARKS[verdict]}: {word}{f', {meaning}' if meaning else ''}")
        elif meaning:
            parts.append(f"{word}: {meaning}")
    if any(c["hint"] for c in shown):
        parts.append(f"{'a hint' if _is_single(m) else 'a small letter is a hint and'} proves"
                     " nothing")  # fmt: skip
    return f"{'; '.join(parts)}."


def _failures(m: BoardMatrix, series: Series) -> list[str]:
    """Return why kernels have no figures, a sentence each reason."""
    labels: dict[str, list[str]] = {}
    for column in m["columns"]:
        if (failure := column["failure"]) is not None:
            reason = _public(column["reason"] or "", series)
            why = reason if failure in reason else f"{failure}: {reason}".removesuffix(": ")
            labels.setdefault(why, []).append(_label(column, m, series))
    sentences = [f"{', '.join(kernels)}: {why}" for why, kernels in labels.items()]
    if lacking := [_label(c, m, series) for c in m["columns"] if c["comparison"] is None]:
        sentences.append(f"not run: {', '.join(lacking)}")
    return sentences


def _public(reason: str, series: Series) -> str:
    """Return a reason without paths of this machine, and with subjects of patches."""
    plain = " ".join(_FOLDERS.sub("", reason).split())
    for file, subject in zip(series.files, series.subjects, strict=True):
        plain = plain.replace(file, f'"{subject}"')
    return plain


def _attribution(m: BoardMatrix) -> list[str]:
    """Return which patch makes what of the effect; of a single kernel nothing."""
    if _is_single(m):
        return []
    # Of a figure that does not change only what patches do to each other is told.
    shares = [
        f"{a['metric']}: {a['sentence']}"
        for a in m["accounts"]
        if a["answer"] != Answer.NO_CHANGE.value or "; " in a["sentence"]
    ]
    return [_spoken(sentence) for sentence in (*m["dependences"], *shares)]
