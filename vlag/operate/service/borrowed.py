# SPDX-License-Identifier: GPL-2.0-only
"""The database for as long as one command needs it: the service's, or one that it starts."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections.abc import Iterator

from attrs import evolve

from vlag.config import Settings
from vlag.errors import InfrastructureError, UsageError
from vlag.lock import hold
from vlag.operate.service import folders, master, postgres, prerequisites

log = logging.getLogger(__name__)

#: Room for the work tree, the objects of a build, two kernels and their boots.
DISK_FREE_GB = 4


@contextlib.contextmanager
def database(settings: Settings, what: str) -> Iterator[Settings]:
    """Yield settings whose database answers; what was started for it is stopped at the end.

    A service that runs lends its own.  `what` is the command for people, which runs once at a
    time.  Raises UsageError or InfrastructureError for what this machine lacks.
    """
    settings.state.mkdir(parents=True, exist_ok=True)
    if problems := prerequisites.check_worker(settings, ("build", "run")):
        raise UsageError(problems[0])
    if full := prerequisites.disk(settings, what, DISK_FREE_GB):
        raise InfrastructureError(full)
    busy = f"another {what.removeprefix('a ')} runs with {settings.path}; waiting for its end"
    with hold(settings.state / "locks" / "borrowed", lambda: log.info(busy)):
        if os.environ.get("VLAG_DATABASE") or settings.database or postgres.is_up(settings):
            yield settings
            return
        with folders.whole(settings.state):
            folders.make_folders(settings.state)
            settings = _on_free_port(settings)
            path = settings.state / "log" / "postgresql.log"
            server = postgres.start(postgres.prepare(settings), path)
            try:
                master.migrate(settings)
                yield settings
            finally:
                postgres.stop(server)


def _on_free_port(settings: Settings) -> Settings:
    """Return the settings, with another port where another installation has theirs."""
    postgres.stop_leftover(settings)
    try:
        postgres.check_port(settings.postgresql_port, "postgresql", settings.path)
    except UsageError:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            return evolve(settings, postgresql_port=probe.getsockname()[1])
    return settings
