# SPDX-License-Identifier: GPL-2.0-only
"""A new mode: some boots of a kernel lie where none of the base's ever did.

A change of levels is a change of all boots.  A mode is a share of them: 12 of 90 boots lose
38 %, the others nothing.  No test of means sees that, and a rerun whose boots all miss the mode
would call it refuted.  So a mode has questions of its own: is the share of boots in it another
(Fisher's exact test), how many boots see it again, and how large may it be where none does
(Clopper and Pearson's bound).

On a deterministic board equal seeds of two kernels are a pair: there one boot is proof.
"""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy
from attrs import frozen

from vlag.model import Direction

# Fewest boots of the base and its history that show where a boot may lie.
KNOWN_MINIMUM = 5
# Level of the prediction limit for a single boot, two-sided: of sets of five boots of an equal
# kernel one in a thousand holds one beyond it.
BOOT_LEVEL = 2e-4
# A pair of equal seeds lies so many times as far from the median pair as any that is in no mode.
GAP = 8.0
# Fewest known boots, the base's with its history's, for a mode that no test of means suspects.
HISTORY_MINIMUM = 20
# Probability with which a rerun sees a mode of the suspected share again.
SEEN_AGAIN = 0.95
# Level of the exact test on the shares, over all rounds, and confidence of the bound.
LEVEL = 2.5e-4
CONFIDENCE = 0.95
# Largest number of rerun boots a side: a mode of 13 % is confirmed with them in 17 of 20 cases.
BOOTS_MAXIMUM = 120


class ModeStand(enum.Enum):
    """State of a suspected mode."""

    CONFIRMED = "confirmed"  # its share is another than the base's
    REFUTED = "refuted"  # it is too rare to matter
    OPEN = "open"  # more boots will decide


@frozen(kw_only=True)
class RareMode:
    """The boots of a side that lie in a mode which the base does not have."""

    boots: int  # of the side
    places: tuple[int, ...]  # of those in the mode, from 0 in the order of the side's boots
    border: float  # value that separates it from the base's boots, in the metric's unit
    effect: float  # relative change of its boots against the level of the others, 0.1 = +10 %
    worse: bool

    @property
    def share(self) -> float:
        """Part of the boots that lie in the mode."""
        return len(self.places) / self.boots

    def holds(self, value: float) -> bool:
        """Return whether a boot's value lies in the mode."""
        return value < self.border if self.effect < 0 else value > self.border


@frozen(kw_only=True)
class ModeDecision:
    """What the boots of both sides say of a suspected mode."""

    stand: ModeStand
    base: tuple[int, int]  # boots in the mode, boots
    new: tuple[int, int]
    p: float  # of the null "equal shares", allowing for the rounds
    bound: float  # upper bound on the share by which the new kernel's exceeds the base's
    next_boots: int | None  # a side; only where more will decide
    reason: str  # one sentence

    @property
    def futile(self) -> bool:
        """Whether the base's boots lie in the mode as often, so that more will hardly confirm."""
        return self.base[0] >= max(1, self.new[0])


def suspected(
    known: Sequence[float],
    new: Sequence[float],
    *,
    direction: Direction,
    relevance: float,
    resolution: float = 0.0,
) -> RareMode | None:
    """Return the boots of `new` beyond everything that the `known` boots show; None for none.

    All values are positive, one a boot.  `known` are the base's boots with those of its history.
    A boot is beyond them where it is farther than the farthest by more than the relevance and
    two steps of the tool (`resolution`, in the metric's unit), and outside the prediction limits of
    normal boots at `BOOT_LEVEL`.  Where all of `new` are, that is no mode but a change of all; so
    it is where half of them are and the others have moved half of the way too.  Where some lie
    beyond either end, the mode is on the side for the worse.
    """
    if len(known) < KNOWN_MINIMUM or len(new) == 0:
        return None
    logs, new_logs = np.log(np.asarray(known, dtype=float)), np.log(np.asarray(new, dtype=float))
    spread = float(np.std(logs, ddof=1)) * math.sqrt(1 + 1 / len(logs))
    limit = -float(scipy.special.stdtrit(len(logs) - 1, BOOT_LEVEL / 2)) * spread
    least = max(math.log1p(relevance), 2 * resolution / float(np.min(known)))
    centre = float(np.mean(logs))
    ends = {
        -1: min(float(np.min(logs)) - least, centre - limit),
        1: max(float(np.max(logs)) + least, centre + limit),
    }
    worse_sign = -1 if direction is Direction.HIGHER else 1
    for sign in (worse_sign, -worse_sign):
        beyond = sign * new_logs > sign * ends[sign]
        count = int(np.sum(beyond))
        if count and (2 * count < len(new) or _apart(sign * (new_logs - centre), beyond)):
            others = np.concatenate([logs, new_logs[~beyond]])
            change = float(np.mean(new_logs[beyond]) - np.mean(others))
            return RareMode(
                boots=len(new),
                places=tuple(int(i) for i in np.flatnonzero(beyond)),
                border=math.exp(ends[sign]),
                effect=math.expm1(change),
                worse=sign == worse_sign,
            )
    return None


