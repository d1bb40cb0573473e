# SPDX-License-Identifier: GPL-2.0-only
"""A difference of two profiles as text of 80 columns, and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import asdict

from vlag import printable
from vlag.profile.profile_difference import Difference, Function, Side

#: Changes below this share of the whole are no part of the closing sentence.
_SHARE = 0.05
#: Decisions in the closing sentence.
_DECIDED = 2
_NAME = 33
#: Callers of a function that are named.
_CALLERS = 3


def render(difference: Difference, *, rows: int = 10) -> str:
    """Return the text: totals, the functions with the largest changes, decisions, a sentence."""
    return "\n".join(map(printable.flat, _lines(difference, rows)))


def _lines(difference: Difference, rows: int) -> Iterator[str]:
    one = difference.operation
    shown = [f for f in difference.functions if f.change][:rows]
    rest = [f for f in difference.functions if f.change][rows:]
    count, change = (
        len(rest) + difference.others[0],
        sum(f.change for f in rest) + difference.others[1],
    )
    yield f"instructions a {one:<18}{'base':>12}{'new':>12}{'change':>12}"
    for name, (base, new) in (
        ("kernel", difference.kernel),
        ("kernel/sched of it", difference.sched),
        ("user", difference.user),
    ):
        figures = f"{_number(base):>12}{_number(new):>12}{_signed(new - base):>12}"
        yield f"{name:<33}{figures}{_percent(base, new):>11}"
    counts = " and ".join(f"{n:.0f}" for n in difference.operations)
    yield f"boots: {difference.boots[0]} and {difference.boots[1]}; operations a boot: {counts}"
    yield ""
    if difference.same:
        yield "Both kernels execute every function as often and as long."
        return
    yield f"{'':<{_NAME}}{f'instructions a {one}':>27}{f'calls a {one}':>19}"
    head = f"{'function':<{_NAME}}{'base':>9}{'new':>9}{'change':>9}"
    yield f"{head}{'base':>9}{'new':>9}"
    for function in shown:
        yield _row(function)
        if named := called_from([asdict(c) for c in function.callers], one):
            yield from textwrap.wrap(
                named, 79, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
            )
    if count:
        yield f"{f'{count} other functions':<{_NAME}}{'':>18}{_signed(change):>9}"
    whole = "".join(f"{_number(n):>9}" for n in difference.kernel)
    yield f"{'all':<{_NAME}}{whole}{_signed(difference.change):>9}"
    if not all(f.certain for f in shown):
        yield "? boots of one kernel may differ by as much"
    yield ""
    if difference.decisions:
        yield from _decided(difference)
        yield ""
    yield from textwrap.wrap(sentence(difference), 79, break_on_hyphens=False)


def _decided(difference: Difference) -> Iterator[str]:
    yield f"{f'decisions a {difference.operation}':<40}{'base':>12}{'new':>12}{'change':>12}"
    for decision in difference.decisions:
        base, new = (f"{rate(value):>12}" for value in (decision.base, decision.new))
        change = "" if decision.change is None else f"{decision.change:+.4f}"
        mark = "" if decision.certain or decision.change is None else " ?"
        yield f"{decision.what:<40}{base}{new}{change:>12}{mark}"
    if any(d.change is None for d in difference.decisions):
        yield "- no function to count: this kernel has none, or it is a part of its callers"


def rate(value: float | None) -> str:
    """Return how often something was decided; "-" where it cannot be counted."""
    return "-" if value is None else f"{value:.4f}"


def _row(function: Function) -> str:
    name = function.name if len(function.name) < _NAME else f"{function.name[: _NAME - 2]}~"
    base, new = function.base, function.new
    figures = f"{_instructions(base):>9}{_instructions(new):>9}{_signed(function.change):>9}"
    mark = "" if function.certain else " ?"
    return f"{name:<{_NAME}}{figures}{_calls(base):>9}{_calls(new):>9}{mark}"


def called_from(callers: Sequence[Mapping[str, Any]], operation: str) -> str:
    """Return who calls a function, those whose calls differ for sure first; "" if not known.

    `callers` are `vlag.profile.callers.Caller`s as mappings.
    """
    first = sorted(callers, key=lambda c: not c["certain"])[:_CALLERS]
    named = []
    for caller in first:
        change = f" ({caller['new'] - caller['base']:+.3f} a {operation})"
        name = caller["name"] or "an interrupt, a fault or user space"
        named.append(f"{name}{change if caller['certain'] else ''}")
    return f"called from {', '.join(named)}" if named else ""


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 10000 else f"{value:.2f}"


def _signed(value: float) -> str:
    return f"{value:+.0f}" if abs(value) >= 10000 else f"{value:+.2f}"


def _instructions(side: Side | None) -> str:
    return "-" if side is None else _number(side.instructions)


def _calls(side: Side | None) -> str:
    return "-" if side is None else f"{side.calls:.3f}"


def _percent(base: float, new: float) -> str:
    return f"{(new - base) / base:+.2%}".replace("%", " %") if base else ""


def sentence(difference: Difference) -> str:
    """Return the difference in words: how much, and in which functions."""
    if difference.same:
        return "Both kernels execute every function as often and as long."
    whole = f"{difference.change:+.1f} instructions a {difference.operation}"
    head = f"{_percent(*difference.kernel)} = {whole}"
    least = _SHARE * max(abs(f.change) for f in difference.functions)
    named = [f for f in difference.functions if f.certain and abs(f.change) >= least][:3]
    decided = "" if _path_explains(difference) else _most_decided(difference)
    if named:
        functions = ", ".join(map(_words, named))
        ending = f" No path explains most of it, but {decided}." if decided else ""
        return f"{head}: {functions}.{ending}"
    if decided:
        return f"{head}; no function's path explains it, but {decided}."
    return f"{head}; no function differs by more than boots of one kernel do."


def _path_explains(difference: Difference) -> bool:
    """Return whether longer or shorter calls, and not more or fewer, make most of the change."""
    path = sum(_of_path(f) for f in difference.functions if f.certain)
    return path * difference.change > 0 and abs(path) >= abs(difference.change) / 2


def _of_path(function: Function) -> float:
    """Return the part of a function's change that is not due to how often it is called."""
    base, new = function.base, function.new
    if base is None or new is None or base.each is None or new.each is None:
        return function.change  # one side only, or never called: entered elsewhere
    return (new.each - base.each) * (base.calls + new.calls) / 2


