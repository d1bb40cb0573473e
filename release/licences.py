# SPDX-License-Identifier: GPL-2.0-only
"""Licences of the Python packages that the service runs with, held against what is allowed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from attrs import frozen
from license_expression import ExpressionError, get_spdx_licensing

from release.lock import Requirement
from vlag import ROOT

LIST = ROOT / "release" / "licences.toml"
_SPDX = get_spdx_licensing()


@frozen(kw_only=True)
class Licences:
    """What release/licences.toml says."""

    allowed: Mapping[str, str]  # SPDX identifier -> why it may be there
    packages: Mapping[str, str]  # package -> SPDX expression


def load(path: Path = LIST) -> Licences:
    """Return the list of the repository, or that of another file."""
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    return Licences(allowed=found["allowed"], packages=found["packages"])


def refused(expression: str, allowed: Iterable[str]) -> str | None:
    """Return why an SPDX expression is not allowed: of OR one side is enough, of AND none."""
    try:
        parsed = _SPDX.parse(expression, validate=True)
    except ExpressionError as e:
        return f"{expression!r} is no SPDX expression: {' '.join(str(e).split())}"
    if parsed is None:
        return "no licence"
    known = set(allowed)
    kept = {
        symbol: _SPDX.TRUE if str(symbol) in known else _SPDX.FALSE for symbol in parsed.symbols
    }
    if parsed.subs(kept).simplify() == _SPDX.TRUE:
        return None
    return f"{expression} is not among the allowed licences"


def faults(requirements: Iterable[Requirement], licences: Licences) -> list[str]:
    """Return one sentence for each package of the service whose licence is unknown or refused."""
    found = []
    names = {r.name for r in requirements if r.runtime}
    for name in sorted(names):
        expression = licences.packages.get(name)
        if expression is None:
            found.append(f"{name}: no licence on record; read its own, and add it to {LIST.name}")
        elif why := refused(expression, licences.allowed):
            found.append(f"{name}: {why}")
    left = sorted(set(licences.packages) - names)
    return [*found, *(f"{name}: the service does not need it: take it out" for name in left)]
