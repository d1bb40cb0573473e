# SPDX-License-Identifier: GPL-2.0-only
"""Makes `tests/data/reports/NNNN.json`: what an older vlag reports of a stored database.

    python -m tests.integration.old_reports COMMIT

Each of `tests/data/database/` is brought up to date and reported by the code of that commit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg

from tests.integration import saved
from tests.integration.old_database import DATABASES
from vlag import ROOT

REPORTS = ROOT / "tests" / "data" / "reports"

#: Runs in the old checkout, with its code; the paths are those before the rooms were split.
_REPORT = """
import json, sys
from pathlib import Path
from vlag.pipeline import catalogue as catalogues, report, shown, states
from vlag.pipeline.figures import migrate
from vlag.store import database
dsn = sys.argv[1]
migrate(dsn, lambda text: None)
catalogue = catalogues.load()
with database.connect(dsn) as conn:
    ids = [row[0] for row in conn.execute("SELECT id FROM comparison ORDER BY id")]
    made = {"night": report.night(conn, catalogue, ids, Path("/srv/vlag/var"))}
    made |= {name: states.state(conn, catalogue, name) for name in read_model.branches(conn)}
print(json.dumps(made))
"""


def make(commit: str) -> None:
    """Write the reports that the code of a commit makes."""
    with tempfile.TemporaryDirectory() as scratch:
        checkout, made = Path(scratch, "checkout"), saved.settings(Path(scratch, "installation"))
        checkout.mkdir()
        with subprocess.Popen(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE) as tree:
            subprocess.run(["tar", "-x"], stdin=tree.stdout, cwd=checkout, check=True)
        for dump in sorted(DATABASES.glob("*.sql")):
            with saved.running(made):
                with psycopg.connect(made.dsn(), autocommit=True) as conn:
                    conn.execute("DROP SCHEMA IF EXISTS shown CASCADE")
                    conn.execute("DROP SCHEMA public CASCADE")
                    conn.execute("CREATE SCHEMA public")
                    conn.execute(dump.read_bytes())
                done = subprocess.run(
                    [sys.executable, "-c", _REPORT, made.dsn()],
                    cwd=checkout, env={**os.environ, "PYTHONPATH": str(checkout)},
                    stdout=subprocess.PIPE, text=True, check=True,
                )  # fmt: skip
            path = REPORTS / f"{dump.stem}.json"
            path.parent.mkdir(exist_ok=True)
            said = {"commit": commit, **json.loads(done.stdout)}
            path.write_text(json.dumps(said, sort_keys=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    make(sys.argv[1])
