# SPDX-License-Identifier: GPL-2.0-only
"""Which losses of branches are one cause, by what is on record of them.

Proof comes first: losses of which a search found the same commit, or that the same patch of a
series makes alone, are one cause wherever they are seen; those of two commits are two, whatever
else they share.  What nothing has proven belongs together if it became worse at the same time and
on several board types in the same figure, or if one toggle takes it back.  Before all of that goes
what people have said of which alert tells a figure (`vlag.alerts.pinned`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from attrs import define, evolve, field, frozen

from vlag.alerts import causes
from vlag.alerts.causes import Finding, Scope, is_worse
from vlag.alerts.limits import Limits
from vlag.report import read_model
from vlag.stats import severity
from vlag.stats.attribution import LEAST_SHARE
from vlag.store import bisections, findings, kernels
from vlag.store.changes import Change
from vlag.store.database import Connection
from vlag.store.judged import Pair

_COMMIT, _PATCH = "commit", "patch"


@frozen(kw_only=True)
class Proof:
    """What was shown to be the cause: a commit of a tree, or a patch of a series."""

    kind: str
    tree: str
    names: tuple[str, ...]  # commits, several where skipped ones hide which; or series and patch

    @property
    def commit(self) -> str | None:
        """Return the one commit that it is."""
        return self.names[0] if self.kind == _COMMIT and len(self.names) == 1 else None

    @property
    def words(self) -> str:
        """Return it in words."""
        if self.kind == _COMMIT:
            return f"commit {' or '.join(name[:12] for name in self.names)}"
        series, patch = self.names
        return f"{patch} of {series}"


@frozen(kw_only=True)
class Unit:
    """What the heads of one scope have lost together, as far as their own history tells."""

    scope: Scope
    findings: Sequence[Finding]  # worst first
    change: Change | None = None  # None: since the base
    proof: Proof | None = None
    pin: int | None = None  # the alert that tells of it, as people have said

    @property
    def figures(self) -> Set[tuple[str, str, str]]:
        """Return what is worse, whatever its parameters are on a board type."""
        return {(f.row.benchmark, f.row.metric, f.row.statistic) for f in self.findings}

    @property
    def metrics(self) -> Set[tuple[str, str]]:
        """Return the metrics that are worse, whichever their statistic."""
        return {(f.row.benchmark, f.row.metric) for f in self.findings}

    @property
    def places(self) -> Set[tuple[str, str]]:
        """Return where it was seen: board types and benchmarks."""
        return {f.place for f in self.findings}

    @property
    def size(self) -> float:
        """Return the size of the worst as a log ratio."""
        return max(f.size for f in self.findings)


def proofs_of(units: Iterable[Unit]) -> Set[Proof]:
    """Return all that was shown to be the cause of some losses."""
    return {u.proof for u in units if u.proof is not None}


def pins_of(units: Iterable[Unit]) -> Set[int]:
    """Return the alerts that tell of some losses, as people have said."""
    return {u.pin for u in units if u.pin is not None}


def may_be_one(some: Sequence[Unit], others: Sequence[Unit]) -> bool:
    """Return whether neither proofs nor people part some losses from others.

    What people have joined may have several proofs.
    """
    mine, its = proofs_of(some), proofs_of(others)
    return len(pins_of([*some, *others])) <= 1 and (not mine or not its or bool(mine & its))


@define(kw_only=True)
class Grouping:
    """The causes of one derivation."""

    conn: Connection
    limits: Limits
    heads: Mapping[Scope, Sequence[Pair]]  # the newest last
    losses: Mapping[Scope, Sequence[Finding]]
    _searched: Mapping[tuple[int, str], Proof] | None = None
    _times: dict[int, tuple[list[int], list[int]]] = field(factory=dict)  # by the worst verdict

    def units(
        self,
        scope: Scope,
        losses: Sequence[Finding],
        proofs: Mapping[int, Proof],
        pins: Mapping[int, int],
    ) -> list[Unit]:
        """Group losses of a scope by what was proven of them, and by the steps of its history.

        `proofs` are by the ids of rows, and so are `pins`, the alerts that people have named.
        """
        steps = causes.steps(self.conn, scope, losses)
        parts: dict[
            tuple[int | None, Proof | None, int | None], tuple[Change | None, list[Finding]]
        ] = {}
        for f in losses:
            proof = proofs.get(f.row.id)
            change = None if proof is not None else causes.change_of(steps, f)
            key = pins.get(f.row.id), proof, None if change is None else change.kernel
            parts.setdefault(key, (change, []))[1].append(f)
        return [
            Unit(scope=scope, findings=its, change=change, proof=proof, pin=pin)
            for (pin, proof, _kernel), (change, its) in parts.items()
        ]

    def proofs(self, scope: Scope, losses: Sequence[Finding]) -> dict[int, Proof]:
        """Return what was shown to be the cause of losses, by the ids of their rows."""
        searched = self._searches()
        proofs = {
            f.row.id: proof
            for f in losses
            if (proof := searched.get((f.pair.id, f.row.benchmark))) is not None
        }
        if scope.series is not None:
            rest = [f for f in losses if f.row.id not in proofs]
            proofs |= self._patches(scope, scope.series, rest)
        return proofs

    def _searches(self) -> Mapping[tuple[int, str], Proof]:
        """Return the commits that searches have found, by comparison and benchmark."""
        if self._searched is None:
            ids = {f.pair.id for its in self.losses.values() for f in its}
            self._searched = {
                (s.comparison, s.benchmark): Proof(
                    kind=_COMMIT, tree=s.tree, names=tuple(sorted(s.commits))
                )
                for s in bisections.found(self.conn, sorted(ids))
                if s.share is None or s.share >= LEAST_SHARE
            }
        return self._searched

    def _patches(self, scope: Scope, series: str, losses: Sequence[Finding]) -> dict[int, Proof]:
        """Return the patches of a series that alone cost at least half of losses."""

        def proof(application: str) -> Proof:
            return Proof(kind=_PATCH, tree=scope.tree, names=(series, application))

        if scope.application.startswith("solo("):
            return {f.row.id: proof(scope.application) for f in losses}
        related = read_model.of_cause(self.conn, sorted({f.pair.id for f in losses}))
        alone = {
            p.id: p
            for p in findings.pairs(self.conn, related)
            if p.series == series and p.application.startswith("solo(")
        }
        rows = [r for r in findings.rows(self.conn, sorted(alone)) if is_worse(r) is True]
        proofs = {}
        for f in losses:
            its = [
                (severity.log_ratio(r.effect), alone[r.comparison])
                for r in rows
                if (r.benchmark, r.metric, r.statistic)
                == (f.row.benchmark, f.row.metric, f.row.statistic)
            ]
            here = [(size, p) for size, p in its if p.board_type == f.pair.board_type] or its
            size, pair = max(here, key=lambda x: (x[0], -x[1].id), default=(0.0, None))
            if pair is not None and size >= LEAST_SHARE * f.size:
                proofs[f.row.id] = proof(pair.application)
        return proofs

    def causes(
        self, units: Sequence[Unit], claims: Callable[[Unit], Sequence[int]]
    ) -> list[list[Unit]]:
        """Group units by their cause, the worst first.

        `claims` are the standing alerts that a unit belongs to: those of two stay apart until
        something is proven, as they may be what a proof has parted.
        """

        def may(some: Sequence[Unit], others: Sequence[Unit]) -> bool:
            mine, its = ({i for u in part for i in claims(u)} for part in (some, others))
            return may_be_one(some, others) and not (mine and its and not mine & its)

        order = sorted(units, key=lambda u: -u.size)
        groups = _founded(order, may)
        for u in order:
            if u.pin is not None or u.proof is not None:
                continue
            mine = [u]
            for other in [g for g in groups if any(self._alike(u, o) for o in g)]:
                if may(mine, other):
                    groups.remove(other)
                    mine = [*other, *mine]
            groups.append(mine)
        return sorted(groups, key=lambda g: -max(u.size for u in g))

    def _alike(self, u: Unit, v: Unit) -> bool:
        """Return whether two units have one cause, as far as it shows without a proof."""
        a, b = u.scope, v.scope
        if a == b:
            return bool(u.metrics & v.metrics) or (
                u.change is None and v.change is None and self._together(u, v)
            )
        if a.branch is None or b.branch is None:
            return False
        if evolve(a, board_type="") == evolve(b, board_type=""):
            return self._correlated(u, v) and self._together(u, v)
        if _without_base(a) == _without_base(b):
            return _as_much(u, v) and self._together(u, v)
        return False

    def _correlated(self, u: Unit, v: Unit) -> bool:
        """Return whether two board types lose the same, or get it back by the same toggle."""
        if u.figures & v.figures:
            return True
        return bool(self.limits.toggles(u.findings[0]) & self.limits.toggles(v.findings[0]))

    def _together(self, u: Unit, v: Unit) -> bool:
        """Return whether two units may have become worse with one commit."""
        (after, until), (its_after, its_until) = self._time(u), self._time(v)
        return after < its_until and its_after < until

    def _time(self, unit: Unit) -> tuple[list[int], list[int]]:
        """Return the places along the branch after which and up to which it became worse."""
        worst = unit.findings[0]
        if worst.row.id not in self._times:
            self._times[worst.row.id] = self._step(unit) or self._onset(unit)
        return self._times[worst.row.id]

    def _step(self, unit: Unit) -> tuple[list[int], list[int]] | None:
        if unit.change is None:
            return None
        places = [
            read_model.place_along(self.conn, kernel, unit.scope.tree, unit.scope.branch or "")
            for kernel in (unit.change.before_kernel, unit.change.kernel)
        ]
        return None if places[1] is None else (places[0] or [], places[1])

    def _onset(self, unit: Unit) -> tuple[list[int], list[int]]:
        worst = unit.findings[0]
        onset = read_model.onsets(self.conn, [worst.row.id])[worst.row.id]
        if onset.good is not None and onset.bad is not None:
            return onset.good["nth"], onset.bad["nth"]
        # No head was without it: it is as old as the first one.
        return [], min([p.place for p in self.heads[unit.scope]], default=worst.pair.place)


def _founded(
    units: Iterable[Unit], may: Callable[[Sequence[Unit], Sequence[Unit]], bool]
) -> list[list[Unit]]:
    """Group the units that people have given an alert, and then those with a proof."""
    pinned: dict[int, list[Unit]] = {}
    proven: dict[Proof, list[Unit]] = {}
    for u in units:
        if u.pin is not None:
            pinned.setdefault(u.pin, []).append(u)
        elif u.proof is not None:
            proven.setdefault(u.proof, []).append(u)
    groups = list(pinned.values())
    for proof, its in proven.items():
        home = next((g for g in groups if proof in proofs_of(g) and may(g, its)), None)
        if home is None:
            groups.append(its)
        else:
            home += its
    return groups


def _without_base(scope: Scope) -> Scope:
    """Return the heads of a scope, whatever they are compared with."""
    return evolve(scope, role=None, base=None, base_knobs=b"")


def _as_much(u: Unit, v: Unit) -> bool:
    """Return whether a figure has lost about as much against two bases."""
    sizes = [
        {(f.row.benchmark, f.row.metric, f.row.statistic): f.size for f in unit.findings}
        for unit in (u, v)
    ]
    shared = [(size, sizes[1][name]) for name, size in sizes[0].items() if name in sizes[1]]
    return any(min(pair) >= LEAST_SHARE * max(pair) for pair in shared)


def began(unit: Unit, conn: Connection) -> str | None:
    """Return the commit or patch with which a unit began, for the key of its alert."""
    if unit.proof is not None:
        return unit.proof.commit or " ".join(unit.proof.names)
    if unit.change is None:
        return None
    return kernels.by_id(conn, unit.change.kernel).commit
