# SPDX-License-Identifier: GPL-2.0-only
"""What runs now, how far it is, until when, and what is next: for the pages of a live master."""

from __future__ import annotations

import datetime
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field, frozen

from vlag.buildbot import UI, Web
from vlag.config import Settings
from vlag.errors import InfrastructureError
from vlag.operate.service.progress import Progress, property_of

#: Seconds for which an answer counts as the present, and after which it is no longer shown.
FRESH_S, OLD_S = 4.0, 30.0
#: Longest wait of a page for an answer; a later page shows it.
PATIENCE_S = 0.15

#: What the builders that coordinate others are called on a page.
_WHOLES = {
    "nightly": "The night",
    "first": "The first look",
    "push": "A push",
    "check": "The board check",
}


@frozen(kw_only=True)
class Live:
    """The present of one installation."""

    due: datetime.datetime  # when the next night begins by the clock
    first: bool = False  # none has begun yet: the first does not wait for the clock
    what: str | None = None  # "The night", "A push"; None: nothing runs
    url: str | None = None  # of its build, relative to the site
    now: tuple[str, ...] = ()  # in the words of the terminal
    done: int = 0  # runs of a night that ended, and the planned ones; 0 of 0: no night
    runs: int = 0
    built: int = 0  # kernels of a night that were built, and the planned ones
    kernels: int = 0
    course: str | None = None  # "12 of 280 runs, about 30 min left"
    until: datetime.datetime | None = None
    next: str | None = None  # what waits first for a worker or a board
    lines: tuple[tuple[datetime.datetime, str], ...] = ()  # what came out, the oldest first


def next_night(settings: Settings, now: datetime.datetime | None = None) -> datetime.datetime:
    """Return when the next night begins; like Buildbot, in the local time of this machine."""
    now = (now or datetime.datetime.now(datetime.UTC)).astimezone()
    clock = datetime.time(settings.nightly_hour, settings.nightly_minute)
    days = (now.date() + datetime.timedelta(days=n) for n in range(3))
    begins = (datetime.datetime.combine(day, clock).astimezone(datetime.UTC) for day in days)
    return next(at for at in begins if at > now)


def wait(until: datetime.datetime) -> str:
    """Return the time until a moment in words: "in 19 h", "in 5 min"."""
    minutes = round((until - datetime.datetime.now(datetime.UTC)).total_seconds() / 60)
    if minutes < 1:
        return "now"
    return f"in {minutes} min" if minutes < 90 else f"in {round(minutes / 60)} h"


def current(
    web: Web, due: datetime.datetime, last: Progress | None
) -> tuple[Live, Progress | None]:
    """Return the present, and the progress to pass to the next call.

    Raises InfrastructureError if the master does not answer.
    """
    names = {b["builderid"]: b["name"] for b in web.get("/builders")}
    running = sorted(web.get("/builds", complete="false"), key=lambda b: int(b["buildid"]))
    nights = (number for number, name in names.items() if name == "nightly")
    first = not any(web.get("/builds", builderid=number, limit=1) for number in nights)
    if not running:
        return Live(due=due, first=first), None
    whole = next((b for name in _WHOLES for b in running if names[b["builderid"]] == name), None)
    since = (whole or running[0])["buildid"]
    progress = last if last is not None and last.since == since else Progress(web, since=since)
    progress.look()
    requests = web.get(
        "/buildrequests", claimed="false", complete="false",
        order=["-priority", "buildrequestid"], limit=1, property=["label"],
    )  # fmt: skip
    course = progress.course
    now = [one.sentence for one in progress.working]
    if not now and whole is not None:
        now = [
            step["state_string"]
            for step in web.get(f"/builds/{whole['buildid']}/steps")
            if step["started_at"] and not step["complete"]
        ]
    left_s = 0.0 if course is None else course.left_s
    return Live(
        what="A build" if whole is None else _WHOLES[names[whole["builderid"]]],
        url=None if whole is None else _url(whole),
        now=tuple(now),
        done=0 if course is None else course.run,
        runs=0 if course is None else course.runs,
        built=0 if course is None else course.built,
        kernels=0 if course is None else course.forecast.kernels_to_build,
        course=None if course is None else course.text,
        until=_utc(time.time() + left_s) if left_s else None,
        next=_named(requests[0], names) if requests else None,
        due=due,
        first=first,
        lines=tuple((_utc(at), line) for at, line in progress.kept),
    ), progress  # fmt: skip


def _url(build: Mapping[str, Any]) -> str:
    return f"{UI}#/builders/{build['builderid']}/builds/{build['number']}"


def _named(request: Mapping[str, Any], names: Mapping[int, str]) -> str:
    return property_of(request, "label") or names[request["builderid"]]


def _utc(at: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(at, datetime.UTC)


@define
class Watcher:
    """Asks the master when a page asks, at most once in FRESH_S, never in the page's own time.

    Returns None for an unknown present: no answer yet, or the master does not answer.
    """

    web: Web
    due: Callable[[], datetime.datetime]
    _progress: Progress | None = None
    _live: Live | None = None
    _at: float = -OLD_S
    _asking: threading.Event | None = None
    _lock: threading.Lock = field(factory=threading.Lock)

    def __call__(self) -> Live | None:
        """Return the present as of at most OLD_S ago."""
        with self._lock:
            if time.monotonic() - self._at < FRESH_S:
                return self._live
            if self._asking is None:
                self._asking = threading.Event()
                threading.Thread(target=self._ask, args=(self._asking,), daemon=True).start()
            asking = self._asking
        asking.wait(PATIENCE_S)
        with self._lock:
            return self._live if time.monotonic() - self._at < OLD_S else None

    def _ask(self, asking: threading.Event) -> None:
        live, progress = None, None
        try:
            live, progress = current(self.web, self.due(), self._progress)
        except (InfrastructureError, LookupError):  # no answer, or a build that has just ended
            pass
        finally:
            with self._lock:
                self._live, self._progress = live, progress
                self._at, self._asking = time.monotonic(), None
            asking.set()
