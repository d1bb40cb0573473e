# SPDX-License-Identifier: GPL-2.0-only
"""Messages of the service while it runs, and when it has run long enough."""

from __future__ import annotations

import enum
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from attrs import frozen

from vlag import printable, progress_log
from vlag.buildbot import SUCCESS, WARNINGS, Web
from vlag.config import Settings
from vlag.errors import ExitCode, InfrastructureError
from vlag.operate.service import master, unfinished
from vlag.operate.service.progress import Night, Progress, Written
from vlag.pipeline.night_plan import EARLY_REPORT, PROOF_REPORT, proves
from vlag.report import proof_file
from vlag.report.conclusion import conclusion
from vlag.report.read_model import overview
from vlag.report.short import of_whole
from vlag.store.database import connect

log = logging.getLogger(__name__)

POLL_S = 2.0
#: Seconds between two looks at the processes while the master is asked.
_WATCH_S = 1.0

_T = TypeVar("_T")

#: File beside reports: the names of those that a terminal has had.
_PRINTED = "printed"


class Until(enum.StrEnum):
    """How long the service runs if not until a signal."""

    FIRST = "first"  # until the first look, which prebuilt kernels make a matter of minutes
    REPORT = "report"  # until the first report on the watched branches
    PROOF = "proof"  # until the end of the night, which the self-proof ends


@frozen
class Nights:
    """What the state folder and the database of an installation know of its nights."""

    settings: Settings

    @property
    def reports(self) -> Path:
        """Return the folder of their reports."""
        return self.settings.state / "reports"

    def conclude(self) -> str | None:
        """Return the sentence that is said after a night with a report; None: unknown."""
        return concluded(self.settings)


def follow(
    web: Web,
    *,
    since: int,
    until: Until | None,
    start_night: bool,
    watch: Callable[[], None],
    look_first: bool = False,
    prepare: Callable[[], None] = lambda: None,
    nights: Nights | None = None,
) -> int:
    """Report progress; with `until` return how the night went until then.

    `since` is the first build since this start, `watch` raises if a process has died.
    `prepare` prepares the night; with `look_first` the first look comes before.  `nights`
    are those of the installation.
    """
    progress = Progress(web=web, since=since)
    night = look = None
    if look_first:
        log.info("the first look: two prebuilt kernels, before the night's own are built")
        look = master.request(web, "first")
    else:
        night = _begin_night(web, prepare, start_night)
    while True:
        watch()
        lines, over = _look(progress, watch)
        for line in lines:
            log.info(line)
        progress_log.now(progress.present)
        _note(progress, nights)
        for written in progress.written:
            # One that an earlier start has printed is not the one that this start is for.
            new = _say_report(written)
            if until is Until.REPORT and new and written.request == night and written.more:
                log.info(f"{written.more} is left to the next start: `make run`, or ONCE=proof")
                return ExitCode.OK
        for ended in over:
            if ended.request == look:
                if ended.report is None:
                    goes_on = "" if until is Until.FIRST else "; the night goes on"
                    log.info("no first look: the prebuilt kernels could not be fetched or compared,"
                        f" as said above{goes_on}")  # fmt: skip
                if until is Until.FIRST:
                    return ExitCode.INFRASTRUCTURE if ended.report is None else ExitCode.OK
                night = _begin_night(web, prepare, start_night)
                continue
            _say_end(ended, nights)
            if until is not None and ended.request == night:
                if ended.results not in (SUCCESS, WARNINGS) or ended.report is None:
                    return ExitCode.INFRASTRUCTURE
                return status_of(ended.report)
        time.sleep(POLL_S)


def _begin_night(web: Web, prepare: Callable[[], None], start_night: bool) -> int | None:
    """Prepare a night; return the request of the one that is due, or None if there is none."""
    # One that this start repeats goes on already, and may be over before the sources are there.
    there = master.waiting(web, "nightly") if start_night else None
    prepare()
    return master.request(web, "nightly") if start_night and there is None else there


def _look(progress: Progress, watch: Callable[[], None]) -> tuple[list[str], list[Night]]:
    """Return what has happened; a process that has died is the reason if nothing answers."""
    try:
        return watched(progress.look, watch)
    except InfrastructureError:
        watch()
        raise


