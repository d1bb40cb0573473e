# SPDX-License-Identifier: GPL-2.0-only
"""`vlag gc`: remove raw files that are old and that nothing points to."""

from __future__ import annotations

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.errors import UsageError


@click.command()
@click.option("--dry-run", is_flag=True, help="List what would go; remove nothing.")
@FORMAT
@one_sentence
def gc(dry_run: bool, form: str) -> None:
    """Remove old raw files by the rule of [gc] in the settings.

    Rows and figures stay on record, and the pages say when the files went. Files that a flagged
    verdict, an alert, a suspicion, a search, a profile, the self-proof or a baseline needs stay
    for ever. It also removes old builds from Buildbot's database, and says what a day adds.
    """
    from vlag.operate import gc as stage
    from vlag.store.database import connect

    settings = config.load()
    if settings.gc is None and not dry_run:
        raise UsageError(
            f"{settings.path}: gc: missing, so nothing is removed; add [gc]"
            " (`vlag gc --dry-run` lists what the usual rule would remove)"
        )
    rule = settings.gc or config.USUAL_GC
    with connect(settings.dsn()) as conn, connect(settings.dsn("buildbot")) as buildbot:
        plan = (
            stage.look(conn, buildbot, settings, rule)
            if dry_run
            else stage.collect(conn, buildbot, settings, rule)
        )
    lines = [*map(str, plan.bundles if dry_run else ()), plan.text(dry_run=dry_run)]
    emit(form, plan.document(listed=dry_run), "\n".join(lines))
