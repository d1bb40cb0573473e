# SPDX-License-Identifier: GPL-2.0-only
"""Fan-out: one build requests others, waits for them and collects their results."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import isawaitable
from typing import Any

from attrs import frozen
from buildbot.process.properties import Properties
from buildbot.process.results import (
    CANCELLED,
    EXCEPTION,
    FAILURE,
    RETRY,
    SKIPPED,
    SUCCESS,
    WARNINGS,
    statusToString,
    worst_status,
)
from buildbot.steps.trigger import Trigger
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer
from twisted.python.failure import Failure

from vlag.errors import VlagError
from vlag.model import Outcome, Purpose

Request = dict[str, Any]  # properties of one requested build
#: Reason for stopping builds whose parent has lost its worker; not a decision by a person.
ABANDONED = "the worker of the parent build was lost"

#: Outcomes that close the gate: further runs of the kernel would probably not end either.
FATAL = frozenset({Outcome.PANIC.value, Outcome.HANG.value})


@frozen(kw_only=True)
class Child:
    """A requested build after its end."""

    request: Request
    results: int
    properties: Mapping[str, Any]


def scheduler_name(what: str, purpose: str | None) -> str:
    """Return the name of the scheduler of kernels or boards for a purpose."""
    return f"{what} for {purpose or Purpose.NIGHT}"


class FanOut(Trigger):
    """Request one build from `scheduler` for each of `requests(properties)`, wait for all.

    The step holds no lock while it waits.  Each request's `label` is its name on the
    pages; its `purpose` sets its priority.  The property `occasion` identifies the
    requests of one push or night across restarts and repeated requests.
    """

    brids: list[int]

    def __init__(
        self, scheduler: str, requests: Callable[[Properties], Any], *, what: str, **kwargs: Any
    ):
        super().__init__(
            schedulerNames=[scheduler_name(scheduler, None)],
            waitForFinish=True,
            updateSourceStamp=False,
            **kwargs,
        )
        self.scheduler = scheduler
        self.requests = requests
        self.what = what
        self.asked: list[Request] = []
        self.verdict = ""

    def interrupt(self, reason: object) -> Any:
        """Stop the requested builds.

        After a lost worker, this build is repeated and requests them again.  Their lab jobs
        continue, and the repeated builds find them.
        """
        if not isinstance(reason, Failure):
            return super().interrupt(reason)
        for brid in self.brids:
            self.master.data.control("cancel", {"reason": ABANDONED}, ("buildrequests", brid))
        self.brids = []  # keep Buildbot from stopping them again as if by a person
        return super().interrupt(reason)

    @property
    def occasion(self) -> str:
        """Return the key of the push or night: its first request, which survives restarts."""
        first = f"{self.build.builder.name} {self.build.requests[0].id}"
        return str(self.getProperty("occasion") or first)

    async def requested(self) -> list[Request]:
        """Return the requests; the function may be asynchronous."""
        requests = self.requests(self.getProperties())
        return list(await requests if isawaitable(requests) else requests)

    def scheduler_of(self, request: Request) -> str:
        """Return which of the schedulers, those of kernels or of boards, takes a request."""
        del request
        return self.scheduler

    @async_to_deferred
    async def getSchedulersAndProperties(self) -> list[dict[str, Any]]:  # noqa: N802 - Buildbot's name
        """Return scheduler and properties per request, for Buildbot's Trigger."""
        return [
            {
                "sched_name": scheduler_name(self.scheduler_of(request), request.get("purpose")),
                "props_to_set": {
                    "occasion": self.occasion,
                    **request,
                    "reason": request.get("label", self.what),
                },
                "unimportant": False,
            }
            for request in self.asked
        ]

    @async_to_deferred
    async def run(self) -> int:
        """Request the builds, wait for them and conclude from their results."""
        try:
            self.asked = await self.requested()
        except (VlagError, RuntimeError) as e:
            self.verdict = f"{self.what}: {e}"
            return EXCEPTION
        results = await super().run()
        if self.ended or len(self.brids) != len(self.asked):
            return int(results)
        return await self.conclude(int(results), await self.children())

    async def children(self) -> list[Child]:
        """Return the last build of each request with its properties."""
        children = []
        for request, brid in zip(self.asked, self.brids, strict=True):
            builds = await self.master.db.builds.getBuilds(buildrequestid=brid)
            if not builds:  # cancelled before its start
                children.append(Child(request=request, results=CANCELLED, properties={}))
                continue
            last = max(builds, key=lambda build: build.number)
            properties = await self.master.db.builds.getBuildProperties(last.id)
            values = {name: value for name, (value, _source) in properties.items()}
            results = EXCEPTION if last.results is None else last.results
            children.append(Child(request=request, results=results, properties=values))
        return children

    async def conclude(self, results: int, children: list[Child]) -> int:
        """Return the step's result; subclasses evaluate the children here."""
        counts = [
            f"{count} {statusToString(status, count)}"
            for status in (SUCCESS, WARNINGS, FAILURE, SKIPPED, EXCEPTION, CANCELLED, RETRY)
            if (count := sum(child.results == status for child in children))
        ]
        self.verdict = f"{self.what}: {', '.join(counts) or 'none'}"
        self.count(children)
        return results

    def count(self, children: list[Child]) -> None:
        """Add the runs that were not reused to the property `runs_done`."""
        done = sum(child.properties.get("reused") is False for child in children)
        self.setProperty("runs_done", (self.getProperty("runs_done") or 0) + done, self.name)

    def getCurrentSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return the number of ended builds."""
        return {"step": f"{self.what}: {len(self._result_list)} of {len(self.asked)}"}

    def getResultSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return a summary of the results."""
        if self.ended:
            return {"step": f"{self.what}: interrupted"}
        return {"step": self.verdict or f"{self.what}: none"}


