"""What a patch's header predicts, held against what was flagged.

A series of known regressions proves that the service finds what it should: there a
REGRESSION that was predicted is good news, and its absence is bad.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag.errors import UsageError
from vlag.kernel import series
from vlag.kernel.series import PATCHES, Patch, Prediction
from vlag.model import Verdict
from vlag.store.comparisons import VerdictRow
from vlag.store.kernels import Kernel

Flag = tuple[str, str]  # benchmark and metric


@frozen(kw_only=True)
class Judgement:
    """One comparison beside the header of the one patch that its new kernel has."""

    predicted: tuple[str, ...]  # benchmarks that the header names for this board type
    found: tuple[Flag, ...]  # flagged as predicted
    unexpected: tuple[Flag, ...]  # flagged otherwise
    missed: tuple[str, ...]  # benchmarks that must be flagged on this very board type

    @property
    def good(self) -> bool:
        """Tell whether all is as predicted."""
        return not self.unexpected and not self.missed

    def __str__(self) -> str:
        """Say it in a few words."""
        if self.unexpected:
            return f"NOT as predicted: {_names(self.unexpected)} flagged"
        if self.missed:
            return f"NOT as predicted: {', '.join(self.missed)} not flagged"
        if self.found:
            return f"as predicted: {_names(self.found)} flagged"
        return "as predicted: nothing flagged"

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "good": self.good,
            "text": str(self),
            "predicted": list(self.predicted),
            "found": [" ".join(f) for f in self.found],
            "unexpected": [" ".join(f) for f in self.unexpected],
            "missed": list(self.missed),
        }


def judge(
    *,
    base: Kernel,
    new: Kernel,
    base_knobs: Mapping[str, str],
    new_knobs: Mapping[str, str],
    board_type: str,
    verdicts: Iterable[VerdictRow],
    root: Path = PATCHES,
) -> Judgement | None:
    """Return what a comparison says of a prediction, or None where nothing is predicted.

    Something is predicted where the new kernel is the base with one patch whose header
    says so, or that patch's kernel with its knobs against the same without.
    """
    patch = _patch(new, root)
    if patch is None or patch.trailers.predicts is None or base.commit != new.commit:
        return None
    same = (base.series, base.application) == (new.series, new.application)
    if base_knobs or (base.series is not None and not same):
        return None
    # With other knobs than those that it needs the patch does nothing.
    active = dict(new_knobs) == dict(patch.trailers.knobs)
    if (same or patch.trailers.knobs) and not active:
        predictions: Sequence[Prediction] = ()
    else:
        predictions = patch.trailers.predicts
    return _held_against(predictions, board_type, list(verdicts))


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


def _held_against(
    predictions: Sequence[Prediction], board_type: str, verdicts: Sequence[VerdictRow]
) -> Judgement:
    here = [p for p in predictions if fnmatch.fnmatchcase(board_type, p.board_type)]
    found: list[Flag] = []
    unexpected: list[Flag] = []
    words = {Verdict.REGRESSION.value: "worse", Verdict.IMPROVEMENT.value: "better"}
    for row in verdicts:
        change = words.get(row.verdict)
        if change is None:
            continue
        flag = (row.benchmark, row.metric)
        said = any(p.covers(board_type, *flag, change) for p in here)
        (found if said else unexpected).append(flag)
    measured = {row.benchmark for row in verdicts}
    hit = {benchmark for benchmark, _metric in found}
    # A header that names the board type vouches for it; `*` only allows.
    must = {p.benchmark for p in here if p.board_type == board_type} & measured
    return Judgement(
        predicted=tuple(sorted({p.benchmark for p in here} & measured)),
        found=tuple(dict.fromkeys(found)),
        unexpected=tuple(dict.fromkeys(unexpected)),
        missed=tuple(sorted(must - hit)),
    )


def _names(flags: Sequence[Flag]) -> str:
    return ", ".join(sorted({benchmark for benchmark, _metric in flags}))
