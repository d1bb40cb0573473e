# SPDX-License-Identifier: GPL-2.0-only
"""Searches that the service makes by itself: which build or boots come next, and the result.

Nothing is kept between two questions: each one walks the search again over what is on record
until something is missing, so that a kill costs no answer.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache, partial
from itertools import chain, zip_longest
from math import ceil, exp, log2
from pathlib import Path
from typing import Any, Protocol

from attrs import define, field, frozen

from vlag.bundle_records import KernelRecord
from vlag.config import DEFAULT, PATHS, Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import mirror as mirrors
from vlag.kernel import series
from vlag.model import BoardType, Outcome, Verdict, digest
from vlag.pipeline.boot import shorter_timeout_s
from vlag.pipeline.build_stage import identify
from vlag.search import profiling
from vlag.search.ahead import Foreseen
from vlag.search.asked import AskedBoot, AskedBuild, boot
from vlag.search.bisection import MOST, MOST_NOISY, Bisection, Found
from vlag.search.measure import Figure, Unmeasurable, figure
from vlag.stats import blocks
from vlag.stats.blocks import Observation
from vlag.stats.compare import clip
from vlag.stats.severity import log_ratio
from vlag.store import bisections, builds, comparisons, durations, kernels, profiles
from vlag.store.bisections import BisectionRow
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.kernels import Kernel
from vlag.store.profiles import Changed

log = logging.getLogger(__name__)

#: Boots of each commit.
BOOTS = 5
#: A mode that some boots show, and boots that scatter, take so many times the boots of a level.
_TIMES = 4
#: Kernels whose boots say how boots scatter, and how many commits before good they are looked for.
_KERNELS, _HISTORY = 12, 2000
#: Steps that a search takes beyond the least, and the kernel with the culprit reverted.
_BEYOND = 2


class Booted(Protocol):
    """The boots of one kernel that count, by seed."""

    @property
    def values(self) -> Mapping[int, float]:
        """Return the figure of each, in the metric's unit."""
        ...

    @property
    def failed(self) -> Mapping[int, str]:
        """Return outcome and reason of those without a value."""
        ...

    @property
    def boards(self) -> Mapping[int, str]:
        """Return the board of each value."""
        ...


#: Returns what reads the boots of a kernel, by its id, as a comparison has its own.
Reader = Callable[[Comparison, Changed], Callable[[int], Booted]]


class Missing(Exception):  # noqa: N818 - no error: what a search needs next
    """A build or boots that a search needs before it goes on.

    With boots, `builds` are those that it may need after them.
    """

    def __init__(
        self, *, builds: Sequence[AskedBuild] = (), boots: Sequence[AskedBoot] = ()
    ) -> None:
        super().__init__("not on record")
        self.builds, self.boots = tuple(builds), tuple(boots)


class Exhausted(Exception):  # noqa: N818 - no error: the settings allow no more
    """A search that needs more kernels or boots than the settings allow."""


@frozen(kw_only=True)
class Question:
    """A figure that got worse between two commits with others between them."""

    comparison: Comparison
    changed: Changed
    good: Kernel
    bad: Kernel
    between: int  # commits


@frozen(kw_only=True)
class Next:
    """What comparisons need next, each build and boot once."""

    builds: Sequence[AskedBuild]  # beside boots: those that may follow, for a host that is idle
    boots: Sequence[AskedBoot]
    bisections: Mapping[int, BisectionRow]  # by comparison: the commit that made it worse
    skipped: Sequence[str]  # sentences


