"""The five field reports, entered and compared once for all processes of a test session.

Each process has a PostgreSQL server of its own: the first one leaves a dump for the others.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.conftest import fresh_database
from vlag.config.catalogue import Catalogue
from vlag.lock import hold
from vlag.operate.service.postgres import find_programs
from vlag.scenario import data
from vlag.scenario.answers import Answers
from vlag.scenario.bundles import enter
from vlag.scenario.views import views
from vlag.store import database


def make(cluster: str, template: str, catalogue: Catalogue, shared: Path) -> str:
    """Return the name of a database that has them, to make others of.

    The folder `shared` is that of all processes, with the dump and the reports' bundles.
    """
    dump = shared / "field-reports.dump"
    with hold(shared / "field-reports.lock", lambda: None):
        if not dump.exists():
            dsn = fresh_database(cluster, template)
            with database.connect(dsn) as conn:
                for name in data.names():
                    scenario = data.load(name)
                    enter(scenario, catalogue, conn, shared / "field-reports")
                    views(Answers(conn, catalogue, scenario))
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
