# SPDX-License-Identifier: GPL-2.0-only
"""Two nights of one branch; in the second its head is slower by a factor, as a rerun confirms.

`docs/example-first-minute.md` shows the mail of the second one.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from tests.integration.nights import FIRST, Nights
from vlag import ROOT
from vlag.store import messages
from vlag.store.database import Connection

PAGE = ROOT / "docs" / "example-first-minute.md"
_MAIL = re.compile(r"```\n(Subject: .*?)```\n", re.DOTALL)


def planted_night(nights: Nights, factor: float = 0.94) -> None:
    """Tell a night in which nothing is worse, and one with the planted regression."""
    nights.tell([nights.compare("1", stage="screen")])
    screens = [
        nights.compare("2", factor, stage="screen"),
        nights.compare("2", factor, stage="screen", role="parent", tag="parent"),
    ]
    for role in ("baseline", "parent"):
        tag = "parent" if role == "parent" else ""
        nights.compare("2", factor, stage="confirm", boots=2, role=role, tag=tag)
    nights.tell(screens)


def newest_mail(conn: Connection, first: date | None = None) -> str:
    """Return subject and text of the newest mail, as of nights since `FIRST`.

    `first` is the day of the first night, if it is another; what the database dated is of today.
    """
    first = first or FIRST.date()
    newest = max(messages.latest(conn, 9), key=lambda m: m.id)
    found = message_from_bytes(newest.body, policy=default)
    assert isinstance(found, EmailMessage)
    text = next(p for p in found.iter_parts() if p.get_content_type() == "text/plain")
    body = text.get_content().replace("\r\n", "\n").rstrip()
    said = f"Subject: {found['Subject']}\n\n{body}\n"
    second = FIRST.date() + timedelta(days=1)
    dates = {
        first: FIRST.date(),
        first + timedelta(days=1): second,
        datetime.now(UTC).date(): second,
    }
    for day, told in dates.items():
        said = said.replace(str(day), str(told))
    return said


def shown() -> str:
    """Return the mail that the page shows."""
    [text] = _MAIL.findall(PAGE.read_text(encoding="utf-8"))
    return str(text)


def show(mail: str) -> None:
    """Put a mail into the page."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_MAIL.sub(lambda _: f"```\n{mail}```\n", page), encoding="utf-8")
