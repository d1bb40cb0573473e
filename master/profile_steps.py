# SPDX-License-Identifier: GPL-2.0-only
"""Builder `profile`: why figures changed.  A push or a night asks for it at its end.

It counts what both kernels execute, tries the scheduler's toggles on regressions, and searches
the commit where several are between both kernels.  It has a build of its own, so that no
verdict, alert or mail waits for it, and no other build fails by it; its boots have the lowest
priority.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from buildbot.plugins import util
from buildbot.process.properties import Properties
from buildbot.process.results import CANCELLED, RETRY, SUCCESS, WARNINGS
from buildbot.steps.trigger import Trigger

from master.bisect_steps import REGRESSIONS, Search, heads, regressed
from master.kernel import SHORT_MAX_S
from master.notify_steps import Alerts
from master.schedulers import PROFILES
from master.steps import VlagCommand, skipped
from master.triggers import Child, FanOut, Request, grade
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.model import Observation, Purpose

Finding = Mapping[str, Any]

#: Property of a build whose profiles and toggles of earlier days go on; that of a round's boots.
STANDING, TOGGLE_BOOTS = "standing", "toggle_boots"

#: Comparisons whose kernels are counted whatever changed, and the boots of them that are missing.
HISTORY, PATH_BOOTS = "history", "path_boots"

#: Boots of a profile that ended well: their bundles.
COUNTED = "counted"


class Explain(Trigger):
    """Ask why something changed in comparisons, without waiting for the answer.

    What each commit executes is asked for as well, changed or not: a history has no gaps then.
    `choose` selects the findings whose changes are to be explained; with `daily`, profiles and
    toggles of earlier ones go on as well, on boards whose hours in a day are bounded, and what
    takes earlier losses back is searched.
    """

    def __init__(
        self,
        settings: Settings,
        catalogue: Catalogue,
        choose: Callable[[Sequence[Finding]], Iterable[Finding]],
        *,
        daily: bool = False,
        **kwargs: Any,
    ):
        types = {board.board_type for board in catalogue.boards}
        scatter = not all(catalogue.board_types[name].deterministic for name in types)
        automatic = settings.profile.automatic or settings.toggles.automatic
        goes_on = daily and scatter and automatic

        def asked(properties: Properties) -> list[int]:
            if not automatic:
                return []
            findings = properties.getProperty("findings") or []
            return changed(catalogue, list(choose(findings)))

        def searched(properties: Properties) -> list[int]:
            if not settings.bisect.automatic:
                return []
            findings = list(choose(properties.getProperty("findings") or []))
            # A night's heads may have back what an earlier commit has cost.
            more = heads(catalogue, findings) if daily else []
            return list(dict.fromkeys([*regressed(catalogue, findings), *more]))

        def compared(properties: Properties) -> list[int]:
            if not (settings.profile.automatic and settings.profile.history):
                return []
            return counted(catalogue, choose(properties.getProperty("findings") or []))

        @util.renderer
        def comparisons(properties: Properties) -> list[int]:
            return asked(properties)

        @util.renderer
        def history(properties: Properties) -> list[int]:
            return compared(properties)

        @util.renderer
        def regressions(properties: Properties) -> list[int]:
            return searched(properties)

        def wanted(step: Trigger) -> bool:
            properties = step.build.getProperties()
            return bool(
                goes_on or asked(properties) or searched(properties) or compared(properties)
            )

        super().__init__(
            schedulerNames=[PROFILES],
            waitForFinish=False,
            updateSourceStamp=False,
            set_properties={
                "comparisons": comparisons,
                HISTORY: history,
                REGRESSIONS: regressions,
                STANDING: goes_on,
            },
            doStepIf=wanted,
            hideStepIf=skipped,
            flunkOnFailure=False,
            warnOnFailure=False,
            **kwargs,
        )


def changed(catalogue: Catalogue, findings: Iterable[Finding]) -> list[int]:
    """Return the first boots' comparisons of pairs of kernels in which something changed.

    The rerun of a pair is a finding of its own; its changes are told with the first boots.
    Board types of which this installation has no board are left out.
    """
    there = {board.board_type for board in catalogue.boards}
    pairs: dict[tuple[Any, ...], int] = {}
    comparisons: dict[int, None] = {}
    for f in findings:
        pair = f["base_key"], f["new_key"], f["board_type"]
        if f["stage"] == "screen" and f.get("comparison"):
            pairs[pair] = int(f["comparison"])
        names = f.get("regressed") or f.get("improved")
        if names and pair in pairs and f["board_type"] in there:
            comparisons[pairs[pair]] = None
    return list(comparisons)


def counted(catalogue: Catalogue, findings: Iterable[Finding]) -> list[int]:
    """Return the first boots' comparisons on deterministic boards of this installation."""
    there = {
        board.board_type
        for board in catalogue.boards
        if catalogue.board_types[board.board_type].deterministic
    }
    return list(
        dict.fromkeys(
            int(f["comparison"])
            for f in findings
            if f["stage"] == "screen" and f.get("comparison") and f["board_type"] in there
        )
    )


