# SPDX-License-Identifier: GPL-2.0-only
"""What a report says beside its figures: build, config, known changes, suspects, trailers.

Reports on record from before a key existed lack it, and its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vlag.kernel.kconfig import of_scheduler
from vlag.report.document import ConfigData, KnownChange, OptionValue
from vlag.report.layout import clip
from vlag.report.limited_parts import Part

Data = Mapping[str, Any]

#: Options that the short report names.
NAMED = 4
#: Lines of known changes in the short report.
KNOWN = 3

_VALUE = 24  # characters of an option's value in the short report
_SUSPECTS = {"commit": "since", "toggle": "toggle", "function": "function"}


def built(c: Data) -> str:
    """Return compiler, frequency of the tick and preemption model, of each side if they differ."""
    facts = (_alike(c, "toolchain"), _alike(c, "hz", "HZ="), _alike(c, "preemption", "preempt "))
    return ", ".join(filter(None, facts))


def _alike(c: Data, key: str, name: str = "") -> str:
    """Return what both sides have, else each side's own."""
    base, new = (
        " or ".join(v) if isinstance(v := c[side].get(key), list) else str(v or "")
        for side in ("base", "new")
    )
    if base == new:
        return f"{name}{new}" if new else ""
    return f"{name}{base or 'unknown'} (base) and {new or 'unknown'} (new)"


def suspects(c: Data) -> Iterator[tuple[str, str]]:
    """Yield name and sentence of what is known of commit, toggle and function."""
    for key, sentence in c.get("suspects", {}).items():
        if sentence is not None:
            yield _SUSPECTS[key], sentence


def config(c: Data) -> str:
    """Return in a few words in which options the configs differ; "" for none or unknown.

    Options of the scheduler are named first, then the others that changed; of the others that
    only one config has, there is a number.
    """
    changes: ConfigData | None = c.get("config")
    if changes is None:
        return ""
    entries = sorted(_entries(changes), key=lambda e: not of_scheduler(e[1]))
    named = [shown for kind, name, shown in entries if kind == "changed" or of_scheduler(name)]
    few = named[:NAMED]
    more = len(named) - len(few)
    shown = ", ".join(few) + (f" and {more} more" if more else "")
    others = [
        f"{n} {kind}"
        for kind in ("new", "gone")
        if (n := sum(kind == k and not of_scheduler(name) for k, name, _ in entries))
    ]
    counted = f"{' and '.join(others)}{' besides' if shown else ' options'}" if others else ""
    return "; ".join(filter(None, (shown, counted)))


def _entries(changes: ConfigData) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and words of each option."""
    for o in changes["changed"]:
        before, after = _short(o["base"]), _short(o["new"])
        yield "changed", o["option"], f"{o['option']} {before} -> {after}"
    for kind, options in _on_one_side(changes):
        for option in options:
            value = "" if option["value"] == "y" else f" ({_short(option['value'])})"
            yield kind, option["option"], f"{option['option']} is {kind}{value}"


def _on_one_side(changes: ConfigData) -> tuple[tuple[str, Sequence[OptionValue]], ...]:
    return ("new", changes["new"]), ("gone", changes["gone"])


def _short(value: str) -> str:
    return value if len(value) <= _VALUE else f"{value[: _VALUE - 3]}..."


def options(c: Data) -> list[str]:
    """Return all options that differ: a sentence for each change, one for all new, all gone."""
    changes: ConfigData | None = c.get("config")
    if changes is None:
        return []
    lines = [f"{o['option']} {o['base']} -> {o['new']}" for o in changes["changed"]]
    for kind, values in _on_one_side(changes):
        names = [f"{o['option']}={o['value']}" for o in values]
        lines += [f"{kind} ({len(names)}): {', '.join(names)}"] if names else []
    return lines


def known_changes(c: Data) -> list[str]:
    """Return the changes by design between the two kernels, each with release and commit."""
    changes: Sequence[KnownChange] = c.get("known_changes", ())
    return [
        f"{k['between'][1]}: {k['text']}"
        + (f" ({k['commit'][:12]})" if k["commit"] else "")
        + ("; new is without it" if k["side"] == "base" else "")
        for k in changes
    ]


def known_part(c: Data) -> Part:
    """Return the known changes for the short report, a line each and at most `KNOWN` lines."""
    items = [[clip(f"  {change}")] for change in known_changes(c)]
    return Part(title="Known changes by design", items=items, most=KNOWN)


def trailers(c: Data) -> list[str]:
    """Return the lines that end a mail about a confirmed regression, after an empty one."""
    lines = c.get("trailers", ())
    return ["", *lines] if lines else []
