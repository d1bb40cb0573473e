# SPDX-License-Identifier: GPL-2.0-only
"""Why a figure changed: the functions and decisions of a profile, in words.

A board counts what it executes, or samples where its cycles pass: a comparison has one of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vlag.model import FLAGS
from vlag.profile.path import UNSEEN
from vlag.profile.profile_text import called_from
from vlag.report.layout import clip, wrap
from vlag.report.limited_parts import Part

Data = Mapping[str, Any]

#: Lines of the part, with its title and the empty line above.
LINES = 10
_SENTENCE = 3  # lines of one
_PATH = 2  # lines of the sentence on the path's length
_NAMED = 5  # functions and decisions below the first sentence
_DECIDED = 2  # decisions of them
_BLOCKED = 2  # sentences on who blocks
_NAME = 36  # columns of a function's name


def named_profiles(c: Data) -> list[Data]:
    """Return the profiles of a comparison that name a function, a decision or a longer path.

    A report that was stored by an earlier version has none.
    """
    return [p for p in c.get("profile") or () if named(p) or decided(p) or _flagged(p)]


def _flagged(p: Data) -> bool:
    """Return whether the path of a profile became longer or shorter, by its verdicts."""
    return any(one["verdict"] in FLAGS for one in p.get("path") or ())


def path(p: Data) -> str:
    """Return the sentence on the length of the path; "" where a report has none."""
    return str(p.get("path_sentence") or "")


def path_with_limits(p: Data) -> str:
    """Return the same, and what no count of instructions can show."""
    return f"{path(p)} {UNSEEN}" if path(p) else ""


def named(p: Data) -> list[Data]:
    """Return the functions of a profile whose change is sure, the largest first."""
    return [f for f in p["functions"] if f["certain"]]


def decided(p: Data) -> list[Data]:
    """Return the decisions whose change is sure, in the order of the profile."""
    return [d for d in p["decisions"] if d.get("certain")]


def callers(p: Data) -> list[str]:
    """Return who calls the functions of a profile whose change is sure, a line for each.

    A report that was stored by an earlier version names no callers.
    """
    every = [(f, called_from(f.get("callers") or (), p["operation"])) for f in named(p)]
    return [f"{f['name']}: {sentence}" for f, sentence in every if sentence]


def sampled(c: Data) -> list[Data]:
    """Return the sampled profiles of a comparison that name a function, or whose whole is sure.

    A report that was stored by an earlier version has none.
    """
    return [p for p in c.get("sampled") or () if named(p) or p["kernel"]["certain"]]


def sampled_sentence(p: Data) -> str:
    """Return the sentence of a sampled profile, with what its figures are."""
    boots = " and ".join(str(len(runs)) for runs in p["runs"].values())
    return f"{_name(p)}: {p['sentence']} Sampled in {boots} boots."


def sentences(c: Data) -> list[str]:
    """Return the sentences of the profiles that name a function or a decision."""
    counted = [
        " ".join(filter(None, (f"{_name(p)}: {p['sentence']}", path_with_limits(p))))
        for p in named_profiles(c)
    ]
    return [*counted, *map(sampled_sentence, sampled(c)), *first_decisions(c), *blocked(c)]


def first_decisions(c: Data) -> list[str]:
    """Return a sentence for each benchmark whose decisions were compared.

    A report that was stored by an earlier version has none.
    """
    return [f"{_name(d)}: {d['sentence']}" for d in c.get("decided") or ()]


def blocked(c: Data) -> list[str]:
    """Return a sentence for each benchmark whose worst wake-ups somebody else blocks.

    A report that was stored by an earlier version has none.
    """
    return [f"{_name(b)}: {b['sentence']}" for b in c.get("blocked") or ()]


def _name(p: Data) -> str:
    return str(p["benchmark"])


def part(profiled: Sequence[tuple[Data, str]]) -> Part:
    """Return the part of comparisons, each with what begins its lines.

    It has the sentence of each profile, and below the first one the length of its path, its
    largest functions and its decisions.
    """
    every = [(p, mark) for c, mark in profiled for p in (*named_profiles(c), *sampled(c))]
    items: list[list[str]] = []
    left = LINES - 2
    for n, (p, mark) in enumerate(every):
        item = wrap(f"{mark}{_name(p)}: {p['sentence']}", "  ", "      ")[:_SENTENCE]
        more = len(every) - n - 1
        if len(item) + bool(more) > left:
            items.append([f"    and {more + 1} more benchmarks"])
            break
        if n == 0:
            item += _path_lines(path(p))
            item += _rows(p, min(_NAMED, left - len(item) - 2 * bool(more)))
        items.append(item)
        left -= len(item)
    # They are of boots of their own, and there where no board has a PMU.
    items += [
        wrap(f"{mark}{said}", "  ", "      ")[:_SENTENCE]
        for c, mark in profiled
        for said in blocked(c)
    ][:_BLOCKED]
    return Part(title=f"Why  ({_counted(every)})" if every else "Why", items=items)


def _path_lines(sentence: str) -> list[str]:
    """Return as many clauses of the sentence on a path as fit, the first at least."""
    clauses = sentence.rstrip(".").split("; ")
    lines: list[str] = []
    for count in range(len(clauses) if sentence else 0, 0, -1):
        lines = wrap("; ".join(clauses[:count]) + ".", "    ", "      ")
        if len(lines) <= _PATH:
            break
    return lines[:_PATH]


def _counted(every: Sequence[tuple[Data, str]]) -> str:
    """Return what the figures are: of all profiles if they are alike, else of the first."""
    first, _ = every[0]
    operations = dict.fromkeys(
        p["operation"] for p, _ in every if _is_sampled(p) == _is_sampled(first)
    )
    what = f"a {' or '.join(operations)}"
    if _is_sampled(first):
        return f"kernel {first['event']} {what}, sampled"
    return f"kernel instructions {what}, counted"


def _is_sampled(p: Data) -> bool:
    return "event" in p


def _rows(p: Data, most: int) -> list[str]:
    """Return at most `most` lines: functions, and decisions below them."""
    if _is_sampled(p):
        return [_sampled_function(f) for f in named(p)][: max(most, 0)]
    decisions = [_decision(d) for d in decided(p)]
    functions = [_function(f) for f in named(p)]
    kept = functions[: max(most - min(len(decisions), _DECIDED), 0)]
    return [*kept, *decisions[:_DECIDED]][: max(most, 0)]


def _function(f: Data) -> str:
    base, new = (f[f"{side}_instructions"] for side in ("base", "new"))
    return _line(f["name"], _number(base), _number(new), f"{f['change']:+.1f}")


def _sampled_function(f: Data) -> str:
    return _line(f["name"], _number(f["base"]), _number(f["new"]), f"{f['change']:+.1f}")


def _decision(d: Data) -> str:
    return _line(d["what"], f"{d['base']:.3f}", f"{d['new']:.3f}", "times")


def _line(name: str, base: str, new: str, more: str) -> str:
    return clip(f"    {name:<{_NAME}} {base:>9} -> {new:>9}  {more}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
