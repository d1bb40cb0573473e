# SPDX-License-Identifier: GPL-2.0-only
"""Profiles: in which functions the kernels of a comparison differ."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict

from vlag.model import Verdict
from vlag.profile.path import Judged, sentence
from vlag.report.document import (
    CallerData,
    DecidedData,
    FunctionData,
    PathData,
    ProfileData,
    SampledData,
    SampledFigure,
)
from vlag.report.read_model.rows import one, picked, rows
from vlag.store.database import Connection

#: Functions of a profile that are shown; the others are summed up.
FUNCTIONS = 10


class SampledFigures(TypedDict):
    """What was sampled, of the parts that are read."""

    kernel: SampledFigure
    user: SampledFigure
    functions: list[SampledFigure]
    merged: int


class ProfileRow(TypedDict):
    """`profile`: what two kernels execute for an operation of a benchmark."""

    comparison: int
    id: int
    board_type: str
    base_kernel: int
    new_kernel: int
    base: str
    new: str
    branch_name: str | None
    benchmark: str
    parameters: str
    operation: str
    base_instructions: float
    new_instructions: float
    change: float
    effect: float | None
    base_sched: float
    new_sched: float
    base_user: float
    new_user: float
    base_operations: float
    new_operations: float
    n_base: int
    n_new: int
    base_runs: list[int]
    new_runs: list[int]
    others: int
    others_change: float
    sentence: str
    frames: list[tuple[int, str, float, float]]
    at: datetime


class ProfileFunctionRow(TypedDict):
    """`profile_function`: a function of a profile."""

    profile: int
    number: int
    name: str
    source: str | None
    base_calls: float | None
    base_instructions: float | None
    new_calls: float | None
    new_instructions: float | None
    change: float
    certain: bool
    callers: list[CallerData]


class ProfileDecisionRow(TypedDict):
    """`profile_decision`: how often the scheduler decided something."""

    profile: int
    number: int
    what: str
    base_value: float | None
    new_value: float | None
    certain: bool


class ProfilePathRow(TypedDict):
    """`profile_path`: a figure of the path of a profile."""

    profile: int
    number: int
    metric: str
    unit: str
    relevance: float
    base_values: list[float] | None
    new_values: list[float] | None
    base_level: float | None
    new_level: float | None
    verdict: str
    effect: float | None
    ci_low: float | None
    ci_high: float | None
    p: float | None
    reason: str


class SampledProfileRow(TypedDict):
    """`sampled_profile`: what a PMU has sampled of two kernels."""

    comparison: int
    id: int
    board_type: str
    base_kernel: int
    new_kernel: int
    base: str
    new: str
    branch_name: str | None
    benchmark: str
    parameters: str
    operation: str
    event: str
    base_value: float | None
    new_value: float | None
    change: float | None
    effect: float | None
    base_runs: list[int]
    new_runs: list[int]
    figures: SampledFigures
    sentence: str
    at: datetime


class DecidedDifferentlyRow(TypedDict):
    """`decided_differently`: the first decision that two kernels took differently."""

    comparison: int
    id: int
    board_type: str
    base_kernel: int
    new_kernel: int
    base: str
    new: str
    branch_name: str | None
    benchmark: str
    parameters: str
    base_runs: list[int]
    new_runs: list[int]
    told: dict[str, Any]
    sentence: str
    has_timeline: bool
    at: datetime


class DecisionTimelineRow(TypedDict):
    """`decision_timeline`: a file of Perfetto with two kernels around the first difference."""

    id: int
    benchmark: str
    timeline: bytes


def profiles(conn: Connection, comparisons: Sequence[int]) -> list[ProfileData]:
    """Return the profiles of comparisons, the largest relative change of instructions first.

    Each is data that JSON can hold, with its first `functions`, the `others` as count and
    change, the `decisions`, the `path` and the `frames` of the tree of calls.  Pairs of figures
    are those of base and new.
    """
    ids = {"ids": list(comparisons)}
    listed = rows(
        conn,
        ProfileRow,
        "SELECT p.* FROM read_model.profile p WHERE p.comparison = ANY(%(ids)s)"
        " ORDER BY abs(p.effect) DESC NULLS LAST, p.benchmark, p.id, p.comparison",
        ids,
    )
    known = {"ids": sorted({p["id"] for p in listed})}
    functions = rows(
        conn,
        ProfileFunctionRow,
        "SELECT f.* FROM read_model.profile_function f WHERE f.profile = ANY(%(ids)s)"
        " AND f.change <> 0 ORDER BY f.profile, f.number",
        known,
    )
    decisions = rows(
        conn,
        ProfileDecisionRow,
        "SELECT d.* FROM read_model.profile_decision d WHERE d.profile = ANY(%(ids)s)"
        " ORDER BY d.profile, d.number",
        known,
    )
    paths = rows(
        conn,
        ProfilePathRow,
        "SELECT l.* FROM read_model.profile_path l WHERE l.profile = ANY(%(ids)s)"
        " ORDER BY l.profile, l.number",
        known,
    )
    return [
        _whole(
            p,
            [f for f in functions if f["profile"] == p["id"]],
            [d for d in decisions if d["profile"] == p["id"]],
            [one for one in paths if one["profile"] == p["id"]],
        )
        for p in listed
    ]


def sampled(conn: Connection, comparisons: Sequence[int]) -> list[SampledData]:
    """Return the sampled profiles of comparisons, the largest relative change first.

    Each is data that JSON can hold, with the first of its `functions` by change and the number of
    `left` ones.  Figures are events for an operation.
    """
    listed = rows(
        conn,
        SampledProfileRow,
        "SELECT p.* FROM read_model.sampled_profile p WHERE p.comparison = ANY(%(ids)s)"
        " ORDER BY abs(p.effect) DESC NULLS LAST, p.benchmark, p.id, p.comparison",
        {"ids": list(comparisons)},
    )
    return [
        {
            "benchmark": p["benchmark"],
            "parameters": p["parameters"],
            "operation": p["operation"],
            "event": p["event"],
            "runs": {"base": p["base_runs"], "new": p["new_runs"]},
            "kernel": p["figures"]["kernel"],
            "user": p["figures"]["user"],
            "functions": p["figures"]["functions"][:FUNCTIONS],
            "left": len(p["figures"]["functions"][FUNCTIONS:]) + p["figures"]["merged"],
            "sentence": p["sentence"],
        }
        for p in listed
    ]


def decided_differently(conn: Connection, comparisons: Sequence[int]) -> list[DecidedData]:
    """Return which decisions the kernels of comparisons took differently, by benchmark."""
    listed = rows(
        conn,
        DecidedDifferentlyRow,
        "SELECT d.* FROM read_model.decided_differently d WHERE d.comparison = ANY(%(ids)s)"
        " ORDER BY d.benchmark, d.id, d.comparison",
        {"ids": list(comparisons)},
    )
    return [
        {
            "benchmark": d["benchmark"],
            "parameters": d["parameters"],
            "runs": {"base": d["base_runs"], "new": d["new_runs"]},
            "told": d["told"],
            "sentence": d["sentence"],
            "timeline": d["id"] if d["has_timeline"] else None,
        }
        for d in listed
    ]


def decision_timeline(conn: Connection, id_: int) -> DecisionTimelineRow | None:
    """Return the file of Perfetto of that number, if there is one."""
    return one(
        conn,
        DecisionTimelineRow,
        "SELECT t.* FROM read_model.decision_timeline t WHERE t.id = %(id)s",
        {"id": id_},
    )


class _Told(TypedDict):
    benchmark: str
    sentence: str


def decision_of(conn: Connection, comparisons: Sequence[int]) -> str | None:
    """Return the first decision that the kernels of comparisons took differently, in sentences.

    Of several benchmarks, one with such a decision; None where none was compared.
    """
    found = one(
        conn,
        _Told,
        "SELECT d.benchmark, d.sentence FROM read_model.decided_differently d"
        " WHERE d.comparison = ANY(%(ids)s)"
        " ORDER BY d.told @? '$.seeds[*].first ? (@ != null)' DESC, d.id, d.comparison LIMIT 1",
        {"ids": list(comparisons)},
    )
    return None if found is None else f"{found['sentence'].rstrip('.')} ({found['benchmark']})."


def _whole(
    profile: ProfileRow,
    functions: Sequence[ProfileFunctionRow],
    decisions: Sequence[ProfileDecisionRow],
    paths: Sequence[ProfilePathRow],
) -> ProfileData:
    shown, rest = functions[:FUNCTIONS], functions[FUNCTIONS:]
    change = profile["others_change"] + sum(f["change"] for f in rest)
    return {
        "benchmark": profile["benchmark"],
        "parameters": profile["parameters"],
        "operation": profile["operation"],
        "boots": [profile["n_base"], profile["n_new"]],
        "runs": {"base": profile["base_runs"], "new": profile["new_runs"]},
        "instructions": {
            "kernel": [profile["base_instructions"], profile["new_instructions"]],
            "sched": [profile["base_sched"], profile["new_sched"]],
            "user": [profile["base_user"], profile["new_user"]],
        },
        "functions": [picked(FunctionData, f) for f in shown],
        "others": {"count": profile["others"] + len(rest), "change": change},
        "decisions": [
            {"what": d["what"], "base": d["base_value"], "new": d["new_value"],
             "certain": d["certain"]} for d in decisions
        ],
        "frames": [
            {"depth": depth, "name": name, "base": base, "new": new}
            for depth, name, base, new in profile["frames"]
        ],
        "sentence": profile["sentence"],
        "path": [
            picked(PathData, {**one, "base": one["base_values"], "new": one["new_values"]})
            for one in paths
        ],
        "path_sentence": _path_sentence(paths),
    }  # fmt: skip


def _path_sentence(paths: Sequence[ProfilePathRow]) -> str:
    """Return a sentence on the verdicts of the path: "" without any."""
    judged = [
        Judged(
            metric=one["metric"],
            unit=one["unit"],
            verdict=Verdict(one["verdict"]),
            effect=one["effect"],
        )
        for one in paths
    ]
    return sentence(judged)
