# SPDX-License-Identifier: GPL-2.0-only
"""Confirmation of suspected changes with a rerun of both kernels in alternation.

Each round doubles the boots while a suspicion stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from buildbot.process.properties import Properties
from buildbot.process.results import CANCELLED, SUCCESS, WARNINGS

from master.comparison_steps import comparison_step
from master.kernel import run_request
from master.reports import earlier
from master.steps import VlagCommand, skipped
from master.triggers import Child, FanOut, Request, grade
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.model import Outcome, Purpose
from vlag.pipeline import confirmation

Finding = Mapping[str, Any]
Kept = Mapping[str, Any]  # a kernel with what became of it
Again = Callable[[Finding, Request], list[str]]  # benchmarks of a finding on a request's kernel

_KEPT = ("outcome", "reason", "gate_outcome", "kernel", "build_bundle")


def keep(step: FanOut, children: Iterable[Child]) -> None:
    """Keep the results of kernels for later comparisons."""
    kernels = [
        {"request": child.request, "results": child.results}
        | {key: child.properties.get(key) for key in _KEPT}
        for child in children
    ]
    known = step.getProperty("kernels") or []
    step.setProperty("kernels", [*known, *kernels], step.name)


def kept(step: FanOut) -> list[Child]:
    """Return the kernels that `keep` has kept."""
    return [_child(kernel) for kernel in step.getProperty("kernels") or ()]


def reruns_of(catalogue: Catalogue, worth: Callable[[Finding], Sequence[str]]) -> Again:
    """Return what says which benchmarks of a screen's finding its plan boots again."""

    def again(finding: Finding, new: Request) -> list[str]:
        place = new["plan"], finding["board_type"]
        return confirmation.due(catalogue, *place, worth(finding), 1, new["knobs"])

    return again


def confirm_steps(catalogue: Catalogue, worth: Callable[[Finding], Sequence[str]]) -> list[object]:
    """Return one step per confirmation round of the plans.

    `worth` returns the benchmarks of a screen's finding that get a rerun.
    """
    rounds = confirmation.rounds(catalogue.plans.values())
    return [Confirm(catalogue, number, worth) for number in range(1, rounds + 1)]


