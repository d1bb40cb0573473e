# SPDX-License-Identifier: GPL-2.0-only
"""A private PostgreSQL cluster for the session, a fresh database for each test."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from vlag import progress_log
from vlag.config import catalogue as catalogue_files
from vlag.config.catalogue import Catalogue
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.migrate import migrate

_NUMBERS = count()
_MEMORY = Path("/dev/shm")  # noqa: S108 - folders of our own are made there
_ENOUGH = 2 << 30  # bytes; those of three test sessions took a third of it
#: For all files of all tests, a night's among them, which take half of it.
_PLENTY = 12 << 30


def _in_memory() -> None:
    """Let tests write to the memory: a bundle on a busy disk takes seconds to be safe there."""
    if "TMPDIR" in os.environ or not _MEMORY.is_dir():
        return
    said = Path("/proc/meminfo").read_text(encoding="ascii")
    available = 1024 * int(said.partition("MemAvailable:")[2].split()[0])
    runs_programs = not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
    if runs_programs and min(available, shutil.disk_usage(_MEMORY).free) >= _PLENTY:
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None


_in_memory()


@pytest.fixture
def progress_lines() -> Iterator[list[str]]:
    """Lines of progress that the test's thread has logged."""
    lines: list[str] = []
    with progress_log.diverted(lines.append):
        yield lines


def pytest_collection() -> None:
    """Collect thousands of tests, none of which is garbage, without looking for any."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def _run(program: Path, *arguments: str) -> None:
    # PostgreSQL refuses to run as root.
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    argv = [*(user if os.getuid() == 0 else []), str(program), *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, cwd="/tmp", check=False)  # noqa: S108
    if done.returncode:
        pytest.fail(f"{program.name} failed: {(done.stderr + done.stdout).strip()[-500:]}")


def _fastest() -> Path | None:
    """Return the memory's folder if there is room for databases, else None, the usual one."""
    roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ENOUGH
    return _MEMORY if roomy else None


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """Connection string of the cluster, without a database name."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.fail("PostgreSQL is not installed; `apt install postgresql` brings what tests need")
    programs = found[-1].parent
    folder = Path(tempfile.mkdtemp(prefix="vlag-postgresql-", dir=_fastest()))
    folder.chmod(0o755)
    data = folder / "data"
    data.mkdir()
    if os.getuid() == 0:
        shutil.chown(data, "postgres", "postgres")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    # No vacuum: it would visit each test's database while others wait for a processor.
    options = (
        f"-p {port} -h 127.0.0.1 -k '' -c fsync=off -c full_page_writes=off -c max_wal_size=128MB"
        " -c autovacuum=off"
    )
    _run(programs / "initdb", "-D", str(data), "-U", "vlag", "-A", "trust", "-E", "UTF8", "-N")
    control = (programs / "pg_ctl", "-D", str(data), "-w", "-l", str(data / "log"))
    try:
        _run(*control, "-o", options, "start")
        yield f"host=127.0.0.1 port={port} user=vlag"
    finally:
        _run(*control, "-m", "immediate", "stop")
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def template(cluster: str) -> str:
    """Name of a database with all tables and no rows."""
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        conn.execute("CREATE DATABASE template_vlag")
    migrate(f"{cluster} dbname=template_vlag")
    return "template_vlag"


def fresh_database(cluster: str, template: str) -> str:
    """Make a copy of the database `template`, file by file; return its connection string."""
    name = f"test_{next(_NUMBERS)}"
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
    return f"{cluster} dbname={name}"


def drop_database(dsn: str) -> None:
    """Remove a database, whoever is in it."""
    name = sql.Identifier(database.parts(dsn)["dbname"])
    with psycopg.connect(f"{dsn} dbname=postgres", autocommit=True) as conn:
        conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture
def dsn(cluster: str, template: str) -> Iterator[str]:
    """Connection string of a database of the test's own."""
    made = fresh_database(cluster, template)
    yield made
    drop_database(made)


@pytest.fixture
def conn(dsn: str) -> Iterator[Connection]:
    with database.connect(dsn) as connection:
        yield connection


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return catalogue_files.load()
