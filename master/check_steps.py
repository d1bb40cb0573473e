# SPDX-License-Identifier: GPL-2.0-only
"""Builder `check`: scheduled board checks, one boot of the baseline kernel on every board."""

from __future__ import annotations

from buildbot.process.properties import Properties

from master.kernel import kernel_request
from master.triggers import Child, Kernels, Request
from vlag.config import MERGE_BASE, Settings, baseline_of
from vlag.config.catalogue import Catalogue
from vlag.model import Purpose
from vlag.operate.farm.board_checks import PLAN
from vlag.pipeline.night_plan import Asked, board_groups


def check_steps(settings: Settings, catalogue: Catalogue) -> list[object]:
    """Build the baseline if it is missing, and boot it on every board that has a check."""

    def requests(_properties: Properties) -> list[Request]:
        return check_requests(settings, catalogue)

    def learn(step: Kernels, children: list[Child]) -> None:
        """Keep nothing: the steps of each run evaluate its board."""

    return [
        Kernels(
            "kernels",
            requests,
            learn=learn,
            name="kernels",
            what="baselines",
            warnOnWarnings=True,
        )
    ]


def check_requests(settings: Settings, catalogue: Catalogue) -> list[Request]:
    """Return the baseline of the first watched branch with a tag, once per kind of image.

    All checks use one kernel, because the checks of a board are compared with each other.
    """
    tagged = (b for b in settings.branches if not b.baseline.startswith(MERGE_BASE))
    first = next(tagged, settings.branches[0])
    baseline = baseline_of(first.baseline, first.branch, first.branch)
    there = {board.board_type for board in catalogue.boards}
    requests = []
    for group in board_groups(catalogue, PLAN, sorted(there)):
        asked = Asked(
            tree=first.base_tree,
            ref=baseline,
            branch=None,
            plan=PLAN,
            board_types=group,
            label=f"check with {baseline}",
        )
        requests.append(kernel_request(asked, purpose=Purpose.CONFIRM.value, compared_with=[]))
    return requests
