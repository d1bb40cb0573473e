# SPDX-License-Identifier: GPL-2.0-only
"""Builder `try`: somebody's patches against their base, sent on the pages.

The table `try` is the queue: the pages write a row, a scheduler requests a build for it, and the
last step writes the result.  So a stopped master loses no try, and none runs twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from buildbot.data.resultspec import Filter
from buildbot.plugins import util
from buildbot.process.properties import Properties
from buildbot.process.results import RETRY
from buildbot.schedulers.base import ReconfigurableBaseScheduler
from buildbot.util.twisted import async_to_deferred
from twisted.internet import task
from twisted.internet.threads import deferToThread
from twisted.python import log

from master.comparison_steps import comparison_steps
from master.confirm import keep
from master.kernel import SHORT_MAX_S, kernel_name, kernel_request
from master.steps import VlagCommand
from master.titles import page
from master.triggers import Child, Kernels, Request
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import VlagError
from vlag.model import Outcome, Purpose, TryState
from vlag.pipeline.night_plan import Asked, board_groups
from vlag.store import tries
from vlag.store.database import connect

#: The scheduler that requests builds of tries.
TRIES = "tries"
#: Seconds between looks for new tries.
LOOK_S = 5


def try_steps(catalogue: Catalogue) -> list[object]:
    """Import the series, build and boot its kernels, compare them, and note the result."""

    def requests(properties: Properties) -> list[Request]:
        return try_requests(catalogue, properties.getProperty("try"))

    number = util.Property("try_number")
    return [
        VlagCommand(
            ["try-begin", number, "--format", "json"],
            name="series",
            subject=util.Interpolate("try %(prop:try_number)s"),
            done="the series applies, checked",
            keep={"try": "try"},
            haltOnFailure=True,
            maxTime=SHORT_MAX_S,
        ),
        Kernels("kernels", requests, learn=_compare, name="kernels", warnOnWarnings=True),
        End(name="result", alwaysRun=True, doStepIf=lambda step: step.build.results != RETRY),
    ]


def try_requests(catalogue: Catalogue, began: Mapping[str, Any]) -> list[Request]:
    """Return the base and the kernels with patches, as properties of builds of `kernel`."""
    name = kernel_name(began["commit"], began["base"])
    earlier = began["against"]
    requests: list[Request] = []
    for group in board_groups(catalogue, began["plan"], [began["board_type"]]):
        base = _asked(began, name, group, earlier, "full" if earlier else "none")
        heads = [_asked(began, name, group, began["series"], a) for a in began["applications"]]
        requests.append(kernel_request(base, purpose=Purpose.TRY.value, compared_with=[]))
        requests += [
            kernel_request(head, purpose=Purpose.TRY.value, compared_with=[base.key])
            for head in heads
        ]
    return requests


def _asked(
    began: Mapping[str, Any],
    name: str,
    group: tuple[str, ...],
    series: str | None,
    application: str,
) -> Asked:
    return Asked(
        tree=began["tree"],
        ref=began["commit"],
        branch=began["base"],
        series=series,
        application=application,
        plan=began["plan"],
        board_types=group,
        label=name if series is None else f"{name} + {series} {application}",
    )


def _compare(step: Kernels, children: list[Child]) -> None:
    keep(step, children)
    if steps := comparison_steps(children, warnOnWarnings=False):
        step.build.addStepsAfterCurrentStep(steps)


def why_failed(kernels: Sequence[Mapping[str, Any]], comparisons: Sequence[str]) -> str | None:
    """Return in one sentence what failed of a try, the base first; None: nothing did."""
    for kernel in kernels:
        label = kernel["request"]["kernel_name"]
        if kernel["outcome"] not in (None, Outcome.COMPLETE.value):
            outcome_words = str(kernel["outcome"]).replace("_", " ")
            return f"{label}: {outcome_words}: {kernel['reason'] or 'its build has no reason'}"
        if kernel["gate_outcome"]:
            return f"{label}: {kernel['gate_outcome']} in its first boot"
    if not comparisons:
        return "it was stopped, or a machine failed, before kernels were compared: send it again"
    return None


class End(VlagCommand):
    """`vlag try-end`: the result, also of a build that failed or was stopped."""

    def __init__(self, **kwargs: Any):
        super().__init__([], subject="result", done="on record", maxTime=SHORT_MAX_S, **kwargs)

    @async_to_deferred
    async def run(self) -> int:
        """Note the result and link to the page."""
        number = self.getProperty("try_number")
        await self.addURL("the try", page(self.master, f"try?id={number}"))
        comparisons = self.getProperty("comparisons") or []
        words = ["try-end", number]
        words += [word for one in comparisons for word in ("--comparison", one)]
        if (why := why_failed(self.getProperty("kernels") or [], comparisons)) is not None:
            words += ["--reason", why]
        return await self.call(words)


class Tries(ReconfigurableBaseScheduler):
    """Requests exactly one build for each try that waits, also for those of before a stop."""

    def __init__(self, settings: Settings):
        super().__init__(name=TRIES, builderNames=["try"])
        self._dsn = settings.dsn
        self._look: task.LoopingCall | None = None

    @async_to_deferred
    async def activate(self) -> None:
        """Look for tries from now on."""
        await super().activate()
        if self.enabled:
            self._look = task.LoopingCall(self.look)
            self._look.clock = self.master.reactor
            self._look.start(LOOK_S).addErrback(lambda failure: log.err(failure, "tries"))

    @async_to_deferred
    async def deactivate(self) -> None:
        """Look no more."""
        if self._look is not None and self._look.running:
            self._look.stop()
        await super().deactivate()

    @async_to_deferred
    async def look(self) -> None:
        """Request what is missing; end a try whose build was cancelled before its last step."""
        try:
            for number in await deferToThread(self._open):
                name = f"try {number}"
                same = [Filter("external_idstring", "eq", [name])]
                known = await self.master.data.get(("buildsets",), filters=same, limit=1)
                if known and known[0]["complete"]:
                    await deferToThread(self._stopped, number)
                elif not known:
                    await self.addBuildsetForSourceStampsWithDefaults(
                        reason=name,
                        sourcestamps=[{"codebase": ""}],
                        properties=_number(number),
                        external_idstring=name,
                        priority=Purpose.TRY.rank - Purpose.PUSH.rank,
                    )
        except VlagError as e:  # the database is away for a moment
            log.msg(f"tries: {e}")

    def _open(self) -> list[int]:
        with connect(self._dsn()) as conn:
            return tries.still_open(conn)

    def _stopped(self, number: int) -> None:
        with connect(self._dsn()) as conn:
            why = "its build was stopped before its end: send it again"
            tries.end(conn, number, TryState.FAILED, why)


def _number(number: int) -> Properties:
    properties = Properties()
    properties.setProperty("try_number", number, TRIES)
    return properties
