# SPDX-License-Identifier: GPL-2.0-only
"""Read raw output again that was kept: with today's parsers and catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from vlag.bundle import sha256
from vlag.config.catalogue import Catalogue
from vlag.errors import RefusedError
from vlag.model import Histogram, Outcome, Sample
from vlag.pipeline.ingest import figures
from vlag.stats.numbers import plain
from vlag.stats.summary import statistics
from vlag.store import comparisons, removals, renames, run_values, runs
from vlag.store.database import Connection
from vlag.store.runs import Run, TimeSeries

_DIGITS = 6  # of a figure that changed


@frozen(kw_only=True)
class Reread:
    """What came of one run."""

    run: int
    changes: tuple[str, ...] = ()  # one line a metric; none: its figures are what they were
    left: str | None = None  # why the run is left as it is; None: it was read
    refused: bool = False  # today's parsers refuse its output
    comparisons: tuple[int, ...] = ()  # that were made of figures that have changed

    def __str__(self) -> str:
        """Return it as one line."""
        if self.left is not None:
            return f"run {self.run}: left as it is: {self.left}"
        return f"run {self.run}: {'; '.join(self.changes) or 'its figures are what they were'}"


def reread(conn: Connection, catalogue: Catalogue, ids: Sequence[int]) -> Iterator[Reread]:
    """Read the raw output of runs on record again, and yield what came of each.

    What changed replaces samples, histograms and statistics of that run, in one transaction a
    run.  Verdicts stay as they were said; a comparison that is made again is of the new figures.
    """
    renames.apply(conn, catalogue.benchmarks.values())
    for id_ in ids:
        try:
            with conn.transaction():
                runs.lock(conn, id_)
                yield _reread(conn, catalogue, runs.by_id(conn, [id_])[id_])
        except RefusedError as e:
            yield Reread(run=id_, left=str(e), refused=True)


def _reread(conn: Connection, catalogue: Catalogue, run: Run) -> Reread:
    if run.outcome != Outcome.COMPLETE.value:
        return Reread(run=run.id, left=f"it measured nothing ({run.outcome})")
    benchmark = catalogue.benchmarks.get(run.benchmark)
    board_type = catalogue.board_types.get(run.board_type)
    if benchmark is None or board_type is None:
        what = "benchmark" if benchmark is None else "board type"
        name = run.benchmark if benchmark is None else run.board_type
        return Reread(run=run.id, left=f"the catalogue has no {what} {name!r} any more")
    path = Path(run.location) / "run.json"
    raw = path.parent / run.output
    gone = removals.of(conn, "run", [run.id]).get(run.id)
    lost = gone.sentence if gone is not None else _lost(raw, run)
    if lost is not None:
        return Reread(run=run.id, left=lost)
    version, now = figures(path, run.document, benchmark, board_type)
    before = {f.series.key: (f.series, f.figures) for f in runs.figures_of(conn, [run.id])}
    after = {series.key: (series, figure) for series, figure in now}
    changes = _changes(before, after)
    if not changes:
        return Reread(run=run.id)
    runs.replace_figures(conn, run.id, version, now)
    run_values.put(conn, [run.id])
    return Reread(run=run.id, changes=changes, comparisons=tuple(comparisons.of_run(conn, run.id)))


def _lost(raw: Path, run: Run) -> str | None:
    """Return why the raw output is not that which was ingested, or None."""
    [entry] = [f for f in run.files if f["path"] == run.output]
    try:
        digest = sha256(raw)
    except FileNotFoundError:
        return f"its raw output is gone ({raw})"
    except OSError as e:
        return f"{raw} cannot be read ({e.strerror})"
    if digest != entry["sha256"]:
        return f"{raw} is not the file that was ingested; restore it"
    return None


_Figures = tuple[TimeSeries, Sample | Histogram]


def _changes(before: dict[str, _Figures], after: dict[str, _Figures]) -> tuple[str, ...]:
    """Say what is different, metric by metric."""
    was, now = ({s.metric: (s, f) for s, f in stored.values()} for stored in (before, after))
    lines = []
    for name in sorted(was.keys() | now.keys()):
        old, new = was.get(name), now.get(name)
        if old is None or new is None:
            lines.append(f"{name} is {'new' if old is None else 'gone'}")
        elif old[0].key != new[0].key:
            lines.append(f"{name} is of another series: tool version, unit or defaults differ")
        elif old[1] != new[1]:
            lines.append(f"{name} {_figure(*old)}, now {_figure(*new)}")
    return tuple(lines)


def _figure(series: TimeSeries, figure: Sample | Histogram) -> str:
    values = statistics(figure)
    if not values:
        return "without a number"
    name, value = next(iter(values.items()))
    return f"{'' if name == 'median' else name + ' '}{plain(value, _DIGITS)} {series.unit}"
