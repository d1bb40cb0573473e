# SPDX-License-Identifier: GPL-2.0-only
"""An installation as the first commit that was published has left it."""

from __future__ import annotations

import subprocess

import psycopg

from tests.integration.old_database import DATABASES, FIRST_PUBLIC, STATE
from vlag import config
from vlag.operate.service import postgres

#: Superuser's statements that make a cluster one of the first public commit: its reader has
#: other settings and nothing that bounds it.
_AS_OF_OLD = """
ALTER ROLE vlag_reader RESET ALL;
ALTER ROLE vlag_reader CONNECTION LIMIT -1;
ALTER ROLE vlag_reader SET default_transaction_read_only = 'on';
ALTER ROLE vlag_reader SET statement_timeout = '30s';
ALTER ROLE vlag_reader SET jit = 'off';
ALTER ROLE vlag_reader SET from_collapse_limit = '12';
ALTER ROLE vlag_reader SET join_collapse_limit = '12';
DROP SCHEMA IF EXISTS reader_guard CASCADE;
DROP SCHEMA IF EXISTS read_model CASCADE;
DROP SCHEMA public CASCADE;
CREATE SCHEMA public AUTHORIZATION vlag;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""


def make_old(settings: config.Settings) -> None:
    """Make an installation as the first public commit has left it."""
    ready = postgres.prepare(settings)
    lines = "".join(f"{line}\n" for line in _AS_OF_OLD.strip().splitlines())
    single = [str(ready.programs / "postgres"), "--single", "-D", str(ready.data), "vlag"]
    done = subprocess.run(
        [*ready.prefix, *single], input=lines, cwd="/", env=dict(ready.environment),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "ERROR" not in done.stderr, done.stderr
    dump = (DATABASES / f"{FIRST_PUBLIC}.sql").read_text().replace(STATE, str(settings.state))
    server = postgres.start(ready, settings.state / "log-of-test")
    try:
        with psycopg.connect(settings.dsn(), autocommit=True) as conn:
            conn.execute(dump.encode())
    finally:
        postgres.stop(server)
    (settings.state / "postgres" / "reader-bounds").unlink()  # of a newer vlag
    (settings.state / "reports").mkdir(exist_ok=True)
    (settings.state / "reports" / "night.txt").write_text("REPORT of the night\n")
