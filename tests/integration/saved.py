# SPDX-License-Identifier: GPL-2.0-only
"""An installation with real rows and files, and what it has, for tests of backups."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
from attrs import frozen
from click.testing import CliRunner

from tests.integration import bundles
from tests.integration.installation import free_ports
from tests.repositories import bare, git
from vlag import ROOT, config
from vlag.bundle import sha256
from vlag.cli.main import main
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.lock import hold
from vlag.operate.backup import state
from vlag.operate.service import postgres
from vlag.pipeline.ingest import ingest_all
from vlag.store import database, run_values

#: What Buildbot keeps of its schema, and two tables with names that SQL must quote.
BUILDBOT = """
CREATE TABLE alembic_version (version_num varchar(32) NOT NULL);
INSERT INTO alembic_version VALUES ('067');
CREATE TABLE builds (id serial PRIMARY KEY, number int, complete_at int);
INSERT INTO builds (number, complete_at) VALUES (1, 10), (2, NULL);
CREATE TABLE buildsets (id serial PRIMARY KEY, reason text);
CREATE TABLE changes (changeid serial PRIMARY KEY, "when" int);
CREATE TABLE "user" (uid serial PRIMARY KEY, "Name" text);
INSERT INTO "user" ("Name") VALUES (E'tab\\there, line\\nthere, \\\\N, é'), (NULL), ('');
CREATE TABLE logchunks (logid int, content bytea);
INSERT INTO logchunks VALUES (1, '\\x00ff0a5c')
"""

TABLES = """
SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
WHERE schemaname NOT IN ('information_schema', 'pg_catalog', 'read_model', 'reader_guard')
ORDER BY 1
"""
COUNT = """
SELECT count(*), coalesce(sum(('x' || md5(t::text))::bit(60)::bigint), 0)::text FROM TABLE t
"""


def settings(folder: Path) -> Settings:
    """Settings of an installation of its own in a folder that is made if missing."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o700)
    path = folder / "vlag.toml"
    if not path.exists():
        text = (ROOT / "vlag.toml").read_text().replace("5442", str(free_ports(1)[0]))
        path.write_text(text)
    return config.load(path)


