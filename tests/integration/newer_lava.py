# SPDX-License-Identifier: GPL-2.0-only
"""LAVA's own code as Debian 13's backports have it, unpacked for the Python of this machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SUITE = "trixie-backports"
PACKAGES = ("lava-common", "lava-dispatcher", "lava-server")

#: Takes the place of `/usr/bin/python3 -I`, which reads no variables.
_PYTHON = """#!/bin/sh
shift
PYTHONPATH={packages} PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "$@"
"""


def unpacked(folder: Path) -> Path:
    """Return a folder with LAVA's files below it."""
    apt, root = folder / "apt", folder / "root"
    for name in ("lists/partial", "cache/archives/partial"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    (apt / "backports.sources").write_text(
        f"Types: deb\nURIs: {_archive()}\nSuites: {SUITE}\nComponents: main\n"
        "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
    )
    (apt / "apt.conf").write_text(
        f'Dir::Etc::SourceList "{apt}/backports.sources";\nDir::Etc::SourceParts "/dev/null";\n'
        f'Dir::State::Lists "{apt}/lists";\nDir::Cache "{apt}/cache";\n'
        'APT::Sandbox::User "root";\nAcquire::Languages "none";\n'
    )
    environment = {**os.environ, "APT_CONFIG": str(apt / "apt.conf")}
    wanted = [f"{name}/{SUITE}" for name in PACKAGES]
    for argv in (["update", "-qq"], ["download", "-qq", *wanted]):
        subprocess.run(["apt-get", *argv], cwd=apt, env=environment, check=True)
    for package in apt.glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
    return root


def _archive() -> str:
    """Return where this machine's packages of Debian come from, in whichever file that stands."""
    filters = ("Created-By: Packages", "Origin: Debian", "Label: Debian")
    done = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", *filters],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    uris = done.stdout.split()
    assert uris, "this machine has no list of Debian's packages: run apt-get update"
    return uris[0]


def device_types(root: Path) -> Path:
    """Return the folder of LAVA's own device types."""
    return root / "usr/share/lava-server/device-types"


def python(root: Path) -> Path:
    """Return a program that runs scripts with this LAVA."""
    program = root / "python3"
    program.write_text(_PYTHON.format(packages=root / "usr/lib/python3/dist-packages"))
    program.chmod(0o755)
    return program
