# SPDX-License-Identifier: GPL-2.0-only
"""`www` of Buildbot's configuration: its own pages, behind the process in front."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from master import rights
from master.login import PasswordFile
from master.web_pages import sessions
from vlag.config import Settings
from vlag.operate.service.master import SOCKET

#: Name in URLs and in Buildbot's menu.
NAME = "vlag"


def configure(settings: Settings, url: str) -> dict[str, Any]:
    """Return `www` of Buildbot's configuration, for pages at `url`.

    Raises UsageError for an invalid password file.
    """
    dashboard = {
        "name": NAME,
        "caption": "Regressions",
        "app": _elsewhere,
        "order": 1,
        "icon": "FaChartLine",  # required, but Buildbot 4.3 always shows its own icon
    }
    found: dict[str, Any] = {
        "port": f"unix:{SOCKET}:mode=600:lockfile=0",
        "plugins": {"console_view": {}, "grid_view": {}, "wsgi_dashboards": [dashboard]},
        "authz": rights.authz(settings, url),
        "avatar_methods": [],  # Buildbot's own way tells another site who visits
    }
    if settings.people is not None:
        found["auth"] = PasswordFile(settings.people, sessions(settings))
    return found


def _elsewhere(environ: object, start_response: Callable[..., object]) -> Iterable[bytes]:
    """Stand in Buildbot's menu for the pages: the process in front answers for them."""
    start_response("404 Not Found", [("Content-Type", "text/plain")])
    return [b"The process in front of this one has the pages.\n"]
