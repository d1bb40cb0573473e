# SPDX-License-Identifier: GPL-2.0-only
"""A search over real commits, with figures that the test sets."""

from __future__ import annotations

import math
import random
import shutil
import signal
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define, field

from bench import noisy_boots
from tests.repositories import WorkTree, git
from tests.waiting import until
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import mirror as mirrors
from vlag.kernel.search import BAD, GOOD, SKIP, Search, reverted
from vlag.search.ahead import Ahead
from vlag.search.bisection import Bisection
from vlag.search.found import AlikeError, Found, OutOfBootsError, step_text
from vlag.search.measure import Figure, Measures, Unmeasurable, figure
from vlag.search.noisy_search import FRESH, NoisySearch
from vlag.stats.culprits import Beliefs
from vlag.stats.nearer import calmed, nearer, nearer_by_share

pytestmark = pytest.mark.slow

# A seed moves every kernel's figure alike; boots scatter by a tenth of a percent.
SCATTER = (1.0, 1.001, 0.999, 1.0005, 0.9995, 1.0002, 0.9998, 1.0008, 0.9992, 1.0)


@define
class Tree:
    """A repository with a file for each part, and the commits of its one branch."""

    path: Path
    commits: list[str] = field(factory=list)

    def git(self, *words: str) -> str:
        return git(self.path, *words)

    def commit(self, n: int, part: str) -> None:
        files = {f"{part}/{name}.c": f"{n}\n" for name in ("file", n)}
        self.commits.append(WorkTree(self.path).commit(f"{part}: change {n}", **files))


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Commit 0 and sixteen on top; every fourth one is outside of the scheduler."""
    made = Tree(tmp_path_factory.mktemp("history") / "tree")
    for n in range(17):
        made.commit(n, "mm" if n % 4 == 3 else "kernel/sched")
    return made


@pytest.fixture
def tree(history: Tree, tmp_path: Path) -> Tree:
    """A copy of it."""
    shutil.copytree(history.path, tmp_path / "tree")
    return Tree(tmp_path / "tree", list(history.commits))


class Boots:
    """Stands for builds and boots: a level for each commit, or a reason why it has none."""

    def __init__(
        self, tree: Tree, of: Figure, catalogue: Catalogue, levels: Mapping[int, float | str]
    ) -> None:
        self.figure, self.board_type = of, catalogue.board_types["qemu-sim-2"]
        self._tree, self._levels = tree, levels
        self.asked: list[str] = []
        self.seeds: dict[str, list[int]] = {}
        self.of_mode = False

    def build(self, commit: str) -> Path:
        return self._tree.path / commit

    def search_mode(self) -> None:
        self.of_mode = True

    def known(self, commits: Sequence[str]) -> set[str]:
        return set(self.asked) & set(commits)

    def history(self) -> Sequence[Sequence[float]]:
        return ()

    def values(self, commit: str, seeds: Sequence[int]) -> list[float]:
        self.asked.append(commit)
        self.seeds.setdefault(commit, []).extend(seeds)
        if commit in self._tree.commits:
            n = self._tree.commits.index(commit)
            level = self._levels[max(k for k in self._levels if k <= n)]
        else:
            level = self._levels[0]  # with the culprit reverted
        if isinstance(level, str):
            raise Unmeasurable(level)
        return [self.value(level, commit, seed) for seed in seeds]

    def values_of(self, seeds_of: Mapping[str, Sequence[int]]) -> list[list[float]]:
        return [self.values(commit, seeds) for commit, seeds in seeds_of.items()]

    def value(self, level: float, commit: str, seed: int) -> float:
        del commit
        return level * SCATTER[seed % len(SCATTER)]


class RareBoots(Boots):
    """The same, where a share of the boots from one commit on loses a third.

    Which boots do is another draw of each commit.
    """

    def __init__(
        self, tree: Tree, of: Figure, catalogue: Catalogue, culprit: int, share: float
    ) -> None:
        super().__init__(tree, of, catalogue, {0: 100.0})
        self.culprit, self.share = culprit, share

    def value(self, level: float, commit: str, seed: int) -> float:
        n = self._tree.commits.index(commit) if commit in self._tree.commits else -1
        shown = n >= self.culprit and random.Random(f"{n} {seed}").random() < self.share
        return super().value(level, commit, seed) * (0.62 if shown else 1.0)


class NoisyBoots(Boots):
    """Boots of hardware: they scatter by 2 %, and one in twenty is off by 30 %."""

    def __init__(
        self, tree: Tree, of: Figure, catalogue: Catalogue, levels: Mapping[int, float], lot: int
    ) -> None:
        super().__init__(tree, of, catalogue, levels)
        self.board_type, self.lot = catalogue.board_types["rpi5"], lot

    def value(self, level: float, commit: str, seed: int) -> float:
        lot = random.Random(f"{self.lot} {self._tree.commits.index(commit)} {seed}")
        off = 1.3 if lot.random() < 0.05 else 1.0
        return level * math.exp(lot.gauss(0, 0.02)) / off


class Lucky(NoisyBoots):
    """The loss is gone when a commit is verified; a search that asks without end is stopped."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.verified: set[tuple[str, int]] = set()
        self.read = 0

    def value(self, level: float, commit: str, seed: int) -> float:
        self.verified |= {(commit, seed)} if seed > FRESH else set()
        # One that is read again is no other boot; a search without end asks for one all the same.
        self.read += seed > FRESH
        assert len(self.verified) < 5000
        assert self.read < 100_000
        return super().value(100.0 if seed > FRESH else level, commit, seed)


