# SPDX-License-Identifier: GPL-2.0-only
"""The causes that an alert's first paragraph names, and which of them are news."""

from __future__ import annotations

import re

#: What begins the sentence on a cause, with what it tells.
SINCE, TAKES_BACK, FUNCTION = "Since", "What takes it back", "Function"
_TELLS = {SINCE: "its commit", TAKES_BACK: "what takes it back", FUNCTION: "the function"}
# A commit's subject is somebody else's words.
_SUBJECT = re.compile(r'\(".*?"\)')


def found(body: str, told: str | None) -> list[str]:
    """Return the causes that an alert's text names and the one that people have does not.

    `told` None: nobody has any.
    """
    return [] if told is None else [c for c in _named(body) if c not in _named(told)]


def _named(body: str) -> list[str]:
    paragraph = _SUBJECT.sub("", " ".join(body.partition("\n\n")[0].split()))
    return [tells for head, tells in _TELLS.items() if re.search(rf"\b{head}: ", paragraph)]
