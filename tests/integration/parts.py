# SPDX-License-Identifier: GPL-2.0-only
"""The service in parts: each is a process of its own, on a PostgreSQL server of somebody else."""

from __future__ import annotations

import subprocess
import sys

from tests.integration.installation import Installation
from tests.integration.server import Server


class Parts:
    """An installation of which each part is a process of its own, as on several machines."""

    def __init__(self, made: Installation, server: Server, boards: str, sections: str):
        self.made, self.server = made, server
        server.make_anew()
        made.settings.write_text(made.settings.read_text() + server.settings() + sections)
        (made.folder / "boards.yml").write_text(boards)
        self.running: dict[str, subprocess.Popen[str]] = {}

    def start(self, *words: str, wait_s: float = 600) -> subprocess.Popen[str]:
        process = self.made.spawn(
            "-m", "vlag.cli.main", "serve", "--part", *words, "--wait", str(wait_s)
        )
        self.running[words[-1]] = process
        return process

    def said(self, name: str) -> str:
        return self.made.said(self.made.running.index(self.running[name]))

    def health(self, *words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "vlag.cli.main", "health", *words],
            env=self.made.environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, (done.stdout + done.stderr).strip()
