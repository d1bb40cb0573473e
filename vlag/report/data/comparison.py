# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons on record as plain data, each number with its way back to the raw file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, cast

from attrs import asdict, evolve, frozen

from vlag.compare import false_discoveries
from vlag.compare import verdict_keys as compare_rows
from vlag.compare.predictions import proof, recorded
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import kconfig
from vlag.model import Verdict, canonical_json
from vlag.report import read_model
from vlag.report.data import (
    blocker_data,
    comparison_context,
    counter_data,
    explanations,
    machine,
    origins,
)
from vlag.report.data.kernel_health import alarms
from vlag.report.document import (
    SIDES,
    Compared,
    ComparisonData,
    CounterData,
    Decided,
    DistributionData,
    Explained,
    FailureData,
    FigureRow,
    KernelData,
    Measured,
    NightData,
    Severity,
    Side,
    Summary,
    SuspicionData,
)  # fmt: skip
from vlag.report.read_model.comparison_rows import MeasuredRow
from vlag.stats import severity
from vlag.stats.multiple_testing import DISCOVERY_RATE
from vlag.store import builds, comparisons, kernels, runs, shifts, statements, suspicions
from vlag.store.builds import Build
from vlag.store.comparisons import Comparison, VerdictRow
from vlag.store.database import Connection
from vlag.store.runs import Figures, Run
from vlag.store.suspicions import Suspicion
from vlag.verdict_data import ScopeEntry

# Of a rerun, which the view does not have.
_NO_SCREEN: Decided = {"decided_by": None, "screen": None}


@frozen(kw_only=True)
class _Side:
    """A kernel of a comparison, what was built of it, and its boots."""

    name: Side
    kernel: kernels.Kernel
    knobs: Mapping[str, str]
    builds: Sequence[Build]
    options: comparison_context.Options | None  # of its config
    runs: Set[int]  # ids; a run may be of both sides: two kernels with one image


@frozen(kw_only=True)
class _Record:
    """What the database has of a comparison."""

    id: int
    comparison: Comparison
    sides: Mapping[Side, _Side]
    shown: Mapping[int | None, MeasuredRow]  # rows of the view `verdict` by id, the worst first
    screened: Sequence[VerdictRow]  # of the first boots
    verdicts: Sequence[VerdictRow]  # of a rerun where it decided, the worst first
    used: Set[int]  # runs behind the verdicts
    runs: Mapping[int, Run]  # those and the failed ones, by id
    figures: Mapping[tuple[int, str], Figures]  # by run and metric

    def of(self, ids: Iterable[int]) -> list[Run]:
        """Return runs in the order of their ids."""
        return [self.runs[id_] for id_ in sorted(ids)]


def report(
    conn: Connection,
    catalogue: Catalogue,
    comparison_id: int | None,
    state: Path,
    head_notes: Sequence[str] = (),
    reported: Mapping[int, bool] | None = None,
) -> ComparisonData:
    """Return one comparison as data that JSON can hold; None means the latest.

    A row that a rerun decided has its numbers, and those of the first boots as its
    `screen`.  `reported` says of verdicts, by id, whether they stand among all tests of a night.

    Paths are relative to the folder `state` where they lie below it; `head_notes` are
    lines for the head of the report.  Raises UsageError where there is no such comparison.
    """
    record = _record(conn, comparison_id)
    comparison, sides = record.comparison, record.sides
    rows = _rows(conn, catalogue, record, reported or {})
    board = catalogue.board_types.get(comparison.board_type)
    predicted = recorded(conn, catalogue.benchmarks, comparison, record.screened)
    used = record.of(record.used)
    counted = counter_data.changed(
        conn, catalogue, [side.kernel.id for side in sides.values()], comparison.board_type,
        record.shown.values(),
    )  # fmt: skip
    return {
        "schema": 1,
        "kind": "comparison",
        "head_notes": list(head_notes),
        "id": record.id,
        "said": statements.shown(conn),  # with it a link shows later what the report says
        "judge": comparison.judge,
        "created_at": comparison.created_at.isoformat() if comparison.created_at else None,
        "board_type": comparison.board_type,
        "limits": board.limits if board else None,
        "base": _kernel(record, sides["base"]),
        "new": _kernel(record, sides["new"]),
        "factors": dict(comparison.factors),
        **_measured(record, used),
        **_compared(comparison, used),
        **_summary(record, rows),
        **_severity(conn, record),
        "prediction": predicted,
        "proof": proof([predicted] if predicted else [], ()),
        "rows": rows,
        **_explained(conn, catalogue, record, counted.rows),
        "distributions": _distributions(conn, record.id, rows),
        "failures": _failures(record, state),
        "health": alarms(
            {name: record.of(side.runs) for name, side in sides.items()},
            lambda run, line: origins.said_in(run, line, state),
        ),
        "notes": [
            *comparison.notes,
            *explanations.too_short(catalogue, comparison.board_type, record.verdicts),
            *counted.unread,
            *blocker_data.unread(conn, [comparisons.screen_of(conn, record.id) or record.id]),
        ],
        "origins": origins.origins(
            record.verdicts, record.screened, record.runs, record.figures,
            _configs(record, state), state,
        ),
    }  # fmt: skip