def profile_steps(settings: Settings) -> list[object]:
    """Look up which boots are missing, boot them, and store what they counted.

    The toggles' boots are several rounds: each follows from what those before it have shown.
    The search of a commit comes last, as it takes longest.
    """
    steps: list[object] = []
    if settings.profile.automatic:
        steps += [
            Boots("profile-boots", "profiles", keep={"boots": "boots", "comparisons": "explained"},
                  name="boots", maxTime=SHORT_MAX_S),
            Count(name="profiles"),
            Count(name="decisions", decisions=True),
        ]  # fmt: skip
    if settings.toggles.automatic:
        steps.append(NextToggles(name="boots of toggles 1"))
    if settings.profile.automatic and settings.profile.history:
        steps += [
            Boots("path-boots", "paths", of=HISTORY, keep={"boots": PATH_BOOTS},
                  name="boots of paths", maxTime=SHORT_MAX_S),
            Paths(name="paths"),
        ]  # fmt: skip
    if settings.bisect.automatic:
        steps.append(Search(name="search"))
    if steps:
        # A change whose cause is known is told earlier, and its alert names the cause.
        steps.append(Alerts(name="alerts", maxTime=SHORT_MAX_S, doStepIf=_may_tell))
    return steps


def _may_tell(step: Alerts) -> bool:
    """Return whether something was explained; counts of a history alone change no alert."""
    return any(step.getProperty(name) for name in ("comparisons", STANDING, REGRESSIONS))


class Boots(VlagCommand):
    """`vlag profile-boots` or `vlag toggle-boots`: what is missing, and what is left out."""

    def __init__(self, command: str, subject: str, of: str = "comparisons", **kwargs: Any):
        self.of = of  # property with the comparisons

        @util.renderer
        def arguments(properties: Properties) -> list[str]:
            ids = properties.getProperty(of) or []
            return [command, *map(str, ids), *self.options(properties), "--format", "json"]

        super().__init__(
            arguments,
            subject=subject,
            doStepIf=lambda step: step.is_asked(),
            hideStepIf=skipped,
            **kwargs,
        )

    def options(self, properties: Properties) -> list[str]:
        """Return further options of the command: whether boots of earlier days go on."""
        return ["--standing"] if self.goes_on(properties) else []

    def goes_on(self, properties: Any) -> bool:
        """Return whether boots of earlier days go on; a history has none."""
        return self.of != HISTORY and bool(properties.getProperty(STANDING))

    def is_asked(self) -> bool:
        """Return whether something changed, or may go on from earlier days.

        Two nights of a branch have no first boots that were compared, only a search.
        """
        return bool(self.getProperty(self.of)) or self.goes_on(self)

    async def heard(self, answer: Mapping[str, Any], stdout: str) -> None:
        """Log what is left out."""
        if answer.get("skipped"):
            await self.addCompleteLog("left out", "\n".join([*answer["skipped"], ""]))

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return the number of boots."""
        if code != ExitCode.OK:
            return super().describe(code, answer, stderr, seconds)
        left = f", {len(answer['skipped'])} left out" if answer.get("skipped") else ""
        return f"{self.subject}: {len(answer.get('boots') or ())} boots{left}"


def boot_requests(properties: Properties, name: str = "boots") -> list[Request]:
    """Return the boots of a property as properties of builds of `board`."""
    return [
        {**boot, "purpose": Purpose.EXPLAIN.value, "plan": None, "pinned": None}
        for boot in properties.getProperty(name) or ()
    ]


class Explaining(FanOut):
    """Boots that explain something, if there are any."""

    def __init__(
        self, listed: str, among: Callable[[Request], bool] = lambda _boot: True, **kwargs: Any
    ):
        def requests(properties: Properties) -> list[Request]:
            return list(filter(among, boot_requests(properties, listed)))

        super().__init__(
            "boards",
            requests,
            doStepIf=lambda step: bool(requests(step.build.getProperties())),
            hideStepIf=skipped,
            **kwargs,
        )


class Toggled(Explaining):
    """Boots with toggles; the record is their result, and a failed one is a warning."""

    def __init__(self, listed: str, **kwargs: Any):
        super().__init__(listed, what="boots with toggles", **kwargs)

    async def conclude(self, results: int, children: list[Child]) -> int:
        """Grade the boots."""
        return grade(await super().conclude(results, children), children)


class NextToggles(Boots):
    """`vlag toggle-boots`: the boots of one round, then this step again, until none is missing.

    Boots that are asked for again were not recorded, and end it.
    """

    def __init__(self, before: object = None, number: int = 1, **kwargs: Any):
        super().__init__("toggle-boots", "toggles", keep={"boots": TOGGLE_BOOTS},
                         maxTime=SHORT_MAX_S, **kwargs)  # fmt: skip
        self.before = before
        self.round_ = number  # Buildbot has a `number` of its own
        self.lost = False

    def options(self, properties: Properties) -> list[str]:
        """Return the round, and whether toggles of earlier days go on."""
        return ["--round", str(self.round_), *super().options(properties)]

    async def call(self, arguments: Any) -> int:
        """Run the command; toggles that cannot go on are a warning."""
        result = await super().call(arguments)
        return WARNINGS if result == SUCCESS and self.lost else result

    async def heard(self, answer: Mapping[str, Any], stdout: str) -> None:
        """Request what is missing, and ask again after it."""
        await super().heard(answer, stdout)
        boots = answer.get("boots") or []
        self.lost = bool(boots) and boots == self.before
        if boots and not self.lost:
            self.build.addStepsAfterCurrentStep([
                Toggled(TOGGLE_BOOTS, name=f"toggles {self.round_}"),
                NextToggles(boots, self.round_ + 1, name=f"boots of toggles {self.round_ + 1}"),
            ])  # fmt: skip

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return the number of boots, or which are not recorded."""
        if code == ExitCode.OK and self.lost:
            boot = answer["boots"][0]["label"]
            return f"{self.subject}: not on record after it was asked for: {boot}"
        return super().describe(code, answer, stderr, seconds)


