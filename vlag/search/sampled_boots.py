# SPDX-License-Identifier: GPL-2.0-only
"""Boots that perf samples or that count, of both kernels of a comparison: never scored ones."""

from __future__ import annotations

from vlag.config.catalogue import Catalogue
from vlag.model import Observation
from vlag.search import profiling
from vlag.search.asked import AskedBoot, boot
from vlag.store import kernels, sampled
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.profiles import Changed


def missing(
    conn: Connection, catalogue: Catalogue, comparison: Comparison, boots: int
) -> list[list[AskedBoot]]:
    """Return the boots that are not on record, a list for each benchmark that has changed.

    Each kernel gets the seeds 1 to `boots`, base and new in turns, every other time in reverse.
    Raises UsageError if a kernel's build is not on this machine.
    """
    every = [
        of_benchmark(conn, catalogue, comparison, changed, boots)
        for changed, _ in profiling.changes(conn, catalogue, comparison)[0]
    ]
    return [asked for asked in every if asked]


def of_benchmark(
    conn: Connection,
    catalogue: Catalogue,
    comparison: Comparison,
    changed: Changed,
    boots: int,
    observes: Observation = Observation.PERF,
) -> list[AskedBoot]:
    """Return the same of one benchmark that has changed."""
    benchmark = changed.benchmark
    asked: list[AskedBoot] = []
    for side in ("base", "new"):
        there = sampled.seeds(
            conn, comparison, side, benchmark=benchmark, parameters=changed.parameters,
            observes=observes,
        )  # fmt: skip
        left = [seed for seed in range(1, boots + 1) if seed not in there]
        id_ = getattr(comparison, f"{side}_kernel")
        build = profiling.build_of(conn, id_, "build.json") if left else None
        asked += [
            boot(
                kernels.by_id(conn, id_), build, f"observing {observes}",
                knobs=getattr(comparison, f"{side}_knobs"), board_type=comparison.board_type,
                benchmark=benchmark, parameters=changed.parameters, seed=seed,
                observes=observes,
                timeout_s=profiling.timeout_s(catalogue, comparison.plan, benchmark),
            )
            for seed in left
            if build is not None
        ]  # fmt: skip
    return _in_turns(asked)


def _in_turns(asked: list[AskedBoot]) -> list[AskedBoot]:
    """Return boots by seed, base before new where it is odd."""
    seeds = sorted({a["seed"] for a in asked})
    of = {seed: [a for a in asked if a["seed"] == seed] for seed in seeds}
    return [a for seed in seeds for a in (of[seed] if seed % 2 else of[seed][::-1])]
