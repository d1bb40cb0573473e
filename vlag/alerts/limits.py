# SPDX-License-Identifier: GPL-2.0-only
"""How large a loss must be to open an alert, or to keep it open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from functools import partial

from attrs import define, field

from vlag.alerts import body as alertbody
from vlag.alerts.causes import Finding
from vlag.compare import toggle_attribution
from vlag.config import Alerts as Thresholds
from vlag.config.catalogue import Catalogue
from vlag.stats.attribution import Answer, Role
from vlag.store import findings, runs
from vlag.store.alerts import Alert
from vlag.store.database import Connection
from vlag.store.judged import Pair

# Hysteresis, so that a change near a threshold does not come and go: an open alert stays
# open down to this share of the threshold.
KEPT = 0.5


@define(kw_only=True)
class Limits:
    """The thresholds of losses, by their board types and by what is known of their causes."""

    conn: Connection
    catalogue: Catalogue
    thresholds: Thresholds
    _causes: dict[int, Set[str]] = field(factory=dict)  # by comparison
    _toggles: dict[int, Set[str]] = field(factory=dict)  # by verdict: those that account for it
    #: Whether any was tried, by kernel, board type and knobs.
    _tried: dict[tuple[int, str, bytes], bool] = field(factory=dict)

    def of(self, finding: Finding) -> float:
        """Return the threshold of a finding, as its board type resolves changes."""
        limit = self._limit(finding)
        if finding.row.benchmark in self._explained(finding.pair.id):
            return limit(explained=True)
        # A toggle's boots are read only where they decide.
        decides = KEPT * limit(explained=True) <= finding.worsening < limit()
        return limit(explained=decides and bool(self.toggles(finding)))

    def _limit(self, finding: Finding) -> Callable[..., float]:
        board = self.catalogue.board_types.get(finding.pair.board_type)
        benchmark = self.catalogue.benchmarks.get(finding.row.benchmark)
        metric = None if benchmark is None else benchmark.metric(finding.row.metric)
        relevance = None if board is None or metric is None else metric.relevance_on(board)
        return partial(
            self.thresholds.limit,
            latency=finding.row.latency,
            relevance=relevance,
            board=board,
        )

    def least(self, finding: Finding) -> float:
        """Return a threshold that a finding's is not below, whatever is known of its cause."""
        return self._limit(finding)(explained=True)

    def above(self, losses: Iterable[Finding], share: float = 1.0) -> bool:
        """Return whether any change is at least this share of its threshold."""
        return any(f.worsening >= share * self.of(f) for f in losses)

    def keeps(self, known: Alert | None, losses: Sequence[Finding]) -> bool:
        """Return whether a cause has an alert, or will get one."""
        stands = known is not None and known.withdrawn_at is None
        return self.above(losses, KEPT if stands else 1.0)

    def toggles(self, finding: Finding) -> Set[str]:
        """Return the toggles on record that account for a loss."""
        # Where no toggle was tried, no boots need to be read.
        if not self._any_tried(finding.pair):
            return frozenset()
        if finding.row.id not in self._toggles:
            subjects = [alertbody.subject(finding)]
            judged = toggle_attribution.of(self.conn, self.catalogue, finding.pair.id, subjects)
            self._toggles[finding.row.id] = {
                t.name
                for a in judged
                if a.report.answer is Answer.ACCOUNTED
                for t in a.report.toggles
                if t.role is Role.ACCOUNTS
            }
        return self._toggles[finding.row.id]

    def _any_tried(self, pair: Pair) -> bool:
        """Return whether the new kernel of a comparison was booted with other knobs there."""
        key = pair.new_kernel, pair.board_type, pair.knobs_json
        if key not in self._tried:
            self._tried[key] = runs.with_other_knobs(
                self.conn, pair.new_kernel, board_type=pair.board_type, knobs=pair.knobs
            )
        return self._tried[key]

    def _explained(self, comparison: int) -> Set[str]:
        """Return the benchmarks of a comparison whose loss has a cause on record."""
        if comparison not in self._causes:
            self._causes[comparison] = findings.explained(self.conn, comparison)
        return self._causes[comparison]
