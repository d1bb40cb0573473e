# SPDX-License-Identifier: GPL-2.0-only
"""Kernels with boots on record, compared as pushes and nights compare them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import define

from tests.integration import bundles
from vlag.alerts import derive as alerting
from vlag.compare.kernels import compare
from vlag.config import Alerts
from vlag.config.catalogue import Catalogue
from vlag.model import Plan
from vlag.store.alerts import Alert, Event
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOW = tuple(0.88 * f for f in SAME)
SLOWER = tuple(0.80 * f for f in SAME)
FAST = tuple(1.12 * f for f in SAME)

BASE = bundles.kernel("6.1")
SMALL, BIG = "qemu-sim-2", "qemu-sim-4"


def head(number: int, **changes: Any) -> dict[str, Any]:
    """Return commit `number` of the branch linux-6.12, committed on that day of March."""
    given = {
        "branch": "linux-6.12",
        "describe": f"debian/6.12.{number}-1",
        "subject": f"change number {number}",
        "committed_at": f"2026-03-{number:02}T00:00:00Z",
        **changes,
    }
    return bundles.kernel(f"6.12.{number}", **given)


def why(conn: Connection, alert: int) -> str:
    """Return the reason of what was done last to an alert."""
    row = conn.execute(
        "SELECT why FROM alert_event WHERE alert = %s ORDER BY id DESC LIMIT 1", (alert,)
    ).fetchone()
    assert row is not None
    return str(row[0])


@define(kw_only=True)
class Record:
    """What a test puts on record, and the alerts that are then there."""

    conn: Connection
    catalogue: Catalogue
    folder: Path

    def fill(self, of: dict[str, Any], factors: Sequence[float], **changes: Any) -> None:
        """Store a kernel with one boot a factor."""
        board_type = changes.pop("board_type", SMALL)
        kind = self.catalogue.board_type(board_type)
        board = {**bundles.BOARD, "name": f"{board_type}-1", "board_type": board_type,
                 "cpus": kind.cpus, "deterministic": kind.deterministic}  # fmt: skip
        if not kind.deterministic:
            board["emulator"] = None
        folder = self.folder / board_type
        paths = bundles.side(
            folder, of, self.catalogue, factors=tuple(factors), board=board, **changes
        )
        bundles.store(self.conn, self.catalogue, paths)

    def compare(
        self,
        base: dict[str, Any],
        new: dict[str, Any],
        role: str | None,
        *,
        board_type: str = SMALL,
        plan: Plan | None = None,
        stage: Any = None,
        knobs: dict[str, str] | None = None,
    ) -> int:
        """Compare two kernels on record and return the comparison."""
        return compare(
            conn=self.conn,
            catalogue=self.catalogue,
            base=KernelRef(text=base["digest"]),
            new=KernelRef(text=new["digest"], knobs=knobs or {}),
            board_type=board_type,
            plan=plan,
            stage=stage,
            role=role,
        ).id

    def derive(self, *comparisons: int, thresholds: Alerts | None = None) -> list[Alert]:
        """Derive alerts of comparisons."""
        return alerting.derive(self.conn, self.catalogue, comparisons, thresholds)

    def told(self, *comparisons: int, **options: Any) -> list[tuple[int, str | None]]:
        """Derive, and return which alerts were touched and what was done to them."""
        return [(a.id, a.action) for a in self.derive(*comparisons, **options)]

    def standing(self) -> list[int]:
        """Return the alerts that nothing has withdrawn."""
        rows = self.conn.execute("SELECT id FROM alert WHERE withdrawn_at IS NULL ORDER BY id")
        return [row[0] for row in rows]

    def alert(self, id_: int) -> dict[str, Any]:
        """Return what people are shown of an alert."""
        cursor = self.conn.execute("SELECT * FROM read_model.alert WHERE id = %s", (id_,))
        names = [c.name for c in cursor.description or ()]
        row = cursor.fetchone()
        assert row is not None
        return dict(zip(names, row, strict=True))

    def events(self, id_: int) -> list[Event]:
        """Return what became of an alert."""
        rows = self.conn.execute(
            "SELECT id, alert, at, by, action, triage::text, why FROM alert_event"
            " WHERE alert = %s ORDER BY id",
            (id_,),
        ).fetchall()
        names = ("id", "alert", "at", "by", "action", "triage", "why")
        return [Event(**dict(zip(names, row, strict=True))) for row in rows]

    def actions(self, id_: int) -> list[str]:
        """Return the actions on an alert in their order."""
        return [event.action for event in self.events(id_)]
