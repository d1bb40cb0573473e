# SPDX-License-Identifier: GPL-2.0-only
"""What alerts other settings would have opened, by the derivation that the service runs.

It is run again for each night and push of a while, on a copy of the alerts as they stood before
(`vlag.store.rehearsals`).  Verdicts are those that count now: what a rerun decided later counts
from its screen on.  Which branches are watched is as it was each night; what people said of an
alert they say again of the one of the same cause, and mutes are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from attrs import evolve, frozen

from vlag.alerts import derive
from vlag.alerts.at_rest import AtRest
from vlag.config import Alerts as Thresholds
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.store import findings, rehearsals
from vlag.store.alerts import Alert
from vlag.store.database import Connection
from vlag.store.rehearsals import Moment, Opened, Turn

#: What people's word on an alert makes of it.
Judged = Literal["real", "noise", "not judged"]
#: Who gets mail about a branch: tree and branch -> addresses.
Recipients = Callable[[str, str], Sequence[str]]
#: Hears of each night and push: how many of how many are done.
Each = Callable[[int, int], None]

_WEEK = timedelta(days=7)
# A night's alerts come on record within it after its end.
_DERIVING = timedelta(minutes=15)
#: Settings that a rehearsal may change: shares and factors.
SETTINGS = ("throughput", "latency", "deterministic")
_SETTING = re.compile(r"(?:alerts\.)?(?P<name>[a-z]+(?:\.[\w-]+)?)=(?P<value>.*)", re.DOTALL)


@frozen(kw_only=True)
class Cause:
    """An alert that a rehearsal opens, or that was opened on record."""

    title: str
    tree: str | None
    branch: str | None
    opened_at: datetime
    alert: int | None  # on record, of the same cause; None: there is none
    judged: Judged


@frozen(kw_only=True)
class Tally:
    """How much came in a while."""

    opened: int
    real: int
    noise: int
    not_judged: int
    back: int  # how often one came back
    mails_a_week: float  # those that tell of an alert that is new or back


@frozen(kw_only=True)
class Rehearsal:
    """What would have opened beside what did."""

    since: datetime
    until: datetime
    thresholds: Thresholds
    both: Sequence[Cause]
    more: Sequence[Cause]  # not on record
    less: Sequence[Cause]  # on record only
    recorded: Tally
    rehearsed: Tally


def changed(thresholds: Thresholds, words: Sequence[str]) -> Thresholds:
    """Return thresholds with the changes of `words`, each KEY=VALUE.

    A key is that of `[alerts]` in the settings; `relevances.CLASS` is one of its table.  Raises
    UsageError for others, and for what is no number above 0.
    """
    for word in words:
        match = _SETTING.fullmatch(word.strip())
        name = "" if match is None else match["name"]
        table, _, of = name.partition(".")
        if match is None or not (name in SETTINGS or (table == "relevances" and of)):
            known = ", ".join(f"alerts.{n}" for n in (*SETTINGS, "relevances.CLASS"))
            raise UsageError(f"{word!r} sets nothing that opens alerts; write KEY=N for {known}")
        value = _number(word, match["value"])
        if name in SETTINGS:
            changes: dict[str, Any] = {name: value}
            thresholds = evolve(thresholds, **changes)
        else:
            thresholds = evolve(thresholds, relevances={**thresholds.relevances, of: value})
    return thresholds


def _number(word: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise UsageError(f"{word!r}: the value must be a number above 0, such as 0.05")
    return value


def rehearse(
    conn: Connection,
    catalogue: Catalogue,
    thresholds: Thresholds,
    *,
    since: datetime,
    until: datetime,
    recipients: Recipients | None = None,
    each: Each = lambda _done, _of: None,
) -> Rehearsal:
    """Return which alerts thresholds would have opened since a time, beside those on record.

    `conn` must be in autocommit mode; nothing that it does stays.  `recipients` None: one reader
    of everything.  What `each` raises ends it.
    """
    moments = [m for m in rehearsals.moments(conn, since) if m.at <= until]
    recorded = [o for o in rehearsals.opened(conn, since) if o.opened_at <= until]
    on_record = [t for t in rehearsals.turns(conn, since) if t.at <= until]
    with rehearsals.copied(conn, since), findings.remembering(since) as memory:
        findings.ahead(conn, [c for m in moments for c in m.comparisons], memory)
        titles, verdicts, turns = _replay(conn, catalogue, thresholds, since, moments, memory, each)
    new = {t.alert: t for t in turns if t.action == "opened"}
    causes = []
    for id_, turn in new.items():
        same = _same(recorded, verdicts[id_])
        causes.append(
            Cause(
                title=titles[id_],
                tree=turn.tree,
                branch=turn.branch,
                opened_at=turn.at,
                alert=None if same is None else same.id,
                judged="not judged" if same is None else _judged(same.triage),
            )
        )
    again = {c.alert for c in causes}
    less = [_recorded(o) for o in recorded if o.id not in again]
    mails = _Mails(since=since, until=until, moments=moments, recipients=recipients)
    return Rehearsal(
        since=since,
        until=until,
        thresholds=thresholds,
        both=[c for c in causes if c.alert is not None],
        more=[c for c in causes if c.alert is None],
        less=less,
        recorded=_tally([_recorded(o) for o in recorded], on_record, mails),
        rehearsed=_tally(causes, turns, mails),
    )


def _replay(
    conn: Connection,
    catalogue: Catalogue,
    thresholds: Thresholds,
    since: datetime,
    moments: Sequence[Moment],
    memory: findings.Remembered,
    each: Each,
) -> tuple[dict[int, str], dict[int, set[int]], list[Turn]]:
    """Return the title of each alert, all verdicts that it stood on, and what became of it."""
    titles: dict[int, str] = {}
    verdicts: dict[int, set[int]] = {}
    turns: list[Turn] = []
    acts = rehearsals.triaged(conn, since)
    shared = derive.Shared.of(conn, catalogue, thresholds)
    rest = AtRest.of(conn, moments)
    for number, moment in enumerate(moments):
        each(number, len(moments))
        while acts and acts[0].at < moment.at:
            rehearsals.repeat(conn, acts.pop(0))
        rehearsals.show_until(conn, moment.at)
        memory.at = moment.at
        stirred = rest.stirred(moment)
        if stirred.nothing:
            continue
        done = derive.rehearse(conn, catalogue, moment.comparisons, shared, stirred.concerns)
        rehearsals.date(conn, [a.id for a in done], moment.at)
        for id_, its in rehearsals.grounds(conn, [a.id for a in done]).items():
            verdicts.setdefault(id_, set()).update(its)
        titles |= {a.id: a.title for a in done}
        turns += [_turn(a, moment.at) for a in done if a.action in ("opened", "reopened")]
    return titles, verdicts, turns


def _turn(alert: Alert, at: datetime) -> Turn:
    return Turn(
        alert=alert.id, at=at, action=alert.action or "", tree=alert.tree, branch=alert.branch
    )


def _same(recorded: Iterable[Opened], verdicts: set[int]) -> Opened | None:
    """Return the alert on record that stood on most of the same verdicts; None without one."""
    shared = [(len(verdicts & set(o.verdicts)), -o.id, o) for o in recorded]
    most = max(shared, key=lambda s: s[:2], default=None)
    return None if most is None or not most[0] else most[2]


def _recorded(o: Opened) -> Cause:
    return Cause(
        title=o.title,
        tree=o.tree,
        branch=o.branch,
        opened_at=o.opened_at,
        alert=o.id,
        judged=_judged(o.triage),
    )


def _judged(triage: str) -> Judged:
    if triage == "new":
        return "not judged"
    return "noise" if triage == "invalid" else "real"


@frozen(kw_only=True)
class _Mails:
    """Who hears of what in which night."""

    since: datetime
    until: datetime
    moments: Sequence[Moment]
    recipients: Recipients | None

    def a_week(self, turns: Iterable[Turn]) -> float:
        """Return how many mails a week tell of an alert that is new or back."""
        nights = [m.at for m in self.moments if m.night]
        sent = {
            (night, address)
            for t in turns
            if (night := bisect_left(nights, t.at - _DERIVING)) < len(nights)
            for address in self._of(t)
        }
        return len(sent) / ((self.until - self.since) / _WEEK)

    def _of(self, turn: Turn) -> Sequence[str]:
        if self.recipients is None:
            return [""]
        return self.recipients(turn.tree or "", turn.branch or "")


def _tally(causes: Sequence[Cause], turns: Sequence[Turn], mails: _Mails) -> Tally:
    judged = [c.judged for c in causes]
    return Tally(
        opened=len(causes),
        real=judged.count("real"),
        noise=judged.count("noise"),
        not_judged=judged.count("not judged"),
        back=sum(t.action == "reopened" for t in turns),
        mails_a_week=mails.a_week(turns),
    )
