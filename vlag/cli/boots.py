"""`vlag run`, and its two halves for the boards of a lab: `vlag submit` and `vlag collect`."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from vlag import config
from vlag.bundle import Bundle
from vlag.cli.command import FORMAT, emit, end_with, one_sentence, pairs_of, say
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError
from vlag.model import Purpose

_F = TypeVar("_F", bound=Callable[..., Any])

#: What a boot is made of, for all that ask for one.
_BOOT = (
    click.argument("kernel", metavar="BUILD", type=click.Path(path_type=Path)),
    click.option("--benchmark", required=True, help="Benchmark in lava-jobs/benchmarks/."),
    click.option(
        "--param", multiple=True, metavar="NAME=VALUE", help="A parameter of the benchmark."
    ),
    click.option(
        "--knob", multiple=True, metavar="NAME=VALUE",
        help="sched_features, preempt, …_ns, cmdline.",
    ),
    click.option("--seed", type=click.IntRange(0, 100000), default=1, show_default=True),
    click.option("--plan", help="Plan that asked for the run, for the record."),
    click.option(
        "--timeout", "timeout_s", type=click.IntRange(1), default=240, show_default=True,
        help="Seconds for the benchmark, beyond the boot's.",
    ),
    click.option(
        "--reuse", is_flag=True, help="Deterministic boards: take an equal run of record."
    ),
)  # fmt: skip


def _boot(command: _F) -> _F:
    for part in reversed(_BOOT):
        command = part(command)
    return command


def _given(
    settings: config.Settings,
    catalogue: catalogues.Catalogue,
    kernel: Path,
    benchmark: str,
    param: tuple[str, ...],
    knob: tuple[str, ...],
    **others: Any,
) -> dict[str, Any]:
    """Return what both executors want, of the options of `_BOOT`."""
    return {
        "settings": settings,
        "build": config.plain_path(kernel.absolute(), "BUILD"),
        "benchmark": catalogue.benchmark(benchmark),
        "given": pairs_of(param, "--param"),
        "knobs": pairs_of(knob, "--knob"),
        **others,
    }


def _facts(ran: Bundle) -> dict[str, Any]:
    """Return what the last line tells of a run's bundle."""
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


def _end(form: str, ran: Bundle) -> None:
    d = ran.document
    text = f"{ran.folder}\n{d['outcome']}" + (f": {d['reason']}" if d["reason"] else "")
    emit(form, _facts(ran), text)
    end_with(ran.outcome)


@click.command()
@click.option("--board", required=True, help="Board in ansible/inventory/.")
@_boot
@click.option("--output", type=click.Path(path_type=Path), help="New folder for the bundle.")
@FORMAT
@one_sentence
def run(board: str, output: Path | None, reuse: bool, form: str, **options: Any) -> None:
    """Boot the kernel in bundle BUILD once and measure; a panic or hang is a result (status 20).

    A board of a lab is asked of its LAVA server, and waited for; stopping this cancels the job.
    """
    from vlag.pipeline import submit as lab
    from vlag.pipeline.boot import prepare
    from vlag.pipeline.collect import run as run_in_lab
    from vlag.pipeline.run import run as stage

    settings = config.load()
    catalogue = catalogues.of(settings)
    chosen = catalogue.board(board)
    given = _given(settings, catalogue, **options)
    if chosen.lab is None:
        to = config.plain_path(output.absolute(), "--output") if output else None
        boot = prepare(board_type=catalogue.board_type(chosen.board_type), say=say, **given)
        ran = stage(boot, chosen, settings.runs, reuse=reuse, output=to, say=say)
    else:
        if output is not None:
            raise UsageError(f"--output: {board} is a board of lab {chosen.lab}; leave it out")
        occasion = f"by hand {uuid.uuid4().hex}"
        target = lab.choose(settings, catalogue, chosen.board_type, board, occasion)
        asked = lab.ask(target, catalogue.board_type(chosen.board_type), say=say, **given)
        ran = run_in_lab(settings, catalogue, asked, target, occasion, reuse=reuse, say=say)
    _end(form, ran)


@click.command()
@click.option("--board-type", required=True, help="Board type in lava-jobs/devices/.")
@click.option("--board", help="The very board (default: the lab chooses one of the type).")
@click.option("--purpose", "--lane", "purpose", type=click.Choice([p.value for p in Purpose]),
              default=Purpose.PERSON.value, show_default=True,
              help="Who goes first on a board.")  # fmt: skip
@click.option("--occasion", help="Whoever asks again on the same occasion gets the same job.")
@_boot
@FORMAT
@one_sentence
def submit(
    board_type: str,
    board: str | None,
    purpose: str,
    occasion: str | None,
    reuse: bool,
    form: str,
    **options: Any,
) -> None:
    """Give a boot of the kernel in bundle BUILD to a lab; `vlag collect` fetches what came out."""
    from vlag.pipeline import submit as lab

    settings = config.load()
    catalogue = catalogues.of(settings)
    occasion = occasion or f"by hand {uuid.uuid4().hex}"
    name = " ".join([occasion, options["benchmark"], str(options["seed"]), *options["param"]])
    target = lab.choose(settings, catalogue, board_type, board, name)
    given = _given(settings, catalogue, **options)
    submitted = lab.submit(
        settings=settings,
        boot=lab.ask(target, catalogue.board_type(board_type), say=say, **given),
        target=target,
        occasion=occasion,
        priority=Purpose(purpose).lava_priority,
        reuse=reuse,
        say=say,
    )
    document = {
        "lab": submitted.lab,
        "jobs": list(submitted.jobs),
        "key": submitted.key,
        "folder": str(submitted.folder),
        **({} if submitted.bundle is None else _facts(submitted.bundle)),
    }
    numbers = ", ".join(map(str, submitted.jobs))
    emit(
        form,
        document,
        f"lab {submitted.lab}: job {numbers}\nvlag collect {submitted.folder}"
        if submitted.bundle is None
        else f"{submitted.bundle.folder}\non record",
    )


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@FORMAT
@one_sentence
def collect(folder: Path, form: str) -> None:
    """Judge the boot that was submitted in FOLDER and has ended, and write the run's bundle."""
    from vlag.pipeline.collect import collect as stage

    settings = config.load()
    catalogue = catalogues.of(settings)
    _end(
        form,
        stage(settings=settings, catalogue=catalogue, folder=folder.absolute(), say=say),
    )