def _apart(moved: npt.NDArray[np.float64], beyond: npt.NDArray[np.bool_]) -> bool:
    """Return whether boots that are not in a mode have moved less than half as far as any in it."""
    rest = moved[~beyond]
    return len(rest) > 0 and 2 * float(np.max(rest)) < float(np.min(moved[beyond]))


def paired(
    base: Sequence[float], new: Sequence[float], *, direction: Direction, relevance: float
) -> RareMode | None:
    """Return the mode of a deterministic board, whose equal places hold equal seeds.

    There a boot repeats to the last digit, and kernels that execute the same differ in no pair.
    A pair is in the mode where its difference is `GAP` times as far from the median pair as any
    pair that is not, and relevant.  Half of the pairs or more are no mode but a change of all.
    None for fewer than `KNOWN_MINIMUM` pairs.
    """
    if len(base) != len(new) or len(base) < KNOWN_MINIMUM:
        return None
    ratios = np.log(np.asarray(new, dtype=float)) - np.log(np.asarray(base, dtype=float))
    centre = float(np.median(ratios))
    worse_sign = -1 if direction is Direction.HIGHER else 1
    for sign in (worse_sign, -worse_sign):
        far = sign * (ratios - centre)
        order = np.argsort(far)[::-1]
        for count in range(1, (len(ratios) - 1) // 2 + 1):
            inside, rest = order[:count], order[count:]
            farthest = float(np.max(np.abs(ratios[rest] - centre)))
            apart = max(GAP * farthest, math.log1p(relevance))
            if float(far[inside[-1]]) > apart:
                change = float(np.mean(ratios[inside])) - centre
                level = float(np.mean(np.log(np.asarray(base, dtype=float)))) + centre
                return RareMode(
                    boots=len(new),
                    places=tuple(sorted(int(place) for place in inside)),
                    border=math.exp(level + sign * apart),
                    effect=math.expm1(change),
                    worse=sign == worse_sign,
                )
    return None


def boots_to_see(share: float, *, probability: float = SEEN_AGAIN) -> int:
    """Return how many boots see a mode of a share at least once with a probability.

    Raises ValueError for a share outside 0 to 1, or of 0.
    """
    if not 0 < share <= 1:
        raise ValueError(f"the share is {share}, it must be above 0 and at most 1")
    if share == 1:
        return 1
    return math.ceil(math.log1p(-probability) / math.log1p(-share) - 1e-9)


def upper_bound(count: int, boots: int, *, confidence: float = CONFIDENCE) -> float:
    """Return the one-sided upper bound on the share of which `count` of `boots` were seen.

    Clopper and Pearson's, exact: it is below the share in at most 1 - `confidence` of all cases.
    Raises ValueError for more of them than boots.
    """
    if not 0 <= count <= boots:
        raise ValueError(f"{count} of {boots} boots is no share")
    if count == boots:
        return 1.0
    return float(scipy.stats.beta.ppf(confidence, count + 1, boots - count))


def mean_loss(share: float, effect: float) -> float:
    """Return what a mode of a share changes of the mean of the logarithms, as a relative size."""
    return abs(math.expm1(share * math.log1p(effect)))


def decide(
    mode: RareMode,
    base: Sequence[float],
    new: Sequence[float],
    *,
    matters: float,
    rounds: Sequence[int] = (),
    asked: int | None = None,
) -> ModeDecision:
    """Decide on a suspected mode by boots that did not raise it.

    Confirmed: more of the new boots than of the base's lie in the mode, by Fisher's exact test
    at `LEVEL`, one-sided and shared over the `rounds` of a rerun as `part` says.  Refuted: the
    upper bound on the share of the new boots is below `matters`, the least share that counts.
    Else open, with the boots a side that see a mode of the suspected share again or bring the
    bound below what matters, whichever is more.  `asked` are the boots a side that the rounds
    so far were to give; None: those that there are.
    """
    seen = [sum(mode.holds(v) for v in side) for side in (base, new)]
    counts = (seen[0], len(base)), (seen[1], len(new))
    boots = min(len(base), len(new)) if asked is None else asked
    weight = part(boots, rounds)
    p = min(1.0, _more(*counts) / weight) if weight else 1.0
    bound = upper_bound(seen[1], len(new))
    if p < LEVEL:
        return _decision(ModeStand.CONFIRMED, mode, counts, p, bound, None)
    if bound < matters:
        return _decision(ModeStand.REFUTED, mode, counts, p, bound, None)
    share = seen[1] / len(new) if seen[1] else mode.share
    wanted = max(boots_to_see(share), boots_to_confirm(share))
    if not seen[1]:
        wanted = max(wanted, boots_to_refute(matters))
    more = max(min(wanted, BOOTS_MAXIMUM), min(len(base), len(new)) + 1)
    next_boots = more if more <= BOOTS_MAXIMUM else None
    return _decision(ModeStand.OPEN, mode, counts, p, bound, next_boots)


def part(boots: int, rounds: Sequence[int]) -> float:
    """Return the part of `LEVEL` that a rerun may spend after so many boots a side.

    The parts of all rounds, in proportion to the squares of their boots, make 1: the last
    round, which sees most, has most of it.  Without rounds there is one look.
    """
    over = [r for r in rounds if r <= boots]
    if not rounds:
        return 1.0
    return over[-1] ** 2 / sum(r * r for r in rounds) if over else 0.0


def more_than(history: tuple[int, int], new: tuple[int, int]) -> bool:
    """Return whether boots lie in a mode more often than a history's own.

    Both are the boots in the mode and all boots.  True where the history shows none; else by
    Fisher's exact test at `LEVEL`.
    """
    return not history[0] or surely_more(history, new)


def surely_more(base: tuple[int, int], new: tuple[int, int]) -> bool:
    """Return whether new boots lie in a mode more often than the base's, at `LEVEL`.

    Both are the boots in the mode and all boots.
    """
    return _more(base, new) < LEVEL


@functools.cache
def _more(base: tuple[int, int], new: tuple[int, int]) -> float:
    """Return p of Fisher's exact test of a larger share, from boots in the mode and all boots."""
    table = np.asarray([[count, boots - count] for count, boots in (new, base)])
    return float(scipy.stats.fisher_exact(table, alternative="greater").pvalue)


def boots_to_confirm(share: float) -> int:
    """Return the fewest boots a side in which a mode of a share, and none of the base, is proof.

    More than `BOOTS_MAXIMUM` where no such number is at most that.
    """
    for boots in range(KNOWN_MINIMUM, BOOTS_MAXIMUM + 1):
        count = round(share * boots)
        # Fisher's exact test where all boots in the mode are of one side.
        if math.comb(boots, count) < LEVEL * math.comb(2 * boots, count):
            return boots
    return BOOTS_MAXIMUM + 1


def boots_to_refute(matters: float) -> int:
    """Return the fewest boots without the mode whose upper bound is below a share."""
    return boots_to_see(matters, probability=CONFIDENCE) + 1


def _decision(
    stand: ModeStand,
    mode: RareMode,
    counts: tuple[tuple[int, int], tuple[int, int]],
    p: float,
    bound: float,
    next_boots: int | None,
) -> ModeDecision:
    base, new = counts
    return ModeDecision(
        stand=stand,
        base=base,
        new=new,
        p=p,
        bound=bound,
        next_boots=next_boots,
        reason=sentence(mode, base, new, bound, stand, next_boots),
    )


def shares(mode: RareMode, base: tuple[int, int], new: tuple[int, int]) -> str:
    """Return the shares of both sides: "3 of 20 boots lose 38 %; of the base's 20, none"."""
    verb = "lose" if mode.worse else "gain"
    if new[0] == 1:
        verb += "s"
    size = f"{100 * abs(mode.effect):.3g} %"
    of_base = f"{base[0]}" if base[0] else "none"
    if new[0]:
        return f"{new[0]} of {new[1]} boots {verb} {size}; of the base's {base[1]}, {of_base}"
    text = f"none of {new[1]} boots {verb} {size}, as {len(mode.places)} of {mode.boots} did"
    return text + (f"; of the base's {base[1]}, {of_base}" if base[0] else "")


def sentence(
    mode: RareMode,
    base: tuple[int, int],
    new: tuple[int, int],
    bound: float,
    stand: ModeStand,
    next_boots: int | None,
) -> str:
    """Return a mode in one sentence, which begins with its `shares`."""
    text = shares(mode, base, new)
    if stand is ModeStand.REFUTED:
        return f"{text}: it is of less than {100 * bound:.2g} % of the boots"
    if stand is ModeStand.OPEN:
        more = f"; {next_boots} boots a side will say more" if next_boots else ""
        return f"{text}: it may still be of up to {100 * bound:.2g} % of the boots{more}"
    return text
