"""Series of two modes: pairs of equal kernels that a screen flags, and what the guard costs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from bench.evidence import table, write
from vlag.model import Direction, Verdict
from vlag.stats.compare import Question, judge
from vlag.stats.modes import common, modes
from vlag.stats.prior import prior

PAIRS = 2000
SIZES = ((3, 3), (5, 5), (10, 10), (5, 20))
# Share of the boots in the lower mode, 10 % below the other one, and the scatter within both.
SHARE, DISTANCE = 0.3, 0.1
SCATTERS = (0.005, 0.01, 0.02)
# Earlier kernels of a history and their boots, as the plan `nightly` makes them.
KERNELS, BOOTS = 12, 5
CV, CHANGE = 0.02, -0.05
FLAGS = (Verdict.REGRESSION, Verdict.IMPROVEMENT)


def boots(random: np.random.Generator, n: int, *, share: float, scatter: float) -> list[float]:
    """Draw boots near 1000, a share of them in the lower mode."""
    values = np.where(random.random(n) < share, 1 - DISTANCE, 1.0)
    return [float(v) for v in 1000 * values * np.exp(random.normal(0, scatter, n))]


def flagged(
    sizes: tuple[int, int], road: str, *, share: float, scatter: float, change: float = 0.0
) -> float:
    """Return the flags in 1000 pairs.

    On the road "files" the modes are those of the boots at hand, on "history" those of
    earlier kernels as well, which also give the prior; "unguarded" takes every series for
    one of one mode.
    """
    random = np.random.default_rng(31)
    asked = []
    for _ in range(PAIRS):
        base, new = (boots(random, n, share=share, scatter=scatter) for n in sizes)
        new = [v * (1 + change) for v in new]
        known, spread = None, None
        if road == "files":
            known = modes(base) or modes(new)
        elif road == "history":
            earlier = [boots(random, BOOTS, share=share, scatter=scatter) for _ in range(KERNELS)]
            known, spread = common([base, *earlier]) or modes(base), prior(earlier)
        asked.append(
            Question(
                base=base, new=new, direction=Direction.HIGHER, relevance=0.01, resolution=1e-9,
                prior=spread, modes=known, one_mode=known is None and road != "files",
            )
        )  # fmt: skip
    return 1000 * float(np.mean([answer.verdict in FLAGS for answer in judge(asked)]))


ROADS = ("unguarded", "files", "history")


def rows(cases: Sequence[tuple[float, float]], change: float = 0.0) -> list[Sequence[object]]:
    """Return a row for each share and scatter and each pair of sizes."""
    return [
        (f"{scatter:.1%}", f"{a} + {b}",
         *(f"{flagged((a, b), road, share=share, scatter=scatter, change=change):.1f}"
           for road in ROADS))
        for (share, scatter), (a, b) in itertools.product(cases, SIZES)
    ]  # fmt: skip


def main() -> None:
    """Measure, and write the figures."""
    head = ["scatter", "boots", *ROADS]
    write(
        "modes",
        "Series of two modes",
        "python -m bench modes",
        [f"{PAIRS} drawn pairs a line; relevance 1 %"],
        [
            "Flags (REGRESSION or IMPROVEMENT) in 1000 pairs. `unguarded`: every series is taken "
            "for one of one mode. `files`: nothing is known but the boots at hand. `history`: the "
            f"modes are also looked for in {BOOTS} boots of each of {KERNELS} earlier kernels, "
            "which give the prior too. At 2 % scatter the two modes overlap, so that no gap shows "
            "them.",
            "",
            f"## Equal kernels, {1 - SHARE:.0%} and {SHARE:.0%} of the boots in modes "
            f"{DISTANCE:.0%} apart",
            "",
            *table(head, rows([(SHARE, scatter) for scatter in SCATTERS])),
            "",
            f"## A change of {CHANGE:.0%} in a series of one mode",
            "",
            *table(head, rows([(0.0, CV)], CHANGE)),
        ],
    )


if __name__ == "__main__":
    main()
