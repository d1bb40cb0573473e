# SPDX-License-Identifier: GPL-2.0-only
"""What the pages of `vlag.web` and Buildbot's server know of an installation."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from urllib.parse import urlsplit

from master.gate import Gate
from master.sessions import COOKIE, Sessions
from vlag.alerts import derive
from vlag.buildbot import Web, bracketed
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.operate.farm import queue
from vlag.operate.service import activity, prerequisites
from vlag.operate.service.live import Watcher, next_night
from vlag.sandbox import NONE
from vlag.web.access import Identify, Visitor, origin
from vlag.web.installation import Site


def endpoint(port: int, listen: str) -> str:
    """Return a Twisted endpoint string for a server of the master."""
    return f"tcp:{port}:interface={listen.replace(':', chr(92) + ':')}"  # of an IPv6 address


def gate(settings: Settings, url: str) -> Gate:
    """Return what requests to the pages at `url` are checked against."""
    port = urlsplit(url).port or settings.web_port
    names = {"127.0.0.1", "localhost", "[::1]", bracketed(settings.web_host)}
    own = [f"http://{name}:{p}" for name in names for p in (port, settings.web_port)]
    return Gate(
        url=url,
        secret=settings.control_file,
        push_hook=settings.push_hook_file,
        origins=frozenset(map(origin, [url, *own])),
        sessions=sessions(settings),
    )


def sessions(settings: Settings) -> Sessions:
    """Return the rule on whose session counts."""
    secrets = settings.state / "secrets"
    return Sessions(who=settings.people, ended=secrets / "signed-out", key=secrets / "session")


def site(settings: Settings, url: str) -> Site:
    """Return the settings of this installation for the pages."""
    return Site(
        reader_dsn=settings.reader_dsn(),
        writer_dsn=settings.dsn() if settings.people is not None else None,
        state=settings.state,
        url=url,
        grafana=settings.grafana_address,
        catalogue=catalogues.of(settings),
        derive=lambda conn, comparisons: derive.of_installation(
            conn, catalogues.of(settings), settings, comparisons
        ),
        thresholds=settings.alerts,
        recipients=None if settings.mail is None else settings.mail.recipients,
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
        mirrors={name: settings.mirror(name) for name, t in settings.trees.items() if not t.images},
        lacks=lambda: prerequisites.disk(settings),
    )


def try_bases(settings: Settings) -> tuple[str, ...]:
    """Return the watched branches to which a stranger's patches may be applied."""
    if settings.sandbox.kind == NONE:
        return ()
    watched = [b for b in settings.branches if not settings.trees[b.tree].images]
    return tuple(dict.fromkeys(f"{b.tree}/{b.branch}" for b in watched if "*" not in b.branch))


def identify(known: Sessions) -> Identify:
    """Return what tells the signed-in visitor by Buildbot's signed session cookie."""

    def visitor(cookies: Mapping[str, str]) -> Visitor | None:
        session = cookies.get(COOKIE)
        if session is None:
            return None
        name = known.user_of(session).get("username")
        return Visitor(name=name, session=session) if name else None

    return visitor
