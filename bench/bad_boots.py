# SPDX-License-Identifier: GPL-2.0-only
"""Boots as they are: some off by a factor, or in two modes; a small change, and equal kernels.

Each line takes pairs of kernels through the screen and the rounds of a plan as shipped.  False
alarms are a product: the share of equal kernels that a screen suspects, and the share of suspects
that fresh boots of equal kernels confirm.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen
from scipy import stats

from bench import trials
from bench.evidence import announced, table
from bench.shapes import Shape
from vlag.compare.history import Known
from vlag.stats.compare import judge
from vlag.stats.modes import ONE_MODE_BOOTS, common, modes
from vlag.stats.prior import prior
from vlag.stats.stages import Stand

Floats = npt.NDArray[np.float64]

CHANGE = 0.05
# Earlier kernels and their boots.
KERNELS, BOOTS = 12, 5
# Histories a line: fitting one a pair would take long.
HISTORIES = 100


@frozen(kw_only=True)
class Noise:
    """How boots of one kernel differ: log-normal, some of them off by a factor."""

    name: str
    cv: float = 0.01
    share: float = 0.0
    factor: float = 1.0

    def draw(self, random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Return logarithms of boots."""
        off = np.where(random.random(shape) < self.share, np.log(self.factor), 0.0)
        return np.asarray(random.normal(0.0, self.cv, shape) + off)


NOISES = (
    Noise(name="CV 1 %"),
    Noise(name="CV 2 %", cv=0.02),
    Noise(name="2 % of boots x 2", share=0.02, factor=2.0),
    Noise(name="5 % of boots x 2", share=0.05, factor=2.0),
    Noise(name="5 % of boots x 1.3", share=0.05, factor=1.3),
    Noise(name="10 % of boots x 1.3", share=0.1, factor=1.3),
    Noise(name="10 % of boots / 1.3", share=0.1, factor=1 / 1.3),
    Noise(name="two modes 70/30, 10 % apart", share=0.3, factor=0.9),
)


@frozen(kw_only=True)
class Size:
    """How many pairs are drawn."""

    pairs: int  # with a change
    equal: int  # of equal kernels, in a screen
    suspects: int  # of equal kernels, in a confirmation


FULL = Size(pairs=4000, equal=10_000, suspects=20_000)
QUICK = Size(pairs=500, equal=1000, suspects=2000)


def _histories(random: np.random.Generator, noise: Noise, count: int) -> list[Known]:
    """Return what earlier kernels tell, of each of some pairs in turn."""
    histories = []
    for _ in range(HISTORIES):
        earlier = np.exp(noise.draw(random, (KERNELS, BOOTS))).tolist()
        two = common(earlier) or modes(earlier[0])
        one = two is None and KERNELS * BOOTS >= ONE_MODE_BOOTS
        histories.append(Known(prior=prior(earlier), modes=two, one_mode=one))
    return [histories[i % HISTORIES] for i in range(count)]


def _screen(
    shape: Shape, noise: Noise, change: float, pairs: int, seed: int, *, history: bool
) -> tuple[list[float | None], list[Known] | None]:
    """Return the effects of the suspects among some pairs, and their histories."""
    random = np.random.default_rng([8000, seed])
    known = _histories(random, noise, pairs) if history else None
    logs = noise.draw(random, (pairs, 2, shape.seeds))
    logs[:, 1] += np.log1p(change)
    asked = trials.questions(logs[:, 0], logs[:, 1], relevance=shape.relevance, histories=known)
    answers = judge(asked)
    places = [i for i, a in enumerate(answers) if a.suspect]
    return [answers[i].effect for i in places], [known[i] for i in places] if known else None


def _confirm(
    shape: Shape,
    noise: Noise,
    change: float,
    effects: Sequence[float | None],
    known: Sequence[Known] | None,
    seed: int,
) -> tuple[int, float]:
    """Return how many suspects are confirmed as what they are, and rerun boots a suspect."""
    random = np.random.default_rng([8001, seed])

    def draw(places: npt.NDArray[np.int64], boots: int) -> Floats:
        logs = noise.draw(random, (len(places), 2, boots))
        logs[:, 1] += np.log1p(change)
        return logs

    made, ran = trials.confirmed(shape, draw, effects, histories=known)
    right = sum(
        d.stand is Stand.CONFIRMED and (d.comparison.effect or 0.0) * (change or 1.0) > 0
        for d in made
    ) if change else sum(d.stand is Stand.CONFIRMED for d in made)  # fmt: skip
    return right, ran / max(1, len(effects)) / 2


def interval(count: int, total: int) -> str:
    """Return a share with Clopper and Pearson's 95 % interval."""
    ends = stats.binomtest(count, total).proportion_ci(method="exact")
    return f"{count / total:.3f} [{ends.low:.3f}, {ends.high:.3f}]"


def line(shape: Shape, noise: Noise, size: Size, seed: int, *, history: bool) -> tuple[str, ...]:
    """Return a line of the table."""
    effects, known = _screen(shape, noise, CHANGE, size.pairs, seed, history=history)
    right, boots = _confirm(shape, noise, CHANGE, effects, known, seed)
    used = shape.seeds + boots * len(effects) / size.pairs
    suspects, _ = _screen(shape, noise, 0.0, size.equal, seed + 100, history=history)
    random = np.random.default_rng([8002, seed])
    signs: list[float | None] = [*random.choice([-1.0, 1.0], size.suspects).tolist()]
    equal = _histories(random, noise, size.suspects) if history else None
    false_alarms, more = _confirm(shape, noise, 0.0, signs, equal, seed + 100)
    screened = len(suspects) / size.equal
    most = (
        1000 * trials.bound(len(suspects), size.equal) * trials.bound(false_alarms, size.suspects)
    )
    return (
        noise.name,
        str(KERNELS if history else 0),
        interval(right, size.pairs),
        f"{used:.1f}",
        f"{screened:.3f}",
        f"{1000 * screened * false_alarms / size.suspects:.4f} (at most {most:.4f})",
        f"{shape.seeds + more * screened:.1f}",
    )


def bad_boots(shape: Shape, size: Size) -> list[str]:
    """Return the table of a change, and of equal kernels, by what is wrong with the boots."""
    rows = (
        line(shape, noise, size, i, history=history)
        for i, noise in enumerate(NOISES)
        for history in (False, True)
    )
    return [
        f"Shape: {shape}. A change of {CHANGE:+.0%}; {size.pairs} pairs a line. Equal kernels:"
        f" {size.equal} pairs in the screen, {size.suspects} suspects in the reruns. Boots are"
        " those of a side, screen and reruns, on average over all pairs. Brackets are 95 %"
        " intervals, bounds are one-sided.",
        "",
        *table(
            ["boots", "earlier kernels", "told", "boots a side", "equal: suspected",
             "equal: told in 1000", "equal: boots a side"],
            announced("bad boots", rows),
        ),
    ]  # fmt: skip
