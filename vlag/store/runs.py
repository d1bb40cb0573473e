# SPDX-License-Identifier: GPL-2.0-only
"""Runs and their numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from attrs import asdict, field, frozen
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from vlag.bundle_records import FileRecord, HealthRecord, KernelRecord, RunRecord
from vlag.model import Benchmark, BoardType, Histogram, Metric, Sample, time_series_key
from vlag.store.columns import Columns, columns
from vlag.store.database import Connection


@frozen(kw_only=True)
class TimeSeries:
    """A row of `series`; `id` is None until it is stored."""

    key: str
    benchmark: str
    parameters: Mapping[str, str | int]
    metric: str
    unit: str
    direction: str
    tool: str
    tool_version: str
    defaults: Mapping[str, str]
    board_type: str
    id: int | None = None


class Written(Mapping[str, Any]):
    """A document that is read when somebody asks it something: most runs are never asked."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _of(self) -> Mapping[str, Any]:
        document: Mapping[str, Any] = json.loads(self._text)
        return document

    def __getitem__(self, key: str) -> Any:
        """Return what the document has there."""
        return self._of[key]

    def __iter__(self) -> Iterator[str]:
        """Return its keys."""
        return iter(self._of)

    def __len__(self) -> int:
        """Return how many keys it has."""
        return len(self._of)


def _document(given: RunRecord | str) -> RunRecord:
    return cast(RunRecord, Written(given)) if isinstance(given, str) else given


@frozen(kw_only=True)
class Run:
    """A row of `run`; `document` is run.json."""

    id: int
    bundle_digest: str
    run_key: str
    kernel: int
    config_sha256: str
    board: str
    board_type: str
    plan: str | None
    benchmark: str
    parameters: Mapping[str, str | int]
    seed: int
    knobs: Mapping[str, str]
    outcome: str
    reason: str | None
    finished_at: datetime
    health: Sequence[HealthRecord]
    emulator: Mapping[str, str] | None
    suspect: str | None
    location: str
    synthetic: bool
    document: RunRecord = field(converter=_document)
    reading: int = 1  # how often its raw output has changed what it says
    #: Its conditions as JSON, where they are kept: one object for many runs.
    kept: str | None = None

    @property
    def figures_digest(self) -> str:
        """Return a digest of its figures: of the bundle, and of the reading after the first."""
        return self.bundle_digest if self.reading == 1 else f"{self.bundle_digest} {self.reading}"

    @property
    def output(self) -> str:
        """Return the path of its raw output below its location; "" if it failed before."""
        return self.document["output"] or ""

    @property
    def image(self) -> tuple[str, str]:
        """Return the digests of its image and config."""
        return self.document["image_sha256"], self.config_sha256

    @property
    def source(self) -> KernelRecord:
        """Return what its kernel is made of, and by what names it was known."""
        return self.document["kernel"]

    @property
    def release(self) -> str:
        """Return what `uname -r` says of its kernel."""
        return self.document["release"]

    @property
    def cpus(self) -> int:
        """Return how many CPUs its board has."""
        return self.document["board"]["cpus"]

    @property
    def deterministic(self) -> bool:
        """Return whether its board repeats a boot to the last digit."""
        return self.document["board"]["deterministic"]

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the state of the board before the benchmark, by path or name."""
        return self.document["environment"]

    @property
    def read_back(self) -> Mapping[str, str]:
        """Return what the board answered when its state was set; empty where nothing was."""
        return self.document.get("read_back", {})

    @property
    def commands(self) -> Mapping[str, Sequence[str]]:
        """Return the words of each command of its benchmark, by name."""
        return self.document["argv"]

    @property
    def files(self) -> Sequence[FileRecord]:
        """Return the files of its bundle."""
        return self.document["files"]

    @property
    def reproduce(self) -> str:
        """Return the command that boots it again."""
        return self.document["reproduce"]

    @property
    def marked(self) -> bool:
        """Return whether the kernel raised an alarm while it was set up or measured."""
        return marked(self.health)


def marked(health: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether lines of a run's health are of the time of set-up or measurement."""
    return any(line.get("phase") in _MEASURING for line in health)


