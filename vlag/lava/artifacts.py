# SPDX-License-Identifier: GPL-2.0-only
"""The artifact store's folder: files that boards fetch, and raw output that they send.

    files/SHA256/NAME    a published file, never changed
    uploads/KEY/token    the token a board needs to send files of this boot; gone once closed
    uploads/KEY/NAME     a completely received file

`vlag.lava.artifact_server` serves it over HTTP, `vlag.lava.expiry` removes what is old.  All
functions may be called from several processes at once.
"""

from __future__ import annotations

import contextlib
import errno
import hmac
import os
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from vlag import durable
from vlag.bundle import sha256
from vlag.errors import InfrastructureError, UsageError
from vlag.lock import hold
from vlag.ownership import make_folder, write_private

#: Valid names of files and keys: no hidden files, no paths to other folders.
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,199}")
DIGEST = re.compile(r"[0-9a-f]{64}")
_TOKEN = "token"  # noqa: S105 - the name of its file


def published(folder: Path, digest: str, name: str) -> Path | None:
    """Return the published file of a digest and a name, if there is one."""
    if not DIGEST.fullmatch(digest) or not PLAIN.fullmatch(name):
        return None
    path = folder / "files" / digest / name
    return path if path.is_file() else None


def publish(folder: Path, path: Path) -> str:
    """Publish a file under its digest and name; return the path of its URL.

    The file is hard-linked where possible, so it must not be changed afterwards.  Raises
    UsageError for a name that does not belong in a URL.
    """
    if not PLAIN.fullmatch(path.name):
        raise UsageError(
            f"{path}: cannot be published under the name {path.name!r}; use letters, digits and"
            " _.+- only"
        )
    digest = sha256(path)
    home = folder / "files" / digest
    with held(folder):
        make_folder(home)
        os.utime(home)  # a change, from which `vlag.lava.expiry` counts
        target = home / path.name
        if not target.exists():
            partial = home / f".{secrets.token_hex(8)}"
            try:
                _link(path, partial)
                durable.place(partial, target)
            finally:
                partial.unlink(missing_ok=True)
    return f"/files/{digest}/{path.name}"


def _link(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError as e:
        if e.errno not in {errno.EXDEV, errno.EPERM, errno.EMLINK}:
            raise
        shutil.copyfile(path, target)


def open_upload(folder: Path, key: str) -> str:
    """Open uploads of a key; return its token, the same one until the key is closed."""
    home = _home(folder, key)
    with held(folder):
        make_folder(home)
        token = _token(home)
        if token is None:
            token = secrets.token_urlsafe(24)
            write_private(home / _TOKEN, token + "\n", shared=True)
    return token


def allowed(folder: Path, key: str, token: str) -> bool:
    """Return whether a token opens a key; a wrong one takes as long to check."""
    known = _token(folder / "uploads" / key) if PLAIN.fullmatch(key) else None
    # Compared even if the key is closed, so that timing does not reveal the open keys.
    equal = hmac.compare_digest((known or secrets.token_urlsafe(24)).encode(), token.encode())
    return known is not None and equal


def uploaded(folder: Path, key: str) -> dict[str, Path]:
    """Return the completely received files of a key: name -> path."""
    home = _home(folder, key)
    if not home.is_dir():
        return {}
    return {
        path.name: path
        for path in sorted(home.iterdir())
        if path.name != _TOKEN and PLAIN.fullmatch(path.name)
    }


def received(folder: Path, key: str, announced: Mapping[str, tuple[int, str]]) -> dict[str, bytes]:
    """Return the files that a board says it has uploaded: name -> (bytes, SHA-256).

    Raises InfrastructureError if one is missing or differs.
    """
    there = uploaded(folder, key)
    contents = {}
    for name, (size, digest) in announced.items():
        path = there.get(name)
        if path is None:
            raise InfrastructureError(
                f"{folder / 'uploads' / key}: the board says that it uploaded {name}, which is not"
                " there; run the job again"
            )
        if path.stat().st_size != size or sha256(path) != digest:
            raise InfrastructureError(
                f"{path}: is not what the board says that it uploaded; run the job again"
            )
        contents[name] = path.read_bytes()
    return contents


def close(folder: Path, key: str) -> None:
    """Close uploads of a key; the received files stay until they expire."""
    (_home(folder, key) / _TOKEN).unlink(missing_ok=True)


def held(folder: Path) -> contextlib.AbstractContextManager[None]:
    """Hold the store against other processes that publish, open uploads or remove."""
    return hold(folder / "lock", lambda: None)


def _home(folder: Path, key: str) -> Path:
    if not PLAIN.fullmatch(key):
        raise UsageError(f"{key!r}: cannot be a key of uploads; use letters, digits and _.+- only")
    return folder / "uploads" / key


def _token(home: Path) -> str | None:
    try:
        return (home / _TOKEN).read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
