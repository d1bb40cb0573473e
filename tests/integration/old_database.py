"""Makes `tests/data/database/NNNN.sql`: what an older vlag has left in its database.

    python -m tests.integration.old_database COMMIT

The code of that commit brings an empty database to its own last migration, enters the
bundles of its own tests and compares them.  Of one that has `tests/integration/websites.py` it
enters what its pages show as well.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from vlag import ROOT
from vlag.operate.backup.dumps import program

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


if __name__ == "__main__":
    for _commit in sys.argv[1:]:
        print(make(_commit))