@pytest.fixture
def of(catalogue: Catalogue) -> Figure:
    return figure(catalogue.benchmark("stress-ng-switch"), None, {}, {})


def search(boots: Measures, tree: Tree, first: int = 0, last: int = 16, **more: Any) -> Bisection:
    good, bad = (mirrors.resolve(tree.path / ".git", tree.commits[n]) for n in (first, last))
    return Bisection(
        measurer=boots,
        mirror=tree.path / ".git", scratch=tree.path.with_name("scratch"), good=good, bad=bad,
        boots=5, most=20, **more,
    )  # fmt: skip


def words(found: Found, tree: Tree) -> dict[int, str]:
    return {tree.commits.index(s.commit.sha): s.word for s in found.steps}


def test_the_culprit_is_found_in_as_few_steps_as_can_be(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    for culprit in range(1, 17):
        boots = Boots(tree, of, catalogue, {0: 100.0, culprit: 97.0})
        found = search(boots, tree).run(())
        assert [c.sha for c in found.commits] == [tree.commits[culprit]]
        assert len(found.steps) <= 4  # of sixteen commits
        assert found.worse
        assert found.check is not None
        assert found.check.share == pytest.approx(1, abs=0.1)


class Noted(Ahead):
    """Notes what is built ahead, and what is wanted of it."""

    def __init__(self) -> None:
        self.begun: list[list[str]] = []
        self.wanted: list[str | None] = []

    def begin(self, commits: Sequence[str]) -> None:
        self.begun.append(list(commits))

    def want(self, commit: str | None) -> None:
        self.wanted.append(commit)


@pytest.mark.parametrize(
    ("culprit", "paths"),
    [(1, ()), (6, ()), (11, ()), (16, ()), (6, ("kernel/sched",)), (16, ("kernel/sched",))],
)
def test_what_is_built_ahead_is_what_git_asks_for(
    tree: Tree, of: Figure, catalogue: Catalogue, culprit: int, paths: tuple[str, ...]
) -> None:
    boots = Boots(tree, of, catalogue, {0: 100.0, culprit: 97.0})
    ahead = Noted()
    found = search(boots, tree, ahead=ahead).run(paths)
    asked = [s.commit.sha for s in found.steps]
    scheduler = [c for n, c in enumerate(tree.commits) if n % 4 != 3]
    for commit, begun in zip(asked[1:], ahead.begun, strict=False):
        # The parent of what was found is no question of git's.
        assert commit in begun or (paths and commit not in scheduler)
        assert len(begun) <= 2
    assert ahead.wanted[: len(asked)] == asked
    assert ahead.wanted[-1] is None


@pytest.fixture(params=[signal.SIG_DFL, signal.SIG_IGN], ids=["in front", "in the background"])
def _sigint(request: pytest.FixtureRequest) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, request.param)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_sigint")
def test_what_is_not_wanted_is_stopped(tmp_path: Path) -> None:
    """The wanted build ends by itself, the other one by the signal of a keyboard."""

    def command(commit: str) -> list[str]:
        act = f"trap 'touch {tmp_path}/{commit}-stopped; exit' INT; touch {tmp_path}/{commit}-begun"
        wait = "n=0; while [ $n -lt 600 ]; do sleep 0.1; n=$((n+1)); done"
        return ["sh", "-c", f"{act}; {wait if commit == 'odd' else 'sleep 0.5'};"
                f" touch {tmp_path}/{commit}-built"]  # fmt: skip

    def begun(ahead: Ahead, *commits: str) -> None:
        ahead.begin(commits)
        until((tmp_path / f"{commits[0]}-begun").exists)

    ahead = Ahead(command)
    begun(ahead, "one", "two")
    ahead.want("one")
    begun(ahead, "odd", "two")
    ahead.want("other")
    made = sorted(p.name for p in tmp_path.iterdir())
    assert made == ["odd-begun", "odd-stopped", "one-begun", "one-built"]


