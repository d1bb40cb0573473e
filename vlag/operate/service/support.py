# SPDX-License-Identifier: GPL-2.0-only
"""`vlag support`: one file about an installation for whoever helps, without anything personal."""

from __future__ import annotations

import datetime
import io
import json
import os
import platform
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import vlag
from vlag import IS_CHECKOUT, ROOT, durable
from vlag.config import Settings, included
from vlag.errors import UsageError, VlagError, blame
from vlag.kernel.git import GIT
from vlag.operate.service import health, scrub
from vlag.operate.service.scrub import Scrubber
from vlag.store.database import connect

#: Bytes of the end of each log, and of all of them.
LOG, LOGS = 300_000, 6_000_000
#: Nights that are listed.
_NIGHTS = 60

#: Tables and keys of the settings that are shown.
SHOWN = (
    "include", "state", "ports", "trees", "branches", "weekly", "nightly", "listen", "labs",
    "profile", "sandbox", "toggles", "bisect", "gc", "first", "checks", "build", "alerts",
    "database", "web", "workers", "inventory", "takeover_s", "masters", "boots",
)  # fmt: skip
#: Those of which only is said that they are there: they are about people.
NAMED = ("mail", "webhook", "subscriptions", "people", "report")
#: Ends of keys that name secrets and users.
_LEFT_OUT = ("_file", "user")

_SIZES = (
    "SELECT n.nspname || '.' || c.relname, c.reltuples::bigint, pg_total_relation_size(c.oid)"
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'"
    " AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 3 DESC, 1"
)
_ENDED = (
    "SELECT id, started_at, finished_at, cardinality(comparisons), missing, notes"
    " FROM public.night ORDER BY id DESC LIMIT %s"
)
_MAIL = "SELECT channel, state, count(*) FROM public.message GROUP BY 1, 2 ORDER BY 1, 2"


def support(settings: Settings, to: Path) -> list[str]:
    """Write a tar file, readable to its owner alone, and return the names of what is in it.

    A part that cannot be had, as the database is away, has the reason in its place.  Raises
    UsageError for a file that is there already or cannot be written.
    """
    if to.exists():
        raise UsageError(f"{to}: exists; name a new file")
    cleaner = scrub.of(settings)
    names = []
    try:
        with durable.replacing(to, ".new") as draft:
            draft.touch(mode=0o600)
            with tarfile.open(draft, "w:gz") as tar:
                for name, text in _parts(settings, cleaner):
                    _add(tar, name, text)
                    names.append(name)
    except OSError as e:
        raise blame(e, f"{to}: cannot be written ({e.strerror})") from e
    return names


def _add(tar: tarfile.TarFile, name: str, text: str) -> None:
    content = text.encode()
    entry = tarfile.TarInfo(f"vlag-support/{name}")
    entry.size, entry.mode = len(content), 0o600
    tar.addfile(entry, io.BytesIO(content))


def _parts(settings: Settings, cleaner: Scrubber) -> Iterator[tuple[str, str]]:
    for name, ask in (
        ("versions.json", lambda: _versions(settings)),
        ("settings.json", lambda: shown(included.read(settings.path).raw)),
        ("health.json", lambda: _health(settings)),
        ("database.json", lambda: _database(settings)),
    ):
        answer = _cleaned(_answer(ask), cleaner)
        yield name, json.dumps(answer, indent=1, default=str, ensure_ascii=False) + "\n"
    room = LOGS
    logs = [p for p in (settings.state / "log").glob("*.log*") if p.is_file()]
    for path in sorted(logs, key=lambda p: p.stat().st_mtime, reverse=True):
        if room <= 0:
            return
        text = _end(path, min(LOG, room))
        room -= len(text)
        yield f"log/{cleaner.text(path.name)}", cleaner.text(text)


def _cleaned(value: Any, cleaner: Scrubber) -> Any:
    """Return JSON's value with each text scrubbed, before JSON writes a quote as two characters."""
    if isinstance(value, dict):
        return {_cleaned(key, cleaner): _cleaned(item, cleaner) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item, cleaner) for item in value]
    return cleaner.text(value) if isinstance(value, str) else value


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except VlagError as e:
        return {"cannot be had": str(e)}


def _versions(settings: Settings) -> dict[str, Any]:
    os_release = platform.freedesktop_os_release()
    disk = shutil.disk_usage(settings.state if settings.state.exists() else settings.path.parent)
    return {
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "vlag": vlag.__version__,
        "commit": commit(),
        "python": platform.python_version(),
        "packages": {n: _package(n) for n in ("buildbot", "psycopg", "twisted", "flask")},
        "kernel": platform.release(),
        "machine": platform.machine(),
        "system": os_release.get("PRETTY_NAME"),
        "cpus": os.cpu_count(),
        "disk": {"total": disk.total, "free": disk.free},
    }


def commit() -> str | None:
    """Return the commit of this checkout, with "-dirty" if it was changed; None: it is none.

    Of an installed package it is the one that the installer took from a repository.
    """
    if not IS_CHECKOUT:
        return _installed_commit()
    done = subprocess.run(
        [*GIT, "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip() or None


def _installed_commit() -> str | None:
    """Return what the package's direct_url.json says (PyPA's specification); None: nothing."""
    try:
        text = metadata.distribution("vlag").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
    commit_id = json.loads(text or "{}").get("vcs_info", {}).get("commit_id")
    return None if commit_id is None else str(commit_id)


def _package(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def shown(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without secrets and people, as JSON can hold them."""
    kept = {key: _without(raw[key]) for key in SHOWN if key in raw}
    return kept | {key: "(there; left out)" for key in NAMED if key in raw}


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: "(left out)" if key.endswith(_LEFT_OUT) else _without(item)
            for key, item in value.items()
        }
    return [_without(item) for item in value] if isinstance(value, list) else value


def _health(settings: Settings) -> dict[str, str]:
    states = {}
    for part in ("database", "master", "worker", "artifacts"):
        try:
            states[part] = health.check(settings, part, None)
        except VlagError as e:
            states[part] = f"not well: {e}"
    return states


def _database(settings: Settings) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for name in ("vlag", "buildbot"):
        with connect(settings.dsn(name), newer=True) as conn:
            rows = conn.execute(_SIZES).fetchall()
            facts[name] = {
                "server": conn.info.server_version,
                "tables": [{"table": t, "rows, about": n, "bytes": size} for t, n, size in rows],
            }
            if name != "vlag" or "public.night" not in {t for t, *_ in rows}:
                continue
            keys = ("night", "started", "ended", "comparisons", "missing", "notes")
            nights = conn.execute(_ENDED, (_NIGHTS,)).fetchall()
            facts["nights"] = [dict(zip(keys, row, strict=True)) for row in nights]
            facts["messages"] = [
                {"channel": channel, "state": state, "messages": number}
                for channel, state, number in conn.execute(_MAIL).fetchall()
            ]
            marks = conn.execute("SELECT migration_id FROM public._yoyo_migration").fetchall()
            facts["migrations"] = sorted(str(row[0]) for row in marks)
    return facts


def _end(path: Path, most: int) -> str:
    """Return the last lines of a log."""
    try:
        with path.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(0, size - most))
            text = log.read(most).decode(errors="replace")
    except OSError as e:
        return f"(cannot be read: {e.strerror})\n"
    # Half a line may hold half a secret.
    return text if size <= most else text.partition("\n")[2]
