# SPDX-License-Identifier: GPL-2.0-only
"""Which runs may be compared: the one rule, for runs on record and for files on disk.

The kernel and its knobs are the factors under test; they may differ.  All else must be
equal, in three parts.  `selection` is what runs on record are queried by, and what files
must agree in.  `conditions` is what runs of one selection must share.  The benchmark is
the third, and each road holds it equal by itself.

Runs on record that share a selection fall into groups (`split`), and the latest pair of
equal groups is compared.  Files are named by a user, so none is dropped: any difference
refuses the comparison.  A raw file without run.json has no selection, and of the
conditions only those that its output gives: tool, version, unit, direction, defaults.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from vlag.bundle_records import RunRecord
from vlag.model import Metric, canonical_json
from vlag.store.histories import KeptConditions
from vlag.store.runs import Figures, Run, TimeSeries

Conditions = Mapping[str, str]

# fs/proc/version.c, init/version.c of Linux: release, who built it, compiler and linker, version.
_COMPILER = re.compile(r"Linux version \S+ \([^)]*\) \((.*)\) #")

# What the environment of a run says of the board's firmware.
_FIRMWARE = (
    "firmware_version",
    "/sys/class/dmi/id/bios_vendor",
    "/sys/class/dmi/id/bios_version",
    "/sys/class/dmi/id/bios_date",
)
# And of its processors, what no kernel words in its own way.
_PROCESSOR = (
    "cpu family",
    "model",
    "stepping",
    "microcode",
    "CPU implementer",
    "CPU part",
    "CPU variant",
    "CPU revision",
)

#: Number of the rule by which `kept` reads a document.
RULE = 1

#: Stands for the version of a tool that no file gives.
VERSION_UNKNOWN = "not said"


@frozen(kw_only=True)
class Group:
    """Runs of one metric of one benchmark with one set of parameters and conditions."""

    conditions: Conditions
    runs: Sequence[Run]
    figures: Sequence[Figures]  # as `runs`


def selection(document: RunRecord) -> dict[str, str]:
    """Return what of run.json runs on record are selected by, beside kernel and knobs."""
    return {
        "board_type": document["board"]["board_type"],
        **{f"parameter {name}": str(value) for name, value in document["parameters"].items()},
        "synthetic": "yes" if document["synthetic"] else "no",
    }


def conditions(
    document: RunRecord | None,
    *,
    tool: str,
    tool_version: str,
    unit: str,
    direction: str,
    defaults: Mapping[str, Any],
) -> dict[str, str]:
    """Return all that must be equal for two runs of one selection and benchmark.

    `document` is run.json, None for a raw file.  `tool_version` names the series, as
    `Metric.series_version` does; `defaults` are those of the tool.
    """
    own = {
        "tool": tool,
        "tool_version": tool_version,
        "unit": unit,
        "direction": direction,
        "defaults": canonical_json(dict(defaults)).decode(),
    }
    return own if document is None else {**own, **of_document(document)}


def of_document(document: RunRecord) -> dict[str, str]:
    """Return the conditions that run.json gives, whichever the series."""
    board = document["board"]
    emulator = board["emulator"] and " ".join(
        (
            board["emulator"]["program"],
            board["emulator"]["version"],
            board["emulator"]["sha256"][:12],
            *(f"lockstep {v}" for k, v in board["emulator"].items() if k == "lockstep"),
        )
    )
    return {
        "emulator": emulator or "none",
        # Libraries are a part of the figure: where instructions are counted, their every byte.
        "userland": document["userland"]["sha256"][:12],
        "setup": board["setup"][:12],
        **_compiler(document),
        # The firmware of an emulator is a part of it.
        **({} if board["emulator"] else firmware(document)),
        "argv": "; ".join(f"{role}: {' '.join(a)}" for role, a in sorted(document["argv"].items())),
        # A distribution's config and compiler are a larger factor than most commits.  Only where
        # it is one: boards and trends know the others by these conditions.
        **({"kernels": "prebuilt"} if "prebuilt" in document["kernel"] else {}),
    }


def firmware(document: RunRecord) -> dict[str, str]:
    """Return what a run says of the board's firmware and processors, microcode included."""
    environment = document["environment"]
    lines = [line.partition(": ") for line in str(environment.get("processors", "")).splitlines()]
    facts = {
        "firmware": " ".join(
            str(environment[name]).strip() for name in _FIRMWARE if environment.get(name)
        ),
        "processors": ", ".join(f"{key} {value}" for key, _, value in lines if key in _PROCESSOR),
    }
    return {name: words for name, words in facts.items() if words}


