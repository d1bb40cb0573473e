# SPDX-License-Identifier: GPL-2.0-only
"""Which commits account for what the heads of a branch have lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from attrs import define, field

from vlag.alerts.causes import Culprit, Finding, Scope, figure, is_worse
from vlag.alerts.moved import Moved
from vlag.alerts.recovered import TakenBack
from vlag.stats import severity
from vlag.stats.attribution import LEAST_SHARE
from vlag.store import findings
from vlag.store.database import Connection
from vlag.store.judged import Pair


@define(kw_only=True)
class Accounts:
    """What commits account for, by their comparisons with their parents."""

    conn: Connection
    moved: Moved
    pairs: Mapping[Culprit, Sequence[Pair]]
    findings: Mapping[Culprit, Sequence[Finding]]  # their own regressions
    gone: Set[Culprit]  # those whose alert was withdrawn
    back: Mapping[Culprit, TakenBack]  # what later commits have taken back
    _lost: dict[Culprit, dict[tuple[str, str], float]] = field(factory=dict)

    def culprits_of(self, scope: Scope, losses: Sequence[Finding]) -> dict[int, list[Culprit]]:
        """Return which commits account for which findings of heads, by the ids of their rows."""
        if not losses:
            return {}
        by = {
            c: f for c, f in self.findings.items() if _may_explain(c, self.pairs[c], scope, losses)
        }
        for culprit in by.keys() - self._lost.keys():
            self._lost[culprit] = _lost(self.conn, self.pairs[culprit])
        known: dict[int, list[Culprit]] = {}
        # What a later commit has lost is not an older loss that came back after its end.
        for gone in (False, True):
            some = {c: f for c, f in by.items() if (c in self.gone) is gone}
            left = [f for f in losses if f.row.id not in known]
            more = _explained(left, some, self._lost, self._may)
            known |= {
                id_: self._newest(culprits) if gone else culprits for id_, culprits in more.items()
            }
        return known

    def _newest(self, culprits: Sequence[Culprit]) -> list[Culprit]:
        """Return the last of those whose loss had ended: one that comes back is enough."""
        return [max(culprits, key=lambda c: max((p.place for p in self.pairs[c]), default=[]))]

    def _may(self, culprit: Culprit, finding: Finding) -> bool:
        """Return whether a head may have what a commit lost."""
        since = self.moved.dropped(culprit, finding.pair.branch)
        if since is not None and finding.pair.place[0] >= since:
            return False
        # A head that was not compared with its parent may have lost it again.
        return self.back[culprit].leaves(finding) or not findings.with_parent(
            self.conn, finding.pair
        )


def _lost(conn: Connection, pairs: Sequence[Pair]) -> dict[tuple[str, str], float]:
    """Return what a commit has lost at each place where it was compared with its parent.

    The newest verdict of each statistic counts, and the largest loss of a place, as a log ratio:
    0 where it was decided that nothing was lost, the best estimate where nothing was decided.
    `pairs` are in the order of their making.
    """
    by_id = {pair.id: pair for pair in pairs}
    newest: dict[tuple[object, ...], tuple[tuple[str, str], float]] = {}
    for row in findings.rows(conn, list(by_id)):
        pair, change = by_id[row.comparison], severity.log_ratio(row.effect)
        if row.effect is None or row.hint:
            continue
        worse = is_worse(row) is not False and (row.worsening or 0.0) > 0
        newest[figure(pair, row)] = (pair.board_type, row.benchmark), change if worse else 0.0
    sizes: dict[tuple[str, str], float] = {}
    for place, size in newest.values():
        sizes[place] = max(sizes.get(place, 0.0), size)
    return sizes


def _explained(
    losses: Sequence[Finding],
    by: Mapping[Culprit, Sequence[Finding]],
    sizes: Mapping[Culprit, Mapping[tuple[str, str], float]],
    may: Callable[[Culprit, Finding], bool],
) -> dict[int, list[Culprit]]:
    """Return which commits account for which of `losses`, by the ids of their rows.

    `by` are the commits' own regressions, `sizes` what each of them lost by place (see `_lost`);
    `may` says whether a head can have a commit's loss.
    Commits account for a change if together they lost at least `LEAST_SHARE` of it there.  Where
    no commit's regression is proven, one that is proven elsewhere counts with what it seems to
    have lost there, if that is at least `LEAST_SHARE` of its loss elsewhere, or with its loss
    elsewhere if nothing has measured it there.
    """
    proven: dict[tuple[str, str], dict[Culprit, float]] = {}
    anywhere: dict[str, dict[Culprit, float]] = {}
    for culprit, own in by.items():
        for f in own:
            for sizes_of in (
                proven.setdefault(f.place, {}),
                anywhere.setdefault(f.row.benchmark, {}),
            ):
                sizes_of[culprit] = max(sizes_of.get(culprit, 0.0), f.size)
    worst: dict[tuple[str, str], float] = {}
    for f in losses:
        worst[f.place] = max(worst.get(f.place, 0.0), f.size)
    accounts: dict[int, list[Culprit]] = {}
    for f in losses:
        culprits = {c: size for c, size in proven.get(f.place, {}).items() if may(c, f)}
        if not culprits:
            elsewhere = {c: s for c, s in anywhere.get(f.row.benchmark, {}).items() if may(c, f)}
            seems = {c: sizes[c].get(f.place, size) for c, size in elsewhere.items()}
            culprits = {c: s for c, s in seems.items() if s >= LEAST_SHARE * elsewhere[c]}
        if culprits and sum(culprits.values()) >= LEAST_SHARE * worst[f.place]:
            accounts[f.row.id] = [*culprits]
    return accounts


def _may_explain(
    culprit: Culprit, its: Sequence[Pair], scope: Scope, losses: Iterable[Finding]
) -> bool:
    """Return whether a commit may be in the heads of a scope that show something."""
    heads = [f.pair.place for f in losses]
    own = [p.place for p in its if p.branch == scope.branch]
    return (
        bool(heads and own)
        and (culprit.tree, culprit.series, culprit.application, culprit.synthetic)
        == (scope.tree, scope.series, scope.application, scope.synthetic)
        and min(own) <= max(heads)
    )
