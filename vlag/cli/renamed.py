# SPDX-License-Identifier: GPL-2.0-only
"""Old names of commands and options, which work for one more release.

`current` turns a command line with old names into one with new names before click reads
it.  No command knows its old name, so help and shell completion offer only the new one.
"""

from __future__ import annotations

from collections.abc import Sequence

#: Old command -> new command.  ID stands for a number.  A row with an option, ID or a second
#: word comes before the row of its bare command.
COMMANDS = {
    "ack": "alerts set",
    "mute": "alerts mute",
    "unmute": "alerts unmute",
    "alerts ID": "alerts show ID",
    "tell": "notify night",
    "send": "notify send",
    "messages --again ID": "notify resend ID",
    "messages": "notify list",
    "migrate": "db migrate",
    "partition": "db partition",
    "userland": "initramfs",
    "recorded": "reusable-runs",
    "board check": "boards bring-up",
}

#: Old option -> new option, by the command's new name.  None: it is the default now.
OPTIONS: dict[str, dict[str, str | None]] = {
    "alerts set": {"--why": "--reason", "--as": "--by"},
    "alerts mute": {"--why": "--reason", "--as": "--by"},
    "alerts unmute": {"--why": "--reason", "--as": "--by"},
    "compare": {"--board": "--board-type"},
    "notify night": {"--night-key": "--key"},
    "notify send": {"--once": None, "--forever": "--loop"},
    "submit": {"--lane": "--purpose", "--occasion": "--request-id"},
}


def current(words: Sequence[str]) -> tuple[list[str], str | None]:
    """Return the command line `words` with new names, and a hint if it had old ones."""
    old, new, rest = _command(list(words))
    name = new.removesuffix(" ID")
    options = OPTIONS.get(name, {})
    end = rest.index("--") if "--" in rest else len(rest)
    newer = {}
    kept = []
    for i, word in enumerate(rest):
        option, equals, value = word.partition("=")
        if i >= end or option not in options:
            kept.append(word)
            continue
        newer[option] = options[option]
        if newer[option] is not None:
            kept.append(f"{newer[option]}{equals}{value}")
    line = [*name.split(), *kept]
    if old == new and not newer:
        return line, None
    before = " ".join(["vlag", old, *newer])
    after = " ".join(["vlag", new, *filter(None, newer.values())])
    return line, f"`{before}` is now `{after}`; the old name goes away in the next release"


def _command(words: list[str]) -> tuple[str, str, list[str]]:
    """Return the command's old and new name, which may be one, and the words after it."""
    for old, new in COMMANDS.items():
        verb, *more = old.split()
        if words[:1] != [verb]:
            continue
        rest = words[1:]
        if not more:
            return old, new, rest
        if more[0].startswith("-"):
            marked = [w.partition("=") for w in rest]
            if any(option == more[0] for option, _, _ in marked):
                return old, new, [
                    value if option == more[0] else word
                    for word, (option, equals, value) in zip(rest, marked, strict=True)
                    if option != more[0] or equals
                ]  # fmt: skip
        elif more[0] != "ID":
            if rest[:1] == more:
                return old, new, rest[1:]
        elif rest and _is_option_or_number(rest[0]) and any(word.isdecimal() for word in rest):
            return old, new, rest
    depth = 2 if " ".join(words[:2]) in OPTIONS else 1
    name = " ".join(words[:depth])
    return name, name, words[depth:]


def _is_option_or_number(word: str) -> bool:
    return word.startswith("-") or word.isdecimal()
