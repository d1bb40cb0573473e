# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons whose losses nobody has searched yet."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from vlag.store.database import Connection
from vlag.store.judged import Pair

#: What has no answer for so long gets none: it was left out, or waits for another day.
_FORGOTTEN: Final = timedelta(days=2)

# Of a base on a board type the newest head counts: older ones most often show the same cause.
_UNANSWERED = """
SELECT max(c.id), c.board_type FROM read_model.comparison c
WHERE c.at < %(at)s AND c.at > %(at)s - %(forgotten)s
  AND NOT c.synthetic AND c.role IS DISTINCT FROM 'parent'
  AND (c.base_kernel, c.board_type) <> (%(base)s, %(board_type)s)
  AND EXISTS (SELECT FROM read_model.verdict v WHERE v.comparison = c.id
    AND v.verdict = 'REGRESSION' AND v.standing IN ('confirmed', 'told'))
  AND NOT EXISTS (SELECT FROM bisection_comparison l JOIN bisection s ON s.id = l.bisection
    WHERE l.comparison = c.id AND s.created_at <= %(at)s)
  AND NOT EXISTS (SELECT FROM search_progress p
    WHERE p.comparison = c.id AND p.ended AND p.updated_at <= %(at)s)
  AND (%(together)s OR c.new_commit <> %(commit)s AND NOT EXISTS (SELECT FROM night t
    WHERE t.comparisons @> ARRAY[c.id, %(id)s]))
GROUP BY c.base_kernel, c.board_type ORDER BY 1 DESC LIMIT %(most)s
"""


def unanswered(conn: Connection, pair: Pair, *, together: bool, most: int) -> list[tuple[int, str]]:
    """Return comparisons made before one, with board types, that had a loss and no answer then.

    `together` counts those of the same night or push as well.  At most so many, the latest first.
    """
    values = {
        "at": pair.created_at, "forgotten": _FORGOTTEN, "base": pair.base_kernel,
        "board_type": pair.board_type, "together": together, "commit": pair.commit, "id": pair.id,
        "most": most,
    }  # fmt: skip
    return conn.execute(_UNANSWERED, values).fetchall()
