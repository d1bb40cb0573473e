# SPDX-License-Identifier: GPL-2.0-only
"""What chaos disturbs: `python -m tests.long.chaos_work SETTINGS COUNT URL`.

It makes bundles, uploads them to URL and ingests them.  It begins where an earlier process was
stopped, as the pipeline does, and ingests the last bundles once more.  It waits for a service that
does not answer.  Each line that it prints names a bundle that is stored.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import requests

from tests.integration import bundles
from vlag import config, durable
from vlag.config import catalogue
from vlag.errors import InfrastructureError
from vlag.lava import artifacts
from vlag.pipeline.ingest import ingest
from vlag.store.database import connect

#: Bundles of a kernel: its build and some runs.
EACH = 5
#: Bundles that a new process looks at again.
AGAIN = 3
#: The name of what a board uploads.
FILE = "output.json"


def place(settings: config.Settings, number: int) -> Path:
    """Return the folder of a bundle."""
    kernel = bundles.kernel(f"6.{number // EACH}")
    root = settings.runs if number % EACH else settings.builds
    return root / f"{kernel['digest'][:12]}{number:05d}" / f"2026-{number:06d}"


def make(settings: config.Settings, known: catalogue.Catalogue, number: int) -> Path:
    """Make a bundle, unless it is there."""
    home = place(settings, number)
    draft = home.with_name(f"{home.name}.{os.getpid()}.partial")
    if not home.exists():
        kernel = bundles.kernel(f"6.{number // EACH}")
        if number % EACH:
            raw = bundles.stress_ng(1 + number / 1000)
            bundles.run(draft, kernel, known, seed=number, raw=raw)
        else:
            bundles.build(draft, kernel)
        try:
            durable.place(draft, home)
        except OSError:
            if not home.exists():
                raise
            shutil.rmtree(draft)  # another process was faster
    return home


def send(folder: Path, url: str, number: int, data: bytes) -> None:
    """Upload what a board printed, as often as it takes."""
    key = f"boot-{number:05d}"
    while True:
        token = artifacts.open_upload(folder, key)
        try:
            answer = requests.put(f"{url}/upload/{key}/{token}/{FILE}", data=data, timeout=5)
        except requests.RequestException:
            time.sleep(0.05)
            continue
        if answer.status_code >= 500:  # such as a full disk
            time.sleep(0.05)
            continue
        answer.raise_for_status()
        return


def main() -> None:
    """Make and ingest COUNT bundles."""
    settings, count, url = config.load(Path(sys.argv[1])), int(sys.argv[2]), sys.argv[3]
    known = catalogue.load()
    made = next((n for n in range(count) if not place(settings, n).exists()), count)
    number = max(0, made - AGAIN)
    while number < count:
        home = make(settings, known, number)
        send(settings.artifacts, url, number, next(home.glob("*.json")).read_bytes())
        try:
            with connect(settings.dsn()) as conn:
                ingest(home, conn=conn, catalogue=known)
        except InfrastructureError:
            time.sleep(0.05)
            continue
        print(number, flush=True)
        number += 1


if __name__ == "__main__":
    main()
