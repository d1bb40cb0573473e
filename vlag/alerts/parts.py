# SPDX-License-Identifier: GPL-2.0-only
"""People split and join alerts: which alert tells of what is theirs to say.

Alerts are derived again at once, with what was said; it holds until the alert that tells of a part
is withdrawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from attrs import frozen

from vlag.alerts import triage
from vlag.alerts.causes import Scope
from vlag.alerts.known import Known, Standing
from vlag.alerts.measured import Measured
from vlag.alerts.moved import Moved
from vlag.alerts.pinned import digest_of
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import digest
from vlag.store import alerts, pins
from vlag.store.alerts import REGRESSION, SLOW, Alert, Draft
from vlag.store.database import Connection
from vlag.store.findings import PARENT

#: Derives the alerts of comparisons again.
Derive = Callable[[Connection, Sequence[int]], object]
#: The heads of a branch on a board type, and a benchmark.
Part = tuple[Scope, str]


@frozen(kw_only=True)
class Chosen:
    """Which parts of an alert get another one: those that fit each of what is named."""

    board_types: Sequence[str] = ()
    benchmarks: Sequence[str] = ()
    branches: Sequence[str] = ()  # TREE/BRANCH
    joined: int | None = None  # what this alert told before it was joined

    def fits(self, part: Part) -> bool:
        """Return whether a part is chosen, whatever was joined."""
        scope, benchmark = part
        return (
            (not self.board_types or scope.board_type in self.board_types)
            and (not self.benchmarks or benchmark in self.benchmarks)
            and (not self.branches or f"{scope.tree}/{scope.branch}" in self.branches)
        )

    @property
    def empty(self) -> bool:
        """Return whether nothing is named."""
        named = self.board_types, self.benchmarks, self.branches
        return self.joined is None and not any(named)


def split(
    conn: Connection,
    catalogue: Catalogue,
    derive: Derive,
    alert: int,
    chosen: Chosen,
    *,
    by: str,
    why: str,
) -> Alert:
    """Give parts of an alert an alert of their own, and return that.

    What was another alert before it was joined gets that one back.  Raises UsageError for an
    unknown or withdrawn alert, without a reason, where what is chosen is nothing or all of it,
    and where one of the two would be too small for an alert.
    """
    by, why = triage.one_line_each(by, why)
    if chosen.empty:
        raise UsageError("name what is another cause: a board type, a benchmark or a branch")
    with _settling(conn, catalogue, alert) as standing:
        mine = _of(standing, alert)
        former = {(p.scope, p.benchmark): p.was for p in pins.standing(conn) if p.alert == alert}
        parts = [
            part for part in mine.parts
            if chosen.fits(part) and chosen.joined in (None, former.get(_names(part)))
        ]  # fmt: skip
        rest = [part for part in mine.parts if part not in parts]
        if not parts or (not rest and mine.alert.role != PARENT):
            raise UsageError(f"that is {'all' if parts else 'nothing'} of alert {alert}, which"
                             f" tells of {_words(list(mine.parts))}")  # fmt: skip
        known = _former(conn, {former.get(_names(part)) for part in parts}, alert)
        words = _words(parts)
        other = (
            _opened(conn, mine, parts, why=f"{by} split it from alert {alert}")
            if known is None
            else known.id
        )
        if known is not None:
            alerts.reopen(conn, other, known.triage, f"{by} split it from alert {alert}")
        pins.put(conn, map(_names, rest), alert)
        pins.put(conn, map(_names, parts), other, alert)
        alerts.add_event(conn, alert, by=by, action="split",
                         why=f"alert {other} tells of {words}: {why}")  # fmt: skip
        alerts.add_event(conn, other, by=by, action="split",
                         why=f"alert {alert} told of {words}: {why}")  # fmt: skip
        derive(conn, _comparisons(mine))
        return _left(conn, (alert, other))


def join(
    conn: Connection,
    catalogue: Catalogue,
    derive: Derive,
    alert: int,
    other: int,
    *,
    by: str,
    why: str,
) -> Alert:
    """Let an alert tell of all that another one tells, and return it; the other one ends.

    Raises UsageError for an unknown or withdrawn alert, without a reason, and for two that
    cannot be one: the same, two commits, boots and a field report, or a board out of service.
    """
    by, why = triage.one_line_each(by, why)
    if alert == other:
        raise UsageError(f"alert {alert} cannot be joined with itself")
    with _settling(conn, catalogue, alert, other) as standing:
        mine, its = _of(standing, alert), _of(standing, other)
        if its.alert.role == PARENT:
            raise UsageError(
                f"alert {other} is about one commit and its parent, which no other alert can tell"
                + (
                    ""
                    if mine.alert.role == PARENT
                    else f"; alert {other} can tell of alert {alert}"
                )
            )
        if mine.alert.synthetic is not its.alert.synthetic:
            raise UsageError("one alert is about boots, the other one about a field report")
        pins.put(conn, map(_names, mine.parts), alert)
        pins.put(conn, map(_names, its.parts), alert, other)
        alerts.add_event(conn, alert, by=by, action="joined",
                         why=f"alert {other} is the same cause: {why}")  # fmt: skip
        alerts.add_event(conn, other, by=by, action="joined",
                         why=f"alert {alert} is the same cause: {why}")  # fmt: skip
        derive(conn, [*_comparisons(mine), *_comparisons(its)])
        return _left(conn, (alert,))


@contextmanager
def _settling(conn: Connection, catalogue: Catalogue, *numbers: int) -> Iterator[list[Standing]]:
    """Yield what stands, locked as a derivation locks it, in one transaction with what is said."""
    with triage.changing(conn, *numbers, derived=True):
        moved = Moved(conn=conn, measured=Measured(conn=conn, catalogue=catalogue))
        yield Known(conn=conn, moved=moved).standing()


def _of(standing: Sequence[Standing], number: int) -> Standing:
    """Return what an alert stands on; UsageError where it does not stand."""
    found = next((s for s in standing if s.alert.id == number), None)
    if found is None or found.alert.kind not in (REGRESSION, SLOW):
        raise UsageError(
            f"alert {number} is withdrawn, or not about a regression: there is nothing to split or"
            " join"
        )
    return found


def _names(part: Part) -> tuple[str, str]:
    scope, benchmark = part
    return digest_of(scope), benchmark


def _words(parts: Sequence[Part]) -> str:
    """Return parts in words, each once."""
    words = {f"{scope.board_type} {benchmark}" for scope, benchmark in parts}
    return ", ".join(sorted(words))


def _comparisons(standing: Standing) -> list[int]:
    return sorted({p.id for p in standing.pairs})


def _former(conn: Connection, before: set[int | None], alert: int) -> Alert | None:
    """Return the one alert that told of all parts before, if it has ended since."""
    number = next(iter(before)) if len(before) == 1 else None
    known = None if number in (None, alert) else alerts.by_id(conn, number or 0)
    return known if known is not None and known.withdrawn_at is not None else None


def _opened(conn: Connection, mine: Standing, parts: Sequence[Part], *, why: str) -> int:
    """Open an alert of parts of another one; the derivation that follows says its text."""
    scopes = {scope for scope, _benchmark in parts}
    pairs = [p for p in mine.pairs if p.role != PARENT and Scope.of(p) in scopes]
    newest = max(pairs, key=lambda p: (p.place, p.id))
    benchmarks = {benchmark for _scope, benchmark in parts}
    its = {p.id for p in pairs}
    grounds = alerts.grounds(conn, [mine.alert.id])
    history = conn.execute("SELECT count(*) FROM alert").fetchone()
    return alerts.insert(
        conn,
        Draft(
            key=digest({"kind": "split", "from": mine.alert.id, "before": history}),
            kind=mine.alert.kind,
            title=mine.alert.title,
            body="",
            tree=newest.tree,
            branch=newest.branch,
            role=newest.role,
            base_kernel=newest.base_kernel,
            new_kernel=newest.new_kernel,
            throughput=mine.alert.throughput,
            latency=mine.alert.latency,
            synthetic=newest.synthetic,
            verdicts=tuple(sorted(
                {g.verdict for g in grounds if g.comparison in its and g.benchmark in benchmarks}
            )),
        ),
        why,
        said=False,
    )  # fmt: skip


def _left(conn: Connection, numbers: Sequence[int]) -> Alert:
    """Return the last of some alerts; UsageError where one of them has ended."""
    left = [a for n in numbers if (a := alerts.by_id(conn, n)) is not None]
    for one in left:
        if one.withdrawn_at is not None:
            gone = alerts.last_event(conn, one.id, "withdrawn")
            why = "" if gone is None else gone.why
            raise UsageError(f"then alert {one.id} would be none: {why}")
    return left[-1]
