# SPDX-License-Identifier: GPL-2.0-only
"""Differences between the two sides of a NOT_COMPARABLE comparison, from the views."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from attrs import frozen

from vlag.compare.differences import SURROUNDINGS
from vlag.model import Verdict
from vlag.report import read_model
from vlag.report.read_model.comparison_rows import WholeComparison
from vlag.store.database import Connection
from vlag.verdict_data import FactorValues


@frozen(kw_only=True)
class Factor:
    """One factor that differs between the sides; None: not given on that side."""

    name: str
    base: str | None
    new: str | None
    must_be_equal: bool  # False for the compared factors: kernel and knobs


@frozen(kw_only=True)
class Apart:
    """Why figures of a comparison are NOT_COMPARABLE."""

    factors: tuple[Factor, ...]
    reasons: tuple[str, ...]  # of the figures, each once


def of(conn: Connection, comparison: WholeComparison) -> Apart | None:
    """Return the differences between the sides of `vlag.report.read_model.comparison`.

    None if none of its figures is NOT_COMPARABLE.
    """
    refused = [v for v in comparison["verdicts"] if v["verdict"] == Verdict.NOT_COMPARABLE.value]
    if not refused:
        return None
    around = dict.fromkeys(
        factor
        for v in refused
        if v["base_runs"] and v["new_runs"]
        for factor in _around(conn, v["base_runs"][0], v["new_runs"][0])
    )
    return Apart(
        factors=(*_on_purpose(comparison["factors"]), *around),
        reasons=tuple(dict.fromkeys(v["reason"] for v in refused if v["reason"])),
    )


def _on_purpose(factors: Mapping[str, FactorValues]) -> Iterator[Factor]:
    for name, sides in factors.items():
        base, new = sides["base"], sides["new"]
        if isinstance(base, Mapping) and isinstance(new, Mapping):
            for key in sorted({*base, *new}):
                if base.get(key) != new.get(key):
                    yield _factor(f"{name} {key}", base.get(key), new.get(key), False)
        else:
            yield _factor(name, base, new, False)


def _around(conn: Connection, base: int, new: int) -> Iterator[Factor]:
    """Yield the differences between the environments on record of two runs."""
    environments: dict[int, dict[str, str]] = {base: {}, new: {}}
    for r in read_model.environments(conn, (base, new), SURROUNDINGS):
        environments[r["run"]][r["name"]] = r["value"]
    for name in SURROUNDINGS:
        if environments[base].get(name) != environments[new].get(name):
            yield _factor(name, environments[base].get(name), environments[new].get(name), True)


def _factor(name: str, base: object, new: object, must_be_equal: bool) -> Factor:
    texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in (base, new)]
    return Factor(name=name, base=texts[0], new=texts[1], must_be_equal=must_be_equal)
