"""Of several masters: what a build has asked for ends where that build was cut off."""

from __future__ import annotations

from typing import Any

from buildbot.data.resultspec import Filter
from buildbot.process.results import RETRY
from buildbot.util.service import BuildbotService
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer
from twisted.python import log

from master.triggers import ABANDONED
from vlag.config import Settings

NAME = "vlag-orphans"


class Orphans(BuildbotService):
    """Cancels requests whose parent build has been cut off: it is made again, and asks again.

    With one master the service does this at its start.  Of several, any may have died, and
    only what hung on its builds is to be cancelled.  A parent that ends by itself has waited
    for all its children, so one that has ended and left some has been cut off.
    """

    name = NAME

    @async_to_deferred
    async def startService(self) -> None:  # noqa: N802 - Buildbot's name
        """Look at what is left, and listen for builds that are cut off."""
        await super().startService()
        self._one = defer.DeferredLock()
        listen = self.master.mq.startConsuming
        self._builds = await listen(self._ended, ("builds", None, "finished"))
        self._masters = await listen(self._gone, ("masters", None, "stopped"))
        # What a master had taken that is gone can be cancelled only when it is free again.
        self._requests = await listen(self._gone, ("buildrequests", None, "unclaimed"))
        # Once all services are up: those that cancel are among them.
        self._soon = self.master.reactor.callLater(1, self.look)

    @async_to_deferred
    async def stopService(self) -> None:  # noqa: N802 - Buildbot's name
        """Listen no more."""
        for heard in (self._builds, self._masters, self._requests):
            heard.stopConsuming()
        if self._soon.active():
            self._soon.cancel()
        await super().stopService()

    def look(self) -> defer.Deferred[None]:
        """Cancel what is left of builds that have ended; an error goes to the log."""
        looked: Any = self._one.run(self._look)
        return looked.addErrback(log.err, "while looking for what nobody waits for")

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
                if not request["complete"]:
                    place = ("buildrequests", str(request["buildrequestid"]))
                    await self.master.data.control("cancel", {"reason": ABANDONED}, place)


def configure(settings: Settings) -> list[Orphans]:
    """Return the service for the master that leads."""
    return [Orphans()] if settings.leads else []