@functools.cache
def _first() -> Path:
    """Return a state folder with a cluster as a first start makes it, once in a process."""
    folder = Path(tempfile.mkdtemp(prefix="vlag-first-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    made = settings(folder / "installation")
    made.state.mkdir()
    postgres.prepare(made)
    return made.state


def ready(made: Settings) -> None:
    """Give an installation that was never started a cluster: a copy takes a tenth of the time."""
    names = ("postgres", "secrets")
    if not any((made.state / name).exists() for name in names):
        made.state.mkdir(exist_ok=True)
        sources = [str(_first() / name) for name in names]
        subprocess.run(["cp", "--archive", *sources, str(made.state)], check=True)


@contextlib.contextmanager
def running(made: Settings) -> Iterator[None]:
    """Run the private cluster as the service does."""
    made.state.mkdir(exist_ok=True)
    ready(made)
    server = postgres.start(postgres.prepare(made), made.state / "log-of-test.log.lock")
    try:
        yield
    finally:
        postgres.stop(server)


def held(made: Settings) -> contextlib.AbstractContextManager[None]:
    """Hold what a service that runs on the state holds."""
    return hold(made.state / "lock", lambda: None)


def enter(made: Settings, catalogue: Catalogue) -> None:
    """Enter two kernels with five boots each."""
    folder = made.state
    for name, factor in (("6.1", 1.0), ("6.12", 0.9)):
        factors = [factor * f for f in (1.0, 1.001, 0.999)]
        bundles.side(folder, bundles.kernel(name), catalogue, factors=factors, shifts=(0, 1))
    with database.connect(made.dsn()) as conn:
        found = list(
            ingest_all([folder / "builds", folder / "runs"], conn=conn, catalogue=catalogue)
        )
    assert len(found) == 12, found


def fill(made: Settings, catalogue: Catalogue) -> None:
    """Make an installation's tables, rows and files."""
    folder = made.state
    run_values.migrate(made.dsn())
    enter(made, catalogue)
    with psycopg.connect(made.dsn("buildbot"), autocommit=True) as conn:
        conn.execute(BUILDBOT.encode())
    for path, text in {
        "reports/2026-03-01T013000Z.txt": "REPORT\n",
        "lab/0123/submitted.json": "{}\n",
        "secrets/callback": "a secret\n",
        "artifacts/uploads/0123/token": "a token\n",
        "log/master.log": "not to be saved\n",
        "ccache/0/object": "not to be saved\n",
        "runs/half.partial/console.log": "not to be saved\n",
        "builds/0123/half/build.log": "not to be saved\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "secrets" / "callback").chmod(0o600)
    run = next(p.parent for p in sorted((folder / "runs").rglob("run.json")))
    (folder / "lab" / "0123" / "bundle").write_text(str(run))
    image = next(iter(sorted((folder / "builds").rglob("bzImage"))))
    home = folder / "artifacts" / "files" / sha256(image)
    home.mkdir(parents=True)
    os.link(image, home / "bzImage")
    repository(folder / "mirrors" / "debian.git")


def repository(path: Path) -> None:
    """Make a bare repository with two commits, all refs packed as git does it by itself."""
    bare(path)
    commit(path)
    commit(path)
    git(path, "gc", "--quiet")


def commit(path: Path, text: str = "") -> str:
    """Add a commit to `linux-6.12`, without a work tree."""
    blob = git(path, "hash-object", "-w", "--stdin", given=text or os.urandom(8).hex())
    tree = git(path, "mktree", given=f"100644 blob {blob}\tMakefile\n")
    head = git(path, "for-each-ref", "--format=%(objectname)", "refs/heads/linux-6.12")
    made = git(path, "commit-tree", tree, "-m", "one", *(["-p", head] if head else []))
    git(path, "update-ref", "refs/heads/linux-6.12", made)
    return made


def rows(made: Settings) -> dict[str, dict[str, Any]]:
    """Count and sum every table of both databases."""
    return rows_of(made.dsn(), made.dsn("buildbot"))


def rows_of(*dsns: str) -> dict[str, dict[str, Any]]:
    """Count and sum every table of databases: rows, and a sum that every value changes."""
    found: dict[str, dict[str, Any]] = {}
    for dsn in dsns:
        with psycopg.connect(dsn) as conn:
            for table in conn.execute(TABLES).fetchall():
                row = conn.execute(COUNT.replace("TABLE", table[0]).encode()).fetchone()
                assert row is not None
                found[f"{conn.info.dbname}.{table[0]}"] = {"rows": row[0], "sum": row[1]}
    return found


def contents(folder: Path) -> dict[str, str]:
    """Return the digest of every file of a state folder that lasts."""
    paths = {p.relative_to(folder) for p in folder.rglob("*") if p.is_file()}
    return {str(p): sha256(folder / p) for p in sorted(paths) if lasts(p)}


def lasts(path: Path) -> bool:
    """Tell whether a file below the state folder is more than a draft or a start's own."""
    drafts = any(part.endswith((".lock", ".new", ".partial")) for part in path.parts)
    made = path.parts[0] in state.LEFT or path.name.startswith("pgpass")
    return not drafts and not made


def restic(repository: Path, *words: str) -> str:
    """Ask restic itself about a repository in a folder."""
    return subprocess.run(
        ["restic", f"--repo={repository}", f"--password-file={repository / 'password'}",
         "--no-cache", *words],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


@frozen
class Done:
    """What a command has said, and its exit status."""

    returncode: int
    stdout: str
    stderr: str


def vlag(made: Settings, *words: str, **environment: str) -> Done:
    """Run the command as a person does, in this process: starting one takes a second."""
    said = CliRunner(env={"VLAG_SETTINGS": str(made.path), **environment}).invoke(main, words)
    assert said.exception is None or isinstance(said.exception, SystemExit), said.exc_info
    return Done(said.exit_code, said.stdout, said.stderr)
