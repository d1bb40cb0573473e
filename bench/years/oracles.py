"""Oracles: after each night, is what the service says true, and does it say what is true?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from bench.years.world import BRANCH, TREE, Night, Place, World
from vlag.notifications import night_mail
from vlag.report import read_model
from vlag.store.database import Connection

#: Nights until which a loss must be said, and a healed one be gone.
SOON = 3
#: Nights whose statements are looked at again.
_KEPT = 12

_ALERTS = """
SELECT a.id, a.role, a.triage::text, a.owner,
  coalesce((SELECT k.commit FROM change_point p JOIN kernel k ON k.id = p.kernel
    WHERE p.id = a.change_point), CASE WHEN a.role = 'parent' THEN k.commit END) AS commit,
  ARRAY(SELECT DISTINCT v.board_type || ' ' || v.benchmark FROM read_model.alert_verdict v
    WHERE v.alert = a.id) AS places
FROM alert a JOIN kernel k ON k.id = a.new_kernel
WHERE a.kind = 'regression' AND a.withdrawn_at IS NULL ORDER BY a.id
"""
_SHOWN = """
SELECT v.id, v.verdict, v.standing, round(v.effect::numeric, 6) AS effect FROM read_model.verdict v
WHERE v.comparison = ANY(%s) ORDER BY v.id
"""


@frozen(kw_only=True)
class Alert:
    """An alert that stands."""

    id: int
    commit: str | None
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
    """A true loss at a place, and when it was said."""

    commit: str
    place: Place
    since: int  # night that measured it first
    nights: int = 0  # that have measured it
    said: int | None = None  # of those, until an alert had it
    blamed: int | None = None  # until one named its commit
    healed: int | None = None  # nights that have measured its end
    gone: int | None = None  # of those, until no alert had it
    events: set[str] = field(factory=set)


@define(kw_only=True)
class Judge:
    """What one world's truth was, and what was said of it."""

    world: World
    losses: list[Loss] = field(factory=list)
    faults: list[Fault] = field(factory=list)
    alert_nights: int = 0  # open alerts, each counted every night
    true_nights: int = 0  # those of them that were true
    statements: int = 0  # that were looked at again
    triaged: dict[int, tuple[str, str | None]] = field(factory=dict)
    _shown: dict[int, list[Any]] = field(factory=dict)
    _recent: list[tuple[str, ...]] = field(factory=list)

    def look(self, night: Night) -> None:
        """Judge what is said after a night."""
        self._recent = [*self._recent, tuple(night.events)][-SOON - 1 :]
        if night.told is None:
            return
        alerts = standing(self.world.conn)
        self._losses(night, alerts)
        self._alerts(night, alerts)
        self._triage(night, alerts)
        self._statements(night)
        self._surfaces(night)

    def people(self, state: str) -> None:
        """Let a person settle an alert that nobody has looked at."""
        for alert in standing(self.world.conn):
            if alert.triage == "new":
                self.world.close(alert.id, state)
                row = self.world.conn.execute(
                    "SELECT triage::text, owner FROM alert WHERE id = %s", (alert.id,)
                ).fetchone()
                assert row is not None
                self.triaged[alert.id] = (row[0], row[1])
                return

    def _fault(self, oracle: str, night: Night, text: str, events: Iterable[str] = ()) -> None:
        of = sorted({*events, *(e for some in self._recent for e in some)})
        self.faults.append(Fault(oracle=oracle, night=night.number, text=text, events=of))

    def _losses(self, night: Night, alerts: Sequence[Alert]) -> None:
        head = night.head
        now = {(head.culprits[p], p) for p in head.lost}
        known = {(x.commit, x.place): x for x in self.losses if x.healed is None}
        for commit, place in sorted(now - known.keys()):
            self.losses.append(Loss(commit=commit, place=place, since=night.number))
        for loss in self.losses:
            about = [a for a in alerts if loss.place in a.places]
            if (loss.commit, loss.place) in now and loss.healed is None:
                loss.nights += 1
                loss.events |= set(night.events) if loss.nights <= SOON else set()
                if about and loss.said is None:
                    loss.said = loss.nights
                if loss.blamed is None and any(a.commit == loss.commit for a in about):
                    loss.blamed = loss.nights
                if loss.nights == SOON and loss.said is None:
                    self._fault("a loss is said", night, f"{loss.commit[:12]} at {loss.place}")
                elif loss.nights == SOON and loss.blamed is None:
                    self._fault("its commit is named", night, f"{loss.commit[:12]} at {loss.place}")
                if loss.nights > SOON and loss.said is not None and not about:
                    self._fault("it stays said", night, f"{loss.commit[:12]} at {loss.place}")
                continue
            if loss.gone is not None:
                continue
            loss.healed = (loss.healed or 0) + 1
            still = [a for a in about if a.commit in (None, loss.commit)]
            again = any(place == loss.place for _commit, place in now)
            if not still or again:
                loss.gone = loss.healed
            elif loss.healed == SOON:
                ids = [a.id for a in still]
                self._fault("a healed one ends", night, f"alerts {ids} on {loss.commit[:12]}")

    def _alerts(self, night: Night, alerts: Sequence[Alert]) -> None:
        """An open alert is true as long as the head has the loss, and some nights more."""
        lately = {x.place for x in self.losses if x.healed is None or x.healed <= SOON}
        for alert in alerts:
            self.alert_nights += 1
            if alert.places & lately:
                self.true_nights += 1
            else:
                self._fault("an alert is true", night, f"alert {alert.id} on {set(alert.places)}")

    def _triage(self, night: Night, alerts: Sequence[Alert]) -> None:
        by_id = {a.id: a for a in alerts}
        for id_, (state, owner) in list(self.triaged.items()):
            alert = by_id.get(id_)
            if alert is None:
                del self.triaged[id_]  # whether it may have gone is asked elsewhere
                continue
            if (alert.triage, alert.owner) != (state, owner):
                self._fault("triage is kept", night, f"alert {id_}: {state}, now {alert.triage}")
                del self.triaged[id_]
            for other in alerts:
                if other.id > id_ and other.places <= alert.places and other.commit == alert.commit:
                    self._fault("triage is kept", night, f"alert {other.id} repeats {id_}")

    def _statements(self, night: Night) -> None:
        """What a night has shown is shown the same later."""
        conn = self.world.conn
        for number, (ids, shown) in self._shown.items():
            now = conn.execute(_SHOWN, (ids,)).fetchall()
            self.statements += len(now)
            changed = [(a, b) for a, b in zip(shown, now, strict=False) if a != b]
            if changed:
                self._fault("a statement stays", night, f"of night {number}: {changed[0]}")
                self._shown[number] = [ids, now]
        ids = list(night.comparisons)
        self._shown[night.number] = [ids, conn.execute(_SHOWN, (ids,)).fetchall()]
        for number in sorted(self._shown)[:-_KEPT]:
            del self._shown[number]

    def _surfaces(self, night: Night) -> None:
        """Overview, page of the branch and mail name the same figures as worse."""
        conn, world = self.world.conn, self.world
        page = {
            (c["id"], v["id"]) for c in read_model.branch(conn, TREE, BRANCH)["comparisons"]
            if c["role"] == "baseline"
            for v in c["verdicts"] if v["verdict"] == "REGRESSION"
            if v["standing"] in ("confirmed", "told")
        }  # fmt: skip
        view = set(conn.execute(
            "SELECT v.comparison, v.id FROM read_model.newest n JOIN read_model.comparison c"
            " ON c.id = n.comparison AND c.role = 'baseline' JOIN read_model.verdict v"
            " ON v.comparison = n.comparison WHERE n.head_of = %s"
            " AND v.verdict = 'REGRESSION' AND v.standing IN ('confirmed', 'told')",
            (f"{TREE}/{BRANCH}",),
        ).fetchall())  # fmt: skip
        if page != view:
            self._fault("surfaces agree", night, f"page {sorted(page ^ view)[:2]} view")
        assert night.told is not None
        mail = night_mail.collect(conn, world.catalogue, night.told, web="http://vlag.test/")
        said = {
            f["comparison"] for b in mail["branches"] for f in (*b["worse"], *b["worse_since"])
        } & {c for c, _v in page}  # fmt: skip
        if said != {c for c, _v in page}:
            self._fault("surfaces agree", night, f"mail lacks {({c for c, _v in page}) - said}")


