# SPDX-License-Identifier: GPL-2.0-only
"""The service's files under `state`: folders, secrets, and the locks of its parts."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vlag.config import Settings
from vlag.errors import UsageError
from vlag.lock import hold
from vlag.ownership import make_folder, write_private

_FOLDERS = ("log", "reports", "builds", "runs", "mirrors", "master", "worker")


def make_folders(state: Path, *more: str) -> None:
    """Make the folders that the parts share, and the given ones."""
    for name in (*_FOLDERS, *more):
        make_folder(state / name)


def make_secret(settings: Settings, name: str) -> Path:
    """Make a missing secret; return its file.  Of parts that start at once, one makes it."""
    folder = settings.state / "secrets"
    make_folder(folder, 0o700)
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(0o700)
    path = folder / name
    if not path.exists():
        with hold(settings.state / "locks" / "secrets", lambda: None):
            if not path.exists():
                write_private(path, secrets.token_urlsafe(24) + "\n", shared=True)
    return path


def named_secrets(settings: Settings) -> dict[str, Path]:
    """Return the files of secrets that the settings name, by the key that names each."""
    mail, database, people, hook = (
        settings.mail, settings.database, settings.people, settings.webhook,
    )  # fmt: skip
    paths: dict[str, Path | None] = {
        "[workers] password_file": settings.worker_password,
        "[mail] password_file": mail.password_file if mail else None,
        "[database] password_file": database.password_file if database else None,
        "[database] reader_password_file": database.reader_password_file if database else None,
        "[people] password_file": people.password_file if people else None,
        "[webhook] secret_file": hook.secret_file if hook else None,
        **{
            f"[subscriptions.{s.name}] secret_file": s.webhook.secret_file
            for s in settings.subscriptions
            if s.webhook is not None
        },
        **{f"[labs.{lab.name}] token_file": lab.token_file for lab in settings.labs.values()},
    }
    return {key: path for key, path in paths.items() if path is not None}


def worker_password(settings: Settings) -> None:
    """Make the workers' password; UsageError if the settings name a missing file."""
    path = settings.worker_password
    if path is None:
        make_secret(settings, "worker")
    elif not os.access(path, os.R_OK):
        raise UsageError(
            f"{path} (workers.password_file in {settings.path}): cannot be read; make the file, one"
            " line"
        )


@contextmanager
def whole(state: Path) -> Iterator[None]:
    """Lock an installation for a service of all parts."""

    def refuse() -> None:
        raise UsageError(
            f"another service already runs on {state}: stop it, or give this one another state "
            "folder in its settings"
        )

    with hold(state / "lock", refuse):
        yield


@contextmanager
def upgrading(state: Path) -> Iterator[None]:
    """Wait until no other master changes the database's tables."""
    with hold(state / "locks" / "upgrade", lambda: None):
        yield


@contextmanager
def one_part(state: Path, part: str, what: str) -> Iterator[None]:
    """Lock an installation for one part of the service; other parts may run beside it.

    Raises UsageError if a service of all parts, or this part, runs on it, here or on another
    machine that shares the folder.
    """

    def refuse_all() -> None:
        raise UsageError(
            f"a service of all parts already runs on {state}: stop it, or give this one another"
            " state folder in its settings"
        )

    def refuse() -> None:
        raise UsageError(
            f"another {what} already runs on {state}, here or on another machine: stop it, or give"
            " this one another name or state folder in its settings"
        )

    with hold(state / "lock", refuse_all, shared=True), hold(state / "locks" / part, refuse):
        yield
