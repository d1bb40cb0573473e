# SPDX-License-Identifier: GPL-2.0-only
"""What a reader is told about the beginning of a loss: in an alert, on its page and in a mail."""

from __future__ import annotations

import re

from attrs import frozen

from vlag.report import read_model
from vlag.store.database import Connection

_COMMIT = "([0-9a-f]{12})"
_BLAMED = re.compile(rf"\b[Cc]ommit {_COMMIT}\b|\bsince {_COMMIT} \(one commit after")
_BETWEEN = re.compile(rf"\bbetween {_COMMIT} and {_COMMIT}\b|\bin {_COMMIT}\.\.{_COMMIT}")
_REWRITTEN = re.compile(rf"\bsince {_COMMIT} \(the branch was rewritten after {_COMMIT}\)")
_SLOWLY = re.compile(rf"\bslowly since {_COMMIT}\b")


@frozen(kw_only=True)
class Began:
    """A statement about where a loss began; commits have 12 digits.

    With `bad` alone that commit lost it, with `good` alone commits after it.  With both, the head
    `bad` has it and the head `good` has not.
    """

    good: str | None = None
    bad: str | None = None

    @property
    def blamed(self) -> str | None:
        """Return the one commit that it blames, if it does."""
        return self.bad if self.good is None else None


def began(text: str) -> frozenset[Began]:
    """Return what a text says of the beginning of a loss."""
    text = " ".join(text.split())  # an alert's lines are wrapped
    onsets = {Began(bad=a or b) for a, b in _BLAMED.findall(text)}
    onsets |= {Began(good=a or c, bad=b or d) for a, b, c, d in _BETWEEN.findall(text)}
    onsets |= {Began(good=good, bad=bad) for bad, good in _REWRITTEN.findall(text)}
    return frozenset(onsets | {Began(good=good) for good in _SLOWLY.findall(text)})


def of_alert(conn: Connection, alert: int) -> frozenset[Began]:
    """Return what the title and text of an alert and its page say of the beginning of its loss."""
    row = conn.execute("SELECT title, body, role FROM alert WHERE id = %s", (alert,)).fetchone()
    assert row is not None
    title, body, role = row
    onsets = began(title) | began(body)
    if role != "parent":  # the page of such a one names its commit, as the title does
        rows = conn.execute(
            "SELECT id FROM read_model.alert_verdict WHERE alert = %s", (alert,)
        ).fetchall()
        for onset in read_model.onsets(conn, [id_ for (id_,) in rows]).values():
            onsets |= began(onset.words or "")
    return onsets
