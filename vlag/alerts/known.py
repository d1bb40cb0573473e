# SPDX-License-Identifier: GPL-2.0-only
"""The alerts on record, by what they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attrs import define, evolve, field, frozen

from vlag.alerts.causes import Culprit, Scope
from vlag.alerts.lifecycle import withdraw
from vlag.alerts.moved import Moved
from vlag.model import digest
from vlag.store import alerts, changes, findings, kernels
from vlag.store.alerts import REGRESSION, SLOW, Alert, Ground
from vlag.store.database import Connection
from vlag.store.findings import PARENT
from vlag.store.judged import Pair


@frozen(kw_only=True)
class Standing:
    """An alert that nothing has withdrawn, and what it stands on."""

    alert: Alert
    scopes: frozenset[Scope]
    pairs: tuple[Pair, ...]
    places: frozenset[tuple[str, str]]  # board type and benchmark
    parts: frozenset[tuple[Scope, str]]  # the heads of which it tells, and the benchmark
    verdicts: frozenset[int]

    @property
    def benchmarks(self) -> set[str]:
        """Return the benchmarks whose figures it tells."""
        return {benchmark for _board_type, benchmark in self.places}

    def pairs_of(self, scope: Scope) -> list[Pair]:
        """Return its comparisons in a scope."""
        return [p for p in self.pairs if p.role != PARENT and Scope.of(p) == scope]


def of_alert(standing: Iterable[Standing], known: Alert | None) -> Standing | None:
    """Return what an alert stands on; None where it does not stand."""
    return next((s for s in standing if known is not None and s.alert.id == known.id), None)


@define(kw_only=True)
class Known:
    """The alerts about regressions, by their causes."""

    conn: Connection
    moved: Moved
    #: The alerts of commits by the keys that were asked for; None: there is none.
    _by_key: dict[str, Alert | None] = field(factory=dict)

    def standing(self, concerned: Callable[[Alert], bool] = lambda _alert: True) -> list[Standing]:
        """Return those of the `concerned` that nothing has withdrawn."""
        known = {a.id: a for a in alerts.standing(self.conn, REGRESSION, SLOW) if concerned(a)}
        grounds = alerts.grounds(self.conn, list(known))
        by_id: dict[int, list[Pair]] = {}
        for p in self.compared(grounds):
            by_id.setdefault(p.id, []).append(p)
        standing = []
        for id_, alert in known.items():
            mine = [g for g in grounds if g.alert == id_]
            every = [by_id[c] for c in dict.fromkeys(g.comparison for g in mine)]
            pairs = tuple(p for its in every for p in self._own(alert, its))
            scopes: dict[int, set[Scope]] = {}
            for p in pairs:
                if p.role != PARENT:
                    scopes.setdefault(p.id, set()).add(Scope.of(p))
            standing.append(
                Standing(
                    alert=alert,
                    pairs=pairs,
                    scopes=frozenset(s for its in scopes.values() for s in its),
                    places=frozenset((g.board_type, g.benchmark) for g in mine),
                    parts=frozenset(
                        (s, g.benchmark) for g in mine for s in scopes.get(g.comparison, ())
                    ),
                    verdicts=frozenset(g.verdict for g in mine),
                )
            )
        return standing

    def _own(self, alert: Alert, its: Sequence[Pair]) -> Sequence[Pair]:
        """Return a comparison as that of an alert's branch; `its`: as those of each branch.

        A commit's alert is of all its branches; the name of an older one may be a tag.
        """
        own = [
            p for p in its
            if alert.role == PARENT or alert.branch in self.moved.names(p.tree, p.branch)
        ]  # fmt: skip
        return own or its

    def compared(self, grounds: Iterable[Ground]) -> list[Pair]:
        """Return the comparisons that the verdicts of alerts are of, each for every branch."""
        return self.moved.pairs(findings.pairs(self.conn, sorted({g.comparison for g in grounds})))

    def blamed_before(self, touched: Iterable[tuple[str, str | None, bool]]) -> set[Culprit]:
        """Return the commits of branches that have or had an alert.

        `touched` are tree, branch, and whether the figures come from a report.
        """
        known = [
            alert
            for tree, branch, synthetic in touched
            if branch is not None
            for name in self.moved.names(tree, branch)
            for alert in alerts.of_commits(self.conn, tree=tree, branch=name or branch)
            if alert.synthetic is synthetic
        ]
        before = self.compared(alerts.grounds(self.conn, [a.id for a in known]))
        return {Culprit.of(p) for p in before if p.role == PARENT}

    def of_culprit(self, culprit: Culprit) -> Alert | None:
        """Return the alert of a commit, whatever it was called; the one that people looked at."""
        return next(iter(self._of_names(culprit)), None)

    def _of_names(self, culprit: Culprit) -> list[Alert]:
        self.read([culprit])
        its = (self._by_key[key] for key in self._keys(culprit))
        named = [alert for alert in its if alert is not None]
        return sorted(named, key=lambda a: (a.withdrawn_at is not None, a.triage == "new", a.id))

    def _keys(self, culprit: Culprit) -> list[str]:
        names = self.moved.commits(culprit)
        return [digest(evolve(culprit, commit=name).words) for name in names]

    def read(self, culprits: Iterable[Culprit]) -> None:
        """Read the alerts of commits, all at once: each is asked for several times."""
        every = dict.fromkeys(key for c in culprits for key in self._keys(c))
        missing = [key for key in every if key not in self._by_key]
        if missing:
            found = {a.key: a for a in alerts.by_keys(self.conn, missing)}
            self._by_key |= {key: found.get(key) for key in missing}

    def note(self, alert: Alert | None) -> None:
        """Take up what was done to the alert of a commit."""
        if alert is None:
            return
        for key, known in self._by_key.items():
            if known is not None and known.id == alert.id:
                self._by_key[key] = None
        self._by_key[alert.key] = evolve(alert, action=None)

    def end_twins(self, culprit: Culprit) -> list[Alert | None]:
        """Withdraw what else is open about a commit: older versions had an alert for each name."""
        same = self._of_names(culprit)
        done = [
            withdraw(self.conn, twin, f"alert {same[0].id} is about the same commit")
            for twin in same[1:]
        ]
        for alert in done:
            self.note(alert)
        return done

    def of_scope(self, scope: Scope, commit: str | None) -> Alert | None:
        """Return the alert of a cause, also one whose key still has what has moved since.

        `commit` is the one with which it began; None: nobody knows.
        """
        known = alerts.by_key(self.conn, digest(scope.words(commit)))
        if known is not None:
            return known
        names = self.moved.names(scope.tree, scope.branch)
        for alert in alerts.of_branch(
            self.conn, tree=scope.tree, names=names, board_type=scope.board_type
        ):
            its = self.compared(alerts.grounds(self.conn, [alert.id]))
            began = None
            if alert.change_point is not None:
                began = kernels.by_id(
                    self.conn, changes.kernel_of(self.conn, alert.change_point)
                ).commit
            if began == commit and scope in {Scope.of(p) for p in its}:
                return alert
        return None
