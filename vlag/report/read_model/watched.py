# SPDX-License-Identifier: GPL-2.0-only
"""Boots of the kernels of comparisons in which rtla timerlat watched the worst wake-ups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from vlag.model import Observation
from vlag.report.read_model.rows import rows
from vlag.store.database import Connection


class WatchedRow(TypedDict):
    """A boot that observes timerlat, of one side of a comparison."""

    comparison: int
    is_new: bool
    id: int
    benchmark: str
    parameters: str
    location: str


def watched(conn: Connection, comparisons: Sequence[int]) -> list[WatchedRow]:
    """Return the boots of both sides of comparisons that observe timerlat and ended well."""
    return rows(
        conn,
        WatchedRow,
        "SELECT c.id AS comparison, side.is_new, r.id, r.benchmark, r.parameters, r.location"
        " FROM read_model.comparison c"
        " CROSS JOIN LATERAL (VALUES (false, c.base_kernel, c.base_knobs),"
        "   (true, c.new_kernel, c.new_knobs)) AS side (is_new, kernel, knobs)"
        " JOIN read_model.run r ON r.kernel = side.kernel AND r.knobs = side.knobs"
        "   AND r.board_type = c.board_type"
        " WHERE c.id = ANY(%(ids)s) AND r.observes = %(observes)s AND r.outcome = 'complete'"
        "   AND r.left_out IS NULL AND NOT r.synthetic"
        " ORDER BY c.id, r.benchmark, r.parameters, r.id",
        {"ids": list(comparisons), "observes": Observation.TIMERLAT.value},
    )
