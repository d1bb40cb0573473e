# SPDX-License-Identifier: GPL-2.0-only
"""Write and ingest bundles without end: `python -m tests.long.cut_load SETTINGS [--no-fsync]`.

As the pipeline does it: a draft, its place, its rows.  Each line says of one bundle that ingest has
said yes to it.  With --no-fsync files and folders are not synced: what must then be lost.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from tests.integration import bundles
from vlag import config, durable
from vlag.config import catalogue
from vlag.pipeline.ingest import ingest
from vlag.store.database import connect

#: Runs of a kernel between two builds.
RUNS = 4


def main() -> None:
    """Go on until the process is killed."""
    if "--no-fsync" in sys.argv:
        durable._sync = lambda path: None
    settings = config.load(Path(sys.argv[1]))
    known = catalogue.load()
    with connect(settings.dsn()) as conn:
        for number in itertools.count():
            kernel = bundles.kernel(f"6.{number // (RUNS + 1)}")
            name = f"2026-{number:06d}"
            if number % (RUNS + 1) == 0:
                home = settings.builds / kernel["digest"][:16]
                draft = bundles.build(home / f"{name}.partial", kernel)
            else:
                home = settings.runs / f"{kernel['digest'][:12]}{number:04d}"
                draft = bundles.run(home / f"{name}.partial", kernel, known, seed=number)
            durable.place(draft, home / name)
            ingest(home / name, conn=conn, catalogue=known)
            print(home / name, flush=True)


if __name__ == "__main__":
    main()
