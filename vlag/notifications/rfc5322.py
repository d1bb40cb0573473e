# SPDX-License-Identifier: GPL-2.0-only
"""Mail as RFC 5322 has it: that of a night to its owners, and a report to a mailing list."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from email.headerregistry import Address, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy
from email.utils import format_datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from attrs import frozen

from vlag.errors import UsageError
from vlag.report.mail import Written

# SMTP takes lines of 998 octets and no more (RFC 5321, 4.5.3.1.6).
_LINE_MAX = 998
_ENCODED_LINE_MAX = 78  # of a header in another alphabet (RFC 2047, 2)

_ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+")
# 20261123031754.4321-1-kim@example.org
_ID = re.compile(r"(?:(?![@<>\"(),])[!-~]){1,400}@(?:(?![@<>\"(),])[!-~]){1,400}")
# Cc has the ends of lines; a lone surrogate is a byte that is no UTF-8.
_NO_TEXT = {"Cc", "Zl", "Zp", "Cs"}


@frozen(kw_only=True)
class Head:
    """What a person says about a mail; `address`, `addresses` and `reference` check it."""

    sender: Address
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    subject: str | None = None  # None: the report's own
    in_reply_to: str | None = None  # <ID@HOST>


class _Unfolded(EmailPolicy):
    """A policy that folds no header but those in other alphabets.

    The library folds a header that is a little too long right at its beginning, which some
    programs show, and writes a long Message-ID of another mail as encoded words, which no
    program understands.
    """

    def fold_binary(self, name: str, value: str) -> bytes:
        """Return a header as `EmailMessage.as_bytes` writes it."""
        most = _LINE_MAX if str(value).isascii() else _ENCODED_LINE_MAX
        return SMTP.clone(linesep=self.linesep, max_line_length=most).fold_binary(name, value)


def night_mail(
    written: Written, *, key: str, sender: str, to: str, at: datetime, thread: str | None = None
) -> bytes:
    """Return a mail as it goes over the wire: text first, then HTML.

    The same key gives the same Message-ID, by which a reader's program may know a mail
    that came twice.  Mails with the same `thread` refer to one Message-ID made of it, which no
    mail has: readers' programs show them as one thread.
    """
    mail = EmailMessage(policy=_Unfolded(linesep="\r\n"))
    mail["From"] = Address(display_name="vlag", addr_spec=sender)
    mail["To"] = Address(addr_spec=to)
    mail["Subject"] = literal(written.subject)
    mail["Date"] = format_datetime(at)
    mail["Message-ID"] = _message_id(key, sender)
    if thread is not None:
        mail["In-Reply-To"] = mail["References"] = _message_id(thread, sender)
    mail["List-Id"] = f"vlag <vlag.{sender.rpartition('@')[2]}>"  # RFC 2919: rules sort by it
    # RFC 2369: who takes people out of the settings reads what comes to the sender.
    mail["List-Unsubscribe"] = f"<mailto:{sender}?subject=unsubscribe>"
    mail["Auto-Submitted"] = "auto-generated"  # RFC 3834: nobody's holiday answers it
    mail.set_content(written.text, cte=_encoding(written.text))
    mail.add_alternative(written.html, subtype="html", cte=_encoding(written.html))
    mail.set_boundary(f"=_{_digest(key)}")
    return _checked(mail)


def _encoding(text: str) -> str:
    """Return how a text goes through servers that know ASCII and short lines alone."""
    plain = text.isascii() and max(map(len, text.split("\n"))) <= _LINE_MAX
    return "7bit" if plain else "quoted-printable"


def report_mail(text: str, head: Head, subject: str, at: datetime) -> bytes:
    """Return a report as a plain mail with lines of its own length, for a program that sends it.

    Its lines end as those of a file do: who sends it writes them as SMTP wants them.  The
    same text with the same head has the same Message-ID.  `subject` is the report's own.
    Raises UsageError for a line that no mail can hold.
    """
    subject = subject if head.subject is None else head.subject
    if head.in_reply_to and head.subject is not None and not re.match("(?i)re:", subject):
        subject = f"Re: {subject}"
    for number, line in enumerate(text.split("\n"), 1):
        if len(line.encode()) > _LINE_MAX:
            raise UsageError(
                f"line {number} of the report has more than {_LINE_MAX} bytes, which no mail can"
                " hold: shorten --note or --url"
            )
    mail = EmailMessage(policy=_Unfolded(linesep="\n"))
    mail["From"] = head.sender
    for name, people in (("To", head.to), ("Cc", head.cc)):
        if people:
            mail[name] = people
    mail["Subject"] = literal(subject)
    mail["Date"] = format_datetime(at)
    parts = (*map(str, (head.sender, *head.to, *head.cc)), subject, head.in_reply_to or "", text)
    mail["Message-ID"] = _message_id("\n".join(parts), head.sender.addr_spec)
    if head.in_reply_to:
        mail["In-Reply-To"] = mail["References"] = head.in_reply_to
    mail.set_content(text, cte="7bit" if text.isascii() else "8bit")
    return _checked(mail)


def literal(text: str) -> str:
    """Return a text for a header in which nothing is an encoded word (RFC 2047).

    `EmailMessage` decodes such a word, line breaks in it too, and Python before 3.11.10 writes
    them as they are (CVE-2024-6923): a kernel's release or a branch would write a header.
    """
    return text.replace("=?", "= ?")


def _checked(mail: EmailMessage) -> bytes:
    """Return a mail as it is sent; it has the headers that were set, each once, and no others."""
    data = mail.as_bytes()
    head = re.split(rb"\r?\n\r?\n", data, maxsplit=1)[0]
    names = [line.partition(b":")[0] for line in head.splitlines() if line[:1] not in b" \t"]
    if names != [name.encode() for name in mail]:
        raise UsageError(
            "the mail would have other headers than it should, as a name in it holds a line break:"
            f" {names}"
        )
    return data


def _message_id(key: str, sender: str) -> str:
    return f"<{_digest(key)}@{sender.rpartition('@')[2]}>"


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:32]


# What a person gives.


def addresses(texts: Sequence[str], option: str) -> tuple[Address, ...]:
    """Return the addresses in values of an option, each one or several with commas.

    Raises UsageError for what is no address, for example one with a line break in it.
    """
    parsed: list[Address] = []
    for text in texts:
        try:
            header: Any = HeaderRegistry()("To", one_line(text, option))
            specs = [a.addr_spec for a in header.addresses]
        except ValueError:  # an encoded word with a line break
            specs = []
        if not specs or header.defects or not all(map(_usable, specs)):
            raise UsageError(
                f"{option} {text!r} is no mail address; write kim@example.org, or"
                " 'Kim Doe <kim@example.org>'"
            )
        for a in header.addresses:
            name = literal(one_line(a.display_name, option)) if a.display_name else ""
            parsed.append(Address(name, addr_spec=a.addr_spec))
    return tuple(parsed)


def _usable(address: str) -> bool:
    return address.isascii() and _ADDRESS.fullmatch(address) is not None


def address(text: str, option: str) -> Address:
    """Return the one address that an option gives; UsageError for none and for several."""
    given = addresses([text], option)
    if len(given) != 1:
        raise UsageError(f"{option} {text!r} has {len(given)} addresses; a mail has one sender")
    return given[0]


def reference(text: str, option: str) -> str:
    """Return "<ID@HOST>" of a Message-ID, with or without its brackets, or of its page on lore.

    Raises UsageError for what is none.
    """
    text = text.strip()
    if text.startswith(("https://", "http://")):
        parts = [unquote(part) for part in urlsplit(text).path.split("/")]
        ids = [part for part in parts if _ID.fullmatch(part)]
    else:
        inner = text[1:-1] if text.startswith("<") and text.endswith(">") else text
        ids = [inner] if _ID.fullmatch(inner) else []
    if len(ids) != 1 or ids[0] != literal(ids[0]):
        raise UsageError(
            f"{option} {text!r} is no Message-ID; give the <ID@HOST> of the mail, or its page:"
            " https://lore.kernel.org/r/ID@HOST/"
        )
    return f"<{ids[0]}>"


def one_line(text: str, option: str) -> str:
    """Return a text that a header can hold; UsageError for ends of lines and the like."""
    if any(unicodedata.category(c) in _NO_TEXT for c in text) or not text.strip():
        raise UsageError(
            f"{option} {text!r} is empty, or has a line break or another character that no line of"
            " a mail's head can hold"
        )
    return text.strip()
