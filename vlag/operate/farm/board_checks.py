# SPDX-License-Identifier: GPL-2.0-only
"""Board checks: vlag judges them, and puts a board that fails one into maintenance."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import asdict, frozen

from vlag.compare import conditions
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Benchmark, Board, Histogram, Metric, Outcome, digest
from vlag.printable import minute
from vlag.stats import band
from vlag.stats.band import Check, Finding
from vlag.store import boards, runs
from vlag.store.boards import GOOD, MAINTENANCE, CheckRow, State
from vlag.store.database import Connection, connect
from vlag.store.runs import Figures, Run

#: Plan whose runs are checks: one fixed kernel with the noise-floor benchmark.
PLAN = "check"

#: Shift of a board's level for which `status` shows how soon its checks would detect it:
#: relevant changes of kernels are not much larger.
SHIFT = 0.03

# Findings of a deterministic board.  It has no band: equal runs give equal digits.
EQUAL, FIRST, DIFFERS = "equal", "first", "differs"
# Finding of any board: the run measured nothing.
FAILED = "failed"

# The line of a release: 6.6 of 6.6.63-vlag.
_VERSION = re.compile(r"\d+\.\d+")


@frozen(kw_only=True)
class Health:
    """The result of a check."""

    check: CheckRow
    state: str  # present state of the board
    new: bool  # False: this check had been judged before
    doubted: int  # runs of the board that do not count at present

    @property
    def good(self) -> bool:
        """Return whether the board is in service."""
        return self.state == GOOD

    @property
    def sentence(self) -> str:
        """Return it as one sentence."""
        c = self.check
        verb = {GOOD: "is good", MAINTENANCE: "is in maintenance"}[self.state]
        doubted = f"; {self.doubted} runs are in doubt" if self.doubted else ""
        return f"{c.board} {verb}: run {c.run}: {c.sentence}{doubted}"


@frozen(kw_only=True)
class Standing:
    """A board of the inventory with its present state."""

    board: str
    board_type: str
    state: str
    since: datetime.datetime | None  # None: it has always been good
    reason: str
    by: str
    check: CheckRow | None  # the latest
    doubted: int
    outages: int  # how often it left service in the last `boards.LATELY`
    boots: int  # in that time
    failed: int  # of these boots
    checks_to_see: int | None  # checks that would show a shift by `SHIFT`; None: no band, too wide


def check(conn: Connection, catalogue: Catalogue, name: str) -> Health:
    """Judge a board's checks on record, and return the result of the newest.

    A check outside the board's band, or with other digits on a deterministic board, puts the
    board into maintenance, and its runs since the last good check in doubt.  A check is
    judged only once.  Raises UsageError for a board that is not in the inventory or has
    no check.
    """
    board = catalogue.board(name)
    with conn.transaction():
        boards.lock(conn, board.name)
        new = [_judge(conn, catalogue, board, i) for i in boards.unchecked(conn, board.name, PLAN)]
        for row in sorted(new, key=lambda c: c.finished_at):
            _follow(conn, row)
        newest = boards.newest_check(conn, board.name)
        if newest is None:
            raise UsageError(
                f"{board.name} has no check on record: boot the baseline kernel on it under the"
                f" plan {PLAN}, `vlag run BUILD --board {board.name} --plan {PLAN} ...`"
            )
        return _health(conn, newest, new=any(c.run == newest.run for c in new))


def check_run(conn: Connection, catalogue: Catalogue, run: int) -> Health:
    """Judge all checks of a run's board, and return the result of that run.

    As `check`; UsageError if the run does not belong to the plan of checks.
    """
    [checked] = runs.by_id(conn, [run]).values()
    if checked.plan != PLAN:
        plan = "no plan" if checked.plan is None else f"plan {checked.plan}"
        raise UsageError(
            f"run {run} is of {plan}, not of plan {PLAN}: only the latter are checks of a board"
        )
    health = check(conn, catalogue, checked.board)
    if health.check.run == run:
        return health
    row = boards.check_of(conn, run)
    if row is None:
        raise UsageError(f"run {run} holds figures of a report: no board was checked by it")
    return _health(conn, row, new=False)


def _health(conn: Connection, row: CheckRow, *, new: bool) -> Health:
    state = boards.states(conn).get(row.board)
    return Health(
        check=row,
        state=GOOD if state is None else state.state,
        new=new,
        doubted=boards.doubted(conn).get(row.board, 0),
    )


def _judge(conn: Connection, catalogue: Catalogue, board: Board, run_id: int) -> CheckRow:
    """Judge a run and store the result."""
    run = runs.by_id(conn, [run_id])[run_id]
    benchmark = catalogue.benchmark(run.benchmark)
    metric = _floor(benchmark)
    if catalogue.board_type(board.board_type).deterministic:
        row = _repeats(conn, run)
    else:
        row = _in_band(conn, run, metric)
    boards.insert_check(conn, row)
    stored = boards.check_of(conn, run.id)
    assert stored is not None  # noqa: S101 - it has just been added
    return stored


def _floor(benchmark: Benchmark) -> Metric:
    """Return the metric of a check: the benchmark's headline distribution."""
    metric = next((m for m in benchmark.metrics if m.headline and m.histogram), None)
    if metric is None:
        raise UsageError(
            f"lava-jobs/benchmarks/{benchmark.name}/benchmark.yaml: no headline metric is a"
            f" histogram, so that the plan {PLAN} cannot use it to check a board"
        )
    return metric