@define(kw_only=True)
class Recorded:
    """Figures of commits as they are on record; raises `Missing` for what is not."""

    conn: Connection
    settings: Settings
    question: Question
    board_type: BoardType
    figure: Figure
    timeout_s: int
    read: Callable[[int], Booted]
    _kernels: dict[str, KernelRecord] = field(factory=dict)
    _boots: dict[str, set[int]] = field(factory=dict)
    _times: int = 1  # the boots that the settings allow
    _offsets: Mapping[str, float] | None = None  # levels of boards; None: not asked yet

    def search_mode(self) -> None:
        """Allow as many boots as the share of a mode needs, which is more than a level does."""
        self._times = _TIMES

    def known(self, commits: Sequence[str]) -> Set[str]:
        """Return those with boots on record."""
        seen = kernels.of_commits(self.conn, self.question.bad.tree, commits)
        return {k.commit for k in seen if self.read(k.id).values}

    def history(self) -> Sequence[Sequence[float]]:
        """Return the boots on record of the latest kernels before good, without board levels."""
        return [list(self._levelled(self.read(k.id)).values()) for k in self._before()]

    def _before(self) -> Sequence[Kernel]:
        """Return the latest kernels before good."""
        tree, good = self.question.bad.tree, self.question.good.commit
        words = ("rev-list", f"--max-count={_HISTORY}", good)
        before = mirrors.git(self.settings.mirror(tree), *words).split()
        return kernels.of_commits(self.conn, tree, before[1:])[:_KERNELS]

    def build(self, commit: str) -> Path:
        """Return the build of a commit; raises Unmeasurable if there is none."""
        kernel = kernels.by_digest(self.conn, self._kernel(commit)["digest"])
        made = builds.of_kernels(self.conn, [kernel.id]) if kernel is not None else []
        for b in reversed(made):
            folder = Path(b.location)
            if b.outcome == Outcome.COMPLETE.value and (folder / "build.json").is_file():
                return folder
        failed = [b for b in made if b.outcome != Outcome.COMPLETE.value]
        if failed:
            raise Unmeasurable(f"does not build: {failed[-1].reason}")
        raise Missing(builds=[self._asked(commit)])

    def ahead(self, commits: Sequence[str]) -> list[AskedBuild]:
        """Return the builds of commits that are not on record, as far as the settings allow."""
        builds_: list[AskedBuild] = []
        for commit in commits:
            try:
                self.build(commit)
            except Missing as missing:
                builds_ += missing.builds
            except Unmeasurable:
                continue
        return builds_[: max(self.settings.bisect.builds - self._counted(), 0)]

    def values(self, commit: str, seeds: Sequence[int]) -> list[float]:
        """Return the figure in boots with these seeds, in their order, in the metric's unit.

        Raises Unmeasurable if the kernel does not build or a boot gives no figure, and
        Exhausted beyond what the settings allow.
        """
        self._count(commit, seeds)
        kernel = kernels.by_digest(self.conn, self._kernel(commit)["digest"])
        values: Mapping[int, float] = {}
        if kernel is not None:
            there = self.read(kernel.id)
            values = self._levelled(there)
            if failed := [there.failed[s] for s in seeds if s in there.failed]:
                raise Unmeasurable(failed[0])
        left = [s for s in seeds if s not in values]
        if not left:
            return [values[s] for s in seeds]
        build = self.build(commit)
        assert kernel is not None  # noqa: S101 - it has a build
        changed = self.question.changed
        raise Missing(
            boots=[
                boot(
                    kernel, build, "to find the commit", knobs=self.figure.knobs,
                    board_type=self.board_type.name, benchmark=changed.benchmark,
                    parameters=changed.parameters, seed=seed, observes=None,
                    timeout_s=self.timeout_s,
                )
                for seed in left
            ]
        )  # fmt: skip

    def values_of(self, seeds_of: Mapping[str, Sequence[int]]) -> list[list[float]]:
        """Return the same of several commits; their missing boots are asked for in turns."""
        values: list[list[float]] = []
        boots: list[Sequence[AskedBoot]] = []
        for commit, seeds in seeds_of.items():
            try:
                values.append(self.values(commit, seeds))
            except Missing as missing:
                if missing.builds:
                    raise
                boots.append(missing.boots)
        if boots:
            turns = chain.from_iterable(zip_longest(*boots))
            raise Missing(boots=[asked for asked in turns if asked is not None])
        return values

    def _levelled(self, there: Booted) -> Mapping[int, float]:
        """Return the values of boots without the levels of their boards."""
        if self.board_type.deterministic:
            return there.values
        if self._offsets is None:
            self._offsets = self._board_levels()
        level = self._offsets.get
        return {s: v / exp(level(there.boards[s], 0.0)) for s, v in there.values.items()}

    def _board_levels(self) -> Mapping[str, float]:
        """Return by how much boards differ, from what they ran in common of the kernels."""
        good, bad = self.question.good.commit, self.question.bad.commit
        tree = self.question.bad.tree
        between = mirrors.git(self.settings.mirror(tree), "rev-list", f"{good}..{bad}").split()
        seen = kernels.of_commits(self.conn, tree, [good, *between])
        seen += self._before()
        return blocks.offsets([o for kernel in seen for o in self._observations(kernel.id)])

    def _observations(self, kernel: int) -> list[Observation]:
        there = self.read(kernel)
        values = clip(list(there.values.values()), self.figure.metric.resolution)
        return blocks.observed(kernel, [there.boards[seed] for seed in there.values], values)

    def _count(self, commit: str, seeds: Sequence[int]) -> None:
        """Raise Exhausted if the search needs more than the settings allow."""
        allowed = self.settings.bisect
        self._boots.setdefault(commit, set()).update(seeds)
        if self._counted() > allowed.builds:
            raise Exhausted(f"the settings allow {allowed.builds} kernels of a search")
        most = self._times * allowed.boots
        if sum(map(len, self._boots.values())) > most:
            raise Exhausted(f"the settings allow {most} boots of a search")

    def _counted(self) -> int:
        """Return how many kernels the search has asked about; the ends were there before it."""
        return len(self._boots.keys() - {self.question.good.commit, self.question.bad.commit})

    def _kernel(self, commit: str) -> KernelRecord:
        """Return the identity of a commit's kernel."""
        if commit not in self._kernels:
            tree = self.question.bad.tree
            self._kernels[commit] = identify(
                self.board_type, tree=tree, branch=commit,
                commit=mirrors.resolve(self.settings.mirror(tree), commit),
                series=None, applied=series.NONE, patches=(),
            )  # fmt: skip
        return self._kernels[commit]

    def _asked(self, commit: str) -> AskedBuild:
        """Return a build as the master requests it."""
        kernel = self._kernel(commit)
        return {
            "label": f"{kernel['describe']} to find a commit, on {self.board_type.name}",
            "kernel_name": kernel["describe"],
            "tree": kernel["tree"],
            "ref": commit,
            "board_types": [self.board_type.name],
        }


