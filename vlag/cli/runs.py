# SPDX-License-Identifier: GPL-2.0-only
"""`vlag run`; `submit`, `collect` and `reusable-runs` for the service."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vlag import config
from vlag.bundle import Bundle
from vlag.bundle_records import RunRecord
from vlag.cli.command import FORMAT, emit, end_with, one_sentence, pairs_of
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError
from vlag.model import Observation, Purpose

if TYPE_CHECKING:
    from vlag.pipeline.boot import BootRequest
    from vlag.pipeline.side_by_side import RunAnswer

_F = TypeVar("_F", bound=Callable[..., Any])

#: Options of commands that boot kernels.
BENCHMARK = click.option("--benchmark", required=True, help="A benchmark in lava-jobs/benchmarks/.")
PARAM = click.option(
    "--param", multiple=True, metavar="NAME=VALUE", help="A parameter of the benchmark."
)
KNOB = click.option(
    "--knob", multiple=True, metavar="NAME=VALUE",
    help="A knob: sched_features, preempt, cgroup_depth, …_ns, cmdline, or one of the policy.",
)  # fmt: skip
TIMEOUT = click.option(
    "--timeout", "timeout_s", type=click.IntRange(1), default=240, show_default=True,
    help="Seconds for the benchmark, without the boot; of a deterministic board's own clock.",
)  # fmt: skip
TREE = click.option("--tree", help="A tree of the settings (default: the only one).")
BOARD_TYPE = click.option(
    "--board-type", default="qemu-sim-2", show_default=True, help="A board type of this host."
)

#: Arguments and options of every command that boots a kernel.
_BOOT = (
    click.argument("kernel", metavar="BUILD", type=click.Path(path_type=Path)),
    BENCHMARK,
    PARAM,
    KNOB,
    click.option(
        "--seed", type=click.IntRange(0, 100000), default=1, show_default=True,
        help="Length of a short loop before the benchmark.",
    ),
    click.option(
        "--observe", "observes", type=click.Choice([o.value for o in Observation]),
        help="Switch this on and collect it; the run is not scored.",
    ),
    click.option("--plan", help="The plan of this run, for the record."),
    TIMEOUT,
    click.option(
        "--reuse", is_flag=True, help="Use a recorded run if the board is deterministic."
    ),
)  # fmt: skip


def _boot(command: _F) -> _F:
    for part in reversed(_BOOT):
        command = part(command)
    return command


def _request(
    settings: config.Settings,
    catalogue: catalogues.Catalogue,
    kernel: Path,
    benchmark: str,
    param: tuple[str, ...],
    knob: tuple[str, ...],
    observes: str | None,
    **others: Any,
) -> BootRequest:
    """Return the request of either executor, from the options of `_BOOT`."""
    from vlag.pipeline.boot import BootRequest

    return BootRequest(
        build=config.plain_path(settings.bundle(kernel), "BUILD"),
        benchmark=catalogue.benchmark(benchmark),
        parameters=pairs_of(param, "--param"),
        knobs=pairs_of(knob, "--knob"),
        observes=None if observes is None else Observation(observes),
        **others,
    )


def _facts(ran: Bundle[RunRecord]) -> RunAnswer:
    """Return what a run's JSON answer says of its bundle."""
    d = ran.document
    return {
        "outcome": d["outcome"],
        "bundle": str(ran.folder),
        "board": d["board"]["name"],
        "run_key": d["run_key"],
        "reason": d["reason"],
        "reused": ran.reused,
        "output": str(ran.folder / d["output"]) if d["output"] else None,
        "console": str(ran.folder / "console.log"),
    }


def _end(form: str, ran: Bundle[RunRecord]) -> None:
    text = f"{ran.folder}\n{ran.outcome.value}" + (f": {ran.reason}" if ran.reason else "")
    emit(form, _facts(ran), text)
    end_with(ran.outcome)


@click.command()
@click.option("--board", required=True, help="A board in ansible/inventory/.")
@_boot
@click.option("--output", type=click.Path(path_type=Path), help="New folder for the bundle.")
@click.option("--reuse-failed", is_flag=True, hidden=True,
              help="With --reuse, also a recorded run of a kernel that failed.")  # fmt: skip
@click.option("--request-id", hidden=True, help="As for `vlag submit`; only in a lab.")
@FORMAT
@one_sentence
def run(
    board: str,
    output: Path | None,
    reuse_failed: bool,
    request_id: str | None,
    reuse: bool,
    form: str,
    **options: Any,
) -> None:
    """Boot the kernel of bundle BUILD once and run a benchmark.

    A panic or a hang is a result; the exit status is 20. For a board of a lab, vlag submits a
    job to its LAVA server and waits for it; if you stop vlag, it cancels the job.
    """
    from vlag.pipeline.boot import prepare
    from vlag.pipeline.run import run as stage

    settings = config.load()
    catalogue = catalogues.of(settings)
    chosen = catalogue.board(board)
    board_type = catalogue.board_type(chosen.board_type)
    request = _request(settings, catalogue, **options)
    if chosen.lab is None:
        to = config.plain_path(output.absolute(), "--output") if output else None
        boot = prepare(
            settings,
            request,
            board_type,
            guest_kernel=chosen.facts.get("guest_kernel"),
        )
        ran = stage(
            boot, chosen, settings.runs, reuse=reuse, reuse_failed=reuse_failed, output=to,
            snapshots=settings.snapshots, dispatcher=settings.dispatcher,
        )  # fmt: skip
    else:
        # What asks a LAVA server is a quarter of all that a boot here would import.
        from vlag.pipeline import submit as lab
        from vlag.pipeline.collect import run as run_in_lab

        if output is not None:
            raise UsageError(f"--output: {board} is a board of lab {chosen.lab}; leave it out")
        # A search repeats its requests, and waits behind what is planned.
        occasion = request_id or f"by hand {uuid.uuid4().hex}"
        purpose = Purpose.PERSON if request_id is None else Purpose.EXPLAIN
        target = lab.choose(settings, catalogue, chosen.board_type, board, occasion)
        boot = lab.prepare_for(target, settings, request, board_type)
        ran = run_in_lab(settings, catalogue, boot, target, occasion, purpose=purpose, reuse=reuse)
    _end(form, ran)


