# SPDX-License-Identifier: GPL-2.0-only
"""The night's false discovery rate: which of its changes may be reported among all of its tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.model import FLAGS, digest
from vlag.stats.multiple_testing import DISCOVERY_RATE, combined, discoveries
from vlag.stats.stages import Stand
from vlag.store import comparisons, suspicions
from vlag.store import discoveries as families
from vlag.store.comparisons import VerdictRow
from vlag.store.database import Connection
from vlag.store.suspicions import Suspicion


@frozen(kw_only=True)
class Discoveries:
    """A night's changes, judged as one family of tests."""

    tests: int
    reported: Mapping[int, bool]  # id of a change's verdict -> whether it may be reported
    family: int | None  # its id; None: not stored


def judge(conn: Connection, ids: Sequence[int], *, record: bool = True) -> Discoveries:
    """Judge the comparisons of a night as one family, and store it if `record`.

    Each statistic of each screen, or of a comparison without stages, is a test; hints
    are none, as they tell nobody.  A change that a rerun confirmed counts with the
    screening level times their p, one that was not put to any with its own p; one that
    they refuted or left open is no change.  Raises nothing for comparisons that are gone.
    """
    known = comparisons.by_ids(conn, ids)
    screens = [c for c in known.values() if c.stage != "confirm"]
    suspected = suspicions.of_comparisons(conn, [c.id or 0 for c in screens])
    rows = comparisons.verdicts_of(conn, [c.id or 0 for c in screens])
    tests, p, stands = 0, dict[int, float](), dict[int, str]()
    for screen, verdicts in rows.items():
        by_subject = {s.subject: s for s in suspected[screen]}
        for row in verdicts:
            if row.hint or row.p is None or row.id is None:
                continue
            tests += 1
            suspicion = by_subject.get(suspicions.subject(row))
            if (change := _p(row, suspicion)) is not None:
                p[row.id] = change
                stands[row.id] = "" if suspicion is None else suspicion.stand
    passed = discoveries(list(p.values()), tests=tests, q=DISCOVERY_RATE)
    reported = dict(zip(p, passed, strict=True))
    family = None
    if record:
        key = digest(
            {
                "comparisons": sorted(set(ids)),
                "found": [list(item) for item in stands.items()],
                "q": DISCOVERY_RATE,
            }
        )
        family = families.insert(
            conn, key=key, q=DISCOVERY_RATE, tests=tests, p=p, reported=reported
        )
    return Discoveries(tests=tests, reported=reported, family=family)


def _p(row: VerdictRow, suspicion: Suspicion | None) -> float | None:
    """Return the p with which a row counts as a change; None: it is none."""
    if suspicion is None or not suspicion.boots:
        return row.p if row.verdict in FLAGS else None
    if suspicion.stand == Stand.CONFIRMED.value and suspicion.p is not None:
        return combined(suspicion.p)
    return None