@frozen(kw_only=True)
class Figures:
    """The data of one run in one series: a sample or a histogram."""

    run: int
    series: TimeSeries
    figures: Sample | Histogram


_COLUMNS = columns(Run, but=("kept",))
_RUN = f"SELECT {_COLUMNS.selected(location='in_state(location)')} FROM run"  # noqa: S608 - constants
# The same, without documents that are read, and with conditions of a rule.
_WRITTEN = _COLUMNS.selected(location="in_state(location)", document="document::text")
_MANY = (
    f"SELECT {_WRITTEN},"  # noqa: S608 - constants
    " (SELECT (x.document -> 'conditions')::text FROM run_conditions c JOIN conditions x"
    "   ON x.digest = c.conditions WHERE c.run = run.id AND x.rule = %(rule)s::integer) AS kept"
    " FROM run"
)
_SERIES = columns(TimeSeries)
# Keys of run.json that are columns of the same name.
_PLAIN = (
    "run_key",
    "image_sha256",
    "config_sha256",
    "plan",
    "benchmark",
    "seed",
    "outcome",
    "reason",
    "started_at",
    "finished_at",
    "estimate_s",
    "synthetic",
)
# Phases of a run in which an alarm affects its numbers.
_MEASURING = ("setup", "benchmark")
_OBJECTS = ("parameters", "knobs", "environment", "health", "executor")


def time_series_of(
    *,
    benchmark: Benchmark,
    parameters: Mapping[str, str | int],
    metric: Metric,
    tool_version: str,
    defaults: Mapping[str, str],
    board_type: str,
) -> TimeSeries:
    """Return the series of a metric of a run, not stored yet."""
    key = time_series_key(
        benchmark=benchmark.name,
        parameters=parameters,
        metric=metric.name,
        unit=metric.unit,
        tool=benchmark.tool,
        tool_version=tool_version,
        defaults=defaults,
        board_type=board_type,
    )
    return TimeSeries(
        key=key,
        benchmark=benchmark.name,
        parameters=parameters,
        metric=metric.name,
        unit=metric.unit,
        direction=metric.direction.value,
        tool=benchmark.tool,
        tool_version=tool_version,
        defaults=defaults,
        board_type=board_type,
    )


def add_board_type(conn: Connection, b: BoardType) -> None:
    """Add a board type if it is new."""
    conn.execute(
        "INSERT INTO board_type (name, arch, deterministic, cpus, limits)"
        " VALUES (%s, %s, %s, %s, %s) ON CONFLICT (name) DO NOTHING",
        (b.name, b.arch, b.deterministic, b.cpus, b.limits),
    )


def add_board(conn: Connection, *, name: str, board_type: BoardType) -> None:
    """Add a board and its type if they are new."""
    add_board_type(conn, board_type)
    conn.execute(
        "INSERT INTO board (name, board_type) VALUES (%s, %s) ON CONFLICT (name) DO NOTHING",
        (name, board_type.name),
    )


def insert(
    conn: Connection,
    *,
    kernel_id: int,
    document: Mapping[str, Any],
    tool_version: str | None,
    digest: str,
    location: str,
) -> int | None:
    """Add a run and return its id, or None if its bundle is on record."""
    d = document
    values = {
        "bundle_digest": digest,
        "kernel": kernel_id,
        "location": location,
        "tool_version": tool_version,
        "board": d["board"]["name"],
        "board_type": d["board"]["board_type"],
        "observes": d.get("observes"),
        "emulator": d["board"]["emulator"] and Jsonb(d["board"]["emulator"]),
        "document": Jsonb(d),
    }
    values |= {name: d[name] for name in _PLAIN}
    values |= {name: Jsonb(d[name]) for name in _OBJECTS}
    inserted = Columns(tuple(values)).inserted(location="below_state", document="portable")
    with conn.cursor(row_factory=scalar_row) as cursor:
        id_: int | None = cursor.execute(
            f"INSERT INTO run {inserted} ON CONFLICT (bundle_digest) DO NOTHING RETURNING id",
            values,
        ).fetchone()
    return id_


