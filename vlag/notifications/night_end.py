# SPDX-License-Identifier: GPL-2.0-only
"""The end of a night: it goes on record, alerts are derived, and messages are queued."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from attrs import frozen

from vlag.alerts import derive as alerting
from vlag.compare import ages, board_moves, false_discoveries, moves
from vlag.config import Settings, baseline_name
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.notifications import rfc5322
from vlag.notifications.channels import MAIL, WEBHOOK
from vlag.notifications.webhook import host
from vlag.report import mail as report
from vlag.report.data import night_changes
from vlag.report.mail_data import NightMail
from vlag.report.read_model import overview
from vlag.store import alerts, comparisons, messages, nights
from vlag.store.database import Connection
from vlag.store.nights import AtBaseline, LeftOut, Night, NightBranch


@frozen(kw_only=True)
class Told:
    """The result of notifying people of a night."""

    night: int
    new: bool  # False: it had been told before, and nothing was done
    queued: tuple[str, ...] = ()  # recipients


@frozen(kw_only=True)
class EndedNight:
    """A night as its builder reports it."""

    key: str  # equal for one night, however often it is reported
    started: datetime
    comparisons: Sequence[int]  # ids
    at_baseline: Sequence[AtBaseline] = ()
    left_out: Sequence[LeftOut] | None = None  # None: the night had no time by which to end
    missing: Sequence[str] = ()  # what was to be compared and was not
    notes: Sequence[str] = ()
    url: str | None = None  # of its build
    report: str | None = None  # path of its report, in the state
    finished: datetime | None = None  # None: now


def tell(
    conn: Connection,
    catalogue: Catalogue,
    settings: Settings,
    ended: EndedNight,
    *,
    synthetic: bool = False,
) -> Told:
    """Put a night on record, derive its alerts and queue who is told, all or nothing.

    A night is told once, however often it is reported with its key.  Raises UsageError for
    comparisons that are not on record and for a start that has not come yet.
    """
    with conn.transaction():
        # Of the transaction, as in alerts: the next night asks for what came after.
        finished = ended.finished or _now(conn)
        if ended.started > finished:
            raise UsageError(
                f"the night began at {ended.started.isoformat()}, which has not come yet"
            )
        screens = _screens(conn, ended.comparisons)
        noticed = _noticed(conn, catalogue, settings, screens, finished)
        night, new = nights.insert(
            conn,
            Night(
                key=ended.key,
                started_at=ended.started,
                finished_at=finished,
                multiple_testing=false_discoveries.judge(conn, screens).family if screens else None,
                comparisons=screens,
                branches=_watched(settings, catalogue, ended.at_baseline, ended.left_out),
                missing=ended.missing,
                notes=[*ended.notes, *noticed],
                url=ended.url,
                report=ended.report,
            ),
        )
        if not new:
            return Told(night=night, new=False)
        alerting.of_installation(conn, catalogue, settings, ended.comparisons)
        web = settings.url
        newest = overview(conn)
        data = night_changes.collect(
            conn, catalogue, night, web=web, synthetic=synthetic, newest=newest
        )
        nights.conclude(conn, night, data["night"]["conclusion"])
        names = [branch["name"] for branch in data["branches"]]
        owned = _owned(settings, names)
        for address, mine in owned.items():
            _mail(conn, settings, night_changes.of_branches(newest, data, mine), address, finished)
        recipients = dict(owned)
        if settings.webhook is not None:
            recipient = host(settings.webhook.url)
            _webhook(conn, data, recipient)
            recipients[recipient] = names
        if settings.alerts.channel == MAIL:
            _note_told(conn, data, recipients)
    return Told(night=night, new=True, queued=tuple(recipients))


def _noticed(
    conn: Connection,
    catalogue: Catalogue,
    settings: Settings,
    screens: Sequence[int],
    finished: datetime,
) -> list[str]:
    """Return what a night has noticed itself; boards that have moved leave the judging.

    It comes before alerts are derived: a board that is taken out is one.
    """
    last = nights.newest(conn)
    moved = [] if last is None else moves.since(conn, last.comparisons, screens)
    apart = board_moves.follow(conn, catalogue, finished)
    old = ages.stale(conn, settings, catalogue, screens)
    known = comparisons.predictions(conn, screens).values()
    names = [*catalogue.notes, *(note for p in known for note in p.get("notes", ()))]
    # A person reads it once.
    names = [note for note in dict.fromkeys(names) if not nights.noted(conn, note)]
    return [*moved, *apart, *old, *names]


def _now(conn: Connection) -> datetime:
    row = conn.execute("SELECT now()").fetchone()
    assert row is not None  # noqa: S101 - a row without a table
    return row[0].astimezone(UTC)  # type: ignore[no-any-return]


def _screens(conn: Connection, ids: Sequence[int]) -> list[int]:
    """Return those that are not of a rerun, whose answers stand in their screens' rows."""
    known = comparisons.by_ids(conn, ids)
    if unknown := [id_ for id_ in ids if id_ not in known]:
        raise UsageError(f"there is no comparison {unknown[0]} on record")
    return [id_ for id_ in dict.fromkeys(ids) if known[id_].stage != "confirm"]


