"""A backup's folder: what is in it, and how a whole one is told from any other.

    FOLDER/20260301T013000Z/manifest.json    versions, row counts and checksums
    FOLDER/20260301T013000Z/files.jsonl      a line a file
    FOLDER/20260301T013000Z/databases/NAME.dump
    FOLDER/20260301T013000Z/files/...        below the state folder

Until it is whole it is called `.20260301T013000Z.partial`.  A file that is as it was in
the backup before is a hard link to that one's, so each backup is whole by itself and any
of them may be removed.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from vlag.bundle import sha256
from vlag.config.documents import fault
from vlag.errors import RefusedError, UsageError
from vlag.model import digest

MANIFEST, LISTING, FILES = "manifest.json", "files.jsonl", "files"
NAME = re.compile(r"\d{8}T\d{6}Z")
SCHEMA = "backup.schema.json"


@frozen(kw_only=True)
class Entry:
    """A file of the state folder; a symbolic link has `to`, an empty folder no digest."""

    path: str  # below the state folder
    mode: int
    bytes: int = 0
    sha256: str | None = None
    mtime_ns: int = 0
    same: str | None = None  # an earlier entry that is the same file, by another name
    to: str | None = None


@frozen(kw_only=True)
class Archive:
    """A backup that says of itself that it is whole."""

    folder: Path
    manifest: Mapping[str, Any]

    @property
    def databases(self) -> Mapping[str, Mapping[str, Any]]:
        """Return what the manifest says of each database."""
        known: Mapping[str, Mapping[str, Any]] = self.manifest["databases"]
        return known

    def file(self, path: str) -> Path:
        """Return where the backup has a file of the state folder."""
        return self.folder / FILES / path

    def entries(self) -> Iterator[Entry]:
        """Read the list of files; RefusedError for a line that is none."""
        listing = self.folder / LISTING
        with listing.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    entry = Entry(**json.loads(line))
                except (ValueError, TypeError) as e:
                    raise RefusedError("no entry of a backup", path=listing, line=number) from e
                for path in (entry.path, entry.same or ""):
                    if path.startswith("/") or ".." in Path(path).parts:
                        raise RefusedError(
                            f"{path} leads out of the backup", path=listing, line=number
                        )
                yield entry


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let a disk that is full be said with the file that it is about."""
    try:
        yield
    except OSError as e:
        if e.filename is None:
            raise OSError(e.errno, e.strerror, str(path)) from e
        raise


def line_of(entry: Entry) -> str:
    """Return an entry's line in the list of files."""
    default = Entry(path="", mode=0)
    said = {k: v for k, v in asdict(entry).items() if v != getattr(default, k) or k == "mode"}
    return json.dumps(said, sort_keys=True) + "\n"


def write(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest, which names itself by its digest."""
    document = {**manifest, "digest": digest(manifest)}
    path = folder / MANIFEST
    path.touch(mode=0o600)
    with naming(path):
        path.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def newest(folder: Path) -> Path | None:
    """Return the newest whole backup in a folder of backups."""
    return max(
        (p.parent for p in folder.glob(f"*/{MANIFEST}") if NAME.fullmatch(p.parent.name)),
        default=None,
    )


def read(path: Path) -> Archive:
    """Read a backup, or the newest one in a folder of them.

    Raises UsageError where there is none, RefusedError for one that has been changed.
    """
    folder = path if (path / MANIFEST).is_file() else newest(path)
    if folder is None or folder.suffix == ".partial":
        part = " (one that was broken off is)" if any(path.glob(".*.partial")) else ""
        raise UsageError(
            f"{path}: no backup is there{part}; name a folder that `vlag backup` has made"
        )
    manifest = folder / MANIFEST
    try:
        document = json.loads(manifest.read_text(encoding="utf-8"))
    except ValueError as e:
        raise RefusedError(f"not valid JSON ({e}); the backup is damaged", path=manifest) from e
    schema = document.get("schema") if isinstance(document, dict) else None
    if isinstance(schema, int) and schema > 1:
        raise UsageError(
            f"{manifest}: the backup was made by a newer vlag ({document.get('vlag')}); update the"
            " checkout"
        )
    wrong = fault(document, SCHEMA)
    if wrong:
        raise RefusedError(f"{wrong}; the backup is damaged", path=manifest)
    said = document.pop("digest")
    if digest(document) != said:
        raise RefusedError("it is not as it was written; the backup is damaged", path=manifest)
    listing = folder / LISTING
    if not listing.is_file() or sha256(listing) != document["files"]["sha256"]:
        raise RefusedError(
            f"it is {'changed' if listing.is_file() else 'missing'}; the backup is damaged",
            path=listing,
        )
    return Archive(folder=folder, manifest=document)
