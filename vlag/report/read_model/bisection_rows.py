# SPDX-License-Identifier: GPL-2.0-only
"""Since when: the commits that searches have found, in words."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from vlag.report.document import BisectionColumns, BisectionData, FixData
from vlag.report.read_model.rows import rows
from vlag.stats.numbers import chance as percent
from vlag.store.database import Connection

_SUBJECT = 72  # characters of a subject in a sentence
_NAMED = 3  # commits in a sentence
_SEVERAL = 0.05  # chance of several commits from which it is said


class LikelyData(TypedDict):
    """A commit that may have made a figure worse."""

    commit: str
    subject: str
    chance: float


class SearchProgressRow(TypedDict):
    """`search_progress`: a search that has named no commit so far."""

    comparison: int
    tree: str
    benchmark: str
    parameters: str
    likeliest: list[LikelyData]
    credible: int  # commits that together have the culprit surely enough
    several: float  # chance that no single commit made the change
    ended: bool  # without a name; False: it goes on
    at: datetime


class SearchProgressData(SearchProgressRow):
    """Such a search, and what it says."""

    sentence: str


class BisectionRow(BisectionColumns):
    """`bisection`: the commit that made a figure worse."""

    at: datetime


class FixRow(FixData):
    """`fix`: what took back what a comparison shows, or that nothing did."""

    comparison: int
    bisection: int
    at: datetime


def fixes_of(conn: Connection, comparisons: Sequence[int]) -> list[FixRow]:
    """Return the commits that took back what comparisons show, each once, the first found first."""
    return rows(
        conn,
        FixRow,
        "SELECT * FROM (SELECT DISTINCT ON (f.bisection, f.branch) f.* FROM read_model.fix f"
        "   WHERE f.comparison = ANY(%(ids)s) AND f.commits <> '{}'"
        "   ORDER BY f.bisection, f.branch, f.comparison) f ORDER BY f.at, f.branch",
        {"ids": list(comparisons)},
    )


def bisections(conn: Connection, comparisons: Sequence[int]) -> list[BisectionData]:
    """Return the searches that explain comparisons, the largest change first.

    Each is data that JSON can hold, with the sentence that `since` makes of it.
    """
    searches = rows(
        conn,
        BisectionRow,
        "SELECT * FROM read_model.bisection WHERE comparison = ANY(%(ids)s)"
        " ORDER BY read_model.size(effect) DESC, benchmark, id DESC",
        {"ids": list(comparisons)},
    )
    return [{**f, "at": f["at"].isoformat(), "sentence": since(f)} for f in searches]


def searching(conn: Connection, comparisons: Sequence[int]) -> list[SearchProgressData]:
    """Return the searches of comparisons that have named no commit, the latest first."""
    found = rows(
        conn,
        SearchProgressRow,
        "SELECT * FROM read_model.search_progress WHERE comparison = ANY(%(ids)s)"
        " ORDER BY at DESC, comparison, benchmark",
        {"ids": list(comparisons)},
    )
    return [{**f, "sentence": so_far(f)} for f in found]


def so_far(f: SearchProgressRow) -> str:
    """Return which commits it may be by the boots so far, with their chances."""
    named = [f"{x['commit'][:12]} {percent(x['chance'])}" for x in f["likeliest"][:_NAMED]]
    if f["credible"] == 1:
        named = named[:1]
        words = f"most likely {named[0]}, not verified"
    else:
        likeliest = ", the likeliest" if f["credible"] > len(named) else ""
        words = f"one of {f['credible']} commits{likeliest}: {', '.join(named)}"
    if f["several"] >= _SEVERAL:
        words += f"; several commits {percent(f['several'])}"
    return f"{words}; the search {'named none' if f['ended'] else 'goes on'}"


def since_of(conn: Connection, comparisons: Sequence[int]) -> str | None:
    """Return since which commit comparisons are worse, or may be; None: nobody has searched."""
    searches = bisections(conn, comparisons)
    done = {f["benchmark"] for f in searches}
    sentences = [(f["sentence"], f["benchmark"]) for f in searches]
    sentences += [
        (f["sentence"], f["benchmark"])
        for f in searching(conn, comparisons)
        if f["benchmark"] not in done
    ]
    return "; ".join(dict.fromkeys(f"{words} ({name})" for words, name in sentences)) or None


def since(f: BisectionColumns, author: str | None = None) -> str:
    """Return a search's commit, by whom, how it was found and how it was verified."""
    how = f"bisected in {f['steps']} steps"
    growth = f["document"].get("growth")
    if growth is not None:
        return f"{growth['sentence']}, {how}"
    if len(f["commits"]) > 1:
        named = ", ".join(c[:12] for c in f["commits"])
        return f"one of {named}, {how}: skipped commits hide which"
    subject = textwrap.shorten(f["subject"], _SUBJECT, placeholder=" ...")
    by = "" if author is None else f" by {author}"
    culprit = f'{f["commits"][0][:12]} ("{subject}"){by}, {how}'
    if f["share"] is not None:
        culprit += f"; {100 * f['share']:.0f} % of the change"
    if f["recovered"] is not None:
        culprit += f", and its revert takes back {100 * f['recovered']:.0f} %"
    elif f["no_revert"] is not None:
        culprit += f"; no revert: {f['no_revert']}"
    return "; ".join([culprit, *map(fixed, f["fixes"])])


def fixed(fix: FixData) -> str:
    """Return what took a loss back on a branch, or that nothing did."""
    if not fix["commits"]:
        return f"no fix among the {fix['between']} commits after it on {fix['branch']}"
    release = f" in {fix['release']}" if fix["release"] else f" on {fix['branch']}"
    if len(fix["commits"]) > 1:
        named = ", ".join(c[:12] for c in fix["commits"])
        return f"fixed by one of {named}{release}: skipped commits hide which"
    subject = textwrap.shorten(fix["subject"] or "", _SUBJECT, placeholder=" ...")
    says = ", which says so itself" if fix["says_so"] else ""
    return f'fixed by {fix["commits"][0][:12]} ("{subject}"){release}{says}'
