# SPDX-License-Identifier: GPL-2.0-only
"""`vlag ingest`: bundles into the database, and their raw output read again."""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from vlag import config
from vlag.cli.command import FORMAT, echo, one_sentence
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.errors import ExitCode, UsageError


@click.command()
@click.argument("words", metavar="PATH...", nargs=-1)
@click.option("--again", is_flag=True,
              help="Read raw output of stored runs again; the arguments are numbers.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="With --again: of all runs.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]), metavar="DATE",
              help="With --again: of the runs that ended since then, UTC.")  # fmt: skip
@FORMAT
@one_sentence
def ingest(
    words: tuple[str, ...],
    again: bool,
    every: bool,
    since: datetime.datetime | None,
    form: str,
) -> None:
    """Store bundles and their samples in the database.

    A PATH is a bundle's folder, its build.json or run.json, or a folder of bundles. A bundle
    that is stored already changes nothing. A refused bundle stays on disk as it is, and the
    others are stored.

    --again reads the raw output of stored runs with today's parsers and catalogue, and puts
    what they say in place of what is stored. A run whose raw output is gone, or is refused
    now, is named and left as it is. Verdicts stay as they are; vlag names the comparisons of
    figures that have changed, and comparing the same kernels again judges them anew.
    """
    settings = config.load()
    if again:
        _again(settings, words, every, since, form)
        return
    if every or since is not None:
        option = "--all" if every else "--since"
        raise UsageError(f"{option} belongs to --again, which reads stored runs again")
    if not words:
        raise UsageError("name a bundle, or a folder of bundles")
    _store(settings, [settings.bundle(Path(word)) for word in words], form)


def _store(settings: Settings, paths: Sequence[Path], form: str) -> None:
    from vlag.errors import RefusedError
    from vlag.pipeline.ingest import ingest_all
    from vlag.store.database import connect

    stored, refused = [], []
    with connect(settings.dsn()) as conn:
        for item in ingest_all(
            paths, conn=conn, catalogue=catalogues.of(settings), built=settings.builds
        ):
            if isinstance(item, RefusedError):
                echo(f"vlag: {item}", err=True)
                refused.append(str(item))
            else:
                if form == "text":
                    echo(str(item))
                stored.append({"path": str(item.path), "kind": item.kind, "new": item.new})
    if form == "json":
        echo(json.dumps({"stored": stored, "refused": refused}, sort_keys=True))
    if refused:
        sys.exit(ExitCode.REFUSED)


def _again(
    settings: Settings,
    words: Sequence[str],
    every: bool,
    since: datetime.datetime | None,
    form: str,
) -> None:
    from vlag.pipeline.reread import reread
    from vlag.store import runs
    from vlag.store.database import connect

    if bool(words) + every + (since is not None) != 1:
        raise UsageError("--again needs numbers of runs, --all, or --since DATE: one of them")
    for word in words:
        if not word.isdecimal() or not 0 < int(word) < 2**63:
            raise UsageError(f"{word}: not the number of a run; pages and reports give it")
    with connect(settings.dsn()) as conn:
        ids = [int(word) for word in words]
        unknown = sorted({*ids} - runs.by_id(conn, ids).keys())
        if unknown:
            raise UsageError(f"there is no run {unknown[0]} on record")
        if not words:
            utc = None if since is None else since.replace(tzinfo=datetime.UTC)
            ids = runs.complete(conn, utc)
        again = []
        for one in reread(conn, catalogues.of(settings), ids):
            # Of many only what is news.
            if form == "text" and (words or one.changes or one.left):
                echo(str(one), err=one.refused)
            again.append(one)
    touched = sorted({c for one in again for c in one.comparisons})
    changed = [one for one in again if one.changes]
    left = [one for one in again if one.left is not None]
    if form == "json":
        document = {
            "changed": [{"run": one.run, "changes": list(one.changes)} for one in changed],
            "left": [{"run": one.run, "why": one.left} for one in left],
            "read": len(again) - len(left),
            "comparisons": touched,
        }
        echo(json.dumps(document, sort_keys=True))
    else:
        same = len(again) - len(changed) - len(left)
        echo(f"{len(changed)} runs changed, {same} as they were, {len(left)} left as they are")
        if touched:
            echo(
                "comparisons of figures that have changed:"
                f" {', '.join(map(str, touched))}; compare their kernels again"
            )
    if any(one.refused for one in again):
        sys.exit(ExitCode.REFUSED)
