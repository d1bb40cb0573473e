# SPDX-License-Identifier: GPL-2.0-only
"""What the kernels of a comparison said about their health, side against side."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from vlag.bundle_records import HealthRecord
from vlag.report.document import AlarmData
from vlag.store.runs import Run

# Numbers that differ from boot to boot though the message is the same.
_VARYING = re.compile(r"^<\d+>|^\[\s*\d+\.\d+\]|\[[TC]\d+\]|\b0x[0-9a-f]+\b|\b[0-9a-f]{8,}\b|\d+")
_PLACE = re.compile(r"[\w./-]+\.(?:c|h|S|rs):\d+")
_FUNCTION = re.compile(r"\b(?:at|in) ([\w.]+)\+0x")
_CALLER = re.compile(r"^(?:\[[^]]*\]\s*)*([\w.]+)\+0x[0-9a-f]+/0x[0-9a-f]+")
_CALLERS = 6  # of a call trace; the console has the rest
# A run goes through them in this order.
_PHASES = ("boot", "setup", "benchmark", "after")


def alarms(
    of_side: Mapping[str, Sequence[Run]], where: Callable[[Run, HealthRecord], str]
) -> list[AlarmData]:
    """Return one entry a message: those only `new` has, only `base` has, then both.

    `where` says where to read a health line of a run.  `runs` and `base_runs` are the
    ids of the boots of new and base that said it, `of` and `base_of` how many there are.
    """
    by_text: dict[tuple[str, str], AlarmData] = {}
    for side in ("new", "base"):
        for run in of_side[side]:
            for line in run.health:
                key = (line["kind"], _VARYING.sub("#", line["text"]).strip())
                entry = by_text.setdefault(key, _entry(run, line, of_side, where))
                ids = entry["runs"] if side == "new" else entry["base_runs"]
                if run.id not in ids:
                    ids.append(run.id)
                if "phase" in line and line["phase"] not in entry["phases"]:
                    entry["phases"].append(line["phase"])
    for entry in by_text.values():
        entry["phases"].sort(key=_PHASES.index)
        entry["side"] = "new" if not entry["base_runs"] else "base" if not entry["runs"] else "both"
    return sorted(by_text.values(), key=lambda e: ("new", "base", "both").index(e["side"]))


def _entry(
    run: Run,
    line: HealthRecord,
    of_side: Mapping[str, Sequence[Run]],
    where: Callable[[Run, HealthRecord], str],
) -> AlarmData:
    detail = list(line.get("detail", ()))
    return {
        "kind": line["kind"],
        "text": line["text"],
        "place": _place(line["text"]),
        "phases": [],
        "runs": [],
        "of": len(of_side["new"]),
        "base_runs": [],
        "base_of": len(of_side["base"]),
        "detail": detail,
        "callers": _callers(detail),
        "where": where(run, line),
        "side": "",
    }


def _place(text: str) -> str | None:
    """Return the source line that a message names, else its function, else None."""
    if function := _PLACE.search(text):
        return function[0]
    function = _FUNCTION.search(text)
    return function[1] if function else None


def _callers(detail: Sequence[str]) -> list[str]:
    """Return the first functions of a call trace, the innermost first."""
    begin = next(
        (i for i, x in enumerate(detail) if "Call Trace:" in x or "Call trace:" in x), None
    )
    if begin is None:
        return []
    return [m[1] for m in map(_CALLER.match, detail[begin + 1 :]) if m][:_CALLERS]
