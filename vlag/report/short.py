# SPDX-License-Identifier: GPL-2.0-only
"""The short report: what a maintainer pastes into a reply.

Its order is that of the questions: whether a change is real, how large it is, between which
commits it came, and how to see it again.  What does not fit is counted, never cut in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from vlag.model import Outcome
from vlag.report import context, counter_lines, lane_lines, text, why
from vlag.report.changed_figures import KINDS, figures, inconclusive, kind_of, tally, word
from vlag.report.document import (
    SIDES,
    ComparisonData,
    FailureData,
    FigureRow,
    KernelData,
    NightData,
    OriginRun,
    figure,
)  # fmt: skip
from vlag.report.layout import WIDTH, clip, field, page, pairs, wrap
from vlag.report.limited_parts import Part, few, fitted
from vlag.report.sources import alarm, failure

Data = Mapping[str, Any]

#: Most lines of a comparison of two kernels, and of a night.
COMPARISON_LINES = 80
NIGHT_LINES = 60
#: Between the short report and the whole, where one file has both.
DIVIDER = "\n\n"

_COMMANDS = 2  # benchmarks of a comparison with commands to run
_FIELD = 5  # lines of one fact, fewer where many are long


def render(data: Data, where: Data | None = None) -> str:
    """Return a comparison or a night in few lines, with a final newline.

    `where` names the way to the whole: `commands` to type, `url` or None.  Only commands to
    copy, addresses and a line for regzbot may be wider than `WIDTH`.
    """
    lines = text.proof_lines(data["proof"])
    if data["kind"] == "night":
        lines += _night(cast(NightData, data), where)
    else:
        lines += _comparison(cast(ComparisonData, data), where)
    return page(lines)


def whole(data: Data, where: Data | None = None, *, origins: bool = False) -> str:
    """Return the short report and below it everything, with the raw file of each number."""
    return render(data, where) + DIVIDER + text.render(data, origins=origins)


def of_whole(report: str) -> str:
    """Return the short report at the head of a whole one, with a final newline."""
    return report.partition(f"\n{DIVIDER}")[0].rstrip("\n") + "\n"


# One comparison.


def _comparison(c: ComparisonData, where: Data | None) -> list[str]:
    base, new = (text.short(c[side]) for side in SIDES)
    if base == new:
        base, new = (f"{base} {c[side]['commit'][:12]}" for side in SIDES)
    head = _title(f"{word(c)}: {new} against {base} on {text.where(c)}")
    head += few([x for note in c["head_notes"] for x in wrap(note, "", "    ")])
    head += ["SYNTHETIC: these figures come from a report, not from a boot."] * c["synthetic"]
    if c["prediction"] is not None:
        head += [clip(c["prediction"]["text"])]
    if c["proof"] is not None and not c["proof"]["failed"]:
        head += wrap(c["proof"]["text"], "", "    ")
    head += wrap(f"Figures: {tally(c)}.", "", "    ")
    parts = [figures(kind, [(c, "")]) for kind in ("worse", "maybe", "better")]
    parts += [
        why.part([(c, "")]),
        _sentences("Attribution", c["attribution"]),
        context.known_part(c),
        figures("hint", [(c, "")]),
        counter_lines.part(c),
        inconclusive([c]),
        _incomparable(c),
        Part(title="Failures", items=[failure(f) for f in c["failures"]]),
        lane_lines.part(c),
        Part(title="Kernel alarms", items=[alarm(h)[:3] for h in c["health"]]),
        _sentences("Notes", c["notes"]),
    ]
    tail = [*_again(c), *_end(where), *context.trailers(c)]
    room = COMPARISON_LINES - len(head) - 1 - 2 * sum(bool(p.items) for p in parts) - len(tail)
    return fitted([*head, "", *_said(list(_facts(c)), room)], parts, tail, COMPARISON_LINES)


def _said(facts: Sequence[tuple[str, str]], room: int) -> list[str]:
    """Return facts in `room` lines, of each as many; "..." marks what is cut."""
    lines: list[str] = []
    for most in range(_FIELD, 0, -1):
        lines = [
            x for name, value in facts for x in _cut(field(name, " ".join(value.split())), most)
        ]
        if len(lines) <= room:
            break
    return lines


def _cut(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], clip(f"{lines[most - 1][: WIDTH - 4]} ...")]


def _facts(c: ComparisonData) -> Iterator[tuple[str, str]]:
    """Yield the kernels, what else differs, and the machine."""
    for side in SIDES:
        yield side, kernel(c[side])
    yield from context.suspects(c)
    others = {name: f for name, f in c["factors"].items() if name != "kernel"}
    if others:
        yield "differs", ", ".join(others)
    machine = "; ".join([*c["machine"], *c["emulators"]])
    yield "machine", ": ".join(filter(None, (c["board_type"], machine)))
    if c["limits"]:
        yield "", c["limits"]
    facts = (context.built(c), context.config(c), ", ".join(c["tools"]))
    yield from zip(("built", "config", "tools"), facts, strict=True)


def kernel(k: KernelData) -> str:
    """Return a kernel's commit and what is applied to it."""
    applied = text.applied(k) if k["series"] is not None else ""
    knobs = f"knobs {pairs(k['knobs'])}" if k["knobs"] else ""
    variant = f"variant {k['variant']}" if k["variant"] != "default" else ""
    return ", ".join(filter(None, (commit(k), applied, variant, knobs)))


