# SPDX-License-Identifier: GPL-2.0-only
"""A history at once: the last prebuilt point releases of a branch, each booted a few times."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import evolve, frozen

from vlag.config import Branch, Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel.images import Images, Version
from vlag.model import Board, BoardType
from vlag.pipeline import side_by_side
from vlag.pipeline.boot import estimate_s
from vlag.pipeline.build_stage import Request, build, images_of
from vlag.pipeline.night_plan import PlannedRun, planned_runs
from vlag.pipeline.side_by_side import RunAnswer

log = logging.getLogger(__name__)


@frozen(kw_only=True)
class Release:
    """A point release and its boots."""

    version: Version
    build: Path  # bundle
    boots: Sequence[RunAnswer]


def last_releases(
    settings: Settings, tree: str, branches: Sequence[str], last: int
) -> list[Version]:
    """Return the last prebuilt versions of each branch, oldest first; no branch: of all.

    Raises UsageError for a tree with sources or an unknown branch.
    """
    images = _images(settings, tree)
    there = list(images.patterns)
    for branch in branches:
        if branch not in there:
            raise UsageError(f"--branch {branch}: tree {tree} has: {', '.join(there)}")
    known = images.versions()
    return [
        version
        for branch in branches or there
        for version in [v for v in known if v.branch == branch][-last:]
    ]


def _images(settings: Settings, tree: str) -> Images:
    images = images_of(settings, tree)
    if images is None or not images.patterns:
        raise UsageError(f"--tree {tree}: has no packages of prebuilt kernels (docs/adding.md)")
    return images


def _estimate_s(catalogue: Catalogue, run: PlannedRun, kind: BoardType) -> float:
    """Return how long a planned boot takes, about."""
    benchmark = catalogue.benchmark(run.entry.benchmark)
    return estimate_s(benchmark, kind, {**benchmark.parameters, **run.entry.parameters})


def measure(
    *,
    settings: Settings,
    catalogue: Catalogue,
    tree: str,
    versions: Sequence[Version],
    plan: str,
    board_type: str,
    store: Callable[[Release], None],
) -> list[Release]:
    """Unpack each version and boot it by a plan, on this host's boards side by side.

    `store` is called with each release as soon as its boots have ended.  What is on record is not
    made again, so that an interrupted call goes on.
    """
    planned = [r for r in planned_runs(catalogue, plan, [board_type]) if r.observes is None]
    if not planned:
        raise UsageError(f"--plan {plan}: has no boots on boards of type {board_type}")
    images = _images(settings, tree)
    boards = side_by_side.boards_at_once(catalogue, board_type)
    kind = catalogue.board_type(board_type)
    one_s = sum(_estimate_s(catalogue, run, kind) for run in planned) / len(boards)
    log.info(
        f"{len(versions)} releases, {len(versions) * len(planned)} boots, {len(boards)} side by"
        f" side: about {len(versions) * one_s / 60:.0f} min"
    )
    releases: list[Release] = []
    newest = {v.branch: v for v in versions}
    began = time.monotonic()
    for number, version in enumerate(versions, 1):
        images.take(version)
        request = Request(
            tree=tree, ref=version.tag, branch=version.branch, board_type=board_type,
            # A branch means its latest build, which older releases must not become.
            fresh=version is newest[version.branch],
        )  # fmt: skip
        made = build(settings=settings, catalogue=catalogue, request=request)

        def one(board: Board, run: PlannedRun, kernel: Path = made.folder) -> RunAnswer:
            return side_by_side.boot(
                kernel, board, benchmark=run.entry.benchmark, seed=run.seed,
                parameters=run.entry.parameters, knobs={}, timeout_s=run.entry.timeout_s,
                plan=plan,
            )  # fmt: skip

        release = Release(
            version=version,
            build=made.folder,
            boots=tuple(side_by_side.side_by_side(boards, planned, one)),
        )
        store(release)
        releases.append(release)
        left = (time.monotonic() - began) / number * (len(versions) - number) / 60
        log.info(
            f"{version.tag}: on record, {number} of {len(versions)}; about {left:.0f} min left"
        )
    return releases


def watching(
    settings: Settings, tree: str, versions: Sequence[Version], plan: str, board_type: str
) -> Settings:
    """Return settings that watch only the branches of these versions, for change points."""
    oldest = {v.branch: v for v in reversed(versions)}
    return evolve(
        settings,
        branches=tuple(
            Branch(
                tree=tree, branch=name, baseline=v.tag, board_types=(board_type,), plan=plan,
                commit_plan=plan, series=None, applications=(),
            )
            for name, v in oldest.items()
        ),
    )  # fmt: skip
