"""Verbs that bring a kernel from git to samples in the database."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, end_with, one_sentence, say
from vlag.config import catalogue as catalogues
from vlag.errors import ExitCode


@click.command()
@one_sentence
def mirror() -> None:
    """Make or refresh the local git mirror of every tree in the settings."""
    from vlag.pipeline.build import prepare_mirrors

    prepare_mirrors(config.load(), say)


@click.command()
@click.argument("benchmark")
@click.option("--arch", default="x86_64", show_default=True, help="Of the boards.")
@one_sentence
def userland(benchmark: str, arch: str) -> None:
    """Make the boards' userland (an initramfs) of a benchmark if its recipe is new."""
    from vlag.pipeline.boot import prepare_userland

    settings = config.load()
    known = catalogues.of(settings).benchmark(benchmark)
    made = prepare_userland(settings, known, arch, say)
    click.echo(f"{made.path}\nsha256 {made.sha256}")
    for package, version in sorted(made.packages.items()):
        click.echo(f"{package} {version}")


@click.command()
@click.option("--tree", required=True, help="Tree in the settings.")
@click.option("--ref", required=True, help="Branch, tag, pattern of tags, or commit.")
@click.option("--branch", help="Branch that the commit is recorded under (default: REF).")
@click.option("--series", help="Patch series in kernel-patches/ to apply.")
@click.option(
    "--application",
    help="How much of the series: full (default), none, solo(I), prefix(I), without(I).",
)
@click.option("--board-type", required=True, help="Whose config and architecture to build for.")
@click.option("--fresh", is_flag=True, help="Build even if this kernel is there.")
@FORMAT
@one_sentence
def build(
    tree: str,
    ref: str,
    branch: str | None,
    series: str | None,
    application: str | None,
    board_type: str,
    fresh: bool,
    form: str,
) -> None:
    """Build a kernel; a failed build is a result on record (exit status 20)."""
    from vlag.pipeline.build import build as stage

    settings = config.load()
    built = stage(
        settings=settings,
        catalogue=catalogues.of(settings),
        tree=tree,
        ref=ref,
        branch=branch,
        series=series,
        application=application,
        board_type=board_type,
        fresh=fresh,
        say=say,
    )
    d = built.document
    k = d["kernel"]
    applied = "" if k["series"] is None else f" + {k['series']} {k['application']}"
    emit(
        form,
        {
            "outcome": d["outcome"],
            "bundle": str(built.folder),
            "kernel": k["digest"],
            "commit": k["commit"],
            "series": k["series"],
            "application": k["application"],
            "release": d["release"],
            "reason": d["reason"],
            "reused": built.reused,
        },
        f"{built.folder}\n{d['release'] or k['describe']}{applied}: {d['outcome']}"
        + (f": {d['reason']}" if d["reason"] else ""),
    )
    end_with(built.outcome)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@FORMAT
@one_sentence
def ingest(paths: tuple[Path, ...], form: str) -> None:
    """Check the bundles at PATHS, parse their raw output, and store the samples.

    A PATH is a bundle's folder, its build.json or run.json, or a folder of
    bundles.  A bundle that is stored already changes nothing; one that is
    refused stays as it is, and the others go on.
    """
    from vlag.errors import RefusedError
    from vlag.pipeline.ingest import ingest_all
    from vlag.store.database import connect

    stored, refused = [], []
    settings = config.load()
    with connect(settings.dsn()) as conn:
        for item in ingest_all(
            [p.absolute() for p in paths], conn=conn, catalogue=catalogues.of(settings)
        ):
            if isinstance(item, RefusedError):
                click.echo(f"vlag: {item}", err=True)
                refused.append(str(item))
            else:
                if form == "text":
                    click.echo(str(item))
                stored.append({"path": str(item.path), "kind": item.kind, "new": item.new})
    if form == "json":
        click.echo(json.dumps({"stored": stored, "refused": refused}, sort_keys=True))
    if refused:
        sys.exit(ExitCode.REFUSED)
