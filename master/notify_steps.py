# SPDX-License-Identifier: GPL-2.0-only
"""The end of a night: record it and notify people."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from buildbot.process.results import (
    CANCELLED,
    EXCEPTION,
    FAILURE,
    RETRY,
    SUCCESS,
    WARNINGS,
    statusToString,
)
from buildbot.util.service import BuildbotService
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer, error, protocol
from twisted.internet.threads import deferToThread
from twisted.python import log

from master.comparison_steps import is_early
from master.reports import Report
from master.steps import AtBaseline, NotCompared, VlagCommand
from master.titles import page
from master.triggers import Kernels
from vlag.config import Subscription
from vlag.errors import VlagError
from vlag.notifications.following import anything_due
from vlag.pipeline.night_cut import Part

NAME = "vlag-send"

#: Seconds between checks for due notifications.
LOOK_S = 60

#: Seconds in which a stopping sender finishes its current exchange with a server.
STOP_S = 20

#: Time limit of a sender in case of a bug; each exchange has its own time-out.
SENDER_MAX_S = 4 * 3600


class NotifyNight(VlagCommand):
    """`vlag notify night`: the comparisons of the night, its missing results and its page."""

    retries = False

    def __init__(self, **kwargs: Any):
        super().__init__([], subject="notify", done="notified", **kwargs)

    @async_to_deferred
    async def run(self) -> int:
        """Queue the notifications, then wake the sender."""
        words = self.words(await self.build.getUrl())
        result = await self.call(words)
        if result == RETRY and not self.stopped:
            result = await self.call(words)
        sender = self.master.service_manager.namedServices.get(NAME)
        if result == SUCCESS and sender is not None:
            sender.wake()
        return EXCEPTION if result == RETRY else result

    def words(self, url: str) -> list[str]:
        """Return the arguments of the command."""
        request = self.build.requests[0]
        # A new Buildbot database numbers its requests from 1 again: the time keeps keys unique.
        asked = datetime.fromtimestamp(request.submittedAt or 0, UTC)
        key = f"{self.build.builder.name} {request.id} {asked:%Y-%m-%dT%H:%M:%SZ}"
        started = self.getProperty("started") or int(self.build.startTime or asked.timestamp())
        words = ["notify", "night", "--key", key, "--started", str(started), "--url", url]
        findings = self.getProperty("findings") or ()
        early = {str(f["comparison"]) for f in findings if is_early(f)}
        for comparison in self.getProperty("comparisons") or ():
            words += [] if comparison in early else ["--comparison", str(comparison)]
        for note in self.getProperty("notes") or ():
            words += ["--note", note]
        if report := self.getProperty("report") or self.getProperty("proof_report"):
            words += ["--report", str(report)]
        levels = {
            step.level: None for step in self.build.executedSteps if isinstance(step, AtBaseline)
        }
        for level in levels:
            words += ["--at-baseline", level.branch, level.board_type, level.baseline]
        forecast = self.getProperty("forecast") or {}
        if forecast.get("end"):
            words += ["--in-time"]
        for part in map(Part.of_document, forecast.get("cut") or ()):
            named = (part.branch, part.name, part.board_type, str(part.nights + 1))
            words += ["--left-out", *named]
        kernels = self.getProperty("kernels") or ()
        for sentence in missing(self.build.executedSteps, kernels, but=self):
            words += ["--missing", sentence]
        return [*words, "--format", "json"]

    async def heard(self, answer: Mapping[str, Any], stdout: str) -> None:
        """Link to the pages of the night."""
        if "night" not in answer:
            return
        await self.addURL("the state of the branches", page(self.master, ""))
        if self.getProperty("report"):
            await self.addURL("the report", page(self.master, f"report?night={answer['night']}"))

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return the recipients of the notification."""
        if code == 0 and "queued" in answer:
            if not answer["new"]:
                return f"night {answer['night']} was reported before"
            return f"night {answer['night']}: {', '.join(answer['queued']) or 'no recipient'}"
        return super().describe(code, answer, stderr, seconds)


