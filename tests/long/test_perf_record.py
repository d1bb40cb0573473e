# SPDX-License-Identifier: GPL-2.0-only
"""perf itself runs what a board that observes perf, or schedstats, runs.

It needs linux-perf, which no other test does, and may count here: the timer in place of a PMU.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.unit.boards import SHELLS
from vlag.lava import kernel_events, sampling
from vlag.parsers import perf_stat
from vlag.profile import sampled_functions

pytestmark = pytest.mark.long


@pytest.mark.parametrize("shell", SHELLS, ids=lambda argv: str(argv[0]))
def test_the_script_samples_the_benchmark_and_keeps_its_status(
    shell: list[str], tmp_path: Path
) -> None:
    (tmp_path / "run.sh").write_bytes(sampling.script("cpu-clock"))
    (tmp_path / "benchmark.sh").write_text(
        'i=0\nwhile [ $i -lt 30000 ]; do i=$((i + 1)); done\n: > "$OUT/done"\nexit 3\n'
    )
    done = subprocess.run(
        [*shell, str(tmp_path / "run.sh")], env={"OUT": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert (tmp_path / "done").exists()
    found = sampled_functions.read((tmp_path / sampling.REPORT).read_bytes(), path="r")
    assert found.event == "cpu-clock"
    assert sum(f.samples for f in found.functions.values()) + found.user.samples > 10


@pytest.mark.parametrize("shell", SHELLS, ids=lambda argv: str(argv[0]))
def test_the_script_counts_the_kernels_events_and_keeps_the_status(
    shell: list[str], tmp_path: Path
) -> None:
    (tmp_path / "run.sh").write_bytes(kernel_events.script())
    (tmp_path / "benchmark.sh").write_text(': > "$OUT/done"\nexit 3\n')
    done = subprocess.run(
        [*shell, str(tmp_path / "run.sh")], env={"OUT": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert (tmp_path / "done").exists()
    data = (tmp_path / kernel_events.FILE).read_bytes()
    counted = {s.metric: s.values[0] for s in perf_stat.parse(data, path="r").samples}
    assert set(kernel_events.EVENTS) <= set(counted)
    assert counted["context-switches"] > 0
