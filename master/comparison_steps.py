# SPDX-License-Identifier: GPL-2.0-only
"""Steps that compare requested kernels after their builds and runs have ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from master.kernel import SHORT_MAX_S, knob_options
from master.steps import AtBaseline, Compare, NotCompared
from master.titles import step_name
from master.triggers import Child, Request
from vlag.config import baseline_name
from vlag.model import Outcome
from vlag.pipeline.candidates import predicts
from vlag.verdict_data import NOT_MADE

#: The role of the base against which a branch is watched.
BASELINE = "baseline"


def compare_arguments(
    base: Child,
    new: Child,
    board_type: str,
    *,
    stage: str,
    round_: int | None,
    benchmarks: Iterable[str] | None,
) -> list[str]:
    """Return the arguments of `vlag compare`."""
    arguments = ["compare", base.properties["kernel"], new.properties["kernel"]]
    arguments += ["--board-type", board_type, "--plan", new.request["plan"], "--stage", stage]
    arguments += [] if round_ is None else ["--round", str(round_)]
    arguments += [word for name in benchmarks or () for word in ("--benchmark", name)]
    arguments += knob_options("--base-knob", base.request["knobs"])
    arguments += knob_options("--new-knob", new.request["knobs"])
    role = role_of(base, new)
    arguments += [] if role is None else ["--role", role]
    if role == BASELINE:
        arguments += ["--baseline", baseline_name(base.request["tree"], base.request["ref"])]
    return [*arguments, "--exit-code", "--format", "text+json"]


def is_early(finding: Mapping[str, Any]) -> bool:
    """Return whether a comparison is of a part of the first boots, as that of the first night.

    The night compares the same kernels again, with all their first boots.
    """
    return finding["stage"] == "screen" and bool(finding.get("benchmarks"))


def role_of(base: Child, new: Child) -> str | None:
    """Return the role of a base for a new kernel, or None if both are candidates.

    In a push each kernel has one role; in a night each pair has its own.
    """
    return base.request.get("role") or new.request.get("roles", {}).get(base.request["key"])


def comparison_steps(
    children: Iterable[Child], new: Iterable[str] | None = None, **options: Any
) -> list[object]:
    """Return one step per pair and board type, in the order of the kernels.

    `new` are the keys of the kernels to compare with their bases; None: all.

    A base with a failed build and a kernel without a build bundle give a `NotCompared` step, and
    a head that is its own baseline an `AtBaseline` step.
    A new kernel with a failed build is compared: the report lists the failure.  `options`
    are passed to the step `Compare`.
    """
    by_key = {child.request["key"]: child for child in children}
    return [
        comparison_step(
            by_key[key], child, board_type, benchmarks=child.request.get("benchmarks"), **options
        )
        for child in (by_key.values() if new is None else [by_key[key] for key in new])
        for key in child.request["compared_with"]
        for board_type in child.request["board_types"]
    ]


def why_no_base(base: Child) -> str | None:
    """Return the reason why a kernel cannot be a base, or None if it can."""
    if not base.properties.get("kernel"):
        return f"{base.request['kernel_name']} could not be built, see its build"
    outcome = base.properties.get("outcome")
    if outcome != Outcome.COMPLETE.value:
        outcome_words = str(outcome).replace("_", " ")
        return f"{base.request['kernel_name']}: {outcome_words}: {base.properties.get('reason')}"
    return None


def _same(base: Child, new: Child) -> bool:
    """Return whether both are one kernel with the same knobs, as a new branch and its baseline."""
    kernels = {child.properties["kernel"] for child in (base, new)}
    return len(kernels) == 1 and base.request["knobs"] == new.request["knobs"]


def comparison_step(
    base: Child,
    new: Child,
    board_type: str,
    *,
    stage: str = "screen",
    round_: int | None = None,
    benchmarks: list[str] | None = None,
    again: Callable[[Mapping[str, Any], Request], list[str]] | None = None,
    **options: Any,
) -> object:
    """Return a step that compares two kernels on a board type, or one that says why none does.

    `again` returns which benchmarks of its finding the new kernel's plan boots again.
    """
    name = step_name("compare", new.request["kernel_name"], board_type)
    subject = f"{base.request['kernel_name']} to {new.request['kernel_name']} on {board_type}"
    why = why_no_base(base)
    if why is None and not new.properties.get("kernel"):
        why = f"{new.request['kernel_name']} could not be built, see its build"
    if why is not None:
        proves = predicts(new.request.get("series"), new.request.get("application", "none"))
        mark = NOT_MADE if proves else ""
        return NotCompared(f"{mark}{subject}: not compared: {why}", name=name)
    if _same(base, new):
        request = new.request
        return AtBaseline(
            f"{request['tree']}/{request.get('watched') or request['ref']}",
            board_type,
            baseline_name(base.request["tree"], base.request["ref"]),
            name=name,
        )
    return Compare(
        compare_arguments(base, new, board_type, stage=stage, round_=round_, benchmarks=benchmarks),
        name=name,
        subject=subject,
        about={
            "base_key": base.request["key"],
            "new_key": new.request["key"],
            "role": base.request.get("role"),
            "stage": stage,
            "round": round_,
            "board_type": board_type,
            "benchmarks": benchmarks,
        },
        again=None if again is None else lambda finding: again(finding, new.request),
        maxTime=SHORT_MAX_S,
        **options,
    )
