"""Verbs of the `vlag` command: thin wrappers that read settings and print results.

Results go to stdout, as text or as one JSON object on the last line; progress
and errors go to stderr.  Exit codes: `vlag.errors.ExitCode`.
"""

from __future__ import annotations

import functools
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

import click

import vlag
from vlag.errors import ExitCode, UsageError, VlagError
from vlag.model import Outcome
from vlag.pipeline import catalogue as catalogues
from vlag.pipeline import settings as settings_module

_F = TypeVar("_F", bound=Callable[..., Any])

_FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="What stdout carries.",
)  # fmt: skip


def _say(message: str) -> None:
    click.echo(f"{time.strftime('%H:%M:%S')} {message}", err=True)


def _emit(form: str, document: dict[str, Any], text: str) -> None:
    click.echo(json.dumps(document, sort_keys=True) if form == "json" else text)


def _one_sentence(command: _F) -> _F:
    """End a command with one sentence and its exit code instead of a traceback."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except VlagError as e:
            click.echo(f"vlag: {e}", err=True)
            sys.exit(e.exit_code)
        except OSError as e:
            # Disk full, permission, a file that went away: the machine's, not the kernel's.
            where = f"{e.filename}: " if e.filename else ""
            click.echo(f"vlag: {where}{e.strerror or e}", err=True)
            sys.exit(ExitCode.INFRASTRUCTURE)
        except KeyboardInterrupt:
            click.echo("vlag: stopped", err=True)
            sys.exit(130)

    return wrapped  # type: ignore[return-value]


def _exit(outcome: Outcome) -> NoReturn:
    sys.exit(ExitCode.OK if outcome is Outcome.COMPLETE else ExitCode.KERNEL_FAILED)


def _pairs(values: Sequence[str], option: str) -> dict[str, str]:
    pairs = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals or not name:
            raise UsageError(f"{option} {value!r}: write NAME=VALUE")
        pairs[name] = rest
    return pairs


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(vlag.__version__)
def main() -> None:
    """Build kernels, boot them on boards, measure their scheduler, compare."""


@main.command()
@_one_sentence
def mirror() -> None:
    """Make or refresh the local git mirror of every tree in the settings."""
    from vlag.pipeline.build import prepare_mirrors

    prepare_mirrors(settings_module.load(), _say)


@main.command()
@_one_sentence
def userland() -> None:
    """Make the boards' userland (an initramfs) if its recipe is new."""
    from vlag.pipeline.run import prepare_userland

    made = prepare_userland(settings_module.load(), catalogues.load(), _say)
    click.echo(f"{made.path}\nsha256 {made.sha256}")
    for package, version in sorted(made.packages.items()):
        click.echo(f"{package} {version}")


