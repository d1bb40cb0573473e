"""What the service imports before it does anything: each of its processes waits for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import {modules}
print(*sorted({{"scipy.stats", "scipy.optimize", "scipy.special"}} & sys.modules.keys()))
"""


@pytest.mark.slow  # it starts Python
@pytest.mark.parametrize(
    ("modules", "found"),
    [
        ("vlag.operate.service, master.builders, master.pages, master.schedulers", []),
        # Negative control: these are seen.
        ("scipy.stats", ["scipy.optimize", "scipy.special", "scipy.stats"]),
    ],
)
def test_the_service_imports_no_statistics(modules: str, found: list[str]) -> None:
    """More than a second of a processor, in each start of the service twice."""
    argv = [sys.executable, "-c", PROGRAM.format(modules=modules)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout.split() == found
