# SPDX-License-Identifier: GPL-2.0-only
"""The state of a branch as plain data: each board's newest kernel, what changed, who looks."""

from __future__ import annotations

from collections.abc import Sequence

from vlag.compare.verdict_keys import overrides
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Verdict
from vlag.report import read_model
from vlag.report.document import (
    AgainData,
    AlertData,
    BoardState,
    BranchData,
    ChangeData,
    ComparisonHead,
    SuspectedPair,
    TableRow,
)
from vlag.report.read_model.alert_rows import AlertRow
from vlag.report.read_model.branches import BranchState, JudgedComparison
from vlag.report.read_model.lane_states import plain
from vlag.report.read_model.rows import picked
from vlag.report.read_model.view_rows import ChangePointRow, SummaryRow, VerdictRow
from vlag.store.database import Connection

# What a report lists; of the rest it says how many there are.
_TOLD = {v.value for v in Verdict} - {Verdict.UNCHANGED.value}


def branch_of(conn: Connection, name: str) -> tuple[str, str]:
    """Return tree and branch of TREE/BRANCH; UsageError where no comparison is of it."""
    tree, slash, branch = name.partition("/")
    known = read_model.branches(conn)
    if not slash or name not in known:
        what = "there are none on record yet" if not known else f"there are: {', '.join(known)}"
        raise UsageError(f"no comparison is of the branch {name!r} (write TREE/BRANCH); {what}")
    return tree, branch


def state(
    conn: Connection, catalogue: Catalogue, name: str, head_notes: Sequence[str] = ()
) -> BranchData:
    """Return the state of a branch TREE/BRANCH as data that JSON can hold.

    Raises UsageError where no comparison is of it.
    """
    tree, branch = branch_of(conn, name)
    recorded = read_model.branch(conn, tree, branch)
    return {
        "schema": 1,
        "kind": "branch",
        "tree": tree,
        "branch": branch,
        "head_notes": list(head_notes),
        "synthetic": any(c["synthetic"] for c in recorded["comparisons"]),
        "states": [
            _state(conn, catalogue, c)
            for c in sorted(recorded["comparisons"], key=lambda c: (c["board_type"], -c["id"]))
        ],
        "changes": [_change(c) for c in recorded["changes"]],
        "alerts": [_alert(a) for a in recorded["alerts"]],
        "suspicions": _suspected(recorded),
        "lanes": [
            plain(lane)
            for commit in read_model.lanes_of_branch(conn, tree, branch, 1)
            for lane in commit["lanes"]
        ],
    }


def table_row(verdict: VerdictRow, catalogue: Catalogue) -> TableRow:
    """Return a row of the view `verdict` for a table, with the parameters that are not usual."""
    row = read_model.row(verdict)
    entry = catalogue.benchmarks.get(row["benchmark"])
    usual = {} if entry is None else {k: str(v) for k, v in entry.parameters.items()}
    return {
        **row,
        "overrides": overrides(row["parameters"], usual),
    }


def head(c: SummaryRow) -> ComparisonHead:
    """Return what a table says of a comparison above its rows."""
    return picked(ComparisonHead, {**c, "at": c["at"].isoformat()})


def again(conn: Connection, verdicts: Sequence[VerdictRow]) -> list[AgainData]:
    """Return a command that runs one boot of each benchmark of some verdicts again."""
    first: dict[str, int] = {}
    for v in verdicts:
        for r in (v["new_runs"] or v["base_runs"])[:1]:
            first.setdefault(v["benchmark"], r)
    commands: dict[str, str] = {}
    for benchmark, run in first.items():
        command = read_model.command(conn, run)
        if command:
            commands.setdefault(command, benchmark)
    return [{"benchmark": b, "command": c} for c, b in commands.items()]


def _suspected(branch: BranchState) -> list[SuspectedPair]:
    """Return what is suspected of the newest kernels, an entry for each pair and way."""
    newest = {(c["base_kernel"], c["new_kernel"]) for c in branch["comparisons"]}
    pairs: dict[tuple[object, ...], SuspectedPair] = {}
    for s in branch["suspicions"]:
        if (s["base_kernel"], s["new_kernel"]) in newest:
            pair = picked(SuspectedPair, {**s, "figures": []})
            kept = pairs.setdefault(tuple(pair.values())[:-1], pair)
            kept["figures"].append(f"{s['benchmark']} {s['metric']} {s['statistic']}")
    return list(pairs.values())


def _state(conn: Connection, catalogue: Catalogue, c: JudgedComparison) -> BoardState:
    verdicts = [v for v in c["verdicts"] if v["verdict"] in _TOLD]
    board = catalogue.board_types.get(c["board_type"])
    return {
        **head(c),
        "limits": board.limits if board else None,
        "tools": sorted({f"{v['tool']} {v['tool_version']}" for v in c["verdicts"] if v["tool"]}),
        "unchanged": len(c["verdicts"]) - len(verdicts),
        "rows": [table_row(v, catalogue) for v in verdicts],
        "again": again(conn, [v for v in verdicts if v["verdict"] != Verdict.INCONCLUSIVE.value]),
    }


def _change(c: ChangePointRow) -> ChangeData:
    return picked(
        ChangeData,
        {
            **c,
            "committed_at": c["committed_at"].isoformat(),
            "kernel": c["kernel_name"],
            "worse": c["worsening"] > 0,
        },
    )


def _alert(a: AlertRow) -> AlertData:
    until = a["muted_until"]
    times = {
        "opened_at": a["opened_at"].isoformat(),
        "muted_until": None if until is None else until.isoformat(),
    }
    return picked(AlertData, {**a, **times})
