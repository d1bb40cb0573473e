# SPDX-License-Identifier: GPL-2.0-only
"""`/healthz`: whether the pages are served and reach their database, for a proxy or a monitor.

It says no more than that, so whoever reaches the port may ask, by any name of the host.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psycopg
from twisted.internet import defer, threads
from twisted.web import resource, server

#: Its path on the site.
PATH = b"healthz"
#: Seconds that a database has for an answer, and that one counts.
ANSWER_S, FRESH_S = 5, 2.0


class Health(resource.Resource):
    """Answers 200 and "ok", or 503 and a sentence."""

    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(self, dsn: str, clock: Callable[[], float] = time.monotonic):
        super().__init__()
        self.dsn = dsn
        self.clock = clock
        self._last: tuple[float, bool] | None = None
        self._waiting: list[defer.Deferred[bool]] = []

    def render_GET(self, request: server.Request) -> int:  # noqa: N802 - Twisted's name
        """Answer when the database has; many who ask at once share its answer."""
        request.setHeader("content-type", "text/plain; charset=utf-8")
        request.setHeader("cache-control", "no-store")
        gone: list[Any] = []
        request.notifyFinish().addErrback(gone.append)

        def answer(works: bool) -> None:
            if gone:
                return
            if not works:
                request.setResponseCode(503)
            request.write(b"ok\n" if works else b"the database does not answer\n")
            request.finish()

        self._works().addCallback(answer)
        return server.NOT_DONE_YET

    def _works(self) -> defer.Deferred[bool]:
        if self._last is not None and self.clock() - self._last[0] < FRESH_S:
            return defer.succeed(self._last[1])
        pending: defer.Deferred[bool] = defer.Deferred()
        self._waiting.append(pending)
        if len(self._waiting) == 1:
            threads.deferToThread(_answers, self.dsn).addCallback(self._heard)
        return pending

    def _heard(self, works: bool) -> None:
        self._last = (self.clock(), works)
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.callback(works)


def _answers(dsn: str) -> bool:
    """Return whether a database answers a question."""
    try:
        with psycopg.connect(dsn, connect_timeout=ANSWER_S) as conn:
            conn.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True
