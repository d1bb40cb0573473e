# SPDX-License-Identifier: GPL-2.0-only
"""Known vulnerabilities of the locked Python packages, from a snapshot of OSV's database.

A snapshot is OSV's export of one ecosystem: a zip file, or a folder, with one JSON file an
advisory.  It needs no network; how old it is, is said first, and one that is too old is refused.
"""

from __future__ import annotations

import datetime
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen
from packaging.version import InvalidVersion, Version

from release import lock
from vlag.errors import UsageError
from vlag.notation import NotationError, read_json

#: A snapshot that is older is refused: advisories come every day.
OLDEST_DAYS = 30
#: The largest advisory of PyPI has under a megabyte.
_BYTES_MAX = 16 << 20


@frozen(kw_only=True)
class Finding:
    """An advisory that concerns a locked release."""

    requirement: lock.Requirement
    advisory: str
    aliases: tuple[str, ...]
    fixed: tuple[str, ...]  # releases without it, empty if there is none
    summary: str

    @property
    def line(self) -> str:
        """Return it for a terminal."""
        where = "the service" if self.requirement.runtime else "developers' tools"
        names = ", ".join((self.advisory, *self.aliases))
        mend = f"fixed in {' and '.join(self.fixed)}" if self.fixed else "no fixed release"
        return f"{self.requirement.ref} ({where}): {names}: {self.summary}; {mend}"


def records(snapshot: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the advisories of a snapshot.  Raises UsageError for one that cannot be read."""
    try:
        for name, data in _files(snapshot):
            try:
                found = read_json(data, bytes_max=_BYTES_MAX)
            except NotationError as e:
                raise UsageError(f"{snapshot}: {name} is no advisory of OSV: {e}") from e
            if not isinstance(found, dict) or not isinstance(found.get("id"), str):
                raise UsageError(f"{snapshot}: {name} is no advisory of OSV: it has no `id`")
            yield found
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as e:
        raise UsageError(f"{snapshot}: no zip file, or a damaged one: fetch it again ({e})") from e


def _files(snapshot: Path) -> Iterator[tuple[str, bytes]]:
    if snapshot.is_dir():
        for path in sorted(snapshot.glob("*.json")):
            yield path.name, path.read_bytes()
        return
    with zipfile.ZipFile(snapshot) as archive:
        for info in archive.infolist():
            if info.filename.endswith(".json"):
                with archive.open(info) as file:
                    # The size that a zip file states is its author's word.
                    yield info.filename, file.read(_BYTES_MAX + 1)


def day(advisories: Iterable[Mapping[str, Any]]) -> datetime.datetime:
    """Return when a snapshot was made: when the youngest of its advisories changed.

    Raises UsageError for a snapshot without one.
    """
    stamps = [str(a.get("modified", "")) for a in advisories]
    try:
        return max(_moment(stamp) for stamp in stamps)
    except ValueError as e:
        raise UsageError(f"the snapshot has no advisory with a date `modified`: {e}") from e


def _moment(stamp: str) -> datetime.datetime:
    made = datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", stamp))
    return made if made.tzinfo else made.replace(tzinfo=datetime.UTC)


def findings(
    requirements: Iterable[lock.Requirement], advisories: Iterable[Mapping[str, Any]]
) -> list[Finding]:
    """Return what concerns the requirements, those of the service first."""
    by_name: dict[str, list[lock.Requirement]] = {}
    for requirement in requirements:
        by_name.setdefault(requirement.name, []).append(requirement)
    found = [
        Finding(
            requirement=requirement,
            advisory=advisory["id"],
            aliases=tuple(map(str, advisory.get("aliases") or ())),
            fixed=_fixed(affected),
            summary=" ".join(str(advisory.get("summary") or "no summary").split()),
        )
        for advisory in advisories
        if not advisory.get("withdrawn")
        for affected in advisory.get("affected") or ()
        if affected.get("package", {}).get("ecosystem") == "PyPI"
        for requirement in by_name.get(_normal(str(affected["package"].get("name"))), ())
        if concerns(requirement.version, affected)
    ]
    return sorted(found, key=lambda f: (not f.requirement.runtime, f.requirement.ref, f.advisory))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def concerns(version: str, affected: Mapping[str, Any]) -> bool:
    """Return whether a release is among the versions, or in a range, of an advisory's `affected`.

    A bound that is no version of Python's is taken to concern every release: better one too many.
    """
    try:
        ours = Version(version)
        if any(ours == Version(v) for v in affected.get("versions") or () if _is_version(v)):
            return True
        ranges = [r for r in affected.get("ranges") or () if r.get("type") == "ECOSYSTEM"]
        return any(_inside(ours, r.get("events") or ()) for r in ranges)
    except InvalidVersion:
        return True


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def _inside(ours: Version, events: Iterable[Mapping[str, str]]) -> bool:
    """Walk the events of a range in the order of their versions."""
    inside = False
    bounds = [(Version(bound), kind) for event in events for kind, bound in event.items()]
    # At one version the end of a range comes before the beginning of the next.
    for bound, kind in sorted(bounds, key=lambda b: (b[0], b[1] == "introduced")):
        if kind == "introduced" and ours >= bound:
            inside = True
        elif (kind == "fixed" and ours >= bound) or (kind == "last_affected" and ours > bound):
            inside = False
    return inside


def _fixed(affected: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        event["fixed"]
        for bounds in affected.get("ranges") or ()
        if bounds.get("type") == "ECOSYSTEM"
        for event in bounds.get("events") or ()
        if "fixed" in event
    )


def main(snapshot: Path, oldest_days: int, now: datetime.datetime) -> int:
    """Print what is known against the lock file; return 1 if there is something, else 0."""
    advisories = list(records(snapshot))
    made = day(advisories)
    age = (now - made).days
    print(
        f"{snapshot}: {len(advisories)} advisories, the youngest of {made:%Y-%m-%d}, {age} days ago"
    )
    if age > oldest_days:
        raise UsageError(
            f"{snapshot} is older than {oldest_days} days: fetch a new export from OSV"
        )
    requirements = lock.read()
    found = findings(requirements, advisories)
    for finding in found:
        print(finding.line)
    print(f"{len(requirements)} locked packages, {len(found)} advisories that concern them")
    return 1 if found else 0
