# SPDX-License-Identifier: GPL-2.0-only
"""Checks before the service starts: everything that this machine lacks."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence

from vlag.config import Settings
from vlag.errors import UsageError
from vlag.lava import root
from vlag.operate.service import postgres, restoring

#: Programs the stages need, with the Debian package of each.
PROGRAMS: Mapping[str, str] = {
    "qemu-system-x86_64": "qemu-system-x86",
    "lava-run": "lava-dispatcher",
    "mmdebstrap": "mmdebstrap",
    "ccache": "ccache",
    "bwrap": "bubblewrap",
    "git": "git",
    "gcc": "gcc",
    "setpriv": "util-linux",
}
#: Those of them that a worker host needs, by kind of work.
_NEEDED: Mapping[str, Collection[str]] = {
    "build": ("bwrap", "ccache", "gcc", "mmdebstrap"),
    "run": ("qemu-system-x86_64", "lava-run", "mmdebstrap"),
    "lab": ("mmdebstrap",),
}

#: Two kernel trees with objects, their mirror, the compiler's cache and the runs of a night.
DISK_FREE_GB = 8


def check(settings: Settings) -> list[str]:
    """Return what prevents the whole service from running here, a sentence each."""
    problems = [*_attempted([root.check]), *_programs(PROGRAMS), *_restore(settings)]
    if settings.database is None:
        port = settings.postgresql_port
        problems += _attempted(
            [
                postgres.find_programs,
                lambda: postgres.refuse_others(settings),
                lambda: postgres.check_port(port, "postgresql", settings.path, "127.0.0.1"),
            ]
        )
    return [*problems, *ports(settings, artifacts=bool(settings.labs))]


def check_worker(settings: Settings, takes: Collection[str]) -> list[str]:
    """Return what prevents a worker host from doing its work, a sentence each."""
    needed = {"git", "setpriv", *(p for kind in takes for p in _NEEDED[kind])}
    problems = [*_restore(settings), *(_attempted([root.check]) if "run" in takes else [])]
    return problems + _programs([p for p in PROGRAMS if p in needed])


def check_master(settings: Settings) -> list[str]:
    """Return what prevents the master from running here, a sentence each."""
    return [
        *_restore(settings),
        *_programs(["git", "setpriv"]),
        *ports(settings, artifacts=False),
    ]


def check_artifacts(settings: Settings) -> list[str]:
    """Return what prevents the artifact store from running here, a sentence each."""
    at = (settings.artifacts_port, "artifacts", settings.path, settings.listen)
    return _programs(["setpriv"]) + _attempted([functools.partial(postgres.check_port, *at)])


def ports(settings: Settings, *, artifacts: bool) -> list[str]:
    """Return a sentence for each port of the master and of the artifact store that is in use."""
    wanted = [
        ("web", settings.web_port, settings.web_listen),
        ("worker", settings.worker_port, settings.worker_listen),
    ]
    if settings.labs and settings.leads:
        wanted.append(("callback", settings.callback_port, settings.listen))
    if artifacts:
        wanted.append(("artifacts", settings.artifacts_port, settings.listen))
    return _attempted(
        [
            functools.partial(postgres.check_port, port, key, settings.path, at)
            for key, port, at in wanted
        ]
    )


def _attempted(attempts: Sequence[Callable[[], object]]) -> list[str]:
    problems = []
    for attempt in attempts:
        try:
            attempt()
        except UsageError as e:
            problems.append(str(e))
    return problems


def _programs(wanted: Collection[str]) -> list[str]:
    return [
        f"the program {program} is missing: install the Debian package {PROGRAMS[program]} "
        "(`make setup` does it)"
        for program in wanted
        if shutil.which(program) is None
    ]


def _restore(settings: Settings) -> list[str]:
    broken = restoring.broken_off(settings.state)
    return [] if broken is None else [broken]


def disk(settings: Settings, what: str = "a night", need_gb: int = DISK_FREE_GB) -> str | None:
    """Return a sentence if a night has no room here; there may be some a moment later."""
    free_gb = shutil.disk_usage(settings.state).free / 1e9
    if free_gb >= need_gb:
        return None
    return (
        f"only {free_gb:.1f} GB are free under {settings.state}, {what} needs {need_gb}: "
        f"make room, or change state in {settings.path}"
    )