class Alerts(VlagCommand):
    """`vlag alerts list --refresh`: open and withdraw alerts from the results of a push.

    The next night also does this, so nothing is lost while the database is unavailable.
    """

    retries = False

    def __init__(self, **kwargs: Any):
        super().__init__(
            ["alerts", "list", "--refresh", "--format", "json"],
            subject="alerts",
            flunkOnFailure=False,
            warnOnWarnings=False,
            **kwargs,
        )

    @async_to_deferred
    async def run(self) -> int:
        """Derive the alerts; an error here is not a fault of the commit."""
        result = await self.call(self.arguments)
        return result if result in (SUCCESS, CANCELLED) else WARNINGS

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return the number of open alerts."""
        if code == 0 and "alerts" in answer:
            return f"{len(answer['alerts'])} open alerts"
        return super().describe(code, answer, stderr, seconds)


def missing(
    steps: Iterable[Any], kernels: Iterable[Mapping[str, Any]], *, but: object = None
) -> list[str]:
    """Return one sentence for each missing run or comparison of a night, without repeats."""
    sentences = []
    for kernel in kernels:
        name = kernel["request"]["kernel_name"]
        if kernel.get("gate_outcome"):
            sentences.append(
                f"{name}: {kernel['gate_outcome']} in its first run, the others were not started"
            )
        elif kernel["results"] in (EXCEPTION, RETRY, CANCELLED):
            ended = statusToString(kernel["results"])
            sentences.append(f"{name}: not all of its runs were made, its build ended with {ended}")
    for step in steps:
        if step is but or isinstance(step, Report):
            continue
        if isinstance(step, NotCompared):
            sentences.append(step.sentence)
        elif step.results in (EXCEPTION, CANCELLED) or (
            # Failed kernels are listed above.
            step.results == FAILURE and not isinstance(step, Kernels)
        ):
            sentences.append(step.getResultSummary().get("step") or step.name)
    return list(dict.fromkeys(sentences))


class Sender(BuildbotService):
    """Sends due notifications: it checks every minute, and at once when woken.

    `vlag notify send` does the work, one process at a time, and only if something is due.
    A killed sender leaves a record of every message that it may have sent.
    """

    name = NAME

    def __init__(
        self, dsn: str, program: str | None = None, followers: Sequence[Subscription] = ()
    ):
        super().__init__(dsn, program, followers, name=NAME)
        self.dsn = dsn
        self.followers = followers
        self.program = program
        self._timer = None
        self._again = False
        self._round: Any = None  # a Deferred: log.err has no type that fits its errbacks
        self._process: Any = None

    def checkConfig(  # noqa: N802 - Buildbot's name
        self, dsn: str, program: str | None = None, followers: Sequence[Subscription] = ()
    ) -> None:
        """Accept any database."""

    @async_to_deferred
    async def reconfigService(  # noqa: N802 - Buildbot's name
        self, dsn: str, program: str | None = None, followers: Sequence[Subscription] = ()
    ) -> None:
        """Use the new settings from the next round on."""
        self.dsn = dsn
        self.followers = followers
        self.program = program or str(Path(sys.executable).with_name("vlag"))

    @async_to_deferred
    async def startService(self) -> None:  # noqa: N802 - Buildbot's name
        """Start with the notifications left over from before the restart."""
        await super().startService()
        self.wake()

    @async_to_deferred
    async def stopService(self) -> None:  # noqa: N802 - Buildbot's name
        """Stop; a running sender gets some time to finish."""
        self._again = False
        running, self._round = self._round, None
        self._cancel()
        await super().stopService()
        if running is not None:
            guard = self.master.reactor.callLater(STOP_S, self._end, "TERM")
            last = self.master.reactor.callLater(2 * STOP_S, self._end, "KILL")
            await running
            for timer in (guard, last):
                if timer.active():
                    timer.cancel()

    def wake(self) -> None:
        """Check now, or after the current round."""
        if not self.running:
            return
        if self._round is not None:
            self._again = True
            return
        self._cancel()
        self._round = defer.ensureDeferred(self._look())
        self._round.addErrback(log.err, "sending what is due")
        self._round.addCallback(self._rest)

    def _rest(self, _result: object) -> None:
        """Sleep until the next check, unless a wake-up is pending."""
        self._round = None
        if not self.running:
            return
        if self._again:
            self._again = False
            self.wake()
        else:
            self._timer = self.master.reactor.callLater(LOOK_S, self.wake)

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    async def _look(self) -> None:
        try:
            if not await deferToThread(anything_due, self.dsn, self.followers):
                return
        except VlagError as e:
            log.msg(f"{NAME}: {e}")
            return
        if not self.running:
            return
        ended: defer.Deferred[tuple[int, str]] = defer.Deferred()
        self._process = self.master.reactor.spawnProcess(
            _Heard(ended), self.program, [self.program, "notify", "send"], env=os.environ
        )
        guard = self.master.reactor.callLater(SENDER_MAX_S, self._end, "KILL")
        try:
            status, output = await ended
        finally:
            self._process = None
            if guard.active():
                guard.cancel()
        if status != 0 or (output and output != "nothing due"):
            log.msg(f"{NAME}: {output or 'no word'} (status {status})")

    def _end(self, signal: str) -> None:
        if self._process is not None:
            with contextlib.suppress(error.ProcessExitedAlready):
                self._process.signalProcess(signal)


class _Heard(protocol.ProcessProtocol):
    """Collects the output of a process until it ends."""

    def __init__(self, ended: defer.Deferred[tuple[int, str]]):
        self.ended = ended
        self.output = b""

    def outReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Keep the output."""
        self.output += data

    errReceived = outReceived  # noqa: N815 - Twisted's name

    def processEnded(self, reason: Any) -> None:  # noqa: N802 - Twisted's name
        """Pass status and output to the waiting Deferred."""
        status = reason.value.exitCode
        output = self.output.decode("utf-8", "replace").strip()
        self.ended.callback((reason.value.signal if status is None else status, output))
