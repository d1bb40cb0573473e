# SPDX-License-Identifier: GPL-2.0-only
"""The page of a branch says that a history has two levels."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import psycopg

from tests.conftest import fresh_database
from tests.integration.websites import Template, application, visitor


def test_boots_of_two_levels_are_bimodal(
    cluster: str, branch_template: Template, tmp_path: Path
) -> None:
    dsn = fresh_database(cluster, branch_template.database)
    client = visitor(application(dsn, tmp_path))
    with psycopg.connect(dsn) as conn:
        # The figure with the most boots of the branch.
        row = conn.execute(
            "SELECT h.series, h.statistic, count(*) FROM read_model.history h"
            " JOIN read_model.kernel_branch f ON f.kernel = h.kernel"
            " WHERE f.tree || '/' || f.branch = %s AND h.statistic = 'median'"
            " GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT 1",
            [branch_template.filled.branch],
        ).fetchone()
    assert row is not None
    query = {"branch": branch_template.filled.branch, "board": "qemu-sim-2",
             "series": row[0], "statistic": row[1]}  # fmt: skip
    address = f"/branch?{urlencode(query)}"
    assert "Bimodal" not in client.get(address).text  # negative control: as they were drawn
    with psycopg.connect(dsn) as conn:
        conn.execute(
            "UPDATE run_value SET value = value * CASE WHEN run %% 2 = 0 THEN 1.5 ELSE 1 END"
            " WHERE series = %s AND statistic = %s",
            row[:2],
        )
    page = client.get(address).text
    assert "Bimodal: " in page
    assert "of the boots are at the upper level" in page
