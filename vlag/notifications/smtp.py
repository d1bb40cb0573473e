"""Mail through a server, a step at a time: what it has and what it has not is always known."""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from vlag.errors import UsageError
from vlag.notifications.outbox import Answer, Fate
from vlag.store.messages import Message

NONE, STARTTLS, TLS = "none", "starttls", "tls"

# RFC 5321, 4.5.3.2: five minutes for most commands is what it asks for; a server that takes
# longer than one is tried again anyway.  The dot gets its ten: who gives up early there
# does not know whether the mail arrived.
COMMAND_TIMEOUT_S = 60.0
DOT_TIMEOUT_S = 600.0

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
    dot_timeout_s: float = DOT_TIMEOUT_S

    def send(self, message: Message, hand_over: Callable[[], None]) -> Answer:
        """Deliver a mail to its one recipient.

        A refusal of the recipient or of the mail is for good, one of our name, password or
        sender's address is not: a person can mend that.
        """
        password = self._password()
        with contextlib.ExitStack() as held:
            try:
                server = self._connect(held)
                self._greet(server, password)
            except _FAULTS as e:
                return Answer(fate=Fate.AWAY, said=f"{self.host}:{self.port}: {_words(e)}")
            try:
                answer = self._offer(server, message)
                if answer is None:
                    hand_over()
                    answer = _left(server)
            except _FAULTS as e:
                return Answer(fate=Fate.LATER, said=_words(e))
            if answer is None:
                try:
                    answer = self._end(server)
                except _FAULTS as e:
                    said = f"no answer to the end of the mail: {_words(e)}; it may have arrived"
                    return Answer(fate=Fate.UNKNOWN, said=said)
            # Whatever becomes of the goodbye, what was said before stands.
            with contextlib.suppress(*_FAULTS):
                server.quit()
            return answer

    def _password(self) -> str:
        if self.password_file is None:
            return ""
        try:
            return self.password_file.read_text(encoding="utf-8").strip()
        except OSError as e:
            raise UsageError(
                f"{self.password_file}: cannot read the mail server's password ({e.strerror});"
                " `mail.password_file` in the settings names the file"
            ) from e

    def _connect(self, held: contextlib.ExitStack) -> smtplib.SMTP:
        if self.tls == TLS:
            context = ssl.create_default_context()
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=self.command_timeout_s, context=context
            )
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=self.command_timeout_s)
        held.callback(server.close)
        return server

    def _greet(self, server: smtplib.SMTP, password: str) -> None:
        server.ehlo_or_helo_if_needed()
        if self.tls == STARTTLS:
            server.starttls(context=ssl.create_default_context())
            server.ehlo()
        if self.user is not None:
            server.login(self.user, password)

    def _offer(self, server: smtplib.SMTP, message: Message) -> Answer | None:
        """Send all but the end; return what the server answered instead of taking it."""
        code, text = server.mail(self.sender)
        if code // 100 != 2:
            return Answer(fate=Fate.LATER, said=_said(code, text))
        code, text = server.rcpt(message.recipient)
        if code // 100 == 2:
            code, text = server.docmd("DATA")
        if code != 354:
            return Answer(fate=_fate(code), said=_said(code, text))
        server.send(_wire(message.body))
        return None

    def _end(self, server: smtplib.SMTP) -> Answer:
        """End the mail and hear whether it was taken."""
        if server.sock is not None:
            server.sock.settimeout(self.dot_timeout_s)
        server.send(b".\r\n")
        code, text = server.getreply()
        if code // 100 == 2:
            return Answer(fate=Fate.TAKEN, said=_said(code, text))
        if code // 100 in (4, 5):
            return Answer(fate=_fate(code), said=_said(code, text))
        return Answer(fate=Fate.UNKNOWN, said=f"no answer that we know: {_said(code, text)}")


def _wire(body: bytes) -> bytes:
    """Return a mail as it goes over the wire: CRLF, dots doubled (RFC 5321, 4.5.2)."""
    text = re.sub(rb"\r\n|\r|\n", b"\r\n", body)
    text = re.sub(rb"(?m)^\.", b"..", text)
    return text if text.endswith(b"\r\n") else text + b"\r\n"


def _left(server: smtplib.SMTP) -> Answer | None:
    """Return an answer if the server has gone, or spoken, before the mail's end went out."""
    sock = server.sock
    if sock is None:
        return Answer(fate=Fate.LATER, said="the server closed the connection")
    timeout = sock.gettimeout()
    sock.settimeout(0)
    try:
        early = sock.recv(_SAID_MAX)
    except (BlockingIOError, ssl.SSLWantReadError):
        return None
    finally:
        sock.settimeout(timeout)
    said = early.decode("ascii", "replace").strip() or "it closed the connection"
    return Answer(fate=Fate.LATER, said=f"before the end of the mail: {said}")


def _fate(code: int) -> Fate:
    return Fate.REFUSED if code // 100 == 5 else Fate.LATER


def _said(code: int, text: bytes) -> str:
    words = " ".join(text.decode("ascii", "replace").split())
    return f"{code} {words}"[:_SAID_MAX]


def _words(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        said = error.smtp_error
        text = said if isinstance(said, bytes) else str(said).encode()
        return _said(error.smtp_code, text)
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, socket.gaierror):
        return f"its name is not known ({error.strerror})"
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(words).split())[:_SAID_MAX]
