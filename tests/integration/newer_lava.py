# SPDX-License-Identifier: GPL-2.0-only
"""LAVA's own code as Debian 13's backports have it, unpacked for the Python of this machine."""

from __future__ import annotations

from pathlib import Path

from tests.debian_suites import Suite

SUITE = "trixie-backports"
PACKAGES = ("lava-common", "lava-dispatcher", "lava-server")

#: Takes the place of `/usr/bin/python3 -I`, which reads no variables.
_PYTHON = """#!/bin/sh
shift
PYTHONPATH={packages} PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "$@"
"""


def unpacked(folder: Path) -> Path:
    """Return a folder with LAVA's files below it."""
    return Suite(SUITE, folder).unpacked(PACKAGES, folder / "root")


def device_types(root: Path) -> Path:
    """Return the folder of LAVA's own device types."""
    return root / "usr/share/lava-server/device-types"


def python(root: Path) -> Path:
    """Return a program that runs scripts with this LAVA."""
    program = root / "python3"
    program.write_text(_PYTHON.format(packages=root / "usr/lib/python3/dist-packages"))
    program.chmod(0o755)
    return program
