# SPDX-License-Identifier: GPL-2.0-only
"""A made-up year in short: each kind of event once, and what people read of each night."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from bench.years.world import EVENTS, LENGTHS, World
from vlag.store import messages

#: The events of each night; what lasts does so for two or three nights.
COURSE: Sequence[Sequence[str]] = (
    (), (), ("a loss",), ("no push",), ("a new tag of the baseline",), ("a date in the future",),
    ("a rebase",), ("a second baseline",), ("a tool's update",), ("a compiler's update",),
    ("a revert",), (), ("a gain",), ("a loss",), ("a firmware's update",), ("a board joins",),
    ("a board drifts",), (), ("bad boots",), (), ("a revert",), ("a board leaves",),
    ("a missed night",), ("a loss", "a clock ahead"), ("the night comes twice",),
    ("another parameter",), ("a metric is renamed",), ("a benchmark out of the plan",), (), (),
    ("a metric out of the catalogue",), (), (), ("the branch is renamed",),
    ("the branch is not watched",), (), (), ("a reset",), ("another baseline",), ("a slow loss",),
    ("a second mode",), (), ("a revert",), (),
)  # fmt: skip
#: What a person does after the night with that number: alert and state.
PEOPLE = {4: (1, "investigating"), 11: (1, "fixed"), 15: (2, "wont_fix")}

# Nights end now, whenever the year is told.
_DAY = re.compile(r"20\d\d-\d\d-\d\d(?: \d\d:\d\d UTC)?")


def missing() -> set[str]:
    """Return the kinds of events that no night has."""
    return {*EVENTS, *LENGTHS} - {event for night in COURSE for event in night}


def told(world: World, course: Sequence[Sequence[str]] = COURSE) -> Iterator[str]:
    """Tell each night: its events, subject and first paragraph of its mails, and what changed."""
    world.lengths = dict.fromkeys(LENGTHS, (2, 3))
    known: dict[int, str] = {}
    mails = 0
    for events in course:
        night = world.night(events)
        lines = [f"Night {night.number}: {', '.join(night.events) or 'a push, nothing else'}"]
        fresh = sorted(messages.latest(world.conn, 999), key=lambda m: m.id)
        for message in fresh[mails:]:
            lines += _mail(message.body)
        mails = len(fresh)
        now = _alerts(world)
        lines += [f"  {line}" for id_, line in now.items() if known.get(id_) != line]
        known = now
        if world.count in PEOPLE:
            number, state = PEOPLE[world.count]
            if number in known:
                world.close(number, state)
                lines.append(f"  (kim says: alert {number} is {state})")
                known = _alerts(world)
        yield _DAY.sub("DATE", "\n".join([*lines, ""]))


def _mail(body: bytes) -> list[str]:
    mail = message_from_bytes(body, policy=default)
    assert isinstance(mail, EmailMessage)
    text = next(p for p in mail.iter_parts() if p.get_content_type() == "text/plain")
    first = text.get_content().replace("\r\n", "\n").split("\n\n")[0]
    return [f"  mail: {mail['Subject']}", *(f"    {line}" for line in first.splitlines())]


def _alerts(world: World) -> dict[int, str]:
    """Return what each alert is and says, by its number."""
    rows = world.conn.execute(
        "SELECT id, title, withdrawn_at IS NOT NULL, triage, (SELECT e.why"
        "   FROM read_model.alert_event e WHERE e.alert = a.id AND e.action = 'withdrawn'"
        "   ORDER BY e.id DESC LIMIT 1) FROM read_model.alert a ORDER BY id"
    ).fetchall()
    return {
        id_: _DAY.sub("DATE", f"alert {id_}, {triage}: {title}")
        + (f"\n    gone: {why}" if gone else "")
        for id_, title, gone, triage, why in rows
    }
