"""Commands of an old checkout on the database of a newer one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.integration import bundles, saved
from vlag import ROOT
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.store.database import Connection

#: Commands that write, that read, and that the service calls.
COMMANDS = (
    "ingest {bundle}",
    "compare linux-6.1 linux-6.12",
    "report",
    "kernels",
    "alerts list",
    "alerts list --refresh",
    "notify list",
    "notify night --key n1 --started 2026-03-01T01:30:00Z",
    "db migrate",
    "db partition",
)


@pytest.fixture
def bundle(tmp_path: Path, catalogue: Catalogue) -> Path:
    return bundles.side(tmp_path, bundles.kernel("6.1"), catalogue)[0]


def test_every_command_refuses_it_and_changes_nothing(
    vlag: Callable[..., Result], conn: Connection, dsn: str, bundle: Path
) -> None:
    conn.execute("INSERT INTO _yoyo_migration VALUES ('x', '9999_later')")
    before = saved.rows_of(dsn)
    for line in COMMANDS:
        done = vlag(*line.format(bundle=bundle).split())
        said = done.output.strip().splitlines()
        assert done.exit_code == ExitCode.INFRASTRUCTURE, (line, done.output)
        assert "newer than this code (it has 9999_later)" in said[-1], line
    assert saved.rows_of(dsn) == before
    # Negative control: with the marks that this code knows, the bundle is entered.
    conn.execute("DELETE FROM _yoyo_migration WHERE migration_id = '9999_later'")
    done = vlag("ingest", str(bundle))
    assert done.exit_code == ExitCode.OK, done.output
    assert saved.rows_of(dsn) != before


def test_commands_reach_the_database_by_one_road() -> None:
    callers = {
        str(path.relative_to(ROOT / "vlag"))
        for path in (ROOT / "vlag").rglob("*.py")
        if "psycopg.connect(" in path.read_text(encoding="utf-8")
    }
    # The others only ask whether a server answers.
    waiting = {"operate/service/parts.py", "operate/service/postgres.py"}
    assert callers == {"store/database.py", *waiting}
