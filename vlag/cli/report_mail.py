# SPDX-License-Identifier: GPL-2.0-only
"""`vlag report --mail`: its options, and the message that they make of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from vlag.config import Settings
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.notifications.rfc5322 import Head

_F = TypeVar("_F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--mail", is_flag=True, help="The short report as a mail, for git send-email."),
    click.option("--from", "sender", metavar="ADDR",
                 help="With --mail: who sends it (default: that of [mail])."),
    click.option("--to", multiple=True, metavar="ADDR", help="With --mail: who gets it."),
    click.option("--cc", multiple=True, metavar="ADDR", help="With --mail: who gets a copy."),
    click.option("--subject", metavar="TEXT", help="With --mail: its subject."),
    click.option("--in-reply-to", metavar="ID",
                 help="With --mail: the Message-ID, or the lore address, of what it answers."),
)  # fmt: skip


def options(command: _F) -> _F:
    """Give a command the options of a mail, see `Letter`."""
    for part in reversed(_OPTIONS):
        command = part(command)
    return command


class Letter(Protocol):
    """Options of a mail."""

    @property
    def mail(self) -> bool: ...  # noqa: D102 - a field
    @property
    def sender(self) -> str | None: ...  # noqa: D102 - a field
    @property
    def to(self) -> tuple[str, ...]: ...  # noqa: D102 - a field
    @property
    def cc(self) -> tuple[str, ...]: ...  # noqa: D102 - a field
    @property
    def subject(self) -> str | None: ...  # noqa: D102 - a field
    @property
    def in_reply_to(self) -> str | None: ...  # noqa: D102 - a field


def refuse(given: Letter, others: bool) -> None:
    """Raise UsageError for a mail with other options, and for options of a mail without one.

    `others` says whether options were given that a mail has no use for.
    """
    for name in ("sender", "to", "cc", "subject", "in_reply_to"):
        if not given.mail and getattr(given, name):
            option = {"sender": "--from", "in_reply_to": "--in-reply-to"}.get(name, f"--{name}")
            raise UsageError(f"{option} is for --mail; write `vlag report --mail {option} ...`")
    if given.mail and others:
        raise UsageError(
            "--mail is the short report of comparisons or a night: beside the head of a mail it"
            " takes --comparison, --night, --note, --url and --output"
        )


def head(settings: Settings, given: Letter) -> Head | None:
    """Return the head that options and settings give; None without --mail.

    Raises UsageError for addresses and ids that are none, and for a mail without a sender.
    """
    if not given.mail:
        return None
    from vlag.notifications.rfc5322 import Head, address, addresses, one_line, reference

    sender, subject, parent = given.sender, given.subject, given.in_reply_to
    if sender is None and settings.mail is None:
        raise UsageError(
            f"who sends the mail? give --from ADDR, or set `from` of [mail] in {settings.path}"
        )
    ours = f"vlag <{settings.mail.sender}>" if settings.mail is not None else ""
    return Head(
        sender=address(ours if sender is None else sender, "--from"),
        to=addresses(given.to, "--to"),
        cc=addresses(given.cc, "--cc"),
        subject=None if subject is None else one_line(subject, "--subject"),
        in_reply_to=None if parent is None else reference(parent, "--in-reply-to"),
    )


def message(data: Mapping[str, Any], written: str, head: Head | None) -> str:
    """Return the mail of a short report, `written` from `data`; the report itself without a head.

    It ends with a newline.
    """
    if head is None:
        return written
    from vlag.notifications.rfc5322 import report_mail
    from vlag.report.mail import report_subject

    return report_mail(written, head, report_subject(data), datetime.now(UTC)).decode()
