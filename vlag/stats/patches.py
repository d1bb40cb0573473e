# SPDX-License-Identifier: GPL-2.0-only
"""Attribution of a series' effect to a patch, or to a pair of patches.

A patch has an effect alone (on the bare kernel), on those before it, and in the full
series (by leaving it out).  If these differ, patches interact, and no single figure is
"the" effect of one.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.model import Direction
from vlag.stats.attribution import (
    Answer,
    Role,
    no_whole,
    noun,
    problem_of,
    role_of,
)
from vlag.stats.matrix_cells import (
    LARGEST_SHARE,
    Cell,
    Effect,
    Finding,
    Pool,
    Share,
    change,
    pool,
    share_text,
)

# A pair that leaves more than a quarter of a change unexplained is not its cause: any two
# of four equal patches would account for half of it.
PAIR_SHARE = 0.75

Applied = frozenset[int]  # numbers of the patches that a kernel has, from 1
_NONE: Applied = frozenset()


_Pair = tuple[tuple[int, int], Share]


class Way(enum.Enum):
    """The kernel against which a patch is measured."""

    SOLO = "alone"  # solo(i) against none
    PREFIX = "on those before it"  # prefix(i) against prefix(i-1)
    WITHOUT = "in the full series"  # full against without(i)


@frozen(kw_only=True)
class Estimate:
    """Effect of one patch, measured in one way."""

    way: Way
    effect: Effect | None  # None: see `problem`
    share: Share | None  # of the full series' effect; None if that is not shown
    role: Role  # by that share alone; UNKNOWN without a share
    problem: str | None  # missing cells, with reasons


@frozen(kw_only=True)
class PatchAnswer:
    """Effects of one patch, in every distinct way."""

    number: int
    name: str
    estimates: tuple[Estimate, ...]
    interaction: Finding | None  # of the estimates' differences; None: fewer than two

    def role(self, way: Way) -> Role:
        """Return the role that the patch has in one way."""
        return next((e.role for e in self.estimates if e.way is way), Role.UNKNOWN)

    def share(self, way: Way) -> Share | None:
        """Return the patch's share of the whole in one way."""
        return next((e.share for e in self.estimates if e.way is way), None)

    @property
    def roles(self) -> set[Role]:
        """Return the roles of all ways in which the patch has a share."""
        return {e.role for e in self.estimates if e.share is not None}


@frozen(kw_only=True)
class PatchReport:
    """Attribution of the effect of a series."""

    answer: Answer
    blamed: tuple[int, ...]  # numbers of the patches that account for it
    whole: Effect | None  # full / none - 1
    patches: tuple[PatchAnswer, ...]
    direction: Direction
    sentence: str


@frozen(kw_only=True)
class _Contrast:
    """Kernels that differ only in one patch."""

    number: int
    way: Way
    has: Applied
    lacks: Applied

    @property
    def weights(self) -> dict[Applied, float]:
        return {self.has: 1, self.lacks: -1}


def application(applied: Applied, count: int) -> str:
    """Return the name of the kernel with those of `count` patches."""
    n = len(applied)
    if n in {0, count}:
        return "full" if n else "none"
    if n == 1:
        return f"solo({min(applied)})"
    if applied == frozenset(range(1, n + 1)):
        return f"prefix({n})"
    left = sorted(set(range(1, count + 1)) - applied)
    return f"without({left[0]})" if len(left) == 1 else "+".join(map(str, sorted(applied)))


def patches(
    cells: Mapping[Applied, Cell],
    names: Sequence[str],
    *,
    direction: Direction,
    relevance: float,
    resolution: float,
) -> PatchReport:
    """Return the effects of each patch of a series, and the patches that account for the whole.

    A cell's key is the set of patches that its kernel has, numbered from 1 in the order
    of `names`, so prefix(1) and solo(1), which are one kernel, are one cell.  A kernel
    without a key was not run.  `relevance` is the smallest relative change that matters,
    `resolution` the smallest step of the tool in the metric's unit.

    Raises ValueError for a key with an unknown number.
    """
    full = frozenset(range(1, len(names) + 1))
    for key in cells:
        if not key <= full:
            raise ValueError(f"patches {sorted(key)} of a series of {len(names)}")
    pooled = pool(cells, resolution=resolution)
    problem = problem_of({application(k, len(names)): cells.get(k, Cell()) for k in (_NONE, full)})
    whole = None
    if problem is None:
        whole = pooled.effect({full: 1, _NONE: -1}, relevance=relevance, family=1)
    contrasts = [c for i in range(1, len(names) + 1) for c in _contrasts(i, full)]
    measured = [c for c in contrasts if c.has in pooled.logs and c.lacks in pooled.logs]
    shared = whole is not None and whole.finding is Finding.MATTERS
    estimates = {
        (c.number, c.way): _estimate(c, pooled, cells, full, relevance, shared, len(measured))
        for c in contrasts
    }
    pairs = [p for p in itertools.combinations(measured, 2) if p[0].number == p[1].number]
    answers = tuple(
        PatchAnswer(
            number=i,
            name=name,
            estimates=tuple(e for (k, _), e in estimates.items() if k == i),
            interaction=_interaction(
                [p for p in pairs if p[0].number == i], pooled, relevance, len(pairs)
            ),
        )
        for i, name in enumerate(names, 1)
    )
    pair = _pair(answers, measured, pooled, full) if shared else None
    answer, blamed, sentence = _blame(whole, problem, answers, pair, direction)
    return PatchReport(
        answer=answer,
        blamed=blamed,
        whole=whole,
        patches=answers,
        direction=direction,
        sentence="; ".join([sentence, *_remarks(answers, blamed), *_lost(contrasts, cells, full)]),
    )


