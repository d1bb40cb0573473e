# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels on record with a parameter of a benchmark that differs, as a server's policy.

A series on record has one set of parameters, so such runs are compared as bundles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen

from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.lava import render
from vlag.model import Benchmark, Outcome, canonical_json
from vlag.store import boards, kernels, runs
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.store.runs import Run


@frozen
class Side:
    """A kernel, and the parameters of its runs that are asked for."""

    name: str  # "BASE" or "NEW"
    kernel: KernelRef
    parameters: Mapping[str, str]


@frozen
class Bundles:
    """Folders of the runs of both sides, and the parameters that differ."""

    base: Sequence[Path]
    new: Sequence[Path]
    factors: Sequence[str]


def find(
    conn: Connection,
    catalogue: Catalogue,
    base: Side,
    new: Side,
    *,
    board_type: str,
    benchmark: str,
    plan: str | None = None,
    synthetic: bool = False,
) -> Bundles:
    """Find the complete runs of both sides that are equal in all other parameters.

    A parameter that one side names has the benchmark's default on the other.  Raises UsageError
    for an unknown parameter, where both sides ask for the same, where a side has no such run, and
    where the others are never equal or are so in several ways.
    """
    entry, kind = catalogue.benchmark(benchmark), catalogue.board_type(board_type)
    names = [*dict.fromkeys([*base.parameters, *new.parameters])]
    render.parameters(entry, {**base.parameters, **new.parameters})  # refuses an unknown name
    asked = [_asked(entry, side, names) for side in (base, new)]
    factors = [name for name in names if asked[0][name] != asked[1][name]]
    if not factors:
        words = ", ".join(f"{name}={value}" for name, value in asked[0].items())
        raise UsageError(f"base and new both ask for {words}; give another value to one of them")
    bundles = []
    for side, values in zip((base, new), asked, strict=True):
        kernel = kernels.resolve(conn, side.kernel)
        every = runs.of_kernel(
            conn, kernel.id, board_type=kind.name, synthetic=synthetic, by_image=kind.deterministic
        )
        mine = [
            r
            for r in every
            if r.benchmark == entry.name and dict(r.knobs) == dict(side.kernel.knobs)
            if r.outcome == Outcome.COMPLETE.value and not r.suspect and plan in (None, r.plan)
            if all(str(r.parameters.get(name)) == value for name, value in values.items())
        ]
        doubted = boards.doubts(conn, [r.id for r in mine])
        mine = [r for r in mine if r.id not in doubted]
        if not mine:
            words = ", ".join(f"{name}={value}" for name, value in values.items())
            raise UsageError(
                f"{side.name} {side.kernel.text}: no complete run of {entry.name} with {words} on"
                f" {kind.name} is on record; `vlag run` with --param makes one"
            )
        bundles.append(_by_others(mine, factors))
    return Bundles(*_shared(bundles[0], bundles[1], factors), factors)


def _asked(entry: Benchmark, side: Side, names: Sequence[str]) -> dict[str, str]:
    values = render.parameters(entry, side.parameters)
    return {name: str(values[name]) for name in names}


def _by_others(ran: Sequence[Run], factors: Sequence[str]) -> dict[bytes, list[Run]]:
    """Return runs by their parameters without the factors."""
    groups: dict[bytes, list[Run]] = {}
    for run in ran:
        others = {k: v for k, v in run.parameters.items() if k not in factors}
        groups.setdefault(canonical_json(others), []).append(run)
    return groups


def _shared(
    base: Mapping[bytes, list[Run]], new: Mapping[bytes, list[Run]], factors: Sequence[str]
) -> tuple[list[Path], list[Path]]:
    """Return the bundles of both sides with equal other parameters."""
    both = [key for key in base if key in new]
    if len(both) != 1:
        words = " or ".join(key.decode() for key in (both or [*base, *new]))
        raise UsageError(
            f"beside {', '.join(factors)}, the runs "
            + ("are equal in several ways" if both else "of both sides are never equal")
            + f": {words}; name one with --base-param and --new-param"
        )
    [key] = both
    return [Path(r.location) for r in base[key]], [Path(r.location) for r in new[key]]
