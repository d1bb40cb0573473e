"""What a report says beside the figures: what sets two sides apart, what accounts for a loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vlag.compare import attribution
from vlag.compare.differences import differences
from vlag.config.catalogue import Catalogue
from vlag.model import Verdict
from vlag.store.comparisons import VerdictRow
from vlag.store.database import Connection
from vlag.store.runs import Run


def differing(
    conn: Connection,
    catalogue: Catalogue,
    ordered: Sequence[VerdictRow],
    by_id: Mapping[int, Run],
) -> list[str]:
    """Name every factor in which the runs differ that may not be compared."""
    rows = [v for v in ordered if v.verdict == Verdict.NOT_COMPARABLE.value]
    found: dict[str, None] = {}
    for v in rows:
        base, new = ([by_id[r] for r in ids] for ids in (v.base_runs, v.new_runs))
        if base and new and v.benchmark in catalogue.benchmarks:
            for d in differences(conn, catalogue, base, new, v.metric):
                must = "" if d.factor_under_test else " (must be equal)"
                found[f"{d}{must}" + (f": {d.why}" if d.why else "")] = None
    return list(found)


def accounting(
    conn: Connection, catalogue: Catalogue, comparison: int, ordered: Sequence[VerdictRow]
) -> list[str]:
    """Say of each figure that got worse what the toggles on record make of it."""
    subjects = [
        (v.benchmark, v.parameters, v.metric, v.statistic)
        for v in ordered
        if v.verdict == Verdict.REGRESSION.value and not v.hint
    ]
    found = attribution.of(conn, catalogue, comparison, subjects) if subjects else []
    return [f"{a.name}: {a.report.sentence}" for a in found if a.report.toggles]
