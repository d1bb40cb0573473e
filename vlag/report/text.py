# SPDX-License-Identifier: GPL-2.0-only
"""A report as plain text for a mailing list, at most 75 columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from vlag.model import FLAGS
from vlag.report import context, counter_lines, lane_lines, sources, why
from vlag.report.compared import (
    confirmed_against_parent,
    hinted,
    interval,
    number,
    percent,
    unmeasured,
)
from vlag.report.document import (
    SIDES,
    ComparisonData,
    FamilyData,
    FigureRow,
    FirstBoots,
    KernelData,
    NightData,
    SuspicionState,
    TableRow,
)  # fmt: skip
from vlag.report.layout import WIDTH, field, page, pairs, wrap
from vlag.stats.compare import GROSS
from vlag.stats.severity import OPEN, VERDICTS, size
from vlag.verdict_data import ProofData, SideSamples

#: Begins the first line of a report whose known regressions were not flagged as predicted.
PROOF_FAILED = "PROOF FAILED: "

_LEGEND = (
    "change: new against base; [ ]: its 95 % interval; n: boots of base + new."
    " A verdict marked (hint) may raise a suspicion and confirms nothing."
)
#: Said of a change that the number of a night's tests can explain.
CHANCE = "may be chance among all tests of the night"
_PATCHES_NAMED = 3  # of a kernel, in the header; JSON has all
_LEGEND_MARKED = " A boot marked for a kernel alarm counts like any other."


def render(data: Mapping[str, Any], *, origins: bool = True) -> str:
    """Return every figure of a comparison or a night as text with a final newline.

    `origins` adds the sources of the numbers: raw file, job, config and command of each.
    Only commands and long paths may be wider than `WIDTH`: they are not cut.
    """
    lines = proof_lines(data["proof"])
    if data["kind"] == "night":
        lines += _night(cast(NightData, data), origins)
    else:
        lines += _comparison(cast(ComparisonData, data), origins)
    return page(lines)


def proof_lines(proof: ProofData | None) -> list[str]:
    """Return the first lines of a report whose proof failed."""
    failed = proof is not None and proof["failed"]
    return [*wrap(str(proof["text"]), "", "    "), ""] if proof and failed else []


def _night(data: NightData, origins: bool) -> list[str]:
    lines = ["Summary", "======="]
    if data["proof"] is not None and not data["proof"]["failed"]:
        lines += wrap(data["proof"]["text"], "", "    ")
    for note in data["head_notes"]:
        lines += wrap(note, "", "    ")
    lines += wrap(discoveries(data["family"]), "", "    ")
    lines.append("")
    for c in ordered(data["comparisons"]):
        lines += wrap(f"#{c['id']} {subject_of(c)} ({where(c)}): {counts(c)}", "", "    ")
    if not data["comparisons"]:
        lines.append("nothing was compared")
    if lanes := sources.listed("Build lanes", lane_lines.sentences(data)):
        lines += ["", *lanes]
    for c in data["comparisons"]:
        lines += ["", "", *_comparison(c, origins)]
    return lines


def discoveries(family: FamilyData) -> str:
    """Return how many of a night's changes pass multiple testing."""
    changes, all_ = family["told"] + family["not_told"], family["tests"]
    among = "1 test" if all_ == 1 else f"{all_} tests"
    if not changes:
        return f"Changes: none among {among}."
    rate = f"a false discovery rate of {100 * family['q']:.0f} %"
    left = f", {family['not_told']} may be chance" if family["not_told"] else ""
    passes = "1 passes" if family["told"] == 1 else f"{family['told']} pass"
    return f"Changes: {changes} among {among}; {passes} at {rate}{left}."


def subject_of(c: ComparisonData) -> str:
    """Return the new kernel's name with series, variant and knobs."""
    k = c["new"]
    name = f"{k['tree']} {k['branch'] or k['ref']}"
    if k["series"] is not None:
        name += f" + {applied(k)}"
    if k["variant"] != "default":
        name += f" variant {k['variant']}"
    return f"{name} knobs {pairs(k['knobs'])}" if k["knobs"] else name


