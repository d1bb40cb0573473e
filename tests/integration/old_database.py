"""Makes `tests/data/database/NNNN.sql`: what an older vlag has left in its database.

    python -m tests.integration.old_database COMMIT

The code of that commit brings an empty database to its own last migration, enters the
bundles of its own tests and compares them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.integration import saved
from vlag import ROOT
from vlag.operate.backup.dumps import program

DATABASES = ROOT / "tests" / "data" / "database"

#: Runs in the old checkout, with its code.
_FILL = """
import sys
from pathlib import Path
from tests.integration import bundles
from vlag.config import catalogue as catalogues
from vlag.compare.kernels import compare
from vlag.pipeline.ingest import ingest_all
from vlag.store import database
from vlag.store.kernels import KernelRef
from vlag.store.migrate import migrate
dsn, folder = sys.argv[1:]
applied = migrate(dsn)
catalogue = catalogues.load()
same = (1.0, 1.001, 0.999, 1.0005, 0.9995)
with database.connect(dsn) as conn:
    for name, factor in (("6.1", 1.0), ("6.12", 0.9)):
        paths = bundles.side(
            Path(folder), bundles.kernel(name), catalogue,
            factors=[factor * f for f in same], shifts=(0, 1, 0),
        )
        for result in ingest_all(paths, conn=conn, catalogue=catalogue):
            if isinstance(result, Exception):
                raise result
    compare(
        conn=conn, catalogue=catalogue, board_type="qemu-sim-2",
        base=KernelRef(text="linux-6.1"), new=KernelRef(text="linux-6.12"),
    )
print(applied[-1])
"""


def make(commit: str) -> Path:
    """Write the dump of a commit's database and return its path."""
    with tempfile.TemporaryDirectory() as scratch:
        checkout, made = Path(scratch, "checkout"), saved.settings(Path(scratch, "installation"))
        checkout.mkdir()
        with subprocess.Popen(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE) as tree:
            subprocess.run(["tar", "-x"], stdin=tree.stdout, cwd=checkout, check=True)
        with saved.running(made):
            done = subprocess.run(
                [sys.executable, "-c", _FILL, made.dsn(), str(made.state)],
                cwd=checkout, env={**os.environ, "PYTHONPATH": str(checkout)},
                stdout=subprocess.PIPE, text=True, check=True,
            )  # fmt: skip
            dump = subprocess.run(
                [program("pg_dump", 0), "--no-owner", "--no-privileges", "--inserts",
                 f"--dbname={made.dsn()}"],
                stdout=subprocess.PIPE, text=True, check=True,
            ).stdout  # fmt: skip
    # Comments name versions, backslashes are psql's own.
    kept = re.sub(r"(?m)^(--.*|\\.*|)\n", "", dump)
    path = DATABASES / f"{done.stdout.split()[-1][:4]}.sql"
    path.parent.mkdir(exist_ok=True)
    kept = kept.replace(str(made.state), "/srv/vlag/var")
    path.write_text(f"-- The database of commit {commit}; made by {__spec__.name}.\n{kept}")
    return path


if __name__ == "__main__":
    for _commit in sys.argv[1:]:
        print(make(_commit))
