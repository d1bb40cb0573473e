# SPDX-License-Identifier: GPL-2.0-only
"""Oracles: after each night, is what the service says true, and does it say what is true?

A *loss* is of one commit at one place, a board type and benchmark.  It must be said within `SOON`
nights that measure it, and with its commit where the night has compared that with its parent.  An
alert is true while its place has lost work, and for `SOON` nights more that measure it.  What a
reader is told of its beginning must be true as well: the commit that is blamed, or the two heads
around it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

from attrs import define, field, frozen

from bench.years import shown
from bench.years.commits import STEPS, Commit, Place
from bench.years.service import TREE
from bench.years.shown import Began
from bench.years.world import Night, World
from vlag.report import read_model
from vlag.report.data import night_changes
from vlag.stats.compare import EQUIVALENCE_MARGIN
from vlag.store import statements

#: Nights until which a loss must be said, and a healed one be gone.
SOON = 3
#: Nights whose statements are looked at again.
_KEPT = 12
#: What an alert is true about at least, a log ratio: half the threshold of one.
_LEAST = 0.01
#: What may be UNCHANGED, a log ratio.
_UNCHANGED = math.log1p(EQUIVALENCE_MARGIN)
#: What is asked after each night.
ORACLES = (
    "a loss is said", "its commit is named", "it stays said", "a healed one ends",
    "what is not measured ends", "an alert is true", "the right commit is blamed",
    "triage is kept", "a statement stays", "surfaces agree",
)  # fmt: skip
#: Event of nights around which nothing happens.
NOTHING = "nothing"
#: Instead of the commit of a slow loss, which has several.
SLOW = "several commits"

_ALERTS = """
SELECT a.id, a.role, a.triage::text, a.owner, a.branch,
  ARRAY(SELECT DISTINCT v.board_type || ' ' || v.benchmark FROM read_model.alert_verdict v
    WHERE v.alert = a.id) AS places
FROM alert a WHERE a.kind IN ('regression', 'slow loss') AND a.withdrawn_at IS NULL ORDER BY a.id
"""
_SHOWN = """
SELECT v.id, v.verdict, v.standing, round(v.effect::numeric, 6) AS effect, v.n_base, v.n_new,
  v.decided_by, v.stands, v.judge