def applied(kernel: KernelData) -> str:
    """Return the application of a series, for a single patch with its file's name."""
    name = f"{kernel['series']} {kernel['application']}"
    if len(kernel["patches"]) != 1:
        return name
    return f"{name} {kernel['patches'][0]['name'].removesuffix('.patch')}"


def where(c: ComparisonData) -> str:
    """Return a comparison's board type and, of a confirmation, its round."""
    again = f", rerun {c['round']}" if c["round"] else ""
    return f"{c['board_type']}{again}"


def ordered(comparisons: Iterable[ComparisonData]) -> list[ComparisonData]:
    """Return the comparisons of a night, those to look at first in front."""
    return sorted(comparisons, key=_urgency)


def _urgency(c: ComparisonData) -> tuple[float, float]:
    """Return what sorts comparisons with the worst first."""
    if c["prediction"] is not None:
        # A regression that was put in on purpose: it is its absence that is urgent.
        return (math.inf if c["prediction"]["good"] else -math.inf), 0.0
    return c["severity"], -c["size"]


def counts(c: ComparisonData) -> str:
    """Return what a comparison comes to: verdicts, failures, alarms."""
    parts = [] if c["prediction"] is None else [c["prediction"]["text"]]
    only_hints = unproven(c)
    parts += [only_hints] if only_hints else []
    for name in (v.value for v in VERDICTS):
        if name == "REGRESSION" and only_hints:
            continue
        if c["summary"][name]:
            parts.append(f"{c['summary'][name]} {name}")
        if name == "REGRESSION" and c["hints"]:
            parts.append(f"{c['hints']} of the REGRESSION only a hint")
    parts += [lack] if (lack := unmeasured(c)) else []
    if c["failures"]:
        parts.append(f"{len(c['failures'])} failed")
    new = [h for h in c["health"] if h["side"] == "new"]
    if new:
        parts.append(f"{len(new)} new on the console")
    return ", ".join(parts) or "nothing to compare"


def unproven(c: ComparisonData) -> str:
    """Return the summary of a comparison whose regressions are all hints; "" for others."""
    return hints(c["rows"]) if 0 < c["hints"] == c["summary"]["REGRESSION"] else ""


def hints(rows: Iterable[FigureRow | TableRow]) -> str:
    """Return the summary of the rows that are hints of a worsening; "" without any."""
    effects = [r["effect"] for r in rows if r["hint"] and r["verdict"] == "REGRESSION"]
    worst = max((e for e in effects if e is not None), key=size, default=None)
    return hinted(len(effects), worst) if effects else ""


def _comparison(c: ComparisonData, origins: bool) -> list[str]:
    notes = [x for note in c["head_notes"] for x in wrap(note, "", "    ")]
    title = f"Comparison {c['id']}: {short(c['new'])} against {short(c['base'])}"
    lines = [*notes, ""] if notes else []
    lines += [*wrap(title, "", "    "), "=" * min(len(title), WIDTH), ""]
    if c["synthetic"]:
        lines += ["SYNTHETIC: these figures come from a report, not from a boot.", ""]
    lines += [x for name, value in facts(c) for x in field(name, value)]
    lines += ["", *table(c["rows"])]
    for section in (
        sources.listed("Differences between base and new", c["differences"]),
        sources.listed("Why", why.sentences(c)),
        sources.listed("Attribution", c["attribution"]),
        sources.listed("Known changes by design", context.known_changes(c)),
        sources.listed("Options of the config that differ", context.options(c)),
        counter_lines.whole(c),
        sources.distributions(c),
        sources.failures(c),
        sources.listed("Build lanes", lane_lines.sentences(c)),
        sources.kernel_alarms(c),
        sources.listed("Notes", c["notes"]),
        sources.origins(c) if origins else [],
    ):
        if section:
            lines += ["", *section]
    return lines


def short(kernel: KernelData) -> str:
    """Return a kernel's release and its series."""
    name = str(kernel["release"] or kernel["describe"])
    if kernel["series"] is not None:
        name += f" + {applied(kernel)}"
    return name


