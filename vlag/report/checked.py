# SPDX-License-Identifier: GPL-2.0-only
"""What `vlag check` prints: an answer, one table, the cause, and what the board cannot see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.report import counter_lines, why
from vlag.report.changed_figures import figures, inconclusive, kind_of
from vlag.report.compared import percent
from vlag.report.document import ComparisonData, FigureRow
from vlag.report.layout import clip, field, page, wrap
from vlag.report.limited_parts import Part, fitted
from vlag.report.sources import alarm, failure
from vlag.stats.severity import size

#: Most lines: what a terminal shows at once.
LINES = 40

SLOWER, MAYBE, NOT_SLOWER, UNKNOWN = "slower", "perhaps slower", "not slower", "not known"
#: Lines of the names of a kernel, and of what a board cannot see.
_NAME, _LIMITS = 2, 4


@frozen
class Answer:
    """What a comparison says of the new kernel."""

    word: str
    why: str
    scope: str = ""  # " in 1 of 6 figures" where the word is of some figures only

    def __str__(self) -> str:
        """Return it as the end of a sentence that begins with the kernel's name."""
        return f"{self.word}{self.scope}: {self.why}"


def answer(c: ComparisonData) -> Answer:
    """Return the word on the new kernel, with what explains it."""
    rows: dict[str, list[FigureRow]] = {}
    for r in c["rows"]:
        rows.setdefault(kind_of(r), []).append(r)
    counted = f"{len(c['rows'])} figures"
    if any(f["side"] != "base" for f in c["failures"]):
        return Answer(UNKNOWN, "a boot of it failed")
    hints = [r for r in rows.get("hint", ()) if r["verdict"] == "REGRESSION"]
    for word, shown, sentence in (
        (SLOWER, rows.get("worse"), "{n} of {of} worse, {worst}"),
        (MAYBE, hints, "{n} of {of} worse, {worst}; this board cannot prove it"),
        (UNKNOWN, rows.get("maybe"), "{n} of {of} may have changed, {worst}"),
    ):
        if shown:
            return Answer(word, sentence.format(n=len(shown), of=counted, worst=_worst(shown)))
    better, all_ = rows.get("better", []), len(c["rows"])
    decided = len(rows.get("unchanged", ())) + len(better)
    if not decided:
        return Answer(UNKNOWN, f"none of {counted} could be decided")
    faster = f"; better in {len(better)}, {_worst(better)}" if better else ""
    if decided == all_:
        return Answer(NOT_SLOWER, f"{counted} decided{faster}")
    return Answer(
        NOT_SLOWER, f"{all_ - decided} undecided{faster}", scope=f" in {decided} of {counted}"
    )


def worse(c: ComparisonData) -> list[FigureRow]:
    """Return the figures that are worse and no hints, the largest loss first."""
    return sorted((r for r in c["rows"] if kind_of(r) == "worse"), key=lambda r: -size(r["effect"]))


def _worst(rows: Sequence[FigureRow]) -> str:
    """Return the largest change of rows with its name."""
    row = max(rows, key=lambda r: size(r["effect"]))
    change = "" if row["effect"] is None else f" {percent(row['effect'])} %"
    statistic = "" if row["statistic"] == "median" else f" {row['statistic']}"
    return f"{row['benchmark']} {row['metric']}{statistic}{change}"


def render(
    c: ComparisonData, names: Mapping[str, str], *, unit: str = "HEAD", more: Sequence[str] = ()
) -> str:
    """Return a comparison in at most `LINES` lines, with a final newline.

    `names` are those of the sides for people, `unit` is the new one's in the first line, and
    `more` are lines for the end.
    """
    # A figure and its sign stay on one line.
    first_line = f"{unit} is {answer(c)}".replace(" %", "\N{NO-BREAK SPACE}%")
    head = wrap(first_line, "", "    ")
    head += ["=" * max(map(len, head)), *field("new", names["new"])[:_NAME]]
    head += [*field("against", names["base"])[:_NAME]]
    one = [(c, "")]
    parts = [
        figures("worse", one),
        figures("maybe", one),
        why.part(one),
        Part(title="Failures", items=[failure(f)[:2] for f in c["failures"]]),
        figures("better", one),
        figures("hint", one),
        _unchanged(c),
        counter_lines.part(c),
        inconclusive([c]),
        Part(title="Kernel alarms", items=[alarm(h)[:2] for h in c["health"]], spare=True),
    ]
    tail = ["", *field("board", f"{c['board_type']}. {c['limits'] or ''}")[:_LIMITS]]
    return page(fitted(head, parts, [*tail, *map(clip, more)], LINES))


def _unchanged(c: ComparisonData) -> Part:
    """Return the figures that did not change, which other reports only count."""
    name, part = "Unchanged", figures("unchanged", [(c, "")])
    return Part(title=name + part.title[len(name) :], items=part.items)
