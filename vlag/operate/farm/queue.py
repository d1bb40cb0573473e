# SPDX-License-Identifier: GPL-2.0-only
"""The queue of each board type: waiting runs, their order, and when results are due."""

from __future__ import annotations

import datetime
import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from attrs import evolve, frozen

from vlag.buildbot import Web
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.lava.server import Client
from vlag.model import Board, Purpose
from vlag.operate.farm import board_checks
from vlag.pipeline.boot import estimate_s
from vlag.store.database import connect
from vlag.store.durations import ratios

#: Columns of the text, and the number of waiting runs that it names for each board type.
WIDTH, SHOWN = 80, 8

#: Names of Buildbot's builders of runs and of kernels, as in `master/builders.py`.
RUNS, KERNELS = "board", "kernel"

_PROPERTIES = ("purpose", "label", "board_type", "benchmark", "parameters", "seed", "lab",
               "lab_jobs")  # fmt: skip

# States of a LAVA job that has a board.
_ON_A_BOARD = ("Running", "Canceling")


class LabJob(Protocol):
    """The fields that vlag reads of an unfinished job of a lab."""

    @property
    def id(self) -> int:
        """Its number."""

    @property
    def priority(self) -> int:
        """From 0 to 100, the highest first."""

    @property
    def board_type(self) -> str | None:
        """Its board type; None for a role of a multinode job without a board."""

    @property
    def state(self) -> str:
        """LAVA's term: Submitted, Scheduling, Scheduled, Running, Canceling."""

    @property
    def submitted_at(self) -> datetime.datetime:
        """When it entered the queue."""

    @property
    def started_at(self) -> datetime.datetime | None:
        """When it got its board."""


@frozen(kw_only=True)
class Item:
    """A running or waiting run."""

    what: str
    board_type: str
    priority: int  # as LAVA's, 0 to 100: the highest first, then the oldest
    submitted_at: datetime.datetime
    started_at: datetime.datetime | None  # None: it waits
    estimate_s: float | None  # as planned, not calibrated; None: unknown
    lab: str | None = None  # the lab that has it
    jobs: tuple[str, ...] = ()  # its job numbers there

    @property
    def purpose(self) -> Purpose:
        """Return its purpose; jobs of other users get the purpose with a similar priority."""
        return Purpose.of_priority(self.priority)


@frozen(kw_only=True)
class Due:
    """When an item begins and ends, as far as known."""

    item: Item
    starts_at: datetime.datetime | None  # None: no board of its type is in service
    due_at: datetime.datetime | None


@frozen(kw_only=True)
class Queue:
    """All runs that are requested of one board type."""

    board_type: str
    boards: int  # in service
    out: int  # in maintenance
    ratio: float  # measured by planned seconds of a run
    running: tuple[Due, ...]  # the next to end first
    waiting: tuple[Due, ...]  # in the order of service

    @property
    def free_at(self) -> datetime.datetime | None:
        """Return when all of it is done; None if unknown."""
        ends = [d.due_at for d in (*self.running, *self.waiting)]
        known = [e for e in ends if e is not None]
        return max(known) if known and len(known) == len(ends) else None


def current(
    settings: Settings, catalogue: Catalogue, now: datetime.datetime
) -> tuple[list[Queue], int]:
    """Return the queue of each board type now, and how many kernels wait to be built.

    Raises InfrastructureError if the master, a lab or the database does not answer.
    """
    items, kernels = of_buildbot(Web(settings.web_port, settings.web_host), catalogue)
    ours = {kind.lava_type: name for name, kind in catalogue.board_types.items()}
    for lab in settings.labs.values():
        jobs = [evolve(j, board_type=ours.get(str(j.board_type))) for j in Client(lab).queue()]
        items = with_lab(items, lab.name, jobs)
    with connect(settings.dsn()) as conn:
        usable = board_checks.in_service(conn, catalogue)
        measured = ratios(conn)
    return plan(items, catalogue.boards, usable, measured, now=now), kernels


