# SPDX-License-Identifier: GPL-2.0-only
"""Derive alerts from the database: open, withdraw and reopen one for each cause.

Alerts depend only on the database, so a second derivation changes nothing, and two
processes that derive at once wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from attrs import define, field

from vlag.alerts import causes, outages
from vlag.alerts.accounts import Accounts
from vlag.alerts.branch_alerts import BranchAlerts, Told
from vlag.alerts.causes import Culprit, Finding, Scope
from vlag.alerts.drafts import Drafts
from vlag.alerts.ended import Ends
from vlag.alerts.grouping import Grouping, Proof
from vlag.alerts.known import Known, Standing, of_alert
from vlag.alerts.lifecycle import withdraw
from vlag.alerts.limits import Limits
from vlag.alerts.measured import Measured
from vlag.alerts.moved import Asked, Moved
from vlag.alerts.pinned import Pinned
from vlag.alerts.recovered import Recovered, TakenBack
from vlag.alerts.surroundings import Surroundings
from vlag.config import Alerts as Thresholds
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.model import digest
from vlag.store import alerts, findings, renames, statements
from vlag.store.alerts import SLOW, Alert
from vlag.store.database import Connection
from vlag.store.findings import PARENT
from vlag.store.judged import Pair

_NOT_SHOWN = "its boots no longer show that it is worse"


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
        shared = Shared.of(conn, catalogue, thresholds or Thresholds())
        work = _Work(conn, catalogue, shared, around or Surroundings())
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
    conn: Connection,
    catalogue: Catalogue,
    comparisons: Sequence[int],
    shared: Shared,
    concerned: Callable[[Alert], bool],
) -> list[Alert]:
    """Derive the alerts about regressions in the copy that a connection works on.

    See `vlag.store.rehearsals`.  Their texts are titles.  Those that are not `concerned` stay as
    they are (`vlag.alerts.at_rest`).
    """
    work = _Work(conn, catalogue, shared, None)
    return work.regressions(findings.pairs(conn, comparisons), concerned)


def refresh(
    conn: Connection,
    catalogue: Catalogue,
    since: datetime,
    thresholds: Thresholds | None = None,
    around: Surroundings | None = None,
) -> list[Alert]:
    """Derive the alerts of all comparisons with a baseline or parent made since a time."""
    return derive(conn, catalogue, findings.since(conn, since), thresholds, around)


@define(kw_only=True)
class Shared:
    """What derivations from one record share, whatever alerts there are; a rehearsal makes many."""

    limits: Limits
    #: What is worse, by comparisons with their places, and the verdicts of slow losses.
    losses: dict[tuple[object, ...], list[Finding]] = field(factory=dict)
    asked: Asked = field(factory=Asked)

    @classmethod
    def of(cls, conn: Connection, catalogue: Catalogue, thresholds: Thresholds) -> Shared:
        """Return what nothing was read of yet."""
        return cls(limits=Limits(conn=conn, catalogue=catalogue, thresholds=thresholds))


class _Work:
    """One derivation; it holds the lock."""

    def __init__(
        self,
        conn: Connection,
        catalogue: Catalogue,
        shared: Shared,
        around: Surroundings | None,
    ) -> None:
        self.conn = conn
        self.catalogue = catalogue
        self.measured = Measured(conn=conn, catalogue=catalogue)
        self.moved = Moved(conn=conn, measured=self.measured, asked=shared.asked)
        self.recovered = Recovered(conn=conn, moved=self.moved)
        self.known = Known(conn=conn, moved=self.moved)
        self.pinned = Pinned(conn=conn, moved=self.moved)
        self.shared, self.limits = shared, shared.limits
        self.drafts = Drafts(conn=conn, catalogue=catalogue, limits=self.limits, around=around)
        self.ends = Ends(
            conn=conn,
            moved=self.moved,
            measured=self.measured,
            recovered=self.recovered,
            known=self.known,
            limits=self.limits,
        )
        self.branches = BranchAlerts(
            conn=conn, known=self.known, pinned=self.pinned, drafts=self.drafts, ends=self.ends
        )

    def regressions(
        self, pairs: Sequence[Pair], concerned: Callable[[Alert], bool] = lambda _alert: True
    ) -> list[Alert]:
        """Settle the alerts of the comparisons' branches, and those that stand, if `concerned`."""
        pairs = self.moved.pairs(pairs)
        standing = self.known.standing(concerned)
        # What is no longer measured has no new comparison: all that stands is looked at.
        touched = {_where(p) for p in (*pairs, *(p for s in standing for p in s.pairs))}
        culprits = {Culprit.of(p) for p in pairs if p.role == PARENT}
        culprits = self.moved.culprits(culprits | self.known.blamed_before(touched))
        of_commits = {c: self._of_commit(c) for c in culprits}
        # A commit is not compared again: it accounts for what the plan measures otherwise now.
        findings.read_ahead(self.conn, [p.id for its in of_commits.values() for p in its])
        blamed = {c: self._losses(its, exactly=False) for c, its in of_commits.items()}
        blamed = {c: blamed[c] for c in sorted(culprits, key=lambda c: digest(c.words))}
        scopes = {Scope.of(p): p for s in standing for p in s.pairs if p.role != PARENT}
        scopes |= {Scope.of(p): p for p in pairs if p.role != PARENT}
        heads = {s: self._heads(s, p, standing) for s, p in scopes.items()}
        slow = frozenset(v for s in standing if s.alert.kind == SLOW for v in s.verdicts)
        findings.read_ahead(self.conn, [p.id for its in heads.values() for p in its])
        losses = {s: self._losses(its, slow) for s, its in heads.items()}
        self.known.read(blamed)
        known = {c: self.known.of_culprit(c) for c in blamed}
        active = {c: f for c, f in blamed.items() if self.limits.keeps(known[c], f)}
        back = {c: self.recovered.taken_back(f) for c, f in active.items()}
        accounts = Accounts(
            conn=self.conn,
            moved=self.moved,
            pairs=of_commits,
            findings=active,
            gone={c for c in active if (k := known[c]) is not None and k.withdrawn_at},
            back=back,
        )
        grouping = Grouping(conn=self.conn, limits=self.limits, heads=heads, losses=losses)
        told = self._told(losses, accounts, grouping, known)
        done = []
        for culprit, of_commit in blamed.items():
            done += self.known.end_twins(culprit)
            healed = self.ends.reset(culprit, of_commits[culprit])
            if healed is None:
                seen = told.attached.get(culprit, [])
                healed = _taken_back(back.get(culprit), seen)
            if healed is None:
                healed = self.ends.healed(culprit, of_commit, standing, heads, losses)
            done.append(self._culprit(culprit, of_commit, told, standing, healed=healed))
        done += self.branches.settle(grouping, told, standing, heads)
        self.pinned.end()
        return [a for a in done if a is not None]

    def _told(
        self,
        losses: Mapping[Scope, Sequence[Finding]],
        accounts: Accounts,
        grouping: Grouping,
        known: Mapping[Culprit, Alert | None],
    ) -> Told:
        """Return which losses of heads are told with a commit's, and the units of the others.

        `known` are the alerts of commits.
        """
        told = Told()
        commits = {a.id: c for c, a in known.items() if a is not None and c in accounts.findings}
        for scope, its in losses.items():
            proofs = grouping.proofs(scope, its)
            by = accounts.culprits_of(scope, its)
            for id_, proof in proofs.items():
                if id_ not in by and (found := _culprit_of(proof, scope, accounts)):
                    by[id_] = found
            pins = {
                f.row.id: pin
                for f in its
                if (pin := self.pinned.of(scope, f.row.benchmark)) is not None
                and (not pin.of_commit or pin.alert in commits)
            }
            for id_, pin in pins.items():
                by.pop(id_, None)
                if pin.of_commit:
                    by[id_] = [commits[pin.alert]]
            explained = told.explained.setdefault(scope, {})
            for f in its:
                for culprit in by.get(f.row.id, ()):
                    told.attached.setdefault(culprit, []).append(f)
                    explained.setdefault(f.row.benchmark, set()).add(culprit)
            left = [f for f in its if f.row.id not in by]
            told.units += grouping.units(
                scope, left, proofs, {id_: pin.alert for id_, pin in pins.items()}
            )
        return told

    def _heads(self, scope: Scope, pair: Pair, standing: Sequence[Standing]) -> list[Pair]:
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

    def _of_commit(self, culprit: Culprit) -> list[Pair]:
        """Return the comparisons of a commit with its parent, by all of its names."""
        return self.moved.pairs(culprit.pairs(self.conn, self.moved.commits(culprit)))

    def _losses(
        self,
        pairs: Sequence[Pair],
        slow: frozenset[int] = frozenset(),
        *,
        exactly: bool = True,
    ) -> list[Finding]:
        """Return what is worse and still measured; `slow` are verdicts of losses that came slowly.

        Unless `exactly`, it may be measured with other parameters now.
        """
        key = slow, *((p.id, p.branch, *p.place, p.baseline) for p in pairs)
        losses = self.shared.losses.get(key)
        if losses is None:
            losses = self.shared.losses[key] = causes.regressions(
                self.conn, self.catalogue, pairs, matters=self.limits, grounds=slow
            )
        return [f for f in losses if self.measured.why_not(f.pair, f.row, exactly=exactly) is None]

    def _culprit(
        self,
        culprit: Culprit,
        losses: Sequence[Finding],
        told: Told,
        standing: Sequence[Standing],
        *,
        healed: str | None,
    ) -> Alert | None:
        done = self._settled(culprit, losses, told, standing, healed=healed)
        self.known.note(done)
        return done

    def _settled(
        self,
        culprit: Culprit,
        losses: Sequence[Finding],
        told: Told,
        standing: Sequence[Standing],
        *,
        healed: str | None,
    ) -> Alert | None:
        known = self.known.of_culprit(culprit)
        seen, mine = told.attached.get(culprit, []), of_alert(standing, known)
        otherwise = bool(losses) and all(self.measured.why_not(f.pair, f.row) for f in losses)
        if otherwise and not seen:  # no head shows it with the parameters of now
            why = None if mine is None else self.ends.unmeasured(mine) or healed
            return withdraw(self.conn, known, why or _NOT_SHOWN)
        if not self.limits.keeps(known, losses):
            why = None if mine is None else self.ends.unmeasured(mine)
            return withdraw(self.conn, known, why or _NOT_SHOWN)
        if healed is not None:
            return withdraw(self.conn, known, healed)
        return self.drafts.of_commit(culprit, known, losses, seen)


def _taken_back(back: TakenBack | None, seen: Iterable[Finding]) -> str | None:
    """Return which commit took a loss back, where no head that has it shows the loss still."""
    end = None if back is None else back.by
    if end is None or any(f.pair.place >= end.place for f in seen):
        return None
    return f"{end.new_name} ({end.commit[:12]}) took it back"


def _culprit_of(proof: Proof, scope: Scope, accounts: Accounts) -> list[Culprit]:
    """Return the commit with an alert that a search has found as well."""
    asked = scope.series, scope.application, scope.synthetic
    return [
        c for c in accounts.findings
        if c not in accounts.gone and (c.tree, c.commit) == (proof.tree, proof.commit)
        and (c.series, c.application, c.synthetic) == asked
    ]  # fmt: skip


def _where(pair: Pair) -> tuple[str, str | None, bool]:
    return pair.tree, pair.branch, pair.synthetic