class Watch(VlagCommand):
    """`vlag watch`: change points suspected in histories get a rerun like those of a screen.

    If this step fails, the night continues.
    """

    retries = False

    def __init__(self, **kwargs: Any):
        super().__init__(
            ["watch", "--format", "json"],
            subject="histories",
            name="watch",
            flunkOnFailure=False,
            warnOnWarnings=False,
            **kwargs,
        )

    async def call(self, arguments: Sequence[Any]) -> int:
        """Run the command; any failure is a warning here."""
        result = await super().call(arguments)
        return result if result in (SUCCESS, CANCELLED) else WARNINGS

    async def heard(self, answer: Mapping[str, Any], stdout: str) -> None:
        """Keep the kernels to boot again and the findings behind them."""
        kernels, findings = [], []
        for pair in answer.get("schedule") or ():
            sides = [_seen(pair[side], pair) for side in ("base", "new")]
            kernels += sides
            findings.append(
                {
                    "base_key": sides[0]["request"]["key"],
                    "new_key": sides[1]["request"]["key"],
                    "role": None,
                    "stage": "screen",
                    "round": None,
                    "board_type": pair["board_type"],
                    "suspects": pair["suspects"],
                    "proof": pair["proof"],
                }
            )
        for name, more in (("kernels", kernels), ("findings", findings)):
            self.setProperty(name, [*(self.getProperty(name) or []), *more], "vlag watch")

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return a summary of the histories."""
        if code != ExitCode.OK:
            return super().describe(code, answer, stderr, seconds)
        return (
            f"{answer.get('histories', 0)} histories: {len(answer.get('found') or ())} new change"
            f" points, {len(answer.get('schedule') or ())} pairs of kernels to boot again"
        )


def _seen(side: Mapping[str, Any], pair: Mapping[str, Any]) -> Kept:
    """Return a kernel from an earlier night in the form of a kernel of this night."""
    request = {
        "key": f"history {side['kernel']}",
        "kernel_name": side["name"],
        "purpose": Purpose.NIGHT.value,
        "plan": pair["plan"],
        "knobs": {},
    }
    return {
        "request": request,
        "results": SUCCESS,
        "outcome": Outcome.COMPLETE.value,
        "kernel": side["kernel"],
        "build_bundle": side["bundle"],
    }


class Confirm(FanOut):
    """One round of a rerun for suspected or open changes, then their comparisons."""

    def __init__(
        self, catalogue: Catalogue, number: int, worth: Callable[[Finding], Sequence[str]]
    ):
        super().__init__(
            "boards",
            lambda properties: rerun_boots(catalogue, self.left(properties), number),
            what="rerun boots",
            name="confirm" if number == 1 else f"confirm {number}",
            doStepIf=lambda step: bool(step.left(step.build.getProperties())),
            hideStepIf=skipped,
            warnOnWarnings=False,  # the step `verdict` or the report shows it
        )
        self.catalogue = catalogue
        self.round = number
        self.worth = worth

    def left(self, properties: Properties) -> list[tuple[Finding, list[str], Child, Child]]:
        """Return the findings of this round with their benchmarks, base and new kernel."""
        kernels = {k["request"]["key"]: k for k in properties.getProperty("kernels") or ()}
        doubtful = []
        # Those that a report already has are settled.
        for finding in (properties.getProperty("findings") or ())[earlier(properties)[1] :]:
            names = list(self._doubtful(finding))
            sides = [kernels[finding[key]] for key in ("base_key", "new_key")] if names else []
            if names:  # the plan may have no rerun for a benchmark
                request = sides[1]["request"]
                place = request["plan"], finding["board_type"]
                names = confirmation.due(
                    self.catalogue, *place, names, self.round, request["knobs"]
                )
            if names:
                doubtful.append((finding, names, _child(sides[0]), _child(sides[1])))
        return doubtful

    def _doubtful(self, finding: Finding) -> Sequence[str]:
        """Return the benchmarks of a finding that are still open in this round."""
        if self.round == 1:
            return self.worth(finding) if finding["stage"] == "screen" else []
        before = finding["stage"] == "confirm" and finding["round"] == self.round - 1
        return finding.get("open") or [] if before else []

    async def conclude(self, results: int, children: list[Child]) -> int:
        """Compare the open benchmarks; a kernel failure is a result."""
        await super().conclude(results, children)
        steps = [
            comparison_step(
                base,
                new,
                finding["board_type"],
                benchmarks=names,
                stage="confirm",
                round_=self.round,
                warnOnWarnings=False,
            )
            for finding, names, base, new in self.left(self.build.getProperties())
        ]
        if steps:
            self.build.addStepsAfterCurrentStep(steps)
        return grade(results, children)


def _child(kept: Kept) -> Child:
    return Child(request=kept["request"], results=kept["results"], properties=kept)


def rerun_boots(
    catalogue: Catalogue,
    left: Iterable[tuple[Finding, list[str], Child, Child]],
    number: int,
) -> list[Request]:
    """Return the boots of a round, as `confirmation.alternating` orders them.

    On a deterministic board, runs that several findings request are made once, because a
    repetition gives identical values.
    """
    requests: dict[tuple[Any, ...], Request] = {}
    for finding, names, base, new in left:
        once = catalogue.board_type(finding["board_type"]).deterministic
        place = new.request["plan"], finding["board_type"]
        runs = confirmation.reruns(catalogue, *place, names, number, new.request["knobs"])
        for run, child in confirmation.alternating(runs, base, new):
            kept = {**child.request, **child.properties}
            if kept["purpose"] != Purpose.PERSON:
                kept["purpose"] = Purpose.CONFIRM.value
            request = run_request(kept, run)
            named = ("build_bundle", "benchmark", "board_type", "seed")
            key = (*(request[k] for k in named), str(request["parameters"]), str(request["knobs"]))
            requests.setdefault(key if once else (len(requests),), request)
    return list(requests.values())
