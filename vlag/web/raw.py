# SPDX-License-Identifier: GPL-2.0-only
"""Files of bundles and reports on the disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from attrs import frozen
from flask import Response, send_file

from vlag.bundle_records import FileRecord
from vlag.web.params import missing


class _Document(TypedDict):
    files: list[FileRecord]


@frozen(kw_only=True)
class Listed:
    """A file that a bundle's document names."""

    path: str
    bytes: int


def listed(location: str, state: Path) -> list[Listed] | None:
    """Return the files of the bundle at a location, its document first; None if it is gone."""
    document = _document(location, state)
    if document is None:
        return None
    path, content = document
    files = [Listed(path=f["path"], bytes=f["bytes"]) for f in content["files"]]
    return [Listed(path=path.name, bytes=path.stat().st_size), *files]


def answer(
    location: str | None, name: str, state: Path, removed: Mapping[str, Any] | None = None
) -> Response:
    """Answer with a file of the bundle at a location, as plain text.

    `removed` is when and why `vlag gc` has removed the bundle, if it has.

    Ends with 404 for a name that the bundle's document does not list, so that no name can
    lead out of the bundle, and for a link to another folder.
    """
    known = None if location is None else listed(location, state)
    if location is None or known is None:
        missing(
            "The bundle is no longer in the state folder; its figures stay on record."
            if removed is None
            else f"The raw files were removed by vlag gc on {removed['at']:%Y-%m-%d}:"
            f" {removed['why']}. The figures stay on record."
        )
    if name not in {f.path for f in known}:
        missing(f"The bundle has no file {name!r}; its run's page lists its files.")
    return _send(Path(location) / name, Path(location))


def report(name: str, state: Path) -> Response:
    """Answer with a report of the state folder, as plain text."""
    return _send(state / name, state)


def _document(location: str, state: Path) -> tuple[Path, _Document] | None:
    """Return run.json or build.json of a bundle, which must lie in the state folder."""
    folder = Path(location)
    if not folder.resolve().is_relative_to(state.resolve()):
        return None
    for name in ("run.json", "build.json"):
        path = folder / name
        if path.is_file():
            content: _Document = json.loads(path.read_text(encoding="utf-8"))
            return path, content
    return None


def _send(path: Path, home: Path) -> Response:
    """Send a file that lies in `home`, also after all links are followed."""
    real = path.resolve()
    if not real.is_relative_to(home.resolve()) or not real.is_file():
        missing("This file is no longer on the disk; its SHA-256 stays on record.")
    # Show every file as text, never run it.
    return send_file(real, mimetype="text/plain", conditional=True)
