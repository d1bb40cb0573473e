# SPDX-License-Identifier: GPL-2.0-only
"""What a report says beside the figures: what sets two sides apart, what accounts for a loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vlag.compare import toggle_attribution
from vlag.compare.differences import differences
from vlag.compare.toggle_attribution import Attribution
from vlag.config.catalogue import Catalogue
from vlag.model import Verdict
from vlag.report import read_model
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
    sentences: dict[str, None] = {}
    for v in rows:
        base, new = ([by_id[r] for r in ids] for ids in (v.base_runs, v.new_runs))
        if base and new and v.benchmark in catalogue.benchmarks:
            for d in differences(conn, catalogue, base, new, v.metric):
                must = "" if d.factor_under_test else " (must be equal)"
                sentences[f"{d}{must}" + (f": {d.why}" if d.why else "")] = None
    return list(sentences)


def too_short(catalogue: Catalogue, board_type: str, verdicts: Sequence[VerdictRow]) -> list[str]:
    """Name every parameter with less than that from which a metric's relevance holds.

    No plan has such runs on real boards; people have.
    """
    board = catalogue.board_types.get(board_type)
    if board is None or board.deterministic:
        return []
    sentences: dict[str, None] = {}
    for v in verdicts:
        benchmark = catalogue.benchmarks.get(v.benchmark)
        metrics = {m.name: m for m in benchmark.metrics} if benchmark is not None else {}
        if v.metric not in metrics:
            continue
        relevance = f"{100 * metrics[v.metric].relevance:g} %"
        for name, least in metrics[v.metric].too_little(v.parameters).items():
            sentence = f"{v.benchmark} {v.metric} was measured with {name} {v.parameters[name]}"
            sentences[f"{sentence}: its relevance of {relevance} holds from {least} on"] = None
    return list(sentences)


def attributed(
    conn: Connection, catalogue: Catalogue, comparison: int, worse: Sequence[VerdictRow]
) -> list[Attribution]:
    """Return what the toggles on record make of figures that got worse, in their order."""
    subjects = [(v.benchmark, v.parameters, v.metric, v.statistic) for v in worse]
    return toggle_attribution.of(conn, catalogue, comparison, subjects) if subjects else []


def accounting(attributions: Sequence[Attribution]) -> list[str]:
    """Return a sentence for each figure for which toggles were run."""
    return [f"{a.name}: {a.report.sentence}" for a in attributions if a.report.toggles]


def function_of(conn: Connection, comparison_id: int) -> str | None:
    """Return a sentence on the function in which a comparison's path became longer.

    None as long as no profile of its kernels is on record.
    """
    return read_model.function_of(conn, [comparison_id])
