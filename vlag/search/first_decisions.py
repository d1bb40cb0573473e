# SPDX-License-Identifier: GPL-2.0-only
"""Which decision two kernels of a confirmed regression took differently: without a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import types
from vlag.model import Verdict
from vlag.pipeline.ingest import ingest
from vlag.profile import decision_text, profile_bundles
from vlag.search import profiling
from vlag.search.profiling import Question
from vlag.store import decided
from vlag.store.database import Connection
from vlag.store.decided import DecidedRow

#: Rows of each table that are kept.
_ROWS = 8


def missing(conn: Connection, asked: Sequence[Question]) -> list[Question]:
    """Return the regressions whose decisions can be compared, and are not on record.

    A kernel that was built before its structures were kept, or by others, has none to read.
    """
    return [
        q for q in asked
        if q.verdict == Verdict.REGRESSION.value and _readable(conn, q) and not _known(conn, q)
    ]  # fmt: skip


def _readable(conn: Connection, question: Question) -> bool:
    try:
        for side in ("base", "new"):
            profiling.build_of(conn, question.kernel(side), types.FILE)
    except UsageError:
        return False
    return True


def _known(conn: Connection, question: Question) -> bool:
    return any(
        row.benchmark == question.benchmark.name and dict(row.parameters) == question.parameters
        and {s["seed"] for s in row.told["seeds"]} >= set(question.seeds)
        for row in decided.of(conn, question.comparison)
    )  # fmt: skip


def store(
    question: Question,
    *,
    conn: Connection,
    catalogue: Catalogue,
    seeds: Sequence[int],
    base: Sequence[Path],
    new: Sequence[Path],
) -> str:
    """Compare the boots of both kernels, one a seed, and store them; return the sentence."""
    pairs = [
        decision_text.Pair(
            seed=seed, base=profile_bundles.read_decisions(one),
            new=profile_bundles.read_decisions(other),
        )
        for seed, one, other in zip(seeds, base, new, strict=True)
    ]  # fmt: skip
    told = decision_text.data(pairs, rows=_ROWS)
    sentence = decision_text.sentence(told)
    ids = [[ingest(run, conn=conn, catalogue=catalogue).id for run in side] for side in (base, new)]
    row = DecidedRow(
        benchmark=question.benchmark.name, parameters=question.parameters,
        base_runs=ids[0], new_runs=ids[1], told=told, sentence=sentence,
    )  # fmt: skip
    decided.put(conn, question.comparison, row)
    return sentence
