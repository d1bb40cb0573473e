# SPDX-License-Identifier: GPL-2.0-only
"""Who blocked the worst wake-ups of the kernels of comparisons, where it differs beyond chance."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from vlag import printable
from vlag.errors import ParseError
from vlag.lava.worst_wakeups import FILE
from vlag.parsers import timerlat
from vlag.report.document import BlockedData
from vlag.report.read_model.watched import WatchedRow, watched
from vlag.stats.blockers import Blocker, more_often
from vlag.store.database import Connection

#: Names of a sentence; the others are counted in `names` alone.
_NAMED = 2
_NOBODY = "nobody alone"


def of(conn: Connection, comparisons: Sequence[int]) -> list[BlockedData]:
    """Return, by benchmark, who blocks the worst wake-ups of a comparison's new kernel more often.

    Nothing is said of a benchmark where nobody surely does, nor of boots whose folder is gone or
    whose kernel had no tracer.
    """
    found = []
    boots = watched(conn, comparisons)
    for _, group in groupby(boots, lambda b: (b["comparison"], b["benchmark"], b["parameters"])):
        mine = list(group)
        sides = [
            [(b["id"], names) for b in mine if b["is_new"] is is_new and (names := _names(b))]
            for is_new in (False, True)
        ]
        base, new = ([names for _, names in side] for side in sides)
        if blockers := more_often(base, new):
            found.append(_data(mine[0], sides, blockers))
    return found


def unread(conn: Connection, comparisons: Sequence[int]) -> list[str]:
    """Return a sentence for each reason why boots of comparisons that watched say nothing."""
    why: Counter[str] = Counter()
    for boot in watched(conn, comparisons):
        try:
            _read(boot["location"])
        except ParseError as e:
            why[printable.line(str(e))] += 1
        except OSError:
            continue  # the folder is gone
    return [
        f"who blocked the worst wake-ups of {n} boots was not read: {reason}"
        for reason, n in why.items()
    ]


def _data(
    first: WatchedRow,
    sides: Sequence[Sequence[tuple[int, Mapping[str, int]]]],
    blockers: Sequence[Blocker],
) -> BlockedData:
    of_base, of_new = (sum(sum(names.values()) for _, names in side) for side in sides)
    named = [
        f"{b.name} blocked {b.new} of the {of_new} worst wake-ups, and {b.base} of {of_base} with"
        " base"
        for b in blockers[:_NAMED]
    ]
    boots = " + ".join(str(len(side)) for side in sides)
    return {
        "benchmark": first["benchmark"],
        "parameters": first["parameters"],
        "runs": {"base": [r for r, _ in sides[0]], "new": [r for r, _ in sides[1]]},
        "names": [{"name": b.name, "base": b.base, "new": b.new, "p": b.p} for b in blockers],
        "of_base": of_base,
        "of_new": of_new,
        "sentence": f"{'; '.join(named)} ({boots} boots).",
    }


def _names(boot: WatchedRow) -> Mapping[str, int]:
    """Return name -> how many of a boot's worst wake-ups it blocked; none where nothing is kept."""
    try:
        return _read(boot["location"])
    except (OSError, ParseError):
        return {}


@functools.lru_cache(maxsize=512)
def _read(location: str) -> Mapping[str, int]:
    path = Path(location) / "raw" / FILE
    found = timerlat.wakeups(path.read_bytes(), path=FILE)
    return Counter(w.blocker() or _NOBODY for w in timerlat.worst(found))
