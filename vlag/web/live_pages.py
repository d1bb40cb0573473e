# SPDX-License-Identifier: GPL-2.0-only
"""The present: a strip on every page, and a page of what came out so far."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from flask import Blueprint, render_template, request

from vlag.config import snapshot
from vlag.operate.service.live import Live
from vlag.web.installation import site
from vlag.web.params import Params

moments = Blueprint("moments", __name__)

#: Seconds for which an answer about edited files counts.
_EDITED_S = 10.0
_edited: tuple[float, Sequence[str]] = (float("-inf"), ())


def present() -> Live | None:
    """Return the present of the master, or None if it is unknown."""
    ask = site().live
    return None if ask is None else ask()


def edited() -> Sequence[str]:
    """Return the names of files that were edited since the service started with them."""
    global _edited  # noqa: PLW0603 - what a moment ago was true is true enough
    folder = os.environ.get(snapshot.FOLDER)
    if folder is None:
        return ()
    if time.monotonic() - _edited[0] > _EDITED_S:
        _edited = time.monotonic(), [path.name for path in snapshot.changed(Path(folder))]
    return _edited[1]


@moments.get("/live")
def now() -> str:
    """Show what runs, what came out so far, and what is next."""
    Params(request.args)
    return render_template("live.html")


@moments.get("/strip")
def strip() -> str:
    """Return the strip alone, for the script that renews it."""
    Params(request.args)
    return render_template("_strip.html")
