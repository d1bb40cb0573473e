# SPDX-License-Identifier: GPL-2.0-only
"""Builder `first`: compare two prebuilt kernels before the first night of an installation."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from buildbot.plugins import util
from buildbot.process.buildstep import BuildStep
from buildbot.process.properties import Properties
from buildbot.process.results import SUCCESS

from master.comparison_steps import comparison_steps
from master.confirm import keep, kept
from master.kernel import SHORT_MAX_S, kernel_request
from master.reports import Report
from master.triggers import Child, Kernels, Request
from vlag.config import First, Settings
from vlag.config.catalogue import Catalogue
from vlag.model import Purpose
from vlag.pipeline.forecast import of_prebuilt
from vlag.pipeline.night_plan import Asked, board_groups

#: The scheduler by which the service asks for it.
FIRST_NOW = "first-now"


def first_steps(first: First, catalogue: Catalogue, settings: Settings) -> list[object]:
    """Fetch and run both kernels, compare them and write a report; nothing is rerun."""

    def requests(_properties: Properties) -> list[Request]:
        return first_requests(first, catalogue)

    @util.renderer
    def path(_properties: Properties) -> str:
        name = f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}.txt"
        return str(settings.state / "reports" / "first" / name)

    return [
        Foresee(first, catalogue, settings, name="forecast"),
        Kernels(
            "kernels", requests, learn=_compare, early=True, name="kernels", warnOnWarnings=True
        ),
        Report(path, name="report", maxTime=SHORT_MAX_S),
    ]


class Foresee(BuildStep):
    """Estimate the first look, for those who wait for it."""

    def __init__(self, first: First, catalogue: Catalogue, settings: Settings, **kwargs: Any):
        super().__init__(**kwargs)
        self.first = first
        self.settings = settings
        self.catalogue = catalogue

    async def run(self) -> int:
        """Keep the forecast as a property."""
        requests = first_requests(self.first, self.catalogue)
        runs_of = {r["key"]: (r["plan"], r["board_types"]) for r in requests}
        forecast = of_prebuilt(self.settings, self.catalogue, runs_of)
        self.setProperty("forecast", forecast.document(datetime.now(UTC)), self.name)
        return SUCCESS


def first_requests(first: First, catalogue: Catalogue) -> list[Request]:
    """Return baseline and branch, per group of board types that share an image.

    No branch is watched: the comparison has no role, so it opens no alert and is no branch's
    state.
    """
    requests = []
    for group in board_groups(catalogue, first.plan, catalogue.types_of(first.board_types)):
        base, new = (
            Asked(
                tree=first.tree,
                ref=ref,
                branch=None,
                plan=first.plan,
                board_types=group,
                label=f"{first.tree} {ref}",
            )
            for ref in (first.baseline, first.branch)
        )
        purpose = Purpose.PERSON.value
        requests.append(kernel_request(base, purpose=purpose, compared_with=[]))
        requests.append(kernel_request(new, purpose=purpose, compared_with=[base.key]))
    return requests


def _compare(step: Kernels, children: list[Child]) -> None:
    keep(step, children)
    if steps := comparison_steps(kept(step), step.ready, warnOnWarnings=True):
        step.build.addStepsAfterCurrentStep(steps)
