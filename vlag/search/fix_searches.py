# SPDX-License-Identifier: GPL-2.0-only
"""What takes a loss back: searched where a branch has the figure again and the culprit as well."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from vlag.config import DEFAULT, PATHS, Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import fixes
from vlag.kernel import mirror as mirrors
from vlag.model import Verdict
from vlag.search import profiling
from vlag.search.found import AlikeError, Found, is_sure
from vlag.search.recorded import Question, Reader
from vlag.search.walks import walk_of
from vlag.stats import compare
from vlag.stats.attribution import LEAST_SHARE
from vlag.stats.compare import is_better
from vlag.store import bisections, comparisons, findings, fix_searches, kernels, profiles
from vlag.store.bisections import BisectionRow
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.fix_searches import FixRow
from vlag.store.profiles import Changed

#: Boots of culprit and head on record without which nothing is said.
_LEAST_BOOTS = 3
#: Commits that are tried first as they touch a function of the profile.
_TOUCHING = 3


@frozen(kw_only=True)
class FixQuestion:
    """A branch that has a culprit, and the figure that it had cost."""

    bisection: int  # that found the culprit
    branch: str  # of another tree than the culprit was found in: TREE/BRANCH
    question: Question  # from the culprit to the branch's head
    recovered: float  # a part of the loss

    @property
    def culprit(self) -> str:
        """Return the commit that lost it."""
        return self.question.good.commit


def questions(
    conn: Connection,
    settings: Settings,
    catalogue: Catalogue,
    ids: Sequence[int],
    reader: Reader,
) -> list[FixQuestion]:
    """Return the losses whose figure the new kernels of comparisons have again.

    Asked once for each branch that has the culprit, of whatever tree, and again of a later head
    where no commit was found.
    """
    asked: dict[tuple[int, str], FixQuestion] = {}
    for pair in findings.pairs(conn, list(dict.fromkeys(ids))):
        if pair.branch is None or pair.synthetic or (tree := settings.trees.get(pair.tree)) is None:
            continue
        comparison = comparisons.by_id(conn, pair.id)
        head = kernels.by_id(conn, pair.new_kernel)
        plain = head.series is None and head.variant == DEFAULT and not tree.images
        if comparison is None or not plain:
            continue
        if not profiling.may_be_booted(conn, catalogue, pair.id, known_regressions=False):
            continue
        for row in bisections.of_boards(conn, pair.board_type):
            branch = pair.branch if row.tree == pair.tree else f"{pair.tree}/{pair.branch}"
            key = row.id or 0, branch
            if key in asked or dict(row.knobs) != dict(comparison.new_knobs):
                continue
            question = _question(conn, settings, row, head, branch)
            if question is None or row.benchmark not in catalogue.benchmarks:
                continue
            back = _back(conn, settings, catalogue, row, question, reader)
            if back is not None:
                asked[key] = FixQuestion(
                    bisection=row.id or 0, branch=branch, question=question, recovered=back
                )
    return list(asked.values())


def _question(
    conn: Connection, settings: Settings, row: BisectionRow, head: kernels.Kernel, branch: str
) -> Question | None:
    """Return the search from a culprit to a head; None: there is none, or it was made."""
    known = fix_searches.of(conn, row.id or 0, branch)
    if known is not None and (known.commits or known.head == head.commit):
        return None
    comparison = _explained(conn, row)
    if len(row.commits) > 1 or row.document.get("growth") is not None or comparison is None:
        return None
    if row.tree not in settings.trees:
        return None
    mirror, [culprit] = settings.mirror(head.tree), row.commits
    between = mirrors.distance(mirror, culprit, head.commit)
    made = [k for k in kernels.of_commits(conn, row.tree, [culprit]) if k.variant == DEFAULT]
    if not between or not made:
        return None
    changed = Changed(
        benchmark=row.benchmark, parameters=row.parameters, metric=row.metric,
        statistic=row.statistic, verdict=Verdict.REGRESSION.value, effect=row.effect,
    )  # fmt: skip
    return Question(comparison=comparison, changed=changed, good=made[0], bad=head, between=between)


def _explained(conn: Connection, row: BisectionRow) -> Comparison | None:
    """Return the latest comparison that a search explains: its boots are compared alike."""
    every = bisections.comparisons_of(conn, row.id or 0)
    return comparisons.by_id(conn, every[0]) if every else None


def _back(
    conn: Connection,
    settings: Settings,
    catalogue: Catalogue,
    row: BisectionRow,
    q: Question,
    reader: Reader,
) -> float | None:
    """Return which part of a loss a head has back, by the boots on record; None: not surely."""
    walk = walk_of(conn, settings, catalogue, q, reader)
    lost, head = (walk.measurer.on_record(k.commit) for k in (q.good, q.bad))
    if min(len(lost), len(head)) < _LEAST_BOOTS:
        return None
    metric = walk.figure.metric
    [change] = compare.judge(
        [
            compare.Question(
                base=lost, new=head, direction=metric.direction, resolution=metric.resolution,
                relevance=metric.relevance_on(walk.measurer.board_type),
            )
        ]
    )  # fmt: skip
    effect = change.effect
    if effect is None or not is_sure(change) or not is_better(effect, metric.direction):
        return None
    part = -math.log1p(effect) / math.log1p(row.effect)
    return part if part >= LEAST_SHARE else None


def search(
    conn: Connection,
    settings: Settings,
    catalogue: Catalogue,
    fix: FixQuestion,
    reader: Reader,
    document: Callable[[Found], Mapping[str, Any]],
) -> FixRow:
    """Walk the search for what takes a loss back over what is on record.

    Raises Missing for what is not, and UsageError where boots name no single commit.
    """
    q = fix.question
    mirror = settings.mirror(q.bad.tree)
    said = fixes.candidates(mirror, q.good.commit, q.bad.commit)
    first = list(dict.fromkeys([*said, *_touching(conn, settings, fix)]))
    walk = walk_of(conn, settings, catalogue, q, reader, first)
    try:
        found = walk.run()
    except AlikeError as e:
        return _row(fix, why=str(e))
    if found.worse:
        return _row(fix, why=f"{q.bad.commit[:12]} is worse still")
    if found.doubt is not None:
        raise UsageError(f"{found.doubt}; none is named")
    if found.odds is not None and found.odds.growth is not None:
        raise UsageError("no single commit takes it back")
    commit = found.commits[0]
    return _row(
        fix, commits=[c.sha for c in found.commits], subject=commit.subject,
        release=fixes.release_of(mirror, commit.sha), says_so=commit.sha in said,
        document=document(found),
    )  # fmt: skip


def _row(fix: FixQuestion, why: str | None = None, **found: Any) -> FixRow:
    none: dict[str, Any] = {
        "commits": (), "subject": None, "release": None, "says_so": False, "document": None,
    }  # fmt: skip
    return FixRow(
        bisection=fix.bisection, branch=fix.branch, head=fix.question.bad.commit,
        between=fix.question.between, recovered=None if why else fix.recovered, why=why,
        **(none | found),
    )  # fmt: skip


def _touching(conn: Connection, settings: Settings, fix: FixQuestion) -> Iterator[str]:
    """Yield the latest commits that touch a function that the profile of the loss names."""
    q = fix.question
    functions = profiles.sure_functions(conn, bisections.comparisons_of(conn, fix.bisection))
    if functions:
        mirror = settings.mirror(q.bad.tree)
        touching = fixes.touching(mirror, q.good.commit, q.bad.commit, functions, PATHS)
        yield from touching[-_TOUCHING:]
