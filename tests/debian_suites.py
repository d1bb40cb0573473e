# SPDX-License-Identifier: GPL-2.0-only
"""Packages of other releases of Debian, fetched into a folder and unpacked; none is installed."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Suite:
    """A suite of Debian, such as `sid`, with lists and downloads in a folder of its own.

    `base` is the release that a suite of backports is for.
    """

    def __init__(self, name: str, folder: Path, base: str = "") -> None:
        self.name, self.folder = name, folder / "apt"
        for part in ("lists/partial", "cache/archives/partial"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        (self.folder / "suite.sources").write_text(
            f"Types: deb\nURIs: {_archive()}\nSuites: {base} {name}\nComponents: main\n"
            f"Signed-By: {_KEYRING}\n"
        )
        (self.folder / "apt.conf").write_text(
            f'Dir::Etc::SourceList "{self.folder}/suite.sources";\n'
            'Dir::Etc::SourceParts "/dev/null";\n'
            f'Dir::State::Lists "{self.folder}/lists";\nDir::Cache "{self.folder}/cache";\n'
            'APT::Sandbox::User "root";\nAcquire::Languages "none";\n'
        )
        self._run("apt-get", "update", "-qq")

    def depends(self, package: str) -> str:
        """Return the first package that a package of this suite depends on."""
        shown = self._run("apt-cache", "show", "--no-all-versions", f"{package}/{self.name}")
        found = re.search(r"^Depends: ([\w.+-]+)", shown, re.MULTILINE)
        assert found, shown
        return found[1]

    def unpacked(self, packages: Sequence[str], root: Path) -> Path:
        """Return a folder with the files of packages below it."""
        wanted = [f"{package}/{self.name}" for package in packages]
        self._run("apt-get", "download", "-qq", *wanted)
        for package in packages:
            [file] = self.folder.glob(f"{package}_*.deb")
            subprocess.run(["dpkg-deb", "--extract", file, root], check=True)
            file.unlink()
        return root

    def whole(self, packages: Sequence[str]) -> Path:
        """Return a root with packages and all that they depend on; no script of theirs has run."""
        none, root = self.folder / "none", self.folder / "whole"
        none.touch()
        self._run(
            "apt-get", "-qq", "-y", "--download-only", "--no-install-recommends", "-t", self.name,
            "-o", f"Dir::State::status={none}", "-o", "Debug::NoLocking=1", "install",
            "base-files", *packages,
        )  # fmt: skip
        files = sorted((self.folder / "cache" / "archives").glob("*.deb"))
        # Its links to folders below /usr come first.
        for file in sorted(files, key=lambda path: not path.name.startswith("base-files_")):
            subprocess.run(["dpkg-deb", "--extract", file, root], check=True)
            file.unlink()
        return root

    def _run(self, *argv: str) -> str:
        environment = {**os.environ, "APT_CONFIG": str(self.folder / "apt.conf")}
        done = subprocess.run(
            argv, cwd=self.folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout


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