def _row(run: Run, finding: str, conditions: str, sentence: str, **more: Any) -> CheckRow:
    good = (Finding.IN_BAND.value, Finding.TOO_LITTLE.value, EQUAL, FIRST)
    return CheckRow(
        **{
            "board": run.board,
            "run": run.id,
            "conditions": conditions,
            "finding": finding,
            "accepted": finding in good,
            "level": None,
            "noise": None,
            "band": None,
            "sentence": sentence,
            "finished_at": run.finished_at,
            **more,
        }
    )


def _in_band(conn: Connection, run: Run, metric: Metric) -> CheckRow:
    """Judge a check by the board's earlier ones under the same conditions.

    A baseline that moves on within its line keeps the band.  A check that leaves it just then may
    be the kernel's: it says so, and begins another band.
    """
    if run.outcome != Outcome.COMPLETE.value:
        reason = f"the baseline kernel ended with {run.outcome}: {run.reason}"
        return _row(run, FAILED, digest(None), reason)
    figures = _histogram(conn, run, metric)
    assert isinstance(figures.figures, Histogram)  # noqa: S101 - chosen so
    own = digest({**_shared(run, figures), "image": list(run.image)})
    key = _band_of(conn, run, figures, metric) or own
    try:
        new = band.of_histogram(figures.figures, metric.resolution)
    except ValueError as e:
        return _row(run, FAILED, key, f"{metric.name}: {e}")
    before = boards.accepted(conn, board=run.board, conditions=key, before=run.finished_at)
    history = [
        Check(level=c.level, noise=c.noise)
        for c in before
        if c.level is not None and c.noise is not None
    ]
    answer = band.judge(history, new, unit=metric.unit)
    finding, sentence = answer.finding, answer.sentence
    former = _former_kernel(conn, run, before)
    if former is not None and finding in (Finding.LEVEL_LEFT, Finding.NOISE_LEFT):
        finding, key = Finding.TOO_LITTLE, own
        sentence += (
            f"; the baseline has just moved from {former} to {run.release}, and kernel"
            f" or board did it: boot {former} again to see which; a band of its own begins"
        )
    return _row(
        run,
        finding.value,
        key,
        sentence,
        level=new.level,
        noise=new.noise,
        band=None if answer.band is None else asdict(answer.band),
    )


def _histogram(conn: Connection, run: Run, metric: Metric) -> Figures:
    """Return the figures of a check that ended well."""
    return next(
        f
        for f in runs.figures_of(conn, [run.id])
        if f.series.metric == metric.name and isinstance(f.figures, Histogram)
    )


