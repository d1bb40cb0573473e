"""What the service makes under `state`: folders, secrets, and the locks of its parts."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vlag.errors import UsageError
from vlag.lock import hold
from vlag.pipeline.settings import Settings
from vlag.pipeline.settings.server import make_private

_FOLDERS = ("log", "reports", "builds", "runs", "mirrors", "master", "worker")


def make_folders(state: Path, *more: str) -> None:
    """Make what the parts share; what root makes belongs to the owner of `state`."""
    state.mkdir(parents=True, exist_ok=True)
    for name in (*_FOLDERS, *more):
        folder = state / name
        if not folder.exists():
            folder.mkdir(exist_ok=True)
            hand_over(folder)


def hand_over(path: Path) -> None:
    """Give what root has made to the owner of the folder that it is in."""
    if os.geteuid() == 0:
        above = path.parent.stat()
        os.chown(path, above.st_uid, above.st_gid)


def make_secret(settings: Settings, name: str) -> Path:
    """Make a secret where it is missing; return its file."""
    folder = settings.state / "secrets"
    make_private(folder)
    path = folder / name
    if not path.exists():
        draft = folder / f"{name}.new"
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
            f.write(secrets.token_urlsafe(24) + "\n")
        hand_over(draft)
        draft.replace(path)
    return path


@contextmanager
def whole(state: Path) -> Iterator[None]:
    """Hold an installation for a service of all parts."""

    def refuse() -> None:
        raise UsageError(
            f"another service already runs on {state}: stop it, or give this one another state "
            "folder in its settings"
        )

    with hold(state / "lock", refuse):
        yield


@contextmanager
def one_part(state: Path, part: str, what: str) -> Iterator[None]:
    """Hold an installation for one part of the service, beside other parts.

    Raises UsageError where a service of all parts, or this very part, runs on it, here or on
    another machine that has the same folder.
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

    folder = state / "locks"
    state.mkdir(parents=True, exist_ok=True)
    for path in (folder, state / "lock", folder / part):
        if path.exists():
            continue
        path.mkdir(exist_ok=True) if path == folder else path.touch()
        hand_over(path)
    with hold(state / "lock", refuse_all, shared=True), hold(folder / part, refuse):
        yield
