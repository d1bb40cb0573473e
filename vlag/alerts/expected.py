# SPDX-License-Identifier: GPL-2.0-only
"""When what is not known yet is expected: by earlier answers, and by what comes before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from attrs import field, frozen

from vlag.alerts.surroundings import Surroundings
from vlag.config.catalogue import Catalogue
from vlag.printable import minute
from vlag.report.compared import counted, duration
from vlag.store import durations
from vlag.store.database import Connection
from vlag.store.durations import Took
from vlag.store.judged import Pair

#: What is not known of a cause.
COMMIT: Final = "its commit"
PATCH: Final = "its patch"
TAKES_IT_BACK: Final = "what takes it back"
FUNCTION: Final = "the function"


@frozen(kw_only=True)
class _Before:
    """The searches that wait or run before an answer."""

    searches: int = 0
    longest: timedelta | None = field(factory=timedelta)  # of all; None: that is not known


def expected(
    conn: Connection, catalogue: Catalogue, pair: Pair, around: Surroundings
) -> Mapping[str, str]:
    """Return when answers about a comparison are expected, in words, by what they are.

    What came after the comparison counts not: what an alert expects stays as it was said.  What no
    earlier answers tell is left out.
    """
    if pair.synthetic:
        return {}
    said: dict[str, str] = {}
    board_type, at = pair.board_type, pair.created_at
    if around.searches and (took := durations.of_search(conn, board_type, at)) is not None:
        said |= _words(COMMIT, pair, took, _before(conn, catalogue, pair, around, together=True))
    if around.profiles and (took := durations.of_profile(conn, board_type, at)) is not None:
        before = _before(conn, catalogue, pair, around, together=False)
        said |= _words(FUNCTION, pair, took, before)
    return said


def _words(what: str, pair: Pair, took: Took, before: _Before) -> dict[str, str]:
    if before.longest is None:
        return {}
    end = minute(pair.created_at + before.longest + took.longest)
    each = f"the last {took.answers} took up to {duration(took.longest.total_seconds())}"
    if before.searches:
        verb = "waits or runs" if before.searches == 1 else "wait or run"
        number = counted(before.searches, "search", "searches")
        each += f", and {number} that {verb} before it {duration(before.longest.total_seconds())}"
    return {what: f" (expected by {end}: {each})"}


def _before(
    conn: Connection, catalogue: Catalogue, pair: Pair, around: Surroundings, *, together: bool
) -> _Before:
    """Return the searches that come before an answer; `together`: those of its night as well.

    A push or a night is profiled before the first of its own searches begins.
    """
    if around.settings is None or not around.searches:
        return _Before()
    # Statistics: what shows pages imports this module, and has none.
    from vlag.search import waiting  # noqa: PLC0415

    queued = waiting.before(conn, around.settings, catalogue, pair, together=together)
    longest = timedelta()
    for board_type, searches in Counter(queued).items():
        took = durations.of_search(conn, board_type, pair.created_at)
        if took is None:
            return _Before(searches=len(queued), longest=None)
        longest += searches * took.longest
    return _Before(searches=len(queued), longest=longest)