def _record(conn: Connection, comparison_id: int | None) -> _Record:
    """Read a comparison; raises as `report`."""
    comparison = comparisons.by_id(conn, comparison_id)
    if comparison is None or comparison.id is None:
        which = "comparison" if comparison_id is None else f"comparison {comparison_id}"
        raise UsageError(f"there is no {which} on record; make one with `vlag compare`")
    screened = comparisons.verdicts(conn, comparison.id)
    rows = read_model.verdicts(conn, [comparison.id])
    shown: dict[int | None, MeasuredRow] = {v["id"]: v for v in rows}
    verdicts = _decided(conn, screened, shown)
    counted = [*screened, *verdicts]
    used = {r for v in counted for r in (*v.base_runs, *v.new_runs)}
    by_id = runs.by_id(conn, sorted(used | set(comparison.failed_runs)))
    return _Record(
        id=comparison.id,
        comparison=comparison,
        sides={name: _side(conn, comparison, name, counted, by_id) for name in SIDES},
        shown=shown,
        screened=screened,
        verdicts=_worst_first(verdicts, shown),
        used=used,
        runs=by_id,
        figures={(f.run, f.series.metric): f for f in runs.figures_of(conn, sorted(used))},
    )


def _side(
    conn: Connection,
    comparison: Comparison,
    name: Side,
    verdicts: Iterable[VerdictRow],
    by_id: Mapping[int, Run],
) -> _Side:
    is_base = name == "base"
    kernel = comparison.base_kernel if is_base else comparison.new_kernel
    knobs = comparison.base_knobs if is_base else comparison.new_knobs
    made = builds.of_kernels(conn, [kernel])
    failed = {
        r
        for r in comparison.failed_runs
        if dict(by_id[r].knobs) == dict(knobs) and _is_of(by_id[r], kernel, made)
    }
    return _Side(
        name=name,
        kernel=kernels.by_id(conn, kernel),
        knobs=knobs,
        builds=made,
        options=comparison_context.options(made),
        runs=failed | {r for v in verdicts for r in (v.base_runs if is_base else v.new_runs)},
    )


def _rows(
    conn: Connection, catalogue: Catalogue, record: _Record, reported: Mapping[int, bool]
) -> list[FigureRow]:
    known = {s.subject: s for s in suspicions.of(conn, record.comparison)}
    rows: list[FigureRow] = []
    for v in record.verdicts:
        shown = record.shown.get(v.id)
        benchmark = catalogue.benchmarks.get(v.benchmark)
        row: FigureRow = {
            **compare_rows.row(v.columns(), v.parameters),
            "overrides": compare_rows.overrides(
                v.parameters, benchmark.parameters if benchmark else {}
            ),
            "p_zero": v.p_zero,
            "boots_needed": v.boots_needed,
            "confirmable": v.confirmable,
            **(_NO_SCREEN if shown is None else read_model.screen(shown)),
            "standing": (_standing(v) if shown is None else shown)["standing"],
            "suspicion": _suspicion(
                known.get(suspicions.subject(v)), None if shown is None else shown["confirmed_by"]
            ),
            "told": reported.get(v.id or 0),
        }
        rows.append(row)
    return rows