class Gate(FanOut):
    """The first run of a kernel, alone: a kernel that panics or hangs costs one run only."""

    def __init__(
        self,
        scheduler: str,
        requests: Callable[[Properties], list[Request]],
        *,
        what: str = "first run",
        **kwargs: Any,
    ):
        super().__init__(
            scheduler, lambda properties: requests(properties)[:1], what=what, **kwargs
        )
        self.all_requests = requests

    async def conclude(self, results: int, children: list[Child]) -> int:
        """Close the gate if the kernel panicked or hung."""
        results = await super().conclude(results, children)
        outcome = children[0].properties.get("outcome") if children else None
        if outcome in FATAL:
            left = len(self.all_requests(self.getProperties())) - 1
            self.setProperty("gate", "closed", self.name)
            self.setProperty("gate_outcome", outcome, self.name)
            self.verdict = f"first run: {outcome}; the other {left} runs are not started"
        return results


class Kernels(FanOut):
    """Builds of whole kernels; a failed kernel does not stop the others.

    An infrastructure fault of any kernel fails this build, after the report.
    `learn` gets the children and may add steps after this one.  With `early` the step ends as
    soon as a kernel and its bases have ended: `learn` gets the children that ended since the
    last call, `ready` has the keys of the kernels to compare, and a further step waits for the
    rest.
    """

    def __init__(
        self,
        scheduler: str,
        requests: Callable[[Properties], Any],
        *,
        learn: Callable[[Kernels, list[Child]], None],
        early: bool = False,
        what: str = "kernels",
        **kwargs: Any,
    ):
        self.early = early
        super().__init__(scheduler, requests, what=what, **kwargs)
        self.learn = learn
        self.first = self.last = self  # of the steps that wait for the same kernels, one by one
        self.complete: set[int] = set()  # of `brids`
        self.seen: set[int] = set()  # of `complete`, those that `learn` gets or has got
        self.known: set[str] = set()  # keys of the kernels that `learn` has got
        self.compared: set[str] = set()  # of those that were `ready` in an earlier step

    async def children(self) -> list[Child]:
        """Return the requested builds that ended since `learn` was called."""
        if not self.early:
            return await super().children()
        # More may end while the database answers.
        self.seen = set(self.complete)
        children = await super().children()
        return [
            child
            for child, brid in zip(children, self.brids, strict=True)
            if brid in self.seen and child.request["key"] not in self.known
        ]

    @async_to_deferred
    async def _add_results(self, brid: int) -> None:
        """Note the end of a build, also after the end of this step.

        Two steps must not wait for one event: Buildbot's queue may leave out the second.
        """
        await super()._add_results(brid)
        self.complete.add(brid)
        if self.early:
            self.last.wake()

    @property
    def waitForFinishDeferred(self) -> Any:  # noqa: N802 - Buildbot's name
        """Return what Buildbot's step waits for, or None."""
        return self._waiting

    @waitForFinishDeferred.setter
    def waitForFinishDeferred(self, waiting: Any) -> None:  # noqa: N802 - Buildbot's name
        """Wait; what has ended before counts at once."""
        self._waiting = waiting
        if waiting is not None and self.early:
            self.wake()

    def wake(self) -> None:
        """Stop waiting if a kernel can be compared, or all have ended."""
        self.updateSummary()
        waiting = self._waiting
        done = self._ready(self.complete) or len(self.complete) == len(self.brids)
        if waiting is not None and not waiting.called and done:
            waiting.callback([])

    @property
    def ready(self) -> list[str]:
        """Return the kernels that have ended, with all bases, and are not compared yet."""
        return self._ready(self.seen)

    def _ready(self, ended: Collection[int]) -> list[str]:
        running = {
            request["key"]
            for request, brid in zip(self.asked, self.brids, strict=False)
            if brid not in ended
        }
        return [
            request["key"]
            for request in self.asked
            if request["compared_with"]
            and request["key"] not in self.compared
            and not running & {request["key"], *request["compared_with"]}
        ]

    def count(self, children: list[Child]) -> None:
        """Add up built kernels and new runs."""
        built = sum(child.properties.get("reused") is False for child in children)
        runs = sum(child.properties.get("runs_done") or 0 for child in children)
        self.setProperty(
            "kernels_built", (self.getProperty("kernels_built") or 0) + built, self.name
        )
        self.setProperty("runs_done", (self.getProperty("runs_done") or 0) + runs, self.name)

    async def conclude(self, results: int, children: list[Child]) -> int:
        """Grade the children, pass them on, and wait for the others in another step."""
        await super().conclude(results, children)
        if self.early:
            results = worst_status(results, worst(children))
        if self.early and len(self.seen) < len(self.brids):
            self.build.addStepsAfterCurrentStep([Others(self, children)])
        self.learn(self, children)  # its steps come before that one
        return grade(results, children)


