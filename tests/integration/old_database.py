# SPDX-License-Identifier: GPL-2.0-only
"""Makes `tests/data/database/NNNN.sql`: what an older vlag has left in its database.

    python -m tests.integration.old_database COMMIT

The code of that commit brings an empty database to its own last migration, enters the
bundles of its own tests and compares them.  Of one that has `tests/integration/websites.py` it
enters what its pages show as well.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from vlag import ROOT
from vlag.operate.backup.dumps import program
from vlag.store import database

DATABASES = ROOT / "tests" / "data" / "database"
#: The state folder that the rows name.
STATE = "/srv/vlag/var"

#: Runs in the old checkout, with its code, which makes the server as well.
_FILL = """
import subprocess, sys
from pathlib import Path
from tests.integration import bundles, saved
from vlag.config import catalogue as catalogues
from vlag.compare.kernels import compare
from vlag.pipeline.ingest import ingest_all
from vlag.store import database
from vlag.store.kernels import KernelRef
from vlag.store.migrate import migrate
folder, *pg_dump = sys.argv[1:]
catalogue = catalogues.load()
same = (1.0, 1.001, 0.999, 1.0005, 0.9995)
made = saved.settings(Path(folder))
with saved.running(made):
    applied = migrate(made.dsn())
    with database.connect(made.dsn()) as conn:
        for name, factor in (("6.1", 1.0), ("6.12", 0.9)):
            paths = bundles.side(
                made.state, bundles.kernel(name), catalogue,
                factors=[factor * f for f in same], shifts=(0, 1, 0),
            )
            for result in ingest_all(paths, conn=conn, catalogue=catalogue):
                if isinstance(result, Exception):
                    raise result
        compare(
            conn=conn, catalogue=catalogue, board_type="qemu-sim-2",
            base=KernelRef(text="linux-6.1"), new=KernelRef(text="linux-6.12"),
        )
        if Path("tests/integration/websites.py").exists():
            # A branch that gets worse, with a patch, failures, an alert and a night.
            from tests.integration import websites
            websites.fill(conn, catalogue, made.state, "linux-6.13")
    print(applied[-1], flush=True)
    subprocess.run([*pg_dump, f"--dbname={made.dsn()}"], check=True)
"""


def make(commit: str) -> Path:
    """Write the dump of a commit's database and return its path."""
    with tempfile.TemporaryDirectory() as scratch:
        checkout, installation = Path(scratch, "checkout"), Path(scratch, "installation")
        checkout.mkdir()
        with subprocess.Popen(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE) as tree:
            subprocess.run(["tar", "-x"], stdin=tree.stdout, cwd=checkout, check=True)
        dump = (program("pg_dump", 0), "--no-owner", "--no-privileges", "--inserts")
        done = subprocess.run(
            [sys.executable, "-c", _FILL, str(installation), *dump],
            cwd=checkout, env={**os.environ, "PYTHONPATH": str(checkout)},
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
    last, _, text = done.stdout.partition("\n")
    # Comments name versions, backslashes are psql's own.
    kept = re.sub(r"(?m)^(--.*|\\.*|)\n", "", text).replace(str(installation / "var"), STATE)
    path = DATABASES / f"{last[:4]}.sql"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"-- The database of commit {commit}; made by {__spec__.name}.\n{kept}")
    return path


# What an upgrade corrects: base and new become what the change is computed from.
CORRECTED = {
    "verdict": {"base_value", "new_value"}, "shift": {"quantiles"},
    # In rows of the table `decision` now.
    "suspicion": {"stand", "boots", "p", "decided_by", "changed_at"},
}  # fmt: skip


def contents(dsn: str, columns: dict[str, list[str]] | None = None) -> dict[str, object]:
    """Return count and digest of the rows of each table, of these columns or of all."""
    found: dict[str, object] = {}
    with database.connect(dsn) as conn:
        for table, names in (columns or columns_of(dsn)).items():
            chosen = ", ".join(f'"{name}"' for name in names)
            rows = conn.execute(f"SELECT {chosen} FROM {table}".encode())  # noqa: S608
            text = sorted(repr(row) for row in rows.fetchall())
            found[table] = (len(text), hashlib.sha256("\n".join(text).encode()).hexdigest())
    return found


#: Tables and columns that a later migration renamed.
RENAMED = {
    "family": "multiple_testing",
    "family_verdict": "multiple_testing_verdict",
}


def renamed(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the columns by the names that they have today."""
    return {
        RENAMED.get(table, table): [RENAMED.get(name, name) for name in names]
        for table, names in columns.items()
    }


def columns_of(dsn: str) -> dict[str, list[str]]:
    """Return the columns of our own tables that are kept; yoyo's are its own."""
    found: dict[str, list[str]] = {}
    with database.connect(dsn) as conn:
        for table, column in conn.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " JOIN information_schema.tables USING (table_schema, table_name)"
            " WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
            " AND table_name NOT LIKE '%yoyo%' ORDER BY 1, ordinal_position"
        ):
            if column not in CORRECTED.get(table, ()):
                found.setdefault(table, []).append(column)
    return found


#: Of the first commit that was published.
FIRST_PUBLIC = "0017"


if __name__ == "__main__":
    for _commit in sys.argv[1:]:
        print(make(_commit))
