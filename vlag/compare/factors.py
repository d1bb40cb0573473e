# SPDX-License-Identifier: GPL-2.0-only
"""Parameters that may differ between two sides of run bundles, because somebody asks for them.

All parameters of a benchmark must be equal in what is compared: whoever wants to know what one of
them does, as the scheduling policy of a server, names it.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from vlag.bundle_records import RunRecord
from vlag.compare.file_sides import Boot
from vlag.errors import UsageError
from vlag.model import Benchmark


@frozen
class Factor:
    """A parameter with its value on each side."""

    name: str
    base: str
    new: str


def asked(names: Sequence[str], base: Sequence[Boot], new: Sequence[Boot]) -> list[Factor]:
    """Return the factors of these names.

    Raises UsageError for raw output, which does not say its parameters, for a name that is no
    parameter of the benchmark, and where a side has several values or both sides have one.
    """
    factors = []
    for name in dict.fromkeys(names):
        values = [_value(name, side, boots) for side, boots in (("base", base), ("new", new))]
        if values[0] == values[1]:
            raise UsageError(f"--factor {name}: base and new both have {values[0]}; leave it out")
        factors.append(Factor(name, *values))
    return factors


def _value(name: str, side: str, boots: Sequence[Boot]) -> str:
    values: dict[str, str] = {}
    for boot in boots:
        if boot.run is None:
            raise UsageError(
                f"{boot.name}: raw output does not say its parameters; --factor is for run bundles"
            )
        if name not in boot.run["parameters"]:
            there = ", ".join(sorted(boot.run["parameters"])) or "none"
            raise UsageError(
                f"--factor {name}: {boot.benchmark} has no such parameter; it has {there}"
            )
        values.setdefault(str(boot.run["parameters"][name]), boot.name)
    if len(values) > 1:
        listed = ", ".join(f"{value} in {where}" for value, where in values.items())
        raise UsageError(f"--factor {name}: {side} has several values: {listed}; give one a side")
    return next(iter(values))


def apart(boot: Boot, factors: Sequence[Factor], benchmark: Benchmark) -> Boot:
    """Return a boot whose record has the factors neither as parameters nor in its command lines."""
    if boot.run is None or not factors:
        return boot
    names = {f.name for f in factors}
    parameters = {k: v for k, v in boot.run["parameters"].items() if k not in names}
    argv = {
        role: _without(words, benchmark.argv.get(role, ()), names)
        for role, words in boot.run["argv"].items()
    }
    run: RunRecord = {**boot.run, "parameters": parameters, "argv": argv}
    return evolve(boot, run=run)


def _without(words: Sequence[str], template: Sequence[str], names: set[str]) -> list[str]:
    """Return a command line with the template's word wherever a factor stands in that."""
    if len(words) != len(template):
        return list(words)
    return [
        part if any(f"{{{name}}}" in part for name in names) else word
        for word, part in zip(words, template, strict=True)
    ]