def commit(k: KernelData) -> str:
    """Return a commit as the list names it: describe, hash and subject."""
    return f'{k["describe"]} {k["commit"][:12]} ("{k["subject"]}")'


def _incomparable(c: ComparisonData) -> Part:
    names = dict.fromkeys(r["benchmark"] for r in c["rows"] if kind_of(r) == "not comparable")
    lines = [f"{name}: " + "; ".join(c["differences"]) for name in names]
    return _sentences(KINDS["not comparable"][0], lines)


def _sentences(title: str, sentences: Iterable[str]) -> Part:
    return Part(title=title, items=[wrap(s, "  ", "      ")[:3] for s in sentences])


# How to see it again, and where the whole is.


def _again(c: ComparisonData) -> list[str]:
    """Return the command of what changed, and a boot of each side to run again."""
    kinds = ("worse", "maybe", "better", "hint")
    rows = [r for kind in kinds for r in c["rows"] if kind_of(r) == kind]
    figures = {(r["benchmark"], pairs(r["parameters"])): r for r in reversed(rows)}
    lines: list[str] = []
    for row in list(figures.values())[::-1][:_COMMANDS]:
        lines += _fold(_argv(c, row))
        for side in ("base", "new"):
            lines += [f"    {run['reproduce']}" for run in _runs(c, row, side)[:1]]
    if not lines:
        return []
    elsewhere = f"  elsewhere, without vlag: vlag reproduce --comparison {c['id']} --tar"
    # Reports that were stored by an earlier version have no searches.
    searches = dict.fromkeys(b["document"]["reproduce"] for b in c.get("bisections") or ())
    searched = [line for sentence in searches for line in _fold(f"the search: {sentence}")]
    return ["", "To see it again: a boot of base and one of new", *lines, elsewhere, *searched]


def _argv(c: ComparisonData, row: FigureRow) -> str:
    """Return the exact commands of a row's benchmark, the measured one first."""
    for command in c["commands"]:
        if (command["benchmark"], command["parameters"]) == (row["benchmark"], row["parameters"]):
            parts = sorted(command["commands"].items(), key=lambda named: named[0] != "main")
            quoted = [
                " ".join(words) + ("" if name == "main" else f" ({name})") for name, words in parts
            ]
            return f"{row['benchmark']}: {'; '.join(quoted)}"
    return str(row["benchmark"])


def _fold(sentence: str) -> list[str]:
    return wrap(sentence, "  ", "      ")[:4]


def _runs(c: ComparisonData, row: FigureRow, side: str) -> list[OriginRun]:
    return [
        run
        for origin in c["origins"]
        if figure(origin) == figure(row)
        for run in origin["runs"]
        if run["side"] == side and not run["screen"]
    ]


def _end(where: Data | None) -> list[str]:
    """Return where the whole report is."""
    if where is None:
        return []
    lines = [f"  {line}" for line in (*where["commands"], where["url"]) if line]
    return ["", "Every figure with its reason, and its raw files:", *lines]


# A night.


