# SPDX-License-Identifier: GPL-2.0-only
"""The lines of stress-ng's log, and the check that the run ended well."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.parsers.lines import Line

# stress-ng: metrc: [6125] miscellaneous metrics:
# stress-ng: 14:27:12.83 metrc: [23954] miscellaneous metrics:
_PREFIX = re.compile(
    r"stress-ng: (?:\d\d:\d\d:\d\d\.\d\d )?(?P<kind>[a-z]+): +\[(?P<pid>\d{1,9})\] ", re.ASCII
)

# skipped: 1: apparmor (1)
# failed: 0
# metrics untrustworthy: 0
_SUMMARY = re.compile(
    r"(?P<what>skipped|failed|metrics untrustworthy): (?P<count>\d{1,9})(?:: .*)?", re.ASCII
)

# successful run completed in 2.00s
# successful run completed in 1.01 sec
# successful run completed in 5 mins, 43.83 secs
_SUCCESS = re.compile(
    r"successful run completed in (?:\d+ [a-z]+, )*\d+(?:\.\d+)? ?s(?:ecs?)?(?: \(.*\))?",
    re.ASCII,
)

# Patterns of lines with the reason why a run measured nothing:
# unrecognized option '--nosuchopt'
# apparmor stressor will be skipped, AppArmor is not enabled
# cyclic stressor needs to be run with CAP_SYS_NICE set SCHED_RR, [...] skipping this stressor
# sched: cannot set scheduler 'fifo': errno=1 (Operation not permitted)
# Available scheduler options are: batch deadline fifo idle other rr
_WHY = re.compile(
    r"unrecognized option|invalid option|requires an argument|skipp(?:ed|ing)\b|cannot |"
    r"not found|vailable scheduler options are:"
)

_NO_WORKERS = "No stress workers invoked"

_REASON_CHARACTERS = 200


@frozen(kw_only=True)
class LogLine(Line):
    """One line of the log; its text is without the prefix."""

    kind: str | None  # as in "info", "metrc"; None without a prefix
    pid: str  # of the process that wrote it; "" without a prefix


# Before 0.13 a stressor calls itself so: stress-ng-switch: 17591.76 nanoseconds per ...
_OLD_NAME = re.compile(r"stress-ng-(?=[a-z0-9-]+: )")


def read(lines: Iterable[Line]) -> list[LogLine]:
    """Return all lines with their prefixes parsed, other programs' lines too."""
    messages = []
    for line in lines:
        prefix = _PREFIX.match(line.text)
        messages.append(
            LogLine(
                number=line.number,
                text=_OLD_NAME.sub("", line.text[prefix.end() :], 1) if prefix else line.text,
                path=line.path,
                kind=prefix["kind"] if prefix else None,
                pid=prefix["pid"] if prefix else "",
            )
        )
    return messages


def _reason(log: Sequence[LogLine]) -> LogLine | None:
    """Return the first line with a reason why the run measured nothing."""
    for line in log:
        if line.text.startswith("$ ") or _NO_WORKERS in line.text or _SUMMARY.match(line.text):
            continue
        if line.kind in ("error", "fail") or _WHY.search(line.text):
            return line
    return None


def _error(message: str, log: Sequence[LogLine], line: LogLine) -> ParseError:
    """Return the error, with the tool's own reason if there is one."""
    reason = _reason(log)
    if reason is not None:
        words = reason.text.removeprefix("stress-ng: ")[:_REASON_CHARACTERS]
        message = f"{message}; stress-ng says: {words}"
    return line.refuse(message)


def check_end(log: Sequence[LogLine]) -> None:
    """Raise ParseError unless the tool reports a complete run without skipped stressors."""
    ended = False
    for line in log:
        summary = _SUMMARY.fullmatch(line.text)
        if _NO_WORKERS in line.text:
            raise _error("stress-ng skipped the stressor and measured nothing", log, line)
        if line.text.startswith("unsuccessful run completed"):
            raise _error("stress-ng's run was not successful", log, line)
        if summary is not None and int(summary["count"]) > 0:
            raise _error(
                f"stress-ng reports '{line.text}', so its figures cannot be used", log, line
            )
        if summary is None and "untrustworthy" in line.text:
            # Before the summary lines came, only a warning said so.
            raise line.refuse("stress-ng itself calls its metrics untrustworthy")
        ended = ended or _SUCCESS.fullmatch(line.text) is not None
    if not ended:
        raise _error("the output is cut off: no 'successful run completed' line", log, log[-1])
