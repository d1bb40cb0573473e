# SPDX-License-Identifier: GPL-2.0-only
"""What the pages of a regression say of its figures on other boards and branches."""

from __future__ import annotations

from collections.abc import Iterable

from vlag.report.read_model.elsewhere import Elsewhere, elsewhere
from vlag.report.read_model.view_rows import VerdictRow
from vlag.store.database import Connection

#: Figures of a page: further ones are less bad, and have pages of their own.
_FIGURES = 6


def of(conn: Connection, verdicts: Iterable[VerdictRow]) -> list[Elsewhere]:
    """Return the worst figures of some rows of the view `verdict`, with what is elsewhere.

    These are worse, proven or not.  Rows are worst first, and stay so.
    """
    worse = [v for v in verdicts if v["verdict"] == "REGRESSION" and (v["worsening"] or 0) > 0]
    return elsewhere(conn, worse[:_FIGURES])
