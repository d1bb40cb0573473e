# SPDX-License-Identifier: GPL-2.0-only
"""`vlag releases`: a history of prebuilt point releases at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.config import catalogue as catalogues

if TYPE_CHECKING:
    from vlag.pipeline.releases import Release


@click.command()
@click.option("--tree", default="prebuilt", show_default=True, help="A tree of prebuilt kernels.")
@click.option("--branch", multiple=True, help="Only this branch; repeatable (default: all).")
@click.option("--last", type=click.IntRange(min=1), default=10, show_default=True,
              help="Releases of each branch.")  # fmt: skip
@click.option("--plan", default="releases", show_default=True, help="A plan in lava-jobs/plans/.")
@click.option("--board-type", default="qemu-sim-2", show_default=True, help="Boards to boot on.")
@click.option("--list", "only", is_flag=True, help="List the releases and boot nothing.")
@FORMAT
@one_sentence
def releases(
    tree: str,
    branch: tuple[str, ...],
    last: int,
    plan: str,
    board_type: str,
    only: bool,
    form: str,
) -> None:
    """Boot the last prebuilt point releases of each branch.

    Looks for change points along each branch afterwards; pages and Grafana then have a history.
    What is on record is not booted again: after an interrupt, or when a release is out, give the
    same command.
    """
    from vlag.compare.trends import follow
    from vlag.errors import RefusedError
    from vlag.pipeline.ingest import ingest_all
    from vlag.pipeline.releases import last_releases, measure, watching
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    catalogue.plan(plan)
    catalogue.board_type(board_type)
    versions = last_releases(settings, tree, branch, last)
    if only:
        emit(form, {"releases": [v.tag for v in versions]}, "\n".join(v.tag for v in versions))
        return
    with connect(settings.dsn()):
        pass  # said before the first boot, not after it

    def store(release: Release) -> None:
        bundles = [release.build, *(Path(b["bundle"]) for b in release.boots)]
        with connect(settings.dsn()) as conn:
            for item in ingest_all(bundles, conn=conn, catalogue=catalogue):
                if isinstance(item, RefusedError):
                    raise item

    measured = measure(
        settings=settings, catalogue=catalogue, tree=tree, versions=versions, plan=plan,
        board_type=board_type, store=store,
    )  # fmt: skip
    with connect(settings.dsn()) as conn:
        watched = watching(settings, tree, versions, plan, board_type)
        points = follow(conn, watched, catalogue).new_changes
    emit(
        form,
        {"releases": [_facts(r) for r in measured], "change_points": list(points)},
        "\n".join([
            *(_line(r) for r in measured),
            *map(line_of_point, points),
        ]),
    )  # fmt: skip


def line_of_point(point: Mapping[str, Any]) -> str:
    """Return a change point for people."""
    series = f"{point['benchmark']} {point['metric']} {point['statistic']}"
    return f"{series}: {100 * point['effect']:+.1f} % from {point['kernel']} on"


def _facts(release: Release) -> dict[str, Any]:
    return {
        "version": release.version.tag,
        "branch": release.version.branch,
        "build": str(release.build),
        "boots": [{k: b[k] for k in ("bundle", "outcome", "reason")} for b in release.boots],
    }


def _line(release: Release) -> str:
    whole = sum(b["outcome"] == "complete" for b in release.boots)
    failed = next((f", {b['outcome']}: {b['reason']}" for b in release.boots
                   if b["outcome"] != "complete"), "")  # fmt: skip
    return f"{release.version.tag}: {whole} of {len(release.boots)} boots complete{failed}"