def steps(
    conn: Connection,
    settings: Settings,
    catalogue: Catalogue,
    ids: Sequence[int],
    reader: Reader,
    record: Callable[[Question, Figure, Found], BisectionRow],
) -> Next:
    """Return what confirmed regressions need next to be narrowed down to a commit.

    Called again when that is on record, it returns what follows.  A search that has ended is
    stored, as `record` makes a row of it, and so is each comparison whose range has the
    culprit.  One search at a time asks for something: the one with the fewest commits, as its
    answer may be that of the others.
    """
    asked, skipped = [], []
    for id_ in dict.fromkeys(ids):
        try:
            asked += questions(conn, settings, catalogue, id_)
        except UsageError as e:
            skipped.append(f"comparison {id_}: {e}")
    asked.sort(key=lambda q: (q.between, -log_ratio(q.changed.effect)))
    rows = _explained(conn, settings, asked)
    tried: set[int] = set()
    for q in asked:
        number = q.comparison.id or 0
        if number in rows or number in tried:
            continue
        tried.add(number)  # its largest loss; the others most often have the same cause
        name = f"comparison {number}: {q.changed.benchmark}"
        least = ceil(log2(q.between)) + _BEYOND
        if least > settings.bisect.builds:
            skipped.append(
                f"{name}: {q.between} commits need about {least} kernels, and the settings allow"
                f" {settings.bisect.builds}"
            )
            continue
        if (waits := _waits(conn, settings, catalogue, q)) is not None:
            skipped.append(f"{name}: {waits}")
            continue
        try:
            row = _search(conn, settings, catalogue, q, reader, record)
        except Missing as m:
            return Next(builds=m.builds, boots=m.boots, bisections=rows, skipped=skipped)
        except (Exhausted, UsageError) as e:
            skipped.append(f"{name}: {e}")
            continue
        bisections.put(conn, row)
        rows = _explained(conn, settings, asked)
    return Next(builds=(), boots=(), bisections=rows, skipped=skipped)


