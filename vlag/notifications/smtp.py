# SPDX-License-Identifier: GPL-2.0-only
"""Mail through a server, by the standard library."""

from __future__ import annotations

import contextlib
import smtplib
import socket
import ssl
from pathlib import Path

from attrs import frozen

from vlag.errors import blame
from vlag.notifications.outbox import Answer, Fate
from vlag.store.messages import Message

NONE, STARTTLS, TLS = "none", "starttls", "tls"

# To connect, greet and log in.  A server that takes longer is tried again anyway.
COMMAND_TIMEOUT_S = 60.0
# RFC 5321, 4.5.3.2.6 asks for ten minutes after the text: who gives up early sends it twice.
TEXT_TIMEOUT_S = 600.0

_SAID_MAX = 500  # characters of an answer that are kept
_FAULTS = (smtplib.SMTPException, OSError)


@frozen(kw_only=True)
class Smtp:
    """A mail server, and who we are there."""

    host: str
    port: int
    sender: str  # address
    tls: str = NONE
    user: str | None = None
    password_file: Path | None = None
    command_timeout_s: float = COMMAND_TIMEOUT_S
    text_timeout_s: float = TEXT_TIMEOUT_S

    def send(self, message: Message) -> Answer:
        """Deliver a mail to its one recipient.

        A refusal of the recipient or of the mail is for good, one of our name, password or
        sender's address is not: a person can mend that.
        """
        password = self._password()
        with contextlib.ExitStack() as held:
            try:
                server = self._connect(held, password)
            except _FAULTS as e:
                return Answer(fate=Fate.AWAY, reply=f"{self.host}:{self.port}: {_words(e)}")
            try:
                answer = self._deliver(server, message)
            except _FAULTS as e:
                return Answer(fate=Fate.LATER, reply=_words(e))
            # The answer counts, however the goodbye ends.
            with contextlib.suppress(*_FAULTS):
                server.quit()
            return answer

    def _password(self) -> str:
        if self.password_file is None:
            return ""
        try:
            return self.password_file.read_text(encoding="utf-8").strip()
        except OSError as e:
            raise blame(
                e,
                f"{self.password_file}: cannot read the mail server's password ({e.strerror});"
                " `mail.password_file` in the settings names the file",
            ) from e

    def _connect(self, held: contextlib.ExitStack, password: str) -> smtplib.SMTP:
        """Return a server that has let us in."""
        context = ssl.create_default_context()
        if self.tls == TLS:
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=self.command_timeout_s, context=context
            )
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=self.command_timeout_s)
        held.callback(server.close)
        server.ehlo_or_helo_if_needed()
        if self.tls == STARTTLS:
            server.starttls(context=context)
            server.ehlo()
        if self.user is not None:
            server.login(self.user, password)
        return server

    def _deliver(self, server: smtplib.SMTP, message: Message) -> Answer:
        """Return the server's answer to a mail."""
        code, text = server.mail(self.sender)
        if code // 100 != 2:
            return Answer(fate=Fate.LATER, reply=_reply(code, text))
        code, text = server.rcpt(message.recipient)
        if code // 100 == 2:
            if server.sock is not None:
                server.sock.settimeout(self.text_timeout_s)
            try:
                code, text = server.data(message.body)
            except smtplib.SMTPDataError as e:  # no text went out, whatever the code is
                fate = Fate.REFUSED if e.smtp_code // 100 == 5 else Fate.LATER
                return Answer(fate=fate, reply=_words(e))
            except _FAULTS as e:
                why = f"no answer to the mail: {_words(e)}; it may have arrived"
                return Answer(fate=Fate.LATER, reply=why)
        return Answer(fate=_fate(code), reply=_reply(code, text))


def _fate(code: int) -> Fate:
    return {2: Fate.TAKEN, 5: Fate.REFUSED}.get(code // 100, Fate.LATER)


def _reply(code: int, text: bytes) -> str:
    words = " ".join(text.decode("ascii", "replace").split())
    return f"{code} {words}"[:_SAID_MAX]


def _words(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        reply = error.smtp_error
        text = reply if isinstance(reply, bytes) else str(reply).encode()
        return _reply(error.smtp_code, text)
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, socket.gaierror):
        return f"its name is not known ({error.strerror})"
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(words).split())[:_SAID_MAX]