def _measured(record: _Record, used: Sequence[Run]) -> Measured:
    """Return what measured the runs of a comparison."""
    series = (f.series for f in record.figures.values())
    return {
        "synthetic": any(run.synthetic for run in used),
        "emulators": sorted({_emulator(run) for run in used} - {""}),
        "machine": machine.machine(used),
        "commands": machine.commands(used),
        "tools": sorted({f"{s.tool} {s.tool_version}" for s in series}),
    }


def _compared(comparison: Comparison, used: Iterable[Run]) -> Compared:
    """Return which boots a comparison is of."""
    return {
        "plan": comparison.plan,
        "stage": comparison.stage,
        "round": comparison.round,
        "role": comparison.role,
        "scope": [_entry(entry) for entry in comparison.scope],
        "plans": sorted({run.plan or "by hand" for run in used}),
    }


def _summary(record: _Record, rows: Sequence[FigureRow]) -> Summary:
    """Return numbers of verdicts, and the reruns that decided."""
    verdicts = record.verdicts
    return {
        "summary": {
            w.value: sum(v.verdict == w.value for v in verdicts) for w in severity.VERDICTS
        },
        "decided_by": sorted({row["decided_by"] for row in rows if row["decided_by"]}),
        "hints": sum(v.hint and v.verdict == Verdict.REGRESSION.value for v in verdicts),
    }


def _explained(
    conn: Connection, catalogue: Catalogue, record: _Record, counters: Sequence[CounterData]
) -> Explained:
    """Return what stands beside the figures: differences, suspects, counters, profiles, lanes."""
    # What explains the kernels of a rerun hangs on their screen.
    sides, ids = record.sides, [comparisons.screen_of(conn, record.id) or record.id]
    return {
        **comparison_context.beside(
            conn, catalogue, record.comparison,
            {name: side.kernel for name, side in sides.items()},
            {name: side.builds for name, side in sides.items()},
            {name: side.options for name, side in sides.items()},
            record.verdicts,
        ),
        "differences": explanations.differing(conn, catalogue, record.verdicts, record.runs),
        "counters": counters,
        "profile": read_model.profiles(conn, ids),
        "sampled": read_model.sampled(conn, ids),
        "decided": read_model.decided_differently(conn, ids),
        "blocked": blocker_data.of(conn, ids),
        "bisections": read_model.bisections(conn, ids),
        "lanes": read_model.lanes_told(conn, ids),
    }  # fmt: skip


def _configs(record: _Record, state: Path) -> dict[tuple[str, tuple[str, str]], str]:
    """Return where the config of each image is, by side and image."""
    return {
        (name, b.image): origins.below(state, b.location, b.config)
        for name, side in record.sides.items()
        for b in side.builds
        if b.image is not None
    }


def night(
    conn: Connection,
    catalogue: Catalogue,
    comparison_ids: Sequence[int],
    state: Path,
    head_notes: Sequence[str] = (),
    missing: Sequence[str] = (),
) -> NightData:
    """Return several comparisons as one report, in the order given; notes as in `report`.

    Over all of their tests together the share of false discoveries is held.  `missing` are
    sentences on what did not run.
    """
    then = statements.shown(conn) < statements.last(conn)  # of then, nothing new is said
    judged = false_discoveries.judge(conn, comparison_ids, record=not then)
    # Several comparisons are of one commit: its lanes are told once.
    compared: list[ComparisonData] = [
        {**report(conn, catalogue, id_, state, reported=judged.reported), "lanes": []}
        for id_ in comparison_ids
    ]
    return {
        "schema": 1,
        "kind": "night",
        "proof": proof([c["prediction"] for c in compared if c["prediction"]], missing),
        "head_notes": [*head_notes, *(f"did not run: {sentence}" for sentence in missing)],
        "family": {
            "q": DISCOVERY_RATE,
            "tests": judged.tests,
            "told": sum(judged.reported.values()),
            "not_told": sum(not passed for passed in judged.reported.values()),
        },
        "lanes": read_model.lanes_told(conn, comparison_ids),
        "comparisons": compared,
    }


