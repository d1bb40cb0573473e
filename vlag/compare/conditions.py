"""Runs that may be compared with each other: those that share all conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from vlag.model import canonical_json
from vlag.store.runs import Figures, Run


@frozen(kw_only=True)
class Group:
    """Runs of one metric of one benchmark with one set of parameters and conditions."""

    conditions: Mapping[str, str]
    runs: Sequence[Run]
    figures: Sequence[Figures]  # as `runs`


def conditions(run: Run, figures: Figures) -> dict[str, str]:
    """Return all that must be equal for two runs of one benchmark and parameters."""
    s, d = figures.series, run.document
    emulator = run.emulator and " ".join(
        (
            run.emulator["program"],
            run.emulator["version"],
            run.emulator["sha256"][:12],
            *(("lockstep", run.emulator["lockstep"]) if "lockstep" in run.emulator else ()),
        )
    )
    return {
        "tool": s.tool,
        "tool_version": s.tool_version,
        "unit": s.unit,
        "direction": s.direction,
        "defaults": canonical_json(dict(s.defaults)).decode(),
        "emulator": emulator or "none",
        # Where instructions are counted, a library's every byte is part of the figure.
        "userland": d["userland"]["sha256"][:12] if d["board"]["deterministic"] else "any",
        "setup": d["board"]["setup"][:12],
        "argv": "; ".join(f"{role}: {' '.join(a)}" for role, a in sorted(d["argv"].items())),
    }


def split(measured: Iterable[tuple[Run, Figures]]) -> list[Group]:
    """Return one group for each set of conditions, the one with the latest run first."""
    found: dict[bytes, list[tuple[Run, Figures]]] = {}
    for run, figures in measured:
        found.setdefault(canonical_json(conditions(run, figures)), []).append((run, figures))
    groups = [
        Group(
            conditions=conditions(*pairs[0]),
            runs=[run for run, _ in pairs],
            figures=[figures for _, figures in pairs],
        )
        for pairs in found.values()
    ]
    return sorted(groups, key=lambda g: -max(r.id for r in g.runs))


def pair(base: Sequence[Group], new: Sequence[Group]) -> tuple[Group | None, Group | None]:
    """Return the groups to compare: the latest with equal conditions, else each side's latest."""
    for n in new:
        for b in base:
            if b.conditions == n.conditions:
                return b, n
    return (base[0] if base else None, new[0] if new else None)


def differences(a: Group, b: Group) -> list[str]:
    """Say what differs, as 'tool_version 0.15.06 against 0.19.02'."""
    return [
        f"{name} {a.conditions[name]} against {b.conditions[name]}"
        for name in a.conditions
        if a.conditions[name] != b.conditions[name]
    ]
