# SPDX-License-Identifier: GPL-2.0-only
"""Which decision two kernels of a confirmed regression took differently: without a person."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import types
from vlag.model import Verdict
from vlag.pipeline.ingest import ingest
from vlag.profile import decision_text, decision_timeline, profile_bundles
from vlag.profile.decision_first import Pair
from vlag.profile.decision_timeline import Timeline
from vlag.search import profiling
from vlag.search.profiling import Question
from vlag.store import decided, kernels
from vlag.store.database import Connection
from vlag.store.decided import DecidedRow

#: Rows of each table that are kept.
_ROWS = 8
#: Turns of each kernel in the file that is kept, around the first difference.
TURNS = 10_000


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
    names = tuple(
        kernels.by_id(conn, question.kernel(side)).name for side in ("base", "new")
    )  # fmt: skip
    answers, files = [], {}
    # One seed after the other: a boot of a million events takes a gigabyte.
    for seed, *boots in zip(seeds, base, new, strict=True):
        one, other = map(profile_bundles.read_decisions, boots)
        pair = Pair(seed=seed, base=one, new=other)
        shown = decision_timeline.timeline(pair)
        answers.append(decision_text.answer(pair, shown, rows=_ROWS))
        if shown.differences:
            files[seed] = _file(shown, *names)
    knobs = (question.knobs(side) for side in ("base", "new"))
    told = decision_text.data(answers, decision_text.toggled(*knobs))
    sentence = decision_text.sentence(told)
    ids = [[ingest(run, conn=conn, catalogue=catalogue).id for run in side] for side in (base, new)]
    row = DecidedRow(
        benchmark=question.benchmark.name, parameters=question.parameters,
        base_runs=ids[0], new_runs=ids[1], told=told, sentence=sentence,
    )  # fmt: skip
    kept = files.get(decision_text.told_of(told)["seed"])
    decided.put(conn, question.comparison, row, timeline=kept)
    return sentence


def _file(shown: Timeline, base: str, new: str) -> bytes:
    """Return what is next to the first difference as a file for Perfetto."""
    from vlag.profile import perfetto_trace  # noqa: PLC0415 - it loads a large schema

    cut = decision_timeline.near(shown, TURNS)
    told = [decision_text.told(difference) for difference in cut.differences]
    out = io.BytesIO()
    perfetto_trace.write(cut, out, base=base, new=new, told=told)
    return out.getvalue()