def _shared(run: Run, figures: Figures) -> dict[str, object]:
    """Return what checks of one band share, beside the line of the kernel."""
    return {
        "benchmark": run.benchmark,
        "parameters": dict(run.parameters),
        "knobs": dict(run.knobs),
        **conditions.of_run(run, figures),
    }


def _line(run: Run) -> tuple[object, ...]:
    """Return what kernels of one line have in common: all of 6.6.y with the same patches."""
    version = _VERSION.search(run.release)
    return (
        version[0] if version else run.release,
        *(run.source[key] for key in ("tree", "series", "application", "variant", "kconfig")),
    )


def _band_of(conn: Connection, run: Run, figures: Figures, metric: Metric) -> str | None:
    """Return the conditions of the band that a check belongs to; None: it begins one."""
    for last in boards.bands(conn, board=run.board, before=run.finished_at):
        other = runs.by_id(conn, [last.run])[last.run]
        if _line(other) == _line(run) and _shared(
            other, _histogram(conn, other, metric)
        ) == _shared(run, figures):
            return last.conditions
    return None


def _former_kernel(conn: Connection, run: Run, accepted: Sequence[CheckRow]) -> str | None:
    """Return the release of another kernel that one of the last checks of a band had."""
    last = runs.by_id(conn, [c.run for c in accepted[-band.RECENT :]])
    others = [r for r in last.values() if r.image != run.image]
    return others[-1].release if others else None


def _repeats(conn: Connection, run: Run) -> CheckRow:
    """Compare a check with the run of record of its key: every digit must be the same."""
    record_id = boards.of_key(conn, run_key=run.run_key, board=run.board, before=run.finished_at)
    if record_id is None:
        if run.outcome != Outcome.COMPLETE.value:
            reason = f"the baseline kernel ended with {run.outcome}: {run.reason}"
            return _row(run, FAILED, run.run_key, reason)
        reason = "the first run of its key, with which later ones must agree to the last digit"
        return _row(run, FIRST, run.run_key, reason)
    record = runs.by_id(conn, [record_id])[record_id]
    figures = {
        (f.run, f.series.metric): f.figures for f in runs.figures_of(conn, [run.id, record.id])
    }
    mine, its = ({m: f for (r, m), f in figures.items() if r == i} for i in (run.id, record.id))
    if run.outcome != record.outcome:
        reason = f"ended with {run.outcome}, run of record {record.id} with {record.outcome}"
    elif odd := sorted(m for m in mine.keys() | its.keys() if mine.get(m) != its.get(m)):
        reason = f"other digits than run of record {record.id} in {', '.join(odd)}"
    else:
        reason = f"equal to run of record {record.id} to the last digit"
        return _row(run, EQUAL, run.run_key, reason)
    where = "" if record.board == run.board else f" on {record.board}"
    return _row(
        run, DIFFERS, run.run_key, f"{reason}{where}: the emulator or its host is not as it was"
    )


def _follow(conn: Connection, row: CheckRow) -> None:
    """Apply the consequences of a failed check, unless the board was declared good since."""
    state = boards.states(conn).get(row.board)
    overtaken = state is not None and state.state == GOOD and state.since >= row.finished_at
    if row.accepted or overtaken or row.id is None:
        return
    since = boards.vouched_until(conn, row.board, row.finished_at)
    boards.open_doubt(conn, board=row.board, since=since, check=row.id)
    if state is None or state.state != MAINTENANCE:
        boards.put_state(
            conn,
            State(
                board=row.board,
                state=MAINTENANCE,
                since=row.finished_at,
                reason=row.sentence,
                by=f"check {row.id}",
            ),
        )