class Count(Explaining):
    """The profiled boots, then one step a comparison that stores its profiles.

    Boots whose decisions are compared come after it, and the same is done with all: functions are
    told while decisions are still looked for.
    """

    def __init__(self, *, decisions: bool = False, **kwargs: Any):
        def among(boot: Request) -> bool:
            return _decides(boot) is decisions

        what = "boots with decisions" if decisions else "profiled boots"
        super().__init__("boots", among, what=what, **kwargs)
        self.decisions = decisions

    async def conclude(self, results: int, children: list[Child]) -> int:
        """Store the profiles of the boots that ended well."""
        await super().conclude(results, children)
        bundles = [
            *(self.getProperty(COUNTED) or ()),
            *(c.properties["run_bundle"] for c in children if _counted(c)),
        ]
        self.setProperty(COUNTED, bundles, "profile")
        every = boot_requests(self.build.getProperties())
        more = not self.decisions and any(map(_decides, every))
        subject = "decisions" if self.decisions else "profile"
        self.build.addStepsAfterCurrentStep(
            [
                Store(int(id_), bundles, more=more, name=f"{subject} of comparison {id_}")
                for id_ in self.getProperty("explained") or ()
            ]
        )
        return grade(results, children)


class Paths(Explaining):
    """Boots that count what commits execute, then a step that stores it."""

    def __init__(self, **kwargs: Any):
        super().__init__(PATH_BOOTS, what="boots of paths", **kwargs)

    async def conclude(self, results: int, children: list[Child]) -> int:
        """Store the counts of the boots that ended well."""
        await super().conclude(results, children)
        bundles = [c.properties["run_bundle"] for c in children if _counted(c)]
        if bundles:
            self.build.addStepsAfterCurrentStep([StorePaths(bundles, name="counts of paths")])
        return grade(results, children)


def _decides(boot: Request) -> bool:
    return bool(boot["observes"] == Observation.DECISIONS.value)


def _counted(child: Child) -> bool:
    return child.results in (SUCCESS, WARNINGS) and bool(child.properties.get("run_bundle"))


class Storing(VlagCommand):
    """A command that stores what boots have counted; what is missing is a warning."""

    def __init__(self, words: Sequence[Any], subject: str, **kwargs: Any):
        super().__init__(
            [*words, "--format", "json"], subject=subject, maxTime=SHORT_MAX_S, **kwargs
        )
        self.missing = False

    async def call(self, arguments: Sequence[Any]) -> int:
        """Run the command; a profile that could not be made is a warning."""
        result = await super().call(arguments)
        if result == SUCCESS and self.missing:
            return WARNINGS
        return result if result in (SUCCESS, CANCELLED, RETRY) else WARNINGS

    async def heard(self, answer: Mapping[str, Any], stdout: str) -> None:
        """Log what is missing."""
        self.missing = bool(answer.get("skipped"))
        if self.missing:
            await self.addCompleteLog("missing", "\n".join([*answer["skipped"], ""]))


class Store(Storing):
    """`vlag profile-runs`: store the profiles of a comparison; `more` boots follow."""

    def __init__(
        self, comparison: int, bundles: Sequence[str], *, more: bool = False, **kwargs: Any
    ):
        words = ["profile-runs", comparison, *bundles, *(["--functions-only"] if more else [])]
        super().__init__(words, f"comparison {comparison}", **kwargs)

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return the sentences."""
        if code != ExitCode.OK:
            return super().describe(code, answer, stderr, seconds)
        parts = [f"{name}: {words}" for name, words in (answer.get("sentences") or {}).items()]
        parts += answer.get("skipped") or ()
        return f"{self.subject}: {' '.join(parts) or 'no change'}"


class StorePaths(Storing):
    """`vlag path-runs`: store what commits execute."""

    def __init__(self, bundles: Sequence[str], **kwargs: Any):
        super().__init__(["path-runs", *bundles], "paths", **kwargs)

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return which kernels were counted."""
        if code != ExitCode.OK:
            return super().describe(code, answer, stderr, seconds)
        parts = [*(answer.get("counted") or ()), *(answer.get("skipped") or ())]
        return f"{self.subject}: {'; '.join(parts) or 'none'}"
