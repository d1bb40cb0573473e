# SPDX-License-Identifier: GPL-2.0-only
"""The process in front: vlag's pages, and the way to Buildbot's server, which it does not need.

It answers while the master starts, hangs or is gone: `python -m master.front FOLDER`, with
the folder of the master, where that listens.
"""

# mypy: allow-untyped-calls
# Twisted has types, but not for all of what is called here.

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from attrs import evolve
from twisted.internet import reactor
from twisted.internet.endpoints import serverFromString
from twisted.python import log, threadpool
from twisted.web import resource, server
from twisted.web.wsgi import WSGIResource

from master import healthz
from master.gate import Gate, Gated
from master.redirect import Redirect
from master.relay import Relay
from master.web_pages import endpoint, gate, identify, sessions, site
from vlag import config
from vlag.buildbot import PAGES, UI
from vlag.errors import ExitCode, InfrastructureError, VlagError
from vlag.lava.artifact_server import refuse_long_lengths
from vlag.operate.service.master import SOCKET
from vlag.store.pool import Pool
from vlag.web.app import create

#: Pages at a time, and connections to the database for them: some pages take two.
THREADS, CONNECTIONS = 8, 16


class _Site(server.Site):
    """The site; it does not name its server."""

    displayTracebacks = False  # noqa: N815 - Twisted's name
    requestFactory = Gated  # noqa: N815 - Twisted's name

    def __init__(self, root: resource.Resource, known: Gate):
        super().__init__(root)
        self.gate = known

    def getResourceFor(self, request: Any) -> Any:  # noqa: N802 - Twisted's name
        """Return what answers a request."""
        request.responseHeaders.removeHeader("Server")
        return super().getResourceFor(request)


class _Way(resource.Resource):
    """A part of the path to vlag's pages; all else is Buildbot's."""

    def __init__(self, relay: Relay):
        super().__init__()
        self.relay = relay

    def getChild(self, path: bytes, request: server.Request) -> resource.Resource:  # noqa: N802 - Twisted's name
        """Leave a request to Buildbot's server."""
        return self.relay

    def render(self, request: server.Request) -> int:
        """Leave a request to Buildbot's server."""
        return self.relay.render(request)


class _Below(_Way):
    """The same site below the path of Buildbot's pages; vlag's write their usual addresses."""

    def getChildWithDefault(self, path: bytes, request: Any) -> Any:  # noqa: N802 - Twisted's name
        """Return vlag's pages, or leave a request to Buildbot's server."""
        if path == UI.rstrip("/").encode():
            return self
        request.prepath = [path]
        return self.children.get(path, self.relay)


def root(pages: Any, health: Any, lacks: Callable[[], str | None]) -> Any:
    """Return the root of the site: it leads to vlag's overview.

    `lacks` returns what a start waits for.
    """
    relay = Relay(SOCKET, lacks)
    top: Any = _Way(relay)
    below: Any = _Below(relay)
    way: Any = _Way(relay)
    top.putChild(b"", Redirect(PAGES))
    top.putChild(healthz.PATH, health)
    top.putChild(UI.rstrip("/").encode(), below)
    first, *between, last = (part.encode() for part in PAGES.rstrip("/").split("/"))
    for above in (top, below):
        above.putChild(first, way)
    for part in between:
        inner: Any = _Way(relay)
        way.putChild(part, inner)
        way = inner
    way.putChild(last, pages)
    return top


def serve(settings: config.Settings, url: str, known: Gate, at: str) -> None:
    """Serve the pages of an installation, whose address is `url`, at Twisted's endpoint `at`.

    Returns when a signal ends it; raises InfrastructureError for an endpoint that cannot be used.
    """
    loop: Any = reactor
    pool = Pool(settings.reader_dsn(), CONNECTIONS)
    shown = evolve(site(settings, url), pool=pool)
    pages = create(shown, identify(sessions(settings)))
    threads = threadpool.ThreadPool(0, THREADS, "pages")
    threads.start()
    health = healthz.Health(settings.reader_dsn())
    top = root(WSGIResource(loop, threads, pages), health, shown.lacks)
    refuse_long_lengths()
    failed: list[Any] = []

    def end(failure: Any) -> None:
        failed.append(failure.value)
        loop.stop()

    opened = serverFromString(loop, at).listen(_Site(top, known))
    loop.callWhenRunning(lambda: opened.addErrback(end))
    loop.run()
    if failed:
        raise InfrastructureError(f"the pages cannot be served at {at}: {failed[0]}")


def main() -> int:
    """Serve the pages of the installation that the environment names, in the master's folder."""
    os.chdir(sys.argv[1])
    log.startLogging(sys.stdout, setStdout=False)
    try:
        here = config.load().of_master(os.environ.get("VLAG_MASTER_NAME"))
        at = endpoint(here.web_port, here.web_listen)
        serve(here, here.url, gate(here, here.url), at)
    except VlagError as e:
        print(e, flush=True)  # noqa: T201 - into its log
        return int(e.exit_code)
    return int(ExitCode.OK)


if __name__ == "__main__":
    sys.exit(main())
