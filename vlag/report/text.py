"""A report for people: plain text for a mailing list, at most 75 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vlag.stats.compare import GROSS

WIDTH = 75  # leaves room for three levels of quoting on an 80-column terminal

_TENFOLD = 10
_EXACT = 1e12  # whole numbers below this are written out

_LEGEND = (
    "change: new against base; [ ]: its 95 % interval; n: boots of base + new."
    " A verdict marked (hint) may raise a suspicion and confirms nothing."
)
_PATCHES_NAMED = 3  # of a kernel, in the header; JSON has all
_LEGEND_MARKED = " A boot marked for a kernel alarm counts like any other."
# Worst first; counts are named in this order.
_VERDICTS = ("REGRESSION", "NOT_COMPARABLE", "INCONCLUSIVE", "UNCHANGED", "IMPROVEMENT")
_PHASES = {
    "boot": "while booting",
    "setup": "while setting up",
    "benchmark": "while measuring",
    "after": "after measuring",
}


def render(data: Mapping[str, Any]) -> str:
    """Return a comparison or a night as text with a final newline.

    Only commands to copy and long paths may be wider than `WIDTH`: they are not cut.
    """
    lines = _night(data) if data["kind"] == "night" else _comparison(data)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _night(data: Mapping[str, Any]) -> list[str]:
    lines = ["Summary", "======="]
    for note in data["head_notes"]:
        lines += _wrap(note, "", "    ")
    lines += _wrap(_discoveries(data["family"]), "", "    ")
    lines.append("")
    for c in sorted(data["comparisons"], key=_urgency):
        lines += _wrap(f"#{c['id']} {_subject_of(c)} ({_where(c)}): {_counts(c)}", "", "    ")
    if not data["comparisons"]:
        lines.append("nothing was compared")
    for c in data["comparisons"]:
        lines += ["", "", *_comparison(c)]
    return lines


def _discoveries(family: Mapping[str, Any]) -> str:
    """Say what of a night's changes chance alone may have made."""
    found, all_ = family["told"] + family["not_told"], family["tests"]
    if not found:
        return f"Changes: none among {all_} tests."
    rate = f"{100 * family['q']:.0f} % of false discoveries"
    left = f", {family['not_told']} may be chance" if family["not_told"] else ""
    return f"Changes: {found} among {all_} tests; {family['told']} stand at {rate}{left}."


def _subject_of(c: Mapping[str, Any]) -> str:
    """Name the new kernel with all that sets it apart: series, variant, knobs."""
    k = c["new"]
    name = f"{k['tree']} {k['branch']}"
    if k["series"] is not None:
        name += f" + {_applied(k)}"
    if k["variant"] != "default":
        name += f" variant {k['variant']}"
    return f"{name} knobs {_pairs(k['knobs'])}" if k["knobs"] else name


def _applied(kernel: Mapping[str, Any]) -> str:
    """Name what of a series is applied; a patch that stands alone by its file's name too."""
    name = f"{kernel['series']} {kernel['application']}"
    if len(kernel["patches"]) != 1:
        return name
    return f"{name} {kernel['patches'][0]['name'].removesuffix('.patch')}"


def _where(c: Mapping[str, Any]) -> str:
    fresh = f", fresh boots {c['round']}" if c["round"] else ""
    return f"{c['board_type']}{fresh}"


def _urgency(c: Mapping[str, Any]) -> int:
    """Return how far down a comparison may stand: what is proven worse comes first."""
    if c["prediction"] is not None:
        # A regression that was put in on purpose: it is its absence that is urgent.
        return len(_VERDICTS) + 2 if c["prediction"]["good"] else 0
    if c["summary"]["REGRESSION"] > c["hints"]:
        return 0
    if any(f["side"] != "base" for f in c["failures"]):
        return 1
    worst = next((n for n, v in enumerate(_VERDICTS) if c["summary"][v]), len(_VERDICTS))
    return 2 + worst


def _counts(c: Mapping[str, Any]) -> str:
    parts = [] if c["prediction"] is None else [c["prediction"]["text"]]
    for name in _VERDICTS:
        if c["summary"][name]:
            parts.append(f"{c['summary'][name]} {name}")
        if name == "REGRESSION" and c["hints"]:
            parts.append(f"{c['hints']} of the REGRESSION only a hint")
    if c["failures"]:
        parts.append(f"{len(c['failures'])} failed")
    new = [h for h in c["health"] if h["side"] == "new"]
    if new:
        parts.append(f"{len(new)} new on the console")
    return ", ".join(parts) or "nothing to compare"


def _comparison(c: Mapping[str, Any]) -> list[str]:
    notes = [x for note in c["head_notes"] for x in _wrap(note, "", "    ")]
    title = f"Comparison {c['id']}: {_short(c['new'])} against {_short(c['base'])}"
    lines = [*notes, ""] if notes else []
    lines += [*_wrap(title, "", "    "), "=" * min(len(title), WIDTH), ""]
    if c["synthetic"]:
        lines += ["SYNTHETIC: these figures come from a report, not from a boot.", ""]
    lines += _header(c)
    lines += ["", *_table(c["rows"])]
    for section in (_distributions(c), _failures(c), _health(c), _notes(c), _origins(c)):
        if section:
            lines += ["", *section]
    return lines


