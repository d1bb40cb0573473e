# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons as Markdown tables, for a pull request or a mail that shows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from vlag import printable
from vlag.file_data import FilesData
from vlag.report import compared, context, lane_lines, text, why
from vlag.report.document import SIDES, ComparisonData, NightData
from vlag.report.text import unproven
from vlag.stats import severity

_COLUMNS = ("metric", "base", "new", "change", "95 % interval", "n", "verdict")
_RULE = "| --- | ---: | ---: | ---: | :---: | ---: | --- |"
_LEGEND = (
    "change: new against base; n: boots of base + new."
    " A verdict marked (hint) may raise a suspicion and confirms nothing."
)
# Characters that would end a cell, begin markup, a tag, an entity, a formula or a link, and at
# the start a list, a quotation or a box to tick; "[us]" and "NOT_COMPARABLE" do not, and stay
# readable in a mail.
_SPECIAL = re.compile(
    r"[\\|`*<~$&]|(?<![^\W_])_|_(?![^\W_])|(?<!\S)#|(?<=\])[(\[:]"
    r"|^[>=\[]|^[-+](?=\s)|^-(?=-)|(?<=^\d)[.)](?=\s)|(?<=^\d\d)[.)](?=\s)"
)
_TICKS = re.compile("`+")


def escape(text: str) -> str:
    """Return text escaped for Markdown, on one line, also inside a table's cell."""
    return _SPECIAL.sub(r"\\\g<0>", printable.line(text))


def code(text: str) -> str:
    """Return text to copy, between more backticks than any within it."""
    text = printable.flat(text)
    fence = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"


def render(data: Mapping[str, Any]) -> str:
    """Return a comparison of files, one on record, or a night, with a final newline."""
    proof = data.get("proof")
    lines = [f"**{escape(proof['text'])}**", ""] if proof and proof["failed"] else []
    lines += _KINDS[data["kind"]](data)
    return "\n".join(lines) + "\n"


def _night(data: NightData) -> list[str]:
    lines = [f"{escape(note)}\n" for note in data["head_notes"]]
    if data["proof"] is not None and not data["proof"]["failed"]:
        lines.append(f"{escape(data['proof']['text'])}\n")
    lines += [escape(text.discoveries(data["family"])), ""]
    lines += [
        f"- #{c['id']} {escape(f'{text.subject_of(c)} ({text.where(c)}): {text.counts(c)}')}"
        for c in text.ordered(data["comparisons"])
    ] or ["nothing was compared"]
    lines += [f"- build lane: {escape(sentence)}" for sentence in lane_lines.sentences(data)]
    for c in data["comparisons"]:
        lines += ["", *_kernels(c)]
    return lines


def _files(data: FilesData) -> list[str]:
    summary = data["summary"]
    lines = [f"**{escape(summary['verdict'])}**: {escape(summary['sentence'])}", ""]
    lines += ["**SYNTHETIC**: figures of a report, not of a boot.", ""] if data["synthetic"] else []
    board = f", on {escape(data['board_type'])}" if data["board_type"] else ""
    lines.append(f"- measured: {escape(compared.measured(data))}{board}")
    for name in SIDES:
        version = data[name]["version"]
        of_tool = f" (version {escape(version)})" if version else ""
        lines.append(f"- {name}: {escape(compared.side(data[name]))}{of_tool}")
    lines += ["", *table(data, {}), ""]
    for d in data["distributions"]:
        asked = " (a screen, which a rerun must confirm)" if d["suspect"] else ""
        lines.append(f"- {escape(d['metric'])}: {escape(d['headline'])}{asked}")
    lines += [f"- {reason(row, data)}" for row in undecided(data)]
    lines += [f"- {escape(note)}" for note in data["notes"]]
    lines += [f"- {escape(data['limits'])}"] if data["limits"] else []
    return closed(lines)