def insert_figures(
    conn: Connection, run: int, figures: Sequence[tuple[TimeSeries, Sample | Histogram]]
) -> None:
    """Add a run's data, one row per series."""
    # In the order of the keys: two writers that add the same new series cannot deadlock.
    for series, f in sorted(figures, key=lambda pair: pair[0].key):
        id_ = _series_id(conn, series)
        if isinstance(f, Sample):
            conn.execute(
                "INSERT INTO sample (run, series, values, instances, absent)"
                " VALUES (%s, %s, %s, %s, %s)",
                (run, id_, [float(v) for v in f.values], list(f.instances), list(f.absent)),
            )
        else:
            conn.execute(
                "INSERT INTO histogram (run, series, bounds, counts, overflow, overflow_from,"
                " maximum, instances, expected, interval, achieved)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                (
                    run,
                    id_,
                    list(f.bounds),
                    # PostgreSQL has no array of empty rows.
                    f.counts.tolist() if f.bounds else [],
                    list(f.overflow),
                    f.limit,
                    [float(v) for v in f.maximum],
                    list(f.instances),
                    f.expected,
                    f.interval,
                    f.achieved,
                ),
            )


def replace_figures(
    conn: Connection,
    run: int,
    tool_version: str,
    figures: Sequence[tuple[TimeSeries, Sample | Histogram]],
) -> None:
    """Put another reading of a run's raw output in place of what is on record.

    Its statistics are gone then; `vlag.store.run_values.put` makes them again.
    """
    for table in ("sample", "histogram", "run_value"):
        conn.execute(f"DELETE FROM {table} WHERE run = %s", (run,))  # noqa: S608 - constants
    conn.execute(
        "UPDATE run SET tool_version = %s, reading = reading + 1 WHERE id = %s",
        (tool_version, run),
    )
    insert_figures(conn, run, figures)


def lock(conn: Connection, run: int) -> None:
    """Let nobody else change a run until the transaction ends."""
    conn.execute("SELECT FROM run WHERE id = %s FOR UPDATE", (run,))


def complete(conn: Connection, since: datetime | None = None) -> list[int]:
    """Return the runs that have measured something, and ended since a time; the oldest first."""
    rows = conn.execute(
        "SELECT id FROM run WHERE outcome = 'complete'"
        " AND (%(since)s::timestamptz IS NULL OR finished_at >= %(since)s) ORDER BY id",
        {"since": since},
    )
    return [int(row[0]) for row in rows]


def id_of(conn: Connection, bundle_digest: str) -> int | None:
    """Return the id of a bundle's run, or None."""
    row = conn.execute("SELECT id FROM run WHERE bundle_digest = %s", (bundle_digest,)).fetchone()
    return None if row is None else int(row[0])


@frozen(kw_only=True)
class Near:
    """Which runs of a kernel with years of them are near a time."""

    at: datetime
    days: int  # of each workload so many days with a run, up to the time
    after: int  # and so many after it


def of_kernel(
    conn: Connection,
    kernel: int,
    *,
    board_type: str,
    synthetic: bool,
    by_image: bool,
    rule: int | None = None,
    near: Near | None = None,
) -> list[Run]:
    """Return all scored runs of a kernel on a board type, in the order in which they entered.

    They have the conditions that are kept by a rule, None: without.

    With `by_image` (deterministic boards) runs of the images of the kernel's builds
    count as its own, whichever kernel they were booted for.  Others may be bounded by `near`.
    """
    if near is not None and not by_image:
        return _near(conn, kernel, board_type=board_type, synthetic=synthetic, near=near, rule=rule)
    with conn.cursor(row_factory=class_row(Run)) as cursor:
        return cursor.execute(
            _MANY  # noqa: S608 - constant
            + " WHERE board_type = %(board_type)s AND synthetic = %(synthetic)s AND id IN ("
            "   SELECT id FROM run WHERE kernel = %(kernel)s"
            "   UNION ALL"
            "   SELECT r.id FROM build b JOIN run r"
            "     ON (r.image_sha256, r.config_sha256) = (b.image_sha256, b.config_sha256)"
            "   WHERE %(by_image)s AND b.kernel = %(kernel)s AND b.outcome = 'complete')"
            " AND observes IS NULL"
            " ORDER BY id",
            {
                "kernel": kernel,
                "board_type": board_type,
                "synthetic": synthetic,
                "by_image": by_image,
                "rule": rule,
            },
        ).fetchall()