def maintenance(
    conn: Connection,
    catalogue: Catalogue,
    name: str,
    *,
    reason: str,
    by: str,
    now: datetime.datetime,
    in_lab: Callable[[], object] = lambda: None,
) -> None:
    """Take a board out of service for a person; its runs still count.

    `in_lab` does so in the board's lab: what it raises leaves the board as it was.  Raises
    UsageError for a board that is not in the inventory or already in maintenance.
    """
    board = catalogue.board(name)
    with conn.transaction():
        _add(conn, catalogue, board)
        state = boards.states(conn).get(name)
        if state is not None and state.state == MAINTENANCE:
            raise UsageError(
                f"{name} is in maintenance since {minute(state.since)} ({state.by}: {state.reason})"
            )
        in_lab()
        boards.put_state(
            conn, State(board=name, state=MAINTENANCE, since=now, reason=reason, by=by)
        )


def good(
    conn: Connection,
    catalogue: Catalogue,
    name: str,
    *,
    reason: str,
    by: str,
    now: datetime.datetime,
    in_lab: Callable[[], object] = lambda: None,
    new_band: bool = False,
    trust_runs: bool = False,
) -> None:
    """Put a board back into service, and let its runs count from now on.

    After a failed check this needs a later good one, or `new_band`: the board was repaired or
    changed, and its later checks make a new band.  `trust_runs`: the failed check was wrong,
    so no run is in doubt.  `in_lab` is as in `maintenance`.  Raises UsageError for a board that is
    not in the inventory, and for one that needs a good check first.
    """
    board = catalogue.board(name)
    with conn.transaction():
        _add(conn, catalogue, board)
        state = boards.states(conn).get(name)
        if not new_band and state is not None and state.state == MAINTENANCE:
            newest = boards.newest_check(conn, name)
            if newest is not None and not newest.accepted:
                raise UsageError(
                    f"{name} failed its last check (run {newest.run}: {newest.sentence}): check it"
                    " again until it is in its band, or give --new-band if it was repaired and may"
                    " have another level"
                )
        in_lab()
        boards.close_doubt(conn, board=name, until=now, lifted_by=by if trust_runs else None)
        boards.put_state(
            conn,
            State(board=name, state=GOOD, since=now, reason=reason, by=by, new_band=new_band),
        )


def out_of_service(dsn: str) -> frozenset[str]:
    """Return the names of the boards that are in maintenance."""
    with connect(dsn) as conn:
        return frozenset(n for n, s in boards.states(conn).items() if s.state == MAINTENANCE)


def _add(conn: Connection, catalogue: Catalogue, board: Board) -> None:
    """Record a board, which may not have run yet, and lock it against other writers."""
    runs.add_board(conn, name=board.name, board_type=catalogue.board_type(board.board_type))
    boards.lock(conn, board.name)


def status(conn: Connection, catalogue: Catalogue, now: datetime.datetime) -> list[Standing]:
    """Return the state of each board of the inventory, in its order."""
    states, doubted = boards.states(conn), boards.doubted(conn)
    outages = boards.outages(conn, now - boards.LATELY)
    boots = boards.boots(conn, now - boards.LATELY)
    standings = []
    for board in catalogue.boards:
        state = states.get(board.name)
        newest = boards.newest_check(conn, board.name)
        standings.append(
            Standing(
                board=board.name,
                board_type=board.board_type,
                state=GOOD if state is None else state.state,
                since=None if state is None else state.since,
                reason="" if state is None else state.reason,
                by="" if state is None else state.by,
                check=newest,
                doubted=doubted.get(board.name, 0),
                outages=outages.get(board.name, 0),
                boots=boots.get(board.name, (0, 0))[0],
                failed=boots.get(board.name, (0, 0))[1],
                checks_to_see=None if newest is None else _seen_after(newest.band),
            )
        )
    return standings


def _seen_after(stored: Mapping[str, Any] | None) -> int | None:
    if stored is None:
        return None
    edges = {key: tuple(map(tuple, stored[key])) for key in ("levels", "noises")}
    return band.Band(**{**stored, **edges}).checks_to_see(SHIFT)


def in_service(conn: Connection, catalogue: Catalogue) -> list[Board]:
    """Return the boards of the inventory that are not in maintenance."""
    states = boards.states(conn)
    return [
        b for b in catalogue.boards if b.name not in states or states[b.name].state != MAINTENANCE
    ]
