"""Cells over several factors: main effects, pairwise interactions, and aliased effects.

A table with holes determines some effects and not others.  Each effect that the filled
cells determine is estimated; for each other one the result names its missing cell, or the
effects with which it is aliased.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen
from scipy import linalg, stats

from vlag.stats.matrix import NOT_RUN, Cell, Effect, Finding, Pool, change, pool
from vlag.stats.prior import Prior

# Level of the test that main effects and pairwise interactions describe the cells.  It
# guards every interval of a table and runs once per table, hence stricter than 0.05.
MISFIT = 0.01
# A column of the design at this distance from the others' span is not aliased; entries
# are 0 and 1, so anything smaller is floating-point rounding.
_RANK = 1e-9
#: Prefix of the problem of an aliased term.
ALIASED = "cannot be told from"


@frozen(kw_only=True)
class Term:
    """A main effect of a level, or the interaction of two levels."""

    name: str  # "preempt=lazy", "preempt=lazy x patch=unbound"
    effect: Effect | None  # against the base's levels; None: see `problem`
    problem: str | None  # "not run", the outcome of its cell, or the terms it is aliased with


@frozen(kw_only=True)
class Factorial:
    """Model of a table of cells: main effects and pairwise interactions.

    A main effect is the effect of a level with all other factors at their base; an
    interaction is the effect of two levels beyond the product of their main effects.
    """

    factors: tuple[str, ...]
    base: tuple[str, ...]  # levels
    cells: Mapping[tuple[str, ...], Cell]  # every combination of the levels that were given
    changes: Mapping[tuple[str, ...], Effect]  # of cells with an estimate, against the base's
    terms: tuple[Term, ...]
    combined: tuple[Term, ...]  # estimated sums of aliased terms
    spread: float  # standard deviation of one boot's logarithm, pooled
    freedom: float
    misfit: float | None  # p of "two factors at a time describe the cells"; None: untestable
    sentence: str


def factorial(
    factors: Sequence[str],
    cells: Mapping[tuple[str, ...], Cell],
    *,
    base: tuple[str, ...],
    relevance: float,
    resolution: float,
    prior: Prior | None = None,
) -> Factorial:
    """Fit main effects and pairwise interactions to the logarithms, by least squares.

    A cell's key names one level of each factor, in the factors' order; a combination of
    levels without a key was not run.  `relevance` is the smallest relative change that
    matters.  Intervals are simultaneous at 95 % over all terms, and separately over all
    cells' changes.

    Raises ValueError if a key lacks a level of a factor or the base is missing.
    """
    if base not in cells or any(len(key) != len(factors) for key in cells):
        raise ValueError(f"each cell needs one level of {', '.join(factors)}; one is {base}")
    levels = [
        [base[i], *dict.fromkeys(key[i] for key in cells if key[i] != base[i])]
        for i in range(len(factors))
    ]
    every = {key: cells.get(key, Cell()) for key in itertools.product(*levels)}
    pooled = pool(every, resolution=resolution, prior=prior)
    others = [key for key in pooled.logs if key != base]
    changes: dict[tuple[str, ...], Effect] = {}
    if base in pooled.logs:
        changes = {
            key: pooled.effect({key: 1, base: -1}, relevance=relevance, family=len(others))
            for key in others
        }
    settings = [(i, level) for i, of in enumerate(levels) for level in of[1:]]
    columns = [(s,) for s in settings] + [
        (s, t) for s, t in itertools.combinations(settings, 2) if s[0] != t[0]
    ]
    terms, combined, misfit = _fitted(factors, every, pooled, columns, relevance)
    return Factorial(
        factors=tuple(factors),
        base=base,
        cells=every,
        changes=changes,
        terms=terms,
        combined=combined,
        spread=pooled.spread,
        freedom=pooled.freedom,
        misfit=misfit,
        sentence=_sentence(factors, every, terms, combined, misfit),
    )


_Column = tuple[tuple[int, str], ...]  # (factor, level), once or twice


def _fitted(
    factors: Sequence[str],
    every: Mapping[tuple[str, ...], Cell],
    pooled: Pool[tuple[str, ...]],
    columns: Sequence[_Column],
    relevance: float,
) -> tuple[tuple[Term, ...], tuple[Term, ...], float | None]:
    """Return the terms, the sums of those that are aliased, and p of the model's misfit."""
    names = [" x ".join(f"{factors[i]}={level}" for i, level in c) for c in columns]
    rows = list(pooled.logs)
    if not rows:
        lost = [
            Term(name=n, effect=None, problem=_gap(c, every))
            for n, c in zip(names, columns, strict=True)
        ]
        return tuple(lost), (), None
    design = np.ones((len(rows), 1 + len(columns)))
    for j, column in enumerate(columns, 1):
        design[:, j] = [all(key[i] == level for i, level in column) for key in rows]
    null = linalg.null_space(design)
    error = np.sqrt([pooled.variance[key] for key in rows])
    weighted = design / error[:, None]
    covariance = linalg.pinv(weighted.T @ weighted)
    logs = np.asarray([pooled.logs[key] for key in rows])
    found = covariance @ weighted.T @ (logs / error)
    told: list[tuple[str, npt.NDArray[np.float64]]] = []
    problems: dict[str, str] = {}
    groups: dict[tuple[int, ...], npt.NDArray[np.float64]] = {}
    projection = null @ null.T
    for j, (name, column) in enumerate(zip(names, columns, strict=True), 1):
        unit = np.zeros(len(found))
        unit[j] = 1
        if not design[:, j].any():
            problems[name] = _gap(column, every)
        elif np.abs(null[j]).max(initial=0) < _RANK:
            told.append((name, unit))
        else:
            # A cell that was not run is in no null space but its own.
            group = tuple(int(k) for k in np.flatnonzero(np.abs(projection[j]) > _RANK))
            groups[group] = groups.get(group, np.zeros(len(found))) + unit
            with_it = [names[k - 1] if k else "the base" for k in group if k != j]
            problems[name] = f"{ALIASED} {', '.join(with_it)}"
    sums = [
        (" with ".join(names[int(k) - 1] for k in np.flatnonzero(w)), w)
        for w in groups.values()
        if w.sum() > 1 and np.abs(null.T @ w).max(initial=0) < _RANK
    ]
    effects = {
        name: pooled.interval(
            float(w @ found),
            math.sqrt(max(0.0, float(w @ covariance @ w))),
            relevance=relevance,
            family=len(told) + len(sums),
        )
        for name, w in (*told, *sums)
    }
    terms = tuple(Term(name=n, effect=effects.get(n), problem=problems.get(n)) for n in names)
    combined = tuple(Term(name=n, effect=effects[n], problem=None) for n, _ in sums)
    spare = len(rows) - (design.shape[1] - null.shape[1])
    if not spare:
        return terms, combined, None
    rest = float(np.sum(((logs - design @ found) / error) ** 2))
    return terms, combined, float(stats.f.sf(rest / spare, spare, pooled.freedom))