def _short(kernel: Mapping[str, Any]) -> str:
    name = str(kernel["release"] or kernel["describe"])
    if kernel["series"] is not None:
        name += f" + {_applied(kernel)}"
    return name


def _header(c: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    for side in ("base", "new"):
        k = c[side]
        what = f"{k['release'] or 'no image'}, {k['tree']} {k['branch']}"
        applied = "" if k["series"] is None else f", series {_applied(k)}"
        lines += _field(side, f"{what}, variant {k['variant']}{applied}")
        lines += _field("", f"{k['describe']} {k['commit'][:12]} {k['subject']}".strip())
        if k["patches"]:
            names = [p["name"] for p in k["patches"]]
            more = [f"and {len(names) - _PATCHES_NAMED} more"] if names[_PATCHES_NAMED:] else []
            lines += _field("", "patches " + ", ".join([*names[:_PATCHES_NAMED], *more]))
        if k["knobs"]:
            lines += _field("", "knobs " + _pairs(k["knobs"]))
    differs = "; ".join(
        f"{name} {_value(f['base'])} -> {_value(f['new'])}" for name, f in c["factors"].items()
    )
    lines += _field("differs", differs or "nothing")
    lines += _field("board", c["board_type"])
    if c["limits"]:
        lines += _field("", c["limits"])
    for name, key in (("emulator", "emulators"), ("tools", "tools")):
        if c[key]:
            lines += _field(name, ", ".join(c[key]))
    lines += _scope(c)
    lines += _field("boots", f"{c['base']['boots']} of base, {c['new']['boots']} of new")
    lines += _field("result", _counts(c))
    return lines


def _scope(c: Mapping[str, Any]) -> list[str]:
    """Say which boots were compared."""
    if c["plan"] is None:
        only = sorted({e["benchmark"] for e in c["scope"]})
        lines = _field("plan", ", ".join(c["plans"])) if c["plans"] else []
        return lines + (_field("only", ", ".join(only)) if only else [])
    what = "fresh boots" if c["stage"] == "confirm" else "boots"
    ranges: dict[str, list[str]] = {}
    for e in c["scope"]:
        seeds = str(e["first"]) if e["first"] == e["last"] else f"{e['first']} to {e['last']}"
        ranges.setdefault(f"{what} {seeds}", []).append(e["benchmark"])
    told = "; ".join(
        seeds if len(ranges) == 1 else f"{seeds} of {', '.join(dict.fromkeys(names))}"
        for seeds, names in ranges.items()
    )
    lines = _field("plan", f"{c['plan']} ({c['stage']}: {told})")
    if c["stage"] == "confirm" and len(ranges) == 1:
        lines += _field("only", ", ".join(sorted({e["benchmark"] for e in c["scope"]})))
    return lines


def _field(name: str, text: str) -> list[str]:
    return _wrap(text, f"{name + ':' if name else '':<10}", " " * 10)


def _wrap(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
    )


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{k}={v}" for k, v in sorted(values.items())) or "none"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "(" + "; ".join(f"{k}={_value(v)}" for k, v in sorted(value.items())) + ")"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(map(str, value))
    return "none" if value is None else str(value)


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return ["There is nothing to compare."]
    lines = [
        f"{'benchmark metric statistic [unit]':<52}{'verdict':>23}",
        f"{'base':>13}{'new':>13}{'change':>11}{'':8}{'95 % interval':^20}{'n':>8}",
        "-" * WIDTH,
    ]
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        lines += _row(row)
        # Samples and alarms are those of the run: said once for statistics in a row.
        if following is None or _subject(following) != _subject(row):
            lines += _taken(row["samples"]) if row["samples"] else []
            lines += _marked(row)
    marked = any(n for row in rows for n in row["marked"].values())
    return [*lines, "-" * WIDTH, *_wrap(_LEGEND + _LEGEND_MARKED * marked, "", "")]


def _row(row: Mapping[str, Any]) -> list[str]:
    name = f"{row['benchmark']} {row['metric']} {row['statistic']} [{row['unit']}]"
    verdict = row["verdict"] + (" (hint)" if row["hint"] else "")
    head = f"{name:<{WIDTH - len(verdict) - 1}} {verdict}"
    lines = [head] if len(head) <= WIDTH else [*_wrap(name, "", "    "), f"{verdict:>{WIDTH}}"]
    change = "-" if row["effect"] is None else f"{_percent(row['effect'])} %"
    word = {True: "worse", False: "better", None: ""}[row["worse"]]
    interval = "-"
    if row["ci_low"] is not None and row["ci_high"] is not None:
        interval = f"[{_percent(row['ci_low'])}, {_percent(row['ci_high'])}]"
    n = f"{row['n_base']} + {row['n_new']}"
    lines.append(
        f"{_number(row['base']):>13}{_number(row['new']):>13} {change:>10} {word:<7}"
        f"{interval:^20}{n:>8}"
    )
    if row["overrides"]:
        lines += _wrap(f"with {_pairs(row['overrides'])}", "  ", "  ")
    gross = row["effect"] is not None and abs(row["effect"]) > GROSS
    if row["verdict"] in ("INCONCLUSIVE", "NOT_COMPARABLE") or gross:
        lines += _wrap(row["reason"], "  ", "  ")
    if row["told"] is False:
        lines.append("  among all tests of the night this may be chance")
    return lines + _suspicion(row)


def _suspicion(row: Mapping[str, Any]) -> list[str]:
    """Say what fresh boots made of a suspicion."""
    s = row["suspicion"]
    if s is None or not s["boots"]:
        return []
    stand = {"open": "left open", "undecided": "left undecided"}.get(s["stand"], s["stand"])
    return [f"  {stand} by {s['boots']} + {s['boots']} fresh boots"]


def _marked(row: Mapping[str, Any]) -> list[str]:
    return [
        line
        for side, number in row["marked"].items()
        if number
        for line in _wrap(
            f"marked: {number} of {row['boots'][side]} boots of {side} with a kernel alarm"
            " while measuring (see Kernel health)",
            "  ",
            "    ",
        )
    ]


def _percent(change: float) -> str:
    """Return a relative change in percent: hundredths mean nothing beyond a tenfold."""
    return f"{100 * change:+.2f}" if abs(change) < _TENFOLD else f"{100 * change:+.0f}"


def _subject(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["benchmark"], row["parameters"], row["metric"], row["samples"], row["marked"]


def _taken(samples: Mapping[str, Mapping[str, int | None]]) -> list[str]:
    told = [f"{side} {_share(s)}" for side, s in samples.items() if s["achieved"] is not None]
    return _wrap(f"samples taken: {', '.join(told)}", "  ", "    ")


def _share(s: Mapping[str, int | None]) -> str:
    if not s["expected"] or s["achieved"] is None:
        return f"{s['achieved']} (no expected number)"
    return f"{s['achieved']} of {s['expected']} ({100 * s['achieved'] / s['expected']:.1f} %)"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if value.is_integer() and abs(value) < _EXACT else f"{value:.6g}"


def _distributions(c: Mapping[str, Any]) -> list[str]:
    """Say where each distribution moved, and by how much at each quantile."""
    lines: list[str] = []
    for d in c["distributions"]:
        lines += _wrap(
            f"{d['benchmark']} {d['metric']}: {d['headline']} (p = {d['p']:.2g})", "  ", "      "
        )
        told = [f"{q['name']} {_percent(q['effect'])} %" for q in d["quantiles"]]
        lines += _wrap(", ".join(told), " " * 6, " " * 6)
    return _section("Where the distributions moved", lines)


def _failures(c: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    for f in c["failures"]:
        what = f["kind"] if f["kind"] == "build" else f"{f['benchmark']} seed {f['seed']}"
        side = "base and new" if f["side"] == "both" else f["side"]
        lines += _wrap(f"{side}: {what}: {f['outcome']}: {f['reason']}", "  ", "      ")
        lines += [f"      log:   {f['log']}", f"      again: {f['reproduce']}"]
    return _section("What failed", lines)


def _health(c: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    for h in c["health"]:
        what = h["kind"].replace("_", " ") + (f" in {h['place']}" if h["place"] else "")
        of_new = f"{len(h['runs'])} of {h['of']} runs of new"
        of_base = f"{len(h['base_runs'])} of {h['base_of']} runs of base"
        first, told = {
            "new": (f"new {what}", of_new),
            "base": (f"only in the base: {what}", of_base),
            "both": (f"also in the base: {what}", f"{of_new}, {of_base}"),
        }[h["side"]]
        when = " and ".join(_PHASES[phase] for phase in h["phases"])
        lines += _wrap(f"{first} ({told}{', ' + when if when else ''})", "  ", "      ")
        lines += _wrap(h["text"], " " * 6, " " * 8)
        if h["callers"]:
            lines += _wrap(f"call trace: {' < '.join(h['callers'])}", " " * 6, " " * 8)
        lines.append(f"      {h['where']}")
    return _section("Kernel health", lines)


def _notes(c: Mapping[str, Any]) -> list[str]:
    return _section("Notes", [x for n in c["notes"] for x in _wrap(n, "  ", "      ")])


def _origins(c: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    for origin in c["origins"]:
        if not origin["runs"]:
            continue
        lines += _wrap(f"{origin['benchmark']} {origin['metric']} [{origin['unit']}]", "  ", "    ")
        for r in origin["runs"]:
            values = ", ".join(f"{s} {_number(v)}" for s, v in r["values"].items())
            lines += _wrap(
                f"{r['side']} seed {r['seed']} on {r['board']}: {values}"
                + " [kernel alarm]" * r["marked"],
                "    ",
                " " * 6,
            )
            lines += [f"      raw:    {r['raw']}"]
            lines += [f"      {k + ':':<7} {r[k]}" for k in ("job", "config") if r[k]]
            lines += [f"      again:  {r['reproduce']}"]
    return _section("Where each number comes from", lines)


def _section(title: str, lines: Iterable[str]) -> list[str]:
    lines = list(lines)
    return [title, "-" * len(title), *lines] if lines else []
