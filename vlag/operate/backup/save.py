"""`vlag backup`: all of an installation at one moment, while it runs.

Whatever names another thing is taken before what it names, and nothing that is named is
ever changed or taken away in normal service.  So whichever moments the parts show, what a
part names is in the backup:

1. `lab/`: names jobs of a LAVA server;
2. the database `buildbot`: its finished steps name rows of `vlag`;
3. the database `vlag`: its rows name bundles and reports;
4. other databases, such as `lavaserver`: know every job that 1 names;
5. all other files: bundles are whole before a row names them, and immutable.

What the later parts have and no earlier one names is what was going on: Buildbot asks for
it again, as after a kill, and each stage finds what is there.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import vlag
from vlag.bundle import sha256
from vlag.config import Settings
from vlag.errors import UsageError
from vlag.lock import hold
from vlag.operate.backup import archive, dumps, files, server
from vlag.operate.backup.archive import Entry
from vlag.operate.backup.dumps import Database, Moment

_LOCATIONS = "SELECT location FROM build UNION SELECT location FROM run ORDER BY 1"


def backup(
    settings: Settings, into: Path, others: Mapping[str, str], say: Callable[[str], None]
) -> Path:
    """Make a backup in the folder `into`, which may hold earlier ones; return its folder.

    `others` maps the names of more databases to their connection strings.  Raises
    UsageError for a folder that cannot be used, InfrastructureError for a database that
    cannot be read; then nothing is left of it.
    """
    into = into.absolute()
    if not settings.state.is_dir():
        raise UsageError(f"{settings.state}: no state folder; {settings.path} names it as state")
    if into.is_relative_to(settings.state):
        raise UsageError(f"{into}: lies in the state folder itself; name a folder elsewhere")
    if into.exists() and not into.is_dir():
        raise UsageError(f"{into}: is no folder; name one for backups")
    into.mkdir(mode=0o700, parents=True, exist_ok=True)

    def busy() -> None:
        raise UsageError(f"{into}: another backup is being made there; wait for its end")

    with hold(into / ".lock", busy):
        for left in into.glob(".*.partial"):
            say(f"removing {left.name}, a backup that was broken off")
            files.drop(left)
        name = _free_name(into)
        draft = into / f".{name}.partial"
        try:
            draft.mkdir(mode=0o700)
            with server.running(settings, say):
                _fill(settings, draft, archive.newest(into), others, say)
            os.sync()
            draft.rename(into / name)
        except BaseException:  # a Ctrl-C too; a full disk is to have its room back
            files.drop(draft)
            raise
    return into / name


def _free_name(into: Path) -> str:
    """Return the name of a backup that begins now."""
    while True:
        name = f"{datetime.datetime.now(datetime.UTC):%Y%m%dT%H%M%SZ}"
        if not (into / name).exists():
            return name
        time.sleep(0.1)  # two within one second


def _fill(
    settings: Settings,
    draft: Path,
    last: Path | None,
    others: Mapping[str, str],
    say: Callable[[str], None],
) -> None:
    began = _now()
    wanted = [Database(name=n, dsn=settings.dsn(n)) for n in ("buildbot", "vlag")]
    wanted += [Database(name=n, dsn=dsn) for n, dsn in others.items()]
    taking = files.Taking(settings.state, draft, _entries(last), last, say)
    if (settings.state / files.FIRST).exists():
        taking.take(files.FIRST)
    (draft / "databases").mkdir(mode=0o700)
    with _moments(wanted) as moments:
        databases = {
            m.database.name: dumps.dump(m, draft / "databases" / f"{m.database.name}.dump", say)
            for m in moments
        }
        named = next(_locations(m) for m in moments if m.database.name == "vlag")
    (draft / archive.FILES).mkdir(mode=0o700, exist_ok=True)
    for name in files.top(settings.state):
        if name != files.FIRST:
            taking.take(name)
    missing = [n for n in named if not _has(taking, settings.state, n)]
    if missing:
        say(
            f"{len(missing)} bundles that the database names are not below {settings.state} and so"
            f" not in the backup; the first: {missing[0]}"
        )
    listing = draft / archive.LISTING
    listing.touch(mode=0o600)
    with archive.naming(listing), listing.open("w", encoding="utf-8") as out:
        out.writelines(archive.line_of(entry) for entry in taking.taken.values())
    say(
        f"files: {len(taking.taken)} ({taking.bytes / 1e9:.2f} GB), {taking.linked} as in the last"
        " backup"
    )
    archive.write(
        draft,
        {
            "schema": 1,
            "kind": "backup",
            "vlag": vlag.__version__,
            "began_at": began,
            "ended_at": _now(),
            "state": str(settings.state),
            "databases": databases,
            "files": {
                "count": len(taking.taken),
                "bytes": taking.bytes,
                "sha256": sha256(listing),
            },
            "missing": missing,
        },
    )


@contextlib.contextmanager
def _moments(wanted: list[Database]) -> Iterator[list[Moment]]:
    """Yield each database as it is at a moment, in this order, all before any is copied."""
    with contextlib.ExitStack() as held:
        yield [held.enter_context(dumps.moment(of)) for of in wanted]


def _locations(now: Moment) -> list[str]:
    if "public.run" not in now.tables:
        return []
    return [str(row[0]) for row in now.conn.execute(_LOCATIONS).fetchall()]


def _has(taking: files.Taking, state: Path, location: str) -> bool:
    path = Path(location)
    # Rows have resolved paths.
    for folder in (state, state.resolve()):
        if path.is_relative_to(folder):
            return taking.has(path.relative_to(folder))
    return False


def _entries(last: Path | None) -> dict[str, Entry]:
    if last is None:
        return {}
    return {entry.path: entry for entry in archive.read(last).entries()}


def _now() -> Any:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
