# SPDX-License-Identifier: GPL-2.0-only
"""A rehearsal of alerts with other thresholds, told while it goes on."""

from __future__ import annotations

import datetime
import logging
import queue
import threading
import time
from collections.abc import Iterator, Sequence

import psycopg
from attrs import define, field
from flask import Blueprint, abort, render_template, request, stream_template

from vlag.alerts import rehearsal, rehearsal_text
from vlag.alerts.rehearsal import Rehearsal
from vlag.config import Alerts
from vlag.errors import VlagError
from vlag.store import database
from vlag.web.access import Visitor
from vlag.web.installation import Site, access, site
from vlag.web.params import Params, sentence, wrong

log = logging.getLogger(__name__)

rehearsals = Blueprint("rehearsals", __name__)

#: Seconds that a rehearsal may take.
LIMIT_S = 600
#: Days that it may reach back, and those that the form offers.
_MOST_DAYS, _DAYS = 366, 28
#: How often it says how far it is.
_STEPS = 20
#: Alerts of a list; the command shows all.
SHOWN = 200
#: One at a time: each reads all verdicts of its days.
_ONE = threading.Lock()


@rehearsals.get("/rehearsal")
def form() -> str:
    """The form, for those who may change alerts."""
    Params(request.args)
    visitor = access().visitor(request)
    return render_template("rehearsal.html", **_shown(visitor), work=None, days=_DAYS)


@rehearsals.post("/rehearsal")
def rehearse() -> Iterator[str]:
    """The form with the rehearsal below it, line by line as it goes on."""
    visitor = access().check(request, "rehearse alerts")
    asked = Params(request.form, "days", *rehearsal.SETTINGS, "token")
    days = asked.integer("days")
    if days > _MOST_DAYS:
        wrong(f"days={days}: a rehearsal reaches back {_MOST_DAYS} days at most.")
    changes = [f"{name}={asked.text(name)}" for name in rehearsal.SETTINGS if name in asked]
    thresholds = rehearsal.changed(site().thresholds, changes)
    if not _ONE.acquire(blocking=False):
        abort(429, "Another rehearsal goes on; wait until it has ended, ten minutes at most.")
    try:
        work = Work(site=site(), thresholds=thresholds, days=days)
        work.start()
    except BaseException:
        _ONE.release()
        raise
    return stream_template("rehearsal.html", **_shown(visitor), work=work, days=days)


def _shown(visitor: Visitor | None) -> dict[str, object]:
    return {
        "settings": {name: getattr(site().thresholds, name) for name in rehearsal.SETTINGS},
        "token": access().token(visitor) if visitor is not None else None,
        "minutes": LIMIT_S // 60, "most_days": _MOST_DAYS, "parts": rehearsal_text.PARTS,
        "shown": SHOWN,
    }  # fmt: skip


class _StoppedError(Exception):
    """Nobody waits for it any more, or its time is over."""


@define(kw_only=True)
class Work:
    """A rehearsal on a thread of its own, which ends when nobody listens."""

    site: Site
    thresholds: Alerts
    days: int
    done: Rehearsal | None = None
    why: str | None = None  # it has no result, in a sentence
    _said: queue.SimpleQueue[str | None] = field(factory=queue.SimpleQueue)  # None: the end
    _left: threading.Event = field(factory=threading.Event)
    _until: float = 0.0
    _told: int = 0

    def start(self) -> None:
        """Begin; the lock of the one rehearsal is its own from now on."""
        self._until = time.monotonic() + LIMIT_S
        threading.Thread(target=self._run, name="rehearsal", daemon=True).start()

    def heard(self) -> Iterator[str]:
        """Yield how far it is, until it has ended; who stops listening ends it."""
        try:
            while (said := self._said.get()) is not None:
                yield said
        finally:
            self._left.set()

    @property
    def heading(self) -> str:
        """Return what was rehearsed."""
        assert self.done is not None  # noqa: S101 - asked for after the end
        return rehearsal_text.heading(self.done, self.site.thresholds)

    @property
    def figures(self) -> Sequence[tuple[str, str, str]]:
        """Return each figure: its name, on record, rehearsed."""
        assert self.done is not None  # noqa: S101 - asked for after the end
        return [
            (name.strip(), was, would) for name, was, would in rehearsal_text.figures(self.done)
        ]

    def _run(self) -> None:
        try:
            self.done = self._rehearse()
        except (_StoppedError, psycopg.errors.QueryCanceled):
            self.why = f"It was ended after {LIMIT_S // 60} minutes; ask for fewer days."
        except VlagError as e:
            self.why = sentence(e)
        except Exception:
            log.exception("a rehearsal of alerts failed")
            self.why = "It failed by a fault of the program, which the log of the pages has."
        finally:
            _ONE.release()
            self._said.put(None)

    def _rehearse(self) -> Rehearsal:
        dsn = self.site.writer_dsn
        assert dsn is not None, "without it nobody has the right"  # noqa: S101
        now = datetime.datetime.now(datetime.UTC)
        with database.connect(dsn) as conn:
            conn.execute(f"SET statement_timeout = {LIMIT_S * 1000}")
            return rehearsal.rehearse(
                conn,
                self.site.catalogue,
                self.thresholds,
                since=now - datetime.timedelta(days=self.days),
                until=now,
                recipients=self.site.recipients,
                each=self._each,
            )

    def _each(self, done: int, of: int) -> None:
        """Say how far it is, some times in all."""
        if self._left.is_set() or time.monotonic() > self._until:
            raise _StoppedError
        step = done * _STEPS // of
        if step > self._told:
            self._told = step
            self._said.put(f"{done:,} of {of:,} nights and pushes")
