# SPDX-License-Identifier: GPL-2.0-only
"""LAVA's tables: made once for a test run, and filled by the program of the Ansible role."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.integration import templates
from vlag import ROOT

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
REGISTER = ROOT / "ansible" / "roles" / "lava_server" / "files" / "register.py"


def database_url(dsn: str) -> str:
    """Return the address of a database as LAVA's programs read it."""
    parts = psycopg.conninfo.conninfo_to_dict(dsn)
    return f"postgres://{parts['user']}@{parts['host']}:{parts['port']}/{parts['dbname']}"


@functools.cache
def template(cluster: str, shared: Path) -> str:
    """Return the database that all labs begin with, whose tables one process makes.

    Migrating takes 15 s of a processor.
    """
    return templates.make(cluster, "template0", shared / "lava-tables.dump", _migrate)


def _migrate(dsn: str) -> None:
    done = subprocess.run(
        ["lava-server", "manage", "migrate", "--verbosity", "0"],
        env={
            **ENVIRONMENT,
            "DATABASE_URL": database_url(dsn),
            "SECRET_KEY": "only for this",
            "LAVA_SETTINGS_DJANGO_LOGFILE": "/dev/null",
        },
        stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/", check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.fail(f"LAVA cannot make its tables: {(done.stdout + done.stderr)[-1000:]}")


class Server:
    """LAVA's tables, and the program that fills them."""

    def __init__(self, dsn: str):
        self.dsn = dsn

    def register(self, asked: object, *options: str) -> list[str]:
        done = subprocess.run(
            ["/usr/bin/python3", str(REGISTER), *options],
            input=json.dumps(asked), capture_output=True, text=True, check=False, cwd="/",
            env={**ENVIRONMENT, "DATABASE_URL": database_url(self.dsn), "SECRET_KEY": "a key",
                 "LAVA_SETTINGS_DJANGO_LOGFILE": "/dev/null"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout.splitlines()

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.dsn) as conn:
            return conn.execute(statement.encode()).fetchall()

    def execute(self, statement: str, *values: object) -> None:
        with psycopg.connect(self.dsn) as conn:
            conn.execute(statement.encode(), values)

    def devices(self) -> dict[str, int]:
        return dict(self.rows("SELECT hostname, health FROM lava_scheduler_app_device"))
