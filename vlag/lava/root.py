# SPDX-License-Identifier: GPL-2.0-only
"""Root in name: for programs that refuse anybody else but do nothing that only root may."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from vlag.errors import UsageError, blame_program


def in_name(folders: Mapping[str, Path]) -> list[str]:
    """Return the words that begin a command which takes its caller for root; none for root.

    The command gets no right that its caller has not, and all that it makes is the caller's.
    `folders`: where root alone may write -> the caller's folder that the command finds there,
    made where it is missing.
    """
    if os.geteuid() == 0:
        return []
    words = ["bwrap", "--unshare-user", "--uid", "0", "--gid", "0", "--dev-bind", "/", "/"]
    for path, own in folders.items():
        own.mkdir(exist_ok=True)
        words += ["--bind", str(own), path]
    return [*words, "--die-with-parent", "--"]


def check() -> None:
    """Raise UsageError if this user is not root and cannot be root in name."""
    if os.geteuid() == 0:
        return
    if shutil.which("bwrap") is None:
        raise UsageError(
            "lava-run needs root, or the program bwrap, which is missing: `make setup` installs it"
            " (package bubblewrap)"
        )
    tried = subprocess.run(
        [*in_name({}), "true"], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if tried.returncode:
        message = (tried.stderr.strip().splitlines() or [f"status {tried.returncode}"])[-1]
        raise blame_program(
            tried.returncode,
            message,
            f"lava-run needs root, and this user cannot be root in name ({message}): start this as"
            " root, or allow user namespaces (docs/sandbox.md)",
        )
