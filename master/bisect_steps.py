# SPDX-License-Identifier: GPL-2.0-only
"""Steps of the builder `profile` that search the commit of a regression, one question at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from buildbot.plugins import util
from buildbot.process.properties import Properties
from buildbot.process.results import SUCCESS, WARNINGS

from master.kernel import SHORT_MAX_S
from master.steps import VlagCommand, skipped
from master.triggers import Child, FanOut, Request, grade
from vlag.config import DEFAULT
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.model import Purpose

#: Property with the comparisons whose commit is searched.
REGRESSIONS = "regressions"


def regressed(catalogue: Catalogue, findings: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the comparisons of pairs of kernels in which something got worse.

    Of a pair it is that of the first boots; two nights of a branch have only that of the rerun.
    Board types of which this installation has no board are left out.
    """
    there = {board.board_type for board in catalogue.boards}
    pairs: dict[tuple[Any, ...], int] = {}
    worse: dict[tuple[Any, ...], None] = {}
    for f in findings:
        pair = f["base_key"], f["new_key"], f["board_type"]
        if f.get("comparison"):
            if f["stage"] == "screen" or pair not in pairs:
                pairs[pair] = int(f["comparison"])
            if f.get("regressed") and f["board_type"] in there:
                worse[pair] = None
    return list(dict.fromkeys(pairs[pair] for pair in worse))


def heads(catalogue: Catalogue, findings: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the comparisons of first boots: a loss found earlier may be gone from their heads.

    Board types of which this installation has no board are left out.
    """
    there = {board.board_type for board in catalogue.boards}
    first = [
        int(f["comparison"]) for f in findings
        if f.get("comparison") and f["stage"] == "screen" and f["board_type"] in there
    ]  # fmt: skip
    return list(dict.fromkeys(first))


@util.renderer
def _arguments(properties: Properties) -> list[str]:
    ids = properties.getProperty(REGRESSIONS) or []
    return ["bisect-steps", *map(str, ids), "--format", "json"]


class Search(VlagCommand):
    """`vlag bisect-steps`: the next build or boots, then this step again, until nothing is missing.

    A search that asks for the same again has lost what it asked for, and ends.  Whatever
    ends it, what is on record stays, and the next search goes on from there.
    """

    def __init__(self, before: object = None, **kwargs: Any):
        def wanted(step: Search) -> bool:
            return bool(step.getProperty(REGRESSIONS))

        super().__init__(
            _arguments, subject="search", maxTime=SHORT_MAX_S, doStepIf=wanted,
            hideStepIf=skipped, **kwargs,
        )  # fmt: skip
        self.before = before
        self.lost = False

    async def call(self, arguments: Any) -> int:
        """Run the command; a search that cannot go on is a warning."""
        result = await super().call(arguments)
        return WARNINGS if result == SUCCESS and self.lost else result

    async def heard(self, answer: Mapping[str, Any], stdout: str) -> None:
        """Request what is missing, and ask again after it."""
        if answer.get("skipped"):
            await self.addCompleteLog("left out", "\n".join([*answer["skipped"], ""]))
        asked = [answer.get("builds") or [], answer.get("boots") or []]
        if not any(asked):
            return
        self.lost = asked == self.before
        if not self.lost:
            what = "boots" if asked[1] else "kernel"
            self.build.addStepsAfterCurrentStep([
                Wanted(*asked, name=f"{what} to search with"),
                Search(asked, name="search"),
            ])  # fmt: skip

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return what was found, or what comes next."""
        if code != ExitCode.OK:
            return super().describe(code, answer, stderr, seconds)
        boots = answer.get("boots") or ()
        next_ = [f"{len(boots)} boots of {boots[0]['kernel_name']}"] if boots else []
        next_ += [b["label"] for b in answer.get("builds") or ()]
        if self.lost:
            return f"{self.subject}: not on record after it was asked for: {next_[0]}"
        commits = [
            f"comparison {number}: {' or '.join(c[:12] for c in row['commits'])}"
            for number, row in (answer.get("found") or {}).items()
        ]
        for number, fix in (answer.get("fixed") or {}).items():
            named = " or ".join(c[:12] for c in fix)
            commits.append(f"comparison {number}: {f'fixed by {named}' if fix else 'no fix'}")
        left = f"{len(answer['skipped'])} left out" if answer.get("skipped") else ""
        parts = [*commits, *next_, left]
        return f"{self.subject}: {', '.join(filter(None, parts)) or 'nothing to search'}"


class Wanted(FanOut):
    """What a search asks for: a kernel, or boots and the kernels that may come after them.

    The record is its result, and one that fails is a warning.
    """

    def __init__(
        self,
        builds: Sequence[Mapping[str, Any]],
        boots: Sequence[Mapping[str, Any]],
        **kwargs: Any,
    ):
        common: Request = {"purpose": Purpose.EXPLAIN.value, "plan": None}
        # Nothing of a plan is run on a kernel.
        plain: Request = {
            **{"watched": None, "series": None, "application": "none", "variant": DEFAULT},
            **{"compared_with": [], "benchmarks": None, "knobs": {}},
        }
        requests: list[Request] = [
            *({**common, "knobs": {}, "pinned": None, **one} for one in boots),
            *({**common, **plain, **one} for one in builds),
        ]
        what = "boots" if boots else "kernel"
        super().__init__("kernels", lambda _properties: requests, what=what, **kwargs)

    def scheduler_of(self, request: Request) -> str:
        """Return what the request is for: a boot has a seed."""
        return "boards" if "seed" in request else self.scheduler

    async def conclude(self, results: int, children: list[Child]) -> int:
        """Grade what came of it."""
        return grade(await super().conclude(results, children), children)
