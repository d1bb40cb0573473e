"""Pages of what the long tests measure: each test file is run, then its `write_page`.

The tests assert; `write_page` only writes, so that a session of tests leaves the page alone.
"""

from __future__ import annotations

import subprocess
import sys

from vlag import ROOT

#: Each is tests/long/test_NAME.py.  They need hours, so they are measured by name only.
NAMES = (
    "ansible_lava", "ansible_roles", "arm64", "bisect", "catalogue_runs", "cpus_480", "guests",
    "matrix", "pair",
)  # fmt: skip


def command(name: str) -> list[str]:
    """Return the command that runs a file's tests and, if all of them pass, writes its page."""
    return [
        *(sys.executable, "-m", "pytest", "-q", "-x", "-m", "long"),
        *("-o", "python_functions=test_* write_page", f"tests/long/test_{name}.py"),
    ]


def main(name: str) -> None:
    """Run the tests of a file and write its page; ends the process where a test fails."""
    ended = subprocess.run(command(name), cwd=ROOT, check=False).returncode
    if ended:
        sys.exit(f"{name}: its tests failed, the page is as it was")
