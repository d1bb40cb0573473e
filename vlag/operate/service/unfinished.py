# SPDX-License-Identifier: GPL-2.0-only
"""The night that goes on: a note beside the reports, for a start that must not end with an old one.

Buildbot knows it too, but only where it runs.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from vlag.pipeline.night_plan import EARLY_REPORT

#: The note's name; reports end in .txt.
_NOTE = "unfinished"
#: As reports begin: both are compared as texts.
_TIME = "%Y-%m-%dT%H%M%SZ"


def note(reports: Path, asked_at: int) -> None:
    """Note that a night goes on which was asked for at a Unix time."""
    reports.mkdir(parents=True, exist_ok=True)
    (reports / _NOTE).write_text(f"{datetime.fromtimestamp(asked_at, UTC):{_TIME}}\n")


def forget(reports: Path) -> None:
    """Note that no night goes on."""
    (reports / _NOTE).unlink(missing_ok=True)


def since(reports: Path, newest: Path | None) -> datetime | None:
    """Return when the night was asked for whose report on the branches is still to come.

    `newest` is the newest report.  None: there is no such night.
    """
    try:
        text = (reports / _NOTE).read_text(encoding="utf-8").strip()
        asked = datetime.strptime(text, _TIME).replace(tzinfo=UTC)
    except (FileNotFoundError, ValueError):
        return None
    there = newest is not None and not newest.name.endswith(EARLY_REPORT) and newest.name >= text
    return None if there else asked
