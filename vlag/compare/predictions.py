# SPDX-License-Identifier: GPL-2.0-only
"""What a patch's header predicts, held against what was flagged.

A series of known regressions proves that the service finds what it should: there a
REGRESSION that was predicted is good news, and its absence is bad.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from attrs import evolve, frozen

from vlag.config import former_names
from vlag.errors import UsageError
from vlag.kernel import series
from vlag.kernel.series import PATCHES, Patch, Prediction
from vlag.model import UNDECIDED, Benchmark, Verdict
from vlag.store import comparisons, kernels
from vlag.store.comparisons import Comparison, VerdictRow
from vlag.store.database import Connection
from vlag.store.kernels import Kernel
from vlag.verdict_data import NOT_MADE, PredictionData, ProofData

Flag = tuple[str, str, str]  # benchmark, metric and statistic

_CHANGES = {Verdict.REGRESSION.value: "worse", Verdict.IMPROVEMENT.value: "better"}
_NOTHING: PredictionData = {
    "expected": (), "found": (), "unexpected": (), "missed": (), "doubts": (), "notes": (),
    "name": "", "good": False, "text": "",
}  # fmt: skip


class Judged(Protocol):
    """A verdict: a row of the table, or one of a report."""

    @property
    def benchmark(self) -> str: ...  # noqa: D102 - a field
    @property
    def metric(self) -> str: ...  # noqa: D102 - a field
    @property
    def statistic(self) -> str: ...  # noqa: D102 - a field
    @property
    def verdict(self) -> str: ...  # noqa: D102 - a field


@frozen(kw_only=True)
class Judgement:
    """One comparison beside the header of the one patch that its new kernel has."""

    name: str  # of the patch, with its knobs and the board type
    expected: tuple[Prediction, ...]  # that apply to the board type
    required: tuple[Prediction, ...]  # those that must be flagged there
    flagged: tuple[Flag, ...]  # flagged as predicted
    unexpected: tuple[str, ...]  # flagged otherwise: "BENCHMARK METRIC STATISTIC CHANGE"
    missed: tuple[str, ...]  # predictions that must be flagged on this board type
    doubts: tuple[str, ...]  # why the comparison cannot judge a prediction
    notes: tuple[str, ...] = ()  # for the person: names that metrics had before

    @property
    def good(self) -> bool:
        """Return whether all is as predicted; what could not be judged is not."""
        return not self.unexpected and not self.missed and not self.doubts

    def __str__(self) -> str:
        """Say it in a few words."""
        if self.unexpected:
            return f"NOT as predicted: {', '.join(self.unexpected)} flagged"
        if self.doubts:
            return f"NOT as predicted: {', '.join(self.doubts)}"
        if self.missed:
            return f"NOT as predicted: {', '.join(self.missed)} not flagged"
        names = ", ".join(sorted({benchmark for benchmark, *_ in self.flagged}))
        return f"as predicted: {names or 'nothing'} flagged"

    def document(self) -> PredictionData:
        """Return it as JSON."""
        return {
            "name": self.name,
            "good": self.good,
            "text": str(self),
            "expected": [
                {"flag": str(p), "must": p in self.required, "found": self._by(p)}
                for p in self.expected
            ],
            "found": [" ".join(f) for f in self.flagged],
            "unexpected": list(self.unexpected),
            "missed": list(self.missed),
            "doubts": list(self.doubts),
            "notes": list(self.notes),
        }

    def _by(self, p: Prediction) -> list[str]:
        return [" ".join(f) for f in self.flagged if p.covers(*f, p.change)]


def judge(
    conn: Connection,
    benchmarks: Mapping[str, Benchmark],
    comparison: Comparison,
    verdicts: Sequence[VerdictRow],
    root: Path = PATCHES,
) -> Judgement | None:
    """Return what a comparison says of a prediction, or None where nothing is predicted.

    Something is predicted where the new kernel is the base with one patch whose header
    says so, or that patch's kernel with its knobs against the same without.
    """
    base = kernels.by_id(conn, comparison.base_kernel)
    new = kernels.by_id(conn, comparison.new_kernel)
    patch = _patch(new, root)
    if patch is None or patch.trailers.predicts is None or base.commit != new.commit:
        return None
    same = (base.series, base.application) == (new.series, new.application)
    if comparison.base_knobs or (base.series is not None and not same):
        return None
    knobs = comparison.new_knobs
    predictions = active(patch, knobs) if same or patch.trailers.knobs else patch.trailers.predicts
    scope = {entry["benchmark"] for entry in comparison.scope}
    named, notes = _named(predictions, benchmarks, f"{new.series}/{patch.name}")
    judged = hold(
        named,
        comparison.board_type,
        verdicts,
        name=" ".join([patch.name.removesuffix(".patch"), *_pairs(knobs)]),
        doubts=_failures(comparison),
        asked=scope or None,
    )
    return evolve(judged, notes=notes)


def _named(
    predictions: Iterable[Prediction], benchmarks: Mapping[str, Benchmark], where: str
) -> tuple[list[Prediction], tuple[str, ...]]:
    """Return predictions with the present names of metrics that had another one, and notes."""
    renamed, notes = [], []
    for p in predictions:
        entries = [benchmarks[p.benchmark]] if p.benchmark in benchmarks else []
        also, places = former_names.meant(entries, p.metric)
        renamed.append(evolve(p, also=also))
        notes += [former_names.note(where, p.metric, *place) for place in places]
    return renamed, tuple(dict.fromkeys(notes))


def notes_of(patches: Iterable[Patch], benchmarks: Mapping[str, Benchmark]) -> list[str]:
    """Return a sentence for each header that calls a metric by a name that it had before."""
    return [
        note
        for patch in patches
        for note in _named(patch.trailers.predicts or (), benchmarks, patch.name)[1]
    ]


def record(
    conn: Connection,
    benchmarks: Mapping[str, Benchmark],
    comparison: Comparison,
    verdicts: Sequence[VerdictRow],
) -> None:
    """Record what a comparison on record says of a prediction, for pages and dashboards.

    A rerun is left out: it belongs to the comparison of the first boots.
    """
    if comparison.id is None or comparison.stage == "confirm":
        return
    judgement = judge(conn, benchmarks, comparison, verdicts)
    if judgement is not None:
        document = judgement.document()
        comparisons.put_prediction(
            conn,
            comparison.id,
            name=judgement.name,
            good=judgement.good,
            text=str(judgement),
            document=document,
        )


def recorded(
    conn: Connection,
    benchmarks: Mapping[str, Benchmark],
    comparison: Comparison,
    verdicts: Sequence[VerdictRow],
) -> PredictionData | None:
    """Return what was said of a comparison's prediction, as a document of `Judgement`.

    It is that of the moment that the views show (`vlag.store.statements`); None: nothing is
    predicted.  A rerun has no record and is judged here, as are the lists of an old record.
    Metrics have their present names.
    """
    of_record = comparison.id is not None and comparison.stage != "confirm"
    stored = comparisons.predictions(conn, [comparison.id or 0]).get(comparison.id or 0)
    if stored is None and of_record:
        return None
    if stored is not None and "found" in stored:
        return _present({**_NOTHING, **stored}, benchmarks)
    judged = judge(conn, benchmarks, comparison, verdicts)
    if judged is None and stored is None:
        return None
    document = _NOTHING if judged is None else judged.document()
    return document if stored is None else {**document, **stored}


def _present(stored: PredictionData, benchmarks: Mapping[str, Benchmark]) -> PredictionData:
    def now(words: Sequence[str]) -> list[str]:
        return [former_names.present(w, benchmarks) for w in words]

    return {
        **stored,
        "found": now(stored["found"]),
        "unexpected": now(stored["unexpected"]),
        "missed": now(stored["missed"]),
        "expected": [
            {**e, "flag": now([e["flag"]])[0], "found": now(e["found"])} for e in stored["expected"]
        ],
    }


def active(patch: Patch, knobs: Mapping[str, str]) -> tuple[Prediction, ...]:
    """Return a patch's predictions; with other knobs than those it needs it does nothing."""
    works = dict(knobs) == dict(patch.trailers.knobs)
    return (patch.trailers.predicts or ()) if works else ()


