# SPDX-License-Identifier: GPL-2.0-only
"""What an alert's first paragraph names, its causes and its fix, and which of it is news."""

from __future__ import annotations

import re

#: What begins the sentence on a cause, with what it tells.
SINCE, TAKES_BACK, FUNCTION = "Since", "What takes it back", "Function"
_TELLS = {SINCE: "its commit", TAKES_BACK: "what takes it back", FUNCTION: "the function"}
#: What a commit that takes the loss back is called, which the sentence on its commit names.
_FIXED, _FIX = re.compile(r"; fixed by (?:one of )?[0-9a-f]{12}\b"), "its fix"
# A commit's subject is somebody else's words.
_SUBJECT = re.compile(r'\(".*?"\)')


def found(body: str, told: str | None) -> list[str]:
    """Return what an alert's text names and the one that people have does not.

    `told` None: nobody has any.
    """
    return [] if told is None else [c for c in _named(body) if c not in _named(told)]


def _named(body: str) -> list[str]:
    paragraph = _SUBJECT.sub("", " ".join(body.partition("\n\n")[0].split()))
    named = [tells for head, tells in _TELLS.items() if re.search(rf"\b{head}: ", paragraph)]
    return [*named, _FIX] if _FIXED.search(paragraph) else named
