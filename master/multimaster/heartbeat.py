"""Of several masters: who is there, and who has been away too long."""

from __future__ import annotations

from typing import Any

from buildbot.data import masters
from buildbot.util.service import BuildbotService
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer
from twisted.python import log

from vlag.config import Settings

NAME = "vlag-presence"

#: Signs of life within the limit: some may be late, or be lost with the database.
BEATS = 10

#: The last words of a master that others have taken for gone.
GIVEN_UP = "this master was silent for too long and others have its work: start it again"


class Presence(BuildbotService):
    """Gives a sign of life, and declares gone who has given none for `limit_s` seconds.

    It stands in for what Buildbot does each minute, which ends for good with the first
    error of the database: a master that lives would then be taken for dead.  One that was
    declared gone, and yet lives, ends: others have its builds.  And Buildbot leaves what a
    master that is gone had taken in its name, for ever.
    """

    name = NAME

    def __init__(self, limit_s: float):
        super().__init__(limit_s, name=NAME)
        self.limit_s = limit_s
        self._seen: float | None = None
        self._ending = False

    def checkConfig(self, limit_s: float) -> None:  # noqa: N802 - Buildbot's name
        """Take any limit: the settings have checked it."""

    @async_to_deferred
    async def reconfigService(self, limit_s: float) -> None:  # noqa: N802 - Buildbot's name
        """Take a new limit; a new interval counts from the next start."""
        self.limit_s = limit_s

    @async_to_deferred
    async def startService(self) -> None:  # noqa: N802 - Buildbot's name
        """Take over from Buildbot's own heartbeat, which starts after all services."""
        await super().startService()
        heart = self.master.masterHeartbeatService
        heart.step = self.limit_s / BEATS
        heart.call = (self.beat, (), {})

    def beat(self) -> defer.Deferred[None]:
        """Say that this master is there, and look for who is not; an error goes to the log."""
        return self._beat().addErrback(log.err, "presence: no sign of life this time")

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
        # Where the database was away from all, all get the time to come back.
        if last is not None and now - last < self.limit_s / 2:
            await master.data.updates.expireMasters()
            if freed := await master.db.pool.do_with_transaction(self._free, int(now)):
                log.msg(f"presence: takes up requests {freed} of masters that are gone")
                await master.data.rtypes.buildrequest.generateEvent(freed, "unclaimed")

    def _free(self, connection: Any, now: int) -> list[int]:
        """Take from masters that are gone what they have not ended; return the requests."""
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
                # One that has just come back is not called active before it is up, and may
                # have taken something by then.
                claims.c.claimed_at < gone.c.last_active + self.limit_s,
            )
            .returning(claims.c.brid)
        )
        return sorted(brid for (brid,) in connection.execute(statement))


def configure(settings: Settings) -> list[Presence]:
    """Return the service of each of several masters, and tell Buildbot the limit."""
    # Buildbot looks for who is gone at its start too, before there is any service.
    masters.EXPIRE_MINUTES = settings.takeover_s / 60
    return [Presence(settings.takeover_s)]