def hold(
    predictions: Iterable[Prediction],
    board_type: str,
    rows: Iterable[Judged],
    *,
    name: str,
    doubts: Sequence[str] = (),
    asked: Iterable[str] | None = None,
) -> Judgement:
    """Hold the verdicts of a board type against predictions.

    `asked` are the benchmarks that were to be measured, by default those of the rows:
    a prediction about another one is out of place.  `doubts` are other reasons why the
    verdicts cannot judge a prediction.
    """
    rows = list(rows)
    measured = {row.benchmark for row in rows}
    wanted = measured if asked is None else set(asked) | measured
    here = [p for p in predictions if p.applies(board_type) and p.benchmark in wanted]
    required = [p for p in here if p.required(board_type)]
    flagged: list[Flag] = []
    unexpected: list[str] = []
    hit: set[Prediction] = set()
    for row in rows:
        change = _CHANGES.get(row.verdict)
        if change is None:
            continue
        flag = (row.benchmark, row.metric, row.statistic)
        covering = [p for p in here if p.covers(*flag, change)]
        hit |= set(covering)
        if covering:
            flagged.append(flag)
        else:
            unexpected.append(" ".join((*flag, change)))
    return Judgement(
        name=f"{name} on {board_type}",
        expected=tuple(here),
        required=tuple(required),
        flagged=tuple(dict.fromkeys(flagged)),
        unexpected=tuple(dict.fromkeys(unexpected)),
        missed=tuple(_brief(p) for p in required if p not in hit),
        doubts=(*doubts, *_undecided(rows, wanted)),
    )


