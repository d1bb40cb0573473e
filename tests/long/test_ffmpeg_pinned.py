# SPDX-License-Identifier: GPL-2.0-only
"""Real ffmpeg, a process on each of eight emulated CPUs, all its threads SCHED_FIFO."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.night.clone import Night, shared_night
from tests.night.digests import figures

pytestmark = pytest.mark.long

#: One second of a small picture: the board runs all its CPUs on one of the host's.
SMALL = {"instances": 8, "cores": 1, "size": "160x90", "video_s": 1}
FRAMES = 30


@pytest.fixture(scope="module")
def night() -> Iterator[Night]:
    with shared_night() as shared:
        yield shared


def processes(night: Night, board: str, folder: Path) -> list[str]:
    """Measure, and return the CPUs of each process; all must have made the whole picture."""
    words = [f"--param={key}={value}" for key, value in SMALL.items()]
    night.vlag(
        "run", night.newest_build(), "--board", board, "--benchmark", "ffmpeg-fifo", *words,
        "--seed", 1, "--timeout", 900, "--output", folder,
    )  # fmt: skip
    document = json.loads((folder / "run.json").read_text())
    assert document["outcome"] == "complete"
    samples = {s.metric: s.values for s in figures(folder, document).samples}
    assert len(samples["fps"]) == SMALL["instances"]
    assert sum(samples["fps"]) == pytest.approx(samples["total-fps"][0], rel=0.01)
    lines = re.findall(
        r"(?m)^instance \d+ frames (\d+) wall_s \S+ cpus (\S+)$",
        (folder / document["output"]).read_text(),
    )
    assert {int(frames) for frames, _ in lines} == {FRAMES}
    return [cpus for _, cpus in lines]


def test_each_process_has_a_cpu_of_its_own(night: Night, tmp_path: Path) -> None:
    assert sorted(processes(night, "sim8-1", tmp_path / "run")) == [str(n) for n in range(8)]


def test_on_two_cpus_they_share(night: Night, tmp_path: Path) -> None:
    """Negative control."""
    assert Counter(processes(night, "sim2-1", tmp_path / "run")) == {"0": 4, "1": 4}