def facts(c: ComparisonData) -> list[tuple[str, str]]:
    """Return the header of the figures: names ("" continues the last one) and values."""
    rows: list[tuple[str, str]] = []
    for side in SIDES:
        k = c[side]
        what = f"{k['release'] or 'no image'}, {k['tree']} {k['branch'] or k['ref']}"
        series = "" if k["series"] is None else f", series {applied(k)}"
        rows.append((side, f"{what}, variant {k['variant']}{series}"))
        rows.append(("", f"{k['describe']} {k['commit'][:12]} {k['subject']}".strip()))
        if k["patches"]:
            names = [p["name"] for p in k["patches"]]
            more = [f"and {len(names) - _PATCHES_NAMED} more"] if names[_PATCHES_NAMED:] else []
            rows.append(("", "patches " + ", ".join([*names[:_PATCHES_NAMED], *more])))
        if k["knobs"]:
            rows.append(("", "knobs " + pairs(k["knobs"])))
    rows += context.suspects(c)
    differs = "; ".join(
        f"{name} {_value(f['base'])} -> {_value(f['new'])}" for name, f in c["factors"].items()
    )
    rows.append(("differs", differs or "nothing"))
    rows.append(("board", c["board_type"]))
    if c["limits"]:
        rows.append(("", c["limits"]))
    lists = (("emulator", ", ".join(c["emulators"])), ("built", context.built(c)),
             ("tools", ", ".join(c["tools"])))  # fmt: skip
    rows += [(name, reruns) for name, reruns in lists if reruns]
    rows += _scope(c)
    rows.append(("boots", f"{c['base']['boots']} of base, {c['new']['boots']} of new"))
    if c["decided_by"]:
        by = ", ".join(map(str, c["decided_by"]))
        reruns = f"figures that a rerun decided (comparison {by}) have its numbers"
        rows.append(("", f"{reruns}; those of the first boots are beneath"))
    rows.append(("result", counts(c)))
    return rows


def _scope(c: ComparisonData) -> list[tuple[str, str]]:
    """Return which boots were compared."""
    if c["plan"] is None:
        only = sorted({e["benchmark"] for e in c["scope"]})
        rows = [("plan", ", ".join(c["plans"])), ("only", ", ".join(only))]
        return [(name, value) for name, value in rows if value]
    what = "rerun, boots" if c["stage"] == "confirm" else "boots"
    ranges: dict[str, list[str]] = {}
    for e in c["scope"]:
        seeds = str(e["first"]) if e["first"] == e["last"] else f"{e['first']} to {e['last']}"
        ranges.setdefault(f"{what} {seeds}", []).append(e["benchmark"])
    entries = "; ".join(
        seeds if len(ranges) == 1 else f"{seeds} of {', '.join(dict.fromkeys(names))}"
        for seeds, names in ranges.items()
    )
    rows = [("plan", f"{c['plan']} ({c['stage']}: {entries})")]
    if c["stage"] == "confirm" and len(ranges) == 1:
        rows.append(("only", ", ".join(sorted({e["benchmark"] for e in c["scope"]}))))
    return rows


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "(" + "; ".join(f"{k}={_value(v)}" for k, v in sorted(value.items())) + ")"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(map(str, value))
    return "none" if value is None else str(value)


def table(rows: Sequence[FigureRow | TableRow]) -> list[str]:
    """Return rows of figures with their legend."""
    if not rows:
        return ["There is nothing to compare."]
    lines = [
        f"{'benchmark metric statistic [unit]':<52}{'verdict':>23}",
        f"{'base':>13}{'new':>13}{'change':>11}{'':8}{'95 % interval':^20}{'n':>8}",
        "-" * WIDTH,
    ]
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        lines += _row(row)
        # Samples and alarms belong to the run: printed once for consecutive statistics.
        if following is None or _subject(following) != _subject(row):
            lines += [x for counted in samples(row) for x in wrap(counted, "  ", "    ")]
    marked = any(n for row in rows for n in row["marked"].values())
    return [*lines, "-" * WIDTH, *wrap(_LEGEND + _LEGEND_MARKED * marked, "", "")]


