# SPDX-License-Identifier: GPL-2.0-only
"""`vlag lanes`: build a commit in configurations that no board boots."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from vlag import config
from vlag.cli.command import FORMAT, echo, emit, one_sentence, tree_of
from vlag.errors import ExitCode
from vlag.model import LaneOutcome

if TYPE_CHECKING:
    from vlag.pipeline.lane_builds import Found


@click.command()
@click.option("--tree", help="A tree of the settings with sources (default: the only one).")
@click.option("--ref", required=True, help="Branch, tag or commit.")
@click.option(
    "--lane",
    "names",
    multiple=True,
    metavar="NAME",
    help="A lane of workers/lanes.toml (default: those of the branch, else all).",
)
@click.option("--branch", help="The watched branch of the settings that REF is on (default: REF).")
@click.option("--parent", metavar="REF", help="What to hold it against (default: first parent).")
@click.option("--store", is_flag=True, help="Store what came of it, for pages and reports.")
@FORMAT
@one_sentence
def lanes(
    tree: str | None,
    ref: str,
    names: tuple[str, ...],
    branch: str | None,
    parent: str | None,
    store: bool,
    form: str,
) -> None:
    """Build a commit in build lanes, and say what breaks.

    A lane is a configuration that no board boots, such as PREEMPT_RT, one CPU or clang. Errors,
    and warnings in scheduler code that the parent does not have, are said; a lane whose option
    the tree lacks is not applicable. What is on record is not built again. The exit status is 20
    if a lane breaks.
    """
    from vlag.pipeline.lane_builds import build

    settings = config.load()
    name = tree_of(settings, tree)
    built = build(settings, tree=name, ref=ref, names=names, branch=branch, parent=parent)
    if store:
        _store(settings, name, built)
    emit(form, _document(name, built), _text(built))
    if any(lane["outcome"] == LaneOutcome.BREAKS.value for lane in built.lanes):
        sys.exit(ExitCode.KERNEL_FAILED)
    if built.lacking:
        for why in built.lacking.values():
            echo(f"vlag: {why}", err=True)
        sys.exit(ExitCode.INFRASTRUCTURE)


def _store(settings: config.Settings, tree: str, built: Found) -> None:
    from vlag.store import lane_results as stored
    from vlag.store.database import connect

    with connect(settings.dsn()) as conn:
        stored.put(
            conn,
            tree=tree,
            commit=built.commit.sha,
            subject=built.commit.subject,
            parent=built.parent,
            lanes=built.lanes,
        )


def _document(tree: str, built: Found) -> dict[str, Any]:
    return {
        "tree": tree,
        "commit": built.commit.sha,
        "subject": built.commit.subject,
        "parent": built.parent,
        "lanes": list(built.lanes),
        "lacking": dict(built.lacking),
    }


def _text(built: Found) -> str:
    from vlag.report.lane_lines import lines

    against = f", against {built.parent[:12]}" if built.parent else ", which has no parent"
    out = [f'{built.commit.describe} ("{built.commit.subject}"){against}']
    out += [line for lane in built.lanes for line in lines(lane)]
    for lane in built.lanes:
        if lane["outcome"] != LaneOutcome.BUILDS.value or lane["findings"]:
            out.append(f"log of {lane['lane']}: {lane['record']}/build.log")
    return "\n".join(out + [f"{name}: not built: {why}" for name, why in built.lacking.items()])
