# SPDX-License-Identifier: GPL-2.0-only
"""Two builds whose cycles perf samples, on boards of this host or of a lab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag.bundle import read
from vlag.bundle_records import KernelRecord, RunRecord
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Observation, digest
from vlag.pipeline.boot import read_build
from vlag.profile.sampled_functions import Difference
from vlag.search import by_hand, sampled_runs
from vlag.search.asked import AskedBoot, boot_of


@frozen(kw_only=True)
class Side:
    """A build and the knobs of its boots."""

    build: Path
    knobs: Mapping[str, str]


def compare(
    settings: Settings,
    catalogue: Catalogue,
    sides: tuple[Side, Side],
    *,
    board_type: str,
    benchmark: str,
    given: Mapping[str, Any],
    seeds: Sequence[int],
    timeout_s: int,
) -> Difference:
    """Boot base and new in turns, those of a seed on one board of a lab; return the difference.

    `given` are the parameters that are not the benchmark's own.  Raises UsageError for boards
    without a PMU, for one kernel with one knob setting on both sides, and for a boot that did not
    end well.
    """
    kind = catalogue.board_type(board_type)
    if not kind.samples:
        raise UsageError(
            f"--board-type: {kind.name} has no PMU that vlag samples; name a deterministic --board,"
            " which counts instructions"
        )
    kernels: list[KernelRecord] = [read_build(side.build)["kernel"] for side in sides]
    keys = [_key(of, side.knobs) for of, side in zip(kernels, sides, strict=True)]
    if keys[0] == keys[1]:
        raise UsageError("BASE and NEW are one kernel; give one of them a knob of its own")
    parameters = {**catalogue.benchmark(benchmark).parameters, **given}
    boots: list[AskedBoot] = []
    for seed in seeds:
        pair = [
            boot_of(
                kernel["describe"], kernel["digest"], side.build, f"observing {Observation.PERF}",
                knobs=side.knobs, board_type=kind.name, benchmark=benchmark,
                parameters=parameters, seed=seed, observes=Observation.PERF, timeout_s=timeout_s,
            )
            for kernel, side in zip(kernels, sides, strict=True)
        ]  # fmt: skip
        boots += pair if seed % 2 else pair[::-1]
    request = digest([keys, kind.name, benchmark, parameters, list(seeds)])
    folders = by_hand.make(settings, catalogue, boots, f"profile {request[:16]}")
    made: dict[str, list[Path]] = {key: [] for key in keys}
    for folder in folders:
        document = read(RunRecord, folder / "run.json")
        if document is not None:
            made[_key(document["kernel"], document["knobs"])].append(folder)
    return sampled_runs.compare(catalogue, made[keys[0]], made[keys[1]])


def _key(kernel: KernelRecord, knobs: Mapping[str, str]) -> str:
    return digest([kernel["digest"], dict(knobs)])
