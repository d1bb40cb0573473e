# SPDX-License-Identifier: GPL-2.0-only
"""Takes secrets, and what names a person, out of text that leaves the installation."""

from __future__ import annotations

import contextlib
import getpass
import ipaddress
import json
import re
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import field, frozen

from vlag.config import Settings
from vlag.config import password_file as people
from vlag.errors import VlagError
from vlag.operate.service import folders

SECRET, PERSON, ADDRESS, HOST = "<secret>", "<person>", "<address>", "<host>"

#: Shorter lines of a secret's file would be found in every word.
_SHORTEST = 4
#: Names of this machine or of its user that are words of every log.
_PLAIN = frozenset({"localhost", "vlag", "buildbot", "postgres", "root", "worker", "master"})

_AT = r"[\w.+%=/!#$&*?^`{|}~-]{1,64}@[\w-]+(?:\.[\w-]+)*"
# "Jane Doe <jane@example.org>" goes with the name.
_MAIL = re.compile(rf"(?:\"[^\"\n]{{1,80}}\"\s|(?:\w[\w.'-]*\s){{1,4}})<{_AT}>|<?{_AT}>?")
_IN_URL = re.compile(r"(?<=://)[^/\s@]{1,200}@")
_IS = r"([\"']?\s?[=:]\s?[\"']?)"
_GIVEN = re.compile(
    rf"(?i)\b(authorization|cookie|x-vlag-\w+){_IS}[^\n]+"
    rf"|\b([\w-]*(?:token|passw(?:or)?d|secret|session|api_?key)){_IS}([^\s'\",;&)]+)"
)
_HOME = re.compile(r"(?<=/home/)[^/\s:'\"]+")
_IP = re.compile(
    r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w.])"
)


@frozen
class Scrubber:
    """Replaces what is known to be secret or personal, and what looks so."""

    known: re.Pattern[str] | None = field(repr=False)
    words: re.Pattern[str] | None = field(repr=False)

    def text(self, text: str) -> str:
        """Return a text without secrets, people, mail addresses and hosts' addresses."""
        if self.known is not None:
            text = self.known.sub(SECRET, text)
        text = "".join(map(_line, text.splitlines(keepends=True)))
        if self.words is not None:
            text = self.words.sub(PERSON, text)
        return _IP.sub(_ip, _HOME.sub(PERSON, text))


def of(settings: Settings) -> Scrubber:
    """Return what scrubs for an installation, which knows its secrets and people."""
    secrets = {text for text in _secrets(settings) if len(text) >= _SHORTEST}
    names = {name for name in _people(settings) if len(name) > 1 and name not in _PLAIN}
    return Scrubber(_any(secrets, ""), _any(names, r"(?i)"))


def _any(texts: Iterable[str], flags: str) -> re.Pattern[str] | None:
    """Return a pattern of any of these, the longest first; names only as whole words."""
    listed = sorted(texts, key=lambda text: (-len(text), text))
    if not listed:
        return None
    any_of = "|".join(map(re.escape, listed))
    return re.compile(rf"{flags}(?<!\w)(?:{any_of})(?!\w)" if flags else any_of)


def _secrets(settings: Settings) -> Iterator[str]:
    """Yield each secret of the settings and of the state folder."""
    files = [p for p in (settings.state / "secrets").glob("*") if p.is_file()]
    files += settings.artifacts.glob("uploads/*/token")
    files += folders.named_secrets(settings).values()
    if settings.webhook is not None:
        yield settings.webhook.url
    yield from (s.webhook.url for s in settings.subscriptions if s.webhook is not None)
    for tree in settings.trees.values():
        login, at, _ = (tree.url or "").partition("://")[2].partition("/")[0].rpartition("@")
        if at:
            yield from (login, login.partition(":")[2])
    for path in files:
        for line in _lines(path):
            yield line
            # A line of libpq's file, or NAME:HASH.
            if path.name.startswith("pgpass") or ":$" in line:
                yield line.rpartition(":")[2]
    for path in settings.lab_jobs.glob("*/asked.json"):
        try:
            yield str(json.loads(path.read_text(encoding="utf-8")).get("token") or "")
        except (OSError, ValueError):
            continue


def _lines(path: Path) -> list[str]:
    try:
        return [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return []


def _people(settings: Settings) -> Iterator[str]:
    """Yield the names of all whom the settings name, of this user and of this machine."""
    if settings.people is not None:
        yield from settings.people.triage
        with contextlib.suppress(VlagError):  # it is missing, or no list of people
            yield from people.read(settings.people.password_file)
    if settings.mail is not None:
        yield settings.mail.user or ""
        for addresses in settings.mail.owners.values():
            for address in addresses:
                yield from (address, address.partition("@")[0])
    for follower in settings.subscriptions:
        if follower.mail is not None:
            yield from (follower.mail, follower.mail.partition("@")[0])
    if settings.reported_by:
        name, _, address = settings.reported_by.partition("<")
        yield from (name.strip(), address.rstrip("> "))
    yield socket.gethostname()
    yield socket.gethostname().partition(".")[0]
    try:
        yield getpass.getuser()
    except (OSError, KeyError):  # a user without a name
        return


def _line(line: str) -> str:
    if "@" in line:
        line = _MAIL.sub(_mail, _IN_URL.sub(f"{SECRET}@", line))
    return _GIVEN.sub(_given, line)


def _given(match: re.Match[str]) -> str:
    if match[1]:
        return f"{match[1]}{match[2]}{SECRET}"
    return f"{match[3]}{match[4]}{SECRET}"


def _mail(match: re.Match[str]) -> str:
    # git's and systemd's names (HEAD@{1}, worker@build1) have no dot after the @.
    return ADDRESS if "." in match[0].rpartition("@")[2] else match[0]


def _ip(match: re.Match[str]) -> str:
    try:
        address = ipaddress.ip_address(match[0])
    except ValueError:  # a time of day, a version
        return match[0]
    return match[0] if address.is_loopback or address.is_unspecified else HOST
