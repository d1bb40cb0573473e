"""Builder `nightly`: compare all candidates of all watched branches in one report."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from attrs import evolve
from buildbot.plugins import util
from buildbot.process.properties import Properties

from master.comparisons import BASELINE, comparison_steps
from master.confirm import Watch, confirm_steps, keep
from master.kernel import SHORT_MAX_S, kernel_request
from master.notify import NotifyNight
from master.profile import Explain
from master.steps import Estimate, Report
from master.trees import pattern_heads
from master.triggers import Child, Kernels, Request
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.model import Purpose
from vlag.pipeline.night import plan_night


def night_steps(settings: Settings, catalogue: Catalogue) -> list[object]:
    """Estimate the night, build and run its kernels, compare them, write the report."""

    async def requests(_properties: Properties) -> list[Request]:
        return night_requests(settings, catalogue, await pattern_heads(settings))

    @util.renderer
    def path(_properties: Properties) -> str:
        return str(settings.state / "reports" / f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}.txt")

    @util.renderer
    def notes(properties: Properties) -> list[str]:
        return night_notes(properties, time.time())

    def over(step: Report | NotifyNight) -> bool:
        # A night that will be retried or was stopped has no report yet.
        return step.build.results not in (util.RETRY, util.CANCELLED)

    return [
        Estimate(name="estimate", maxTime=SHORT_MAX_S),
        Kernels("kernels", requests, learn=_compare, name="kernels", warnOnWarnings=True),
        Watch(maxTime=SHORT_MAX_S),
        *confirm_steps(catalogue, worth_confirming),
        Report(
            path,
            notes=notes,
            name="report",
            maxTime=SHORT_MAX_S,
            alwaysRun=True,  # one refused comparison must not hide the others
            doStepIf=over,
        ),
        # A night without any result also sends a notification.
        NotifyNight(name="notify", maxTime=SHORT_MAX_S, alwaysRun=True, doStepIf=over),
        Explain(settings, catalogue, list, name="profiles"),
    ]


def night_requests(
    settings: Settings, catalogue: Catalogue, heads: Mapping[str, Sequence[str]]
) -> list[Request]:
    """Return the kernels of a night, each with the keys of its bases."""
    night = plan_night(settings, catalogue, heads)
    bases: dict[str, list[str]] = {}
    roles: dict[str, dict[str, str]] = {}
    for pair in night.pairs:
        bases.setdefault(pair.new.key, []).append(pair.base.key)
        # A kernel with knobs is compared with itself without knobs, which is also a candidate.
        if pair.base.key != evolve(pair.new, knobs={}).key:
            roles.setdefault(pair.new.key, {})[pair.base.key] = BASELINE
    return [
        {
            **kernel_request(
                kernel, purpose=Purpose.NIGHT.value, compared_with=bases.get(kernel.key, [])
            ),
            "roles": roles.get(kernel.key, {}),
        }
        for kernel in night.kernels
    ]


def worth_confirming(finding: Mapping[str, Any]) -> list[str]:
    """Return the benchmarks that a rerun can confirm or refute.

    Hints are left out: this board cannot prove them.  So are changes that a patch header
    predicts: they are intended.
    """
    if finding.get("prediction") is not None:
        return []
    return sorted({*(finding.get("proof") or ()), *(finding.get("better") or ())})


def _compare(step: Kernels, children: list[Child]) -> None:
    keep(step, children)
    if steps := comparison_steps(children, warnOnWarnings=True):
        step.build.addStepsAfterCurrentStep(steps)


def night_notes(properties: Properties, now: float) -> list[str]:
    """Return a summary of the night with its duration and the estimate."""
    get = properties.getProperty
    built, runs = get("kernels_built") or 0, get("runs_done") or 0
    took = (now - get("started", now)) / 60
    said = f"The night: {built} kernels built, {runs} runs"
    if get("estimate_s") is None:
        return [f"{said}; it took {took:.0f} min."]
    return [f"{said}; {get('estimate_s') / 60:.0f} min were expected, it took {took:.0f}."]
