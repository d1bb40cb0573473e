# SPDX-License-Identifier: GPL-2.0-only
"""A sandbox, and what a program does in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve, frozen

from tests import sandboxes
from vlag.sandbox import BUBBLEWRAP, Ended, Sandbox


@frozen
class Place:
    """A source with a hostile makefile, folders it may write to, and what it may not reach."""

    source: Path
    output: Path
    cache: Path
    secret: Path
    home: Path

    def make(self, recipe: str, kind: str = BUBBLEWRAP, /, **limits: int) -> tuple[Ended, str]:
        """Run the recipe by `make`; return how it ended and what it printed."""
        (self.source / "Makefile").write_text(f"all:\n\t@{recipe}\n")
        rules = sandboxes.rules(**limits)
        sandbox = Sandbox(
            rules=evolve(rules, kind=kind),
            read=(self.source,),
            write=(self.output, self.cache),
            environment={"GIVEN": "by the service"},
        )
        sandbox.prepare()
        said: list[str] = []
        argv = ["make", "-C", str(self.source), f"O={self.output}"]
        ended = sandbox.run(argv, cwd=self.source, line=said.append)
        return ended, "".join(said)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    # Without namespaces the way to them must be open.
    for above in (tmp_path, *tmp_path.parents):
        if not above.stat().st_mode & 0o001:
            above.chmod(0o755)
    folders = [tmp_path / name for name in ("source", "output", "cache", "home")]
    for folder in folders:
        folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("the password\n")
    source, output, cache, home = folders
    return Place(source, output, cache, secret, home)