def _undecided(rows: Sequence[Judged], wanted: Iterable[str]) -> list[str]:
    """Return why rows cannot judge a prediction, not even that of nothing."""
    if not rows:
        return ["nothing was compared"]
    measured = {row.benchmark for row in rows}
    reasons = [f"{name} was not measured" for name in sorted(set(wanted) - measured)]
    split = {r.benchmark for r in rows if r.verdict == Verdict.NOT_COMPARABLE.value}
    reasons += [f"{name} is NOT_COMPARABLE" for name in sorted(split)]
    if not reasons and all(row.verdict in UNDECIDED for row in rows):
        reasons.append("every verdict is INCONCLUSIVE")
    return reasons


def proof(judgements: Iterable[Mapping[str, Any]], missing: Iterable[str]) -> ProofData | None:
    """Return what the predictions of a night prove, or None where nothing was predicted.

    `judgements` are documents of `Judgement`; `missing` are sentences on what the night did
    not do, of which those that begin with `NOT_MADE` count as predictions that failed.
    """
    judged = list(judgements)
    not_made = [m.removeprefix(NOT_MADE) for m in missing if m.startswith(NOT_MADE)]
    total = len(judged) + len(not_made)
    if not total:
        return None
    wrong = [j["name"] for j in judged if not j["good"]]
    good = len(judged) - len(wrong)
    kept = f"{good} of {total} as predicted"
    parts = [f"{', '.join(wrong)} NOT"] if wrong else []
    parts += [f"not made: {'; '.join(not_made)}"] if not_made else []
    failed = good < total
    text = "; ".join([f"PROOF FAILED: {kept}", *parts]) if failed else f"Proof: {kept}."
    return {"failed": failed, "text": text, "good": good, "total": total}


def _patch(kernel: Kernel, root: Path) -> Patch | None:
    """Return the one patch that a kernel has, as it was when the kernel was built."""
    if kernel.series is None or len(kernel.patches) != 1:
        return None
    [applied] = kernel.patches
    try:
        patches = series.read(root, kernel.series)
    except UsageError:  # gone since: its header cannot be asked
        return None
    return next((p for p in patches if p.sha256 == applied["sha256"]), None)


def _failures(comparison: Comparison) -> list[str]:
    phrases = []
    for ids, noun in ((comparison.failed_builds, "build"), (comparison.failed_runs, "run")):
        if ids:
            phrases.append(f"{len(ids)} {noun}{'' if len(ids) == 1 else 's'} failed")
    return phrases


def _brief(p: Prediction) -> str:
    return str(p).removesuffix(" worse")


def _pairs(knobs: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in sorted(knobs.items())]