def _kernels(data: ComparisonData) -> list[str]:
    sides = [data["base"], data["new"]]
    lines = [f"### Comparison {data['id']} on {escape(data['board_type'])}", ""]
    lines += [f"{escape(note)}\n" for note in data["head_notes"]]
    lines += ["**SYNTHETIC**: figures of a report, not of a boot.", ""] if data["synthetic"] else []
    for name, k in zip(("base", "new"), sides, strict=True):
        applied = f" + {k['series']} {k['application']}" if k["series"] else ""
        knobs = "".join(f", {n}={v}" for n, v in sorted(k["knobs"].items()))
        text = f"{k['release'] or k['describe']}{applied} ({k['tree']} {k['commit'][:12]}){knobs}"
        lines.append(f"- {name}: {escape(text)}, {k['boots']} boots")
    facts = [("built", context.built(data)), ("config", context.config(data))]
    facts += [("known change", change) for change in context.known_changes(data)]
    facts += context.suspects(data)
    lines += [f"- {name}: {escape(words)}" for name, words in facts if words]
    if data["prediction"] is not None:
        lines.append(f"- {escape(data['prediction']['text'])}")
    counts = ", ".join(f"{count} {v}" for v, count in data["summary"].items() if count)
    counts = ": ".join(filter(None, (unproven(data), counts)))
    counts = "; ".join(filter(None, (counts, compared.unmeasured(data))))
    lines += [f"- result: {escape(counts) or 'nothing to compare'}", ""]
    overrides = {i: _pairs(row["overrides"]) for i, row in enumerate(data["rows"])}
    lines += [*table(data, overrides), "", *screens(data)]
    sentences = (*data["differences"], *why.sentences(data), *data["attribution"])
    lines += [f"- {escape(facts)}" for facts in sentences]
    for f in data["failures"]:
        what = f["kind"] if f["kind"] == "build" else f"{f['benchmark']} seed {f['seed']}"
        lines.append(
            f"- failed, {f['side']}: {escape(what)}: {f['outcome']}: {escape(f['reason'] or '')}"
        )
    lines += [f"- build lane: {escape(facts)}" for facts in lane_lines.sentences(data)]
    for h in data["health"]:
        lines.append(f"- kernel alarm, {h['side']}: {escape(h['kind'])}: {escape(h['text'])}")
    lines += [f"- {reason(row, data)}" for row in undecided(data)]
    lines += elsewhere(data)
    lines += [f"- {escape(note)}" for note in data["notes"]]
    lines += [f"- {escape(data['limits'])}"] if data["limits"] else []
    return closed(lines)


def table(data: Mapping[str, Any], more: Mapping[int, str]) -> list[str]:
    """Return the rows of a report; `more` has texts to add to a row's name, by its number."""
    if not data["rows"]:
        return ["There is nothing to compare."]
    lines = ["| " + " | ".join(_COLUMNS) + " |", _RULE]
    for i, row in enumerate(data["rows"]):
        name = _name(row, data)
        word = compared.verdict(row)
        change = "-" if row["effect"] is None else f"{compared.percent(row['effect'])} %"
        cells = [
            " ".join(filter(None, (name, more.get(i)))),
            compared.number(row["base"]),
            compared.number(row["new"]),
            change,
            compared.interval(row),
            f"{row['n_base']} + {row['n_new']}",
        ]
        marked = f"**{escape(word)}**" if row["verdict"] == "REGRESSION" else escape(word)
        lines.append("| " + " | ".join([*map(escape, cells), marked]) + " |")
    return [*lines, "", _LEGEND]


def _pairs(values: Mapping[str, Any]) -> str:
    return f"({', '.join(f'{k}={v}' for k, v in sorted(values.items()))})" if values else ""


def undecided(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows that need their reason, one for each reason."""
    rows = [r for r in data["rows"] if r["verdict"] in severity.OPEN]
    return list({(r["verdict"], r["reason"]): r for r in reversed(rows)}.values())[::-1]


def screens(data: Mapping[str, Any]) -> list[str]:
    """Return what the first boots said of the rows that a rerun decided."""
    return [
        f"- {escape(_name(r, data))}: {escape(text.screen(r['screen']))}"
        for r in data["rows"]
        if r["screen"] is not None
    ]


def elsewhere(data: Mapping[str, Any]) -> list[str]:
    """Return which comparisons with the parent confirm what rows only suspect."""
    confirmed = [(r, text.elsewhere(r)) for r in data["rows"]]
    return [f"- {escape(_name(r, data))}: SUSPECTED; {by}" for r, by in confirmed if by]


def reason(row: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Return a row's name, verdict and the reason for it."""
    return f"{escape(_name(row, data))}: {escape(row['verdict'])}: {escape(row['reason'])}"


def _name(row: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Return a row's name; files are all of one benchmark."""
    name = compared.metric(row)
    return name if data["kind"] == "files" else f"{row['benchmark']} {name}"


def closed(lines: list[str]) -> list[str]:
    """Return the lines without trailing empty ones."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


_KINDS: Mapping[str, Callable[[Any], list[str]]] = {
    "files": _files,
    "comparison": _kernels,
    "night": _night,
}