def kept(document: RunRecord) -> KeptConditions:
    """Return what a history needs of run.json: it is kept, so that a run is read once.

    Whoever changes what this returns raises `RULE`; then runs are read again.
    """
    return {
        "conditions": of_document(document),
        "firmware": firmware(document),
        "kconfig": document["kernel"]["kconfig"],
    }


def _compiler(document: RunRecord) -> dict[str, str]:
    """Return what built the kernel that ran, as it says itself; nothing where it does not say.

    A distribution's own is a part of its kernel: what is compared are its kernels.
    """
    match = _COMPILER.match(document["environment"].get("/proc/version", ""))
    if match is None or "prebuilt" in document["kernel"]:
        return {}
    return {"compiler": match[1]}


def of_run(run: Run, figures: Figures) -> dict[str, str]:
    """Return the conditions of a run on record."""
    return of_time_series(run, figures.series)


def of_time_series(run: Run, s: TimeSeries) -> dict[str, str]:
    """Return the conditions of a run on record for one of its series."""
    boot = of_document(run.document) if run.kept is None else json.loads(run.kept)
    return {**of_tool(s), **boot}


def of_tool(s: TimeSeries) -> dict[str, str]:
    """Return the conditions that a series gives, whichever the run."""
    return conditions(
        None,
        tool=s.tool,
        tool_version=s.tool_version,
        unit=s.unit,
        direction=s.direction,
        defaults=s.defaults,
    )


def split(measured: Iterable[tuple[Run, Figures]]) -> list[Group]:
    """Return one group for each set of conditions, the one with the latest run first."""
    by_conditions: dict[
        frozenset[tuple[str, str]], tuple[Conditions, list[tuple[Run, Figures]]]
    ] = {}
    known: dict[tuple[int, str], Conditions] = {}  # what many runs share is read once
    for run, figures in measured:
        key = None if run.kept is None else (id(figures.series), run.kept)
        shared = known.get(key) if key else None
        if shared is None:
            shared = of_run(run, figures)
        if key is not None:
            known[key] = shared
        by_conditions.setdefault(frozenset(shared.items()), (shared, []))[1].append((run, figures))
    groups = [
        Group(
            conditions=shared,
            runs=[run for run, _ in pairs],
            figures=[figures for _, figures in pairs],
        )
        for shared, pairs in by_conditions.values()
    ]
    return sorted(groups, key=lambda g: -max(r.id for r in g.runs))


def pair(base: Sequence[Group], new: Sequence[Group]) -> tuple[Group | None, Group | None]:
    """Return the groups to compare: the latest with equal conditions, else each side's latest."""
    for n in new:
        for b in base:
            if b.conditions == n.conditions:
                return b, n
    return (base[0] if base else None, new[0] if new else None)


def differing(base: Iterable[Conditions], new: Iterable[Conditions]) -> list[tuple[str, str, str]]:
    """Return each condition with more than one value: its name in words, base, new."""
    sides = [[words(c) for c in side] for side in (base, new)]
    apart = []
    for name in dict.fromkeys(name for side in sides for c in side for name in c):
        values = [list(dict.fromkeys(c.get(name, "not given") for c in side)) for side in sides]
        if len({v for side in values for v in side}) > 1:
            apart.append((name, " and ".join(values[0]), " and ".join(values[1])))
    return apart


def words(shared: Conditions) -> dict[str, str]:
    """Return conditions by their names in words, the tool's defaults one by one."""
    named = {"kernels": "built from source"}
    for name, value in shared.items():
        if name == "defaults":
            given = json.loads(value)
            named |= {
                f"default {k}": v if isinstance(v, str) else json.dumps(v)
                for k, v in sorted(given.items())
            }
        else:
            named[name.replace("_", " ")] = value
    return named


def differences(base: Iterable[Conditions], new: Iterable[Conditions]) -> list[str]:
    """Say what differs, as 'tool version 0.15.06+ against 0.17.02+'."""
    return [f"{name} {b} against {n}" for name, b, n in differing(base, new)]


def refusal(metric: Metric, base: Sequence[Conditions], new: Sequence[Conditions]) -> str | None:
    """Return why values of a metric may not be compared, or None where they may.

    The sentence names every difference, and what the catalogue knows of the versions.
    """
    reasons = differences(base, new)
    if not reasons:
        return None
    versions = list(dict.fromkeys(c["tool_version"] for c in (*base, *new)))
    meanings = [(v, metric.meaning(v)) for v in versions if len(versions) > 1]
    reasons += [f"{version}: {why}" for version, why in meanings if why is not None]
    return f"base and new differ in more than the kernel: {'; '.join(reasons)}"
