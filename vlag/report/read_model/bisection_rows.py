# SPDX-License-Identifier: GPL-2.0-only
"""Since when: the commits that searches have found, in words."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from datetime import datetime

from vlag.report.document import BisectionColumns, BisectionData
from vlag.report.read_model.rows import rows
from vlag.store.database import Connection

_SUBJECT = 72  # characters of a subject in a sentence


class BisectionRow(BisectionColumns):
    """`bisection`: the commit that made a figure worse."""

    at: datetime


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


def since_of(conn: Connection, comparisons: Sequence[int]) -> str | None:
    """Return since which commit comparisons are worse; None: nobody has searched, or found it."""
    searches = bisections(conn, comparisons)
    sentences = dict.fromkeys(f"{f['sentence']} ({f['benchmark']})" for f in searches)
    return "; ".join(sentences) or None


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
    return culprit
