# SPDX-License-Identifier: GPL-2.0-only
"""`vlag reproduce`: a folder with which somebody else repeats boots."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.config.catalogue import Catalogue
    from vlag.model import Metric
    from vlag.report.document import OriginRun
    from vlag.store.database import Connection


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--comparison", type=int, help="A boot of each side of this comparison.")
@click.option("--alert", type=int, help="A boot of each side of what this alert stands on.")
@click.option("--benchmark", metavar="NAME",
              help="With these two: not the benchmark that changed most.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path),
              help="The new folder (default: reproduce-...).")  # fmt: skip
@click.option("--tar", is_flag=True, help="Pack the folder, too, as FOLDER.tar.gz.")
@FORMAT
@one_sentence
def reproduce(
    runs: tuple[str, ...],
    comparison: int | None,
    alert: int | None,
    benchmark: str | None,
    output: Path | None,
    tar: bool,
    form: str,
) -> None:
    """Write a folder that repeats boots elsewhere.

    RUN is the folder of a run or its number on record. The folder has images, initramfs, command
    lines and the figures to expect. Of a deterministic board it also has a script, which needs
    nothing but the emulator: it boots them again and ends with 0 if every digit is the same.
    """
    from vlag.pipeline import reproduce as stage
    from vlag.store.database import connect

    if sum((bool(runs), comparison is not None, alert is not None)) != 1:
        raise UsageError("name runs, or give --comparison or --alert")
    if benchmark is not None and runs:
        raise UsageError("--benchmark is for --comparison and --alert")
    settings = config.load()
    catalogue = catalogues.of(settings)
    if all(not run.isdecimal() for run in runs) and runs:
        chosen = [("", Path(run)) for run in runs]
        name = f"reproduce-{'-'.join(dict.fromkeys(path.name for _, path in chosen))}"
    else:
        with connect(settings.dsn()) as conn:
            if runs:
                chosen = [("", path) for path in _of_runs(conn, runs)]
                name = f"reproduce-run{'-'.join(runs)}"
            else:
                asked = comparison
                if alert is not None:
                    asked, benchmark = _of_alert(conn, alert, benchmark)
                chosen = list(_of_comparison(conn, catalogue, settings.state, asked, benchmark))
                name = f"reproduce-alert{alert}" if alert is not None else f"reproduce-{asked}"
    target = output or Path(name)
    recorded = [
        stage.recorded(path, side, settings=settings, catalogue=catalogue) for side, path in chosen
    ]
    stage.write(recorded, target, _lockstep(recorded[0].board_type.command))
    packed = stage.pack(target) if tar else None
    what = {"folder": str(target), "tar": None if packed is None else str(packed)}
    emit(form, {**what, "boots": len(recorded)}, "\n".join(filter(None, what.values())))


def _lockstep(command: str | None) -> Path:
    """Return the folder of what is loaded into the emulator that `command` starts."""
    program = None if command is None else shutil.which(command)
    return Path(program or "/usr/local/bin/none").parents[1] / "lib" / "vlag"


def _of_runs(conn: Connection, names: Sequence[str]) -> Iterator[Path]:
    """Return the folders of runs: numbers on record, or folders already."""
    from vlag.store import runs as stored

    for name in names:
        if not name.isdecimal():
            yield Path(name)
            continue
        known = stored.by_id(conn, [int(name)])
        if not known:
            raise UsageError(f"there is no run {name} on record")
        yield Path(known[int(name)].location)


def _of_alert(conn: Connection, alert: int, benchmark: str | None) -> tuple[int, str]:
    """Return the comparison and the benchmark of the largest figure that an alert stands on."""
    from vlag.store import alerts as stored

    if stored.by_id(conn, alert) is None:
        raise UsageError(f"there is no alert {alert}; `vlag alerts` lists them")
    grounds = stored.grounds(conn, [alert])
    fitting = [g for g in grounds if benchmark in (None, g.benchmark)]
    if not fitting:
        there = ", ".join(sorted({g.benchmark for g in grounds}))
        raise UsageError(
            f"alert {alert} stands on no comparison"
            + (f" of {benchmark}; it has: {there}" if there else "")
        )
    worst = max(fitting, key=lambda g: (abs(g.effect or 0.0), g.comparison))
    return worst.comparison, worst.benchmark


def _of_comparison(
    conn: Connection,
    catalogue: Catalogue,
    state: Path,
    comparison: int | None,
    benchmark: str | None,
) -> Iterator[tuple[str, Path]]:
    """Yield a boot of base and one of new, of the benchmark that changed most or is asked for."""
    from vlag.report.changed_figures import kind_of
    from vlag.report.data.comparison import report
    from vlag.report.document import figure
    from vlag.store import runs as stored

    data = report(conn, catalogue, comparison, state)
    origins = [o for o in data["origins"] if benchmark in (None, o["benchmark"])]
    if not origins:
        there = ", ".join(dict.fromkeys(o["benchmark"] for o in data["origins"]))
        raise UsageError(
            f"comparison {comparison} has no runs"
            + (f" of {benchmark}; it has: {there}" if there else "")
        )
    quiet = ("unchanged", "inconclusive", "not comparable")
    rows = sorted(data["rows"], key=lambda r: kind_of(r) in quiet)
    row, origin = next((r, o) for r in rows for o in origins if figure(o) == figure(r))
    metric = catalogue.benchmark(origin["benchmark"]).metric(origin["metric"])
    for run in shown_by(origin["runs"], row["statistic"], metric):
        yield run["side"], Path(stored.by_id(conn, [run["id"]])[run["id"]].location)


def shown_by(
    runs: Sequence[OriginRun], statistic: str, metric: Metric | None
) -> Iterator[OriginRun]:
    """Yield a run of base and one of new: the first ones, or the first that show a new mode.

    These have one seed, where the base has booted it too.
    """
    from vlag.stats import rare_modes
    from vlag.stats.compare import clip

    sides = [
        [run for run in runs if run["side"] == side and not run["screen"]]
        for side in ("base", "new")
    ]
    valued = [
        [(run, v) for run in side if (v := run["values"].get(statistic)) is not None]
        for side in sides
    ]
    mode = metric and rare_modes.suspected(
        *(clip([v for _run, v in side], metric.resolution) for side in valued),
        direction=metric.direction,
        relevance=metric.relevance,
        resolution=metric.resolution,
    )
    seed = valued[1][mode.places[0]][0]["seed"] if mode else None
    for side in sides:
        yield from ([run for run in side if run["seed"] == seed] or side)[:1]
