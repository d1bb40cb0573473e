"""`vlag lanes`: build a commit in configurations that no board boots."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from vlag import config
from vlag.cli.command import FORMAT, echo, emit, one_sentence, say, tree_of
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
    found = build(settings, tree=name, ref=ref, names=names, branch=branch, parent=parent, say=say)
    if store:
        _store(settings, name, found)
    emit(form, _document(name, found), _text(found))
    if any(lane["outcome"] == LaneOutcome.BREAKS.value for lane in found.lanes):
        sys.exit(ExitCode.KERNEL_FAILED)
    if found.lacking:
        for said in found.lacking.values():
            echo(f"vlag: {said}", err=True)
        sys.exit(ExitCode.INFRASTRUCTURE)


def _store(settings: config.Settings, tree: str, found: Found) -> None:
    from vlag.store import lane_results as stored
    from vlag.store.database import connect

    with connect(settings.dsn()) as conn:
        stored.put(
            conn,
            tree=tree,
            commit=found.commit.sha,
            subject=found.commit.subject,
            parent=found.parent,
            lanes=found.lanes,
        )


def _document(tree: str, found: Found) -> dict[str, Any]:
    return {
        "tree": tree,
        "commit": found.commit.sha,
        "subject": found.commit.subject,
        "parent": found.parent,
        "lanes": list(found.lanes),
        "lacking": dict(found.lacking),
    }


def _text(found: Found) -> str:
    from vlag.report.lane_lines import lines

    against = f", against {found.parent[:12]}" if found.parent else ", which has no parent"
    out = [f'{found.commit.describe} ("{found.commit.subject}"){against}']
    out += [line for lane in found.lanes for line in lines(lane)]
    for lane in found.lanes:
        if lane["outcome"] != LaneOutcome.BUILDS.value or lane["findings"]:
            out.append(f"log of {lane['lane']}: {lane['record']}/build.log")
    return "\n".join(out + [f"{name}: not built: {why}" for name, why in found.lacking.items()])
