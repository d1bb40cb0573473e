# SPDX-License-Identifier: GPL-2.0-only
"""The step that waits for a lab's LAVA jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from buildbot.process.buildstep import BuildStep
from buildbot.process.results import CANCELLED, EXCEPTION, SUCCESS
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from master.callbacks import NAME
from master.steps import spoken_time
from master.triggers import ABANDONED
from vlag.errors import InfrastructureError, VlagError
from vlag.lava.lab import board_gone, waits_for
from vlag.lava.lab_settings import Lab
from vlag.lava.server import WAITING, Client, Job, VanishedError

#: Seconds until the next query of a lab that did not answer: its callback may be lost.
SILENT_S = 15


class WaitForJob(BuildStep):
    """Wait until the jobs in the property `lab_jobs` have ended; stopping the build cancels them.

    While waiting it holds no thread and runs no command on a worker.  LAVA's callback ends
    the wait at once; without a callback the step polls the lab every `poll_interval_s`.
    If the lab does not answer, the step keeps waiting, because the jobs continue.
    """

    def __init__(self, labs: Mapping[str, Lab], **kwargs: Any):
        super().__init__(**kwargs)
        self.labs = labs
        self.state_text = ""
        self._pause: defer.Deferred[None] | None = None
        self._called: defer.Deferred[None] | None = None
        self._heard = False

    async def run(self) -> int:
        """Wait, unless the build was already stopped."""
        if self.build.stopped:
            self.state_text = "the build was stopped before this step"
            await self._stopped_for(self.build.stopped_reason)
            return CANCELLED
        lab = self.labs.get(self.getProperty("lab"))
        if lab is None:
            self.state_text = f"the settings no longer have a lab {self.getProperty('lab')!r}"
            return EXCEPTION
        try:
            return await self._wait(lab)
        finally:
            if self._called is not None:
                self._called.cancel()

    async def _wait(self, lab: Lab) -> int:
        client = Client(lab)
        numbers, key = self.getProperty("lab_jobs"), self.getProperty("lab_key")
        silent_since: float | None = None
        began = self.master.reactor.seconds()
        while not self.stopped:
            # Listen before the queries: a job may end during them.
            self._listen()
            try:
                jobs = [await deferToThread(client.job, number, key) for number in numbers]
                # The lab's clock may be hours ahead or behind: only ours counts.
                waited_s = self.master.reactor.seconds() - began
                gone = None
                if len(jobs) == 1 and not self.getProperty("pinned"):
                    gone = await deferToThread(board_gone, client, jobs[0])
                stuck = await deferToThread(_stuck, client, lab, jobs, waited_s)
            except VanishedError as e:
                self.state_text = f"{e}; it will be submitted again"
                return SUCCESS  # the next step, which collects it, knows no other
            except InfrastructureError as e:
                if not e.retry:
                    return self._fail(e)
                now = self.master.reactor.seconds()
                silent_since = now if silent_since is None else silent_since
                self._say(f"{e}; waiting for it since {spoken_time(now - silent_since)}")
                await self._sleep(min(lab.poll_interval_s, SILENT_S))
                continue
            except VlagError as e:
                return self._fail(e)
            silent_since = None
            if all(job.state == "Finished" for job in jobs):
                self.state_text = f"lab {lab.name}: {_states(jobs)}"
                return SUCCESS
            if gone is not None:
                # What collects it says so, and the request that is repeated takes another board.
                await self._cancel()
                self.state_text = f"{gone}; it is cancelled and submitted again"
            elif stuck is not None:
                await self._cancel()
                self.state_text = stuck
                return EXCEPTION
            self._say(f"lab {lab.name}: {_states(jobs)}" if gone is None else self.state_text)
            await self._sleep(lab.poll_interval_s)
        return self.results if self.results is not None else CANCELLED

    def _fail(self, error: VlagError) -> int:
        self.state_text = str(error)
        return EXCEPTION

    def _say(self, text: str) -> None:
        self.state_text = text
        self.updateSummary()

    def _listen(self) -> None:
        """Start to listen for callbacks."""
        self._heard = False
        service = self.master.service_manager.namedServices.get(NAME)
        if service is None or self._called is not None:
            return
        self._called = service.wait(self.getProperty("lab_key"))
        self._called.addCallback(self._hear)
        self._called.addErrback(lambda failure: failure.trap(defer.CancelledError))

    def _hear(self, _: object) -> None:
        self._called, self._heard = None, True
        self._wake()

    async def _sleep(self, seconds: float) -> None:
        """Sleep until a callback, an interrupt or the timeout."""
        if self._heard or self.stopped:  # during the queries
            return
        pause = self._pause = defer.Deferred()
        timer = self.master.reactor.callLater(seconds, self._wake)
        try:
            await pause
        finally:
            if timer.active():
                timer.cancel()

    def _wake(self) -> None:
        pause, self._pause = self._pause, None
        if pause is not None:
            pause.callback(None)

    @async_to_deferred
    async def interrupt(self, reason: object) -> None:
        """Stop waiting; cancel the jobs unless the worker was lost or the master shuts down.

        After a restart of the master, the new build of the request finds the jobs again.
        """
        await super().interrupt(reason)
        await self._stopped_for(reason)
        self._wake()

    async def _stopped_for(self, reason: object) -> None:
        lost = isinstance(reason, Failure) or reason == ABANDONED
        if not lost and not self.master.botmaster.shuttingDown:
            await self._cancel()

    async def _cancel(self) -> None:
        lab = self.labs.get(self.getProperty("lab"))
        if lab is None:
            return
        for number in self.getProperty("lab_jobs") or ():
            try:
                await deferToThread(Client(lab).cancel, number, self.getProperty("lab_key"))
            except VlagError as e:
                self.state_text = f"job {number} of lab {lab.name} was not cancelled: {e}"

    def getCurrentSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return the state of the jobs."""
        return {"step": self.state_text or "waiting"}

    def getResultSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return the final state of the jobs."""
        return {"step": self.state_text or "not waited for"}


def _stuck(client: Client, lab: Lab, jobs: list[Job], waited_s: float) -> str | None:
    """Return the reason if a job is still in the queue after too long a wait, in seconds."""
    for job in jobs:
        if job.state in WAITING and waited_s > lab.queue_limit_s:
            why = waits_for(job, client.queue(), client.devices(), client.workers())
            return (
                f"job {job.id} of lab {lab.name} had no board after {spoken_time(waited_s)} and is"
                f" cancelled: {why}"
            )
    return None


def _states(jobs: list[Job]) -> str:
    return ", ".join(
        f"job {job.id} {job.state.lower()}" + (f" on {job.board}" if job.board else "")
        for job in jobs
    )
