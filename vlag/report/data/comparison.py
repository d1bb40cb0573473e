"""Comparisons on record as plain data, each number with its way back to the raw file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, evolve

from vlag.compare import discoveries
from vlag.compare.predictions import proof, recorded
from vlag.compare.rows import overrides, row
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import kconfig
from vlag.model import Verdict, canonical_json
from vlag.report import read_model
from vlag.report.data import context, counters, explanations, machine, origins
from vlag.report.data.kernel_alarms import alarms
from vlag.stats import severity
from vlag.stats.multiple_testing import DISCOVERY_RATE
from vlag.store import builds, comparisons, kernels, runs, shifts, statements, suspicions
from vlag.store.comparisons import Comparison, VerdictRow
from vlag.store.database import Connection
from vlag.store.runs import Run
from vlag.store.suspicions import Suspicion

# Of a rerun, which the view does not have.
_NO_SCREEN: dict[str, Any] = {"decided_by": None, "screen": None}
# Figures that a side has not measured, see `severity.lacking`.
_LACKING = ("figures", "unmeasured", "without_base", "without_new")


def report(
    conn: Connection,
    catalogue: Catalogue,
    comparison_id: int | None,
    state: Path,
    head_notes: Sequence[str] = (),
    told: Mapping[int, bool] | None = None,
) -> dict[str, Any]:
    """Return one comparison as data that JSON can hold; None means the latest.

    A row that a rerun decided has its numbers, and those of the first boots as its
    `screen`.  `told` says of verdicts, by id, whether they stand among all tests of a night.

    Paths are relative to the folder `state` where they lie below it; `head_notes` are
    lines for the head of the report.  Raises UsageError where there is no such comparison.
    """
    comparison = comparisons.by_id(conn, comparison_id)
    if comparison is None or comparison.id is None:
        which = "comparison" if comparison_id is None else f"comparison {comparison_id}"
        raise UsageError(f"there is no {which} on record; make one with `vlag compare`")
    screened = comparisons.verdicts(conn, comparison.id)
    shown = {v["id"]: v for v in read_model.verdicts(conn, [comparison.id])}
    verdicts = _decided(conn, screened, shown)
    counted = [*screened, *verdicts]
    sides = {"base": comparison.base_kernel, "new": comparison.new_kernel}
    made = {side: builds.of_kernels(conn, [kernel]) for side, kernel in sides.items()}
    used = {r for v in counted for r in (*v.base_runs, *v.new_runs)}
    by_id = runs.by_id(conn, sorted(used | set(comparison.failed_runs)))
    figures = {(f.run, f.series.metric): f for f in runs.figures_of(conn, sorted(used))}
    knobs = {"base": comparison.base_knobs, "new": comparison.new_knobs}
    # A run may be of both sides: two kernels with one image.
    of_side = {
        side: {r for v in counted for r in (v.base_runs if side == "base" else v.new_runs)}
        | {
            r
            for r in comparison.failed_runs
            if dict(by_id[r].knobs) == dict(knobs[side])
            and _is_of(by_id[r], sides[side], made[side])
        }
        for side in sides
    }
    board = catalogue.board_types.get(comparison.board_type)
    configs = {
        (side, b.image): origins.below(state, b.location, b.document["config"]["path"])
        for side in sides
        for b in made[side]
        if b.image is not None
    }
    built = {side: context.options(made[side]) for side in sides}
    compared = {side: kernels.by_id(conn, kernel) for side, kernel in sides.items()}
    predicted = recorded(conn, catalogue.benchmarks, comparison, screened)
    ordered = _worst_first(verdicts, shown)
    known = {s.subject: s for s in suspicions.of(conn, comparison)}
    rows = [
        _row(v, catalogue)
        | (read_model.screen(shown[v.id]) if v.id in shown else _NO_SCREEN)
        | {
            "standing": shown[v.id]["standing"] if v.id in shown else _standing(v)["standing"],
            "suspicion": _suspicion(known.get(suspicions.subject(v))),
            "told": (told or {}).get(v.id or 0),
        }
        for v in ordered
    ]
    return {
        "schema": 1,
        "kind": "comparison",
        "head_notes": list(head_notes),
        "id": comparison.id,
        "said": statements.shown(conn),  # with it a link shows later what the report says
        "judge": comparison.judge,
        "created_at": comparison.created_at.isoformat() if comparison.created_at else None,
        "board_type": comparison.board_type,
        "limits": board.limits if board else None,
        "synthetic": any(by_id[r].synthetic for r in used),
        **{
            side: _kernel(
                compared[side],
                made[side],
                knobs[side],
                [by_id[r] for r in of_side[side] & used],
                built[side],
            )
            for side in sides
        },
        **context.beside(conn, catalogue, comparison, compared, made, built, ordered),
        "factors": dict(comparison.factors),
        "emulators": sorted({_emulator(by_id[r]) for r in used} - {""}),
        "machine": machine.machine(by_id[r] for r in sorted(used)),
        "commands": machine.commands(by_id[r] for r in sorted(used)),
        "tools": sorted({f"{f.series.tool} {f.series.tool_version}" for f in figures.values()}),
        "plan": comparison.plan,
        "stage": comparison.stage,
        "round": comparison.round,
        "role": comparison.role,
        "scope": [dict(entry) for entry in comparison.scope],
        "plans": sorted({by_id[r].plan or "by hand" for r in used}),
        "summary": {
            w.value: sum(v.verdict == w.value for v in verdicts) for w in severity.VERDICTS
        },
        **_severity(conn, comparison, verdicts),
        "decided_by": sorted({r["decided_by"] for r in rows if r["decided_by"]}),
        "hints": sum(v.hint and v.verdict == Verdict.REGRESSION.value for v in verdicts),
        "prediction": predicted,
        "proof": proof([predicted] if predicted else [], ()),
        "rows": rows,
        "differences": explanations.differing(conn, catalogue, ordered, by_id),
        "counters": counters.changed(
            conn, catalogue, list(sides.values()), comparison.board_type, shown.values()
        ),
        "profile": read_model.profiles(conn, [comparison.id]),
        "sampled": read_model.sampled(conn, [comparison.id]),
        "bisections": read_model.bisections(conn, [comparison.id]),
        "lanes": read_model.lanes_told(conn, [comparison.id]),
        "distributions": _distributions(conn, comparison.id, rows),
        "failures": _failures(comparison, made, by_id, of_side, state),
        "health": alarms(
            {side: [by_id[r] for r in sorted(ids)] for side, ids in of_side.items()},
            lambda run, line: origins.said_in(run, line, state),
        ),
        "notes": [
            *comparison.notes,
            *explanations.too_short(catalogue, comparison.board_type, ordered),
        ],
        "origins": origins.origins(ordered, screened, by_id, figures, configs, state),
    }


def night(
    conn: Connection,
    catalogue: Catalogue,
    comparison_ids: Sequence[int],
    state: Path,
    head_notes: Sequence[str] = (),
    missing: Sequence[str] = (),
) -> dict[str, Any]:
    """Return several comparisons as one report, in the order given; notes as in `report`.

    Over all of their tests together the share of false discoveries is held.  `missing` are
    sentences on what did not run.
    """
    then = statements.shown(conn) < statements.last(conn)  # of then, nothing new is said
    judged = discoveries.judge(conn, comparison_ids, record=not then)
    # Several comparisons are of one commit: its lanes are told once.
    compared = [
        report(conn, catalogue, i, state, told=judged.reported) | {"lanes": []}
        for i in comparison_ids
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


def show_at(conn: Connection, said: int, ids: Sequence[int]) -> tuple[tuple[int, ...], str]:
    """Let this connection's views show comparisons as they were up to a number of what was said.

    Returns the comparisons, or the latest of then without any, and a line for the head of the
    report.  Raises UsageError for a number that nothing has, or from before a comparison.
    """
    statements.show_at(conn, said, since=0, what="the record")
    known = comparisons.said(conn, ids)
    for id_ in sorted(known):  # of one that is not there the report says so
        statements.show_at(conn, said, since=known[id_], what=f"comparison {id_}")
    newest = comparisons.newest(conn, said)
    head = f"This is what was said up to number {said}; without --said it is what is said now."
    return tuple(ids) or (() if newest is None else (newest,)), head


def asked_night(
    conn: Connection, asked: str, head_notes: Sequence[str] = ()
) -> tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...]]:
    """Return comparisons, head notes and what did not run of a night: "last", or its number.

    Raises UsageError where there is no such night.
    """
    if asked != "last" and not asked.isdecimal():
        raise UsageError(f"--night is last or the number of a night, not {asked!r}")
    found = read_model.night(conn, None if asked == "last" else int(asked))
    if found is None:
        which = "night" if asked == "last" else f"night {asked}"
        raise UsageError(f"there is no {which} on record; one is when the service has ended it")
    url = [found["url"]] if found["url"] else []
    notes = (*head_notes, *found["notes"], *url)
    return tuple(found["comparisons"]), notes, tuple(found["missing"])


def _suspicion(s: Suspicion | None) -> dict[str, Any] | None:
    if s is None:
        return None
    return {"stand": s.stand, "boots": s.boots, "p": s.p, "worse": s.worse}


def _is_of(run: Run, kernel: int, made: Sequence[builds.Build]) -> bool:
    """Return whether a run is one of a kernel: booted for it, or of its very image."""
    by_image = run.document["board"]["deterministic"]
    return run.kernel == kernel or (by_image and run.image in [b.image for b in made])


def _decided(
    conn: Connection, screened: Sequence[VerdictRow], shown: Mapping[int | None, Mapping[str, Any]]
) -> list[VerdictRow]:
    """Return the verdicts of a screen, with those of a rerun where it decided."""
    by = {v["decided_by"] for v in shown.values()} - {None}
    fresh = {(id_, suspicions.subject(v)): v for id_ in by for v in comparisons.verdicts(conn, id_)}
    found = []
    for v in screened:
        row = fresh.get((shown[v.id]["decided_by"] if v.id in shown else 0, suspicions.subject(v)))
        if row is not None:
            row = evolve(row, id=v.id, hint=v.hint, confirmable=v.confirmable)
        found.append(row or v)
    return found


def _worst_first(
    verdicts: Sequence[VerdictRow], shown: Mapping[int | None, Mapping[str, Any]]
) -> list[VerdictRow]:
    """Return verdicts in the order of the page, the rows of which are `shown`."""
    if shown:
        place = {id_: n for n, id_ in enumerate(shown)}
        return sorted(verdicts, key=lambda v: place[v.id])
    # The view has no comparison of a rerun: it counts in that of the first boots.
    return sorted(verdicts, key=lambda v: severity.order(_standing(v)))


def _severity(
    conn: Connection, comparison: Comparison, verdicts: Iterable[VerdictRow]
) -> dict[str, Any]:
    """Return the word of a comparison, what sorts the worst first, and what sides lack."""
    assert comparison.id is not None  # noqa: S101 - it is on record
    for found in read_model.by_ids(conn, [comparison.id]):
        return {"word": found["verdict"], **{k: found[k] for k in ("severity", "size", *_LACKING)}}
    failed = bool(comparison.failed_builds or comparison.failed_runs)
    rows = [_standing(v) for v in verdicts]
    word, rank, size = severity.over(rows, failed=failed)
    return {"word": word, "severity": rank, "size": size, **severity.lacking(rows)}


def _standing(v: VerdictRow) -> dict[str, Any]:
    return {**asdict(v, recurse=False), "standing": "hint" if v.hint else ""}


def _emulator(run: Run) -> str:
    return f"{run.emulator['program']} {run.emulator['version']}" if run.emulator else ""


def _kernel(
    k: kernels.Kernel,
    made: Sequence[builds.Build],
    knobs: Mapping[str, str],
    used: Sequence[Run],
    options: Mapping[str, str] | None,
) -> dict[str, Any]:
    return {
        "digest": k.digest,
        "tree": k.tree,
        "branch": k.branch,
        "ref": k.ref,
        "commit": k.commit,
        "describe": k.describe,
        "subject": k.subject,
        "series": k.series,
        "application": k.application,
        "patches": [dict(p) for p in k.patches],
        "variant": k.variant,
        "release": machine.release(made),
        "knobs": dict(knobs),
        "toolchain": machine.toolchain(made),
        "hz": kconfig.hz(options or {}),
        "preemption": machine.preemption(used),
        "boots": len(used),
    }


def _row(v: VerdictRow, catalogue: Catalogue) -> dict[str, Any]:
    benchmark = catalogue.benchmarks.get(v.benchmark)
    return {
        **row(asdict(v, recurse=False), v.parameters),
        "overrides": overrides(v.parameters, benchmark.parameters if benchmark else {}),
        "p_zero": v.p_zero,
        "boots_needed": v.boots_needed,
        "confirmable": v.confirmable,
    }


def _distributions(
    conn: Connection, comparison: int, rows: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return shifts as the view `distribution` has them.

    If a rerun decided a figure of a distribution, its shift is that of the rerun, and `screen` is
    the headline of the first boots.
    """

    def key(of: Mapping[str, Any]) -> tuple[str, bytes, str]:
        return of["benchmark"], canonical_json(dict(of["parameters"])), of["metric"]

    by: dict[tuple[str, bytes, str], int] = {}
    for r in rows:
        by[key(r)] = max(by.get(key(r), 0), r["decided_by"] or 0)
    fresh = {
        (c, key(s)): s for c in set(by.values()) - {0} for s in map(asdict, shifts.of(conn, c))
    }
    found = []
    for own in map(asdict, shifts.of(conn, comparison)):
        decided = fresh.get((by.get(key(own), 0), key(own)))
        if decided is None:
            found.append({**own, "screen": None})
        else:
            found.append({**decided, "screen": own["headline"]})
    return found


def _failures(
    comparison: Comparison,
    made: Mapping[str, Sequence[builds.Build]],
    by_id: Mapping[int, Run],
    of_side: Mapping[str, set[int]],
    state: Path,
) -> list[dict[str, Any]]:
    found = [
        {
            "side": side,
            "kind": "build",
            "id": b.id,
            "outcome": b.outcome,
            "reason": b.reason,
            "log": origins.log_of(b.document, b.location, state),
            "reproduce": b.document["reproduce"],
        }
        for side in ("base", "new")
        for b in made[side]
        if b.id in comparison.failed_builds
    ]
    for r in comparison.failed_runs:
        run = by_id[r]
        of = [side for side in ("base", "new") if r in of_side[side]]
        found.append(
            {
                "side": of[0] if len(of) == 1 else "both",
                "kind": "run",
                "id": run.id,
                "benchmark": run.benchmark,
                "seed": run.seed,
                "outcome": run.outcome,
                "reason": run.reason,
                "log": origins.log_of(run.document, run.location, state),
                "reproduce": run.document["reproduce"],
            }
        )
    return sorted(found, key=lambda f: ("base", "new", "both").index(f["side"]))
