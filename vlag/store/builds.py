# SPDX-License-Identifier: GPL-2.0-only
"""Builds of kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import frozen
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from vlag.bundle_records import BuildRecord, FileRecord
from vlag.store.columns import columns
from vlag.store.database import Connection


@frozen(kw_only=True)
class Build:
    """A row of `build`; `document` is build.json."""

    id: int
    kernel: int
    bundle_digest: str
    outcome: str
    reason: str | None
    release: str | None
    image_sha256: str | None
    config_sha256: str | None
    toolchain: str
    started_at: datetime
    finished_at: datetime
    location: str
    document: BuildRecord

    @property
    def config(self) -> str:
        """Return the path of its config below its location; "" if it failed before it had one."""
        config = self.document["config"]
        return "" if config is None else config["path"]

    @property
    def files(self) -> Sequence[FileRecord]:
        """Return the files of its bundle."""
        return self.document["files"]

    @property
    def reproduce(self) -> str:
        """Return the command that builds it again."""
        return self.document["reproduce"]

    @property
    def image(self) -> tuple[str, str] | None:
        """Return the digests of its image and config; None if it failed."""
        if self.image_sha256 is None or self.config_sha256 is None:
            return None
        return self.image_sha256, self.config_sha256


_COLUMNS = columns(Build, but=("id",))
_SELECTED = _COLUMNS.selected(location="in_state(location)")
_BUILD = f"SELECT id, {_SELECTED} FROM build b"  # noqa: S608 - constants


def insert(
    conn: Connection, *, kernel_id: int, document: Mapping[str, Any], digest: str, location: str
) -> int | None:
    """Add a build and return its id, or None if its bundle is on record."""
    image, config = document["image"], document["config"]
    with conn.cursor(row_factory=scalar_row) as cursor:
        id_: int | None = cursor.execute(
            f"INSERT INTO build {_COLUMNS.inserted(location='below_state')}"
            " ON CONFLICT (bundle_digest) DO NOTHING RETURNING id",
            {
                **document,
                "kernel": kernel_id,
                "bundle_digest": digest,
                "image_sha256": image and image["sha256"],
                "config_sha256": config and config["sha256"],
                "location": location,
                "document": Jsonb(document),
            },
        ).fetchone()
    return id_


def id_of(conn: Connection, bundle_digest: str) -> int | None:
    """Return the id of a bundle's build, or None."""
    row = conn.execute("SELECT id FROM build WHERE bundle_digest = %s", (bundle_digest,)).fetchone()
    return None if row is None else int(row[0])


def of_kernels(conn: Connection, kernels: Sequence[int]) -> list[Build]:
    """Return all builds of these kernels, in the order in which they entered."""
    with conn.cursor(row_factory=class_row(Build)) as cursor:
        return cursor.execute(
            _BUILD + " WHERE kernel = ANY(%s) ORDER BY id", (list(kernels),)
        ).fetchall()


def kernels_of_image(conn: Connection, image_sha256: str, config_sha256: str) -> list[int]:
    """Return the kernels with a complete build of an image and its config, the first one first."""
    rows = conn.execute(
        "SELECT kernel FROM build WHERE (image_sha256, config_sha256) = (%s, %s)"
        " AND outcome = 'complete' GROUP BY kernel ORDER BY min(id)",
        (image_sha256, config_sha256),
    )
    return [row[0] for row in rows]
