# SPDX-License-Identifier: GPL-2.0-only
"""Nine made-up nights of one branch, and what people read of each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from tests.integration.nights import Nights
from tests.integration.planted import planted
from vlag.store import messages

#: What the head of each night does to the rate, as against the baseline.
COURSE = (
    ("nothing yet", "1", 1.0),
    ("a commit costs 6 %", "2", 0.94),
    ("nothing new is pushed", "2", 0.94),
    ("another commit costs more", "3", 0.88),
    ("a fix takes back the second", "4", 0.94),
    ("another fix takes back the first", "5", 1.0),
    ("nothing", "6", 1.0),
    ("the first comes back", "7", 0.94),
    ("a commit makes it faster than ever", "8", 1.08),
)

#: Columns of the rows that say when they were made.
_DATED = {
    "comparison": ("created_at",), "suspicion": ("created_at",), "decision": ("at",),
    "alert": ("opened_at", "changed_at", "withdrawn_at", "told_at"), "alert_event": ("at",),
}  # fmt: skip


def told(nights: Nights) -> Iterator[str]:
    """Tell each night; yield the alerts with their states, and subject and head of its mail."""
    for what, head, factor in COURSE:
        screen = nights.compare(head, factor, stage="screen")
        if factor != 1.0:
            nights.compare(head, factor, stage="confirm", boots=2)
        nights.tell([screen])
        _date(nights)
        yield "\n".join([f"Night {nights.count}: {what}", *_mail(nights), *_alerts(nights), ""])


def _date(nights: Nights) -> None:
    """Give what this night has put on record its own time: the database dates it today."""
    end = nights.first + timedelta(days=nights.count - 1, hours=2)
    with planted(nights.conn) as conn:
        for table, columns in _DATED.items():
            for column in columns:
                conn.execute(
                    f"UPDATE {table} SET {column} = %s WHERE {column} > %s",  # noqa: S608 - constants
                    (end, nights.first + timedelta(days=99)),
                )


def _mail(nights: Nights) -> list[str]:
    newest = max(messages.latest(nights.conn, 99), key=lambda m: m.id)
    mail = message_from_bytes(newest.body, policy=default)
    assert isinstance(mail, EmailMessage)
    text = next(p for p in mail.iter_parts() if p.get_content_type() == "text/plain")
    first = text.get_content().replace("\r\n", "\n").split("\n\n")[0]
    return [f"  mail: {mail['Subject']}", *(f"    {line}" for line in first.splitlines())]


def _alerts(nights: Nights) -> list[str]:
    rows = nights.conn.execute(
        "SELECT id, title, open, triage FROM read_model.alert ORDER BY id"
    ).fetchall()
    return [
        f"  alert {id_}, {'open' if is_open else 'gone'}, {triage}: {title}"
        for id_, title, is_open, triage in rows
    ] or ["  no alert"]