def watched(work: Callable[[], _T], watch: Callable[[], None]) -> _T:
    """Return what `work` returns, and call `watch` each second meanwhile, which may raise.

    A master whose database has ended answers nobody for minutes: who waits for it must not be the
    one that would see why.
    """
    answer: Future[_T] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as e:  # noqa: BLE001 - who waits raises it
            answer.set_exception(e)

    threading.Thread(target=run, daemon=True).start()
    while not wait([answer], timeout=_WATCH_S).done:
        watch()
    return answer.result()


def _note(progress: Progress, nights: Nights | None) -> None:
    """Note beside the reports that a night goes on, for the next start."""
    if nights is not None and progress.night_asked_at is not None:
        unfinished.note(nights.reports, progress.night_asked_at)


def _say_report(written: Written) -> bool:
    """Print a report; return False, and print nothing, if an earlier start has done so."""
    # A night that a restart repeats keeps the report that it has written before.
    if _was_printed(written.path):
        return False
    print_report(written.path)
    log.info(f"in full, {written.name} is {written.path}")
    return True


def print_report(path: Path) -> None:
    """Print the short form of a report, and note beside it that it is printed."""
    log.info(of_whole(path.read_text(encoding="utf-8")))
    if not _was_printed(path):
        with (path.parent / _PRINTED).open("a", encoding="utf-8") as names:
            names.write(f"{path.name}\n")


def _was_printed(path: Path) -> bool:
    try:
        return path.name in (path.parent / _PRINTED).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return False


def _say_end(ended: Night, nights: Nights | None) -> None:
    if nights is not None:
        unfinished.forget(nights.reports)
    for note in ended.notes:
        log.info(note)
    if ended.report is None:
        log.info("the night ended without a report: see the messages above")
    elif nights is not None and (sentence := nights.conclude()) is not None:
        log.info(sentence)


def concluded(settings: Settings) -> str | None:
    """Return whether the branches are regressing, in a sentence; None: the database is away."""
    try:
        with connect(settings.dsn()) as conn:
            return f"{conclusion(overview(conn), datetime.now(UTC)).sentence}."
    except InfrastructureError:
        return None


def status_of(report: Path) -> ExitCode:
    """Return the exit status of a night with this report."""
    return ExitCode.PROOF_FAILED if proof_file.has_failed(report) else ExitCode.OK


def first_is_due(settings: Settings) -> bool:
    """Return whether the first look is to be made: nothing was compared yet, or it was stopped."""
    if settings.first is None:
        return False
    with connect(settings.dsn()) as conn:
        if conn.execute("SELECT 1 FROM comparison WHERE NOT synthetic").fetchone() is None:
            return True
    return master.is_requested(settings, "first")


def goes_on(settings: Settings, until: Until | None, last: Path | None) -> bool:
    """Say that the last stop has interrupted a night, if so; return whether it has.

    `last` is the newest report that answers `until`.
    """
    asked = unfinished.since(settings.state / "reports", last)
    if asked is None or until is Until.FIRST:
        return False
    begun = f"the night of {printable.minute(asked)} was not over at the last stop and goes on"
    log.info(begun if last is None else f"{begun}; the newest report so far is {last}")
    return True


def resume(web: Web, settings: Settings, until: Until | None) -> tuple[bool, Path | None]:
    """Return whether a night is due, or goes on, and the report that answers `until` without one.

    What `goes_on` has said is the note beside the reports; the master at `web` knows better.
    """
    last = last_report(settings, until)
    if last is None:
        return True, None
    if unfinished.since(settings.state / "reports", last) is None:
        return False, None
    if master.waiting(web, "nightly") is not None:
        return True, None
    unfinished.forget(settings.state / "reports")
    return False, None if until is None else last


def last_report(settings: Settings, until: Until | None = None) -> Path | None:
    """Return the newest report of a night; with `until` the one that answers it.

    Returns None for PROOF while the newest night is not reported to its end.
    """
    folder = settings.state / "reports"
    reports = sorted((folder / "first" if until is Until.FIRST else folder).glob("*.txt"))
    if until is Until.REPORT:
        reports = [path for path in reports if not path.name.endswith(PROOF_REPORT)] or reports
    if until is Until.PROOF:
        reports = [path for path in reports if not path.name.endswith(EARLY_REPORT)]
    if until is Until.PROOF and proves(settings):
        reports = [path for path in reports[-1:] if path.name.endswith(PROOF_REPORT)]
    return reports[-1] if reports else None