class Others(Kernels):
    """Waits for the kernels that a step has requested and whose end it did not wait for."""

    def __init__(self, before: Kernels, ended: Sequence[Child]):
        super().__init__(
            before.scheduler,
            before.requests,
            learn=before.learn,
            early=True,
            what=before.what,
            name=before.name,
            warnOnWarnings=before.warnOnWarnings,
            alwaysRun=True,  # a build that was stopped before this step must stop the kernels
        )
        self.first = before.first
        self.asked = before.asked
        self.brids = list(before.brids)
        self.complete = before.complete
        self.seen = set(before.seen)
        self.known = {*before.known, *(child.request["key"] for child in ended)}
        self.compared = {*before.compared, *before.ready}
        self._result_list = before._result_list

    @async_to_deferred
    async def run(self) -> int:
        """Wait until another kernel can be compared, or all have ended."""
        if self.build.stopped or self.build.terminate:
            for brid in self.brids:
                self.master.data.control("cancel", {"reason": ABANDONED}, ("buildrequests", brid))
            self.ended = True
            return CANCELLED
        self.running = True
        self.first.last = self
        waiting: defer.Deferred[list[Any]] = defer.Deferred()
        self.waitForFinishDeferred = waiting
        with contextlib.suppress(defer.CancelledError):
            await waiting
        if self.ended:
            return CANCELLED
        children = await self.children()
        return await self.conclude(SUCCESS, children)


def worst(children: Sequence[Child]) -> int:
    """Return the worst result of builds."""
    results = SUCCESS
    for child in children:
        results = worst_status(results, child.results)
    return results


def grade(results: int, children: Sequence[Child]) -> int:
    """Return the result of a step that continues after a kernel failure.

    A kernel failure is a warning; an infrastructure fault is a failure.
    """
    if results == CANCELLED or not children:
        return results
    grades = {child.results for child in children}
    if grades & {EXCEPTION, RETRY, CANCELLED}:
        return FAILURE
    return WARNINGS if grades & {FAILURE, WARNINGS} else SUCCESS
