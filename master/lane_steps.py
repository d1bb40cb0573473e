# SPDX-License-Identifier: GPL-2.0-only
"""Builder `lanes`: a pushed commit in the build lanes of its branch.

A push asks for it at its end.  It has a build of its own, so that no verdict, alert or mail
waits for it, and no other build fails by it.  Each lane begins only when no push, night, try or
check goes on or waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from buildbot.data.resultspec import Filter
from buildbot.plugins import util
from buildbot.process.buildstep import BuildStep
from buildbot.process.properties import Properties
from buildbot.process.results import CANCELLED, RETRY, SUCCESS, WARNINGS
from buildbot.steps.trigger import Trigger
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer

from master.kernel import BUILD_MAX_S
from master.locks import Hosts
from master.schedulers import LANES
from master.steps import VlagCommand, skipped
from vlag.config import Settings
from vlag.errors import ExitCode
from vlag.model import is_commit_id
from vlag.report import lane_lines as worded

#: Builders whose work goes first: all of theirs is asked for by them, and they wait for it.
BEFORE = frozenset({"push", "nightly", "first", "check", "try"})


class Ask(Trigger):
    """Ask for the build lanes of the pushed commit, without waiting for them."""

    def __init__(self, settings: Settings, **kwargs: Any):
        def asked(properties: Properties) -> dict[str, Any]:
            get = properties.getProperty
            ref = get("ref") or get("revision")
            if not get("branch") or get("series") or not is_commit_id(str(ref)):
                return {}
            lanes, _paths = settings.lanes_of(get("tree"), get("branch"))
            about = {"tree": get("tree"), "watched": get("branch"), "ref": ref}
            return {**about, "lanes": list(lanes)} if lanes else {}

        def property_(name: str) -> object:
            @util.renderer
            def value(properties: Properties) -> object:
                return asked(properties).get(name)

            return value

        super().__init__(
            schedulerNames=[LANES],
            waitForFinish=False,
            updateSourceStamp=False,
            set_properties={name: property_(name) for name in ("tree", "watched", "ref", "lanes")},
            doStepIf=lambda step: bool(asked(step.build.getProperties())),
            hideStepIf=skipped,
            flunkOnFailure=False,
            warnOnFailure=False,
            **kwargs,
        )


def lane_steps(hosts: Hosts) -> list[object]:
    """Build the lanes one by one."""
    return [Lanes(hosts, name="lanes")]


class Lanes(BuildStep):
    """Adds a step for each lane, and before each one that waits for other work."""

    def __init__(self, hosts: Hosts, **kwargs: Any):
        super().__init__(**kwargs)
        self.hosts = hosts
        self.asked: Sequence[str] = ()

    async def run(self) -> int:
        """Add the steps."""
        self.asked = self.getProperty("lanes") or ()
        self.build.addStepsAfterCurrentStep([
            step
            for name in self.asked
            for step in (
                Idle(name="wait", hideStepIf=lambda results, _step: results == SUCCESS),
                Lane(name, name=f"lane {name}", locks=self.hosts.cpus_for("exclusive")),
            )
        ])  # fmt: skip
        return SUCCESS

    def getResultSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return the names of the lanes."""
        return {"step": f"lanes: {', '.join(self.asked) or 'none'}"}


class Idle(BuildStep):
    """Waits until no build of `BEFORE` goes on or is asked for."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self._over: defer.Deferred[None] = defer.Deferred()

    @async_to_deferred
    async def run(self) -> int:
        """Look again whenever a build ends."""
        place = ("buildrequests", None, "complete")
        consumer = await self.master.mq.startConsuming(self._look, place)
        try:
            while not self.stopped:
                # Before the question: what ends meanwhile must not be missed.
                self._over = defer.Deferred()
                if not await self._busy():
                    return SUCCESS
                await self._over
        finally:
            consumer.stopConsuming()
        return CANCELLED

    def _look(self, *_event: object) -> None:
        if not self._over.called:
            self._over.callback(None)

    async def _busy(self) -> bool:
        for builder in await self.master.data.get(("builders",)):
            if builder["name"] not in BEFORE:
                continue
            left = [Filter("complete", "eq", [False])]
            place = ("builders", builder["builderid"], "buildrequests")
            if await self.master.data.get(place, filters=left, limit=1):
                return True
        return False

    def interrupt(self, reason: object) -> Any:
        """Stop waiting."""
        result = super().interrupt(reason)
        self._look()
        return result

    def getCurrentSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return what it waits for."""
        return {"step": "waiting for pushes, nights and tries"}


@util.renderer
def _common(properties: Properties) -> list[str]:
    get = properties.getProperty
    return ["--tree", get("tree"), "--ref", get("ref"), "--branch", get("watched")]


class Lane(VlagCommand):
    """`vlag lanes` of one lane; what is new in it is a warning."""

    def __init__(self, lane: str, **kwargs: Any):
        super().__init__(
            util.FlattenList(["lanes", _common, "--lane", lane, "--store", "--format", "json"]),
            subject=lane,
            maxTime=BUILD_MAX_S,
            flunkOnFailure=False,
            warnOnFailure=True,
            warnOnWarnings=True,
            **kwargs,
        )
        self.lane_answer: Mapping[str, Any] = {}
        self.lacking = False

    async def call(self, arguments: Sequence[Any]) -> int:
        """Run the command; a missing compiler, which nothing mends meanwhile, is a warning."""
        result = await super().call(arguments)
        if self.lacking:
            return WARNINGS
        if not self.lane_answer:
            return result if result in (SUCCESS, CANCELLED, RETRY) else WARNINGS
        return (
            WARNINGS if self.lane_answer["is_new"] or worded.warnings(self.lane_answer) else SUCCESS
        )

    async def heard(self, answer: Mapping[str, Any], stdout: str) -> None:
        """Log each error and each new warning."""
        self.lacking = bool(answer.get("lacking"))
        self.lane_answer = next(iter(answer.get("lanes") or ()), {})
        if self.lane_answer.get("findings"):
            await self.addCompleteLog("findings", "\n".join([*worded.lines(self.lane_answer), ""]))

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return what came of the lane in one line."""
        if self.lane_answer and code in (ExitCode.OK, ExitCode.KERNEL_FAILED):
            return worded.sentence(self.lane_answer)
        return super().describe(code, answer, stderr, seconds)