def _contrasts(number: int, full: Applied) -> list[_Contrast]:
    """Return the ways to measure a patch's effect, each pair of kernels once."""
    this = frozenset({number})
    before = frozenset(range(1, number))
    kernels = {
        Way.SOLO: (this, _NONE),
        Way.WITHOUT: (full, full - this),
        Way.PREFIX: (before | this, before),
    }
    once = {pair: way for way, pair in reversed(kernels.items())}
    return [
        _Contrast(number=number, way=way, has=has, lacks=lacks)
        for (has, lacks), way in sorted(once.items(), key=lambda x: list(Way).index(x[1]))
    ]


def _estimate(
    contrast: _Contrast,
    pooled: Pool[Applied],
    cells: Mapping[Applied, Cell],
    full: Applied,
    relevance: float,
    shared: bool,
    family: int,
) -> Estimate:
    sides = (contrast.has, contrast.lacks)
    problem = problem_of({application(k, len(full)): cells.get(k, Cell()) for k in sides})
    if problem is not None:
        short = any(k in cells and cells[k].is_short for k in sides)
        role = Role.OPEN if short else Role.UNKNOWN
        return Estimate(way=contrast.way, effect=None, share=None, role=role, problem=problem)
    effect = pooled.effect(contrast.weights, relevance=relevance, family=family)
    share = None
    if shared:
        share = pooled.share(contrast.weights, {full: 1, _NONE: -1}, family=family)
    return Estimate(
        way=contrast.way,
        effect=effect,
        share=share,
        role=Role.UNKNOWN if share is None else role_of(share),
        problem=None,
    )


def _sum(parts: Sequence[tuple[float, Mapping[Applied, float]]]) -> dict[Applied, float]:
    total: dict[Applied, float] = {}
    for factor, weights in parts:
        for key, weight in weights.items():
            total[key] = total.get(key, 0) + factor * weight
    return total


def _interaction(
    pairs: Sequence[tuple[_Contrast, _Contrast]],
    pooled: Pool[Applied],
    relevance: float,
    family: int,
) -> Finding | None:
    """Return whether the effects of one patch differ between the ways."""
    findings = {
        pooled.effect(
            _sum([(1, a.weights), (-1, b.weights)]), relevance=relevance, family=family
        ).finding
        for a, b in pairs
    }
    order = (Finding.MATTERS, Finding.OPEN, Finding.NEGLIGIBLE)
    return next((f for f in order if f in findings), None)


def _blame(
    whole: Effect | None,
    problem: str | None,
    answers: Sequence[PatchAnswer],
    pair: _Pair | None,
    direction: Direction,
) -> tuple[Answer, tuple[int, ...], str]:
    effects = [
        f"{_patch(a)} {_effects(shown)}"
        for a in answers
        if (shown := [e for e in a.estimates if e.effect and e.effect.finding is Finding.MATTERS])
    ]
    if whole is None:
        text = "; ".join([f"the series' effect is not known: {problem}", *effects])
        return Answer.UNKNOWN, (), text
    if whole.finding is not Finding.MATTERS:
        # What one patch costs another may give back.
        answer, text = no_whole(whole, "the full series")
        return answer, (), "; ".join([text, *effects])
    subject = f"the series' {noun(whole, direction)} of {change(whole)}"
    accused = _accused(answers, pair, subject)
    if accused is not None:
        return Answer.ACCOUNTED, tuple(a.number for a in accused[0]), accused[1]
    roles = {e.role for a in answers for e in a.estimates}
    if roles <= {Role.UNKNOWN}:
        return Answer.UNKNOWN, (), f"no patch was judged for {subject}"
    if Role.OPEN in roles:
        return Answer.OPEN, (), f"{Role.OPEN.value} which patch makes {subject}"
    return Answer.NOBODY, (), f"no single patch makes {subject}"


