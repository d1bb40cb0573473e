# SPDX-License-Identifier: GPL-2.0-only
"""What a stored comparison says, as tests ask it."""

from __future__ import annotations

from vlag.compare.kernels import StoredComparison
from vlag.store import comparisons
from vlag.store.database import Connection


def words(c: StoredComparison) -> dict[str, str]:
    return {f"{v.metric} {v.statistic}": v.verdict for v in c.verdicts}


def stored(conn: Connection, c: StoredComparison) -> comparisons.Comparison:
    row = comparisons.by_id(conn, c.id)
    assert row is not None
    return row