def show_at(conn: Connection, statement: int, ids: Sequence[int]) -> tuple[tuple[int, ...], str]:
    """Let this connection's views show comparisons as they were up to a number of what was said.

    Returns the comparisons, or the latest of then without any, and a line for the head of the
    report.  Raises UsageError for a number that nothing has, or from before a comparison.
    """
    statements.show_at(conn, statement, since=0, what="the record")
    known = comparisons.statement_numbers(conn, ids)
    for id_ in sorted(known):  # of one that is not there the report says so
        statements.show_at(conn, statement, since=known[id_], what=f"comparison {id_}")
    newest = comparisons.newest(conn, statement)
    head = f"This is what was said up to number {statement}; without --said it is what is said now."
    return tuple(ids) or (() if newest is None else (newest,)), head


def asked_night(
    conn: Connection, asked: str, head_notes: Sequence[str] = ()
) -> tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...]]:
    """Return comparisons, head notes and what did not run of a night: "last", or its number.

    Raises UsageError where there is no such night.
    """
    if asked != "last" and not asked.isdecimal():
        raise UsageError(f"--night is last or the number of a night, not {asked!r}")
    recorded = read_model.night(conn, None if asked == "last" else int(asked))
    if recorded is None:
        which = "night" if asked == "last" else f"night {asked}"
        raise UsageError(f"there is no {which} on record; one is when the service has ended it")
    url = [recorded["url"]] if recorded["url"] else []
    notes = (*head_notes, *recorded["notes"], *url)
    return tuple(recorded["comparisons"]), notes, tuple(recorded["missing"])


def _suspicion(s: Suspicion | None, confirmed_by: int | None) -> SuspicionData | None:
    if s is None:
        return None
    return {
        "stand": s.stand,
        "boots": s.boots,
        "p": s.p,
        "worse": s.worse,
        "confirmed_by": confirmed_by,
        "number": s.id,
    }


def _is_of(run: Run, kernel: int, made: Sequence[Build]) -> bool:
    """Return whether a run is one of a kernel: booted for it, or of its very image."""
    by_image = run.deterministic and run.image in [b.image for b in made]
    return run.kernel == kernel or by_image


def _decided(
    conn: Connection, screened: Sequence[VerdictRow], shown: Mapping[int | None, MeasuredRow]
) -> list[VerdictRow]:
    """Return the verdicts of a screen, with those of a rerun where it decided."""
    by = {v["decided_by"] for v in shown.values() if v["decided_by"] is not None}
    fresh = {(id_, suspicions.subject(v)): v for id_ in by for v in comparisons.verdicts(conn, id_)}
    verdicts = []
    for v in screened:
        decided_by = shown[v.id]["decided_by"] if v.id in shown else None
        row = fresh.get((decided_by or 0, suspicions.subject(v)))
        if row is not None:
            row = evolve(row, id=v.id, hint=v.hint, confirmable=v.confirmable)
        verdicts.append(row or v)
    return verdicts


def _worst_first(
    verdicts: Sequence[VerdictRow], shown: Mapping[int | None, MeasuredRow]
) -> list[VerdictRow]:
    """Return verdicts in the order of the page, the rows of which are `shown`."""
    if shown:
        place = {id_: n for n, id_ in enumerate(shown)}
        return sorted(verdicts, key=lambda v: place[v.id])
    # The view has no comparison of a rerun: it counts in that of the first boots.
    return sorted(verdicts, key=lambda v: severity.order(_standing(v)))