def _most_decided(difference: Difference) -> str:
    """Return the decisions that changed most, in words; "" without a sure one."""
    sure = sorted((d for d in difference.decisions if d.certain), key=lambda d: -d.weight)[
        :_DECIDED
    ]
    if not sure:
        return ""
    words = ", ".join(f"{d.what} {d.base:.3g} -> {d.new:.3g}" for d in sure)
    return f"decisions differ: {words} a {difference.operation}"


def _words(function: Function) -> str:
    text = f"{function.change:+.1f} in {function.name}"
    base, new = function.base, function.new
    if base is None or new is None:
        return f"{text} (only in the {'new' if base is None else 'base'} kernel)"
    if base.each is None or new.each is None:
        return text
    if abs(new.calls - base.calls) <= 0.005 * base.calls:
        return f"{text} (called as often, {base.each:.1f} -> {new.each:.1f} each)"
    calls = f"called {new.calls / base.calls - 1:+.1%}".replace("%", " %")
    return f"{text} ({calls}, {base.each:.1f} -> {new.each:.1f} each)"


def data(difference: Difference) -> dict[str, Any]:
    """Return the difference as JSON: figures an operation, functions by their change."""
    return {
        "operation": difference.operation,
        "boots": list(difference.boots),
        "operations": list(difference.operations),
        "instructions": {
            "kernel": list(difference.kernel),
            "sched": list(difference.sched),
            "user": list(difference.user),
        },
        "functions": [_function(f) for f in difference.functions],
        "decisions": [asdict(d) for d in difference.decisions],
        "frames": [asdict(f) for f in difference.frames],
        "sentence": sentence(difference),
    }  # fmt: skip


def _function(function: Function) -> dict[str, Any]:
    def figures(side: Side | None) -> Sequence[float] | None:
        return None if side is None else [side.calls, side.instructions]

    return {
        "name": function.name,
        "source": function.source,
        "base": figures(function.base),
        "new": figures(function.new),
        "change": function.change,
        "certain": function.certain,
        "callers": [asdict(caller) for caller in function.callers],
    }
