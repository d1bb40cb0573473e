# SPDX-License-Identifier: GPL-2.0-only
"""Builder `nightly`: compare all candidates of all watched branches in one report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from attrs import evolve, frozen
from buildbot.plugins import util
from buildbot.process.buildstep import BuildStep
from buildbot.process.properties import Properties

from master.comparison_steps import BASELINE, comparison_steps, is_early
from master.confirm import Watch, confirm_steps, keep, kept, reruns_of
from master.kernel import SHORT_MAX_S, kernel_request
from master.notify_steps import NotifyNight
from master.profile_steps import Explain
from master.reports import Report
from master.schedulers import WEEKLY
from master.steps import Estimate, skipped
from master.trees import pattern_heads
from master.triggers import Child, Kernels, Request
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.kernel import upstream
from vlag.model import Purpose
from vlag.pipeline import confirmation, night_cut
from vlag.pipeline.night_cut import Part
from vlag.pipeline.night_plan import (
    EARLY_REPORT,
    PROOF_KERNELS,
    PROOF_REPORT,
    Night,
    is_first,
    plan_early,
    plan_night,
)

#: Properties of a night: the requests of its self-proof, and the report of its early part.
PROOF, EARLY = "proof", "early_report"


def night_steps(settings: Settings, catalogue: Catalogue) -> list[object]:
    """Estimate the night, build and run its kernels, compare them, write the report."""
    night = _NightBuild(settings, catalogue)
    return [
        Estimate(options=_week_options, name="estimate", maxTime=SHORT_MAX_S),
        *night.early_part(),
        *night.branches(),
        # The self-proof comes after the report on the branches, which need not wait for it.
        *night.self_proof(),
        # A night without any result also sends a notification.
        NotifyNight(name="notify", maxTime=SHORT_MAX_S, alwaysRun=True, doStepIf=_is_over),
        Explain(settings, catalogue, whole, daily=True, name="profiles"),
    ]


@frozen
class _NightBuild:
    """The parts of a night, each of kernels, their comparisons and a report."""

    settings: Settings
    catalogue: Catalogue

    def early_part(self) -> list[object]:
        """In the first night of an installation somebody waits for a report, of whatever part."""
        return [
            _kernels(self.catalogue, self._early_requests, "early kernels"),
            Report(
                self._report_path(EARLY_REPORT),
                keep=EARLY,
                notes=self._notes(),
                name="early report",
                maxTime=SHORT_MAX_S,
                doStepIf=lambda step: bool(step.getProperty("comparisons")),
                hideStepIf=skipped,
            ),
        ]

    def branches(self) -> list[object]:
        return [
            _kernels(self.catalogue, self._requests, "kernels"),
            Watch(maxTime=SHORT_MAX_S),
            *confirm_steps(self.catalogue, confirmation.of_a_night),
            Report(
                self._report_path(".txt"),
                notes=self._notes(),
                name="report",
                maxTime=SHORT_MAX_S,
                alwaysRun=True,  # one refused comparison must not hide the others
                doStepIf=lambda step: _is_over(step) and (_reports(step) or not _proof(step)),
            ),
        ]

    def self_proof(self) -> list[object]:
        return [
            _kernels(self.catalogue, _proof, "proof kernels"),
            *confirm_steps(self.catalogue, confirmation.of_a_night),
            Report(
                self._report_path(PROOF_REPORT),
                keep="proof_report",
                notes=self._notes(),
                name="proof report",
                maxTime=SHORT_MAX_S,
                alwaysRun=True,
                doStepIf=lambda step: _is_over(step) and bool(_proof(step)),
            ),
        ]

    async def _requests(self, properties: Properties) -> list[Request]:
        """Return the kernels of the branches, and keep those of the self-proof for later."""
        weekly = properties.getProperty(WEEKLY)
        settings = self.settings.of_week() if weekly else self.settings
        night = plan_night(settings, self.catalogue, await pattern_heads(self.settings))
        night = night_cut.without(night, {part.place for part in _cut(properties)})
        requests = night_requests(night)
        later = [request for request in requests if request["key"] in night.proof]
        properties.setProperty(PROOF, later, "night")
        properties.setProperty(PROOF_KERNELS, len(later), "night")
        return [request for request in requests if request["key"] not in night.proof]

    async def _early_requests(self, properties: Properties) -> list[Request]:
        if properties.getProperty(WEEKLY) or not is_first(self.settings):
            return []
        heads = await pattern_heads(self.settings)
        return night_requests(plan_early(self.settings, self.catalogue, heads))

    def _report_path(self, ending: str) -> object:
        """Return a renderer of the path of a report that is written now."""

        @util.renderer
        def path(_properties: Properties) -> str:
            name = f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}{ending}"
            return str(self.settings.state / "reports" / name)

        return path

    def _notes(self) -> object:
        """Return a renderer of the notes of a report that is written now."""

        @util.renderer
        def notes(properties: Properties) -> list[str]:
            now = time.time()
            began = properties.getProperty("started") or now
            return [
                *night_notes(properties, now),
                *cut_notes(properties),
                *upstream_notes(self.settings, began),
            ]

        return notes


@util.renderer
def _week_options(properties: Properties) -> list[str]:
    return ["--weekly"] if properties.getProperty(WEEKLY) else []


def _cut(properties: Properties) -> list[Part]:
    """Return what the night leaves out, as its forecast has chosen it when the night began."""
    forecast = properties.getProperty("forecast") or {}
    return [Part.of_document(part) for part in forecast.get("cut") or ()]


def _is_over(step: Report | NotifyNight) -> bool:
    """Return whether a night has ended; one that will be retried or was stopped has no report."""
    return step.build.results not in (util.RETRY, util.CANCELLED)


def night_requests(night: Night) -> list[Request]:
    """Return the kernels of a night, each with the keys of its bases."""
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


def whole(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the findings without those of the early part, which the night finds again."""
    return [finding for finding in findings if not is_early(finding)]


