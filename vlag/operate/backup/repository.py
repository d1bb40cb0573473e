# SPDX-License-Identifier: GPL-2.0-only
"""The repository that holds the backups: what restic is asked, and what it answers.

restic cuts files into blocks, stores each block once, compressed and encrypted, and checks
the digest of every block that it reads.  See `docs/decisions/0006-backups-with-restic.md`.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag.errors import InfrastructureError, RefusedError, UsageError, blame_program
from vlag.operate.backup.programs import Done, run
from vlag.ownership import write_private

log = logging.getLogger(__name__)

#: The password of a repository in a folder lies beside its data: the folder is whole by itself.
PASSWORD = "password"  # noqa: S105 - the name of a file
#: Host and tag of each snapshot.  The name of a container changes, and restic compares a
#: backup with the last one of the same host.
NAME = "vlag"

_REMOTE = re.compile(r"(sftp|rest|s3|b2|azure|gs|swift|rclone):")
_OWN = ("RESTIC_PASSWORD", "RESTIC_PASSWORD_FILE", "RESTIC_PASSWORD_COMMAND")
#: How often files may vanish while restic reads them.
_TRIES = 5


@frozen(kw_only=True)
class Repository:
    """Where backups are, and how restic opens it."""

    place: str
    password: Path | None  # None: the environment names it, as restic reads it

    @classmethod
    def at(cls, place: str, password: Path | None) -> Repository:
        """Return the repository at a folder, or at a place that restic knows (`sftp:...`).

        Raises UsageError where nothing says what its password is.
        """
        if shutil.which("restic") is None:
            raise UsageError(
                "the program restic is missing: install the Debian package restic (`make setup`"
                " does it)"
            )
        if not _REMOTE.match(place):
            place = str(Path(place.removeprefix("local:")).absolute())
        if password is None and not any(os.environ.get(name) for name in _OWN):
            if _REMOTE.match(place):
                raise UsageError(
                    f"{place}: name a file with the repository's password (--password-file)"
                )
            password = Path(place) / PASSWORD
        elif password is not None and not os.access(password, os.R_OK):
            raise UsageError(f"{password}: cannot be read; make the file, one line")
        return cls(place=place, password=password)

    @property
    def folder(self) -> Path | None:
        """Return the folder of a repository on this machine."""
        return None if _REMOTE.match(self.place) else Path(self.place)

    def make(self) -> None:
        """Make the repository where it is missing; remove locks that a kill has left."""
        folder = self.folder
        if folder is not None:
            there = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
            if "config" not in there and there - {PASSWORD, "lost+found"}:
                raise UsageError(
                    f"{folder}: has files and is no repository of backups; name a new or an empty"
                    " folder"
                )
            if folder.exists() and not folder.is_dir():
                raise UsageError(f"{folder}: is no folder; name one for backups")
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.password == folder / PASSWORD and not self.password.exists():
                write_private(self.password, secrets.token_urlsafe(24) + "\n")
        opened = self._run("cat", "config")
        if opened.status and self._run("init").status:
            raise UsageError(f"{self.place}: {opened.error}")
        self._run("unlock")

    def save(self, folder: Path, excluded: Sequence[str]) -> str:
        """Save a folder without what patterns exclude; return the snapshot's id.

        A snapshot that lacks a file is removed again.  Raises InfrastructureError.
        """
        argv = ["backup", "--json", f"--tag={NAME}", f"--host={NAME}", "--ignore-inode"]
        argv += [f"--exclude={pattern}" for pattern in excluded]
        for _ in range(_TRIES):
            done = self._run(*argv, ".", folder=folder, progress=_percent)
            if done.status not in (0, 3):
                break
            summary = json.loads(done.out.splitlines()[-1])
            snapshot = str(summary["snapshot_id"])[:8]
            if done.status == 0:
                log.info(
                    f"files: {summary['total_files_processed']}"
                    f" ({summary['total_bytes_processed'] / 1e9:.2f} GB),"
                    f" {summary['files_unmodified']} as in the last backup"
                )
                return snapshot
            self._run("forget", snapshot)
        raise InfrastructureError(f"{self.place}: restic cannot save {folder}: {done.error}")

    def snapshot(self, wanted: str | None) -> dict[str, Any]:
        """Return what restic says of a snapshot, or of the newest; UsageError if there is none."""
        folder = self.folder
        if folder is not None and not (folder / "config").is_file():
            raise UsageError(
                f"{folder}: no repository of backups is there; name one that `vlag backup` has made"
            )
        done = self._run("snapshots", "--json", f"--tag={NAME}", *([wanted] if wanted else []))
        if done.status:
            raise UsageError(f"{self.place}: {done.error}")
        snapshots: list[dict[str, Any]] = json.loads(done.out.splitlines()[-1]) or []
        if not snapshots:
            what = f"no snapshot {wanted} is" if wanted else "no backup is"
            raise UsageError(f"{self.place}: {what} there; `restic snapshots` lists all")
        return max(snapshots, key=lambda one: str(one["time"]))

    def read(self, snapshot: str, path: str) -> str:
        """Return a text file of a snapshot; RefusedError where it has none, or it is damaged."""
        done = self._run("dump", snapshot, f"/{path}")
        if done.status:
            raise RefusedError(
                f"it has no {path} that can be read ({done.error}): vlag did not make it, or the"
                " backup is damaged",
                path=f"{self.place} {snapshot}",
            )
        return done.out

    def check(self, *, data: bool) -> None:
        """Check that all blocks of all snapshots are there; with `data`, read each of them."""
        log.info(f"{self.place}: restic checks it")
        done = self._run("check", *(["--read-data"] if data else []), progress=_last)
        if done.status:
            raise RefusedError(f"{done.error}; the backup is damaged", path=self.place)

    def extract(self, snapshot: str, target: Path) -> None:
        """Write a snapshot's files below a folder.

        Raises RefusedError where one cannot be read whole, InfrastructureError where this machine
        has no room for it.
        """

        def progress(_: str) -> str:
            count = sum(len(names) for _, _, names in os.walk(target))
            return f"files: {count} written"

        listed = self._run("ls", "--json", snapshot)
        if listed.status:
            raise RefusedError(
                f"{listed.error}; the backup is damaged", path=f"{self.place} {snapshot}"
            )
        refuse_outside(listed.out.splitlines(), f"{self.place} {snapshot}")
        done = self._run("restore", snapshot, f"--target={target}", progress=progress)
        if done.status:
            message, where = (
                done.error.removeprefix("ignoring error for "),
                f"{self.place} {snapshot}",
            )
            error = blame_program(done.status, message, f"{where}: {message}")
            if isinstance(error, InfrastructureError):
                raise error
            raise RefusedError(f"{message}; the backup is damaged", path=where)

    def _run(
        self,
        *argv: str,
        folder: Path | None = None,
        progress: Callable[[str], str] | None = None,
    ) -> Done:
        environment = {"RESTIC_PROGRESS_FPS": "0.2"}
        if self.password is not None:
            environment |= {**dict.fromkeys(_OWN, ""), _OWN[1]: str(self.password)}
        words = ["restic", f"--repo={self.place}"]
        # A restore reads from a medium that nobody can write to, too.
        words += [] if argv[0] in ("init", "backup", "unlock", "forget") else ["--no-lock"]
        words += [] if self.folder is None else ["--no-cache"]
        return run(
            [*words, *argv],
            environment=environment,
            progress=progress or (lambda _: f"{self.place}: restic {argv[0]}"),
            folder=folder,
        )


def refuse_outside(listed: Iterable[str], where: str) -> None:
    """Raise RefusedError for a snapshot with a file below a link, which may lead anywhere.

    `listed` are the lines of `restic ls --json`.
    """
    paths: set[str] = set()
    links: set[str] = set()
    for line in listed:
        node = json.loads(line)
        if "path" not in node:  # the snapshot itself
            continue
        path = str(node["path"])
        if path in paths or ".." in Path(path).parts:
            raise RefusedError(
                f"{path} is twice in it or leads out of it; the backup is damaged", path=where
            )
        paths.add(path)
        if node.get("type") not in ("dir", "file"):
            links.add(path)
    for path in sorted(paths):
        if any(str(above) in links for above in Path(path).parents):
            raise RefusedError(
                f"{path} is below a link and would be written elsewhere; the backup is damaged",
                path=where,
            )


def _percent(line: str) -> str:
    """Return the progress of `restic backup --json`."""
    try:
        status = json.loads(line)
    except ValueError:
        status = {}
    done, all_ = (status.get(key, 0) for key in ("files_done", "total_files"))
    return f"files: {done} of {all_} ({status.get('percent_done', 0):.0%})"


def _last(line: str) -> str:
    return f"restic: {line}"