FROM read_model.verdict v WHERE v.comparison = ANY(%s) ORDER BY v.id
"""


@frozen(kw_only=True)
class Alert:
    """An alert that stands."""

    id: int
    role: str
    branch: str | None
    began: frozenset[Began]  # what its text and page say
    commits: frozenset[str]  # that they blame, by first names
    places: frozenset[Place]
    triage: str
    owner: str | None


@frozen(kw_only=True)
class Fault:
    """Something that the service said and should not have, or the other way round."""

    oracle: str
    night: int
    text: str
    events: Sequence[str]  # of the nights that it came with


@define(kw_only=True)
class Loss:
    """A true loss at a place, and when it was said; nights are those that measure the place."""

    commit: str
    place: Place
    since: int  # night that measured it first
    blame: bool  # its commit was compared with its parent
    nights: int = 0
    alert_nights: int | None = None  # nights until an alert had it
    blamed: int | None = None  # until one named its commit
    healed: int | None = None  # nights since its end
    gone: int | None = None  # of those, until no alert had it
    left: bool = False  # its place is not measured any more
    events: set[str] = field(factory=set)  # around its beginning
    healing: set[str] = field(factory=set)  # around its end

    @property
    def open(self) -> bool:
        """Return whether it is there and measured."""
        return self.healed is None and not self.left

    @property
    def is_named(self) -> bool:
        """Return whether it was said in time, with its commit."""
        named = not self.blame or (self.blamed or SOON + 1) <= SOON
        return named and (self.alert_nights or SOON + 1) <= SOON


@define(kw_only=True)
class Told:
    """An alert over all its nights."""

    true: bool = True
    events: dict[str, bool] = field(factory=dict)  # event -> true on all nights around it


@frozen(kw_only=True)
class _Settled:
    """What a person has said of an alert."""

    triage: str
    owner: str | None
    places: frozenset[Place]
    size: float  # largest loss at its places then


@define(kw_only=True)
class Judge:
    """What one world's truth was, and what was said of it."""

    world: World
    losses: list[Loss] = field(factory=list)
    faults: list[Fault] = field(factory=list)
    alerts: dict[int, Told] = field(factory=dict)
    alert_nights: int = 0  # open alerts, each counted every night
    true_nights: int = 0  # those of them that were true
    statements: int = 0  # that were looked at again
    events: set[str] = field(factory=set)  # of all nights
    settled: dict[int, _Settled] = field(factory=dict)
    #: Night -> number of what was said last, its comparisons, and their rows then.
    _shown: dict[int, tuple[int, list[int], list[tuple[Any, ...]]]] = field(factory=dict)
    _recent: list[tuple[str, ...]] = field(factory=list)
    _told: int = 0  # nights so far
    #: By place, how many nights measured it, and by first name of a commit as well, how many had
    #: when its loss was seen last.
    _nights: dict[Place, int] = field(factory=dict)
    _lost: dict[tuple[Place, str], int] = field(factory=dict)
    #: The last night that measured a place, or that watched a branch.
    _measured: dict[Place, int] = field(factory=dict)
    _watched: dict[str, int] = field(factory=dict)
    #: First 12 digits -> every commit that the branch had.
    _commits: dict[str, Commit] = field(factory=dict)

    def look(self, night: Night) -> None:
        """Judge what is said after a night."""
        self.events |= {*night.events}
        self._recent = [*self._recent, tuple(night.events)][-SOON - 1 :]
        if night.told is None:
            return
        self._told += 1
        self._note(night)
        alerts = self.standing()
        self._losses(night, alerts)
        self._alerts(night, alerts)
        self._triage(night, alerts)
        self._statements(night)
        self._surfaces(night)

    def people(self, state: str) -> None:
        """Let a person settle an alert that nobody has looked at."""
        for alert in self.standing():
            if alert.triage == "new":
                self.world.close(alert.id, state)
                row = self.world.conn.execute(
                    "SELECT triage::text, owner FROM alert WHERE id = %s", (alert.id,)
                ).fetchone()
                assert row is not None
                self.settled[alert.id] = _Settled(
                    triage=row[0], owner=row[1], places=alert.places, size=self._size(alert)
                )
                return

    def standing(self) -> list[Alert]:
        """Return the alerts about regressions that nothing has withdrawn."""
        alerts = []
        conn = self.world.conn
        for id_, role, triage, owner, branch, places in conn.execute(_ALERTS).fetchall():
            split = (p.split(" ", 1) for p in places)
            began = shown.of_alert(conn, id_)
            alerts.append(
                Alert(id=id_, role=role, branch=branch, triage=triage, owner=owner, began=began,
                      commits=frozenset(self._first(b.blamed) for b in began if b.blamed),
                      places=frozenset((a, b) for a, b in split))
            )  # fmt: skip
        return alerts

    @property
    def around(self) -> set[str]:
        """Return the events of this night and the last ones."""
        return {e for some in self._recent for e in some}

    def _fault(self, oracle: str, night: Night, text: str) -> None:
        assert oracle in ORACLES
        self.faults.append(
            Fault(oracle=oracle, night=night.number, text=text, events=sorted(self.around))
        )

    def _first(self, commit: str) -> str:
        """Return the first name of a commit that a text names, or what it names if it is none."""
        known = self._commits.get(commit)
        return commit if known is None else self.world.line.first_name(known.id)

    def _size(self, alert: Alert) -> float:
        return max((self.world.head.lost.get(p, 0.0) for p in alert.places), default=0.0)

    def _now(self, night: Night) -> set[tuple[str, Place]]:
        """Return the losses that a night's head has where it measures, by first names."""
        head, name = night.head, self.world.line.first_name
        now = {(name(commit), p) for p, commit in head.culprits.items()}
        now |= {(SLOW, p) for p, n in head.slow.items() if n >= STEPS}
        return {(commit, p) for commit, p in now if p in night.places}

    def _note(self, night: Night) -> None:
        """Note what is measured and lost on a night."""
        self._commits |= {c.id[:12]: c for c in self.world.line.commits}
        if night.places:
            self._watched[night.branch] = self._told
        self._measured |= dict.fromkeys(night.places, self._told)
        self._nights |= {p: self._nights.get(p, 0) + 1 for p in night.places}
        # What is taken back by the same push was there, and its alert has as long to end.
        for commit in (*night.fresh, night.head):
            for place, size in commit.lost.items():
                culprit = commit.culprits.get(place)
                if size >= _LEAST:
                    name = SLOW if culprit is None else self.world.line.first_name(culprit)
                    self._lost[place, name] = self._nights.get(place, 0)

    def _losses(self, night: Night, alerts: Sequence[Alert]) -> None:
        now = self._now(night)
        known = {(x.commit, x.place) for x in self.losses if x.open}
        seen = {(x.commit, x.place) for x in self.losses}
        fresh = {self.world.line.first_name(c.id) for c in night.fresh}
        for commit, place in sorted(now - known):
            # What was not measured for a time and is again need not be blamed again.
            blame = commit in fresh and (commit, place) not in seen
            self.losses.append(Loss(commit=commit, place=place, since=night.number, blame=blame))
        for loss in self.losses:
            about = [a for a in alerts if loss.place in a.places]
            if loss.open and loss.place not in night.places:
                loss.left = True
            elif loss.open and (loss.commit, loss.place) in now:
                self._there(loss, about, night)
            elif loss.open and self._partly(loss, night):
                continue
            elif not loss.left and loss.gone is None:
                again = any(place == loss.place for _commit, place in now)
                self._ended(loss, about, night, again=again)

    def _partly(self, loss: Loss, night: Night) -> bool:
        """Return whether a reset has taken back only some steps of a slow loss."""
        left = loss.place in night.head.slow and night.head.lost.get(loss.place, 0.0) >= _LEAST
        return loss.commit == SLOW and left

    def _there(self, loss: Loss, about: Sequence[Alert], night: Night) -> None:
        where = f"{loss.commit[:12]} at {loss.place}"
        loss.nights += 1
        loss.events |= self.around if loss.nights <= SOON else set()
        if about and loss.alert_nights is None:
            loss.alert_nights = loss.nights
        if loss.blamed is None and any(loss.commit in a.commits for a in about):
            loss.blamed = loss.nights
        if loss.nights == SOON and loss.alert_nights is None:
            self._fault("a loss is said", night, where)
        elif loss.nights == SOON and not loss.is_named:
            self._fault("its commit is named", night, where)
        if loss.nights > SOON and loss.alert_nights is not None and not about:
            self._fault("it stays said", night, where)

    def _ended(self, loss: Loss, about: Sequence[Alert], night: Night, *, again: bool) -> None:
        if loss.place not in night.places:
            loss.left = True  # it ends as what is not measured
            return
        loss.healed = (loss.healed or 0) + 1
        loss.healing |= self.around
        # What blames a commit is about another loss, unless several commits have lost it.
        still = [
            a for a in about if loss.commit == SLOW or not a.commits or loss.commit in a.commits
        ]
        if not still or again:
            loss.gone = loss.healed
        elif loss.healed == SOON:
            ids = [a.id for a in still]
            self._fault("a healed one ends", night, f"alerts {ids} on {loss.commit[:12]}")

    def _alerts(self, night: Night, alerts: Sequence[Alert]) -> None:
        for alert in alerts:
            what = f"alert {alert.id} on {sorted(alert.places)}"
            wrong = self._wrong(alert)
            if wrong is not None:
                self._fault(wrong, night, what)
            self.alert_nights += 1
            self.true_nights += wrong is None
            seen = self.alerts.setdefault(alert.id, Told())
            seen.true &= wrong is None
            for event in self.around or {NOTHING}:
                seen.events[event] = seen.events.get(event, True) and wrong is None

    def _wrong(self, alert: Alert) -> str | None:
        """Return the oracle that finds an alert to be wrong, or None."""
        since = self._told - SOON
        measured = {p for p in alert.places if self._measured.get(p, 0) >= since}
        watched = alert.role == "parent" or self._watched.get(alert.branch or "", 0) >= since
        if not measured or not watched:
            return "what is not measured ends"
        if not self._losers(measured):
            return "an alert is true"
        if not all(self._began(b, measured) for b in alert.began):
            return "the right commit is blamed"
        return None

    def _losers(self, places: Iterable[Place]) -> set[str]:
        """Return the commits by which places have lost work, now or a few nights ago."""
        since = {p: self._nights.get(p, 0) - SOON for p in places}
        return {name for (p, name), last in self._lost.items() if last >= since.get(p, last + 1)}

    def _began(self, onset: Began, places: Iterable[Place]) -> bool:
        """Return whether a loss at one of these places began as is said."""
        if onset.blamed is not None:
            return bool(self._losers(places) & {self._first(onset.blamed), SLOW})
        good, bad = (
            self.world.head if name is None else self._commits.get(name)
            for name in (onset.good, onset.bad)
        )
        if good is None or bad is None:
            return False
        lost = [(good.lost.get(p, 0.0), bad.lost.get(p, 0.0)) for p in places]
        # A head that has lost this little may be one that is not worse.
        return any(a < max(b, _UNCHANGED) for a, b in lost if b > 0)

    def _triage(self, night: Night, alerts: Sequence[Alert]) -> None:
        """What people said of an alert stays, unless it has grown."""
        by_id = {a.id: a for a in alerts}
        for id_, state in list(self.settled.items()):
            alert = by_id.get(id_)
            if alert is None:
                continue  # whether it may have gone is asked elsewhere; it may come back
            grown = self._size(alert) > 2 * state.size or bool(alert.places - state.places)
            if (alert.triage, alert.owner) != (state.triage, state.owner):
                if not grown:
                    text = f"alert {id_}: {state.triage}, now {alert.triage}"
                    self._fault("triage is kept", night, text)
                del self.settled[id_]
            for other in alerts:
                alike = other.commits == alert.commits
                if other.id > id_ and other.places <= alert.places and alike:
                    self._fault("triage is kept", night, f"alert {other.id} repeats {id_}")

    def _statements(self, night: Night) -> None:
        """What a night has shown is shown the same later, by the links that it sent."""
        conn = self.world.conn
        try:
            for number, (statement, ids, shown) in list(self._shown.items()):
                statements.show(conn, statement)
                now = conn.execute(_SHOWN, (ids,)).fetchall()
                self.statements += len(now)
                changed = [(a, b) for a, b in zip_longest(shown, now) if a != b]
                if changed:
                    self._fault("a statement stays", night, f"of night {number}: {changed[0]}")
                    self._shown[number] = statement, ids, now
        finally:
            statements.show(conn, None)
        ids = list(night.comparisons)
        shown = conn.execute(_SHOWN, (ids,)).fetchall()
        self._shown[night.number] = statements.last(conn), ids, shown
        for number in sorted(self._shown)[:-_KEPT]:
            del self._shown[number]

    def _surfaces(self, night: Night) -> None:
        """Overview, page of the branch and mail name the same figures as worse."""
        conn, world = self.world.conn, self.world
        if not world.watched:
            return
        page = {
            (c["id"], v["id"]) for c in read_model.branch(conn, TREE, night.branch)["comparisons"]
            if c["role"] == "baseline"
            for v in c["verdicts"] if v["verdict"] == "REGRESSION"
            if v["standing"] in ("confirmed", "told")
        }  # fmt: skip
        view = set(conn.execute(
            "SELECT v.comparison, v.id FROM read_model.newest n JOIN read_model.comparison c"
            " ON c.id = n.comparison AND c.role = 'baseline' JOIN read_model.verdict v"
            " ON v.comparison = n.comparison WHERE n.head_of = %s"
            " AND v.verdict = 'REGRESSION' AND v.standing IN ('confirmed', 'told')",
            (f"{TREE}/{night.branch}",),
        ).fetchall())  # fmt: skip
        if page != view:
            self._fault("surfaces agree", night, f"page {sorted(page ^ view)[:2]} view")
        assert night.told is not None
        mail = night_changes.collect(conn, world.catalogue, night.told, web="http://vlag.test/")
        mailed = {
            f["comparison"] for b in mail["branches"] for f in (*b["worse"], *b["worse_since"])
        } & {c for c, _v in page}  # fmt: skip
        for f in (f for b in mail["branches"] for f in (*b["worse"], *b["worse_since"])):
            place = f["board_type"], f["benchmark"]
            for each in shown.began(f["began"] or "") if self._losers([place]) else ():
                if not self._began(each, [place]):
                    self._fault("the right commit is blamed", night, f"mail on {place}: {each}")
        if mailed != {c for c, _v in page}:
            self._fault("surfaces agree", night, f"mail lacks {({c for c, _v in page}) - mailed}")
