# SPDX-License-Identifier: GPL-2.0-only
"""What judges a push imports no more than it needs: each of its commands is a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration import bundles
from vlag.config.catalogue import Catalogue

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SIDES = ("linux-6.1", "linux-6.12", "--board-type", "qemu-sim-2")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
#: Longer to import than a comparison takes to judge; and what draws.
HEAVY = ("scipy.stats", "scipy.optimize", "matplotlib")
PROGRAM = """
import sys
from vlag.cli.main import main
main(sys.argv[2:], standalone_mode=False)
print(*[m for m in sys.argv[1].split(",") if m in sys.modules], file=sys.stderr)
"""


@pytest.fixture
def imported(dsn: str) -> Callable[..., list[str]]:
    """Return which of some modules a command has imported at its end."""

    def run(modules: tuple[str, ...], *words: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, ",".join(modules), *words],
            env={**os.environ, "VLAG_DATABASE": dsn}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stderr.splitlines()[-1].split()

    return run


@pytest.mark.parametrize("factor", [1.0, 0.9], ids=["no change", "a regression"])
def test_a_push_is_judged_without_all_of_scipy(
    fill: Callable[..., None], imported: Callable[..., list[str]], factor: float
) -> None:
    fill(BASE, factors=SAME, shifts=(0,) * 5)
    fill(NEW, factors=[f * factor * 1.00001 for f in SAME], shifts=(0,) * 5)
    assert imported(HEAVY, "compare", *SIDES) == []
    assert imported(HEAVY, "report", "--comparison", "1") == []
    assert imported(HEAVY, "alerts", "list", "--refresh") == []
    # Negative control: what is imported is seen.
    assert imported(("vlag.stats.compare",), "compare", *SIDES) == ["vlag.stats.compare"]


def test_a_run_without_a_histogram_is_stored_without_numpy(
    imported: Callable[..., list[str]], catalogue: Catalogue, tmp_path: Path
) -> None:
    paths = bundles.side(tmp_path, BASE, catalogue, factors=(1.0,), shifts=(0,))
    build, of_rates, of_latencies = (imported(("numpy",), "ingest", str(path)) for path in paths)
    assert (build, of_rates) == ([], [])
    assert of_latencies == ["numpy"]  # negative control: it has a histogram