def plan(
    items: Iterable[Item],
    boards: Iterable[Board],
    in_service: Iterable[Board],
    ratios: Mapping[str, float],
    *,
    now: datetime.datetime,
) -> list[Queue]:
    """Return the queue of each board type: list scheduling on the boards in service.

    `ratios` are measured by planned seconds of a type's runs, 1 where nothing was
    measured.  An item without an estimate gets the mean of the others of its type; one that
    has run for longer than its estimate is due now.  A board that goes into maintenance
    ends its run, and takes no other.
    """
    there = Counter(b.board_type for b in boards)
    usable = Counter(b.board_type for b in in_service)
    by_type: dict[str, list[Item]] = {name: [] for name in there}
    for item in items:
        by_type.setdefault(item.board_type, []).append(item)
    return [
        _of_type(
            name,
            mine,
            boards=usable[name],
            out=there[name] - usable[name],
            ratio=ratios.get(name, 1.0),
            now=now,
        )
        for name, mine in sorted(by_type.items())
    ]


def _of_type(
    name: str, items: Sequence[Item], *, boards: int, out: int, ratio: float, now: datetime.datetime
) -> Queue:
    known = [i.estimate_s for i in items if i.estimate_s is not None]
    usual = sum(known) / len(known) if known else None

    def lasts(item: Item) -> datetime.timedelta | None:
        estimate = usual if item.estimate_s is None else item.estimate_s
        return None if estimate is None else datetime.timedelta(seconds=estimate * ratio)

    running = []
    for item in items:
        if item.started_at is not None:
            length = lasts(item)
            end = None if length is None else max(now, item.started_at + length)
            running.append(Due(item=item, starts_at=item.started_at, due_at=end))
    running.sort(key=lambda d: (d.due_at or now, d.item.submitted_at))
    # If there are more runs than boards in service, the first to end free no board.
    ends = [d.due_at or now for d in running][max(0, len(running) - boards) :]
    free = ends + [now] * (boards - len(ends))
    heapq.heapify(free)
    waiting = []
    for item in sorted(
        (i for i in items if i.started_at is None),
        key=lambda i: (-i.priority, i.submitted_at, i.what),
    ):
        length = lasts(item)
        if not free or length is None:
            waiting.append(Due(item=item, starts_at=None, due_at=None))
            continue
        start = heapq.heappop(free)
        heapq.heappush(free, start + length)
        waiting.append(Due(item=item, starts_at=start, due_at=start + length))
    return Queue(
        board_type=name,
        boards=boards,
        out=out,
        ratio=ratio,
        running=tuple(running),
        waiting=tuple(waiting),
    )


def of_buildbot(web: Web, catalogue: Catalogue) -> tuple[list[Item], int]:
    """Return Buildbot's running and waiting runs, and the number of its waiting kernels.

    The number of runs of a kernel is unknown until it is built.
    """
    numbers = {b["name"]: b["builderid"] for b in web.get("/builders")}
    if missing := {RUNS, KERNELS} - numbers.keys():
        raise UsageError(
            f"Buildbot has no builder {' and no '.join(sorted(missing))}: is this vlag's master?"
        )
    requests = web.get(
        f"/builders/{numbers[RUNS]}/buildrequests", complete="false", property=list(_PROPERTIES)
    )
    builds = web.get(
        f"/builders/{numbers[RUNS]}/builds", complete="false", property=["lab", "lab_jobs"]
    )
    begun = {b["buildrequestid"]: b for b in builds}
    kernels = web.get(
        f"/builders/{numbers[KERNELS]}/buildrequests", complete="false", claimed="false"
    )
    return [_item(r, begun.get(r["buildrequestid"]), catalogue) for r in requests], len(kernels)


def _item(
    request: Mapping[str, Any], build: Mapping[str, Any] | None, catalogue: Catalogue
) -> Item:
    both = {**(request.get("properties") or {}), **((build or {}).get("properties") or {})}
    p = {name: both.get(name, (None, None))[0] for name in _PROPERTIES}
    # A request without a purpose was made by hand.
    purpose = Purpose(p["purpose"]) if p["purpose"] in list(Purpose) else Purpose.PERSON
    return Item(
        what=p["label"] or f"request {request['buildrequestid']}",
        board_type=p["board_type"] or "unknown",
        priority=purpose.lava_priority_of(p["seed"] or 1),
        submitted_at=_time(request["submitted_at"]),
        started_at=None if build is None else _time(build["started_at"]),
        estimate_s=_estimate(p, catalogue),
        lab=p["lab"],
        jobs=tuple(str(number) for number in p["lab_jobs"] or ()),
    )


def _time(seconds: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC)


