# SPDX-License-Identifier: GPL-2.0-only
"""Schedulers: builds start on a push, at a time, by hand or from another build."""

from __future__ import annotations

import datetime
import fnmatch
import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from attrs import evolve, frozen
from buildbot.changes.changes import Change
from buildbot.data.resultspec import Filter
from buildbot.interfaces import IConfigurator
from buildbot.plugins import schedulers, util
from buildbot.util.twisted import async_to_deferred
from croniter import croniter
from twisted.internet import defer
from zope.interface import implementer

from master import trees
from master.first import FIRST_NOW
from master.steps import Collect
from master.triggers import scheduler_name
from master.try_steps import Tries
from vlag.config import DEFAULT, Branch, Settings
from vlag.config.catalogue import Catalogue
from vlag.model import Purpose

#: Days after which the logs of Buildbot's builds go; the bundles have what they showed.
LOG_DAYS = 90

#: The scheduler for kernels requested by hand.
BY_HAND = "kernel-now"

#: The scheduler by which a push or a night asks for profiles.
PROFILES = "profiles"

#: The scheduler by which a push asks for build lanes.
LANES = "lanes"

#: Returns the commits that a commit of a tree brings, if it is a merge.
Brought = Callable[[str, str], Awaitable[list[str]]]

#: Property of a night that runs the weekly plans of the branches.
WEEKLY = "weekly"

#: State of a scheduler: the newest change that it has handled.
_SEEN = "seen"


def fits(patterns: list[str]) -> Callable[[str | None], bool]:
    """Return whether a branch matches one of these patterns, as a function."""
    return lambda branch: any(fnmatch.fnmatchcase(branch or "", p) for p in patterns)


def pushed_branches(settings: Settings) -> list[Branch]:
    """Return the branches whose pushes are tested; series and variants run in nights only."""
    return [w for w in settings.branches if w.series is None and w.variant == DEFAULT]


def push_names(branches: Sequence[Branch]) -> dict[str, Branch]:
    """Return the name of the scheduler of each branch's pushes.

    What it has seen is kept under its name, so nothing of it depends on the place of the branch
    in the settings; a branch that is watched twice has a number the second time.
    """
    by_name: dict[str, Branch] = {}
    for watched in branches:
        name = f"push {watched.tree} {watched.branch}"
        again = sum(b.tree == watched.tree and b.branch == watched.branch for b in by_name.values())
        by_name[f"{name} ({again + 1})" if again else name] = watched
    return by_name


class ByTheClock(schedulers.Nightly):
    """A Nightly whose times are those on the clock, each once a day.

    Buildbot's own starts twice at a time that the clock shows twice, as summer time ends.
    """

    def getNextBuildTime(self, lastActuated: float | None) -> defer.Deferred[float]:  # noqa: N802, N803
        """Return when the clock shows one of the times next; Unix time.

        A time that the clock leaves out as summer time begins is as long after the last one as
        ever.
        """
        since = datetime.datetime.fromtimestamp(lastActuated or self.now())  # noqa: DTZ006
        line = self._times_to_cron_line(
            self.minute, self.hour, self.dayOfMonth, self.month, self.dayOfWeek
        )
        shown: datetime.datetime = croniter(line, since).get_next(datetime.datetime)
        return defer.succeed(shown.timestamp())


