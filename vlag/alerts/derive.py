# SPDX-License-Identifier: GPL-2.0-only
"""Derive alerts from the database: open, withdraw and reopen one for each cause.

Alerts depend only on the database, so a second derivation changes nothing, and two
processes that derive at once wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime
from functools import partial
from typing import Any

from attrs import evolve, field, frozen

from vlag.alerts import body as alertbody
from vlag.alerts import causes, outages
from vlag.alerts.accounts import Accounts
from vlag.alerts.causes import Culprit, Finding, Scope
from vlag.alerts.lifecycle import settle, withdraw
from vlag.alerts.measured import Measured, last_figure
from vlag.alerts.moved import Moved
from vlag.alerts.recovered import Recovered
from vlag.alerts.surroundings import Surroundings
from vlag.compare import toggle_attribution
from vlag.config import Alerts as Thresholds
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.model import digest
from vlag.stats.attribution import Answer
from vlag.stats.healing import NOTHING, recovered
from vlag.store import alerts, changes, findings, kernels, renames, runs, statements
from vlag.store.alerts import CLOSED, REGRESSION, SERVICE, SLOW, Alert, Draft, Ground
from vlag.store.changes import Change
from vlag.store.database import Connection
from vlag.store.findings import PARENT, Pair

# Hysteresis, so that a change near a threshold does not come and go: an open alert stays
# open down to this share of the threshold.
KEPT = 0.5
_SMALL = "what is left of it is far below the threshold of an alert"
_EXPLAINED = "a commit that was compared with its parent accounts for it"
_LEFT = "the branch is compared with another baseline now"


@frozen(kw_only=True)
class _Group:
    """Findings of a scope with one cause, worst first."""

    change: Change | None  # None: since the base
    findings: list[Finding] = field(factory=list)


@frozen(kw_only=True)
class _Standing:
    """An alert of a branch, and its state."""

    alert: Alert
    scopes: frozenset[Scope]
    pairs: tuple[Pair, ...]
    benchmarks: frozenset[str]
    verdicts: frozenset[int]


def derive(
    conn: Connection,
    catalogue: Catalogue,
    comparisons: Sequence[int],
    thresholds: Thresholds | None = None,
    around: Surroundings | None = None,
) -> list[Alert]:
    """Open, update, withdraw and reopen alerts, and return the affected ones.

    `comparisons` are the new ones, including those of a rerun.  They only say which branches
    and commits may have changed: the state of each is read from the whole record.  A confirmed
    change of at least a threshold opens an alert (None: the default thresholds); the alert
    stays open until no change of half that size is left.
    `around` is what texts say beside the record (None: nothing).
    Runs in one transaction, or in the caller's.
    """
    with conn.transaction():
        # In this order, as a night does, which says what its figures are before it comes here.
        statements.begin(conn)
        alerts.lock(conn)
        renames.apply(conn, catalogue.benchmarks.values())
        work = _Work(conn, catalogue, thresholds or Thresholds(), around or Surroundings())
        done = work.regressions(findings.pairs(conn, comparisons))
        done += outages.boards(conn)
        done += outages.nights(conn, catalogue)
    return list({alert.id: alert for alert in done}.values())


def of_installation(
    conn: Connection, catalogue: Catalogue, settings: Settings, comparisons: Sequence[int]
) -> list[Alert]:
    """Derive alerts as `derive` does, with thresholds and surroundings of an installation."""
    around = Surroundings.of(settings)
    return derive(conn, catalogue, comparisons, settings.alerts, around)


def rehearse(
    conn: Connection, catalogue: Catalogue, comparisons: Sequence[int], thresholds: Thresholds
) -> list[Alert]:
    """Derive the alerts about regressions in the copy that a connection works on.

    See `vlag.store.rehearsals`.  Their texts are titles.
    """
    work = _Work(conn, catalogue, thresholds, None)
    return work.regressions(findings.pairs(conn, comparisons))


def refresh(
    conn: Connection,
    catalogue: Catalogue,
    since: datetime,
    thresholds: Thresholds | None = None,
    around: Surroundings | None = None,
) -> list[Alert]:
    """Derive the alerts of all comparisons with a baseline or parent made since a time."""
    return derive(conn, catalogue, findings.since(conn, since), thresholds, around)


class _Work:
    """One derivation; it holds the lock."""

    def __init__(
        self,
        conn: Connection,
        catalogue: Catalogue,
        thresholds: Thresholds,
        around: Surroundings | None,
    ) -> None:
        self.conn = conn
        self.catalogue = catalogue
        self.thresholds = thresholds
        self.around = around
        self.measured = Measured(conn=conn, catalogue=catalogue)
        self.moved = Moved(conn=conn, measured=self.measured)
        self.recovered = Recovered(conn=conn, moved=self.moved)
        self._causes: dict[int, Set[str]] = {}  # by comparison
        self._taken_back: dict[int, bool] = {}  # by verdict: by a toggle

    def regressions(self, pairs: Sequence[Pair]) -> list[Alert]:
        """Settle all alerts of the comparisons' branches."""
        pairs = self.moved.pairs(pairs)
        standing = self._standing()
        # What is no longer measured has no new comparison: all that stands is looked at.
        touched = {_where(p) for p in (*pairs, *(p for s in standing for p in s.pairs))}
        culprits = {Culprit.of(p) for p in pairs if p.role == PARENT}
        culprits = self.moved.culprits(culprits | self._blamed_before(touched))
        of_commits = {c: self._of_commit(c) for c in culprits}
        blamed = {c: self._losses(its) for c, its in of_commits.items()}
        blamed = {c: blamed[c] for c in sorted(culprits, key=lambda c: digest(c.words))}
        scopes = {Scope.of(p): p for s in standing for p in s.pairs if p.role != PARENT}
        scopes |= {Scope.of(p): p for p in pairs if p.role != PARENT}
        heads = {s: self._heads(s, p, standing) for s, p in scopes.items()}
        slow = {v for s in standing if s.alert.kind == SLOW for v in s.verdicts}
        losses = {s: self._losses(its, slow) for s, its in heads.items()}
        known = {c: self._known(c) for c in blamed}
        active = {c: f for c, f in blamed.items() if self._keeps(known[c], f)}
        back = {c: self.recovered.taken_back(f) for c, f in active.items()}
        accounts = Accounts(
            conn=self.conn,
            moved=self.moved,
            pairs=of_commits,
            findings=active,
            gone={c for c in active if (k := known[c]) is not None and k.withdrawn_at},
            back=back,
        )
        attached: dict[Culprit, list[Finding]] = {}
        groups: dict[Scope, list[_Group]] = {}
        explained: dict[Scope, dict[str, set[Culprit]]] = {}
        for scope, its in losses.items():
            by = accounts.culprits_of(scope, its)
            for f in its:
                for culprit in by.get(f.row.id, ()):
                    attached.setdefault(culprit, []).append(f)
            explained[scope] = {}
            for f in its:
                if f.row.id in by:
                    explained[scope].setdefault(f.row.benchmark, set()).update(by[f.row.id])
            groups[scope] = self._groups(scope, [f for f in its if f.row.id not in by])
        done = []
        for culprit, of_commit in blamed.items():
            done += self._twins(culprit)
            end = back[culprit].by if culprit in back else None
            seen = attached.get(culprit, [])
            if (reset := self._reset(culprit, of_commits[culprit])) is not None:
                healed: str | None = reset
            elif end is not None and not any(f.pair.place >= end.place for f in seen):
                healed = f"{end.new_name} ({end.commit[:12]}) took it back"
            else:
                healed = self._healed(culprit, of_commit, standing, heads, losses)
            done.append(self._culprit(culprit, of_commit, seen, standing, healed=healed))
        for scope, members in groups.items():
            done += self._scope(scope, members, standing, heads[scope], explained[scope])
        return [a for a in done if a is not None]

    def _heads(self, scope: Scope, pair: Pair, standing: Sequence[_Standing]) -> list[Pair]:
        """Return the comparisons of a scope's heads, the newest last.

        What an open alert was opened by belongs to them, however long ago it was.
        """
        heads = findings.like(self.conn, pair)
        known, now = {p.id for p in heads}, {p.baseline for p in heads}
        before = {
            p.id: p
            for s in standing
            for p in s.pairs
            if p.id not in known and p.baseline in now and Scope.of(p) == scope
        }
        return sorted([*before.values(), *heads], key=lambda p: (p.place, p.id))

    def _blamed_before(self, touched: Iterable[tuple[str, str | None, bool]]) -> set[Culprit]:
        """Return the commits of branches that have or had an alert."""
        known = [
            alert
            for tree, branch, synthetic in touched
            if branch is not None
            for name in self.moved.names(tree, branch)
            for alert in alerts.of_commits(self.conn, tree=tree, branch=name or branch)
            if alert.synthetic is synthetic
        ]
        before = self._compared(alerts.grounds(self.conn, [a.id for a in known]))
        return {Culprit.of(p) for p in before if p.role == PARENT}

    def _compared(self, grounds: Iterable[Ground]) -> list[Pair]:
        """Return the comparisons that the verdicts of alerts are of, each for every branch."""
        return self.moved.pairs(findings.pairs(self.conn, sorted({g.comparison for g in grounds})))

    def _of_commit(self, culprit: Culprit) -> list[Pair]:
        """Return the comparisons of a commit with its parent, by all of its names."""
        return self.moved.pairs(culprit.pairs(self.conn, self.moved.commits(culprit)))

    def _known(self, culprit: Culprit) -> Alert | None:
        """Return the alert of a commit, whatever it was called; the one that people looked at."""
        return next(iter(self._of_names(culprit)), None)

    def _of_names(self, culprit: Culprit) -> list[Alert]:
        keys = [digest(evolve(culprit, commit=name).words) for name in self.moved.commits(culprit)]
        named = [alert for key in keys if (alert := alerts.by_key(self.conn, key)) is not None]
        return sorted(named, key=lambda a: (a.withdrawn_at is not None, a.triage == "new", a.id))

    def _twins(self, culprit: Culprit) -> list[Alert | None]:
        """Withdraw what else is open about a commit: older versions had an alert for each name."""
        same = self._of_names(culprit)
        return [
            withdraw(self.conn, twin, f"alert {same[0].id} is about the same commit")
            for twin in same[1:]
        ]

    def _reset(self, culprit: Culprit, pairs: Sequence[Pair]) -> str | None:
        """Return that all of its branches were reset to before a commit, or None."""
        branches = sorted({p.branch for p in pairs if p.branch is not None})
        if not branches or any(self.moved.dropped(culprit, b) is None for b in branches):
            return None
        names = " and ".join(f"{culprit.tree}/{b}" for b in branches)
        return f"{names} {'was' if len(branches) == 1 else 'were'} reset to before it"

    def _healed(
        self,
        culprit: Culprit,
        of_commit: Sequence[Finding],
        standing: Sequence[_Standing],
        heads: Mapping[Scope, Sequence[Pair]],
        losses: Mapping[Scope, Sequence[Finding]],
    ) -> str | None:
        """Return which head it is that has a commit's regression no longer, or None."""
        mine = _of_alert(standing, self._known(culprit))
        if mine is None:
            return None
        if not mine.scopes:
            head = self.recovered.head_without(of_commit, heads)
            return None if head is None else _healed_by([head])
        left = [f for scope in mine.scopes for f in losses[scope]]
        if self._above([f for f in left if f.row.benchmark in mine.benchmarks], KEPT):
            return None
        seen = [p for scope in mine.scopes for p in heads[scope]]
        return _healed_by(seen) if seen else None

    def _losses(self, pairs: Sequence[Pair], slow: Set[int] = frozenset()) -> list[Finding]:
        """Return what is worse; `slow` are the verdicts of losses that came slowly."""
        losses = causes.regressions(
            self.conn, self.catalogue, pairs, matters=self._limit, grounds=slow
        )
        return [f for f in losses if self.measured.why_not(f.pair, f.row) is None]

    def _above(self, losses: Sequence[Finding], share: float = 1.0) -> bool:
        """Return whether any change is at least this share of its threshold."""
        return any(f.worsening >= share * self._limit(f) for f in losses)

    def _limit(self, finding: Finding) -> float:
        """Return the threshold of a finding, as its board type resolves changes."""
        board = self.catalogue.board_types.get(finding.pair.board_type)
        benchmark = self.catalogue.benchmarks.get(finding.row.benchmark)
        metric = None if benchmark is None else benchmark.metric(finding.row.metric)
        relevance = None if board is None or metric is None else metric.relevance_on(board)
        limit = partial(
            self.thresholds.limit,
            latency=finding.row.latency,
            relevance=relevance,
            board=board,
        )
        if finding.row.benchmark in self._explained(finding.pair.id):
            return limit(explained=True)
        # A toggle's boots are read only where they decide.
        decides = KEPT * limit(explained=True) <= finding.worsening < limit()
        return limit(explained=decides and self._is_taken_back(finding))

    def _explained(self, comparison: int) -> Set[str]:
        """Return the benchmarks of a comparison whose loss has a cause on record."""
        if comparison not in self._causes:
            self._causes[comparison] = findings.explained(self.conn, comparison)
        return self._causes[comparison]

    def _is_taken_back(self, finding: Finding) -> bool:
        """Return whether a toggle on record accounts for a loss."""
        pair = finding.pair
        if finding.row.id not in self._taken_back:
            # Where no toggle was tried, no boots need to be read.
            tried = runs.with_other_knobs(
                self.conn, pair.new_kernel, board_type=pair.board_type, knobs=pair.knobs
            )
            subjects = [alertbody.subject(finding)] if tried else []
            judged = toggle_attribution.of(self.conn, self.catalogue, pair.id, subjects)
            self._taken_back[finding.row.id] = any(
                a.report.answer is Answer.ACCOUNTED for a in judged
            )
        return self._taken_back[finding.row.id]

    def _keeps(self, known: Alert | None, losses: Sequence[Finding]) -> bool:
        """Return whether a cause has an alert, or will get one."""
        stands = known is not None and known.withdrawn_at is None
        return self._above(losses, KEPT if stands else 1.0)

    def _standing(self) -> list[_Standing]:
        """Return the open alerts about regressions, with their verdicts."""
        known = {a.id: a for a in alerts.standing(self.conn, REGRESSION, SLOW)}
        grounds = alerts.grounds(self.conn, list(known))
        by_id: dict[int, list[Pair]] = {}
        for p in self._compared(grounds):
            by_id.setdefault(p.id, []).append(p)
        standing = []
        for id_, alert in known.items():
            mine = [g for g in grounds if g.alert == id_]
            every = [p for c in {g.comparison: None for g in mine} for p in by_id[c]]
            # A commit's alert is of all its branches; the name of an older one may be a tag.
            own = [
                p for p in every
                if alert.role == PARENT or alert.branch in self.moved.names(p.tree, p.branch)
            ]  # fmt: skip
            pairs = tuple(own or every)
            standing.append(
                _Standing(
                    alert=alert,
                    pairs=pairs,
                    scopes=frozenset(Scope.of(p) for p in pairs if p.role != PARENT),
                    benchmarks=frozenset(g.benchmark for g in mine),
                    verdicts=frozenset(g.verdict for g in mine),
                )
            )
        return standing

    def _groups(self, scope: Scope, losses: Sequence[Finding]) -> list[_Group]:
        """Group the remaining findings of a scope by the change points that account for them."""
        steps = causes.steps(self.conn, scope, losses)
        groups: dict[int | None, _Group] = {}
        for finding in losses:
            change = causes.change_of(steps, finding)
            kernel = None if change is None else change.kernel
            groups.setdefault(kernel, _Group(change=change)).findings.append(finding)
        return list(groups.values())

    def _culprit(
        self,
        culprit: Culprit,
        losses: Sequence[Finding],
        attached: Sequence[Finding],
        standing: Sequence[_Standing],
        *,
        healed: str | None,
    ) -> Alert | None:
        known = self._known(culprit)
        if not self._keeps(known, losses):
            mine = _of_alert(standing, known)
            why = None if mine is None else self._why_unmeasured(mine)
            return withdraw(self.conn, known, why or "its boots no longer show that it is worse")
        if healed is not None:
            return withdraw(self.conn, known, healed)
        # What is too small for an alert brings none back.
        gone = None if known is None or self._above(attached) else known.withdrawn_at
        if gone is not None and all(f.pair.created_at <= gone for f in losses):
            return None  # a commit does not change: a finding known before is not new
        title, body = alertbody.of_commit(self.conn, self.catalogue, losses, attached, self.around)
        pair = losses[0].pair
        draft = self._draft(culprit.words, losses, title, body, attached)
        one_board = {f.pair.board_type for f in losses}
        draft = evolve(
            draft,
            role=PARENT,
            board_type=pair.board_type if len(one_board) == 1 else None,
            base_kernel=pair.base_kernel,
            new_kernel=pair.new_kernel,
        )
        # Only a later head can show that a fix did not help.
        seen = causes.newest(attached) if attached else None
        self._unmute(known, [*losses, *attached])
        more = self._more(known, [*losses, *attached])
        return settle(self.conn, known, draft, seen=seen, more=more)

    def _unmute(self, known: Alert | None, losses: Sequence[Finding]) -> None:
        """End the mute of an alert that has grown beyond what was muted."""
        if known is None or known.muted_at is None or known.muted_until is None:
            return
        more = causes.larger(losses, known.muted_at)
        if self._above(more) and known.muted_until > datetime.now(UTC):
            alerts.set_muted(self.conn, known.id, None)
            worst = causes.worst_first(self.catalogue, more)
            why = f"{alertbody.worst(worst)} is more than what was muted"
            alerts.add_event(self.conn, known.id, by=SERVICE, action="unmuted", why=why)

    def _more(self, known: Alert | None, losses: Sequence[Finding]) -> bool:
        """Return whether findings beyond a closed alert would open a new one."""
        if known is None or known.triage not in CLOSED:
            return False
        return self._above(causes.beyond(losses, alerts.grounds(self.conn, [known.id])))

    def _draft(
        self,
        words: Mapping[str, Any],
        losses: Sequence[Finding],
        title: str,
        body: str,
        attached: Sequence[Finding] = (),
    ) -> Draft:
        """Return an alert's draft.

        Its size is that of `losses`.  What is `attached` is on record with it, but a commit is
        not to blame for what a head lost since its baseline before that commit.
        """
        every = [*losses, *attached]
        newest = max((f.pair for f in every), key=lambda p: (p.place, p.id))

        def largest(*, latency: bool) -> float | None:
            return max((f.worsening for f in losses if f.row.latency is latency), default=None)

        return Draft(
            key=digest(words),
            kind=REGRESSION,
            title=title,
            body=body,
            tree=newest.tree,
            branch=newest.branch,
            board_type=newest.board_type,
            base_kernel=newest.base_kernel,
            new_kernel=newest.new_kernel,
            role=newest.role,
            throughput=largest(latency=False),
            latency=largest(latency=True),
            synthetic=newest.synthetic,
            verdicts=tuple(sorted({f.row.id for f in every})),
        )

    def _scope(
        self,
        scope: Scope,
        groups: Sequence[_Group],
        standing: Sequence[_Standing],
        heads: Sequence[Pair],
        explained: Mapping[str, Set[Culprit]],
    ) -> list[Alert | None]:
        """Settle the alerts of a branch on a board type: each group has one alert.

        An open alert of the scope that shares a benchmark with a group belongs to the group,
        whatever cause or baseline was known when it was opened.
        """
        mine = {s.alert.id: s for s in standing if scope in s.scopes and s.alert.role != PARENT}
        merged: dict[int, list[_Group]] = {}
        fresh: list[tuple[Alert | None, _Group]] = []
        for group in groups:
            own = self._earlier(scope, self._commit(group))
            benchmarks = {f.row.benchmark for f in group.findings}
            taken = [i for i, s in mine.items() if s.benchmarks & benchmarks]
            if own is not None and own.withdrawn_at is None:
                merged.setdefault(own.id, []).append(group)
            elif taken:
                merged.setdefault(taken[0], []).append(group)
            else:
                fresh.append((own, group))
        done: list[Alert | None] = []
        for id_, joined in merged.items():
            done.append(self._group(scope, joined, alerts.by_id(self.conn, id_)))
        done += [self._group(scope, [group], own) for own, group in fresh]
        for id_, s in mine.items():
            if id_ not in merged:
                why = self._why_gone(s, heads, explained)
                if why is not None:
                    done.append(withdraw(self.conn, s.alert, why))
        return done

    def _earlier(self, scope: Scope, commit: str | None) -> Alert | None:
        """Return the alert of a cause, also one whose key still has what has moved since."""
        known = alerts.by_key(self.conn, digest(scope.words(commit)))
        if known is not None:
            return known
        names = self.moved.names(scope.tree, scope.branch)
        for alert in alerts.of_branch(
            self.conn, tree=scope.tree, names=names, board_type=scope.board_type
        ):
            its = self._compared(alerts.grounds(self.conn, [alert.id]))
            began = None
            if alert.change_point is not None:
                began = kernels.by_id(
                    self.conn, changes.kernel_of(self.conn, alert.change_point)
                ).commit
            if began == commit and scope in {Scope.of(p) for p in its}:
                return alert
        return None

    def _why_unmeasured(self, standing: _Standing) -> str | None:
        """Return why none of an alert's figures is measured any more, with the last; or None."""
        verdicts = {g.verdict for g in alerts.grounds(self.conn, [standing.alert.id])}
        pairs = {p.id: p for p in standing.pairs}
        rows = [r for r in findings.rows(self.conn, sorted(pairs)) if r.id in verdicts]
        why = [self.measured.why_not(pairs[r.comparison], r) for r in rows]
        if not why or None in why:
            return None
        return f"no longer measured: {why[0]}; {last_figure(rows)}"

    def _why_gone(
        self, standing: _Standing, heads: Sequence[Pair], explained: Mapping[str, Set[Culprit]]
    ) -> str | None:
        """Return why an alert is over; None where nothing has decided on that."""
        if culprits := {c for b in standing.benchmarks for c in explained.get(b, ())}:
            return self._told_by(culprits)
        if why := self._why_unmeasured(standing):
            return why
        if not heads or not {p.baseline for p in standing.pairs} & {p.baseline for p in heads}:
            return _LEFT if self._excluded(standing, heads) else None
        return _healed_by(heads)

    def _told_by(self, culprits: Set[Culprit]) -> str:
        """Return which alerts about commits account for what another alert told."""
        known = sorted(a.id for c in culprits if (a := self._known(c)) is not None)
        if not known:
            return _EXPLAINED
        others = "".join(f", alert {id_}" for id_ in known[1:])
        return f"alert {known[0]}{others} is about the commit that accounts for it"

    def _excluded(self, standing: _Standing, heads: Sequence[Pair]) -> bool:
        """Return whether heads exclude half of each loss of an alert.

        They are compared with another base than the alert's.
        """
        rows = findings.rows(self.conn, sorted({p.id for p in (*standing.pairs, *heads)}))
        order = {p.id: n for n, p in enumerate(heads)}
        later = sorted(
            (r for r in rows if r.comparison in order), key=lambda r: order[r.comparison]
        )
        for row in rows:
            lost = causes.measured(row) if row.id in standing.verdicts else None
            its = [r for r in later if causes.subject(r) == causes.subject(row)]
            if lost is None or not heads or any(causes.is_worse(r) is False for r in its):
                continue
            if not recovered(lost.change, NOTHING, [e for r in its if (e := causes.measured(r))]):
                return False
        return True

    def _commit(self, group: _Group) -> str | None:
        """Return the commit that begins a group's change point."""
        if group.change is None:
            return None
        return kernels.by_id(self.conn, group.change.kernel).commit

    def _group(self, scope: Scope, groups: Sequence[_Group], known: Alert | None) -> Alert | None:
        losses = causes.worst_first(self.catalogue, (f for g in groups for f in g.findings))
        if not self._keeps(known, losses):
            return withdraw(self.conn, known, _SMALL)
        change = next((g.change for g in groups if losses[0] in g.findings), None)
        slow = next((f.slow for f in losses if f.slow is not None and change is None), None)
        title, body = alertbody.of_branch(
            self.conn, self.catalogue, losses, change, self.around, slow
        )
        draft = self._draft(scope.words(self._commit(groups[0])), losses, title, body)
        # It stays what it was found to be, as its beginning leaves the heads that are read.
        was = known is not None and known.kind == SLOW and change is None
        draft = evolve(
            draft,
            kind=SLOW if was or slow is not None else REGRESSION,
            change_point=None if change is None else change.id,
        )
        self._unmute(known, losses)
        more = self._more(known, losses)
        return settle(self.conn, known, draft, seen=causes.newest(losses), more=more)


def _of_alert(standing: Sequence[_Standing], known: Alert | None) -> _Standing | None:
    return next((s for s in standing if known is not None and s.alert.id == known.id), None)


def _healed_by(heads: Sequence[Pair]) -> str:
    """Say which head it is that shows a regression no longer."""
    newest = max(heads, key=lambda p: (p.place, p.id))
    return f"{newest.new_name} ({newest.commit[:12]}) no longer shows it"


def _where(pair: Pair) -> tuple[str, str | None, bool]:
    return pair.tree, pair.branch, pair.synthetic
