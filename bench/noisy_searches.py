# SPDX-License-Identifier: GPL-2.0-only
"""Searches for a commit on boards whose boots scatter: how often the answer is right.

Commits are those of a real repository, their boots are drawn (`bench.noisy_boots`); all else is
what the service runs.  Each boot has one of four boards, whose levels differ and are taken off as
the service does.  Beside it stands `git bisect run` with five boots of each commit beside five of
the good one, as people do it by hand, on the same draws.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median

from attrs import field, frozen

from bench import noisy_boots
from bench.bad_boots import interval
from bench.evidence import table, write
from bench.noisy_boots import Drawn, Noise
from tests.repositories import WorkTree
from vlag.errors import UsageError
from vlag.kernel import mirror
from vlag.search.bisection import MOST_NOISY, Bisection
from vlag.search.found import OutOfBootsError
from vlag.search.noisy_search import SURE
from vlag.search.walks import BOOTS

COMMITS = 64
#: Searches of a row: one takes two to three seconds.
SEARCHES = 24
#: The same where boots are like real ones.
SEARCHES_REAL = 100
#: A boot in minutes: the benchmark, and what the board needs to boot.
BENCHMARK_MIN, BOOT_MIN = 10, 1
#: What a search may take of all boards together, the boots that verify it included.
BOARD_HOURS = 8
#: Boots of both ends with which the service confirmed the regression, before the search.
RECORDED = 10
RIGHT, NONE, WRONG, SEVERAL = "right", "none named", "wrong", "several commits"
_NOT_CONFIRMED = "not confirmed"


@frozen(kw_only=True)
class Cell:
    """What boots are like, and what the culprits cost."""

    name: str
    losses: Sequence[float]  # of one commit each; equal commits are never drawn
    noise: Noise
    searches: int = SEARCHES
    hours: int = BOARD_HOURS
    # Commits from the culprit to the one that another board type has named; None: none did.
    named: int | None = None

    @property
    def budget(self) -> int:
        """Return the boots of a search."""
        return self.hours * 60 // (BENCHMARK_MIN + BOOT_MIN)


@frozen(kw_only=True)
class Answers:
    """What searches of a cell answered."""

    cell: Cell
    ours: Counter[str] = field(factory=Counter)
    by_hand: Counter[str] = field(factory=Counter)
    words: list[str] = field(factory=list)  # ours, of those that were confirmed
    boots: list[int] = field(factory=list)
    limits: list[float] = field(factory=list)

    @property
    def beyond(self) -> int:
        """Return how many need more boots than the board hours hold, whatever searches."""
        return sum(limit > self.cell.budget for limit in self.limits)

    @property
    def unnamed(self) -> str:
        """Return a sentence on the limits of those that named none; nothing where all named one."""
        both = zip(self.words, self.limits, strict=True)
        limits = [limit for word, limit in both if word == NONE]
        if not limits:
            return ""
        return f" Those that named none have limits from {min(limits):.0f} to {max(limits):.0f}."

    @property
    def right_within(self) -> int:
        """Return how many of the others are right."""
        both = zip(self.words, self.limits, strict=True)
        return sum(word == self.right and limit <= self.cell.budget for word, limit in both)

    @property
    def confirmed(self) -> int:
        """Return the searches whose regression the ends' boots confirm: the others begin none."""
        return sum(n for word, n in self.ours.items() if word != _NOT_CONFIRMED)

    @property
    def right(self) -> str:
        """Return the word of the right answer."""
        return RIGHT if len(self.cell.losses) == 1 else SEVERAL


def searched(
    repository: Path,
    drawn: Drawn,
    commits: Sequence[str],
    culprits: Sequence[int],
    cell: Cell,
) -> str:
    """Return what the service answers within the boots of a cell."""
    good, bad = (mirror.resolve(repository, c) for c in (commits[0], commits[-1]))
    search = Bisection(
        measurer=drawn, mirror=repository, scratch=repository.parent / "scratch", good=good,
        bad=bad, boots=BOOTS, most=RECORDED, noisy=True, recorded=RECORDED,
        budget=cell.budget, most_of_commit=MOST_NOISY,
        candidates=elsewhere(cell, commits, culprits),
    )  # fmt: skip
    try:
        answer = search.run(())
    except OutOfBootsError:
        return NONE
    except UsageError:
        return _NOT_CONFIRMED
    if answer.odds is not None and answer.odds.growth is not None:
        return SEVERAL
    if answer.doubt is not None:
        return NONE
    return RIGHT if answer.commits[0].sha in [commits[c] for c in culprits] else WRONG


