# SPDX-License-Identifier: GPL-2.0-only
"""Build lanes in words: a line for each lane of a commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vlag.model import LaneOutcome
from vlag.report.layout import clip, wrap
from vlag.report.limited_parts import Part

Data = Mapping[str, Any]

_SUBJECT = 50  # characters of a commit's subject
_LINES = 2  # of a lane in a short report
_FILES = 2  # files with new warnings that are named


def finding(f: Data) -> str:
    """Return an error or a warning as a compiler prints it."""
    where = f["file"] + (f":{f['line']}" if f["line"] else "")
    message = f"{f['kind']}: {f['message']}"
    times = f" ({f['count']} places)" if f["count"] > 1 else ""
    return f"{where}: {message}{times}" if where else f"{message}{times}"


def sentence(lane: Data) -> str:
    """Return what came of a lane, with its first error or new warning."""
    name, findings = lane["lane"], lane["findings"]
    if lane["outcome"] == LaneOutcome.BREAKS.value:
        # With a parent that breaks as well, what the commit adds.
        fresh = [f for f in findings if f["kind"] == "error" and f["is_new"]]
        errors = fresh or [f for f in findings if f["kind"] == "error"]
        why = finding(errors[0]) if errors else lane["reason"]
        old = "" if lane["is_new"] else ", as its parent"
        return f"{name}: breaks{old}: {why}"
    if lane["outcome"] == LaneOutcome.NOT_APPLICABLE.value:
        now = "no longer applicable" if lane["is_new"] else "not applicable"
        return f"{name}: {now}: {lane['reason']}"
    if warned := warnings(lane):
        return f"{name}: {warned}"
    if lane["unjudged"]:
        return f"{name}: builds; {lane['unjudged']}"
    return f"{name}: builds"


def warnings(lane: Data) -> str:
    """Return the new warnings of a lane in one line; "" without any."""
    warned = [f for f in lane["findings"] if f["kind"] == "warning"]
    if not warned:
        return ""
    files = list(dict.fromkeys(f["file"] for f in warned))
    more = f" and {len(files) - _FILES} more" if files[_FILES:] else ""
    count = f"{len(warned)} new warning{'s' if len(warned) > 1 else ''}"
    return f"{count} in {', '.join(files[:_FILES])}{more}: {warned[0]['message']}"


def lines(lane: Data) -> list[str]:
    """Return the sentence on a lane, and below it what it names no room for."""
    fresh = [f for f in lane["findings"] if f["is_new"]]
    return [sentence(lane), *(f"    {finding(f)}" for f in fresh)]


def headline(lanes: Sequence[Data]) -> str:
    """Return what the lanes of a commit come to: the first that tells of something."""
    loud = [lane for lane in _ordered(lanes) if lane["is_new"] or lane["findings"]]
    more = f", and {len(loud) - 1} more" if len(loud) > 1 else ""
    quiet = f"nothing new in {len(lanes)} lane{'' if len(lanes) == 1 else 's'}"
    return f"{sentence(loud[0])}{more}" if loud else quiet


def sentences(data: Data) -> list[str]:
    """Return a sentence for each lane that a report tells of, the commit first.

    A report that was stored by an earlier version has none.
    """
    return [_of_commit(lane) for lane in _ordered(data.get("lanes") or ())]


def part(data: Data) -> Part:
    """Return the lanes for the short report."""
    items = [wrap(sentence, "  ", "      ")[:_LINES] for sentence in sentences(data)]
    return Part(title="Build lanes", items=items)


def _of_commit(lane: Data) -> str:
    return f'{lane["commit"][:12]} ("{clip(lane["subject"], _SUBJECT)}") {sentence(lane)}'


def _ordered(lanes: Iterable[Data]) -> Sequence[Data]:
    """Return lanes with what is new first, breaks before warnings."""
    rank = [LaneOutcome.BREAKS.value, LaneOutcome.NOT_APPLICABLE.value]
    return sorted(lanes, key=lambda lane: (not lane["is_new"], lane["outcome"] not in rank))