def _waits(conn: Connection, settings: Settings, catalogue: Catalogue, q: Question) -> str | None:
    """Return why a search waits for another day; None: it may boot boards now."""
    kind = catalogue.board_type(q.comparison.board_type)
    allowed = settings.bisect.board_hours
    if kind.deterministic or durations.unplanned_hours(conn, kind.name) < allowed:
        return None
    return (
        f"the settings allow searches {allowed:g} board hours of {kind.name} in 24 hours, and"
        " these are used; it goes on after a later push or night"
    )


def questions(
    conn: Connection, settings: Settings, catalogue: Catalogue, id_: int
) -> list[Question]:
    """Return the figures of a comparison that a search can explain, the largest loss first.

    None where the comparison is of one commit with its parent, of two trees, of patches or
    variants, or on boards that this installation does not have.
    """
    comparison = comparisons.by_id(conn, id_)
    if comparison is None or not profiling.may_be_booted(
        conn, catalogue, id_, known_regressions=False
    ):
        return []
    good, bad = (kernels.by_id(conn, k) for k in (comparison.base_kernel, comparison.new_kernel))
    plain = all(k.series is None and k.variant == DEFAULT for k in (good, bad))
    alike = good.tree == bad.tree and comparison.base_knobs == comparison.new_knobs
    tree = settings.trees.get(bad.tree)
    if not plain or not alike or tree is None or tree.images:
        return []
    between = mirrors.distance(settings.mirror(bad.tree), good.commit, bad.commit)
    if between is None or between < 2:
        return []
    return [
        Question(comparison=comparison, changed=changed, good=good, bad=bad, between=between)
        for changed in _worse(conn, comparison)
        if changed.benchmark in catalogue.benchmarks
    ]


def _worse(conn: Connection, comparison: Comparison) -> list[Changed]:
    """Return the confirmed regressions of a comparison, the largest first.

    One of fresh boots is itself the confirmation: two nights of a branch have no first boots
    that were compared.
    """
    id_ = comparison.id or 0
    worse = Verdict.REGRESSION.value
    if comparison.stage != "confirm":
        return [c for c in profiles.changed(conn, id_) if c.verdict == worse]
    changes: dict[tuple[Any, ...], Changed] = {}
    rows = [v for v in comparisons.verdicts(conn, id_) if v.verdict == worse and not v.hint]
    for v in sorted(rows, key=lambda v: -log_ratio(v.effect)):
        changes.setdefault(
            (v.benchmark, *sorted(v.parameters.items())),
            Changed(benchmark=v.benchmark, parameters=v.parameters, metric=v.metric,
                    statistic=v.statistic, verdict=v.verdict, effect=v.effect),
        )  # fmt: skip
    return list(changes.values())


def _explained(
    conn: Connection, settings: Settings, asked: Sequence[Question]
) -> dict[int, BisectionRow]:
    """Let the searches on record explain comparisons; return each one's by the comparison's id."""
    rows: dict[int, BisectionRow] = {}
    for q in asked:
        if (row := _known(conn, settings, q)) is not None:
            rows[q.comparison.id or 0] = row
            bisections.link(conn, row.id or 0, q.comparison.id or 0)
    return rows


