# SPDX-License-Identifier: GPL-2.0-only
"""Debian's archive: apt finds and fetches packages into a folder, and installs nothing.

Lists and downloads have a folder of their own: no root, no setting of this machine changes, and
packages of another architecture need no `dpkg --add-architecture`.
"""

from __future__ import annotations

import fnmatch
import logging
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from vlag import durable
from vlag.bundle import sha256
from vlag.errors import InfrastructureError

log = logging.getLogger(__name__)

#: Seconds for which apt's lists are fresh: a session of builds asks the network once.
_FRESH_S = 3600


@frozen(kw_only=True)
class Package:
    """One version of a package that the archive has."""

    name: str
    version: str
    architecture: str  # Debian's name, such as amd64
    sha256: str


@frozen(kw_only=True)
class Archive:
    """The packages for one architecture."""

    folder: Path
    architecture: str  # Debian's name
    sources: Path | None  # apt's file of sources; None: those of this machine

    def refresh(self) -> None:
        """Fetch the lists of packages unless they are an hour old at most.

        Raises InfrastructureError without a network.
        """
        stamp = self.folder / "refreshed"
        if stamp.is_file() and 0 <= time.time() - stamp.stat().st_mtime < _FRESH_S:
            return
        log.info(f"fetching the lists of Debian's {self.architecture} packages")
        (self.folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        done = self._run("apt-get", "--quiet=2", "update")
        if done.returncode:
            raise InfrastructureError(f"apt cannot fetch its lists: {_first(done.stderr)}")
        stamp.touch()

    def packages(self, patterns: Iterable[str]) -> list[Package]:
        """Return all versions of the packages whose name matches one of the patterns."""
        names = self._run("apt-cache", "pkgnames").stdout.split()
        patterns = tuple(patterns)
        wanted = sorted(n for n in names if any(fnmatch.fnmatchcase(n, p) for p in patterns))
        if not wanted:
            return []
        records = self._run("apt-cache", "show", "--all-versions", *wanted).stdout
        listed = []
        for stanza in records.split("\n\n"):
            fields = dict(
                line.split(": ", 1) for line in stanza.splitlines() if not line.startswith(" ")
                and ": " in line
            )  # fmt: skip
            its = fields.get("Architecture")
            if its in (self.architecture, "all") and "SHA256" in fields:
                listed.append(
                    Package(
                        name=fields["Package"],
                        version=fields["Version"],
                        architecture=self.architecture,
                        sha256=fields["SHA256"],
                    )
                )
        return list(dict.fromkeys(listed))

    def fetch(self, package: Package, to: Path) -> None:
        """Download a package to `to`.

        Raises InfrastructureError without a network, for a version that the archive no longer has,
        or if the file is not the one that the package's SHA-256 means.
        """
        log.info(f"fetching {package.name} {package.version}")
        to.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="partial-", dir=to.parent) as scratch:
            name = f"{package.name}:{package.architecture}={package.version}"
            done = self._run("apt-get", "--quiet=2", "download", name, folder=Path(scratch))
            files = list(Path(scratch).glob("*.deb"))
            if done.returncode or len(files) != 1:
                raise InfrastructureError(
                    f"apt cannot fetch {package.name} {package.version}: {_first(done.stderr)}"
                )
            if sha256(files[0]) != package.sha256:
                raise InfrastructureError(
                    f"{package.name} {package.version}: the archive's file has another SHA-256"
                    f" than {package.sha256}, which this version is known by",
                    retry=False,
                )
            durable.place(files[0], to)

    def _run(self, *command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        options = {
            "APT::Architecture": self.architecture,
            "APT::Architectures": self.architecture,
            "APT::Sandbox::User": "root",  # who also owns the folder, if it is root's
            "APT::Update::Error-Mode": "any",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
            "Acquire::Languages": "none",
            "Acquire::Retries": "1",
            "Acquire::http::Timeout": "20",
            "Acquire::https::Timeout": "20",
            "Dir::Cache": str(self.folder / "cache"),
            # Kept also where a container's image says to keep nothing: each call of apt would read
            # all lists.  The other half serves a machine whose installed packages change.
            "Dir::Cache::pkgcache": "pkgcache.bin",
            "Dir::Cache::srcpkgcache": "",
            "Dir::State::lists": str(self.folder / "lists"),
            "Dir::State::status": "/dev/null",  # what is installed here has no say
        }
        if self.sources is not None:
            options |= {
                "Dir::Etc::sourcelist": str(self.sources),
                "Dir::Etc::sourceparts": "/dev/null",
            }
        given = [f"--option={name}={value}" for name, value in options.items()]
        (self.folder / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        return subprocess.run(
            [command[0], *given, *command[1:]],
            capture_output=True, text=True, errors="replace", check=False, cwd=folder,
        )  # fmt: skip


def _first(text: str) -> str:
    """Return apt's first error, else its first warning."""
    lines = text.splitlines()
    errors = [line[3:] for line in lines if line.startswith("E: ")]
    return (errors or [line.removeprefix("W: ") for line in lines] or ["no message"])[0]
