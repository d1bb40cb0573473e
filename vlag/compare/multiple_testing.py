"""All tests of one night together: which of the changes stand among so many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.model import Verdict, digest
from vlag.stats.multiple_testing import DISCOVERY_RATE, combined, told
from vlag.stats.stages import Stand
from vlag.store import comparisons, multiple_testing, suspicions
from vlag.store.database import Connection

_CHANGES = (Verdict.REGRESSION.value, Verdict.IMPROVEMENT.value)


@frozen(kw_only=True)
class Family:
    """What became of a night's changes."""

    tests: int
    told: Mapping[int, bool]  # verdict's id -> whether it stands among all tests


def judge(conn: Connection, ids: Sequence[int], *, record: bool = True) -> Family:
    """Judge the comparisons of a night as one family, and put that on record, if asked to.

    Each statistic of each screen, or of a comparison without stages, is a test; hints
    are none, as they tell nobody.  A change that a rerun confirmed counts with the
    screening level times their p, one that was not put to any with its own p; one that
    they refuted or left open is no change.  Raises nothing for comparisons that are gone.
    """
    tests, members = 0, dict[int, float]()
    found: list[tuple[int, str]] = []
    for comparison in filter(None, (comparisons.by_id(conn, i) for i in sorted(set(ids)))):
        if comparison.stage == "confirm":
            continue
        known = {s.subject: s for s in suspicions.of(conn, comparison)}
        for row in comparisons.verdicts(conn, comparison.id or 0):
            if row.hint or row.p is None or row.id is None:
                continue
            tests += 1
            suspicion = known.get(suspicions.subject(row))
            p: float | None = row.p if row.verdict in _CHANGES else None
            if suspicion is not None and suspicion.boots:
                confirmed = suspicion.stand == Stand.CONFIRMED.value and suspicion.p is not None
                p = combined(suspicion.p or 0.0) if confirmed else None
            if p is not None:
                members[row.id] = p
                found.append((row.id, "" if suspicion is None else suspicion.stand))
    stand = told(list(members.values()), tests=tests, q=DISCOVERY_RATE)
    by_id = dict(zip(members, stand, strict=True))
    key = digest(
        {
            "comparisons": sorted(set(ids)),
            "found": [list(f) for f in found],
            "q": DISCOVERY_RATE,
        }
    )
    if record:
        multiple_testing.insert(conn, key=key, q=DISCOVERY_RATE, tests=tests, p=members, told=by_id)
    return Family(tests=tests, told=by_id)