def elsewhere(cell: Cell, commits: Sequence[str], culprits: Sequence[int]) -> list[str]:
    """Return the commit that another board type has named, round the end of the history."""
    if cell.named is None:
        return []
    return [commits[1 + (culprits[0] - 1 + cell.named) % COMMITS]]


def by_hand(commits: Sequence[str], drawn: Drawn, culprits: Sequence[int]) -> str:
    """Return what a search by hand finds: five boots, and the nearer of both ends by the mean."""
    seeds = range(1, BOOTS + 1)

    def level(n: int) -> float:
        return fmean(drawn.values(commits[n], seeds))

    first, last = 0, len(commits) - 1
    border = (level(first) + level(last)) / 2
    while last - first > 1:
        middle = (first + last) // 2
        if level(middle) < border:
            last = middle
        else:
            first = middle
    return RIGHT if last in culprits else WRONG


def answers(cell: Cell, repository: Path, commits: Sequence[str]) -> Answers:
    """Make the searches of a cell."""
    made = Answers(cell=cell)
    ends = {(c, s) for c in (commits[0], commits[-1]) for s in range(1, RECORDED + 1)}
    for lot in range(cell.searches):
        culprits = random.Random(lot).sample(range(1, COMMITS + 1), len(cell.losses))
        losses = dict(zip(culprits, cell.losses, strict=True))
        draw = cell.noise(lot)
        drawn = Drawn(commits, losses, draw, lot)
        word = searched(repository, drawn, commits, culprits, cell)
        made.ours[word] += 1
        if word == _NOT_CONFIRMED:
            continue
        made.words.append(word)
        booted = {(c, s) for c, by_seed in drawn.boots.items() for s in by_seed}
        made.boots.append(len(booted - ends))
        made.by_hand[by_hand(commits, Drawn(commits, losses, draw, lot), culprits)] += 1
        made.limits.append(noisy_boots.least_boots(draw, max(cell.losses), COMMITS, 1 - SURE))
    return made


def repository(folder: Path) -> tuple[Path, list[str]]:
    """Make the commits, each in a file of its own so that it reverts."""
    tree = WorkTree(folder / "tree")
    commits = [tree.commit(f"change {n}", **{f"file{n}": f"{n}\n"}) for n in range(COMMITS + 1)]
    return tree.folder / ".git", commits


def cells(real: Noise) -> list[Cell]:
    """Return what is searched."""
    return [
        *(Cell(name="as real runs", losses=(loss,), noise=real, searches=SEARCHES_REAL)
          for loss in (0.05, 0.10)),
        Cell(name="as real runs, 16 hours", losses=(0.05,), noise=real, hours=2 * BOARD_HOURS),
        Cell(name="2 %", losses=(0.05,), noise=noisy_boots.normal(0.02)),
        Cell(name="3 %", losses=(0.05,), noise=noisy_boots.normal(0.03)),
        Cell(name="3 %, 16 hours", losses=(0.05,), noise=noisy_boots.normal(0.03),
             hours=2 * BOARD_HOURS),
        Cell(name="3 %", losses=(0.10,), noise=noisy_boots.normal(0.03)),
        Cell(name="2 %, 5 % off x 1.3", losses=(0.05,), noise=noisy_boots.normal(0.02, 0.05, 1.3)),
        Cell(name="1 %, 30 % of boots 10 % lower", losses=(0.05,),
             noise=noisy_boots.two_modes(0.01, 0.3, 0.10)),
        Cell(name="1 %, 30 % of boots 10 % lower", losses=(0.10,),
             noise=noisy_boots.two_modes(0.01, 0.3, 0.10)),
        Cell(name="2 %, named before", losses=(0.05,), noise=noisy_boots.normal(0.02), named=0),
        Cell(name="3 %, its child named before", losses=(0.05,), noise=noisy_boots.normal(0.03),
             named=1),
        Cell(name="3 %, its parent named before", losses=(0.05,), noise=noisy_boots.normal(0.03),
             named=-1),
        Cell(name="1 %", losses=(0.03, 0.03), noise=noisy_boots.normal(0.01)),
        Cell(name="2 %", losses=(0.05, 0.05), noise=noisy_boots.normal(0.02)),
    ]  # fmt: skip


