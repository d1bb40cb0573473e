# SPDX-License-Identifier: GPL-2.0-only
"""`vlag gc`: remove raw files that are old and that nothing on record points to.

Rows and figures stay.  A removal is put on record first; then the bundle's folder gets a name
that nothing takes for a bundle, and is deleted.  Whatever is killed in between, the next call
finishes.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag.bundle import REMOVED
from vlag.config import Gc, Settings
from vlag.errors import InfrastructureError
from vlag.lock import hold
from vlag.operate import buildbot_rows
from vlag.store import removals
from vlag.store.database import Connection
from vlag.store.removals import Candidate, Kind, Removal

log = logging.getLogger(__name__)

#: Days within which a bundle that was used again stays, whatever its age.
_USED_DAYS = 7
#: Bundles that are put on record at once, which takes seconds after years, and deleted at once.
_BATCH, _DELETED = 2000, 100
#: Days whose bundles predict what the next ones add.
RECENT_DAYS = 30


@frozen(kw_only=True)
class Found:
    """A bundle that the rule removes."""

    kind: Kind
    id: int  # row of `run` or `build`
    folder: Path
    finished_at: datetime.datetime
    bytes: int

    def __str__(self) -> str:
        """Return it as one line."""
        what = f"{self.kind} {self.id} of {self.finished_at:%Y-%m-%d}"
        return f"{self.folder}: {what}, {size(self.bytes)}"


@frozen(kw_only=True)
class Growth:
    """What the state folder grows by."""

    day: Mapping[str, float]  # bytes a day, by kind, over the last RECENT_DAYS
    free: int  # bytes on its disk

    @property
    def bytes(self) -> float:
        """Return the bytes of a day."""
        return sum(self.day.values())

    def text(self) -> str:
        """Return a sentence."""
        each = " and ".join(f"{size(amount)} of {kind}s" for kind, amount in self.day.items())
        if not self.bytes:
            return f"nothing was added in the last {RECENT_DAYS} days; {size(self.free)} are free"
        full = f"full after {self.free / self.bytes:,.0f} days if nothing is removed"
        return f"a day adds {each}; {size(self.free)} are free: {full}"


@frozen(kw_only=True)
class Result:
    """What a call has removed, or would remove."""

    bundles: Sequence[Found]
    kept: Mapping[Kind, Mapping[str, int]]  # old ones that stay, by reason
    builds: int  # of Buildbot's database
    growth: Growth
    finished: int = 0  # removals of an earlier call that was killed

    @property
    def bytes(self) -> int:
        """Return the bytes of all files."""
        return sum(f.bytes for f in self.bundles)

    def document(self, *, listed: bool) -> dict[str, Any]:
        """Return it as JSON, with all bundles if they are to be `listed`."""
        bundles = [
            {
                "kind": f.kind,
                "id": f.id,
                "folder": str(f.folder),
                "bytes": f.bytes,
                "finished_at": f.finished_at.isoformat(),
            }
            for f in self.bundles
        ]
        return {
            **({"bundles": bundles} if listed else {}),
            "count": len(self.bundles),
            "bytes": self.bytes,
            "kept": {kind: dict(why) for kind, why in self.kept.items()},
            "buildbot": self.builds,
            "finished": self.finished,
            "bytes_a_day": {kind: round(amount) for kind, amount in self.growth.day.items()},
            "free": self.growth.free,
            "text": self.text(dry_run=listed),
        }

    def text(self, *, dry_run: bool) -> str:
        """Return it in lines."""
        would = "would go" if dry_run else "went"
        lines = [
            f"{len(self.bundles)} bundles {would}, {size(self.bytes)};"
            f" {self.builds} builds of Buildbot's database"
        ]
        if self.finished:
            lines.append(f"{self.finished} removals of an earlier call were finished")
        for kind, kept in self.kept.items():
            if kept:
                why = ", ".join(f"{name} ({n})" for name, n in kept.items())
                lines.append(f"old {kind}s that stay, by what needs them: {why}")
        return "\n".join([*lines, self.growth.text()])


def size(count: float) -> str:
    """Return bytes in a unit that a person reads: "12.3 MB"."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:,.1f} {unit}"
    return f"{count:.0f} bytes"


def look(conn: Connection, buildbot: Connection | None, settings: Settings, rule: Gc) -> Result:
    """Return what the rule would remove; nothing changes.  `buildbot`: None without its rows."""
    now = datetime.datetime.now(datetime.UTC)
    bundles: list[Found] = []
    kept: dict[Kind, Mapping[str, int]] = {}
    for kind, since in _ages(rule, now):
        bundles += _on_disk(settings, kind, removals.candidates(conn, kind, since))
        kept[kind] = removals.kept(conn, kind, since)
    return Result(
        bundles=bundles,
        kept=kept,
        builds=0 if buildbot is None else buildbot_rows.count(buildbot, _days(rule.buildbot_days)),
        growth=growth(conn, settings),
    )


