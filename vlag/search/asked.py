# SPDX-License-Identifier: GPL-2.0-only
"""Boots that explain comparisons: as the master asks for them, each once, within a bound."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from attrs import frozen

from vlag.errors import UsageError
from vlag.model import Observation
from vlag.store.kernels import Kernel


class AskedBoot(TypedDict):
    """One boot, with the properties of a run that the master requests."""

    label: str
    kernel_name: str
    kernel: str  # digest
    build_bundle: str
    knobs: Mapping[str, str]
    board_type: str
    benchmark: str
    parameters: Mapping[str, str | int]
    seed: int
    observes: str | None
    timeout_s: int


class BootValues(TypedDict):
    """What a boot is of, beside its kernel."""

    knobs: Mapping[str, str]
    board_type: str
    benchmark: str
    parameters: Mapping[str, str | int]
    seed: int
    observes: Observation | None
    timeout_s: int


class AskedBuild(TypedDict):
    """One build, with the properties that the master requests."""

    label: str
    kernel_name: str
    tree: str
    ref: str  # commit
    board_types: list[str]


@frozen(kw_only=True)
class Plan:
    """The boots that comparisons need to be explained."""

    boots: Sequence[AskedBoot]  # each once, although several comparisons may need it
    comparisons: Sequence[int]  # those that the boots are for
    skipped: Sequence[str]  # sentences: what is not explained, and why


@frozen(kw_only=True)
class Want:
    """What one benchmark of a comparison needs."""

    comparison: int
    benchmark: str
    boots: Callable[[], Iterable[AskedBoot]]  # raises UsageError where it cannot be booted


def boot(kernel: Kernel, build: Path, how: str, **values: Unpack[BootValues]) -> AskedBoot:
    """Return one boot of a kernel on record; `how` says in its label what is special about it."""
    return boot_of(kernel.describe, kernel.digest, build, how, **values)


def boot_of(name: str, key: str, build: Path, how: str, **values: Unpack[BootValues]) -> AskedBoot:
    """Return the same of a kernel by its name and digest."""
    observes = values["observes"]
    return {
        "label": f"{name} {values['benchmark']} seed {values['seed']} {how} on"
        f" {values['board_type']}",
        "kernel_name": name,
        "kernel": key,
        "build_bundle": str(build),
        "knobs": dict(values["knobs"]),
        "board_type": values["board_type"],
        "benchmark": values["benchmark"],
        "parameters": dict(values["parameters"]),
        "seed": values["seed"],
        "observes": None if observes is None else observes.value,
        "timeout_s": values["timeout_s"],
    }


def bounded(
    wants: Iterable[Want], most: int, skipped: Sequence[str], refusal: Callable[[int], str]
) -> Plan:
    """Return the boots of what is wanted, in its order, `most` of them at most.

    What would exceed that is skipped as a whole; `refusal` says so of its number of boots.
    """
    boots: dict[str, AskedBoot] = {}
    comparisons: dict[int, None] = {}
    sentences = list(skipped)
    for want in wants:
        name = f"comparison {want.comparison}: {want.benchmark}"
        try:
            more = {_key(asked): asked for asked in want.boots()}
        except UsageError as e:
            sentences.append(f"{name}: {e}")
            continue
        if len(boots | more) > most:
            sentences.append(f"{name}: {refusal(len(more))}")
            continue
        boots |= more
        if more:
            comparisons[want.comparison] = None
    return Plan(
        boots=list(boots.values()),
        comparisons=list(comparisons),
        skipped=list(dict.fromkeys(sentences)),
    )


def _key(asked: AskedBoot) -> str:
    return json.dumps({k: v for k, v in asked.items() if k != "label"}, sort_keys=True)
