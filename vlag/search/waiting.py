# SPDX-License-Identifier: GPL-2.0-only
"""The searches that wait or run: the service makes one after the other, in the order of nights.

There is no list of them: a comparison waits whose record asks for a search and has no answer.
"""

from __future__ import annotations

from typing import Final

from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError
from vlag.search import searches
from vlag.store import search_queue
from vlag.store.database import Connection
from vlag.store.judged import Pair

#: Comparisons that are looked at, the latest; more than a night has with losses.
_MOST: Final = 50


def before(
    conn: Connection, settings: Settings, catalogue: Catalogue, pair: Pair, *, together: bool
) -> list[str]:
    """Return the board type of each search that waited or ran when a comparison was made.

    One that the settings do not allow, or that git cannot make, waits for nothing.  `together`
    counts those of the same night or push as well.
    """
    found = []
    for id_, board_type in search_queue.unanswered(conn, pair, together=together, most=_MOST):
        try:
            questions = searches.questions(conn, settings, catalogue, id_)
        except InfrastructureError:  # the mirror lacks a commit
            continue
        if any(searches.too_long(settings, q) is None for q in questions[:1]):
            found.append(board_type)
    return found