def collect(conn: Connection, buildbot: Connection | None, settings: Settings, rule: Gc) -> Result:
    """Remove what the rule names, and what an earlier call has left; return what went.

    Waits for a backup, which needs every bundle that a row names.
    """

    def busy() -> None:
        log.info("waits for the end of a backup, or of another vlag gc")

    with hold(removing(settings), busy):
        left = _finish(conn, settings)
        plan = look(conn, buildbot, settings, rule)
        gone: list[Found] = []
        now = datetime.datetime.now(datetime.UTC)
        for kind, since in _ages(rule, now):
            mine = [f for f in plan.bundles if f.kind == kind]
            why = f"older than {(now - since).days} days, and nothing points to it"
            for i in range(0, len(mine), _BATCH):
                sizes = {f.id: f.bytes for f in mine[i : i + _BATCH]}
                recorded = set(removals.record(conn, kind, since, sizes, why))
                _finish(conn, settings)
                gone += [f for f in mine[i : i + _BATCH] if f.id in recorded]
                log.info(
                    f"{len(gone)} of {len(plan.bundles)} bundles removed,"
                    f" {size(sum(f.bytes for f in gone))}"
                )
        builds = 0
        if buildbot is not None:
            builds = buildbot_rows.remove(buildbot, _days(rule.buildbot_days))
        return Result(
            bundles=gone,
            kept=plan.kept,
            builds=builds,
            growth=growth(conn, settings),
            finished=left,
        )


def removing(settings: Settings) -> Path:
    """Return the lock that a backup and a removal hold in turns."""
    return settings.state / "locks" / "removing"


def growth(conn: Connection, settings: Settings) -> Growth:
    """Return what the newest bundles have added, a day."""
    added = removals.added(conn, RECENT_DAYS)
    return Growth(
        day={kind: amount / RECENT_DAYS for kind, (_count, amount) in added.items()},
        free=shutil.disk_usage(settings.state).free,
    )


def _ages(rule: Gc, now: datetime.datetime) -> Iterator[tuple[Kind, datetime.datetime]]:
    ages: tuple[tuple[Kind, int | None], ...] = (
        ("run", rule.runs_days), ("build", rule.builds_days),
    )  # fmt: skip
    for kind, days in ages:
        if days is not None:
            yield kind, now - datetime.timedelta(days=days)


def _days(days: int | None) -> datetime.timedelta | None:
    return None if days is None else datetime.timedelta(days=days)


def _on_disk(settings: Settings, kind: Kind, candidates: Sequence[Candidate]) -> Iterator[Found]:
    """Yield the bundles below the state folder that were not used again lately."""
    for candidate in candidates:
        folder = Path(candidate.location)
        if not _is_ours(settings, folder):
            continue
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _USED_DAYS * 86400:
                yield Found(
                    kind=kind, id=candidate.id, folder=folder, finished_at=candidate.finished_at,
                    bytes=_bytes(folder),
                )  # fmt: skip


def _is_ours(settings: Settings, folder: Path) -> bool:
    """Return whether a folder is a bundle of this installation: what lies elsewhere is others'."""
    homes = (settings.runs, settings.builds)
    return any(folder.parent.parent == home.resolve() for home in homes)


def _bytes(folder: Path) -> int:
    return sum(
        os.lstat(os.path.join(above, name)).st_size
        for above, _folders, names in os.walk(folder)
        for name in names
    )


def _finish(conn: Connection, settings: Settings) -> int:
    """Delete the files of removals on record that are not done; return how many."""
    left = removals.pending(conn)
    for i in range(0, len(left), _DELETED):
        part = left[i : i + _DELETED]
        for removal in part:
            try:
                _delete(settings, removal)
            except OSError as e:
                raise InfrastructureError(
                    f"{removal.location}: cannot be removed ({e.strerror}); vlag gc goes on with"
                    " it when it is called again"
                ) from e
        removals.done(conn, [r.id for r in part])
        if len(left) > _DELETED:
            log.info(f"{i + len(part)} of {len(left)} bundles on record deleted")
    return len(left)


def _delete(settings: Settings, removal: Removal) -> None:
    folder = Path(removal.location)
    if not _is_ours(settings, folder):
        return
    aside = folder.with_name(f"{folder.name}{REMOVED}")
    if folder.exists():
        shutil.rmtree(aside, ignore_errors=True)
        folder.rename(aside)
    if aside.exists():
        shutil.rmtree(aside)
    if removal.kind == "run":
        with contextlib.suppress(OSError):  # it has other bundles
            folder.parent.rmdir()
