# SPDX-License-Identifier: GPL-2.0-only
"""Text of others in the head of a mail writes no header, whichever Python runs."""

from __future__ import annotations

import datetime
import email
import email.policy
from email.message import EmailMessage

import pytest

from vlag.errors import UsageError
from vlag.notifications import rfc5322
from vlag.notifications.rfc5322 import Head, address, addresses, night_mail, reference, report_mail
from vlag.report.mail import Written

AT = datetime.datetime(2026, 11, 28, tzinfo=datetime.UTC)
#: What a release of a kernel (`[!-~]{1,64}`), a branch or a person may hold.
EVIL = [
    "6.12.0=?utf-8?q?=0ABcc:=20x@evil.example?=", "=?utf-8?q?a=0D=0ABcc:x@evil.example?=",
    "=?utf-8?b?YQpCY2M6IHhAZXZpbC5leGFtcGxl?=", "=?us-ascii?Q?=0A=0Abody?=",
    "=?utf-8?q?a?= =?utf-8?q?=0ABcc:x?=",
]  # fmt: skip


def head_of(data: bytes) -> dict[str, str]:
    """Return the headers as a reader's program finds them."""
    found = email.message_from_bytes(data, policy=email.policy.compat32)
    return {name.lower(): str(value) for name, value in found.items()}


def report(**head: object) -> bytes:
    sender = address("Kim <kim@example.org>", "--from")
    return report_mail("text\n", Head(sender=sender, **head), "a report", AT)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", EVIL)
def test_a_subject_writes_no_header(text: str) -> None:
    subject = f"[vlag] linux/{text}: 1 regression"
    written = Written(subject=subject, text="text\n", html="<p>text</p>\n")
    night = night_mail(written, key="k", sender="v@example.org", to="k@example.org", at=AT)
    for data in (night, report(subject=subject)):
        found = head_of(data)
        assert "bcc" not in found
        assert "evil.example" not in found.get("to", "")
        # What it says is there as text, in which no program finds an encoded word.
        assert found["subject"].replace("\n", "").replace("\r", "") == subject.replace("=?", "= ?")


@pytest.mark.parametrize("text", EVIL)
def test_what_a_person_gives_writes_no_header(text: str) -> None:
    for call in (
        lambda: addresses([f"{text} <kim@example.org>"], "--to"),
        lambda: reference(f"<{text.partition(' ')[0]}@example.org>", "--in-reply-to"),
    ):
        with pytest.raises(UsageError, match=r"^--(to|in-reply-to) .* is no ") as caught:
            call()
        assert "\n" not in str(caught.value)


def test_a_mail_with_another_header_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: Python's own way, where it has the fault; and the last check."""
    monkeypatch.setattr(rfc5322, "literal", lambda text: text)
    mail = EmailMessage()
    mail["Subject"] = EVIL[0]
    try:
        faulty = b"\nBcc: x@evil.example" in mail.as_bytes()
    except ValueError:  # a Python that is mended refuses it
        faulty = False
    if faulty:
        with pytest.raises(UsageError, match="the mail would have other headers"):
            report(subject=EVIL[0])


def test_names_in_other_alphabets_are_encoded_as_before() -> None:
    found = head_of(report(subject="Größe, 中文", to=addresses(["Žofie <z@example.org>"], "--to")))
    assert found["subject"].startswith("=?utf-8?")
    assert found["to"].startswith("=?utf-8?")
    assert reference("<a@b>", "--in-reply-to") == "<a@b>"
