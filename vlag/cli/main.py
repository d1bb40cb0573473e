# SPDX-License-Identifier: GPL-2.0-only
"""The `vlag` command: its commands by section, and its help.

Results go to stdout, as text or as one JSON object on the last line; progress
and errors go to stderr.  Exit codes: `vlag.errors.ExitCode`.
"""

from __future__ import annotations

import functools
from typing import Any

import click

import vlag
from vlag.cli import (
    alerts,
    artifacts,
    backup,
    bisect,
    bisect_steps,
    boards,
    build,
    caches,
    changepoints,
    check,
    compare,
    completion,
    db,
    decisions,
    export,
    fixes,
    gc,
    ingest,
    inventory,
    kernels,
    knobs,
    lanes,
    lava,
    man_pages,
    matrix,
    notify,
    parse,
    path,
    path_history,
    profile,
    profile_steps,
    programs,
    releases,
    renamed,
    report,
    reproduce,
    runs,
    scenario,
    schedstat,
    series,
    service,
    status,
    try_,
    try_steps,
    watch,
)
from vlag.cli.command import echo, one_sentence, say, show_former_keys
from vlag.config import checkout as checkouts

#: The help lists the commands in this order.
SECTIONS: dict[str, tuple[click.Command, ...]] = {
    "Kernels and runs": (
        build.mirror,
        build.build,
        lanes.lanes,
        series.series,
        build.initramfs,
        programs.programs,
        runs.run,
        releases.releases,
        reproduce.reproduce,
        ingest.ingest,
    ),
    "Comparing and reporting": (
        check.check,
        kernels.kernels,
        compare.compare,
        report.report,
        export.export,
        watch.watch,
        changepoints.changepoints,
        bisect.bisect,
        matrix.matrix,
        try_.try_,
        fixes.fixes,
        parse.parse,
        profile.profile,
        path.path,
        path_history.path_history,
        decisions.decisions,
        caches.caches,
        knobs.knobs,
        schedstat.schedstat,
        scenario.scenario,
    ),
    "Operating": (
        service.serve,
        service.health,
        service.unit,
        service.support,
        status.status,
        report.forecast,
        alerts.alerts,
        notify.notify,
        db.db,
        backup.backup,
        backup.restore,
        gc.gc,
        completion.completion,
        man_pages.man,
    ),
    "Farm": (
        boards.boards,
        inventory.inventory,
        lava.lava,
    ),
}

#: Only `vlag --help-all` lists these.
PLUMBING = "Called by the service"
PLUMBING_COMMANDS = (
    runs.reusable_runs,
    runs.submit,
    runs.collect,
    profile_steps.profile_boots,
    profile_steps.profile_runs,
    profile_steps.toggle_boots,
    profile_steps.path_boots,
    profile_steps.path_runs,
    bisect_steps.bisect_steps,
    try_steps.try_begin,
    try_steps.try_end,
    artifacts.artifacts,
)

_ALL = "vlag.help.all"

#: The sections are the object of every context below: man pages have them too.
_SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"], "max_content_width": 100, "obj": SECTIONS,
}  # fmt: skip


class _Main(click.Group):
    """The top command: it accepts old names, and its help has sections."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words, hint = renamed.current(args)
        if hint is not None and not ctx.resilient_parsing:  # not while a shell completes
            echo(f"vlag: {hint}", err=True)
        return super().parse_args(ctx, words)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = dict(SECTIONS)
        if ctx.meta.get(_ALL):
            sections[PLUMBING] = PLUMBING_COMMANDS
        width = max(len(command.name or "") for part in sections.values() for command in part)
        limit = formatter.width - width - 6  # one line for each command
        for title, commands in sections.items():
            with formatter.section(title):
                formatter.write_dl(
                    [((c.name or "").ljust(width), c.get_short_help_str(limit)) for c in commands]
                )


def _help_all(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _version(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from vlag.operate.service.support import commit

        echo(f"vlag {vlag.__version__} ({commit() or 'no git checkout'})")
        ctx.exit()


@click.group(
    cls=_Main,
    context_settings=_SETTINGS,
    epilog="`vlag COMMAND --help` explains a command; `vlag --help-all` lists all.",
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
              help="Show the version and the commit, and exit.")  # fmt: skip
@click.option("--help-all", is_flag=True, is_eager=True, expose_value=False, callback=_help_all,
              help="List also the commands that the service calls.")  # fmt: skip
def main() -> None:
    """Build kernels, boot them on boards, measure their scheduler, compare."""
    from vlag import progress_log

    show_former_keys()
    click.get_current_context().with_resource(progress_log.shown(say))


def _needing_checkout(command: click.Command, name: str) -> None:
    """Make a command, and all below it, end with a sentence where there is no checkout."""
    if isinstance(command, click.Group):
        for below in command.commands.values():
            _needing_checkout(below, f"{name} {below.name}")
    elif (stage := command.callback) is not None:

        @functools.wraps(stage)
        @one_sentence
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            checkouts.need(f"`{name}`")
            return stage(*args, **kwargs)

        command.callback = wrapped


for _command in (*(c for part in SECTIONS.values() for c in part), *PLUMBING_COMMANDS):
    main.add_command(_command)
    if not vlag.IS_CHECKOUT and _command.name not in checkouts.FILE_VERBS:
        _needing_checkout(_command, f"vlag {_command.name}")


completion.complete(main)

if __name__ == "__main__":
    main()
