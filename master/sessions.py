# SPDX-License-Identifier: GPL-2.0-only
"""How long somebody who has signed in stays so: as long as account and password, until sign-out.

Buildbot keeps a session in a signed cookie for a week, and asks nobody again.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jwt
from attrs import frozen

from vlag import durable
from vlag.config import People
from vlag.config import password_file as people
from vlag.errors import VlagError
from vlag.lock import hold
from vlag.ownership import make_folder, write_private

if TYPE_CHECKING:
    from buildbot.www.service import BuildbotSession, BuildbotSite

#: How Buildbot signs a session, and its cookie on the site's root.
ALGORITHM, COOKIE = "HS256", "TWISTED_SESSION"


@frozen(kw_only=True)
class Sessions:
    """The one rule on whose session counts; Buildbot's interface and vlag's pages ask it."""

    who: People | None
    ended: Path  # a line for each session that somebody has ended: when it may be forgotten, its id
    key: Path  # file with what Buildbot signs sessions with: the process in front reads it

    def publish(self, secret: str) -> None:
        """Write down what Buildbot signs sessions with."""
        if self._secret() != secret:
            make_folder(self.key.parent, 0o700)
            write_private(self.key, f"{secret}\n", shared=True)

    def user_of(self, token: str) -> Mapping[str, Any]:
        """Return the details of a session by its cookie; of one that does not count, none."""
        secret = self._secret()
        if not secret:
            return {}
        try:
            user: Mapping[str, Any] = jwt.decode(token, secret, algorithms=[ALGORITHM])["user_info"]
        except (jwt.PyJWTError, KeyError, ValueError):  # expired, ended, or not signed by a master
            return {}
        return user if self.holds(user, secret) else {}

    def guard(self, site: BuildbotSite) -> None:
        """Let a site know no session but those that hold; of another its visitor is nobody."""
        known = site.getSession

        def session(uid: str) -> BuildbotSession:
            buildbot_session = known(uid)
            if not self.holds(buildbot_session.user_info, str(site.session_secret)):
                raise KeyError(uid)
            return buildbot_session

        site.getSession = session

    def begin(self, name: str, secret: str) -> dict[str, str]:
        """Return what the session of somebody who has just signed in has besides the name."""
        return {"session": secrets.token_hex(16), "proof": self._proof(name, secret) or ""}

    def holds(self, user: Mapping[str, Any], secret: str) -> bool:
        """Return whether a session with these details counts; nobody's does."""
        name = user.get("username")
        if name is None:
            return True
        proof, given = self._proof(str(name), secret), str(user.get("proof", ""))
        if proof is None or not hmac.compare_digest(proof.encode(), given.encode()):
            return False
        return str(user.get("session")) not in self._ended()

    def end(self, user: Mapping[str, Any]) -> None:
        """End a session, whoever has a copy of its cookie."""
        # The process in front, which ends no session, does not wait for Buildbot's modules.
        from buildbot.www.service import BuildbotSession  # noqa: PLC0415

        if user.get("session") is None:
            return
        with hold(self.ended.with_name(f"{self.ended.name}.lock"), lambda: None):
            now = int(time.time())
            kept = {one: until for one, until in self._ended().items() if until > now}
            kept[str(user["session"])] = now + int(BuildbotSession.expDelay.total_seconds())
            with durable.replacing(self.ended) as new:
                new.touch(mode=0o600)
                new.write_text("".join(f"{u} {i}\n" for i, u in kept.items()), encoding="ascii")

    def _secret(self) -> str | None:
        try:
            return self.key.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return None

    def _ended(self) -> dict[str, int]:
        try:
            lines = self.ended.read_text(encoding="ascii").splitlines()
        except FileNotFoundError:
            return {}
        return {one: int(until) for until, one in (line.split() for line in lines)}

    def _proof(self, name: str, secret: str) -> str | None:
        """Return what only the present password of an account gives; None: no such account."""
        if self.who is None:
            return None
        try:
            hashed = people.read(self.who.password_file).get(name)
        except VlagError:  # `vlag health master` says why
            return None
        if hashed is None:
            return None
        return hmac.new(secret.encode(), f"{name}\0{hashed}".encode(), "sha256").hexdigest()