def test_what_verifies_has_seeds_that_no_step_has_seen(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    boots = Boots(tree, of, catalogue, {0: 100.0, 16: 97.0})
    found = search(boots, tree).run(())
    assert found.check is not None
    assert found.check.recovered == pytest.approx(1, abs=0.1)
    for n in (15, 16):
        assert [s for s in boots.seeds[tree.commits[n]] if s > FRESH]


def test_commits_that_cannot_be_measured_are_skipped(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    levels: dict[int, float | str] = {
        0: 100.0,
        8: "does not build: no",
        9: 100.0,
        11: 97.0,
        12: "panic: oh",
        13: 97.0,
    }
    boots = Boots(tree, of, catalogue, levels)
    found = search(boots, tree).run(())
    assert [c.sha for c in found.commits] == [tree.commits[11]]
    skips = [s for s in found.steps if s.word == "skip"]
    assert skips
    assert len(found.steps) <= 4 + len(skips) + 1
    assert {s.why for s in skips} <= {"does not build: no", "panic: oh"}
    words = step_text(skips[0], "1/s")
    assert "does not build: no" in words or "panic: oh" in words


@pytest.mark.parametrize(
    ("skipped", "culprit"), [({8}, 9), ({8}, 16), ({4, 8}, 6), ({7, 8}, 1), ({8, 9}, 14)]
)
def test_skips_cost_little_wherever_they_are(
    skipped: set[int], culprit: int, tree: Tree, tmp_path: Path
) -> None:
    """Each skip is a step; beside them there is one step more than without, at most."""
    asked: list[int] = []

    def judge(sha: str, _left: int) -> str:
        asked.append(tree.commits.index(sha))
        return SKIP if asked[-1] in skipped else BAD if asked[-1] >= culprit else GOOD

    end = Search(tree.path / ".git", tmp_path / "s", tree.commits[0], tree.commits[16]).run(judge)
    assert tree.commits[culprit] in end.commits
    assert {tree.commits.index(sha) for sha in end.commits} <= {culprit, *skipped}
    skips = skipped.intersection(asked)
    assert skips
    assert len(asked) == len(set(asked)) <= math.ceil(math.log2(16)) + len(skips) + 1


def test_skips_around_the_culprit_leave_several(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    """Negative control: what was not measured is not blamed alone."""
    boots = Boots(tree, of, catalogue, {0: 100.0, 6: "hang: it", 7: 97.0})
    found = search(boots, tree).run(())
    assert {c.sha for c in found.commits} == {tree.commits[6], tree.commits[7]}
    assert found.check is None


def test_paths_come_first_and_all_commits_if_the_culprit_is_elsewhere(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    boots = Boots(tree, of, catalogue, {0: 100.0, 6: 97.0})
    found = search(boots, tree).run(("kernel/sched",))
    assert [c.sha for c in found.commits] == [tree.commits[6]]
    assert not {3, 7, 11, 15} & words(found, tree).keys() - {5}
    boots = Boots(tree, of, catalogue, {0: 100.0, 7: 97.0})
    found = search(boots, tree).run(("kernel/sched",))
    assert [c.sha for c in found.commits] == [tree.commits[7]]
    found = search(Boots(tree, of, catalogue, {0: 100.0, 7: 97.0}), tree).run(("fs",))
    assert [c.sha for c in found.commits] == [tree.commits[7]]


def test_what_is_not_clear_gets_more_boots_and_then_a_skip(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    middle = 98.4886  # halfway, by logarithms
    boots = Boots(tree, of, catalogue, {0: 100.0, 8: middle, 9: 97.0})
    found = search(boots, tree).run(())
    skip = next(s for s in found.steps if s.word == "skip")
    assert skip.why == "undecided after 20 boots"
    assert {c.sha for c in found.commits} == {tree.commits[8], tree.commits[9]}


def test_ends_that_do_not_differ_are_refused(tree: Tree, of: Figure, catalogue: Catalogue) -> None:
    """Negative control: no commit is blamed for nothing."""
    boots = Boots(tree, of, catalogue, {0: 100.0})
    with pytest.raises(UsageError, match=r"after 20 boots of each, .* do not surely differ"):
        search(boots, tree).run(())
    assert set(boots.asked) == {tree.commits[0], tree.commits[16]}


def test_an_improvement_is_found_as_well(tree: Tree, of: Figure, catalogue: Catalogue) -> None:
    found = search(Boots(tree, of, catalogue, {0: 100.0, 9: 104.0}), tree).run(())
    assert [c.sha for c in found.commits] == [tree.commits[9]]
    assert not found.worse


def test_an_end_without_figures_is_refused(tree: Tree, of: Figure, catalogue: Catalogue) -> None:
    boots = Boots(tree, of, catalogue, {0: 100.0, 16: "panic: no init"})
    with pytest.raises(UsageError, match="panic: no init"):
        search(boots, tree).run(())


def test_good_must_be_an_ancestor(tree: Tree, of: Figure, catalogue: Catalogue) -> None:
    boots = Boots(tree, of, catalogue, {0: 100.0})
    with pytest.raises(UsageError, match="is no ancestor of"):
        search(boots, tree, first=16, last=0).run(())


def test_a_second_search_asks_nothing_again(tree: Tree, of: Figure, catalogue: Catalogue) -> None:
    """What is on record is what `Measurer` reuses; git's own notes need not survive."""
    first = search(Boots(tree, of, catalogue, {0: 100.0, 6: 97.0}), tree).run(())
    again = search(Boots(tree, of, catalogue, {0: 100.0, 6: 97.0}), tree).run(())
    assert again.steps == first.steps


def test_a_commit_that_later_ones_need_does_not_revert(tree: Tree, tmp_path: Path) -> None:
    mirror = tree.path / ".git"
    # Every commit rewrites file.c, so only the last of each part reverts.
    assert reverted(mirror, tree.commits[16], tree.commits[5], tmp_path / "index") is None
    made = reverted(mirror, tree.commits[16], tree.commits[16], tmp_path / "index")
    assert made is not None
    assert made == reverted(mirror, tree.commits[16], tree.commits[16], tmp_path / "index")
    assert tree.git("rev-parse", f"{made}^1") == tree.commits[16]
    assert tree.git("rev-parse", f"{made}^{{tree}}") == tree.git(
        "rev-parse", f"{tree.commits[15]}^{{tree}}"
    )
    assert tree.git("show", "--no-patch", "--format=%s", made).startswith('Revert "')
    assert not (tmp_path / "index").exists()


def test_the_search_leaves_the_mirror_alone(tree: Tree, of: Figure, catalogue: Catalogue) -> None:
    before = tree.git("for-each-ref")
    search(Boots(tree, of, catalogue, {0: 100.0, 6: 97.0}), tree).run(())
    assert tree.git("for-each-ref") == before


def test_commits_are_counted_by_path(tree: Tree, tmp_path: Path) -> None:
    found = Search(tree.path / ".git", tmp_path / "s", tree.commits[0], tree.commits[16])
    assert len(found.commits()) == 16
    assert len(found.commits(("mm",))) == 4


@pytest.mark.parametrize(("culprit", "share"), [(3, 0.3), (12, 0.13), (11, 0.2), (16, 0.4)])
def test_a_mode_of_some_boots_has_its_commit(
    tree: Tree, of: Figure, catalogue: Catalogue, culprit: int, share: float
) -> None:
    """The level of five boots would call most bad commits good: none of them is in the mode."""
    boots = RareBoots(tree, of, catalogue, culprit, share)
    found = search(boots, tree).run(())
    assert [c.sha for c in found.commits] == [tree.commits[culprit]]
    assert found.worse
    assert found.mode is not None
    assert found.mode.good[0] == 0
    assert "boots lose 38 %; of the base's" in found.mode.sentence
    assert boots.of_mode
    for step in found.steps:
        if step.word == GOOD:
            assert (1 - share) ** step.boots < 0.05
            assert step_text(step, "1/s") == f"good: 0 of {step.boots} boots in the mode"
        else:
            assert step.in_mode
            assert step.in_mode > 1
    assert found.check is not None
    assert found.check.in_mode is not None
    assert found.check.in_mode[0] == 0
    assert found.check.share == pytest.approx(1, abs=0.6)
    # Only the last commit reverts cleanly.
    assert found.check.recovered == (pytest.approx(1) if culprit == 16 else None)


def boots_made(boots: Boots, tree: Tree, recorded: int = 0) -> int:
    """Return the boots of a search beside those of both ends that were on record."""
    seeds = {commit: set(asked) for commit, asked in boots.seeds.items()}
    for n in (0, 16):
        seeds[tree.commits[n]] -= set(range(1, recorded + 1))
    return sum(map(len, seeds.values()))


@pytest.mark.parametrize(
    ("recorded", "said"),
    [(20, "after 30 boots of each"), (80, "allow 43 more boots of the search")],
)
def test_the_boots_of_a_mode_are_in_the_budget(
    tree: Tree, of: Figure, catalogue: Catalogue, recorded: int, said: str
) -> None:
    """Ends and commits get many more boots for a mode than a search by levels makes."""
    boots = RareBoots(tree, of, catalogue, 6, 0.3)
    with pytest.raises(AlikeError if recorded == 20 else OutOfBootsError, match=said):
        search(boots, tree, noisy=True, recorded=recorded, budget=43).run(())
    assert 0 < boots_made(boots, tree, recorded) <= 43
    # Negative control: a budget that is enough changes nothing.
    boots = RareBoots(tree, of, catalogue, 6, 0.3)
    found = search(boots, tree, noisy=True, recorded=recorded, budget=600).run(())
    assert [c.sha for c in found.commits] == [tree.commits[6]]
    assert 43 < boots_made(boots, tree, recorded) <= 600


def test_boots_of_the_ends_that_are_not_there_are_in_the_budget(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    for budget, named in ((30, False), (90, True)):
        boots = NoisyBoots(tree, of, catalogue, {0: 100.0, 6: 90.0}, 5)
        found = search(boots, tree, noisy=True, reverts=False, budget=budget).run(())
        assert (found.doubt is None) == named
        assert boots_made(boots, tree) <= budget


def test_boots_that_are_off_on_both_ends_blame_nobody(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    """Negative control: the mode is as common in the good commit."""
    boots = RareBoots(tree, of, catalogue, 0, 0.2)
    with pytest.raises(UsageError, match="do not surely differ"):
        search(boots, tree).run(())
    assert set(boots.asked) == {tree.commits[0], tree.commits[16]}


def test_a_rare_mode_is_looked_for_in_all_boots_that_are_there(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    """Its first boots may miss it; without others on record the ends do not differ."""

    class Late(RareBoots):
        def value(self, level: float, commit: str, seed: int) -> float:
            early = commit == self._tree.commits[16] and seed <= 20
            return level if early else super().value(level, commit, seed)

    with pytest.raises(UsageError, match="after 20 boots of each"):
        search(Late(tree, of, catalogue, 9, 0.3), tree).run(())
    found = search(Late(tree, of, catalogue, 9, 0.3), tree, recorded=60).run(())
    assert [c.sha for c in found.commits] == [tree.commits[9]]


def test_a_share_needs_enough_boots() -> None:
    good, bad = (0, 110), (12, 90)
    assert nearer_by_share((0, 20), good, bad) is None
    assert nearer_by_share((0, 64), good, bad) is None
    assert nearer_by_share((0, 65), good, bad) is False
    assert nearer_by_share((1, 5), good, bad) is None
    assert nearer_by_share((3, 20), good, bad) is None
    assert nearer_by_share((4, 20), good, bad) is True
    # Fewer boots of the ends need more of the kernel.
    assert nearer_by_share((0, 65), (0, 30), (4, 30)) is None
    assert nearer_by_share((0, 120), (0, 20), (5, 20)) is False
    with pytest.raises(ValueError, match="is no share"):
        nearer_by_share((3, 2), good, bad)


def test_the_wrong_share_is_as_rare_as_its_level() -> None:
    """Of kernels like each end, with a look after each doubling, one in a thousand at most."""
    draw = np.random.default_rng(49)
    good, bad = (1, 120), (16, 120)
    for share, wrong in ((good[0] / 120, True), (bad[0] / 120, False)):
        seen = np.cumsum(draw.random((4000, 120)) < share, axis=1)
        answers = [
            next((a for n in (5, 10, 20, 40, 80, 120)
                  if (a := nearer_by_share((int(row[n - 1]), n), good, bad)) is not None), None)
            for row in seen
        ]  # fmt: skip
        assert answers.count(wrong) <= 12
        assert answers.count(not wrong) > 0.7 * len(answers)


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        ([100.0, 100.1, 99.9], False),
        ([97.0, 97.1, 96.9], True),
        ([98.4, 98.5, 98.6], None),
        ([110.0, 110.1, 109.9], False),
        ([90.0, 90.1, 89.9], True),
    ],
)
def test_a_kernel_is_like_the_nearer_one(values: list[float], answer: bool | None) -> None:
    good, bad = [100.0, 100.1, 99.9, 100.05], [97.0, 97.1, 96.9, 97.05]
    assert nearer(values, good, bad, resolution=0.01) is answer
    # Which of the two is larger does not matter.
    turned = None if answer is None else not answer
    assert nearer(values, bad, good, resolution=0.01) is turned


def test_exact_figures_need_no_scatter() -> None:
    assert nearer([3.0, 3.0], [1.0, 1.0], [4.0, 4.0], resolution=0.1) is True
    assert nearer([2.0, 2.0], [1.0, 1.0], [4.0, 4.0], resolution=0.1) is None
    with pytest.raises(ValueError, match="two boots"):
        nearer([3.0], [1.0, 1.0], [4.0, 4.0], resolution=0.1)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("speed", "stress-ng-switch has no metric 'speed'; it has: bogo-ops-rate"),
        ("bogo-ops-rate:p99", "has no statistic 'p99'; it has: median"),
    ],
)
def test_a_figure_is_named_or_refused(named: str, said: str, catalogue: Catalogue) -> None:
    with pytest.raises(UsageError, match=said):
        figure(catalogue.benchmark("stress-ng-switch"), named, {}, {})


def test_a_tail_is_a_figure(catalogue: Catalogue) -> None:
    tail = figure(catalogue.benchmark("cyclictest-hackbench"), "latency:p99", {}, {})
    assert tail.name == "cyclictest-hackbench latency p99 [us]"


def test_boots_that_scatter_and_some_that_are_off(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    right = 0
    for lot in range(8):
        boots = NoisyBoots(tree, of, catalogue, {0: 100.0, 1 + lot: 92.0}, lot)
        found = search(boots, tree, noisy=True).run(())
        # Where skips leave several commits, the culprit is one of them, and none is named.
        assert tree.commits[1 + lot] in [c.sha for c in found.commits]
        assert found.odds is not None
        top = found.odds.likeliest[0]
        if found.doubt is None:
            assert top.commit.sha == tree.commits[1 + lot] == found.commits[0].sha
            assert top.chance > 0.8
            assert found.check is not None
            right += 1
        assert max(map(len, map(set, boots.seeds.values()))) <= 2 * 20
    assert right >= 7


def test_what_boards_differ_by_is_one_thing_for_all_boots(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boards whose levels are far apart, of which the first boots of a commit have but two."""
    monkeypatch.setattr(noisy_boots, "BOARDS", {"one": 0.0, "two": 0.2, "three": -0.3, "four": 0.5})
    for culprit in range(1, 17, 3):
        draw = noisy_boots.normal(0.005)(culprit)
        boots = noisy_boots.Drawn(tree.commits, {culprit: 0.05}, draw, culprit)
        found = search(boots, tree, noisy=True).run(())
        assert [c.sha for c in found.commits] == [tree.commits[culprit]]
        assert (found.doubt, found.odds is None) == (None, False)
        assert found.check is not None
        assert found.check.share == pytest.approx(1, abs=0.3)
        between = boots.boots.keys() - {tree.commits[0], tree.commits[16]}
        assert sum(len(boots.boots[c]) for c in between) <= 8 * 4


def test_the_log_of_boots_that_scatter_is_what_git_replays(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    boots = NoisyBoots(tree, of, catalogue, {0: 100.0, 7: 90.0}, 3)
    found = search(boots, tree, noisy=True).run(())
    assert [c.sha for c in found.commits] == [tree.commits[7]]
    (tree.path / "log").write_text(found.log)
    tree.git("bisect", "replay", "log")
    words = {s.word for s in found.steps}
    assert words <= {GOOD, BAD, SKIP}
    assert {GOOD, BAD} <= words


def test_a_change_in_two_steps_is_no_single_commit(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    boots = NoisyBoots(tree, of, catalogue, {0: 100.0, 4: 92.0, 12: 84.0}, 1)
    found = search(boots, tree, noisy=True).run(())
    assert found.odds is not None
    growth = found.odds.growth
    assert growth is not None
    assert tree.commits[4] in [c.sha for c in growth.first]
    assert tree.commits[12] in [c.sha for c in growth.last]
    assert growth.share == pytest.approx(0.5, abs=0.25)
    assert growth.sentence.startswith("no single commit: the change grows over ")
    assert (found.doubt, found.check) == (None, None)


def test_skips_beside_boots_that_scatter(tree: Tree, of: Figure, catalogue: Catalogue) -> None:
    """A commit that does not build is asked about once, and what it hides is not named."""
    levels: Any = {0: 100.0, 6: "does not build: no", 7: 90.0}
    boots = NoisyBoots(tree, of, catalogue, levels, 2)
    found = search(boots, tree, noisy=True).run(())
    assert boots.asked.count(tree.commits[6]) == 1
    assert {c.sha for c in found.commits} == {tree.commits[6], tree.commits[7]}
    assert "boots do not tell apart" in (found.doubt or "")
    skip = next(s for s in found.steps if s.commit.sha == tree.commits[6])
    assert (skip.word, skip.why) == (SKIP, "does not build: no")


def test_paths_are_likelier_and_others_are_found_as_well(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    for culprit in (6, 7):  # commit 7 is outside of the scheduler
        boots = NoisyBoots(tree, of, catalogue, {0: 100.0, culprit: 90.0}, culprit)
        found = search(boots, tree, noisy=True).run(("kernel/sched",))
        assert [c.sha for c in found.commits] == [tree.commits[culprit]]


def test_a_commit_that_fresh_boots_do_not_tell_is_refused(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    """Negative control: the loss is gone when it is verified, and each search has an end."""
    lots = range(10)
    boots = [Lucky(tree, of, catalogue, {0: 100.0, 6: 92.0}, lot) for lot in lots]
    found = [search(b, tree, noisy=True).run(()) for b in boots]
    refused = [f.doubt for f in found if f.doubt is not None]
    # Fresh boots of one level tell it from its parent, by chance, in less than one search of 20.
    assert len(refused) >= len(lots) - 1
    assert any("boots of a rerun do not surely tell it from its parent" in d for d in refused)


def test_boots_that_are_off_are_drawn_in_and_others_are_not() -> None:
    calm = [[0.0, 0.01, -0.01, 0.005, -0.005], [0.1, 0.11, 0.09, 0.105, 0.095]]
    assert list(map(pytest.approx, calm)) == calmed(calm)
    off = [[*calm[0][:-1], 0.5], calm[1]]
    drawn = calmed(off)
    assert drawn[1] == pytest.approx(calm[1])
    assert drawn[0][:-1] == pytest.approx(off[0][:-1])
    assert 0.005 < drawn[0][-1] < 0.05


def test_what_says_that_it_mends_the_culprit_is_asked_about_first(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    """Commit 0 made it slow; commit 13 takes that back."""
    boots = Boots(tree, of, catalogue, {0: 97.0, 13: 100.0})
    found = search(boots, tree, candidates=[tree.commits[13]]).run(())
    assert [c.sha for c in found.commits] == [tree.commits[13]]
    assert [s.commit.sha for s in found.steps] == [tree.commits[13], tree.commits[12]]
    assert not found.worse
    # Negative control: what only says so is not believed.
    boots = Boots(tree, of, catalogue, {0: 97.0, 13: 100.0})
    found = search(boots, tree, candidates=[tree.commits[5]]).run(())
    assert [c.sha for c in found.commits] == [tree.commits[13]]
    assert found.steps[0].commit.sha == tree.commits[5]


def test_boots_that_scatter_begin_with_what_says_so(
    tree: Tree, of: Figure, catalogue: Catalogue
) -> None:
    for said in (13, 5):
        boots = NoisyBoots(tree, of, catalogue, {0: 90.0, 13: 100.0}, 5)
        found = search(boots, tree, noisy=True, candidates=[tree.commits[said]]).run(())
        assert [c.sha for c in found.commits] == [tree.commits[13]]
        first = next(c for c in boots.asked if c not in (tree.commits[0], tree.commits[16]))
        assert tree.commits.index(first) in (said - 1, said)


def test_no_fix_is_an_answer_of_its_own(tree: Tree, of: Figure, catalogue: Catalogue) -> None:
    """Negative control."""
    boots = Boots(tree, of, catalogue, {0: 97.0})
    with pytest.raises(AlikeError, match="do not surely differ"):
        search(boots, tree, candidates=[tree.commits[13]]).run(())
    assert set(boots.asked) == {tree.commits[0], tree.commits[16]}


def test_a_revert_needs_no_folder_that_a_search_has_made(tree: Tree, tmp_path: Path) -> None:
    """Where boots scatter, git's own bisection never runs: nothing has made its folder."""
    mirror, last = tree.path / ".git", tree.commits[16]
    assert reverted(mirror, last, last, tmp_path / "none" / "yet" / "index") is not None


def test_boots_are_to_tell_which_commit_and_not_whether_two_share_it(tree: Tree) -> None:
    """One of commits 5 to 8 did it; that commit 8 lies between two steps is less likely."""
    boots = noisy_boots.Drawn(tree.commits, {6: 0.05}, noisy_boots.normal(0.01)(0), 0)
    good, bad = (mirrors.resolve(tree.path / ".git", tree.commits[n]) for n in (0, 16))
    begun = NoisySearch(
        measurer=boots, mirror=tree.path / ".git", good=good, bad=bad, ends=(10, 10), most=80
    )
    begun._prepare(())
    begun._boots = {tree.commits[8]: 4}
    asked = []
    for several in (0.2, 0.8):
        single, step_at = np.zeros(16), np.zeros(16)
        single[4:8] = (1 - several) / 4
        step_at[[3, 11]] = several
        now = Beliefs(
            single=single, several=several, steps=None, step_at=step_at, levels=(0.0, -0.05),
            spread=0.01,
        )  # fmt: skip
        commit, _boots = begun._next(now) or ("", 0)
        asked.append(tree.commits.index(commit))
    assert asked[0] in (5, 6, 7)
    # Negative control: where two are likelier, that is asked for.
    assert asked[1] == 8
