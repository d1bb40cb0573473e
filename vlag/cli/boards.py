# SPDX-License-Identifier: GPL-2.0-only
"""`vlag boards`: the health of the boards, their queue, and the first boot of a new one."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Any

import click
from attrs import asdict

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence, person
from vlag.config import catalogue as catalogues
from vlag.errors import ExitCode, UsageError
from vlag.printable import minute


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


_BY = click.option("--by", metavar="NAME", default=person, help="Who asks (default: you).")


def _set_in_lab(name: str, state: str, reason: str) -> None:
    """Set a board's health in its lab too, so that the lab gives it no more jobs."""
    from vlag.lava.server import Client

    settings = config.load()
    lab = settings.labs.get(str(catalogues.of(settings).board(name).lab))
    if lab is not None:
        health = "Good" if state == "good" else "Maintenance"
        Client(lab).set_device_health(name, health, f"vlag: {reason}"[:200])


@click.group()
def boards() -> None:
    """Bring boards up, check them, show their queue."""


@boards.command()
@click.argument("bundle", required=False, type=click.Path(path_type=Path))
@click.option("--board", help="Judge the newest recorded check of this board.")
@FORMAT
@one_sentence
def check(bundle: Path | None, board: str | None, form: str) -> None:
    """Judge a check of a board: run bundle BUNDLE, or the newest one of --board.

    A check is a run of the baseline kernel under the plan `check`. If its figure is outside
    the board's band, or differs at all on a deterministic board, vlag puts the board into
    maintenance, marks its runs since the last good check as doubtful, and exits with 10.
    """
    from vlag.operate.farm import board_checks
    from vlag.pipeline.ingest import ingest
    from vlag.store.database import connect

    if (bundle is None) == (board is None):
        raise UsageError("give either a run bundle or --board")
    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        if bundle is not None:
            stored = ingest(
                bundle.absolute(), conn=conn, catalogue=catalogue, built=settings.builds
            )
            if stored.kind != "run":
                raise UsageError(f"{bundle}: this is a build bundle; give a run bundle")
            health = board_checks.check_run(conn, catalogue, stored.id)
        else:
            health = board_checks.check(conn, catalogue, board or "")
    document = {
        "board": health.check.board,
        "state": health.state,
        "run": health.check.run,
        "finding": health.check.finding,
        "level": health.check.level,
        "noise": health.check.noise,
        "band": health.check.band,
        "new": health.new,
        "doubted": health.doubted,
        "sentence": health.sentence,
    }
    if health.new and not health.good:
        _set_in_lab(health.check.board, health.state, health.check.sentence)
    emit(form, document, health.sentence)
    sys.exit(ExitCode.OK if health.good else ExitCode.REGRESSION)


@boards.command()
@FORMAT
@one_sentence
def status(form: str) -> None:
    """Print each board's state and what its last check found."""
    from vlag.operate.farm.board_checks import PLAN, SHIFT, Standing
    from vlag.operate.farm.board_checks import status as stage
    from vlag.store.boards import LATELY, OFTEN
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        standings = stage(conn, catalogue, _now())

    def lines(s: Standing) -> list[str]:
        since = "" if s.since is None else f" since {minute(s.since)}, {s.by}: {s.reason}"
        clauses = [f"{s.board} ({s.board_type}): {s.state}{since}"]
        if s.failed:
            clauses.append(f"  {s.failed} of {s.boots} boots in {LATELY.days} days failed")
        if s.outages >= OFTEN:
            clauses.append(
                f"  it left service {s.outages} times in {LATELY.days} days: repair it before it is"
                " called good again"
            )
        if s.check is None:
            return [*clauses, f"  no run of plan {PLAN} was judged"]
        clauses.append(f"  {minute(s.check.finished_at)}, run {s.check.run}: {s.check.sentence}")
        if s.check.band is not None:
            seen = f"in {s.checks_to_see} checks" if s.checks_to_see else "not seen in 60 checks"
            clauses.append(f"  a shift by {SHIFT:.0%}: {seen}")
        return [*clauses, f"  {s.doubted} runs are in doubt"] if s.doubted else clauses

    def plain(s: Standing) -> dict[str, Any]:
        document = asdict(s)
        times = [document, *([document["check"]] if document["check"] else [])]
        for part in times:
            for key, value in part.items():
                if isinstance(value, datetime.datetime):
                    part[key] = value.astimezone(datetime.UTC).isoformat()
        return document

    text = "\n".join(line for s in standings for line in lines(s))
    emit(form, {"boards": [plain(s) for s in standings]}, text)


@boards.command()
@FORMAT
@one_sentence
def queue(form: str) -> None:
    """List active and waiting runs in order, with the time each result is due."""
    from vlag.operate.farm import queue as stage

    now = _now()
    settings = config.load()
    queues, kernels = stage.current(settings, catalogues.of(settings), now)
    emit(form, stage.document(queues, kernels, now), stage.text(queues, kernels, now))


@boards.command()
@click.argument("name")
@click.option("--reason", required=True, help="The reason, for the record.")
@_BY
@FORMAT
@one_sentence
def maintenance(name: str, reason: str, by: str, form: str) -> None:
    """Take board NAME out of service; its runs still count."""
    from vlag.operate.farm import board_checks
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        board_checks.maintenance(
            conn, catalogue, name, reason=reason, by=by, now=_now(),
            in_lab=lambda: _set_in_lab(name, "maintenance", reason),
        )  # fmt: skip
    emit(form, {"board": name, "state": "maintenance"}, f"{name} is in maintenance")


@boards.command()
@click.argument("name")
@click.option("--reason", default="called good", show_default=True, help="What was done.")
@click.option("--new-band", is_flag=True, help="The board was repaired: start a new band.")
@click.option("--trust-runs", is_flag=True, help="The failed check was wrong: count all runs.")
@_BY
@FORMAT
@one_sentence
def good(name: str, reason: str, new_band: bool, trust_runs: bool, by: str, form: str) -> None:
    """Put board NAME back into service.

    After a failed check the board needs a good check first. New runs count from now on.
    """
    from vlag.operate.farm import board_checks
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        board_checks.good(
            conn,
            catalogue,
            name,
            reason=reason,
            by=by,
            now=_now(),
            in_lab=lambda: _set_in_lab(name, "good", reason),
            new_band=new_band,
            trust_runs=trust_runs,
        )
    emit(form, {"board": name, "state": "good", "new_band": new_band}, f"{name} is good")


@boards.command()
@click.argument("name")
@click.option(
    "--build", metavar="BUILD", type=click.Path(path_type=Path),
    help="Kernel to boot (default: the newest that has what the board needs).",
)  # fmt: skip
@FORMAT
@one_sentence
def bring_up(name: str, build: Path | None, form: str) -> None:
    """Boot new board NAME of a lab once, and say how far it came.

    Looks at lab, artifacts, serial line, power, boot loader, DHCP, TFTP, kernel, policy,
    temperature, network and benchmark in this order. The first that fails ends it, with one
    sentence that names the fault and what to do; the exit status is then 75.
    """
    from vlag.operate.farm import first_boot

    settings = config.load()
    report = first_boot.check(settings, catalogues.of(settings), name, build=build)
    emit(form, report.document, "\n".join(first_boot.text(report)))
    sys.exit(ExitCode.OK if report.wrong is None else ExitCode.INFRASTRUCTURE)
