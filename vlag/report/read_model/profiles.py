"""Profiles: in which functions the kernels of a comparison differ."""

from __future__ import annotations

from collections.abc import Sequence

from vlag.model import Verdict
from vlag.profile.path import Judged, sentence
from vlag.report.read_model.rows import Row, rows
from vlag.store.database import Connection

#: Functions of a profile that are shown; the others are summed up.
FUNCTIONS = 10


def profiles(conn: Connection, comparisons: Sequence[int]) -> list[Row]:
    """Return the profiles of comparisons, the largest relative change of instructions first.

    Each is data that JSON can hold, with its first `functions`, the `others` as count and
    change, the `decisions`, the `path` and the `frames` of the tree of calls.  Pairs of figures
    are those of base and new.
    """
    ids = {"ids": list(comparisons)}
    found = rows(
        conn,
        "SELECT p.* FROM read_model.profile p WHERE p.comparison = ANY(%(ids)s)"
        " ORDER BY abs(p.effect) DESC NULLS LAST, p.benchmark, p.id, p.comparison",
        ids,
    )
    known = {"ids": sorted({p["id"] for p in found})}
    functions = rows(
        conn,
        "SELECT f.* FROM read_model.profile_function f WHERE f.profile = ANY(%(ids)s)"
        " AND f.change <> 0 ORDER BY f.profile, f.number",
        known,
    )
    decisions = rows(
        conn,
        "SELECT d.* FROM read_model.profile_decision d WHERE d.profile = ANY(%(ids)s)"
        " ORDER BY d.profile, d.number",
        known,
    )
    paths = rows(
        conn,
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
        for p in found
    ]


def sampled(conn: Connection, comparisons: Sequence[int]) -> list[Row]:
    """Return the sampled profiles of comparisons, the largest relative change first.

    Each is data that JSON can hold, with the first of its `functions` by change and the number of
    `left` ones.  Figures are events for an operation.
    """
    found = rows(
        conn,
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
            "runs": {side: list(p[f"{side}_runs"]) for side in ("base", "new")},
            "kernel": p["figures"]["kernel"],
            "user": p["figures"]["user"],
            "functions": p["figures"]["functions"][:FUNCTIONS],
            "left": len(p["figures"]["functions"][FUNCTIONS:]) + p["figures"]["merged"],
            "sentence": p["sentence"],
        }
        for p in found
    ]


def _whole(
    profile: Row, functions: Sequence[Row], decisions: Sequence[Row], paths: Sequence[Row]
) -> Row:
    own = ("name", "source", "base_calls", "base_instructions", "new_calls",
           "new_instructions", "change", "certain", "callers")  # fmt: skip
    shown, rest = functions[:FUNCTIONS], functions[FUNCTIONS:]
    change = profile["others_change"] + sum(f["change"] for f in rest)
    return {
        "benchmark": profile["benchmark"],
        "parameters": profile["parameters"],
        "operation": profile["operation"],
        "boots": [profile["n_base"], profile["n_new"]],
        "runs": {side: list(profile[f"{side}_runs"]) for side in ("base", "new")},
        "instructions": {
            "kernel": [profile["base_instructions"], profile["new_instructions"]],
            "sched": [profile["base_sched"], profile["new_sched"]],
            "user": [profile["base_user"], profile["new_user"]],
        },
        "functions": [{key: f[key] for key in own} for f in shown],
        "others": {"count": profile["others"] + len(rest), "change": change},
        "decisions": [
            {"what": d["what"], "base": d["base_value"], "new": d["new_value"],
             "certain": d["certain"]} for d in decisions
        ],
        "frames": [
            dict(zip(("depth", "name", "base", "new"), f, strict=True)) for f in profile["frames"]
        ],
        "sentence": profile["sentence"],
        **_path(paths),
    }  # fmt: skip


def _path(paths: Sequence[Row]) -> Row:
    """Return the figures of the path, and a sentence on their verdicts: "" without any."""
    own = ("metric", "unit", "relevance", "base_level", "new_level", "verdict", "effect",
           "ci_low", "ci_high", "p", "reason")  # fmt: skip
    judged = [
        Judged(
            metric=one["metric"],
            unit=one["unit"],
            verdict=Verdict(one["verdict"]),
            effect=one["effect"],
        )
        for one in paths
    ]
    return {
        "path": [
            {**{key: one[key] for key in own}, "base": one["base_values"], "new": one["new_values"]}
            for one in paths
        ],
        "path_sentence": sentence(judged),
    }


def function_of(conn: Connection, comparisons: Sequence[int]) -> str | None:
    """Return the function with the largest sure change in profiles of comparisons, in words.

    None where no profile is on record, or none names a function.
    """
    found = rows(
        conn,
        "SELECT f.name, f.change, p.operation, p.benchmark FROM read_model.profile p"
        " JOIN read_model.profile_function f ON f.profile = p.id"
        " WHERE p.comparison = ANY(%(ids)s) AND f.certain"
        " ORDER BY abs(f.change / p.base_instructions) DESC, p.id, f.number LIMIT 1",
        {"ids": list(comparisons)},
    )
    for f in found:
        change = f"{f['change']:+.1f} instructions a {f['operation']}"
        return f"{f['name']}, {change} ({f['benchmark']})"
    return None
