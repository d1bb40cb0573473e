# SPDX-License-Identifier: GPL-2.0-only
"""`vlag restore`: an installation as a backup has it."""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from vlag.config import Settings
from vlag.errors import RefusedError, UsageError
from vlag.operate.backup import dumps, running_server, save, state
from vlag.operate.backup.dumps import Database
from vlag.operate.backup.repository import Repository
from vlag.operate.service import restoring, revisions
from vlag.store import run_values

log = logging.getLogger(__name__)

#: Names of databases name files of a backup as well.
_DATABASE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def restore(
    settings: Settings,
    repository: Repository,
    snapshot: str | None,
    others: Mapping[str, str],
    without: Collection[str],
) -> str:
    """Make an installation of a snapshot, in a state folder and databases without data.

    Without a name the newest snapshot is taken; returns its id.  `others` maps the names
    of more databases to their connection strings, `without` names those that are left
    out.  Tables that are older than this code are brought up to date.  A restore that was
    broken off may be run again.  Raises UsageError for what a person has to put right
    first, RefusedError for a damaged backup; then no data was changed.
    """
    broken = restoring.mark_of(settings.state)
    if broken is None:
        _refuse_files(settings)
    id_ = str(repository.snapshot(snapshot)["short_id"])
    repository.check(data=False)
    manifest = read_manifest(
        repository.read(id_, f"{state.STAGE}/{save.MANIFEST}"), f"{repository.place} {id_}"
    )
    _refuse(manifest, f"{repository.place} {id_}", others, without)
    into = {
        name: Database(name=name, dsn=others[name] if name in others else settings.dsn(name))
        for name in manifest["databases"]
        if name not in without
    }
    with running_server.alone(settings):
        for name, one in into.items():
            dumps.refuse_older(one, manifest["databases"][name])
            # What a restore that was broken off has loaded is no loss, in that database alone.
            if broken is None or broken.databases.get(name) != one.place:
                _refuse_data(one)
        stage = settings.state / state.STAGE
        shutil.rmtree(stage, ignore_errors=True)
        try:
            stage.mkdir(mode=0o700)
            log.info("files: restic writes and checks them")
            repository.extract(id_, stage)
            for link, to in state.cut_links(stage):
                log.info(f"{link} is a link that leads out of the backup, to {to}: it is left out")
            state.own(stage, settings.state.stat())
            if broken is not None:
                state.forget(settings.state)
            _put(settings, repository, id_, stage, into, manifest)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    return id_


def read_manifest(text: str, where: str) -> dict[str, Any]:
    """Return a backup's manifest; RefusedError if it is not one, before anything is written."""
    try:
        manifest = dict(json.loads(text))
        sound = (
            type(manifest["schema"]) is int
            and all(isinstance(manifest[key], str) for key in ("vlag", "state"))
            and Path(manifest["state"]).is_absolute()
            and all(
                _DATABASE.fullmatch(name) and isinstance(about["revisions"], list)
                for name, about in manifest["databases"].items()
            )
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise RefusedError(f"{save.MANIFEST} is not a backup's manifest", path=where)
    return manifest


def _put(
    settings: Settings,
    repository: Repository,
    snapshot: str,
    stage: Path,
    into: Mapping[str, Database],
    manifest: Mapping[str, Any],
) -> None:
    """Bring databases and files to their places; until the end the service does not start."""
    places = {name: one.place for name, one in into.items()}
    restoring.mark(
        settings.state,
        restoring.Mark(repository=repository.place, snapshot=snapshot, databases=places),
    )
    saved = stage / state.STAGE
    for name, one in into.items():
        log.info(f"database {name}: loading")
        dumps.clear(one)
        dumps.load(saved / "databases" / f"{name}.dump", one)
    if (saved / state.LAB).exists():
        (saved / state.LAB).rename(stage / state.LAB)
    shutil.rmtree(saved)
    for kept in state.put(stage, settings.state):
        log.info(f"{kept} was there and stays; the backup has another one")
    was = Path(manifest["state"])
    _relocate(settings, was)
    # Rows of an older vlag name bundles by the folder of that time.
    run_values.migrate(settings.dsn(), [was])
    (settings.state / restoring.MARK).unlink()


def _refuse(
    manifest: Mapping[str, Any], place: str, others: Mapping[str, str], without: Collection[str]
) -> None:
    """Refuse what cannot be restored here."""
    if manifest["schema"] > save.SCHEMA:
        raise UsageError(
            f"{place}: the backup was made by a newer vlag ({manifest['vlag']}); update the"
            " checkout"
        )
    for name, about in manifest["databases"].items():
        unknown = revisions.newer(name, about["revisions"])
        if unknown:
            what = "this code" if name == "vlag" else "the Buildbot that is installed"
            raise UsageError(
                f"{place}: database {name} of the backup is newer than {what} (it has"
                f" {', '.join(unknown)}; vlag {manifest['vlag']} made it): update the checkout"
                " and run `make setup`"
            )
        if name not in ("vlag", "buildbot", *others, *without):
            raise UsageError(
                f"{place}: the backup has a database {name} too: say where it goes with"
                f" --database {name}=DSN, or leave it out with --without {name}"
            )
    for name in (*others, *without):
        if name not in manifest["databases"]:
            raise UsageError(
                f"{place}: the backup has no database {name}; it has"
                f" {', '.join(manifest['databases'])}"
            )


def _refuse_files(settings: Settings) -> None:
    there = state.data(settings.state)
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


def _relocate(settings: Settings, was: Path) -> None:
    """Change files of an older vlag that name `was`, the state folder of the backup."""
    for path in settings.lab_jobs.glob("*/bundle"):
        if path.is_symlink():
            continue
        text = path.read_text(encoding="utf-8")
        if text.startswith(f"{was}/"):
            path.write_text(text.removeprefix(f"{was}/"), encoding="utf-8")
