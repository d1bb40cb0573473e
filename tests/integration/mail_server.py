# SPDX-License-Identifier: GPL-2.0-only
"""A real SMTP server as a process of its own that can be told how to behave.

`script.json` in its folder says what happens at a point, and is read again each time:
MAIL, RCPT, DATA, TEXT (the text is coming in), END (after the dot).  A point has either one
entry or a list, one an occasion: null (as usual), "drop" (close the connection), "hang"
(say nothing more), or the reply.  RCPT may have entries by address.  Each mail is a file in
`taken/`, written before the server says that it took it; each point that was reached is a
line of `log`.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import subprocess
import sys
from collections.abc import Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any, ClassVar

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session, syntax
from attrs import frozen

from tests.waiting import until


class _Server(SMTP):
    """Asks the script at each point."""

    folder: Path
    counts: ClassVar[dict[str, int]] = {}

    def _entry(self, point: str, address: str = "") -> str | None:
        path = self.folder / "script.json"
        script = json.loads(path.read_text()) if path.exists() else {}
        with (self.folder / "log").open("a") as log:
            log.write(f"{point} {address}".rstrip() + "\n")
        entry = script.get(point)
        if isinstance(entry, dict):
            entry = entry.get(address)
        if isinstance(entry, list):
            n = _Server.counts.get(point, 0)
            _Server.counts[point] = n + 1
            entry = entry[n] if n < len(entry) else None
        return entry

    async def _act(self, point: str, address: str = "") -> str | None:
        """Return a reply to give instead of the usual one."""
        entry = self._entry(point, address)
        if entry == "drop":
            assert self.transport is not None
            self.transport.close()
            await asyncio.Event().wait()
        if entry == "hang":
            await asyncio.Event().wait()
        return entry

    @syntax("DATA")
    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - the library's name
        reply = await self._act("DATA")
        if reply is not None:
            await self.push(reply)
            return
        if self._entry("TEXT") == "drop":
            await self.push("354 go on")
            await self._reader.readuntil(b"\r\n\r\n")
            assert self.transport is not None
            self.transport.close()
            (self.folder / "dropped").touch()
            return
        await super().smtp_DATA(arg)


class _Handler:
    def __init__(self, folder: Path):
        self.folder = folder

    async def handle_MAIL(  # noqa: N802 - the library's name
        self,
        server: _Server,
        session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        reply = await server._act("MAIL")
        if reply is not None:
            return reply
        envelope.mail_from = address
        return "250 sender ok"

    async def handle_RCPT(  # noqa: N802 - the library's name
        self,
        server: _Server,
        session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        reply = await server._act("RCPT", address)
        if reply is not None:
            return reply
        envelope.rcpt_tos.append(address)
        return "250 recipient ok"

    async def handle_DATA(  # noqa: N802 - the library's name
        self, server: _Server, session: Session, envelope: Envelope
    ) -> str:
        entry = server._entry("END")
        if entry is None or entry in ("drop", "hang"):
            number = len(list(self.folder.glob("taken/*.eml")))
            assert isinstance(envelope.content, bytes)
            assert server.transport is not None
            document = {
                "from": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "tls": server.transport.get_extra_info("sslcontext") is not None,
                "user": session.auth_data if isinstance(session.auth_data, str) else None,
            }
            (self.folder / "taken" / f"{number}.json").write_text(json.dumps(document))
            draft = self.folder / "taken" / f"{number}.draft"
            draft.write_bytes(envelope.content)
            draft.rename(draft.with_suffix(".eml"))
        if entry == "drop":
            assert server.transport is not None
            server.transport.close()
        if entry in ("drop", "hang"):
            await asyncio.Event().wait()
        return entry or "250 taken"


def _authenticator(user: str, password: str) -> Any:
    def check(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        good = (data.login, data.password) == (user.encode(), password.encode())
        return AuthResult(success=good, handled=False, auth_data=user if good else None)

    return check


async def _main(folder: Path, options: dict[str, Any]) -> None:
    _Server.folder = folder
    context = None
    if options.get("tls"):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options["certificate"], options["key"])
    handler = _Handler(folder)

    def session() -> _Server:
        login: dict[str, Any] = {}
        if "user" in options:
            check = _authenticator(options["user"], options["password"])
            login = {
                "authenticator": check,
                "auth_required": True,
                "auth_require_tls": options["tls"] == "starttls",
            }
        return _Server(
            handler,
            hostname="mail.test",
            tls_context=context if options.get("tls") == "starttls" else None,
            require_starttls=options.get("tls") == "starttls",
            **login,
        )

    server = await asyncio.get_running_loop().create_server(
        session, "127.0.0.1", 0, ssl=context if options.get("tls") == "tls" else None
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@frozen
class Taken:
    """A mail that the server took, and how it came."""

    about: dict[str, Any]
    raw: bytes

    @property
    def mail(self) -> EmailMessage:
        found = message_from_bytes(self.raw, policy=default)
        assert isinstance(found, EmailMessage)
        return found


class MailServer:
    """The process, and what it has taken."""

    def __init__(self, folder: Path, **options: Any):
        self.folder = folder
        (folder / "taken").mkdir(parents=True)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.mail_server", folder, json.dumps(options)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    def script(self, **points: Any) -> None:
        draft = self.folder / "script.draft"
        draft.write_text(json.dumps(points))
        draft.rename(self.folder / "script.json")

    def taken(self) -> list[Taken]:
        return [
            Taken(json.loads(path.with_suffix(".json").read_text()), path.read_bytes())
            for path in sorted(self.folder.glob("taken/*.eml"), key=lambda p: int(p.stem))
        ]

    def log(self) -> Sequence[str]:
        path = self.folder / "log"
        return path.read_text().splitlines() if path.exists() else []

    def wait_for(self, name: str) -> None:
        until(
            (self.folder / name).exists,
            lambda: f"the mail server never wrote {name}",
            alive=lambda: self.process.poll() is None,
        )

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), json.loads(sys.argv[2])))
