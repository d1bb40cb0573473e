# SPDX-License-Identifier: GPL-2.0-only
"""Compare runs whose cycles perf has sampled, by kernel function; keep what explains a verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag.bundle_records import RunRecord
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError, blame
from vlag.profile import profile_bundles, sampled_functions, sampled_text
from vlag.profile.sampled_functions import Boot, Difference
from vlag.search.profiling import changes
from vlag.store import sampled as store
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.sampled import SampledRow

#: What runs of one kernel have in common, and then those of both: in run.json, for people.
_OF_SIDE = {"image_sha256": "kernel image", "knobs": "knobs"}
_OF_BOTH = {"benchmark": "benchmark", "parameters": "parameters"}


@frozen(kw_only=True)
class Answer:
    """Where both kernels of a comparison spend the cycles of one benchmark."""

    benchmark: str
    parameters: Mapping[str, str | int]
    difference: Difference


@frozen(kw_only=True)
class Answers:
    """What is on record for a comparison, the largest change first."""

    answers: Sequence[Answer]
    skipped: Sequence[str]  # sentences: benchmarks without an answer, and what they lack


def explain(conn: Connection, catalogue: Catalogue, comparison: Comparison, boots: int) -> Answers:
    """Compare the sampled runs on record for each decided change of a comparison, and store that.

    A benchmark with fewer than `boots` runs a side is skipped.  Raises UsageError if a run's
    folder is gone or the runs differ in more than the kernel, ParseError for a damaged report.
    """
    decided, skipped = changes(conn, catalogue, comparison)
    answers: list[Answer] = []
    for changed, benchmark in decided:
        base, new = (
            store.runs(
                conn, comparison, side, benchmark=benchmark.name, parameters=changed.parameters
            )
            for side in ("base", "new")
        )
        if min(len(base), len(new)) < boots:
            skipped.append(
                f"{benchmark.name}: {len(base)} and {len(new)} boots of base and new have samples,"
                f" {boots} each are needed; `vlag profile --comparison {comparison.id} --seeds"
                f" {boots}` makes the others"
            )
            continue
        difference = compare(catalogue, [r.location for r in base], [r.location for r in new])
        figures = sampled_text.data(difference)
        row = SampledRow(
            benchmark=benchmark.name,
            parameters=changed.parameters,
            base_runs=[r.id for r in base],
            new_runs=[r.id for r in new],
            operation=difference.operation,
            event=difference.event,
            figures=figures,
            sentence=figures["sentence"],
        )
        store.put(conn, comparison, row)
        answers.append(
            Answer(benchmark=benchmark.name, parameters=changed.parameters, difference=difference)
        )
    return Answers(answers=answers, skipped=skipped)


def compare(catalogue: Catalogue, base: Sequence[Path], new: Sequence[Path]) -> Difference:
    """Return the difference of two kernels' runs.

    Raises UsageError if a side has none, if runs differ in more than the kernel and its knobs,
    for a run that is given twice and for one that sampled nothing, ParseError for a damaged
    report.
    """
    sides = [[(path, _document(path)) for path in paths] for paths in (base, new)]
    for option, side in zip(("--base-run", "--new-run"), sides, strict=True):
        if not side:
            raise UsageError(f"{option} is missing: name at least one run of each kernel")
        _check(side, _OF_SIDE)
    both = [*sides[0], *sides[1]]
    _check(both, _OF_BOTH)
    seen: dict[str, Path] = {}
    for path, document in both:
        first_path, first = both[0]
        board, other = (d["board"]["board_type"] for d in (document, first))
        if board != other:
            raise UsageError(f"{path}: ran on a board of type {board}, {first_path} on {other}")
        if document["userland"]["packages"] != first["userland"]["packages"]:
            raise UsageError(
                f"{path} had other versions of the benchmark or of perf than {first_path}: its"
                " userland's packages differ"
            )
        content = json.dumps(document, sort_keys=True)
        if content in seen:
            raise UsageError(f"{path} and {seen[content]} are the same run")
        seen[content] = path
    benchmark = catalogue.benchmark(both[0][1]["benchmark"])
    boots: list[list[Boot]] = [
        [profile_bundles.read_sampled(path, document, benchmark.tool) for path, document in side]
        for side in sides
    ]
    return sampled_functions.compare(boots[0], boots[1], benchmark.operation)


def _document(run: Path) -> RunRecord:
    path = run / "run.json"
    try:
        document: RunRecord = json.loads(path.read_text(encoding="utf-8"))
    except OSError as e:
        raise blame(e, f"{path}: no bundle of a run ({e}); make one with `vlag run`") from e
    except ValueError as e:
        raise UsageError(f"{path}: no bundle of a run ({e}); make one with `vlag run`") from e
    return document


def _check(runs: Sequence[tuple[Path, Mapping[str, Any]]], keys: Mapping[str, str]) -> None:
    """Raise UsageError unless all runs have the same of each key."""
    first_path, first = runs[0]
    for path, document in runs[1:]:
        for key, what in keys.items():
            if document[key] != first[key]:
                raise UsageError(f"{path} has other {what} than {first_path}")
