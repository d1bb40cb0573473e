# SPDX-License-Identifier: GPL-2.0-only
"""Parameters of a URL, checked."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import NoReturn

from flask import abort

#: The largest that a bigint of PostgreSQL can be.
LARGEST = 2**63 - 1
#: Longer than any name of a branch that git takes on a common file system.
LONGEST = 500


class Params:
    """The parameters of one request; a wrong one ends it with 400."""

    def __init__(self, given: Mapping[str, str], *allowed: str):
        self._given = given
        for name in given:
            if name not in allowed:
                known = ", ".join(allowed) or "none"
                wrong(f"There is no parameter {name!r} here; this page knows: {known}.")

    def __contains__(self, name: str) -> bool:
        """Return whether a parameter is there and not empty."""
        return self._given.get(name, "") != ""

    def integer(self, name: str) -> int:
        """Return a whole number above 0, such as an id."""
        text = self.text(name)
        if not re.fullmatch(r"[0-9]{1,19}", text) or not 0 < int(text) <= LARGEST:
            wrong(f"{name}={text!r} is not a number above 0; take it from a link of these pages.")
        return int(text)

    def integers(self, name: str) -> list[int]:
        """Return whole numbers above 0 that commas separate, each once."""
        words = self.text(name).split(",")
        return list(dict.fromkeys(Params({name: w}, name).integer(name) for w in words))

    def optional_integer(self, name: str) -> int | None:
        """Return the number, or None if it is missing."""
        return self.integer(name) if name in self else None

    def text(self, name: str) -> str:
        """Return a text of one line."""
        if name not in self:
            wrong(f"The parameter {name!r} is missing; follow a link of these pages to get here.")
        text = self._given[name]
        if len(text) > LONGEST or not text.isprintable():
            wrong(f"The parameter {name!r} is too long or holds control characters.")
        return text

    def lines(self, name: str) -> str:
        """Return a text of one or more lines; "" if it is missing."""
        text = " ".join(self._given.get(name, "").split())
        if not text.isprintable():
            wrong(f"The text under {name!r} holds control characters.")
        return text

    def optional_text(self, name: str) -> str | None:
        """Return the text, or None if it is missing."""
        return self.text(name) if name in self else None

    def flag(self, name: str) -> bool:
        """Return whether a parameter is 1; it may be missing."""
        if name in self and self._given[name] != "1":
            wrong(f"{name}={self._given[name]!r}: write {name}=1, or leave it out.")
        return name in self

    def branch(self, name: str) -> tuple[str, str]:
        """Return tree and branch of TREE/BRANCH."""
        tree, slash, branch = self.text(name).partition("/")
        if not slash or not tree or not branch:
            wrong(f"{name}={self._given[name]!r} is not TREE/BRANCH, such as debian/linux-6.12.")
        return tree, branch

    def moment(self, name: str) -> datetime.datetime:
        """Return a date and time in UTC, in the format of a browser's field."""
        text = self.text(name)
        try:
            at = datetime.datetime.fromisoformat(text)
            at = at if at.tzinfo else at.replace(tzinfo=datetime.UTC)
            return at.astimezone(datetime.UTC)
        except (ValueError, OverflowError):  # the first and last years have no time in UTC
            wrong(f"{name}={text!r} is not a date and time; write it as 2026-03-31T08:00 (UTC).")


def sentence(error: Exception) -> str:
    """Return what an error says, as a sentence of a page."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def wrong(sentence: str) -> NoReturn:
    """End the request with 400: the reader's mistake."""
    abort(400, sentence)


def missing(sentence: str) -> NoReturn:
    """End the request with 404: not found."""
    abort(404, sentence)