def row(made: Answers) -> tuple[object, ...]:
    """Return a line of the table."""
    n, cell = made.confirmed, made.cell
    return (
        " and ".join(f"{loss:.0%}" for loss in cell.losses), cell.name, f"{n} of {cell.searches}",
        interval(made.ours[made.right], n), made.ours[NONE], interval(wrong(made), n),
        f"{median(made.boots):.0f}", f"{median(made.limits):.0f}", made.beyond,
        f"{max(made.boots) * (BENCHMARK_MIN + BOOT_MIN) / 60:.1f}",
        interval(made.by_hand[RIGHT], n) if len(cell.losses) == 1 else "-",
    )  # fmt: skip


def wrong(made: Answers) -> int:
    """Return the answers that name one commit, or several, wrongly."""
    return made.ours[WRONG] + (made.ours[SEVERAL] if made.right == RIGHT else 0)


def summary(every: Sequence[Answers]) -> list[str]:
    """Return how often rows together name a wrong commit, and what 8 board hours can hold."""
    total, wrongly = sum(made.confirmed for made in every), sum(map(wrong, every))
    lines = [f"- Of all {total} searches {wrongly} named wrongly: {interval(wrongly, total)}."]
    for made in every:
        if made.beyond:
            within, right = made.confirmed - made.beyond, made.right_within
            lines.append(
                f"- {made.cell.losses[0]:.0%}, {made.cell.name}: in {made.beyond} of"
                f" {made.confirmed} the limit is beyond the {made.cell.budget} boots; of the other"
                f" {within} {right} are right, {interval(right, within)}.{made.unnamed}"
            )
    return lines


def main() -> None:
    """Draw the searches and write the table."""
    rows, origin = noisy_boots.runs()
    every = []
    with tempfile.TemporaryDirectory() as folder:
        git, commits = repository(Path(folder))
        for cell in cells(noisy_boots.real(rows)):
            every.append(answers(cell, git, commits))
            print(*row(every[-1]), sep=" | ", file=sys.stderr, flush=True)
    page(every, origin)


def page(every: Sequence[Answers], origin: str) -> None:
    """Write the table of all rows."""
    write(
        "noisy-searches",
        "The commit of a regression on boards whose boots scatter",
        "python -m bench noisy_searches",
        [f"runs: {origin}", "the boots are drawn; git, the steps and the tests are the service's"],
        [
            f"Each search is among {COMMITS} commits, on {len(noisy_boots.BOARDS)} boards that",
            "differ by up to 8 %; a boot takes"
            f" {BENCHMARK_MIN} minutes of benchmark and {BOOT_MIN} more. A search has",
            f"{BOARD_HOURS} board hours, {every[0].cell.budget} boots, or where the row says 16"
            " twice as many,",
            "those that verify the commit and its"
            f" revert included; {RECORDED} boots of each end confirmed the regression before.",
            f"A commit is named at a chance of {SURE}. Named before: another board type has",
            "named this commit, its parent or its child, and it is asked about first. By hand:",
            f"`git bisect run` with {BOOTS} boots a commit, the nearer end by the mean. The limit:",
            "the boots that no search can"
            f" do without, for an error of {1 - SURE:.2f}; beyond: the searches whose limit is more"
            " than",
            "the board hours hold. 95 % intervals (Clopper and Pearson).",
            "",
            *table(
                ("loss", "scatter", "confirmed", RIGHT, NONE, WRONG, "boots, median",
                 "limit, median", "beyond", "board hours at most", "by hand"),
                map(row, every),
            ),
            "",
            *summary(every),
        ],
    )  # fmt: skip
