# SPDX-License-Identifier: GPL-2.0-only
"""What a tool's output says of how the tool was run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from attrs import frozen

from vlag.parsers.lines import without_noise

_SECONDS = {"sec": 1, "min": 60, "hour": 3600, "day": 86400, "year": 365 * 86400}
_TIME = re.compile(r"(\d+(?:\.\d+)?) (sec|min|hour|day|year)")
# Options that say where output goes, not what is measured.
_OUTPUT = re.compile(r"-q|--quiet|--(?:json|histfile|output|logfile|yaml|log-file)(?:=.*)?")


@frozen
class Setting:
    """A setting that an output may print, once or in several lines."""

    #: Of its text, over lines. Its only group that matches is the value; of a group "list" it is
    #: how many words there are.
    pattern: str
    read: Callable[[str], str] = str  # gives equal settings equal texts

    def printed(self, text: str) -> str | None:
        """Return the setting's value, several ones with commas; None where it is not printed."""
        values: dict[str, None] = {}
        for match in re.finditer(self.pattern, text, re.M | re.A):
            value = next(group for group in match.groups() if group is not None).strip()
            is_list = match.lastgroup == "list"
            values[str(len(value.split())) if is_list else self.read(value)] = None
        return ",".join(values) or None


def printed(settings: Mapping[str, Setting], data: bytes) -> dict[str, str]:
    """Return those of a parser's settings that an output prints."""
    if not settings:
        return {}
    text = without_noise(data.replace(b"\r", b"\n")).decode(errors="replace")
    values = {name: setting.printed(text) for name, setting in settings.items()}
    return {name: value for name, value in values.items() if value is not None}


def seconds(words: str) -> str:
    """Return a time as seconds: "1 min, 30.00 secs" is "90 s"; other words as they are."""
    parts = [float(number) * _SECONDS[unit] for number, unit in _TIME.findall(words)]
    return f"{sum(parts):g} s" if parts else words


def options(command: str) -> str:
    """Return a command's options without those that say where output goes."""
    return " ".join(word for word in command.split()[1:] if not _OUTPUT.fullmatch(word))


#: The command line in the JSON file of each program of rt-tests.
COMMAND_LINE = Setting(r'"cmdline:": "([^"\n]+)"', options)
