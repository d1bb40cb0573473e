# SPDX-License-Identifier: GPL-2.0-only
"""The pages of `vlag.web` inside Buildbot's web server."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from buildbot.www import auth
from flask import current_app

from master import rights
from master.guard import Gate
from master.login import PasswordFile
from master.sessions import Sessions
from vlag.buildbot import Web, bracketed
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.operate.farm import queue
from vlag.operate.service import activity
from vlag.operate.service.live import Watcher, next_night
from vlag.sandbox import NONE
from vlag.web.access import Visitor, origin
from vlag.web.app import create
from vlag.web.installation import Site

#: Name in URLs and in Buildbot's menu.
NAME = "vlag"
#: Name of Buildbot's session cookie for plain HTTP on the site's root.
_COOKIE = auth.build_cookie_name(False, []).decode()


def endpoint(port: int, listen: str) -> str:
    """Return a Twisted endpoint string for a server of the master."""
    return f"tcp:{port}:interface={listen.replace(':', chr(92) + ':')}"  # of an IPv6 address


def configure(settings: Settings, url: str) -> dict[str, Any]:
    """Return `www` of Buildbot's configuration: Buildbot's pages at `url`, and vlag's pages.

    Raises UsageError for an invalid password file.
    """
    dashboard = {
        "name": NAME,
        "caption": "Regressions",
        "app": create(site(settings, url), identify),
        "order": 1,
        "icon": "FaChartLine",  # required, but Buildbot 4.3 always shows its own icon
    }
    found: dict[str, Any] = {
        "port": endpoint(settings.web_port, settings.web_listen),
        "plugins": {"console_view": {}, "grid_view": {}, "wsgi_dashboards": [dashboard]},
        "authz": rights.authz(settings, url),
        "avatar_methods": [],  # Buildbot's own way tells another site who visits
    }
    if settings.people is not None:
        found["auth"] = PasswordFile(settings.people, sessions(settings))
    return found


def gate(settings: Settings, url: str) -> Gate:
    """Return what requests to the pages at `url` are checked against."""
    port = urlsplit(url).port or settings.web_port
    names = {"127.0.0.1", "localhost", "[::1]", bracketed(settings.web_host)}
    own = [f"http://{name}:{p}" for name in names for p in (port, settings.web_port)]
    return Gate(
        url=url,
        secret=settings.control_file,
        origins=frozenset(map(origin, [url, *own])),
        sessions=sessions(settings),
    )


def sessions(settings: Settings) -> Sessions:
    """Return the rule on whose session counts."""
    return Sessions(who=settings.people, ended=settings.state / "secrets" / "signed-out")


def site(settings: Settings, url: str) -> Site:
    """Return the settings of this installation for the pages."""
    return Site(
        reader_dsn=settings.reader_dsn(),
        writer_dsn=settings.dsn() if settings.people is not None else None,
        state=settings.state,
        url=url,
        catalogue=catalogues.of(settings),
        triage=settings.people.triage if settings.people is not None else (),
        labs={name: lab.url for name, lab in settings.labs.items()},
        queue=lambda: queue.current(
            settings, catalogues.of(settings), datetime.datetime.now(datetime.UTC)
        ),
        activity=lambda: activity.current(Web(settings.web_port, settings.web_host)),
        live=Watcher(Web(settings.web_port, settings.web_host), lambda: next_night(settings)),
        try_bases=try_bases(settings),
        check_hours=settings.check_hours,
        commits={name: t.web for name, t in settings.trees.items() if t.web is not None},
    )


def try_bases(settings: Settings) -> tuple[str, ...]:
    """Return the watched branches to which a stranger's patches may be applied."""
    if settings.sandbox.kind == NONE:
        return ()
    watched = [b for b in settings.branches if not settings.trees[b.tree].images]
    return tuple(dict.fromkeys(f"{b.tree}/{b.branch}" for b in watched if "*" not in b.branch))


def identify(cookies: Mapping[str, str]) -> Visitor | None:
    """Return the signed-in visitor from Buildbot's signed session cookie, or None."""
    session = cookies.get(_COOKIE)
    if session is None:
        return None
    app: Any = current_app  # Buildbot adds its API to it
    try:
        known = app.buildbot_api.master.www.site.getSession(session).user_info
    except KeyError:  # expired, ended, or not signed by this master
        return None
    name = known.get("username")
    return Visitor(name=name, session=session) if name else None