def _known(conn: Connection, settings: Settings, q: Question) -> BisectionRow | None:
    """Return a search on record whose culprit is between the two commits; None: there is none."""
    mirror = settings.mirror(q.bad.tree)
    for row in bisections.of_benchmark(
        conn, tree=q.bad.tree, board_type=q.comparison.board_type, benchmark=q.changed.benchmark,
        parameters=q.changed.parameters, knobs=q.comparison.new_knobs,
    ):  # fmt: skip
        if all(
            mirrors.is_ancestor(mirror, c, q.bad.commit)
            and not mirrors.is_ancestor(mirror, c, q.good.commit)
            for c in row.commits
        ):
            return row
    return None


def _timeout_s(conn: Connection, catalogue: Catalogue, q: Question) -> int:
    """Return the seconds for the benchmark: the plan's, fewer where both ends took far less."""
    changed = q.changed
    planned = profiling.timeout_s(catalogue, q.comparison.plan, changed.benchmark)
    if catalogue.board_type(q.comparison.board_type).deterministic:
        return planned  # it counts the board's own clock
    longest = durations.longest_s(
        conn, q.comparison.board_type, changed.benchmark, changed.parameters,
        [q.good.id, q.bad.id],
    )  # fmt: skip
    return shorter_timeout_s(planned, longest)


def _search(
    conn: Connection,
    settings: Settings,
    catalogue: Catalogue,
    q: Question,
    reader: Reader,
    record: Callable[[Question, Figure, Found], BisectionRow],
) -> BisectionRow:
    """Walk a search over what is on record; raises Missing for what is not."""
    changed = q.changed
    asked = figure(
        catalogue.benchmark(changed.benchmark),
        f"{changed.metric}:{changed.statistic}",
        changed.parameters,
        q.comparison.new_knobs,
    )  # fmt: skip
    kind = catalogue.board_type(q.comparison.board_type)
    read = cache(reader(q.comparison, changed))  # nothing on record changes during a walk
    measurer = Recorded(
        conn=conn, settings=settings, question=q, board_type=kind, figure=asked,
        timeout_s=_timeout_s(conn, catalogue, q),
        read=read, times=1 if kind.deterministic else _TIMES,
    )  # fmt: skip
    mirror = settings.mirror(q.bad.tree)
    key = digest(
        [
            q.comparison.id,
            changed.benchmark,
            dict(changed.parameters),
            changed.metric,
            changed.statistic,
        ]
    )
    scratch = settings.state / "bisect" / f"service-{key[:16]}"
    resolve = partial(mirrors.resolve, mirror)
    foreseen = Foreseen() if sum("build" in host.takes for host in settings.hosts) > 1 else None
    search = Bisection(
        measurer=measurer, mirror=mirror, scratch=scratch, good=resolve(q.good.commit),
        bad=resolve(q.bad.commit), boots=BOOTS, most=MOST if kind.deterministic else MOST_NOISY,
        ahead=foreseen, noisy=not kind.deterministic,
        recorded=min(len(read(k.id).values) for k in (q.good, q.bad)),
    )  # fmt: skip
    try:
        answer = search.run(PATHS)
        if answer.doubt is not None:
            raise UsageError(f"{answer.doubt}; none is named")
        return record(q, asked, answer)
    except Exhausted as e:
        if search.so_far is None:
            raise
        raise Exhausted(f"{e}; so far: {search.so_far}") from None
    except Missing as missing:
        if search.so_far is not None:
            log.info(f"comparison {q.comparison.id}: so far {search.so_far}")
        if missing.boots and foreseen is not None:
            builds = measurer.ahead(foreseen.commits)
            raise Missing(boots=missing.boots, builds=builds) from None
        raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
