# SPDX-License-Identifier: GPL-2.0-only
"""Heartbeat of several masters, and take-over of the work of dead ones."""

from __future__ import annotations

from typing import Any

from buildbot.data import masters
from buildbot.util.service import BuildbotService
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer
from twisted.python import log

from vlag.config import Settings

NAME = "vlag-heartbeat"

#: Heartbeats within the limit: some may be late or be lost with the database.
BEATS = 10

#: Last log message of a master that others have declared dead.
GIVEN_UP = "this master was silent for too long and others have its work: start it again"


class Heartbeat(BuildbotService):
    """Sends heartbeats and declares masters dead after `limit_s` seconds without one.

    It replaces Buildbot's own heartbeat, which stops for good after the first database
    error, so that a live master would be taken for dead.  A live master that was declared
    dead exits, because others have its builds.  The service also releases the requests that
    a dead master had claimed; Buildbot would leave them claimed forever.
    """

    name = NAME

    def __init__(self, limit_s: float):
        super().__init__(limit_s, name=NAME)
        self.limit_s = limit_s
        self._seen: float | None = None
        self._ending = False

    def checkConfig(self, limit_s: float) -> None:  # noqa: N802 - Buildbot's name
        """Accept any limit: the settings have checked it."""

    @async_to_deferred
    async def reconfigService(self, limit_s: float) -> None:  # noqa: N802 - Buildbot's name
        """Set a new limit; a new interval applies from the next start."""
        self.limit_s = limit_s

    @async_to_deferred
    async def startService(self) -> None:  # noqa: N802 - Buildbot's name
        """Replace Buildbot's own heartbeat, which starts after all services."""
        await super().startService()
        heart = self.master.masterHeartbeatService
        heart.step = self.limit_s / BEATS
        heart.call = (self.beat, (), {})

    def beat(self) -> defer.Deferred[None]:
        """Send a heartbeat and check the other masters; errors go to the log."""
        return self._beat().addErrback(log.err, "heartbeat: not sent")

    @async_to_deferred
    async def _beat(self) -> None:
        master: Any = self.master
        if self._ending:
            return
        now = master.reactor.seconds()
        me = await master.db.masters.getMaster(master.masterid)
        if not me.active:
            self._ending = True
            # Near the end of the log, where `vlag serve` looks for the reason.
            master.reactor.addSystemEventTrigger("after", "shutdown", log.msg, GIVEN_UP)
            master.reactor.stop()
            return
        await master.data.updates.masterActive(name=master.name, masterid=master.masterid)
        last, self._seen = self._seen, now
        # If the database was unavailable, every master gets time to come back.
        if last is not None and now - last < self.limit_s / 2:
            await master.data.updates.expireMasters()
            if freed := await master.db.pool.do_with_transaction(self._free, int(now)):
                log.msg(f"heartbeat: released requests {freed} of dead masters")
                await master.data.rtypes.buildrequest.generateEvent(freed, "unclaimed")

    def _free(self, connection: Any, now: int) -> list[int]:
        """Release the open requests of dead masters; return their ids."""
        model = self.master.db.model
        gone, claims, requests = model.masters, model.buildrequest_claims, model.buildrequests
        statement = (
            claims.delete()
            .where(
                claims.c.masterid == gone.c.id,
                claims.c.brid == requests.c.id,
                requests.c.complete == 0,
                gone.c.active == 0,
                gone.c.last_active < now - self.limit_s,
                # A master that has just come back is inactive until its start is complete, but
                # may already have claimed requests.
                claims.c.claimed_at < gone.c.last_active + self.limit_s,
            )
            .returning(claims.c.brid)
        )
        return sorted(brid for (brid,) in connection.execute(statement))


def configure(settings: Settings) -> list[Heartbeat]:
    """Return the service for each of several masters, and set Buildbot's limit."""
    # Buildbot also checks for dead masters at its start, before any service runs.
    masters.EXPIRE_MINUTES = settings.takeover_s / 60
    return [Heartbeat(settings.takeover_s)]
