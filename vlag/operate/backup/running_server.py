# SPDX-License-Identifier: GPL-2.0-only
"""The database server for as long as a backup or a restore takes."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from vlag.config import Settings
from vlag.errors import UsageError
from vlag.lock import hold
from vlag.operate.service import postgres

log = logging.getLogger(__name__)


class _BusyError(Exception):
    """A service runs on the state."""


def _is_busy() -> None:
    raise _BusyError


@contextlib.contextmanager
def running(settings: Settings) -> Iterator[None]:
    """Have the database answer: the service runs, or the private cluster is started for us."""
    with contextlib.ExitStack() as held:
        if private(settings):
            try:
                held.enter_context(hold(settings.state / "lock", _is_busy))
            except _BusyError:
                pass  # the service runs, and its server with it
            else:
                if not (settings.state / "postgres" / "data").exists():
                    raise UsageError(
                        f"{settings.state}: no database is there yet, so there is nothing to save"
                    )
                held.enter_context(_started(settings))
        yield


@contextlib.contextmanager
def alone(settings: Settings) -> Iterator[None]:
    """Have the database answer and nothing else run on the state, which is made if missing.

    Raises UsageError where a service runs.
    """

    def refuse() -> None:
        raise UsageError(
            f"a service runs on {settings.state}: stop it first, or restore to another state folder"
        )

    settings.state.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as held:
        held.enter_context(hold(settings.state / "lock", refuse))
        if private(settings):
            held.enter_context(_started(settings))
        yield


def private(settings: Settings) -> bool:
    """Tell whether the databases are those of the private cluster below the state folder."""
    return settings.database is None


@contextlib.contextmanager
def _started(settings: Settings) -> Iterator[None]:
    postgres.refuse_others(settings)  # before anything of ours lies among what is theirs
    log.info("starting PostgreSQL")
    (settings.state / "log").mkdir(exist_ok=True)
    process = postgres.start(postgres.prepare(settings), settings.state / "log" / "postgresql.log")
    try:
        yield
    finally:
        postgres.stop(process)