def upstream_notes(settings: Settings, began: float) -> list[str]:
    """Return what happened to the trees since a day before a night; `began`: Unix time."""
    since = datetime.fromtimestamp(began, UTC) - timedelta(days=1)
    return upstream.sentences(map(settings.mirror, settings.trees), since)


def _kernels(catalogue: Catalogue, requests: Callable[[Properties], Any], name: str) -> Kernels:
    def compare(step: Kernels, children: list[Child]) -> None:
        """Compare the kernels that are ready; their bases may have ended earlier."""
        keep(step, children)
        again = reruns_of(catalogue, confirmation.of_a_night)
        steps = comparison_steps(kept(step), step.ready, again=again, warnOnWarnings=True)
        if steps:
            step.build.addStepsAfterCurrentStep(steps)

    return Kernels("kernels", requests, learn=compare, early=True, name=name, warnOnWarnings=True)


def _proof(source: Properties | BuildStep) -> list[Request]:
    """Return the requests of the kernels of the self-proof."""
    return source.getProperty(PROOF) or []


def _reports(step: BuildStep) -> bool:
    """Return whether anything was compared, or was to be, before the self-proof."""
    return len(step.getProperty("kernels") or ()) > 0


def cut_notes(properties: Properties) -> list[str]:
    """Return what the night has left out to end in time."""
    end = (properties.getProperty("forecast") or {}).get("end")
    said = night_cut.sentence(_cut(properties), end) if end else None
    return [] if said is None else [said]


def night_notes(properties: Properties, now: float) -> list[str]:
    """Return a summary of the night so far with its duration, at its end with the estimate."""
    get = properties.getProperty
    built, runs = get("kernels_built") or 0, get("runs_done") or 0
    took = (now - get("started", now)) / 60
    counts = f"{built} kernels built, {runs} runs"
    if get(PROOF_KERNELS) is None:
        return [
            f"So far: {counts}; it took {took:.0f} min. These are the benchmarks of the plan for"
            " commits, booted once a seed; the whole night follows."
        ]
    if get(PROOF_KERNELS) and not get("report"):
        return [f"So far: {counts}; it took {took:.0f} min. The self-proof follows."]
    counts = f"The night: {counts}"
    if get("estimate_s") is None:
        return [f"{counts}; it took {took:.0f} min."]
    return [f"{counts}; {get('estimate_s') / 60:.0f} min were expected, it took {took:.0f}."]