def with_other_knobs(
    conn: Connection, kernel: int, *, board_type: str, knobs: Mapping[str, str]
) -> bool:
    """Return whether a kernel, or an image of it, was booted with other knobs on a board type."""
    row = conn.execute(
        "SELECT EXISTS (SELECT FROM run WHERE kernel = %(kernel)s AND board_type = %(board_type)s"
        "   AND knobs <> %(knobs)s) OR EXISTS (SELECT FROM build b JOIN run r"
        "   ON (r.image_sha256, r.config_sha256) = (b.image_sha256, b.config_sha256)"
        "   WHERE b.kernel = %(kernel)s AND r.board_type = %(board_type)s"
        "   AND r.knobs <> %(knobs)s)",
        {"kernel": kernel, "board_type": board_type, "knobs": Jsonb(dict(knobs))},
    ).fetchone()
    return bool(row and row[0])


def toggled(
    conn: Connection, kernels: Iterable[int], *, board_type: str, knobs: Mapping[str, str]
) -> set[int]:
    """Return which of some kernels were booted with other knobs, outside of a plan."""
    rows = conn.execute(
        "SELECT DISTINCT kernel FROM run WHERE kernel = ANY(%s) AND board_type = %s"
        " AND plan IS NULL AND knobs <> %s AND NOT synthetic",
        (list(kernels), board_type, Jsonb(dict(knobs))),
    )
    return {row[0] for row in rows}


def _near(
    conn: Connection,
    kernel: int,
    *,
    board_type: str,
    synthetic: bool,
    near: Near,
    rule: int | None,
) -> list[Run]:
    with conn.cursor(row_factory=class_row(Run)) as cursor:
        return cursor.execute(
            _MANY  # noqa: S608 - constant
            + " WHERE id IN (SELECT id FROM (SELECT id, later, dense_rank() OVER ("
            "   PARTITION BY benchmark, parameters, knobs, later"
            "   ORDER BY CASE WHEN later THEN day - date '2000-01-01' ELSE date '2000-01-01' - day"
            "   END) AS rank FROM (SELECT id, benchmark, parameters, knobs,"
            "     finished_at::date AS day, finished_at > %(at)s AS later FROM run"
            "     WHERE kernel = %(kernel)s AND board_type = %(board_type)s"
            "     AND synthetic = %(synthetic)s AND observes IS NULL) AS dated) AS ranked"
            "   WHERE rank <= CASE WHEN later THEN %(after)s ELSE %(days)s END) ORDER BY id",
            {
                "kernel": kernel,
                "board_type": board_type,
                "synthetic": synthetic,
                "at": near.at,
                "days": near.days,
                "after": near.after,
                "rule": rule,
            },
        ).fetchall()


def earlier(
    conn: Connection,
    *,
    board_type: str,
    before: datetime,
    without_kernels: Sequence[int],
    without_runs: Sequence[int],
    kernels: int,
    synthetic: bool,
    rule: int | None = None,
) -> list[Run]:
    """Return complete scored runs of other kernels that ended before a time, in order of entry.

    For each benchmark, those of the latest `kernels` kernels, with the conditions that are kept by
    a rule.
    """
    with conn.cursor(row_factory=class_row(Run)) as cursor:
        return cursor.execute(
            _MANY  # noqa: S608 - constant
            + " WHERE id IN (SELECT id FROM (SELECT id, dense_rank() OVER ("
            "   PARTITION BY benchmark ORDER BY last DESC, kernel) AS rank FROM ("
            "     SELECT id, kernel, benchmark,"
            "       max(finished_at) OVER (PARTITION BY benchmark, kernel) AS last FROM run"
            "     WHERE board_type = %(board_type)s AND synthetic = %(synthetic)s"
            "       AND outcome = 'complete' AND suspect IS NULL AND observes IS NULL"
            "       AND id NOT IN (SELECT run FROM run_in_doubt) AND finished_at < %(before)s"
            "       AND kernel <> ALL(%(without_kernels)s) AND id <> ALL(%(without_runs)s)"
            "   ) AS dated) AS ranked WHERE rank <= %(kernels)s) ORDER BY id",
            {
                "board_type": board_type,
                "before": before,
                "without_kernels": list(without_kernels),
                "without_runs": list(without_runs),
                "kernels": kernels,
                "synthetic": synthetic,
                "rule": rule,
            },
        ).fetchall()


