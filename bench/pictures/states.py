# SPDX-License-Identifier: GPL-2.0-only
"""The databases that the pictures show, each filled once in a private cluster."""

from __future__ import annotations

import datetime
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen
from flask import Flask

from bench.pictures import story, variants
from bench.scale import private_cluster
from tests.integration.nights import Nights
from tests.integration.nights import settings as nights_settings
from tests.integration.planted_night import planted_night
from tests.integration.websites import application
from vlag.alerts import derive as alerting
from vlag.config import catalogue as catalogues
from vlag.model import Purpose
from vlag.operate.farm.queue import Due, Item, Queue
from vlag.operate.service.live import Live
from vlag.scenario import data
from vlag.scenario.bundles import enter
from vlag.scenario.scenario_verdicts import Answers
from vlag.scenario.scenario_views import views
from vlag.store import database
from vlag.store.migrate import migrate

#: A crash costs a new start, no more.
_LOAD = "-c fsync=off -c full_page_writes=off"


def _empty(_dsn: str, _state: Path) -> None:
    """Leave the tables without rows."""


def _first_night(dsn: str, state: Path) -> None:
    variants.fill(dsn, state, 1)


def _planted(dsn: str, state: Path) -> None:
    """Tell two nights, the last one today, with one planted regression."""
    began = _now().replace(hour=1, minute=30, second=0, microsecond=0)
    with database.connect(dsn) as conn:
        nights = Nights(
            conn=conn, catalogue=catalogues.load(), folder=state, settings=nights_settings(state),
            first=began - datetime.timedelta(days=1),
        )  # fmt: skip
        planted_night(nights)


def _scenario(name: str) -> Callable[[str, Path], None]:
    def fill(dsn: str, state: Path) -> None:
        catalogue, report = catalogues.load(), data.load(name)
        with database.connect(dsn) as conn:
            enter(report, catalogue, conn, state / "scenarios")
            views(Answers(conn, catalogue, report))
            rows = conn.execute("SELECT id FROM comparison WHERE role IS NOT NULL ORDER BY id")
            alerting.derive(conn, catalogue, [row[0] for row in rows])

    return fill


#: What fills the database of each state.
STATES: dict[str, Callable[[str, Path], None]] = {
    "empty": _empty,
    "first-night": _first_night,
    "year": variants.fill,
    "planted": _planted,
    **{name: _scenario(name) for name in data.names()},
}


@frozen(kw_only=True)
class Stand:
    """A filled database with its pages."""

    dsn: str
    app: Flask


@contextmanager
def stand(name: str, folder: Path, *, fresh: bool = False) -> Iterator[Stand]:
    """Yield a state's database, which is kept in a folder; `fresh` fills it anew."""
    place = folder / name
    filled = place / "filled"
    if fresh or not filled.exists():
        shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True, exist_ok=True)
    with private_cluster(place / "cluster", _LOAD) as dsn:
        migrate(dsn)
        if not filled.exists():
            began = time.monotonic()
            (place / "state").mkdir()
            STATES[name](dsn, place / "state")
            filled.write_text(f"{time.monotonic() - began:.0f} s\n")
            sys.stdout.write(f"filled {name} in {time.monotonic() - began:.0f} s\n")
        queue = (lambda: ([], 0)) if name == "empty" else (lambda: (_queues(), 1))
        live = _PRESENT.get(name)
        app = application(dsn, place / "state", queue=queue, live=live)
        yield Stand(dsn=dsn, app=app)


def _idle() -> Live:
    """Return a present in which nothing runs."""
    return Live(due=_now() + datetime.timedelta(hours=9))


def _night() -> Live:
    """Return a made-up present: half of a night."""
    now = _now()
    sentences = (
        "linux/master on rpi5: UNCHANGED",
        "linux/linux-6.18.y on rpi5: REGRESSION 5.1 % worse",
    )
    return Live(
        due=now + datetime.timedelta(hours=21), what="The night",
        now=("hackbench-pipe of 7.13 on rpi5-1, seed 3", "building linux-6.18.y + eevdf-lag"),
        done=132, runs=280, built=4, kernels=6,
        course="132 of 280 runs, about 50 min left", until=now + datetime.timedelta(minutes=50),
        next="stress-ng-switch of 7.13 on altra-1, seed 1",
        lines=tuple(
            (now - datetime.timedelta(minutes=9 - 5 * i), s) for i, s in enumerate(sentences)
        ),
    )  # fmt: skip


#: What the service does meanwhile; unknown where a state is not listed.
_PRESENT: dict[str, Callable[[], Live]] = {
    "empty": _idle,
    "first-night": _idle,
    "planted": _idle,
    "year": _night,
}


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC).replace(microsecond=0)


def _queues() -> list[Queue]:
    """Return a made-up queue: what a night leaves to do at five in the morning."""
    now = _now()
    queues = []
    for board_type, names in story.BOARDS.items():
        items = [
            Due(
                item=Item(
                    what=f"master v7.13 {what} seed {seed}", board_type=board_type,
                    priority=Purpose.NIGHT.lava_priority, estimate_s=100,
                    submitted_at=now - datetime.timedelta(minutes=50),
                    started_at=now if i < len(names) else None,
                ),
                starts_at=now + datetime.timedelta(seconds=100 * i),
                due_at=now + datetime.timedelta(seconds=100 * i + 100),
            )
            for i, (what, seed) in enumerate(
                (what, seed)
                for what in ("stress-ng-switch", "hackbench-pipe")
                for seed in range(1, 4)
            )
        ]  # fmt: skip
        queues.append(
            Queue(
                board_type=board_type, boards=len(names),
                out=int(board_type == story.AWAY[0]), ratio=1.02,
                running=tuple(items[: len(names)]), waiting=tuple(items[len(names) :]),
            )
        )  # fmt: skip
    return queues
