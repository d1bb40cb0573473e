# SPDX-License-Identifier: GPL-2.0-only
"""`vlag programs`: what no Debian package has, built for the boards."""

from __future__ import annotations

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.errors import UsageError


@click.command()
@click.argument("names", nargs=-1)
@click.option("--arch", default="x86_64", show_default=True, help="Architecture of the boards.")
@FORMAT
@one_sentence
def programs(names: tuple[str, ...], arch: str, form: str) -> None:
    """Build programs that no Debian package has.

    Each is compiled from one commit or a package's source, in the sandbox of kernel builds.
    Without NAMES it lists which there are, under which licence, and whether boards have them.
    """
    from vlag.pipeline import programs as stage

    settings, known = config.load(), stage.recipes()
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"no program {unknown[0]!r}; there are: {', '.join(known)}")
    made = {str(path) for name in names for path in stage.build(known[name], settings, arch)}
    rows = [
        {
            "name": r.name,
            "summary": r.summary,
            "url": r.url,
            "commit": r.commit,
            "source": r.source,
            "origin": r.origin,
            "licence": r.licence,
            "programs": sorted(r.programs),
            "absent": stage.absent(r, settings, arch),
        }
        for r in (known[name] for name in names or known)
    ]
    lines = sorted(made) or [
        f"{r['name']}: {r['summary']}\n    {r['origin']}, {r['licence']}\n"
        f"    {'not built for' if r['absent'] else 'built for'} {arch}"
        for r in rows
    ]
    emit(form, {"arch": arch, "programs": rows}, "\n".join(lines))