def _accused(
    answers: Sequence[PatchAnswer], pair: _Pair | None, subject: str
) -> tuple[Sequence[PatchAnswer], str] | None:
    """Return the patches that account for the whole, with a sentence."""
    # Every way that was run points to this patch.
    sole = [a for a in answers if a.roles == {Role.ACCOUNTS}]
    bound = [a for a in answers if a.interaction is Finding.MATTERS]
    needed = [a for a in bound if a.role(Way.WITHOUT) is Role.ACCOUNTS]
    enough = [a for a in bound if a.role(Way.SOLO) is Role.ACCOUNTS]
    if len(sole) == 1 and _is_beyond(sole[0]):
        effects = _effects(sole[0].estimates)
        return sole, f"{_patch(sole[0])} accounts for more than all of {subject}: {effects}"
    if len(sole) == 1:
        return sole, f"{_patch(sole[0])} accounts for {_shares(sole[0])} of {subject}"
    if len(needed) > 1:
        text = f"make {subject} only together: leaving out any one of them undoes it"
        return needed, f"{_named(needed)} {text}"
    if len(enough) > 1:
        text = f"make {subject} each alone: leaving out one of them does not undo it"
        return enough, f"{_named(enough)} {text}"
    if pair is not None:
        both = [a for a in answers if a.number in pair[0]]
        text = f"together account for {share_text(pair[1])} of {subject}, each for a part"
        return both, f"{_named(both)} {text}"
    some = [a for a in answers if Role.ACCOUNTS in a.roles]
    text = " and ".join(f"{_patch(a)}: {_shares(a)}" for a in some)
    return (some, f"in some ways only, of {subject}: {text}") if some else None


def _pair(
    answers: Sequence[PatchAnswer],
    measured: Sequence[_Contrast],
    pooled: Pool[Applied],
    full: Applied,
) -> _Pair | None:
    """Return the two patches whose shares, measured in one way, add up to most of the whole."""
    parts = {
        (a.number, e.way)
        for a in answers
        for e in a.estimates
        if e.share is not None and e.share.low is not None and e.share.low > 0
    }
    pairs = [(a, b) for a, b in itertools.combinations(measured, 2) if a.way is b.way]
    candidates = [(a, b) for a, b in pairs if {(a.number, a.way), (b.number, b.way)} <= parts]
    shares = [
        (
            (a.number, b.number),
            pooled.share(
                _sum([(1, a.weights), (1, b.weights)]),
                {full: 1, _NONE: -1},
                family=len(pairs),
            ),
        )
        for a, b in candidates
    ]
    enough = [x for x in shares if x[1].size >= PAIR_SHARE and (x[1].low or 0) > 0]
    return max(enough, key=lambda x: x[1].size, default=None)


def _remarks(answers: Sequence[PatchAnswer], blamed: Sequence[int]) -> list[str]:
    """Return which other patches contribute, work against the whole, or interact."""
    parts = [
        f"{_patch(a)} is a part of it: {_shares(a)}"
        for a in answers
        if a.number not in blamed and a.roles and a.roles <= {Role.PART, Role.ACCOUNTS}
    ]
    parts += [
        f"{_patch(a)} works against it: {_effects(a.estimates)}"
        for a in answers
        if Role.AGAINST in a.roles and not a.roles & {Role.PART, Role.ACCOUNTS}
    ]
    tied = [str(a.number) for a in answers if a.interaction is Finding.MATTERS]
    unsure = [
        str(a.number) for a in answers if a.interaction is Finding.OPEN and a.number in blamed
    ]
    for numbers, words in ((tied, ""), (unsure, f"{Finding.OPEN.value} whether ")):
        if numbers:
            parts.append(f"{words}the effect of {', '.join(numbers)} depends on other patches")
    return parts


def _lost(
    contrasts: Sequence[_Contrast], cells: Mapping[Applied, Cell], full: Applied
) -> list[str]:
    """Return the outcomes of the kernels between none and full without a figure."""
    lost: dict[str, list[str]] = {}
    for key in dict.fromkeys(k for c in contrasts for k in (c.has, c.lacks)):
        problem = cells.get(key, Cell()).problem
        if problem is not None and key not in {_NONE, full}:
            lost.setdefault(problem, []).append(application(key, len(full)))
    return [f"{problem}: {', '.join(names)}" for problem, names in lost.items()]


def _patch(answer: PatchAnswer) -> str:
    return f"patch {answer.number} ({answer.name})"


def _named(answers: Sequence[PatchAnswer]) -> str:
    return " and ".join(map(_patch, answers))


def _shares(answer: PatchAnswer) -> str:
    return ", ".join(
        f"{share_text(e.share)} {e.way.value}" for e in answer.estimates if e.share is not None
    )


def _is_beyond(answer: PatchAnswer) -> bool:
    """Return whether other patches take back what this one does."""
    return any(e.share.size > LARGEST_SHARE for e in answer.estimates if e.share is not None)


def _effects(estimates: Sequence[Estimate]) -> str:
    return ", ".join(f"{change(e.effect)} {e.way.value}" for e in estimates if e.effect is not None)
