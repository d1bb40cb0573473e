"""`vlag restore`: an installation as a backup has it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from vlag.bundle import sha256
from vlag.config import Settings
from vlag.errors import RefusedError, UsageError
from vlag.operate.backup import archive, dumps, files, server
from vlag.operate.backup.archive import Archive
from vlag.operate.backup.dumps import Database
from vlag.operate.service import restoring, revisions
from vlag.store import database, run_values


def check(path: Path, say: Callable[[str], None]) -> Archive:
    """Read all of a backup, without a database; return it.

    Raises UsageError where there is none, RefusedError with the file and what is wrong.
    """
    found = archive.read(path)
    for name, said in found.databases.items():
        dump = found.folder / "databases" / f"{name}.dump"
        if not dump.is_file():
            raise RefusedError("it is missing; the backup is damaged", path=dump)
        if dump.stat().st_size != said["bytes"]:
            raise RefusedError(
                f"it has {dump.stat().st_size} bytes, not {said['bytes']}; the backup is damaged",
                path=dump,
            )
        if sha256(dump) != said["sha256"]:
            raise RefusedError("it is not as it was written; the backup is damaged", path=dump)
        dumps.check(dump, said)
        rows = sum(table["rows"] for table in said["tables"].values())
        say(f"database {name}: {len(said['tables'])} tables, {rows} rows are whole")
    files.check(found, say)
    counted = found.manifest["files"]
    say(f"files: {counted['count']} ({counted['bytes'] / 1e9:.2f} GB) are whole")
    return found


def restore(
    settings: Settings,
    path: Path,
    others: Mapping[str, str],
    without: Collection[str],
    say: Callable[[str], None],
) -> Archive:
    """Make an installation of a backup, in a state folder and databases without data.

    `others` maps the names of more databases to their connection strings, `without` names
    those that are left out.  Tables that are older than this code are brought up to date.
    A restore that was broken off may be run again.  Raises UsageError for what a person
    has to put right first; then nothing was changed.
    """
    found = archive.read(path)
    _refuse(found, path, others, without)
    check(found.folder, say)
    into = [
        Database(name=name, dsn=others[name] if name in others else settings.dsn(name))
        for name in found.databases
        if name not in without
    ]
    settings.state.mkdir(parents=True, exist_ok=True)
    broken = restoring.mark_of(settings.state)
    if broken is None:
        _refuse_files(settings)
    with server.alone(settings, say):
        for one in into:
            dumps.refuse_older(one, found.databases[one.name])
            # What a restore that was broken off has loaded is no loss, in that database alone.
            if broken is None or broken.databases.get(one.name) != one.place:
                _refuse_data(one)
        if broken is not None and broken.backup != str(found.folder):
            files.forget(settings.state)
        restoring.mark(settings.state, found.folder, {one.name: one.place for one in into})
        for one in into:
            say(f"database {one.name}: loading")
            dumps.clear(one)
            dump = found.folder / "databases" / f"{one.name}.dump"
            dumps.load(dump, one, found.databases[one.name])
            say(f"database {one.name}: all rows are there")
        back = files.restore(found, settings.state, say)
        for name in back.kept:
            say(f"{settings.state / name} was there and stays; the backup has another one")
        _relocate(settings, Path(found.manifest["state"]), say)
        run_values.migrate(settings.dsn(), say)
        os.sync()
        (settings.state / restoring.MARK).unlink()
    say(f"files: {back.count} are there")
    return found


def _refuse(
    found: Archive, path: Path, others: Mapping[str, str], without: Collection[str]
) -> None:
    """Refuse what cannot be restored here."""
    for name, said in found.databases.items():
        unknown = revisions.newer(name, said["revisions"])
        if unknown:
            what = "this code" if name == "vlag" else "the Buildbot that is installed"
            raise UsageError(
                f"{path}: database {name} of the backup is newer than {what} (it has"
                f" {', '.join(unknown)}; vlag {found.manifest['vlag']} made it): update the"
                " checkout and run `make setup`"
            )
        if name not in ("vlag", "buildbot", *others, *without):
            raise UsageError(
                f"{path}: the backup has a database {name} too: say where it goes with"
                f" --database {name}=DSN, or leave it out with --without {name}"
            )
    for name in (*others, *without):
        if name not in found.databases:
            raise UsageError(
                f"{path}: the backup has no database {name}; it has {', '.join(found.databases)}"
            )


def _refuse_files(settings: Settings) -> None:
    there = files.lost(settings.state)
    if there is not None:
        raise UsageError(
            f"{settings.state}: has data ({there}): a restore needs an empty state folder; name"
            f" another one in {settings.path}, or move this one away"
        )


def _refuse_data(one: Database) -> None:
    table = dumps.data_of(one)
    if table is not None:
        raise UsageError(
            f"the database {one.name} has data (rows in {table}): a restore needs an empty one"
        )


def _relocate(settings: Settings, was: Path, say: Callable[[str], None]) -> None:
    """Let rows and files that name the state folder name the one that is now.

    `was` is that of the backup.  Twice is as good as once.
    """
    if was == settings.state:
        return
    say(f"{was} is called {settings.state} now")
    old, new = str(was), str(settings.state)
    with database.connect(settings.dsn()) as conn, conn.transaction():
        for table in ("build", "run"):
            conn.execute(
                f"UPDATE {table} SET location = %(new)s || substr(location, length(%(old)s) + 1)"  # noqa: S608 - constant
                " WHERE starts_with(location, %(old)s || '/')",
                {"old": old, "new": new},
            )
    for path in settings.lab_jobs.glob("*/bundle"):
        text = path.read_text(encoding="utf-8")
        if text.startswith(f"{old}/"):
            path.write_text(new + text.removeprefix(old), encoding="utf-8")