@main.command()
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
@_FORMAT
@_one_sentence
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
        say=_say,
    )
    d = built.document
    k = d["kernel"]
    applied = "" if k["series"] is None else f" + {k['series']} {k['application']}"
    _emit(
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
    _exit(built.outcome)


@main.command()
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
@_FORMAT
@_one_sentence
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
        given=_pairs(param, "--param"),
        seed=seed,
        knobs=_pairs(knob, "--knob"),
        plan=plan,
        timeout_s=timeout_s,
        reuse=reuse,
        output=settings_module.plain_path(output.absolute(), "--output") if output else None,
        say=_say,
    )
    d = ran.document
    _emit(
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
    _exit(ran.outcome)


@main.command()
@click.argument("kernel", metavar="BUILD", type=click.Path(path_type=Path))
@click.option("--plan", required=True, help="Plan in lava-jobs/plans/.")
@click.option("--board-type", multiple=True, required=True, help="Only its runs on these.")
@click.option("--stage", type=click.Choice(["screen", "confirm"]), default="screen",
              show_default=True, help="First boots, or fresh ones.")  # fmt: skip
@click.option("--benchmark", multiple=True, help="Only these of the plan.")
@click.option("--knob", multiple=True, metavar="NAME=VALUE", help="Knobs of the runs.")
@_FORMAT
@_one_sentence
def recorded(
    kernel: Path,
    plan: str,
    board_type: tuple[str, ...],
    stage: str,
    benchmark: tuple[str, ...],
    knob: tuple[str, ...],
    form: str,
) -> None:
    """List the runs of a plan that bundle BUILD need not make, and put them into the database.

    Only runs on deterministic boards, which would give the very same numbers again.
    """
    from vlag.errors import RefusedError
    from vlag.pipeline.forecast import on_record
    from vlag.pipeline.ingest import ingest_all
    from vlag.pipeline.night import planned_runs
    from vlag.store.database import connect

    settings, catalogue = settings_module.load(), catalogues.load()
    planned = planned_runs(
        catalogue, plan, board_type, stage=stage, benchmarks=list(benchmark) or None
    )
    found = on_record(settings, catalogue, kernel.absolute(), planned, _pairs(knob, "--knob"), _say)
    with connect(settings.dsn()) as conn:
        paths = [bundle.folder for _run, bundle in found]
        for item in ingest_all(paths, conn=conn, catalogue=catalogue):
            if isinstance(item, RefusedError):
                raise item
    runs = [
        {
            "benchmark": run.entry.benchmark,
            "parameters": dict(run.entry.parameters),
            "board_type": run.board_type,
            "seed": run.seed,
            "bundle": str(bundle.folder),
        }
        for run, bundle in found
    ]
    text = "\n".join(
        f"{r['benchmark']} seed {r['seed']} on {r['board_type']}: {r['bundle']}" for r in runs
    )
    _emit(form, {"planned": len(planned), "recorded": runs}, text)


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@_FORMAT
@_one_sentence
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


@main.command()
@click.argument("base")
@click.argument("new")
@click.option("--board-type", default="qemu-sim-2", show_default=True)
@click.option("--base-knob", multiple=True, metavar="NAME=VALUE", help="Knobs of BASE's runs.")
@click.option("--new-knob", multiple=True, metavar="NAME=VALUE", help="Knobs of NEW's runs.")
@click.option("--plan", help="Compare only what this plan runs (default: all on record).")
@click.option("--stage", type=click.Choice(["screen", "confirm"]),
              help="Which of the plan's boots (default: screen).")  # fmt: skip
@click.option("--benchmark", multiple=True, help="Only this benchmark; may be given again.")
@click.option("--exit-code", is_flag=True, help="Exit with 10 if anything is a REGRESSION.")
@click.option("--format", "form", type=click.Choice(["text", "json", "text+json"]), default="text",
              show_default=True, help="What stdout carries; JSON is the last line.")  # fmt: skip
@_one_sentence
def compare(
    base: str,
    new: str,
    board_type: str,
    base_knob: tuple[str, ...],
    new_knob: tuple[str, ...],
    plan: str | None,
    stage: Literal["screen", "confirm"] | None,
    benchmark: tuple[str, ...],
    exit_code: bool,
    form: str,
) -> None:
    """Compare the runs of kernel NEW with those of kernel BASE and store the verdicts.

    A kernel is named by its digest or commit (7 digits or more), a branch, a
    tag, or `git describe` text.  A hint of a REGRESSION counts for --exit-code too;
    where a patch's header predicts what is flagged, only what is otherwise counts.
    """
    from vlag.pipeline.compare import compare as stage_compare
    from vlag.pipeline.report import report as stage_report
    from vlag.report import text
    from vlag.store.database import connect
    from vlag.store.kernels import KernelRef

    settings, catalogue = settings_module.load(), catalogues.load()
    with connect(settings.dsn()) as conn:
        stored = stage_compare(
            conn=conn,
            catalogue=catalogue,
            base=KernelRef(text=base, knobs=_pairs(base_knob, "--base-knob")),
            new=KernelRef(text=new, knobs=_pairs(new_knob, "--new-knob")),
            board_type=board_type,
            plan=None if plan is None else catalogue.plan(plan),
            stage=stage,
            benchmarks=frozenset(benchmark) or None,
        )
        data = stage_report(conn, catalogue, stored.id, settings.state)
    answer = {
        "comparison": stored.id,
        "new": stored.new,
        "summary": data["summary"],
        "regressions": stored.regressions,
        "hints": stored.hints,
        "suspects": stored.suspects,
        "prediction": data["prediction"],
    }
    if form == "text+json":
        click.echo(text.render(data), nl=False)
    _emit("json" if form == "text+json" else form, answer, text.render(data))
    bad = bool(stored.suspects) if data["prediction"] is None else not data["prediction"]["good"]
    if exit_code and bad:
        sys.exit(ExitCode.REGRESSION)


@main.command()
@click.option("--comparison", "ids", type=int, multiple=True, help="Which (default: the latest).")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file.")
@click.option("--note", multiple=True, metavar="TEXT", help="A line at the report's head.")
@_FORMAT
@_one_sentence
def report(ids: tuple[int, ...], output: Path | None, note: tuple[str, ...], form: str) -> None:
    """Print comparisons on record; several make one night's report."""
    from vlag.pipeline.report import night
    from vlag.pipeline.report import report as stage
    from vlag.report import jsonform, text
    from vlag.store.database import connect

    settings, catalogue = settings_module.load(), catalogues.load()
    with connect(settings.dsn()) as conn:
        data = (
            night(conn, catalogue, ids, settings.state, note)
            if len(ids) > 1
            else stage(conn, catalogue, ids[0] if ids else None, settings.state, note)
        )
    written = jsonform.render(data) if form == "json" else text.render(data)
    if output is None:
        click.echo(written, nl=not written.endswith("\n"))
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f"{output.name}.partial")
    partial.write_text(written, encoding="utf-8")
    partial.rename(output)
    click.echo(str(output))


@main.command()
@_FORMAT
@_one_sentence
def forecast(form: str) -> None:
    """Say what a night would do now and when it would be over."""
    import datetime

    from vlag.pipeline.forecast import forecast as stage

    known = stage(settings_module.load(), catalogues.load(), say=_say)
    now = datetime.datetime.now(datetime.UTC)
    _emit(form, known.document(now), known.text(now))


@main.command()
@_one_sentence
def migrate() -> None:
    """Bring the database's tables up to date; harmless when they are."""
    from vlag.store.migrate import migrate as apply

    for name in apply(settings_module.load().dsn()):
        click.echo(name)


@main.command()
@click.option("--once", is_flag=True, help="Stop after the first report.")
@_one_sentence
def serve(once: bool) -> None:
    """Run the whole service in the foreground: PostgreSQL, Buildbot, one worker."""
    from vlag.pipeline.service import serve as stage

    sys.exit(stage(settings_module.load(), once=once, out=sys.stdout))


if __name__ == "__main__":
    main()
