# SPDX-License-Identifier: GPL-2.0-only
"""A whole service is saved in the middle of a night, lost, and restored."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bench.evidence import table, write
from tests.integration import saved
from tests.integration.installation import Installation
from tests.waiting import until
from vlag import ROOT, config
from vlag.config import Settings
from vlag.config.catalogue import Catalogue

pytestmark = pytest.mark.long


class Clock:
    """Runs commands and keeps how long each took."""

    def __init__(self, made: Settings):
        self.made = made
        self.took: list[tuple[str, str]] = []

    def vlag(self, what: str, *words: str) -> str:
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "vlag.cli.main", *words],
            env={**os.environ, "VLAG_SETTINGS": str(self.made.path), "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        self.took.append((what, f"{time.monotonic() - began:.1f}"))
        return done.stdout


def test_backup_of_a_night_destroy_restore_and_the_next_night(
    installation: Installation, catalogue: Catalogue, tmp_path: Path
) -> None:
    made = config.load(installation.settings)
    clock, backups = Clock(made), tmp_path / "backups"
    installation.behave(run_s=2)
    running = installation.start(once=False)
    until(lambda: len(installation.log("end", "run")) >= 2, installation.said)
    saved.enter(made, catalogue)
    ours = saved.rows_of(made.dsn())
    clock.vlag("backup in the night", "backup", str(backups))
    sizes = [room(backups)]
    clock.vlag("another one", "backup", str(backups))
    sizes.append(room(backups))
    ended = len(installation.log("end", "run"))
    assert ended < 12, "the night was over"
    files = {k: v for k, v in saved.contents(made.state).items() if k.startswith(("b", "r"))}

    # Destroyed, as by a power cut and a new disk.
    running.send_signal(signal.SIGKILL)
    running.wait(60)
    installation.end()
    shutil.rmtree(made.state)

    clock.vlag("check", "restore", "--check", str(backups))
    clock.vlag("restore", "restore", str(backups))
    with saved.running(made):
        there = saved.rows(made)
    assert {t: c for t, c in there.items() if t.startswith("vlag.")} == ours
    assert there["vlag.public.run"]["rows"] == 10
    restored = saved.contents(made.state)
    assert {k: restored.get(k) for k in files} == files

    # What was going on is asked for again, as after a kill, and the night ends.
    installation.start(once=False)
    until(lambda: "REPORT of 1, 2" in installation.said(), installation.said)
    assert "12 of 12 runs" in installation.said()
    installation.web().control("/forceschedulers/nightly-now", "force", reason="the next night")
    # The same kernels and runs: the same two comparisons.
    until(lambda: installation.said().count("REPORT of 1, 2") == 2, installation.said)
    installation.end()
    refused_if_newer(installation, made)
    evidence(clock, sizes, there, ended)


def refused_if_newer(installation: Installation, made: Settings) -> None:
    """A checkout that is older than Buildbot's tables is refused, and nothing is changed."""
    with saved.running(made):
        with psycopg.connect(made.dsn("buildbot")) as conn:
            conn.execute("UPDATE alembic_version SET version_num = '999'")
        before = saved.rows(made)
    status, said = installation.finish(installation.start(once=False))
    assert status == 75
    assert said.splitlines()[-1] == (
        "the database buildbot is newer than the Buildbot that is installed (it has 999): update"
        " the checkout and run `make setup`, or restore a backup that is older"
    )
    with saved.running(made):
        assert saved.rows(made) == before


def room(folder: Path) -> float:
    """Return the MB that a repository takes."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6


def evidence(
    clock: Clock, sizes: Sequence[float], there: Mapping[str, Mapping[str, Any]], ended: int
) -> None:
    """Write down what was saved, and how long it took."""
    contents = []
    for name in ("buildbot", "vlag"):
        rows = [said["rows"] for table_, said in there.items() if table_.startswith(f"{name}.")]
        contents.append((name, len(rows), sum(rows)))
    write(
        "backup",
        "Backup in the middle of a night, destruction, restore",
        "pytest -m long tests/long/test_backup.py",
        ["stages are stand-ins; PostgreSQL, Buildbot, ingest, backup and restore are not"],
        [
            f"{ended} of 12 runs of the night had ended at the backup. Then the service was",
            "killed and its state folder removed. Every row of vlag's tables and every file of a",
            "bundle came back as it was saved. The interrupted night continued to its report, and",
            "the next night ran as well.",
            "",
            *table(("database", "tables", "rows"), contents),
            "",
            f"The repository takes {sizes[0]:.1f} MB after one backup, {sizes[1]:.1f} after two.",
            "",
            *table(("command", "seconds"), clock.took),
        ],
    )