def standing(conn: Connection) -> list[Alert]:
    """Return the alerts about regressions that nothing has withdrawn."""
    found = []
    for id_, _role, triage, owner, commit, places in conn.execute(_ALERTS).fetchall():
        split = (p.split(" ", 1) for p in places)
        found.append(
            Alert(id=id_, commit=commit, triage=triage, owner=owner,
                  places=frozenset((a, b) for a, b in split))
        )  # fmt: skip
    return found


@frozen(kw_only=True)
class Score:
    """What came of some years."""

    losses: int  # that were measured for `SOON` nights
    said: int  # of those within that time
    blamed: int  # of those with the right commit
    healed: int  # losses that ended, and were measured for as long after
    ended: int  # of those with no alert left
    alert_nights: int
    true_nights: int
    statements: int
    faults: Mapping[str, int]
    by_event: Mapping[str, tuple[int, int]]  # losses that came with an event, and those said

    @property
    def rates(self) -> dict[str, float]:
        """Return what is asked of the service, as shares."""
        return {
            "losses said with their commit": _share(self.blamed, self.losses),
            "alerts that are true": _share(self.true_nights, self.alert_nights),
            "healed alerts that ended": _share(self.ended, self.healed),
        }


def _share(some: int, of: int) -> float:
    return some / of if of else 1.0


def score(judges: Sequence[Judge]) -> Score:
    """Return what came of some years."""
    losses = [x for j in judges for x in j.losses if x.nights >= SOON]
    healed = [x for j in judges for x in j.losses if (x.healed or 0) >= SOON or x.gone]
    events: dict[str, list[bool]] = {}
    for loss in losses:
        for event in loss.events:
            events.setdefault(event, []).append((loss.blamed or SOON + 1) <= SOON)
    return Score(
        losses=len(losses),
        said=sum((x.said or SOON + 1) <= SOON for x in losses),
        blamed=sum((x.blamed or SOON + 1) <= SOON for x in losses),
        healed=len(healed),
        ended=sum((x.gone or SOON + 1) <= SOON for x in healed),
        alert_nights=sum(j.alert_nights for j in judges),
        true_nights=sum(j.true_nights for j in judges),
        statements=sum(j.statements for j in judges),
        faults=Counter(f.oracle for j in judges for f in j.faults),
        by_event={name: (len(x), sum(x)) for name, x in sorted(events.items())},
    )
