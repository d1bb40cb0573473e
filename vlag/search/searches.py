# SPDX-License-Identifier: GPL-2.0-only
"""Searches that the service makes by itself: which build or boots come next, and the result.

Nothing is kept between two questions: each one walks the search again over what is on record
until something is missing, so that a kill costs no answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from math import ceil, log2
from typing import Any

from attrs import frozen

from vlag.config import DEFAULT, Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import mirror as mirrors
from vlag.model import Verdict
from vlag.search import fix_searches, profiling
from vlag.search.asked import AskedBoot, AskedBuild
from vlag.search.bisection import Bisection
from vlag.search.found import Found
from vlag.search.measure import Figure
from vlag.search.recorded import Exhausted, Missing, Question, Reader
from vlag.search.walks import walk_of
from vlag.stats.severity import log_ratio
from vlag.store import bisections, comparisons, durations, kernels, profiles, search_progress
from vlag.store import fix_searches as fix_rows
from vlag.store.bisections import BisectionRow
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.fix_searches import FixRow
from vlag.store.profiles import Changed
from vlag.store.search_progress import SearchProgress

log = logging.getLogger(__name__)

#: Steps that a search takes beyond the least, and the kernel with the culprit reverted.
_BEYOND = 2
#: Commits found by other searches that are asked about first.
_ELSEWHERE = 3


@frozen(kw_only=True)
class Next:
    """What comparisons need next, each build and boot once."""

    builds: Sequence[AskedBuild]  # beside boots: those that may follow, for a host that is idle
    boots: Sequence[AskedBoot]
    bisections: Mapping[int, BisectionRow]  # by comparison: the commit that made it worse
    fixes: Mapping[int, FixRow]  # by comparison: what has just been found to take it back
    skipped: Sequence[str]  # sentences


def steps(
    conn: Connection,
    settings: Settings,
    catalogue: Catalogue,
    ids: Sequence[int],
    reader: Reader,
    record: Callable[[Question, Figure, Found], BisectionRow],
    document: Callable[[Found], Mapping[str, Any]],
) -> Next:
    """Return what confirmed regressions need next to be narrowed down to a commit.

    Called again when that is on record, it returns what follows.  A search that has ended is
    stored, as `record` makes a row of it, and so is each comparison whose range has the
    culprit.  One search at a time asks for something: the one with the fewest commits, as its
    answer may be that of the others.  After them, what takes a loss back is searched on branches
    whose figure is well again; `document` is that result as it is stored.
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
        if (why := _why_not(conn, settings, catalogue, q)) is not None:
            skipped.append(f"{name}: {why}")
            continue
        try:
            row = _search(conn, settings, catalogue, q, reader, record)
        except Missing as m:
            return Next(builds=m.builds, boots=m.boots, bisections=rows, fixes={}, skipped=skipped)
        except (Exhausted, UsageError) as e:
            skipped.append(f"{name}: {e}")
            continue
        bisections.put(conn, row)
        rows = _explained(conn, settings, asked)
    found: dict[int, FixRow] = {}
    for fix in fix_searches.questions(conn, settings, catalogue, ids, reader):
        name = f"what takes back {fix.culprit[:12]} on {fix.branch}"
        if (why := _why_not(conn, settings, catalogue, fix.question)) is not None:
            skipped.append(f"{name}: {why}")
            continue
        try:
            fixed = fix_searches.search(conn, settings, catalogue, fix, reader, document)
        except Missing as m:
            return Next(
                builds=m.builds, boots=m.boots, bisections=rows, fixes=found, skipped=skipped
            )
        except (Exhausted, UsageError) as e:
            skipped.append(f"{name}: {e}")
            continue
        fix_rows.put(conn, fixed)
        found |= dict.fromkeys(bisections.comparisons_of(conn, fixed.bisection), fixed)
    return Next(builds=(), boots=(), bisections=rows, fixes=found, skipped=skipped)


def _why_not(conn: Connection, settings: Settings, catalogue: Catalogue, q: Question) -> str | None:
    """Return why a search is left out, or waits for another day; None: it may go on."""
    return too_long(settings, q) or _waits(conn, settings, catalogue, q)


def too_long(settings: Settings, q: Question) -> str | None:
    """Return why a search needs more kernels than the settings allow; None: it does not."""
    least = ceil(log2(q.between)) + _BEYOND
    if least <= settings.bisect.builds:
        return None
    return (
        f"{q.between} commits need about {least} kernels, and the settings allow"
        f" {settings.bisect.builds}"
    )


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


def _search(
    conn: Connection,
    settings: Settings,
    catalogue: Catalogue,
    q: Question,
    reader: Reader,
    record: Callable[[Question, Figure, Found], BisectionRow],
) -> BisectionRow:
    """Walk a search over what is on record; raises Missing for what is not."""
    walk = walk_of(conn, settings, catalogue, q, reader, _found_elsewhere(conn, settings, q))
    try:
        answer = walk.run()
        if answer.doubt is not None:
            _note(conn, q, walk.search, ended=True)
            raise UsageError(f"{answer.doubt}; none is named")
        return record(q, walk.figure, answer)
    except Exhausted as e:
        _note(conn, q, walk.search, ended=True)
        if walk.search.so_far is None:
            raise
        raise Exhausted(f"{e}; so far: {walk.search.so_far}") from None
    except Missing:
        _note(conn, q, walk.search, ended=False)
        if walk.search.so_far is not None:
            log.info(f"comparison {q.comparison.id}: so far {walk.search.so_far}")
        raise


def _found_elsewhere(conn: Connection, settings: Settings, q: Question) -> list[str]:
    """Return the commits between both kernels that other board types or benchmarks have found.

    One cause most often moves several figures: it is asked about first, and judged by the boots of
    this search alone.
    """
    words = ("rev-list", f"{q.good.commit}..{q.bad.commit}")
    between = mirrors.git(settings.mirror(q.bad.tree), *words).split()
    return bisections.verified_among(
        conn, tree=q.bad.tree, benchmark=q.changed.benchmark, among=between
    )[:_ELSEWHERE]


def _note(conn: Connection, q: Question, search: Bisection, *, ended: bool) -> None:
    """Store the chances of commits by the boots so far; nothing where there are none yet."""
    progress = search.progress
    if progress is None:
        return
    row = SearchProgress(
        comparison=q.comparison.id or 0, tree=q.bad.tree, benchmark=q.changed.benchmark,
        parameters=q.changed.parameters,
        likeliest=[
            {"commit": x.commit.sha, "subject": x.commit.subject, "chance": x.chance}
            for x in progress.likeliest
        ],
        credible=progress.credible, several=progress.several, ended=ended,
    )  # fmt: skip
    search_progress.put(conn, row)
