# SPDX-License-Identifier: GPL-2.0-only
"""What a night leaves out so that it ends in time: what tells least for its minutes.

What may be left out is a kernel on one board type, as far as no other is compared with it. The
baselines, which are the controls of later nights, and the self-proof always run.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve, fields, frozen

from vlag.config import Settings
from vlag.pipeline.night_plan import Asked, Night, Pair

Place = tuple[str, str]  # key of a kernel, and a board type

#: What a comparison of a head that earlier nights have had tells, against that of a new one.
KNOWN_HEAD = 0.25
#: Nights in a row after which a comparison has its turn, even where no night has room for it.
PATIENCE = 7


@frozen(kw_only=True)
class Part:
    """A kernel on one board type, which a night may leave out."""

    key: str  # of the kernel in the night as it is planned
    name: str  # of the kernel, the same on any board types
    branch: str  # TREE/BRANCH
    label: str  # of the kernel, for people
    board_type: str
    value: float = 1.0  # figures that it compares, fewer where the head is known
    nights: int = 0  # that have left it out, in a row
    minutes: int = 0  # by which the night is shorter without it

    @property
    def place(self) -> Place:
        """Return where the night has it."""
        return self.key, self.board_type

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Part:
        """Return the part that a forecast has written, whatever else is with it."""
        return cls(**{f.name: document[f.name] for f in fields(cls) if f.name in document})

    @property
    def words(self) -> str:
        """Return it for people, with how long it takes and has waited."""
        waited = f", for night {self.nights + 1} in a row" if self.nights else ""
        return f"{self.label} on {self.board_type} (about {self.minutes} min{waited})"


@frozen(kw_only=True)
class Work:
    """Builds and runs of a night."""

    builds: Mapping[str, float]  # build to do -> seconds
    build_of: Mapping[str, str]  # key of a kernel -> its build
    runs: Mapping[Place, float]  # seconds of all runs to do, one after the other
    boards: Mapping[str, int]  # board type -> number of boards
    slots: int  # runs side by side

    def seconds(self, left_out: Collection[Place]) -> float:
        """Return how long the night is without some places: builds alone, runs side by side."""
        kept = {place: s for place, s in self.runs.items() if place not in left_out}
        needed = {self.build_of[key] for key, _ in kept}
        by_type: dict[str, float] = {}
        for (_, board_type), s in kept.items():
            by_type[board_type] = by_type.get(board_type, 0.0) + s
        busy = (s / max(1, self.boards.get(name, 0)) for name, s in by_type.items())
        return sum(s for build, s in self.builds.items() if build in needed) + max(
            sum(kept.values()) / self.slots, *busy, 0.0
        )


def parts(night: Night, values: Mapping[Place, float], nights: Mapping[Place, int]) -> list[Part]:
    """Return what a night may leave out.

    `values` are by place; `nights` by name and board type, of what the last night left out.
    """
    bases = {pair.base.key for pair in night.pairs}
    may = [k for k in night.kernels if k.key not in bases and k.key not in night.proof]
    return [
        Part(
            key=kernel.key,
            name=name,
            branch=f"{kernel.tree}/{kernel.branch or kernel.ref}",
            label=kernel.label,
            board_type=board_type,
            value=values.get((kernel.key, board_type), 0.0),
            nights=nights.get((name, board_type), 0),
        )
        for kernel in may
        for name in [evolve(kernel, board_types=()).key.strip()]
        for board_type in kernel.board_types
    ]


def choose(may: Sequence[Part], work: Work, seconds: float) -> list[Part]:
    """Return what is left out of a night that has so many seconds, in the order of `may`.

    What waited longest comes in first, then what tells most for the time by which it makes the
    night longer. One comparison runs in any night.
    """
    out = {part.place: part for part in may}
    if work.seconds(()) <= seconds:
        return []
    while out:
        now = work.seconds(out)
        longer = {
            place: work.seconds([other for other in out if other != place]) - now for place in out
        }
        order = sorted(
            out.values(),
            key=lambda p: (-p.nights, -p.value / max(1.0, longer[p.place]), p.label, p.board_type),
        )
        fits = (p for p in order if now + longer[p.place] <= seconds)
        due = (p for p in order if p.nights >= PATIENCE)
        alone = order if len(out) == len(may) else ()
        taken = next(due, None) or next(fits, None) or next(iter(alone), None)
        if taken is None:
            return [_timed(out[p.place], longer) for p in may if p.place in out]
        del out[taken.place]
    return []


def _timed(part: Part, longer: Mapping[Place, float]) -> Part:
    return evolve(part, minutes=max(1, round(longer[part.place] / 60)))


def without(night: Night, left_out: Collection[Place]) -> Night:
    """Return a night without some kernels on some board types."""

    def rest(kernel: Asked) -> Asked:
        types = tuple(name for name in kernel.board_types if (kernel.key, name) not in left_out)
        return evolve(kernel, board_types=types)

    pairs = (Pair(base=pair.base, new=rest(pair.new)) for pair in night.pairs)
    return Night(
        kernels=tuple(k for k in map(rest, night.kernels) if k.board_types),
        pairs=tuple(pair for pair in pairs if pair.new.board_types),
    )


def end_of(settings: Settings) -> str | None:
    """Return the time at which nights must end, in the master's local time; None: at none."""
    end = settings.nightly_end
    return None if end is None else f"{end:%H:%M}"


def left_s(settings: Settings, now: datetime.datetime) -> float | None:
    """Return how many seconds a night has that begins now; None: as many as it wants.

    Outside the hours of the night it is the whole of the next one.
    """
    if settings.nightly_end is None:
        return None
    local = now.astimezone()
    begin = datetime.time(settings.nightly_hour, settings.nightly_minute)
    begins, ends = (_next(clock, local) for clock in (begin, settings.nightly_end))
    if ends > begins:
        return (_next(settings.nightly_end, begins) - begins).total_seconds()
    return (ends - local).total_seconds()


def _next(clock: datetime.time, after: datetime.datetime) -> datetime.datetime:
    days = (after.date() + datetime.timedelta(days=n) for n in range(3))
    times = (datetime.datetime.combine(day, clock).astimezone() for day in days)
    return next(at for at in times if at > after)


def sentence(left_out: Iterable[Part], end: str) -> str | None:
    """Return what people read of what a night leaves out; None: nothing."""
    words = [part.words for part in left_out]
    if not words:
        return None
    return (
        f"Left out, so that the night ends by {end}: {', '.join(words)}."
        " The next night has them first."
    )
