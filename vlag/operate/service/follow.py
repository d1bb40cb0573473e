"""Messages of the service while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from vlag.buildbot import SUCCESS, WARNINGS, Web
from vlag.config import Settings
from vlag.errors import ExitCode
from vlag.operate.service import master
from vlag.operate.service.progress import Progress
from vlag.report.short import of_whole
from vlag.report.text import proof_failed

POLL_S = 2.0


def follow(
    web: Web,
    *,
    since: int,
    once: bool,
    start_night: bool,
    watch: Callable[[], None],
    say: Callable[[str], None],
) -> int:
    """Report progress; with `once` return how the night ended.

    `since` is the first build since this start, `watch` raises if a process has died.
    """
    progress = Progress(web=web, since=since)
    night = master.night(web) if start_night else None
    while True:
        watch()
        lines, nights = progress.look()
        for line in lines:
            say(line)
        for ended in nights:
            for note in ended.notes:
                say(note)
            if ended.report is None:
                say("the night ended without a report: see the messages above")
            else:
                say(of_whole(ended.report.read_text(encoding="utf-8")))
                say(f"in full, the night's report is {ended.report}")
            if once and ended.request == night:
                if ended.results not in (SUCCESS, WARNINGS) or ended.report is None:
                    return ExitCode.INFRASTRUCTURE
                return status_of(ended.report)
        time.sleep(POLL_S)


def status_of(report: Path) -> ExitCode:
    """Return the exit status that a night's report asks for."""
    failed = proof_failed(report.read_text(encoding="utf-8"))
    return ExitCode.PROOF_FAILED if failed else ExitCode.OK


def last_report(settings: Settings) -> Path | None:
    """Return the newest report of a finished night."""
    return max((settings.state / "reports").glob("*.txt"), default=None)
