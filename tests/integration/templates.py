# SPDX-License-Identifier: GPL-2.0-only
"""What one process of a test session makes for all: databases to copy, with real rows in them.

Each process has a PostgreSQL server of its own: the first one leaves a dump for the others.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import frozen

from tests.conftest import fresh_database
from vlag.lock import hold
from vlag.operate.service.postgres import find_programs
from vlag.store import database


@frozen(kw_only=True)
class Made:
    """A database that a module's tests copy, and what they know of it."""

    name: str
    folder: Path  # its bundles
    ids: Mapping[str, int]  # of comparisons


def make(cluster: str, template: str, dump: Path, fill: Callable[[str], None]) -> str:
    """Return the name of a database that `fill` has filled, to make others of.

    `dump` is a file in a folder of all processes.  `fill` gets a connection string, and may
    leave more files beside the dump; it is called in one process only.
    """
    with hold(dump.with_suffix(".lock"), lambda: None):
        if not dump.exists():
            dsn = fresh_database(cluster, template)
            fill(dsn)
            part = dump.with_suffix(".part")
            _client("pg_dump", dsn, f"--file={part}", "--format=custom", "--compress=0")
            part.rename(dump)
            return str(database.parts(dsn)["dbname"])
    dsn = fresh_database(cluster, "template0")
    _client("pg_restore", dsn, "--exit-on-error", "--single-transaction", str(dump))
    return str(database.parts(dsn)["dbname"])


def _client(program: str, dsn: str, *words: str) -> None:
    argv = [str(find_programs() / program), f"--dbname={dsn}", *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