def _estimate(p: Mapping[str, Any], catalogue: Catalogue) -> float | None:
    benchmark = catalogue.benchmarks.get(p["benchmark"] or "")
    board_type = catalogue.board_types.get(p["board_type"] or "")
    if benchmark is None or board_type is None:
        return None
    return estimate_s(benchmark, board_type, {**benchmark.parameters, **(p["parameters"] or {})})


def with_lab(items: Iterable[Item], lab: str, jobs: Iterable[LabJob]) -> list[Item]:
    """Return the items with a lab's own times, and the jobs of the lab's other users.

    For Buildbot a run begins when it is submitted to the lab, where it may have to wait.
    """
    there = {str(job.id): job for job in jobs}
    kept = []
    for item in items:
        its = [there.pop(n) for n in item.jobs if n in there] if item.lab == lab else []
        if its:
            starts = [j.started_at for j in its if j.state in _ON_A_BOARD and j.started_at]
            item = evolve(item, started_at=min(starts) if starts else None)  # noqa: PLW2901
        kept.append(item)
    return kept + [
        Item(
            what=f"job {job.id} of lab {lab}",
            board_type=job.board_type,
            priority=job.priority,
            submitted_at=job.submitted_at,
            started_at=job.started_at if job.state in _ON_A_BOARD else None,
            estimate_s=None,
            lab=lab,
            jobs=(str(job.id),),
        )
        for job in there.values()
        if job.board_type is not None
    ]


def document(queues: Iterable[Queue], kernels: int, now: datetime.datetime) -> dict[str, Any]:
    """Return the queues as JSON; times are ISO 8601 in UTC, null if unknown."""
    return {
        "now": _iso(now),
        "kernels_waiting": kernels,
        "board_types": [
            {
                "board_type": q.board_type,
                "boards": q.boards,
                "in_maintenance": q.out,
                "ratio": round(q.ratio, 3),
                "free_at": _iso(q.free_at),
                "running": [_entry(d) for d in q.running],
                "waiting": [_entry(d) for d in q.waiting],
            }
            for q in queues
        ],
    }


def _entry(due: Due) -> dict[str, Any]:
    return {
        "what": due.item.what,
        "purpose": due.item.purpose.value,
        "lab": due.item.lab,
        "submitted_at": _iso(due.item.submitted_at),
        "starts_at": _iso(due.starts_at),
        "due_at": _iso(due.due_at),
    }


def _iso(at: datetime.datetime | None) -> str | None:
    return None if at is None else at.astimezone(datetime.UTC).isoformat(timespec="seconds")


def text(queues: Sequence[Queue], kernels: int, now: datetime.datetime) -> str:
    """Return the queues as text of at most 80 columns, with `SHOWN` of the waiting runs."""
    lines = [] if queues else ["no board, and nothing waits for one"]
    for q in queues:
        out = f" ({q.out} more in maintenance)" if q.out else ""
        size = f"{q.boards} boards{out}, {len(q.running)} running, {len(q.waiting)} waiting"
        lines.append(f"{q.board_type}: {size}")
        for word, dues in (("runs", q.running), ("waits", q.waiting[:SHOWN])):
            for due in dues:
                head = f"  {word:5}  {due.item.purpose.value:7}  "
                tail = f"  due {_clock(due.due_at, now)}"
                room = WIDTH - len(head) - len(tail)
                what = due.item.what
                what = what if len(what) <= room else f"{what[: room - 3]}..."
                lines.append(f"{head}{what:{room}}{tail}")
        if more := q.waiting[SHOWN:]:
            last = more[-1].due_at
            lines.append(f"  and {len(more)} more, the last due {_clock(last, now)}")
    if kernels:
        wait = "1 kernel waits" if kernels == 1 else f"{kernels} kernels wait"
        lines.append(f"{wait} to be built: their runs come on top")
    return "\n".join(lines)


def _clock(at: datetime.datetime | None, now: datetime.datetime) -> str:
    """Return a time of today as 14:05, another with its day, in UTC; all of equal width."""
    if at is None:
        return f"{'unknown':>11}"
    at = at.astimezone(datetime.UTC)
    same = at.date() == now.astimezone(datetime.UTC).date()
    return f"{at:%H:%M}".rjust(11) if same else f"{at:%d %b %H:%M}"[:12].rjust(11)
