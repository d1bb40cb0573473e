# SPDX-License-Identifier: GPL-2.0-only
"""A comparison and its present verdicts, as alerts read them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from datetime import datetime

from attrs import frozen

from vlag.model import canonical_json
from vlag.stats.healing import Estimate, estimate


@frozen(kw_only=True)
class Pair:
    """A comparison, for one of the branches that its new kernel belongs to.

    It is without its verdicts; a rerun counts towards its screen's.
    """

    id: int
    board_type: str
    role: str | None
    synthetic: bool
    plan: str | None
    base_kernel: int
    base_name: str
    baseline: str  # where role is baseline: what the settings call it, else its tree and commit
    base_tree: str
    base_commit: str
    base_series: str | None
    base_application: str
    base_variant: str
    base_knobs: Mapping[str, str]
    new_kernel: int
    new_name: str
    tree: str
    branch: str | None  # None: it belongs to none
    ref: str  # name of the new kernel's first request: a branch, tag or commit
    commit: str
    subject: str
    series: str | None
    application: str
    variant: str
    knobs: Mapping[str, str]
    # In the order of the branch, see the view `kernel_branch`; without one by commit time.
    place: list[int]
    seen_at: datetime  # when its commit came to this place, or was made before
    created_at: datetime

    @functools.cached_property
    def knobs_json(self) -> bytes:
        """The knobs as something to compare by: it is asked for each figure of each derivation."""
        return canonical_json(dict(self.knobs)) if self.knobs else b"{}"


@frozen(kw_only=True)
class Row:
    """A present verdict; a row of the view `verdict`."""

    id: int
    comparison: int
    benchmark: str
    parameters: Mapping[str, str | int]
    metric: str
    statistic: str
    name: str
    unit: str
    latency: bool
    hint: bool
    verdict: str
    screened: str
    standing: str
    base_value: float | None
    new_value: float | None
    effect: float | None
    ci_low: float | None
    ci_high: float | None
    n_base: int
    n_new: int
    worsening: float | None
    screened_effect: float | None  # of the first boots, where a rerun decided
    series_new: int | None
    base_runs: Sequence[int]
    new_runs: Sequence[int]
    conditions: str  # digest of those that its boots share
    mode: str | None  # the boots in a new mode, in words
    chance: bool  # it may be chance among all tests of its night

    @functools.cached_property
    def subject(self) -> tuple[str, bytes, str, str]:
        """What it is about, whatever was compared: benchmark, parameters, metric, statistic."""
        given = tuple((k, type(v), v) for k, v in self.parameters.items())
        return self.benchmark, _as_json(given), self.metric, self.statistic

    @functools.cached_property
    def measured(self) -> Estimate | None:
        """What its boots say of a loss; nothing, where more of them are due."""
        if self.hint or self.standing == "suspected":
            return None
        return estimate(
            self.effect,
            self.ci_low,
            self.ci_high,
            more_is_worse=self.worsening == self.effect,
            conditions=self.conditions,
        )


@functools.lru_cache(maxsize=4096)
def _as_json(given: tuple[tuple[str, type, str | int], ...]) -> bytes:
    """Return parameters as JSON; many rows have the same.  The types part 1 from true."""
    return canonical_json({k: v for k, _type, v in given})