def _gap(column: _Column, every: Mapping[tuple[str, ...], Cell]) -> str:
    """Return why no cell determines a term."""
    of = [c.problem or NOT_RUN for k, c in every.items() if all(k[i] == x for i, x in column)]
    return ", ".join(dict.fromkeys(of))


def _sentence(
    factors: Sequence[str],
    every: Mapping[tuple[str, ...], Cell],
    terms: Sequence[Term],
    combined: Sequence[Term],
    misfit: float | None,
) -> str:
    told = [(t.name, t.effect) for t in (*terms, *combined) if t.effect is not None]
    parts = [f"{n} changes it by {change(e)}" for n, e in told if e.finding is Finding.MATTERS]
    if not parts:
        parts.append("no effect is shown" if told else "no effect can be told")
    unsure = [n for n, e in told if e.finding is Finding.OPEN]
    parts += [f"{Finding.OPEN.value}: {', '.join(unsure)}"] if unsure else []
    alike = [t.name for t in terms if t.problem is not None and t.problem.startswith(ALIASED)]
    parts += [f"not told apart: {', '.join(alike)}"] if alike else []
    lost: dict[str, list[str]] = {}
    for key, cell in every.items():
        if cell.problem is not None:
            name = " ".join(f"{f}={x}" for f, x in zip(factors, key, strict=True))
            lost.setdefault(cell.problem, []).append(name)
    parts += [f"{problem}: {', '.join(names)}" for problem, names in lost.items()]
    if misfit is not None and misfit < MISFIT:
        parts.append("more than two factors act together, so these figures do not describe it")
    return "; ".join(parts)
