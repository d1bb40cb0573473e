# SPDX-License-Identifier: GPL-2.0-only
"""Where along a branch a figure became worse: the last good head and the first bad one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, TypedDict

from attrs import frozen

from vlag.report.read_model.rows import column, rows
from vlag.store.database import Connection

_SHORT = 12  # digits of a commit

# A kernel that is not worse than its parent may be as bad: only the baseline decides.  Of a head
# that was judged more than once the last decision counts.  A baseline may have been away for some
# nights: where the figure was not worse than another one then, what it lost before had ended.
_HEADS: Final = """
WITH asked AS MATERIALIZED (
  SELECT v.id AS asked, v.comparison, v.benchmark, v.metric, v.statistic, v.parameters, v.conditions
  FROM read_model.verdict v WHERE v.id = ANY(%(id)s)
),
home AS MATERIALIZED (
  SELECT DISTINCT c.*, f.branch AS along, f.place AS reach FROM asked a
  JOIN read_model.comparison c ON c.id = a.comparison
  JOIN read_model.kernel_branch f ON f.kernel = c.new_kernel
),
head AS MATERIALIZED (
  SELECT c.id AS home, g.kernel, max(g.place) AS nth FROM home c
  JOIN read_model.kernel_branch g ON g.tree = c.tree AND g.branch = c.along AND g.place <= c.reach
  GROUP BY 1, 2
),
compared AS MATERIALIZED (
  SELECT DISTINCT c.id AS home, x.id AS comparison, x.new, x.new_commit, x.tree, x.committed_at,
    x.at, x.new_kernel, g.nth, (x.baseline = c.baseline) IS NOT FALSE AS same
  FROM home c JOIN head g ON g.home = c.id
  JOIN read_model.comparison x ON x.new_kernel = ANY(ARRAY(SELECT k.kernel FROM head k))
    AND x.new_kernel = g.kernel AND x.board_type = c.board_type
  WHERE (x.role = 'baseline' OR x.base_kernel = c.base_kernel AND c.role IS DISTINCT FROM 'parent')
    AND x.new_knobs = c.new_knobs AND x.variant = c.variant AND x.synthetic = c.synthetic
    AND x.patches IS NOT DISTINCT FROM c.patches AND x.application = c.application
),
counted AS MATERIALIZED (
  SELECT c.* FROM compared c WHERE c.same OR NOT EXISTS (
    SELECT FROM compared o WHERE o.home = c.home AND o.new_kernel = c.new_kernel AND o.same)
),
-- An array, so that the planner looks the figures up by the comparisons' index: it takes a join
-- for one with most of the table.
decided AS MATERIALIZED (
  SELECT DISTINCT ON (a.asked, p.new_kernel) a.asked, v.verdict, v.standing, v.effect,
    v.worsening, v.ci_low, v.ci_high, p.*, v.verdict = 'REGRESSION' AS bad
  FROM asked a JOIN counted p ON p.home = a.comparison
  JOIN read_model.verdict v ON v.comparison = ANY(ARRAY(SELECT x.comparison FROM counted x))
    AND v.comparison = p.comparison AND v.benchmark = a.benchmark AND v.metric = a.metric
    AND v.statistic = a.statistic AND v.parameters = a.parameters
    -- With another tool or compiler it is another question.
    AND v.conditions = a.conditions
  WHERE v.verdict IN ('UNCHANGED', 'IMPROVEMENT') AND v.standing <> 'suspected'
    OR v.verdict = 'REGRESSION' AND v.standing IN ('confirmed', 'told')
  ORDER BY a.asked, p.new_kernel, p.comparison DESC
),
good AS (
  SELECT DISTINCT ON (asked) * FROM decided WHERE same AND NOT bad
  ORDER BY asked, nth DESC, comparison DESC
)
SELECT 'good' AS what, g.* FROM good g
UNION ALL
(SELECT DISTINCT ON (d.asked) 'bad', d.* FROM decided d JOIN good g ON g.asked = d.asked
WHERE d.same AND d.bad AND d.nth > g.nth
  AND NOT EXISTS (SELECT FROM decided e
    WHERE e.asked = d.asked AND NOT e.same AND NOT e.bad AND e.nth >= d.nth)
ORDER BY d.asked, d.nth, d.comparison)
"""


class Head(TypedDict):
    """A head of a branch, and its place along it."""

    new_commit: str
    nth: list[int]


class HeadRow(Head):
    """The verdict on a figure of a head."""

    what: str  # good or bad
    asked: int  # the verdict whose figure it is
    verdict: str
    standing: str
    effect: float | None
    worsening: float | None
    ci_low: float | None
    ci_high: float | None
    comparison: int
    new: str
    tree: str
    committed_at: datetime
    at: datetime
    new_kernel: int


@frozen(kw_only=True)
class Onset:
    """Two heads of a branch."""

    good: Head | None  # the last that was not worse, under the same conditions
    bad: Head | None  # the first measured after it that was worse

    @property
    def commits(self) -> int | None:
        """Return how many commits lie after the good head, the bad one included, if known."""
        if self.good is None or self.bad is None:
            return None
        (line, number), (its_line, its_number) = (head["nth"][:2] for head in (self.good, self.bad))
        known = line >= 0 and line == its_line and number < its_number
        return its_number - number if known else None

    @property
    def words(self) -> str | None:
        """Return it as "since BAD (one commit after GOOD)" or "between GOOD and BAD (3 commits)".

        None where either is not known.
        """
        if self.good is None or self.bad is None:
            return None
        good, bad = (head["new_commit"][:_SHORT] for head in (self.good, self.bad))
        if self.good["nth"][0] != self.bad["nth"][0] >= 0:
            return f"since {bad} (the branch was rewritten after {good})"
        if self.commits == 1:
            return f"since {bad} (one commit after {good})"
        return f"between {good} and {bad}" + (f" ({self.commits} commits)" if self.commits else "")

    @property
    def short(self) -> str | None:
        """Return it as "since BAD" or "in GOOD..BAD"; None where either is not known."""
        if self.good is None or self.bad is None:
            return None
        good, bad = (head["new_commit"][:_SHORT] for head in (self.good, self.bad))
        return f"since {bad}" if (self.words or "").startswith("since") else f"in {good}..{bad}"

    def holds(self, place: Sequence[int]) -> bool:
        """Return whether a place along the branch lies after the good head, up to the bad one."""
        if self.good is None or self.bad is None:
            return True
        after, until = list(self.good["nth"]), list(self.bad["nth"])
        return after < list(place) <= until


def onsets(conn: Connection, verdicts: Sequence[int]) -> Mapping[int, Onset]:
    """Return where figures that are worse became so, by the ids of rows of the view `verdict`.

    Heads of the branch of a figure's comparison count, up to its own, as compared with the same
    baseline on the same board type under the same conditions.
    """
    if not verdicts:
        return {}
    by_verdict: dict[int, dict[str, HeadRow]] = {id_: {} for id_ in verdicts}
    for row in rows(conn, HeadRow, _HEADS, {"id": list(by_verdict)}):
        by_verdict[row["asked"]][row["what"]] = row
    return {
        id_: Onset(good=heads.get("good"), bad=heads.get("bad"))
        for id_, heads in by_verdict.items()
    }


def place_along(conn: Connection, kernel: int, tree: str, branch: str) -> list[int] | None:
    """Return the place of a kernel along a branch, or None if it is not of it."""
    [place] = column(
        conn,
        "SELECT max(f.place) AS place FROM read_model.kernel_branch f WHERE f.kernel = %(kernel)s"
        " AND f.tree = %(tree)s AND f.branch = %(branch)s",
        {"kernel": kernel, "tree": tree, "branch": branch},
    )
    numbers: list[int] | None = place
    return numbers


def subject_of(conn: Connection, tree: str, commit: str) -> str:
    """Return the subject of a commit of which a kernel is on record."""
    [subject] = column(
        conn,
        "SELECT max(k.subject) AS subject FROM read_model.kernel k"
        " WHERE k.tree = %(tree)s AND k.commit = %(commit)s",
        {"tree": tree, "commit": commit},
    )
    return str(subject)