def _row(row: FigureRow | TableRow) -> list[str]:
    name = f"{row['benchmark']} {row['metric']} {row['statistic']} [{row['unit']}]"
    verdict = row["verdict"] + (" (hint)" if row["hint"] else "")
    head = f"{name:<{WIDTH - len(verdict) - 1}} {verdict}"
    lines = [head] if len(head) <= WIDTH else [*wrap(name, "", "    "), f"{verdict:>{WIDTH}}"]
    change = "-" if row["effect"] is None else f"{percent(row['effect'])} %"
    word = {True: "worse", False: "better", None: ""}[row["worse"]]
    n = f"{row['n_base']} + {row['n_new']}"
    lines.append(
        f"{number(row['base']):>13} {number(row['new']):>12} {change:>10} {word:<7}"
        f"{interval(row):^20}{n:>8}"
    )
    return [*lines, *(x for remark in remarks(row) for x in wrap(remark, "  ", "  "))]


def remarks(row: FigureRow | TableRow) -> list[str]:
    """Return the remarks on a row's figures."""
    sentences = [f"with {pairs(row['overrides'])}"] if row["overrides"] else []
    gross = row["effect"] is not None and abs(row["effect"]) > GROSS
    if row["verdict"] in OPEN or gross:
        sentences.append(row["reason"])
    if row["told"] is False:
        sentences.append(CHANCE)
    sentences += [again] if (again := rerun(row)) else []
    if row["screen"] is not None:
        sentences.append(screen(row["screen"]))
    return sentences


def rerun(row: FigureRow | TableRow) -> str:
    """Return what later boots, with seeds of their own, made of a suspicion; "" without one.

    Where they have not decided, also which comparison with the parent confirms it.
    """
    known = row["suspicion"]
    if known is None:
        return ""
    return "; ".join(filter(None, (_rerun(row, known), elsewhere(row))))


def elsewhere(row: Mapping[str, Any]) -> str:
    """Return which comparison with the parent confirms what a row only suspects; "" for none."""
    known = row.get("suspicion")
    if known is None or row.get("standing") != "suspected":
        return ""
    return confirmed_against_parent(known.get("confirmed_by"))


def _rerun(row: FigureRow | TableRow, known: SuspicionState) -> str:
    if known["boots"]:
        boots = f"{known['boots']} + {known['boots']}"
        decided = known["stand"] in ("confirmed", "refuted")
        return (
            f"{known['stand']} by a rerun of {boots} boots"
            if decided
            else (f"undecided after {boots} runs")
        )
    changed = row["verdict"] in FLAGS and not row["hint"]
    return "not rerun yet" if row["confirmable"] and changed else ""


def screen(first: FirstBoots) -> str:
    """Return what the first boots said of a row that has the numbers of a rerun."""
    change = "-" if first["effect"] is None else f"{percent(first['effect'])} %"
    n = f"n {first['n_base']} + {first['n_new']}"
    return f"screen of the first boots: {first['verdict']}, {change} {interval(first)}, {n}"


def samples(row: FigureRow | TableRow) -> list[str]:
    """Return how many samples were taken, and how many boots raised an alarm."""
    sentences = []
    if row["samples"]:
        sides = [(side, row["samples"][side]) for side in SIDES]
        shares = [f"{side} {_share(s)}" for side, s in sides if s["achieved"] is not None]
        sentences.append(f"samples taken: {', '.join(shares)}")
    return sentences + [
        f"marked: {row['marked'][side]} of {row['boots'][side]} boots of {side} with a kernel"
        " alarm while measuring (see Kernel alarms)"
        for side in SIDES
        if row["marked"][side]
    ]


def _subject(row: FigureRow | TableRow) -> tuple[Any, ...]:
    return row["benchmark"], row["parameters"], row["metric"], row["samples"], row["marked"]


def _share(s: SideSamples) -> str:
    if not s["expected"] or s["achieved"] is None:
        return f"{s['achieved']} (no expected number)"
    return f"{s['achieved']} of {s['expected']} ({100 * s['achieved'] / s['expected']:.1f} %)"
