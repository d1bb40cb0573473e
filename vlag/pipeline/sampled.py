"""Compare runs whose cycles perf has sampled, by kernel function."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.profile import bundles, sampled
from vlag.profile.sampled import Boot, Difference

#: What runs of one kernel have in common, and then those of both: in run.json, for people.
_OF_SIDE = {"image_sha256": "kernel image", "knobs": "knobs"}
_OF_BOTH = {"benchmark": "benchmark", "parameters": "parameters"}


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
        [bundles.read_sampled(path, document, benchmark.tool) for path, document in side]
        for side in sides
    ]
    return sampled.compare(boots[0], boots[1], benchmark.operation)


def _document(run: Path) -> Mapping[str, Any]:
    path = run / "run.json"
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        raise UsageError(f"{path}: no bundle of a run ({e}); make one with `vlag run`") from e
    return document


def _check(runs: Sequence[tuple[Path, Mapping[str, Any]]], keys: Mapping[str, str]) -> None:
    """Raise UsageError unless all runs have the same of each key."""
    first_path, first = runs[0]
    for path, document in runs[1:]:
        for key, what in keys.items():
            if document[key] != first[key]:
                raise UsageError(f"{path} has other {what} than {first_path}")
