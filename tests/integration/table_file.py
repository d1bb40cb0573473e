# SPDX-License-Identifier: GPL-2.0-only
"""Makes `schemas/tables.sql`: the tables that all migrations make, in one file to read.

    python -m tests.integration.table_file

Run it after a new migration.  `test_store_migrate.py` refuses a file that differs from the
migrations.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from tests.integration import saved
from vlag import ROOT
from vlag.operate.backup.dumps import program
from vlag.store.migrate import migrate

TABLES = ROOT / "schemas" / "tables.sql"

_HEAD = f"""-- The tables that all of `migrations/` make, to read; nothing runs this file.
-- Made by {__spec__.name if __spec__ else __name__}.
"""


def tables(dsn: str) -> str:
    """Return the definition of vlag's own tables in a database, as pg_dump writes it."""
    text = subprocess.run(
        [program("pg_dump", 0), "--schema-only", "--schema=public", "--exclude-table=*yoyo*",
         "--no-owner", "--no-privileges", f"--dbname={dsn}"],
        stdout=subprocess.PIPE, text=True, check=True,
    ).stdout  # fmt: skip
    # Settings of the session, comments with versions, psql's own lines.
    kept = re.sub(r"(?m)^(--.*|\\.*|SET .*|SELECT pg_catalog.set_config.*|)\n", "", text)
    kept = re.sub(r"(?m)^(CREATE SCHEMA public|COMMENT ON SCHEMA public .*);\n", "", kept)
    kept = kept.replace("public.", "")
    return re.sub(r"(?m);\n(?!\Z)", ";\n\n", kept)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as _scratch:
        _made = saved.settings(Path(_scratch, "installation"))
        with saved.running(_made):
            migrate(_made.dsn())
            TABLES.write_text(_HEAD + "\n" + tables(_made.dsn()), encoding="utf-8")