def by_id(conn: Connection, ids: Sequence[int]) -> dict[int, Run]:
    """Return the runs of these ids."""
    with conn.cursor(row_factory=class_row(Run)) as cursor:
        rows = cursor.execute(_RUN + " WHERE id = ANY(%s) ORDER BY id", (list(ids),)).fetchall()
    return {row.id: row for row in rows}


def time_series_by_id(conn: Connection, ids: Sequence[int]) -> dict[int, TimeSeries]:
    """Return the series of these ids."""
    rows = conn.execute(f"SELECT {_SERIES} FROM series WHERE id = ANY(%s)", (list(ids),))  # noqa: S608
    return {s.id: s for s in map(_series, rows) if s.id is not None}


def figures_of(conn: Connection, runs: Sequence[int]) -> list[Figures]:
    """Return the data of these runs, by run and metric."""
    every: list[Figures] = []
    samples = conn.execute(
        "SELECT series, run, values, instances, absent FROM sample WHERE run = ANY(%s)",
        (list(runs),),
    ).fetchall()
    histograms = conn.execute(
        "SELECT series, run, bounds, counts, overflow, overflow_from, maximum, instances,"
        " expected, interval FROM histogram WHERE run = ANY(%s)",
        (list(runs),),
    ).fetchall()
    # Each is read once: hundreds of runs share one, and its texts are JSON.
    known = time_series_by_id(conn, sorted({row[0] for row in (*samples, *histograms)}))
    for id_, run, values, instances, absent in samples:
        series = known[id_]
        sample = Sample(
            metric=series.metric,
            values=tuple(values),
            instances=tuple(instances),
            absent=tuple(absent),
        )
        every.append(Figures(run=run, series=series, figures=sample))
    for id_, *row in histograms:
        series = known[id_]
        run, bounds, counts, overflow, limit, maximum, instances, expected, interval = row
        histogram = Histogram(
            metric=series.metric,
            bounds=tuple(bounds),
            counts=counts if bounds else [[] for _ in instances],
            overflow=tuple(overflow),
            limit=limit,
            maximum=tuple(maximum),
            instances=tuple(instances),
            expected=expected,
            interval=interval,
        )
        every.append(Figures(run=run, series=series, figures=histogram))
    return sorted(every, key=lambda f: (f.run, f.series.metric))


def mark_suspect(conn: Connection, run: int, reason: str | None) -> None:
    """Take a run out of comparisons with a reason, or put it back with None."""
    conn.execute("UPDATE run SET suspect = %s WHERE id = %s", (reason, run))


def _series_id(conn: Connection, series: TimeSeries) -> int:
    conn.execute(
        f"INSERT INTO series {columns(TimeSeries, but=('id',)).inserted()}"
        " ON CONFLICT (key) DO NOTHING",
        {
            **asdict(series, recurse=False),
            "parameters": Jsonb(dict(series.parameters)),
            "defaults": Jsonb(dict(series.defaults)),
        },
    )
    row = conn.execute("SELECT id FROM series WHERE key = %s", (series.key,)).fetchone()
    assert row is not None  # noqa: S101 - it was there or has just been added
    id_: int = row[0]
    return id_


def _series(row: Sequence[Any]) -> TimeSeries:
    return TimeSeries(**dict(zip(_SERIES.names, row, strict=True)))
