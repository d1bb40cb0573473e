"""Verbs that bring a kernel from git to samples in the database."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from vlag.cli.command import FORMAT, emit, end_with, one_sentence, pairs_of, say
from vlag.errors import ExitCode
from vlag.pipeline import catalogue as catalogues
from vlag.pipeline import settings as settings_module


@click.command()
@one_sentence
def mirror() -> None:
    """Make or refresh the local git mirror of every tree in the settings."""
    from vlag.pipeline.build import prepare_mirrors

    prepare_mirrors(settings_module.load(), say)


@click.command()
@click.argument("benchmark")
@one_sentence
def userland(benchmark: str) -> None:
    """Make the boards' userland (an initramfs) of a benchmark if its recipe is new."""
    from vlag.pipeline.boot import prepare_userland

    made = prepare_userland(settings_module.load(), catalogues.load().benchmark(benchmark), say)
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

    built = stage(
        settings=settings_module.load(),
        catalogue=catalogues.load(),
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
@click.argument("kernel", metavar="BUILD", type=click.Path(path_type=Path))
@click.option("--board", required=True, help="Board in ansible/inventory/.")
@click.option("--benchmark", required=True, help="Benchmark in lava-jobs/benchmarks/.")
@click.option("--param", multiple=True, metavar="NAME=VALUE", help="A parameter of the benchmark.")
@click.option(
    "--knob", multiple=True, metavar="NAME=VALUE", help="sched_features, preempt, …_ns, cmdline."
)
@click.option("--seed", type=click.IntRange(0, 100000), default=1, show_default=True)
@click.option("--plan", help="Plan that asked for the run, for the record.")
@click.option("--timeout", "timeout_s", type=click.IntRange(1), default=240, show_default=True,
              help="Seconds for the benchmark, beyond the boot's.")  # fmt: skip
@click.option("--reuse", is_flag=True, help="Deterministic boards: take an equal run of record.")
@click.option("--output", type=click.Path(path_type=Path), help="New folder for the bundle.")
@FORMAT
@one_sentence
def run(
    kernel: Path,
    board: str,
    benchmark: str,
    param: tuple[str, ...],
    knob: tuple[str, ...],
    seed: int,
    plan: str | None,
    timeout_s: int,
    reuse: bool,
    output: Path | None,
    form: str,
) -> None:
    """Boot the kernel in bundle BUILD once and measure; a panic or hang is a result (status 20)."""
    from vlag.pipeline.run import run as stage

    catalogue = catalogues.load()
    ran = stage(
        settings=settings_module.load(),
        catalogue=catalogue,
        build=settings_module.plain_path(kernel.absolute(), "BUILD"),
        board=catalogue.board(board),
        benchmark=catalogue.benchmark(benchmark),
        given=pairs_of(param, "--param"),
        seed=seed,
        knobs=pairs_of(knob, "--knob"),
        plan=plan,
        timeout_s=timeout_s,
        reuse=reuse,
        output=settings_module.plain_path(output.absolute(), "--output") if output else None,
        say=say,
    )
    d = ran.document
    emit(
        form,
        {
            "outcome": d["outcome"],
            "bundle": str(ran.folder),
            "run_key": d["run_key"],
            "reason": d["reason"],
            "reused": ran.reused,
            "output": str(ran.folder / d["output"]) if d["output"] else None,
            "console": str(ran.folder / "console.log"),
        },
        f"{ran.folder}\n{d['outcome']}" + (f": {d['reason']}" if d["reason"] else ""),
    )
    end_with(ran.outcome)


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
    with connect(settings_module.load().dsn()) as conn:
        for item in ingest_all(
            [p.absolute() for p in paths], conn=conn, catalogue=catalogues.load()
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