def _night(data: NightData, where: Data | None) -> list[str]:
    every = text.ordered(data["comparisons"])
    wrong = [c for c in every if c["prediction"] is not None and not c["prediction"]["good"]]
    judged = [c for c in every if c["prediction"] is None or c in wrong]
    quiet = [c for c in judged if not _loud(c)]
    loud = [c for c in judged if _loud(c)]
    head = _title(_headline(judged))
    if data["proof"] is not None and not data["proof"]["failed"]:
        head.append(clip(data["proof"]["text"]))
    head += few([x for note in data["head_notes"] for x in wrap(note, "", "    ")])
    head += wrap(text.discoveries(data["family"]), "", "    ")
    parts = [
        Part(title="Compared, worst first", items=[_compared(c) for c in loud], urgent=True),
        Part(title="Kernels", items=_kernels(judged), urgent=True),
        *(figures(k, [(c, f"#{c['id']} ") for c in loud]) for k in ("worse", "maybe", "better")),
        why.part([(c, f"#{c['id']} ") for c in loud]),
        Part(
            title="Failures",
            items=[_failed(c, f) for c in loud for f in c["failures"]],
        ),
        lane_lines.part(data),
        Part(
            title="New kernel alarms",
            items=[
                [clip(f"  #{c['id']} {h['kind'].replace('_', ' ')}: {h['text']}")]
                for c in loud
                for h in c["health"]
                if h["side"] == "new"
            ],
        ),
        figures("hint", [(c, f"#{c['id']} ") for c in loud]),
        inconclusive(judged),
        Part(title="Machines", items=[[x] for x in _machines(judged)]),
    ]
    names = ", ".join(f"#{c['id']}" for c in quiet)
    names = f"; no change in {names}" if quiet else ""
    unchanged = sum(kind_of(r) == "unchanged" for c in judged for r in c["rows"])
    tail = ["", clip(f"Unchanged: {unchanged} figure{'' if unchanged == 1 else 's'}{names}")]
    return fitted(head, parts, [*tail, *_limits(judged), *_end(where)], NIGHT_LINES)


def _loud(c: ComparisonData) -> bool:
    """Return whether a comparison has anything to look at."""
    new = any(h["side"] == "new" for h in c["health"])
    kinds = {kind_of(r) for r in c["rows"]} - {"unchanged", "inconclusive"}
    return bool(kinds or c["failures"] or new or not c["rows"])


def _headline(judged: Sequence[ComparisonData]) -> str:
    """Return the worst word among a night's comparisons, and how many have it."""
    if not judged:
        return "Nothing was compared beside known regressions"
    worst = word(judged[0])
    n = sum(word(c) == worst for c in judged)
    share = f"{n} of {len(judged)} comparisons" if len(judged) > 1 else "1 comparison"
    hints = sum(any(kind_of(r) == "hint" for r in c["rows"]) for c in judged)
    hinted = f"; hints in {hints}" if hints and "(hint)" not in worst else ""
    return f"{worst}: {share}{hinted}"


def _failed(c: ComparisonData, f: FailureData) -> list[str]:
    """Return what failed and why; of a patch, the command that names each hunk."""
    lines = failure(f, f"#{c['id']} ")[:2]
    if f["outcome"] != Outcome.PATCH_FAILED.value:
        return lines
    k = c["base" if f["side"] == "base" else "new"]
    branch = f" --branch {k['tree']}/{k['branch']}" if k["branch"] else ""
    return [*lines, f"      vlag series check {k['series']}{branch}"]


def _compared(c: ComparisonData) -> list[str]:
    compared = f"{text.subject_of(c)} against {text.short(c['base'])} on {text.where(c)}"
    return wrap(f"#{c['id']} {word(c)}: {compared}", "  ", "     ")[:2]


def _kernels(comparisons: Iterable[ComparisonData]) -> list[list[str]]:
    """Return the commits that were compared, each once."""
    sides = [c[side] for c in comparisons for side in SIDES]
    named = dict.fromkeys(f"{k['release'] or k['ref']}: {commit(k)}" for k in sides)
    return [wrap(name, "  ", "      ")[:2] for name in named]


def _machines(comparisons: Iterable[ComparisonData]) -> list[str]:
    machines = (
        f"  {c['board_type']}: {'; '.join([*c['machine'], *c['emulators']])}" for c in comparisons
    )
    return list(dict.fromkeys(map(clip, machines)))


def _limits(comparisons: Iterable[ComparisonData]) -> list[str]:
    """Return what boards cannot show, wherever their figures are shown."""
    boards: dict[str, list[str]] = {}
    for c in comparisons:
        if c["limits"] and c["board_type"] not in boards.setdefault(c["limits"], []):
            boards[c["limits"]].append(c["board_type"])
    lines = [x for limits, names in boards.items()
            for x in wrap(f"{', '.join(names)}: {limits}", "", "    ")[:_FIELD]]  # fmt: skip
    return ["", *lines[:_FIELD]] if lines else []


# Lines.


def _title(title: str) -> list[str]:
    lines = wrap(title, "", "    ")[:3]
    return [*lines, "=" * max(map(len, lines))]