class PushScheduler(schedulers.AnyBranchScheduler):
    """Exactly one build per change, in the order of the changes.

    Buildbot may lose a change: a master that is killed after recording a change and
    before requesting its build does not request it later.  It may record a change
    twice: the poller saves its position only at its end.  So this scheduler looks up
    existing requests, by branch and commit, at each start and each change.

    A merge also gets a build of each commit that it brings and that its branch is watched for.
    """

    def __init__(self, name: str, brought: Brought, **kwargs: object):
        super().__init__(name=name, **kwargs)
        self._brought = brought
        self._one = defer.DeferredLock()

    @async_to_deferred
    async def activate(self) -> None:
        """Start to listen, and request the builds that a stop has prevented."""
        if await self.getState(_SEEN, None) is None:
            # A newly watched branch: ignore earlier changes.
            await self.setState(_SEEN, await self.master.db.changes.getLatestChangeid() or 0)
        await super().activate()
        if self.enabled:
            await self._one.run(self._catch_up)

    def gotChange(self, change: object, important: object) -> defer.Deferred[None]:  # noqa: N802 - Buildbot's name
        """Request builds for this change and for earlier ones without a build."""
        return self._one.run(self._catch_up)

    @async_to_deferred
    async def _catch_up(self) -> None:
        seen = await self.getState(_SEEN)
        later = [Filter("changeid", "gt", [seen])]
        noted = await self.master.data.get(("changes",), filters=later)
        for number in sorted(change["changeid"] for change in noted):
            row = await self.master.db.changes.getChange(number)
            change = await Change.fromChdict(self.master, row)
            name = self._key(change, change.revision)
            if self.change_filter.filter_change(change) and not await self._was_asked(name):
                await self._ask_for_brought(change)
                await self.addBuildsetForChanges(
                    reason=f"push of {change.branch} {str(change.revision)[:12]}",
                    external_idstring=name,
                    changeids=[number],
                    priority=self.priority,
                )
            await self.setState(_SEEN, number)

    @async_to_deferred
    async def _ask_for_brought(self, change: Change) -> None:
        """Request a build of each commit that a merge brings, before that of the merge."""
        for commit in await self._brought(change.project, change.revision):
            name = self._key(change, commit)
            if await self._was_asked(name):
                continue
            stamp = {key: getattr(change, key) for key in ("branch", "repository", "project")}
            await self.addBuildsetForSourceStampsWithDefaults(
                reason=f"{change.branch} {commit[:12]}, by the merge {change.revision[:12]}",
                external_idstring=name,
                sourcestamps=[{"codebase": change.codebase, "revision": commit, **stamp}],
                priority=self.priority,
            )

    def _key(self, change: Change, commit: str) -> str:
        """Return what the request of a commit of a branch is found by."""
        return f"{commit} {change.branch} {self.name}"[:256]

    @async_to_deferred
    async def _was_asked(self, name: str) -> bool:
        same = [Filter("external_idstring", "eq", [name])]
        return bool(await self.master.data.get(("buildsets",), filters=same, limit=1))


def _push(watched: Branch, name: str, brought: Brought) -> PushScheduler:
    return PushScheduler(
        name=name,
        brought=brought,
        builderNames=["push"],
        change_filter=util.ChangeFilter(project=watched.tree, branch_fn=fits([watched.branch])),
        properties={
            "tree": watched.tree,
            "plan": watched.commit_plan,
            "board_types": list(watched.board_types),
            "baseline": watched.baseline,
            "baseline_tree": watched.base_tree,
        },
    )


async def _brought(settings: Settings, paths: Sequence[str], tree: str, commit: str) -> list[str]:
    return await trees.brought(settings, tree, commit, paths)


def schedule_all(settings: Settings, catalogue: Catalogue) -> list[object]:
    """Return the schedulers of a master; a master that does not lead only fans out."""
    if not settings.leads:
        return _fan_outs()
    return [
        *_pushes(settings, catalogue),
        *_by_the_clock(settings),
        *_by_a_build(settings),
        Tries(settings),
        *_by_a_button(settings),
        _kernel_form(settings, catalogue),
        *_fan_outs(),
    ]


def _pushes(settings: Settings, catalogue: Catalogue) -> list[PushScheduler]:
    return [
        _push(
            evolve(watched, board_types=catalogue.types_of(watched.board_types)),
            name,
            functools.partial(_brought, settings, watched.paths),
        )
        for name, watched in push_names(pushed_branches(settings)).items()
    ]


def _by_the_clock(settings: Settings) -> list[ByTheClock]:
    """Return what starts nights, the weekly plans and board checks at their times."""
    night = ByTheClock(
        name="night",
        builderNames=["nightly"],
        hour=settings.nightly_hour,
        minute=settings.nightly_minute,
    )
    timed = [night]
    if settings.weekly is not None:
        week = ByTheClock(
            name="week",
            builderNames=["nightly"],
            dayOfWeek=settings.weekly.day,
            hour=settings.weekly.hour,
            minute=settings.weekly.minute,
            properties={WEEKLY: True},
        )
        timed.append(week)
    if settings.check_hours:
        hours = list(settings.check_hours)
        timed.append(ByTheClock(name="checks", builderNames=["check"], hour=hours, minute=0))
    return timed


def _by_a_build(settings: Settings) -> list[object]:
    """Return what a push or a night starts profiles by, and build lanes if a branch has some."""
    triggered = [schedulers.Triggerable(name=PROFILES, builderNames=["profile"])]
    if any(b.lanes for b in settings.branches):
        triggered.append(schedulers.Triggerable(name=LANES, builderNames=["lanes"]))
    return triggered


