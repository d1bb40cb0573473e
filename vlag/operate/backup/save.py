# SPDX-License-Identifier: GPL-2.0-only
"""`vlag backup`: all of an installation, while it runs.

Whatever names another thing is taken before what it names, and nothing that is named is
ever changed in normal service, nor taken away but by `vlag gc`, which waits for a backup.  So
whichever moments the parts show, what a part names is in the backup:

1. `lab/`: names jobs of a LAVA server;
2. the database `buildbot`: its finished steps name rows of `vlag`;
3. the database `vlag`: its rows name bundles and reports;
4. other databases, such as `lavaserver`: know every job that 1 names;
5. all other files: bundles are whole before a row names them, and immutable.

What the later parts have and no earlier one names is what was going on: Buildbot asks for
it again, as after a kill, and each stage finds what is there.

1 to 4 are staged below the state folder; then restic saves that folder as one snapshot,
which appears when it is whole.
"""

from __future__ import annotations

import datetime
import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path

import vlag
from vlag.config import Settings
from vlag.errors import InfrastructureError, UsageError
from vlag.lock import hold
from vlag.operate.backup import dumps, running_server, state
from vlag.operate.backup.dumps import Database
from vlag.operate.backup.repository import Repository
from vlag.operate.gc import removing
from vlag.store import database

log = logging.getLogger(__name__)

#: What a snapshot says of itself, below `state.STAGE`.
MANIFEST = "manifest.json"
SCHEMA = 2

_ALL_LOCATIONS = "SELECT location FROM build UNION SELECT location FROM run ORDER BY 1"
_LOCATIONS = (
    "SELECT location FROM build b WHERE NOT EXISTS (SELECT FROM removal x WHERE x.build = b.id)"
    " UNION"
    " SELECT location FROM run r WHERE NOT EXISTS (SELECT FROM removal x WHERE x.run = r.id)"
    " ORDER BY 1"
)


def backup(settings: Settings, to: Repository, others: Mapping[str, str]) -> str:
    """Save an installation to a repository, which is made if missing; return the snapshot.

    `others` maps the names of more databases to their connection strings.  Raises
    UsageError for a repository that cannot be used, InfrastructureError for a database or
    a file that cannot be read; then there is no snapshot of it.  It also raises
    InfrastructureError where bundles are lost; then there is one of all else.
    """
    if not settings.state.is_dir():
        raise UsageError(f"{settings.state}: no state folder; {settings.path} names it as state")
    if to.folder is not None and to.folder.is_relative_to(settings.state):
        raise UsageError(f"{to.folder}: lies in the state folder itself; name a folder elsewhere")

    def busy() -> None:
        raise UsageError(f"another backup of {settings.state} is being made; wait for its end")

    with hold(settings.state / "locks" / "backup", busy):
        to.make()
        stage = settings.state / state.STAGE
        shutil.rmtree(stage, ignore_errors=True)
        try:
            stage.mkdir(mode=0o700)
            # A row that is dumped must not lose its bundle before that is saved.
            with hold(removing(settings), lambda: log.info("waits for the end of vlag gc")):
                with running_server.running(settings):
                    lost = _stage(settings, stage, others)
                with state.still_mirrors(settings.state):
                    snapshot = to.save(settings.state, state.excluded(settings.state))
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    if lost:
        raise InfrastructureError(
            f"snapshot {snapshot} was made, but {len(lost)} bundles that the database names are"
            f" gone from {settings.state}, and vlag gc did not remove them; the first: {lost[0]};"
            " bring them back from an earlier snapshot",
            retry=False,
        )
    return snapshot


def _stage(settings: Settings, stage: Path, others: Mapping[str, str]) -> list[Path]:
    """Write what is not a file of the state folder as it is; return bundles that are lost."""
    state.stage_lab(settings.state)
    (stage / "databases").mkdir()
    databases = {}
    wanted = {name: settings.dsn(name) for name in ("buildbot", "vlag")} | dict(others)
    for name, dsn in wanted.items():
        db = Database(name=name, dsn=dsn)
        databases[name] = dumps.dump(db, stage / "databases" / f"{name}.dump")
    missing = [path for path in _locations(settings) if not _is_there(settings.state, path)]
    elsewhere = [path for path in missing if not _is_below(settings.state, path)]
    if elsewhere:
        log.info(
            f"{len(elsewhere)} bundles that the database names are not below {settings.state} and"
            f" so not in the backup; the first: {elsewhere[0]}"
        )
    manifest = {
        "schema": SCHEMA,
        "vlag": vlag.__version__,
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "state": str(settings.state),
        "databases": databases,
    }
    (stage / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return [path for path in missing if path not in elsewhere]


def _locations(settings: Settings) -> list[Path]:
    """Return the bundles that rows name, without those that vlag gc has removed."""
    with database.connect(settings.dsn(), newer=True) as conn:

        def has(table: str) -> bool:
            return conn.execute("SELECT to_regclass(%s)", (f"public.{table}",)).fetchone() != (
                None,
            )

        if not has("run"):
            return []
        # Tables of an older vlag are upgraded by its next start.
        asked = _LOCATIONS if has("removal") else _ALL_LOCATIONS
        home = settings.state.resolve()
        return [home / row[0] for row in conn.execute(asked).fetchall()]


def _is_there(folder: Path, bundle: Path) -> bool:
    """Tell whether a bundle is whole and below the state folder."""
    whole = any((bundle / name).is_file() for name in ("build.json", "run.json"))
    return whole and _is_below(folder, bundle)


def _is_below(folder: Path, bundle: Path) -> bool:
    """Tell whether a bundle's place is below the state folder; rows have resolved paths."""
    return bundle.is_relative_to(folder) or bundle.is_relative_to(folder.resolve())
