# SPDX-License-Identifier: GPL-2.0-only
"""Cancels the requests of interrupted builds if there are several masters."""

from __future__ import annotations

from typing import Any

from buildbot.data.resultspec import Filter
from buildbot.process.results import RETRY
from buildbot.util.service import BuildbotService
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer
from twisted.python import log

from master.triggers import ABANDONED
from vlag.buildbot import is_asked_again
from vlag.config import Settings

NAME = "vlag-abandoned-requests"


class AbandonedRequests(BuildbotService):
    """Cancels requests of an interrupted parent build, which is repeated with new requests.

    With one master the service does this at its start.  With several masters any may have
    died, and only requests of its builds are cancelled.
    """

    name = NAME

    @async_to_deferred
    async def startService(self) -> None:  # noqa: N802 - Buildbot's name
        """Check existing requests, and listen for interrupted builds."""
        await super().startService()
        self._one = defer.DeferredLock()
        listen = self.master.mq.startConsuming
        self._builds = await listen(self._ended, ("builds", None, "finished"))
        self._masters = await listen(self._gone, ("masters", None, "stopped"))
        # Requests claimed by a dead master can be cancelled only after they are unclaimed.
        self._requests = await listen(self._gone, ("buildrequests", None, "unclaimed"))
        # After all services have started: cancelling needs some of them.
        self._soon = self.master.reactor.callLater(1, self.look)

    @async_to_deferred
    async def stopService(self) -> None:  # noqa: N802 - Buildbot's name
        """Stop listening."""
        for heard in (self._builds, self._masters, self._requests):
            heard.stopConsuming()
        if self._soon.active():
            self._soon.cancel()
        await super().stopService()

    def look(self) -> defer.Deferred[None]:
        """Cancel the open requests of ended builds; errors go to the log."""
        looked: Any = self._one.run(self._look)
        return looked.addErrback(log.err, "error in the search for abandoned requests")

    def _ended(self, key: object, build: dict[str, object]) -> None:
        if build["results"] == RETRY:
            self.look()

    def _gone(self, key: object, what: object) -> None:
        self.look()

    @async_to_deferred
    async def _look(self) -> None:
        open_ones = [Filter("complete", "eq", [False])]
        for buildset in await self.master.data.get(("buildsets",), filters=open_ones):
            parent = buildset["parent_buildid"]
            if parent is None:
                continue
            build = await self.master.data.get(("builds", str(parent)))
            if build is None or not build["complete"]:
                continue
            of_it = [Filter("buildsetid", "eq", [buildset["bsid"]])]
            for request in await self.master.data.get(("buildrequests",), filters=of_it):
                if not request["complete"] and is_asked_again(request, build["results"]):
                    place = ("buildrequests", str(request["buildrequestid"]))
                    await self.master.data.control("cancel", {"reason": ABANDONED}, place)


def configure(settings: Settings) -> list[AbandonedRequests]:
    """Return the service of the leading master."""
    return [AbandonedRequests()] if settings.leads else []