def _watched(
    settings: Settings,
    catalogue: Catalogue,
    at_baseline: Sequence[AtBaseline],
    left_out: Sequence[LeftOut] | None,
) -> list[NightBranch]:
    """Return the branches that are watched, each once with board types, baselines and plans.

    A branch, or a pattern, has those of its heads that are their own baseline, and what was left
    out of the night.
    """
    types: dict[tuple[str, str], dict[str, None]] = {}
    plans: dict[tuple[str, str], dict[str, None]] = {}
    baselines: dict[tuple[str, str], dict[str, None]] = {}
    for b in settings.branches:
        key = (b.tree, b.branch)
        types.setdefault(key, {}).update(dict.fromkeys(catalogue.types_of(b.board_types)))
        baselines.setdefault(key, {})[baseline_name(b.base_tree, b.baseline)] = None
        plans.setdefault(key, {}).update(dict.fromkeys((b.plan, b.commit_plan, *b.weekly_plans)))
    watched: list[NightBranch] = []
    for (tree, branch), each in types.items():
        entry: NightBranch = {
            "tree": tree, "branch": branch, "board_types": list(each),
            "baselines": list(baselines[tree, branch]), "plans": list(plans[tree, branch]),
            "at_baseline": [
                {"branch": one.branch.partition("/")[2], "board_type": one.board_type,
                 "baseline": one.baseline}
                for one in at_baseline
                if fnmatchcase(one.branch, f"{tree}/{branch}") and one.board_type in each
            ],
        }  # fmt: skip
        if left_out is not None:
            entry["left_out"] = [
                {"branch": one.branch.partition("/")[2], "name": one.name,
                 "board_type": one.board_type, "nights": one.nights}
                for one in left_out
                if fnmatchcase(one.branch, f"{tree}/{branch}") and one.board_type in each
            ]  # fmt: skip
        watched.append(entry)
    return watched


def _owned(settings: Settings, branches: Sequence[str]) -> dict[str, list[str]]:
    """Return who gets mail of which branches; the owner of a pattern owns what it fits."""
    owned: dict[str, list[str]] = {}
    if settings.mail is None:
        return owned
    for branch in branches:
        tree, _, name = branch.partition("/")
        patterns = [w.branch for w in settings.branches if w.tree == tree]
        names = [name, *(p for p in patterns if fnmatchcase(name, p))]
        people = [address for n in names for address in settings.mail.recipients(tree, n)]
        for address in dict.fromkeys(people):
            owned.setdefault(address, []).append(branch)
    return owned


def _mail(
    conn: Connection, settings: Settings, mine: NightMail, address: str, at: datetime
) -> None:
    assert settings.mail is not None  # noqa: S101 - somebody gets mail
    by_mail = settings.alerts.channel == MAIL
    written = report.render(mine, alerts=by_mail, troubles=_troubles(conn, address))
    key = f"{MAIL}:{mine['night']['key']}:{address}"
    about = report.thread(mine) if by_mail else None
    thread = None if about is None else f"alert {about} of {settings.url}"
    sender = settings.mail.sender
    messages.queue(
        conn,
        key=key,
        channel=MAIL,
        recipient=address,
        subject=written.subject,
        body=rfc5322.night_mail(written, key=key, sender=sender, to=address, at=at, thread=thread),
        night=mine["night"]["id"],
    )


def _note_told(conn: Connection, data: NightMail, recipients: Mapping[str, Sequence[str]]) -> None:
    """Note which alerts go to people for the first time, or again as they are back."""
    for alert in data["alerts"]:
        if not alert["loud"] or not (alert["new"] or alert["back"] or alert["found"]):
            continue
        branches = set(alert["branches"])
        people = [p for p, names in recipients.items() if not branches or branches & set(names)]
        if people:
            why = f"with the night of {data['night']['date']} to {', '.join(people)}"
            alerts.note_told(conn, [alert["id"]], why)


def _troubles(conn: Connection, address: str) -> list[str]:
    """Say what failed to reach somebody since the last message was made for them."""
    return [
        f"The mail {m.subject!r} could not be delivered: {m.said}"
        for m in messages.untold(conn, address)
    ]


def _webhook(conn: Connection, data: NightMail, recipient: str) -> None:
    written = report.render(data)
    document = {**data, "subject": written.subject, "text": written.text}
    messages.queue(
        conn,
        key=f"{WEBHOOK}:{data['night']['key']}",
        channel=WEBHOOK,
        recipient=recipient,
        subject=written.subject,
        body=json.dumps(document, sort_keys=True, ensure_ascii=False).encode(),
        night=data["night"]["id"],
    )
