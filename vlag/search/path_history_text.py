# SPDX-License-Identifier: GPL-2.0-only
"""The history of what an operation executes, as data and as text of 78 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vlag import printable
from vlag.errors import UsageError
from vlag.profile.path import percent
from vlag.profile.profile_difference import LEAST
from vlag.search.path_history import Point

_WIDTH = 78
#: Why a commit that was counted is not compared with the one before.
_ANEW = "counted with another compiler, configuration, userland or emulator than the one before"
#: Functions that are named of a commit.
_FUNCTIONS = 5


def data(
    points: Sequence[Point], *, operation: str, metric: str | None, least: float
) -> dict[str, Any]:
    """Return the commits with what changed in each, and the first that makes `metric` longer.

    `metric` is one that was counted or a function of the kernel, by default the first metric;
    `least` is relative, 0.01 = 1 %. UsageError for one that no kernel has.
    """
    first = points[0].executed
    assert first is not None  # noqa: S101 - the history would not have begun
    name = metric or next(iter(first.metrics))
    levels = [p.executed.level(name) for p in points if p.executed is not None]
    if all(level is None for level in levels):
        raise UsageError(
            f"--metric {name}: no kernel has this function, or has it in its callers; the metrics"
            f" are {', '.join(first.metrics)}"
        )
    rows, before = [], points[0]
    for point in points[1:]:
        rows.append(_row(point, before, name))
        before = point if point.executed is not None else before
    longer = [r for r in rows if r["change"] is not None and r["change"] >= least]
    whole = before.setup == points[0].setup
    return {
        "operation": operation,
        "from": _commit(points[0]),
        "metric": name,
        "least": least,
        "levels": [levels[0], levels[-1] if whole else None],
        "commits": rows,
        "first": longer[0]["commit"] if longer else None,
    }


def _commit(point: Point) -> dict[str, str]:
    commit = point.commit
    return {"commit": commit.sha, "describe": commit.describe, "subject": commit.subject}


def _row(point: Point, last: Point, name: str) -> dict[str, Any]:
    """Return what a commit changes against the last one that was counted."""
    now, before = point.executed, last.executed
    anew = now is not None and point.setup != last.setup
    if now is None or before is None or anew:
        return {
            **_commit(point), "why": _ANEW if anew else point.why, "anew": anew, "between": False,
            "change": None, "metrics": [], "functions": [],
        }  # fmt: skip
    changed = {
        n: now.functions.get(n, 0.0) - before.functions.get(n, 0.0)
        for n in now.functions.keys() | before.functions.keys()
    }
    least = LEAST * sum(before.functions.values())
    named = sorted(
        (n for n in changed if abs(changed[n]) > least), key=lambda n: (-abs(changed[n]), n)
    )
    return {
        **_commit(point),
        "why": None,
        "anew": False,
        "between": point.between,
        "change": _relative(before.level(name), now.level(name)),
        "same": not any(changed.values()),
        "metrics": [
            {"name": m, "base": before.metrics.get(m), "new": now.metrics.get(m),
             "change": _relative(before.metrics.get(m), now.metrics.get(m))}
            for m in dict.fromkeys((*before.metrics, *now.metrics))
        ],
        "functions": [{"name": n, "change": changed[n]} for n in named],
    }  # fmt: skip


def _relative(before: float | None, after: float | None) -> float | None:
    return None if not before or after is None else after / before - 1


def render(document: Mapping[str, Any], where: str) -> str:
    """Return the data as text; `where` is the benchmark, board and seed."""
    return "\n".join(map(printable.flat, _lines(document, where)))


def _lines(document: Mapping[str, Any], where: str) -> Iterator[str]:
    rows = document["commits"]
    start = document["from"]
    yield from textwrap.wrap(
        f"What a {document['operation']} of {where} executes, commit by commit after"
        f" {start['describe']}, each against the one before:", _WIDTH,
    )  # fmt: skip
    for row in rows:
        yield f"{row['commit'][:12]}  {row['subject'][: _WIDTH - 14]}"
        yield from textwrap.wrap(
            in_words(row), _WIDTH, initial_indent=" " * 14, subsequent_indent=" " * 16,
            break_on_hyphens=False,
        )  # fmt: skip
    yield ""
    yield from textwrap.wrap(sentence(document), _WIDTH, break_on_hyphens=False)


def in_words(row: Mapping[str, Any]) -> str:
    """Return what a commit changes, or why nothing is said of it."""
    if row["why"] is not None:
        return f"not {'compared' if row['anew'] else 'counted'}: {row['why']}"
    if row["between"]:
        return "0: not booted, commits before and after it execute the same"
    if row["same"]:
        return "0"
    metrics = [
        f"{m['name']} {percent(m['change'])}" for m in row["metrics"] if m["base"] != m["new"]
    ]
    functions = [f"{f['name']} {f['change']:+.2f}" for f in row["functions"][:_FUNCTIONS]]
    more = len(row["functions"]) - _FUNCTIONS
    functions += [f"and {more} more"] if more > 0 else []
    return "; ".join(", ".join(words) for words in (metrics, functions) if words)


def sentence(document: Mapping[str, Any]) -> str:
    """Return which commit is the first that makes the metric longer, and what all made of it."""
    name, rows = document["metric"], document["commits"]
    counted = [r for r in rows if r["why"] is None]
    least = percent(document["least"]).lstrip("+")
    first = next((r for r in counted if r["commit"] == document["first"]), None)
    if first is None:
        said = f"No commit makes {name} longer by {least} or more"
    else:
        said = (
            f"The first commit that makes {name} longer by {least} or more is"
            f' {first["commit"][:12]} ("{first["subject"]}"), {percent(first["change"])}'
            f"{_or_before(rows, rows.index(first))}"
        )
    whole = percent(_relative(*document["levels"]))
    same, between = (sum(r[key] for r in counted) for key in ("same", "between"))
    booted = f", {same - between} of them booted" if between else ""
    anew = sum(r["anew"] for r in rows)
    apart = f"; not compared: {anew}" if anew else ""
    return (
        f"{said}. All {len(rows)} together: {whole}. They change nothing: {same}{booted};"
        f" not counted: {len(rows) - len(counted) - anew}{apart}."
    )


def _or_before(rows: Sequence[Mapping[str, Any]], at: int) -> str:
    """Return what a commit's change may be of as well: those right before it without counts."""
    lost = 0
    while lost < at and rows[at - lost - 1]["why"] is not None:
        lost += 1
    if not lost:
        return ""
    which = "the one before it that has" if lost == 1 else f"one of the {lost} before it that have"
    return f", or {which} no counts"
