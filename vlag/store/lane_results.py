# SPDX-License-Identifier: GPL-2.0-only
"""Build lanes of commits: what broke, and which warnings were new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vlag.store.columns import Columns
from vlag.store.database import Connection

_RESULT = ("outcome", "reason", "is_new", "warnings", "unjudged", "toolchain", "record")
_KEY = ("tree", "commit", "lane")
_COLUMNS = Columns((*_KEY, "subject", "parent", *_RESULT))
_FINDING = Columns(("lane_build", "number", "kind", "file", "line", "message", "count", "is_new"))


def put(
    conn: Connection,
    *,
    tree: str,
    commit: str,
    subject: str,
    parent: str | None,
    lanes: Sequence[Mapping[str, Any]],
) -> None:
    """Store lanes of a commit, as `vlag.pipeline.lane_builds` describes them.

    A later build of a lane replaces the one on record.
    """
    inserted = _COLUMNS.inserted(record="below_state")
    columns = {"tree": tree, "commit": commit, "subject": subject, "parent": parent}
    with conn.transaction():
        for one in lanes:
            row = conn.execute(
                f"INSERT INTO lane_build {inserted} ON CONFLICT ({', '.join(_KEY)})"
                f" DO UPDATE SET {_COLUMNS.renewed(_KEY)}, built_at = now() RETURNING id",
                {**one, **columns},
            ).fetchone()
            assert row is not None  # noqa: S101 - it was there or has just been added
            conn.execute("DELETE FROM lane_finding WHERE lane_build = %s", row)
            with conn.cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO lane_finding {_FINDING.inserted()}",
                    [
                        {**finding, "lane_build": row[0], "number": n}
                        for n, finding in enumerate(one["findings"], 1)
                    ],
                )