@click.command(hidden=True)
@click.option("--board-type", required=True, help="A board type in lava-jobs/devices/.")
@click.option("--board", help="This board only (default: the lab chooses one of the type).")
@click.option("--purpose", type=click.Choice([p.value for p in Purpose]),
              default=Purpose.PERSON.value, show_default=True,
              help="Why the boot is needed; sets its priority.")  # fmt: skip
@click.option("--request-id", help="A repeated request with this ID gets the same job.")
@_boot
@FORMAT
@one_sentence
def submit(
    board_type: str,
    board: str | None,
    purpose: str,
    request_id: str | None,
    reuse: bool,
    form: str,
    **options: Any,
) -> None:
    """Submit a boot of bundle BUILD to a lab.

    `vlag collect` fetches the result once the job has ended.
    """
    from vlag.pipeline import placed
    from vlag.pipeline import submit as lab

    settings = config.load()
    catalogue = catalogues.of(settings)
    occasion = request_id or f"by hand {uuid.uuid4().hex}"
    request = _request(settings, catalogue, **options)
    target, boot = placed.boot(settings, catalogue, board_type, board, request, occasion)
    submitted = lab.submit(
        settings=settings,
        boot=boot,
        target=target,
        occasion=occasion,
        priority=Purpose(purpose).lava_priority_of(request.seed),
        reuse=reuse,
    )
    ended: Mapping[str, object] = {} if submitted.bundle is None else _facts(submitted.bundle)
    document = {
        "lab": submitted.lab,
        "jobs": list(submitted.jobs),
        "key": submitted.key,
        "folder": str(submitted.folder),
        **ended,
    }
    numbers = ", ".join(map(str, submitted.jobs))
    emit(
        form,
        document,
        f"lab {submitted.lab}: job {numbers}\nvlag collect {submitted.folder}"
        if submitted.bundle is None
        else f"{submitted.bundle.folder}\non record",
    )


@click.command(hidden=True)
@click.argument("folder", type=click.Path(path_type=Path))
@FORMAT
@one_sentence
def collect(folder: Path, form: str) -> None:
    """Write the run bundle of the ended boot in FOLDER.

    `vlag submit` prints FOLDER.
    """
    from vlag.pipeline.collect import collect as stage

    settings = config.load()
    catalogue = catalogues.of(settings)
    _end(
        form,
        stage(settings=settings, catalogue=catalogue, folder=folder.absolute()),
    )


@click.command("reusable-runs", hidden=True)
@click.argument("kernel", metavar="BUILD", type=click.Path(path_type=Path))
@click.option("--plan", required=True, help="A plan in lava-jobs/plans/.")
@click.option("--board-type", multiple=True, required=True, help="Only runs on this board type.")
@click.option("--stage", type=click.Choice(["screen", "confirm"]), default="screen",
              show_default=True, help="First boots, or a rerun.")  # fmt: skip
@click.option("--benchmark", multiple=True, help="Only this benchmark of the plan.")
@click.option("--knob", multiple=True, metavar="NAME=VALUE", help="Knobs of the runs.")
@FORMAT
@one_sentence
def reusable_runs(
    kernel: Path,
    plan: str,
    board_type: tuple[str, ...],
    stage: str,
    benchmark: tuple[str, ...],
    knob: tuple[str, ...],
    form: str,
) -> None:
    """List and store runs that a plan can reuse for BUILD.

    These are recorded runs on deterministic boards, which give the same numbers each time.
    """
    from vlag.errors import RefusedError
    from vlag.pipeline.forecast import on_record
    from vlag.pipeline.ingest import ingest_all
    from vlag.pipeline.night_plan import planned_runs
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    knobs = pairs_of(knob, "--knob")
    planned = planned_runs(
        catalogue, plan, board_type, stage=stage, benchmarks=list(benchmark) or None, knobs=knobs
    )
    recorded = on_record(settings, catalogue, settings.bundle(kernel), planned, knobs)
    with connect(settings.dsn()) as conn:
        paths = [bundle.folder for _run, bundle in recorded]
        for item in ingest_all(paths, conn=conn, catalogue=catalogue, built=settings.builds):
            if isinstance(item, RefusedError):
                raise item
    runs = [
        {
            "benchmark": run.entry.benchmark,
            "parameters": dict(run.entry.parameters),
            "board_type": run.board_type,
            "seed": run.seed,
            "observes": run.observes,
            "bundle": str(bundle.folder),
        }
        for run, bundle in recorded
    ]
    text = "\n".join(
        f"{r['benchmark']} seed {r['seed']} on {r['board_type']}: {r['bundle']}" for r in runs
    )
    emit(form, {"planned": len(planned), "recorded": runs}, text)
