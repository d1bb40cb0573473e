"""Faults of every kind while bundles are ingested, and that what they would break is seen."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from bench import chaos, chaos_disk, chaos_judge, chaos_work
from vlag.store.database import connect

pytestmark = pytest.mark.long


def test_each_fault_once_loses_and_doubles_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chaos.main(["--faults", str(len(chaos.FAULTS)), "--seed", "7"])
    said = capsys.readouterr().out
    assert all(f"| {kind} | 1 |" in said for kind in chaos.FAULTS)
    assert "| lost | 0 |" in said


def test_what_is_lost_or_changed_is_seen(tmp_path: Path) -> None:
    """Negative control: rows and uploads that somebody takes away."""
    tmp_path.chmod(0o755)
    for above in list(tmp_path.parents)[:2]:
        above.chmod(above.stat().st_mode | 0o011)  # PostgreSQL runs as another user
    with chaos.services(tmp_path, one=True) as of:
        service = of["one"]
        service.count = 8
        service.start_work()
        service.wait()
        whole = chaos_judge.stored(service.settings)
        assert len(whole) == 8
        assert not any(chaos_judge.judged(whole, whole).values())
        assert chaos_judge.uploads(service.settings, 8) == []
        with connect(service.settings.dsn()) as conn:
            conn.execute("UPDATE sample SET values = '{1}' WHERE run = (SELECT min(id) FROM run)")
            last = conn.execute("SELECT max(id) FROM run").fetchone()
            conn.execute("DELETE FROM run_value WHERE run = %s", last)
            conn.execute("DELETE FROM sample WHERE run = %s", last)
            conn.execute("DELETE FROM run WHERE id = %s", last)
        kept = service.settings.artifacts / "uploads" / "boot-00003" / chaos_work.FILE
        kept.write_bytes(b"")
        judged = chaos_judge.judged(chaos_judge.stored(service.settings), whole)
        assert (judged["lost"], judged["with other samples"]) == (1, 1)
        assert chaos_judge.uploads(service.settings, 8) == [3]
        service.jump(86400)
        argv = ["date", "+%s"]
        said = subprocess.run(argv, env=service.clock(), capture_output=True, text=True, check=True)
        assert 86390 < int(said.stdout) - time.time() < 86410
        with chaos_disk.full(service.folder), pytest.raises(OSError, match="No space"):
            (service.folder / "more").write_bytes(bytes(1 << 20))
    twice = {digest: [*of, *of] for digest, of in whole.items()}
    assert chaos_judge.judged({**twice, "x": ["build"]}, whole) == {
        "lost": 0, "stored twice": 8, "with other samples": 0, "of no work": 1,
    }  # fmt: skip
