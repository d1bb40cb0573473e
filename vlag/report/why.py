"""Why a figure changed: the functions of a profile, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vlag.report.layout import clip, wrap
from vlag.report.parts import Part

Data = Mapping[str, Any]

#: Lines of the part, with its title and the empty line above.
LINES = 10
_SENTENCE = 3  # lines of one
_NAMED = 5  # functions below the first sentence
_NAME = 36  # columns of a function's name


def told(c: Data) -> list[Data]:
    """Return the profiles of a comparison that name a function.

    A report that was stored by an earlier version has none.
    """
    return [p for p in c.get("profile") or () if any(f["certain"] for f in p["functions"])]


def sentences(c: Data) -> list[str]:
    """Return the sentences of the profiles that name a function."""
    return [f"{_name(p)}: {p['sentence']}" for p in told(c)]


def _name(p: Data) -> str:
    return str(p["benchmark"])


def part(of: Sequence[tuple[Data, str]]) -> Part:
    """Return the part of comparisons, each with what begins its lines.

    It has the sentence of each profile, and below the first one its largest functions.
    """
    every = [(p, mark) for c, mark in of for p in told(c)]
    items: list[list[str]] = []
    left = LINES - 2
    for n, (p, mark) in enumerate(every):
        item = wrap(f"{mark}{_name(p)}: {p['sentence']}", "  ", "      ")[:_SENTENCE]
        more = len(every) - n - 1
        if len(item) + bool(more) > left:
            items.append([f"    and {more + 1} more benchmarks"])
            break
        if n == 0:
            item += list(_functions(p))[: min(_NAMED, left - len(item) - 2 * bool(more))]
        items.append(item)
        left -= len(item)
    return Part(title=f"Why  ({_counted(every)})" if every else "Why", items=items)


def _counted(every: Sequence[tuple[Data, str]]) -> str:
    operations = dict.fromkeys(p["operation"] for p, _ in every)
    return f"kernel instructions a {' or '.join(operations)}, counted"


def _functions(p: Data) -> Iterable[str]:
    for f in p["functions"]:
        if f["certain"]:
            base, new = (f[f"{side}_instructions"] for side in ("base", "new"))
            figures = f"{_number(base):>9} -> {_number(new):>9}  {f['change']:+.1f}"
            yield clip(f"    {f['name']:<{_NAME}} {figures}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
