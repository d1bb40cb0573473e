# SPDX-License-Identifier: GPL-2.0-only
"""A PostgreSQL server outside vlag: its address and passwords."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from attrs import frozen

from vlag.errors import InfrastructureError, UsageError, blame
from vlag.ownership import make_folder

#: The role that may read the views; `vlag.store.views` grants its privileges.
_READER = "vlag_reader"


@frozen(kw_only=True)
class Database:
    """`[database]` of the settings."""

    settings: Path  # the file, for messages
    host: str  # name, address, or folder of a Unix socket
    port: int
    user: str
    password_file: Path | None  # None: the server lets us in without one
    reader_password_file: Path | None
    sslmode: str | None
    sslrootcert: Path | None

    def dsn(self, name: str, secrets: Path) -> str:
        """Return the libpq connection string of one of the server's databases.

        The password goes into a libpq password file in the folder `secrets`, rewritten when
        it changes, so that no password appears in an argument, a log or the environment.
        Raises UsageError for an unusable password file, InfrastructureError if libpq's
        cannot be written.
        """
        return self._dsn(self.user, name, secrets, "password_file", self.password_file)

    def reader_dsn(self, secrets: Path) -> str:
        """Return the connection string of the database vlag for the role that only reads views."""
        path = self.reader_password_file
        return self._dsn(_READER, "vlag", secrets, "reader_password_file", path)

    def _dsn(self, user: str, name: str, secrets: Path, key: str, path: Path | None) -> str:
        words = {
            "host": self.host,
            "port": str(self.port),
            "user": user,
            "dbname": name,
            "connect_timeout": "10",
        }
        if path is not None:
            password = _escaped(self._password(key, path))
            words["passfile"] = str(_passfile(secrets, user, f"*:*:*:{user}:{password}\n"))
        if self.sslmode is not None:
            words["sslmode"] = self.sslmode
        if self.sslrootcert is not None:
            words["sslrootcert"] = str(self.sslrootcert)
        return " ".join(f"{key}={_quoted(value)}" for key, value in words.items())

    def _password(self, key: str, path: Path) -> str:
        where = f"{path} (database.{key} in {self.settings})"
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as e:
            raise blame(
                e, f"{where}: cannot read the password ({e.strerror}); make the file, one line"
            ) from e
        except UnicodeDecodeError as e:
            raise UsageError(f"{where}: is not text; put the password there, one line") from e
        lines = text.splitlines()
        if len(lines) != 1 or not lines[0]:
            raise UsageError(
                f"{where}: has {len(lines)} lines; put the password there, one line, nothing else"
            )
        return lines[0]


def _passfile(folder: Path, role: str, lines: str) -> Path:
    """Return libpq's password file for a role of the server, with these lines.

    Each user of this machine has its own: libpq refuses a file that others may read.
    """
    path = folder / f"pgpass-{role}-{os.geteuid()}"
    with contextlib.suppress(OSError):
        if path.read_text(encoding="utf-8") == lines:
            return path
    try:
        make_folder(folder, 0o700)
        descriptor, draft = tempfile.mkstemp(prefix=f"{path.name}.", dir=folder)  # mode 0600
        with os.fdopen(descriptor, "w", encoding="utf-8") as f:
            f.write(lines)
        os.replace(draft, path)
    except OSError as e:
        raise InfrastructureError(
            f"{path}: cannot be written ({e.strerror}); the database's password has to be there",
            retry=False,
        ) from e
    return path


def _escaped(text: str) -> str:
    """Return a field of a password file."""
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _quoted(text: str) -> str:
    """Return a value of a connection string."""
    if text and not set(text) & set(" '\\\t\n"):
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
