# SPDX-License-Identifier: GPL-2.0-only
"""Build lanes of commits: what broke, and which warnings were new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vlag.store.database import Connection

_RESULT = ("outcome", "reason", "is_new", "warnings", "unjudged", "toolchain", "record")
_KEY = ("tree", "commit", "lane")
_COLUMNS = (*_KEY, "subject", "parent", *_RESULT)
_FINDING = ("kind", "file", "line", "message", "count", "is_new")


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
    marks = ", ".join(
        f"below_state(%({name})s)" if name == "record" else f"%({name})s" for name in _COLUMNS
    )
    renewed = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS if name not in _KEY)
    columns = {"tree": tree, "commit": commit, "subject": subject, "parent": parent}
    with conn.transaction():
        for one in lanes:
            row = conn.execute(
                f"INSERT INTO lane_build ({', '.join(_COLUMNS)}) VALUES ({marks})"  # noqa: S608 - constants
                f" ON CONFLICT ({', '.join(_KEY)}) DO UPDATE SET {renewed}, built_at = now()"
                " RETURNING id",
                {**one, **columns},
            ).fetchone()
            assert row is not None  # noqa: S101 - it was there or has just been added
            conn.execute("DELETE FROM lane_finding WHERE lane_build = %s", row)
            with conn.cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO lane_finding (lane_build, number, {', '.join(_FINDING)})"  # noqa: S608 - constants
                    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                    [
                        (row[0], n, *(finding[name] for name in _FINDING))
                        for n, finding in enumerate(one["findings"], 1)
                    ],
                )
