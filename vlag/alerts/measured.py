# SPDX-License-Identifier: GPL-2.0-only
"""Which figures are measured now: by the settings, plans and catalogue of the last night."""

from __future__ import annotations

from collections.abc import Iterable, Set
from fnmatch import fnmatchcase

from attrs import define, field

from vlag.config.catalogue import Catalogue
from vlag.store import nights
from vlag.store.database import Connection
from vlag.store.findings import PARENT
from vlag.store.judged import Pair, Row
from vlag.store.nights import NightBranch


@define(kw_only=True)
class Measured:
    """What the last night was to measure; all is measured where no night has kept that."""

    conn: Connection
    catalogue: Catalogue
    _watched: list[NightBranch] | None = field(init=False)
    _known: dict[tuple[str, str], bool] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        """Read it from the record."""
        night = nights.newest(self.conn)
        rows = [] if night is None else list(night.branches)
        kept = bool(rows) and all("plans" in row for row in rows)
        self._watched = rows if kept else None

    def watches(self, tree: str, branch: str) -> bool:
        """Return whether a branch is watched, or nobody knows."""
        return self._watched is None or any(_fits(w, tree, branch) for w in self._watched)

    def why_not(self, pair: Pair, row: Row, *, exactly: bool = True) -> str | None:
        """Return why a figure of a watched branch is not measured any more; None: it is.

        Unless `exactly`, with other parameters it still is.
        """
        if self._watched is None or pair.role is None or pair.branch is None or pair.synthetic:
            return None
        watched = [w for w in self._watched if _fits(w, pair.tree, pair.branch)]
        if not watched:
            was = self._was_watched(pair.tree, pair.branch)
            return f"{pair.tree}/{pair.branch} is not watched any more" if was else None
        watched = [w for w in watched if pair.board_type in w["board_types"]]
        if not watched:
            return f"{pair.tree}/{pair.branch} does not run on {pair.board_type} any more"
        plans = {name for w in watched for name in w["plans"]}
        if pair.role == PARENT and pair.plan is not None and pair.plan not in plans:
            return None  # a person chose another plan for the commit
        return self._why_not_planned(plans, pair.board_type, row, exactly=exactly)

    def _why_not_planned(
        self, plans: Set[str], board_type: str, row: Row, *, exactly: bool
    ) -> str | None:
        benchmark = self.catalogue.benchmarks.get(row.benchmark)
        if benchmark is None or benchmark.metric(row.metric) is None:
            return f"the catalogue has no {row.benchmark} {row.metric} any more"
        entries = [
            entry
            for plan in plans & self.catalogue.plans.keys()
            for entry in self.catalogue.plans[plan].entries
            if entry.benchmark == row.benchmark and board_type in entry.board_types
        ]
        if not entries:
            return f"no plan runs {row.benchmark} on {board_type} any more"
        if not exactly or dict(row.parameters) in [
            {**benchmark.parameters, **e.parameters} for e in entries
        ]:
            return None
        given = " ".join(f"{k}={v}" for k, v in sorted(row.parameters.items()))
        return f"no plan runs {row.benchmark} with {given} on {board_type} any more"

    def _was_watched(self, tree: str, branch: str) -> bool:
        """Return whether some earlier night was to measure a branch."""
        key = (tree, branch)
        if key not in self._known:
            row = self.conn.execute(
                "SELECT EXISTS (SELECT FROM night n, jsonb_array_elements(n.branches) w"
                " WHERE w ->> 'tree' = %s AND read_model.fits(%s, w ->> 'branch'))",
                key,
            ).fetchone()
            self._known[key] = bool(row and row[0])
        return self._known[key]


def last_figure(every: Iterable[Row]) -> str:
    """Return the worst figure that was measured last, in words."""
    rows = [r for r in every if r.effect is not None]
    if not rows:
        return "it has no figure"
    worst = max(rows, key=lambda r: r.worsening or 0.0)
    return f"last {worst.name} {100 * (worst.effect or 0.0):+.1f} %, comparison {worst.comparison}"


def _fits(watched: NightBranch, tree: str, branch: str) -> bool:
    return watched["tree"] == tree and fnmatchcase(branch, watched["branch"])