def _by_a_button(settings: Settings) -> list[schedulers.ForceScheduler]:
    buttons = [
        _button("check-now", "Check all boards now", "check"),
        _button("nightly-now", "Start a night now", "nightly"),
    ]
    if settings.weekly is not None:
        weekly = util.FixedParameter(name=WEEKLY, default=True)
        buttons.append(_button("weekly-now", "Start the weekly plans now", "nightly", weekly))
    if settings.first is not None:
        buttons.append(_button(FIRST_NOW, "Compare the prebuilt kernels now", "first"))
    return buttons


def _kernel_form(settings: Settings, catalogue: Catalogue) -> schedulers.ForceScheduler:
    """Return the form by which a person asks for one kernel."""
    first = settings.branches[0]
    return schedulers.ForceScheduler(
        name=BY_HAND,
        label="Build and run one kernel",
        buttonName="Build and run a kernel",
        builderNames=["push"],
        codebases=[_no_codebase()],
        properties=[
            _choice("tree", "Tree", sorted(settings.trees), first.tree),
            _words("ref", "Branch, tag or commit", required=True),
            _choice("plan", "Plan", sorted(catalogue.plans), first.commit_plan),
            util.ChoiceStringParameter(
                name="board_types",
                label="Board types",
                multiple=True,
                choices=sorted(catalogue.board_types),
                default=list(catalogue.types_of(first.board_types)),
            ),
            _words("baseline", "Compare with (tag, or empty)"),
            _words("series", "Patch series (or empty)"),
            _words("application", "Its patches: full, solo(N), prefix(N) or without(N)", width=20),
        ],
    )


def _no_codebase() -> util.CodebaseParameter:
    """Return a codebase without inputs: the form has tree and ref of the kernel itself."""
    return util.CodebaseParameter(
        codebase="",
        **{
            key: util.FixedParameter(name=key, default="")
            for key in ("branch", "revision", "repository", "project")
        },
    )


def _button(name: str, words: str, builder: str, *properties: object) -> schedulers.ForceScheduler:
    """Return what starts a builder by a button with these words."""
    return schedulers.ForceScheduler(
        name=name,
        label=words,
        buttonName=words,
        builderNames=[builder],
        codebases=[_no_codebase()],
        properties=list(properties),
    )


#: Priorities of kernels where they are not 1.  A night has many: the kernel of a commit must not
#: wait for all of them, nor any kernel of a night for a try or a search.
_KERNELS = {Purpose.NIGHT: 0, Purpose.TRY: -1, Purpose.EXPLAIN: -2}


def _fan_outs() -> list[object]:
    return [
        schedulers.Triggerable(
            name=scheduler_name(what, purpose), builderNames=[builder], priority=priority
        )
        for what, builder in (("kernels", "kernel"), ("boards", "board"))
        for purpose in Purpose
        for priority in [purpose.rank if what == "boards" else _KERNELS.get(purpose, 1)]
    ]


def _choice(name: str, label: str, choices: list[str], default: str) -> util.ChoiceStringParameter:
    return util.ChoiceStringParameter(name=name, label=label, choices=choices, default=default)


def _words(
    name: str, label: str, *, required: bool = False, width: int = 60
) -> util.StringParameter:
    """Return a line of a form, empty unless it is `required`; `width` in characters."""
    given = {"required": True} if required else {"default": ""}
    return util.StringParameter(name=name, label=label, size=width, **given)


@implementer(IConfigurator)
@frozen
class Janitor:
    """Buildbot's janitor, half a day after the night, with a description and without a form.

    It removes the text of old logs.  Then `vlag gc` removes raw files and Buildbot's old builds,
    if the settings have a rule for it.
    """

    settings: Settings

    def configure(self, config_dict: dict[str, Any]) -> None:
        """Add the builder, scheduler and worker that remove old logs from Buildbot's database."""
        # Its module brings Buildbot's mail with it: only a master needs that.
        util.JanitorConfigurator(
            logHorizon=datetime.timedelta(days=LOG_DAYS),
            hour=(self.settings.nightly_hour + 12) % 24,
            minute=self.settings.nightly_minute,
        ).configure(config_dict)
        builder = config_dict["builders"][-1]
        builder.description = "Removes old logs from Buildbot's database; the bundles have all."
        if self.settings.gc is not None and self.settings.leads:
            builder.description += " Then removes raw files and builds that are old (vlag gc)."
            builder.factory.addStep(Collect(name="gc"))
        form = f"{builder.name}_force"
        config_dict["schedulers"] = [s for s in config_dict["schedulers"] if s.name != form]
