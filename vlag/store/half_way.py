# SPDX-License-Identifier: GPL-2.0-only
"""Migrations that versions of vlag with yoyo may have left without their mark.

They committed a migration's statements and its mark one after the other, so a kill between the
two left a database that has the tables but not the mark.  Migrations that are not listed here
were always applied in one transaction with their mark.
"""

from __future__ import annotations

from vlag.store.database import Connection

#: Number of a migration -> a relation, or a column of one, that it makes.
_MADE = {
    "0001": "kernel",
    "0002": "comparison",
    "0003": "kernel.patches",
    "0004": "comparison.plan",
    "0005": "sample.absent",
    "0006": "shift",
    "0007": "board_check",
    "0008": "run_value",
    "0009": "alert",
    "0010": "run_took",
    # 0011 only corrects rows and may be applied twice.
    "0012": "multiple_testing",
    "0013": "run.observes",
    "0014": "histogram.interval",
    "0016": "kernel_ref",
    "0017": "profile",
    "0018": "profile_path",
    "0019": "profile_function.callers",
    "0020": "bisection",
    "0021": "try",
    "0022": "sampled_profile",
    "0023": "lane_build",
    "0024": "branch_head",
    "0025": "comparison.baseline",
    "0026": "suspicion.conditions",
    "0027": "alert.muted_at",
    "0028": "series.joined_to",
    "0029": "run.reading",
}


def is_applied(conn: Connection, id_: str) -> bool:
    """Return whether the database has what a migration makes, whatever its marks say."""
    number = id_[:4]
    if number == "0015":
        row = conn.execute("SELECT 1 FROM pg_enum WHERE enumlabel = 'MARGINAL'").fetchone()
        return row is not None
    if number not in _MADE:
        return False
    name, _, column = _MADE[number].partition(".")
    there = conn.execute("SELECT to_regclass(%s)::oid", (f'public."{name}"',)).fetchone()
    if there is None or there[0] is None or not column:
        return there is not None and there[0] is not None
    record = conn.execute(
        "SELECT 1 FROM pg_attribute WHERE attrelid = %s AND attname = %s AND NOT attisdropped",
        (there[0], column),
    ).fetchone()
    return record is not None