def _severity(conn: Connection, record: _Record) -> Severity:
    """Return the word of a comparison, what sorts the worst first, and what sides lack."""
    for summary in read_model.by_ids(conn, [record.id]):
        return {
            "word": summary["verdict"],
            "severity": summary["severity"],
            "size": summary["size"],
            "figures": summary["figures"],
            "unmeasured": summary["unmeasured"],
            "without_base": summary["without_base"],
            "without_new": summary["without_new"],
        }
    failed = bool(record.comparison.failed_builds or record.comparison.failed_runs)
    rows = [_standing(v) for v in record.verdicts]
    word, rank, size = severity.over(rows, failed=failed)
    return {"word": word, "severity": rank, "size": size, **severity.lacking(rows)}


def _standing(v: VerdictRow) -> Mapping[str, Any]:
    return {**asdict(v, recurse=False), "standing": "hint" if v.hint else ""}


def _emulator(run: Run) -> str:
    return f"{run.emulator['program']} {run.emulator['version']}" if run.emulator else ""


def _kernel(record: _Record, side: _Side) -> KernelData:
    kernel, used = side.kernel, record.of(side.runs & record.used)
    return {
        "digest": kernel.digest,
        "tree": kernel.tree,
        "branch": kernel.branch,
        "ref": kernel.ref,
        "commit": kernel.commit,
        "describe": kernel.describe,
        "subject": kernel.subject,
        "series": kernel.series,
        "application": kernel.application,
        "patches": [{"name": p["name"], "sha256": p["sha256"]} for p in kernel.patches],
        "variant": kernel.variant,
        "release": machine.release(side.builds),
        "knobs": dict(side.knobs),
        "toolchain": machine.toolchain(side.builds),
        "hz": kconfig.hz(side.options or {}),
        "preemption": machine.preemption(used),
        "boots": len(used),
    }


def _entry(entry: Mapping[str, Any]) -> ScopeEntry:
    """Return boots that counted, as the table has them."""
    return {
        "benchmark": entry["benchmark"],
        "parameters": entry["parameters"],
        "first": entry["first"],
        "last": entry["last"],
    }


def _distributions(
    conn: Connection, comparison: int, rows: Sequence[FigureRow]
) -> list[DistributionData]:
    """Return shifts as the view `distribution` has them.

    If a rerun decided a figure of a distribution, its shift is that of the rerun, and `screen` is
    the headline of the first boots.
    """

    def key(row: Mapping[str, Any]) -> tuple[str, bytes, str]:
        return row["benchmark"], canonical_json(dict(row["parameters"])), row["metric"]

    by: dict[tuple[str, bytes, str], int] = {}
    for r in rows:
        by[key(r)] = max(by.get(key(r), 0), r["decided_by"] or 0)
    fresh = {
        (c, key(s)): s for c in set(by.values()) - {0} for s in map(asdict, shifts.of(conn, c))
    }
    distributions: list[DistributionData] = []
    for own in map(asdict, shifts.of(conn, comparison)):
        decided = fresh.get((by.get(key(own), 0), key(own)))
        screen = None if decided is None else own["headline"]
        shown = {**(decided or own), "screen": screen}
        figures = [r for r in rows if key(r) == key(own)]
        shown["quantiles"] = compare_rows.of_figures(shown["quantiles"], figures)
        distributions.append(cast(DistributionData, shown))
    return distributions


def _failures(record: _Record, state: Path) -> list[FailureData]:
    failures: list[FailureData] = [
        {
            "side": name,
            "kind": "build",
            "id": b.id,
            "outcome": b.outcome,
            "reason": b.reason,
            "log": origins.log_of(b, state),
            "reproduce": b.reproduce,
        }
        for name, side in record.sides.items()
        for b in side.builds
        if b.id in record.comparison.failed_builds
    ]
    for id_ in record.comparison.failed_runs:
        run = record.runs[id_]
        names = [name for name, side in record.sides.items() if id_ in side.runs]
        failures.append(
            {
                "side": names[0] if len(names) == 1 else "both",
                "kind": "run",
                "id": run.id,
                "benchmark": run.benchmark,
                "seed": run.seed,
                "outcome": run.outcome,
                "reason": run.reason,
                "log": origins.log_of(run, state),
                "reproduce": run.reproduce,
            }
        )
    return sorted(failures, key=lambda f: ("base", "new", "both").index(f["side"]))
