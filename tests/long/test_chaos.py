# SPDX-License-Identifier: GPL-2.0-only
"""Faults of every kind while bundles are ingested, and that what they would break is seen.

`VLAG_TEST_FAULTS` is how many there are, `VLAG_TEST_SEED` repeats kinds and moments.
"""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from bench.evidence import table, write
from tests import full_disk
from tests.long import chaos, chaos_work
from tests.long.attacked import folder_of_ours
from tests.long.disturbed import chosen, wrong
from vlag.store.database import connect

pytestmark = pytest.mark.long


def test_faults_lose_and_double_nothing() -> None:
    faults, seed = chosen(50)
    print(f"VLAG_TEST_SEED={seed}", flush=True)
    with (
        folder_of_ours("vlag-chaos-") as folder,
        chaos.service(folder / "disturbed") as disturbed,
        chaos.service(folder / "alone") as alone,
    ):
        disturbed.start_work()
        counts, longest = chaos.disturb(disturbed, faults, seed)
        disturbed.finish()
        alone.count = disturbed.count
        alone.start_work()
        alone.wait()
        wanted = alone.stored_samples()
        assert wrong(disturbed.stored_samples(), wanted) == []
        assert disturbed.wrong_uploads() == []
    assert set(counts) == set(chaos.FAULTS) or faults < len(chaos.FAULTS)
    page(counts, longest, len(wanted), seed)


def page(counts: Counter[str], longest: dict[str, float], stored: int, seed: int) -> None:
    """Write down what was disturbed, and how long nothing was stored."""
    faults = counts.total()
    write(
        "chaos",
        "Faults at random in ingest, PostgreSQL and the artifact store",
        f"VLAG_TEST_FAULTS={faults} VLAG_TEST_SEED={seed} pytest -m long tests/long/test_chaos.py",
        [f"faults: {faults}", f"bundles stored: {stored}"],
        [
            "Bundles are made, uploaded and ingested while faults come at random moments. At the",
            "end each bundle is that of a service that did the same work undisturbed: none is",
            "lost, stored twice or of other samples, and no upload is lost or changed. Part of",
            "the time is the fault itself, and ours to start again what was killed. Everything is",
            "on a file system of its own (ext4), PostgreSQL with fsync. The clock that jumps is",
            "the wall clock of ingest and of the artifact store, not that of PostgreSQL.",
            "",
            *table(
                ["fault", "times", "longest from its beginning to the next bundle after it, s"],
                [(kind, counts[kind], f"{s:.1f}") for kind, s in longest.items()],
            ),
        ],
    )


def test_what_is_lost_or_changed_is_seen() -> None:
    """Negative control: rows and uploads that somebody takes away."""
    with folder_of_ours("vlag-chaos-") as folder, chaos.service(folder / "one") as service:
        service.count = 8
        service.start_work()
        service.wait()
        whole = service.stored_samples()
        assert len(whole) == 8
        assert wrong(whole, whole) == []
        assert service.wrong_uploads() == []
        with connect(service.settings.dsn()) as conn:
            conn.execute("UPDATE sample SET values = '{1}' WHERE run = (SELECT min(id) FROM run)")
            last = conn.execute("SELECT max(id) FROM run").fetchone()
            conn.execute("DELETE FROM run_value WHERE run = %s", last)
            conn.execute("DELETE FROM sample WHERE run = %s", last)
            conn.execute("DELETE FROM run WHERE id = %s", last)
        uploads: Path = service.settings.artifacts / "uploads"
        (uploads / "boot-00003" / chaos_work.FILE).write_bytes(b"")
        said = [line.partition(": ")[0] for line in wrong(service.stored_samples(), whole)]
        assert said == ["lost", "other samples"]
        assert service.wrong_uploads() == [3]
        service.jump(86400)
        argv = ["date", "+%s"]
        date = subprocess.run(argv, env=service.clock(), capture_output=True, text=True, check=True)
        assert 86390 < int(date.stdout) - time.time() < 86410
        with full_disk.full(service.folder), pytest.raises(OSError, match="No space"):
            (service.folder / "more").write_bytes(bytes(1 << 20))
