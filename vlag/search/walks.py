# SPDX-License-Identifier: GPL-2.0-only
"""A search walked over what is on record, until something is missing."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache, partial
from itertools import count, takewhile
from pathlib import Path

from attrs import frozen

from vlag.config import PATHS, Settings
from vlag.config.catalogue import Catalogue
from vlag.kernel import mirror as mirrors
from vlag.model import digest
from vlag.pipeline.boot import shorter_timeout_s
from vlag.search import profiling
from vlag.search.ahead import Foreseen
from vlag.search.bisection import MOST, MOST_NOISY, Bisection
from vlag.search.found import Found
from vlag.search.measure import Figure, figure
from vlag.search.recorded import TIMES, Booted, Missing, Question, Reader, Recorded
from vlag.store import durations
from vlag.store.database import Connection

#: Boots of each commit.
BOOTS = 5


@frozen(kw_only=True)
class Walk:
    """A search, and what it reads."""

    search: Bisection
    measurer: Recorded
    figure: Figure
    foreseen: Foreseen | None  # what is built ahead; None: no other host builds
    scratch: Path

    def run(self) -> Found:
        """Return the result; raises Missing for what is not on record."""
        try:
            return self.search.run(PATHS)
        except Missing as missing:
            if missing.boots and self.foreseen is not None:
                builds = self.measurer.ahead(self.foreseen.commits)
                raise Missing(boots=missing.boots, builds=builds) from None
            raise
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)


def walk_of(
    conn: Connection,
    settings: Settings,
    catalogue: Catalogue,
    q: Question,
    reader: Reader,
    candidates: Sequence[str] = (),
) -> Walk:
    """Return the search that answers a question; `candidates` are commits to ask about first."""
    changed = q.changed
    asked = figure(
        catalogue.benchmark(changed.benchmark),
        f"{changed.metric}:{changed.statistic}",
        changed.parameters,
        q.comparison.new_knobs,
    )
    kind = catalogue.board_type(q.comparison.board_type)
    read = cache(reader(q.comparison, changed))  # nothing on record changes during a walk
    screened = 0 if kind.deterministic else _screened(q)
    measurer = Recorded(
        conn=conn, settings=settings, question=q, board_type=kind, figure=asked,
        timeout_s=_timeout_s(conn, catalogue, q),
        read=read, times=1 if kind.deterministic else TIMES, screened=screened,
    )  # fmt: skip
    mirror = settings.mirror(q.bad.tree)
    key = digest(
        [
            q.comparison.id,
            changed.benchmark,
            dict(changed.parameters),
            changed.metric,
            changed.statistic,
            q.good.commit,
            q.bad.commit,
        ]
    )
    scratch = settings.state / "bisect" / f"service-{key[:16]}"
    resolve = partial(mirrors.resolve, mirror)
    foreseen = Foreseen() if sum("build" in host.takes for host in settings.hosts) > 1 else None
    recorded = _recorded([read(k.id) for k in (q.good, q.bad)], screened)
    # What the settings allow has the boots of the ends that count, and is four times as much.
    most = max(TIMES * settings.bisect.boots - 2 * recorded, 0)
    search = Bisection(
        measurer=measurer, mirror=mirror, scratch=scratch, good=resolve(q.good.commit),
        bad=resolve(q.bad.commit), boots=BOOTS, most=MOST if kind.deterministic else MOST_NOISY,
        ahead=foreseen, noisy=not kind.deterministic, candidates=candidates,
        screened=screened, recorded=recorded, budget=None if kind.deterministic else most,
    )  # fmt: skip
    return Walk(search=search, measurer=measurer, figure=asked, foreseen=foreseen, scratch=scratch)


def _screened(q: Question) -> int:
    """Return the last seed of the boots that raised the suspicion; 0: the plan has no such boots.

    Both ends were chosen since these boots differ, whatever the lot did to them: a search that
    took them as evidence would believe in a larger change than there is.  The reruns' and its own
    are not chosen so.
    """
    changed, stage = q.changed, q.comparison.stage
    for entry in q.comparison.scope:
        same = dict(entry["parameters"] or {}) == dict(changed.parameters)
        if entry["benchmark"] == changed.benchmark and same:
            return int(entry["last"] if stage == "screen" else (entry["first"] or 1) - 1)
    return 0


def _recorded(ends: Sequence[Booted], screened: int) -> int:
    """Return how many boots both ends have, one seed after the other, after those of the screen."""
    seeds = count(screened + 1)
    there = takewhile(lambda seed: all(seed in end.values for end in ends), seeds)
    return sum(1 for _ in there)


def _timeout_s(conn: Connection, catalogue: Catalogue, q: Question) -> int:
    """Return the seconds for the benchmark: the plan's, fewer where both ends took far less."""
    changed = q.changed
    planned = profiling.timeout_s(catalogue, q.comparison.plan, changed.benchmark)
    if catalogue.board_type(q.comparison.board_type).deterministic:
        return planned  # it counts the board's own clock
    longest = durations.longest_s(
        conn, q.comparison.board_type, changed.benchmark, changed.parameters,
        [q.good.id, q.bad.id],
    )  # fmt: skip
    return shorter_timeout_s(planned, longest)
