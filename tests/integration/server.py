# SPDX-License-Identifier: GPL-2.0-only
"""A PostgreSQL server that is nobody's private cluster, as an administrator sets one up."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from pathlib import Path

from tests.integration.installation import free_ports
from vlag import ROOT
from vlag.operate.service import postgres


class Server:
    """A server with passwords, its administrator, and the files that others get."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.programs = postgres.find_programs()
        self.port = free_ports(1)[0]
        self.data = folder / "data"
        self.secrets = folder / "secrets"
        for path in (folder, self.data, self.secrets):
            path.mkdir(mode=0o755)
        self.data.chmod(0o700)
        for name in ("administrator", "database", "reader"):
            self.secret(name)
        if os.geteuid() == 0:
            shutil.chown(self.data, "postgres", "postgres")
            shutil.chown(self.secrets / "administrator", "postgres")
        self._call(
            "initdb", "-D", str(self.data), "-U", "postgres", "-A", "scram-sha-256", "-N",
            f"--pwfile={self.secrets / 'administrator'}",
        )  # fmt: skip

    def secret(self, name: str) -> Path:
        path = self.secrets / name
        path.write_text(secrets.token_urlsafe(12) + "':\\ $x\n")  # what wants quoting
        path.chmod(0o600)
        return path

    def start(self) -> None:
        options = f"-p {self.port} -h 127.0.0.1 -k '' -c fsync=off"
        log = str(self.data / "log")
        self._call("pg_ctl", "-D", str(self.data), "-w", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self._call("pg_ctl", "-D", str(self.data), "-w", "-m", "fast", "stop")

    def make(self, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run schemas/server.sql as the administrator."""
        return self.psql("-f", str(ROOT / "schemas" / "server.sql"), **variables)

    def make_anew(self) -> None:
        """Make the roles and empty databases, whatever an earlier test has left."""
        for name in ("vlag", "buildbot"):
            done = self.psql("-c", f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            assert done.returncode == 0, done.stderr
        done = self.make(**self.files)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def psql(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        administrator = {
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.port),
            "PGUSER": "postgres",
            "PGPASSWORD": (self.secrets / "administrator").read_text().strip(),
        }
        return subprocess.run(
            ["psql", "-X", "-d", "postgres", *arguments],
            env={**os.environ, **administrator, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def files(self) -> dict[str, str]:
        """What `make` is told."""
        return {
            "VLAG_DATABASE_PASSWORD_FILE": str(self.secrets / "database"),
            "VLAG_READER_PASSWORD_FILE": str(self.secrets / "reader"),
        }

    def settings(self) -> str:
        """Return the table of the settings."""
        return (
            f'[database]\nhost = "127.0.0.1"\nport = {self.port}\n'
            f'password_file = "{self.secrets}/database"\n'
            f'reader_password_file = "{self.secrets}/reader"\n'
        )

    def _call(self, program: str, *arguments: str) -> None:
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        argv = [*(user if os.geteuid() == 0 else []), str(self.programs / program), *arguments]
        with (self.folder / "calls").open("a") as log:
            done = subprocess.run(argv, stdout=log, stderr=log, cwd="/", check=False)
        assert done.returncode == 0, (self.folder / "calls").read_text()
