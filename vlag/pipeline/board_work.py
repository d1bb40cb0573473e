# SPDX-License-Identifier: GPL-2.0-only
"""What the boards of each branch have to run: how many benchmarks a night, and how many a push."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from vlag.config import Branch, Settings
from vlag.config.catalogue import FARM, Catalogue
from vlag.config.settings import DEFAULT

#: So few benchmarks a night are a fault of the settings where the plan for hardware has more.
FEW = 1
#: Plans of a night and a push for boards of hardware; others are made for virtual boards.
FARM_NIGHT, FARM_PUSH = f"{FARM}nightly", f"{FARM}commit"


@frozen(kw_only=True)
class BoardWork:
    """What one branch runs on one type of boards; a benchmark counts once for its parameters."""

    tree: str
    branch: str
    series: str | None
    variant: str
    board_type: str
    night: int
    push: int | None  # None: pushes to the branch are not tested
    # What the farm's plans have for these boards, where the branch's have too little.
    farm_night: int | None = None
    farm_push: int | None = None

    @property
    def label(self) -> str:
        """Return whose work it is, for people."""
        series = "" if self.series is None else f" + {self.series}"
        variant = "" if self.variant == DEFAULT else f", {self.variant}"
        return f"{self.tree}/{self.branch}{series}{variant}"

    @property
    def warning(self) -> str | None:
        """Return a sentence with what to write into the settings; None: nothing is wrong."""
        if self.farm_night is None:
            return None
        push = "" if self.push is None else f" and {self.push} a push"
        night = f"{self.night} benchmark{'' if self.night == 1 else 's'} a night"
        return (
            f"{self.label} on {self.board_type}: only {night}{push}; take it out of"
            f' board_types, and add a [[branches]] with board_types = ["{self.board_type}"],'
            f' plan = "{FARM_NIGHT}" and commit_plan = "{FARM_PUSH}", which have {self.farm_night}'
            f" and {self.farm_push}"
        )


def board_work(settings: Settings, catalogue: Catalogue) -> list[BoardWork]:
    """Return what each branch runs on each of its board types, in the order of the settings."""
    return list(_works(settings.branches, catalogue))


def _works(branches: Iterable[Branch], catalogue: Catalogue) -> Iterator[BoardWork]:
    for watched in branches:
        pushed = watched.series is None and watched.variant == DEFAULT
        for name in catalogue.types_of(watched.board_types):
            night = catalogue.benchmarks_of(watched.plan, name)
            push = catalogue.benchmarks_of(watched.commit_plan, name) if pushed else None
            farm = [catalogue.benchmarks_of(plan, name) for plan in (FARM_NIGHT, FARM_PUSH)]
            few = night <= FEW and farm[0] > night
            idle = push == 0 and farm[1] > 0
            yield BoardWork(
                tree=watched.tree, branch=watched.branch, series=watched.series,
                variant=watched.variant, board_type=name, night=night, push=push,
                farm_night=farm[0] if few or idle else None,
                farm_push=farm[1] if few or idle else None,
            )  # fmt: skip


def text(works: Sequence[BoardWork]) -> str:
    """Return a line for each branch, and one for each warning."""
    by_branch: dict[str, list[str]] = {}
    for w in works:
        push = "" if w.push is None else f" + {w.push}"
        by_branch.setdefault(w.label, []).append(f"{w.board_type} {w.night}{push}")
    lines = ["benchmarks a night + a push:"]
    lines += [f"  {branch}: {', '.join(counts)}" for branch, counts in by_branch.items()]
    return "\n".join([*lines, *(f"warning: {w.warning}" for w in works if w.warning)])
