# SPDX-License-Identifier: GPL-2.0-only
"""What the comparisons of nights ask, and the figures that answer.

Two comparisons of different nights ask the same where all but the kernels is alike.  A comparison
of a branch with a baseline asks a question that goes on, whichever plan runs it.  One of a commit
with its parent does not: it is told once, and the next commit is another question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import NamedTuple, TypeAlias, TypedDict

from attrs import define, field, frozen

from vlag.report.read_model.rows import rows
from vlag.store import branch_order
from vlag.store.database import Connection

_COMPARISONS = """
SELECT c.id, c.board_type, c.role, c.plan, c.base_kernel, c.new_kernel, c.base, c.new,
  c.base_knobs, c.new_knobs, c.patches, c.application, c.variant, c.synthetic, c.tree,
  c.new_commit, coalesce(f.branch_name, c.tree || ' ' || c.ref) AS branch_name,
  -- A baseline's tag moves on; the question stays.
  coalesce(c.baseline, w.only_baseline, b.tree || '/' || b.ref) AS base_branch,
  b.series AS base_patches, b.application AS base_application
FROM read_model.comparison c JOIN read_model.kernel b ON b.id = c.base_kernel
LEFT JOIN read_model.kernel_branch f ON f.kernel = c.new_kernel
LEFT JOIN read_model.watched_baselines w
  ON w.tree = f.tree AND w.branch = f.branch AND w.board_type = c.board_type AND c.role = 'baseline'
WHERE c.id = ANY(%(ids)s) AND (%(synthetic)s OR NOT c.synthetic)
  AND (%(names)s::text[] IS NULL
    OR coalesce(f.branch_name, c.tree || ' ' || c.ref) = ANY(%(names)s::text[]))
  AND (%(boards)s::text[] IS NULL OR c.board_type = ANY(%(boards)s::text[]))
ORDER BY branch_name, c.id
"""

#: Commits that have one subject in a branch, which may have been rewritten.
_ALIKE = """
WITH asked AS MATERIALIZED (
  SELECT DISTINCT x.tree, x.branch, w.subject FROM read_model.kernel w
  JOIN read_model.kernel_branch x ON x.kernel = w.id AND x.place[1] >= 0
  WHERE w.tree = %(tree)s AND w.commit = ANY(%(commits)s)
)
SELECT DISTINCT c.branch, k.subject, c.place[1] AS line, c.place[2] AS number, k.commit
FROM asked a JOIN read_model.kernel k ON k.tree = a.tree AND k.subject = a.subject
JOIN read_model.kernel_branch c
  ON c.kernel = k.id AND c.branch = a.branch AND c.place[1] >= 0
ORDER BY 1, 2, 3, 4
"""

_VERDICTS = """
SELECT v.id, v.comparison, v.benchmark, v.parameters, v.metric, v.statistic, v.name, v.unit,
  v.verdict, v.standing, v.stands, v.base_value, v.new_value, v.effect, v.ci_low, v.ci_high,
  v.n_base, v.n_new, v.worsening, v.direction, v.screened, v.screened_effect, v.screened_ci_low,
  v.screened_ci_high, v.conditions, v.base_runs, v.new_runs, v.confirmed_by,
  v.mode, v.conditional_effect, v.conditional_low, v.conditional_high,
  s.changed_at AS decided_at
FROM read_model.verdict v JOIN read_model.comparison c ON c.id = v.comparison
LEFT JOIN read_model.suspicion s ON s.base_kernel = c.base_kernel AND s.new_kernel = c.new_kernel
  AND s.new_knobs = c.new_knobs AND s.board_type = c.board_type
  AND s.benchmark = v.benchmark AND s.parameters = v.parameters
  AND s.metric = v.metric AND s.statistic = v.statistic AND s.conditions = v.conditions
WHERE v.comparison = ANY(%(ids)s)
  AND (%(every)s OR (v.comparison, v.benchmark, v.metric, v.statistic) IN (
    SELECT * FROM unnest(%(of)s::bigint[], %(benchmarks)s::text[], %(metrics)s::text[],
      %(statistics)s::text[])))
ORDER BY v.id
"""


class ComparedRow(TypedDict):
    """A comparison of a night, for one of the branches of its new kernel."""

    id: int
    board_type: str
    role: str | None
    plan: str | None
    base_kernel: int
    new_kernel: int
    base: str
    new: str
    base_knobs: str
    new_knobs: str
    patches: str | None
    application: str
    variant: str
    synthetic: bool
    tree: str
    new_commit: str
    branch_name: str
    base_branch: str
    base_patches: str | None
    base_application: str


class FigureRow(TypedDict):
    """A figure of a comparison, and when a rerun decided on it."""

    id: int
    comparison: int
    benchmark: str
    parameters: str
    metric: str
    statistic: str
    name: str
    unit: str
    verdict: str
    standing: str
    stands: bool | None
    base_value: float | None
    new_value: float | None
    effect: float | None
    ci_low: float | None
    ci_high: float | None
    n_base: int
    n_new: int
    worsening: float | None
    direction: str
    screened: str
    screened_effect: float | None
    screened_ci_low: float | None
    screened_ci_high: float | None
    conditions: str
    base_runs: list[int]
    new_runs: list[int]
    confirmed_by: int | None
    mode: str | None
    conditional_effect: float | None
    conditional_low: float | None
    conditional_high: float | None
    decided_at: datetime | None


#: A benchmark's figure whatever its parameters are: benchmark, metric, statistic.
Quantity: TypeAlias = tuple[str, str, str]


class Key(NamedTuple):
    """What a figure is of."""

    benchmark: str
    parameters: str
    metric: str
    statistic: str

    @property
    def quantity(self) -> Quantity:
        """Return it whatever its parameters are."""
        return self.benchmark, self.metric, self.statistic


#: What comparisons ask that differ at most in their baseline.
Alike: TypeAlias = tuple[str | None, ...]


@frozen
class Question:
    """What makes two comparisons of different nights the same question."""

    alike: Alike
    baseline: str | None  # None: it is not of a baseline
    once: bool  # of one commit and its parent

    @property
    def commit(self) -> tuple[str | None, str | None]:
        """Return the commit that it is asked of, and the board type; no commit: it goes on."""
        return self.alike[6], self.alike[4]

    @property
    def branch(self) -> str | None:
        """Return the branch that it is asked of."""
        return self.alike[0]


@define(kw_only=True)
class Compared:
    """A comparison with its figures."""

    row: ComparedRow
    commit: str  # of the new kernel, as its branch calls it now
    figures: dict[Key, FigureRow] = field(factory=dict)

    @property
    def question(self) -> Question:
        """Return what it asks."""
        c = self.row
        once = c["role"] == "parent" and c["patches"] is None
        of_baseline = c["role"] == "baseline"
        return Question(
            alike=(
                c["branch_name"], c["patches"], c["application"], c["variant"], c["board_type"],
                c["role"], self.commit if once else None,
                None if once or of_baseline else c["base_branch"],
                c["base_patches"], c["base_application"], c["base_knobs"], c["new_knobs"],
            ),
            baseline=c["base_branch"] if of_baseline else None,
            once=once,
        )  # fmt: skip

    @property
    def own(self) -> bool:
        """Return whether it is of its branch alone: nothing was tried."""
        c = self.row
        return (c["patches"], c["variant"]) == (None, "default") and (
            c["base_knobs"] == c["new_knobs"]
        )


def compared(conn: Connection, ids: Sequence[int], *, synthetic: bool) -> list[Compared]:
    """Return comparisons with their figures, once for each of their branches."""
    [some] = with_figures(conn, [asked_of(conn, ids, synthetic)])
    return some


def asked_of(
    conn: Connection,
    ids: Sequence[int],
    synthetic: bool,
    *,
    names: Iterable[str] | None = None,
    boards: Iterable[str] | None = None,
) -> list[Compared]:
    """Return comparisons without their figures.

    Of these branches and board types alone; None: of all.
    """
    values = {
        "ids": list(ids), "synthetic": synthetic,
        "names": None if names is None else [*names],
        "boards": None if boards is None else [*boards],
    }  # fmt: skip
    listed = rows(conn, ComparedRow, _COMPARISONS, values)
    parents = [c for c in listed if c["role"] == "parent"]
    called: dict[tuple[str, str], str] = {}
    for tree in {c["tree"] for c in parents}:
        commits = sorted({c["new_commit"] for c in parents if c["tree"] == tree})
        # As `branch_order.rewritten`, by what the pages may read.
        alike = conn.execute(_ALIKE, {"tree": tree, "commits": commits}).fetchall()
        now = branch_order.newest_names(alike)
        called |= {(tree, old): name for old, name in now.items()}
    return [
        Compared(row=c, commit=called.get((c["tree"], c["new_commit"]), c["new_commit"]))
        for c in listed
    ]


def with_figures(
    conn: Connection,
    groups: Sequence[Iterable[Compared]],
    quantities: Mapping[Alike, Set[Quantity]] | None = None,
) -> list[list[Compared]]:
    """Return groups of comparisons with their figures; no two groups share a figure.

    With those of these quantities alone, by what is asked; None: of all.
    """
    # The latest of each question and plan, for each branch.
    latest = [{(c.question, c.row["plan"]): c for c in group} for group in groups]
    ids = sorted({c.row["id"] for group in latest for c in group.values()})
    figures: dict[int, dict[Key, FigureRow]] = {id_: {} for id_ in ids}
    wanted = {
        (c.row["id"], *quantity)
        for group in latest
        for c in group.values()
        for quantity in (quantities or {}).get(c.question.alike, ())
    }
    values = {
        "ids": ids, "every": quantities is None,
        **{name: [one[n] for one in wanted]
           for n, name in enumerate(("of", "benchmarks", "metrics", "statistics"))},
    }  # fmt: skip
    for v in rows(conn, FigureRow, _VERDICTS, values) if ids else ():
        figures[v["comparison"]][key_of(v)] = v
    filled = []
    for group in latest:
        # One comparison may be of several branches.
        own = {
            id_: {k: v.copy() for k, v in figures[id_].items()}
            for id_ in {c.row["id"] for c in group.values()}
        }
        filled.append(
            [Compared(row=c.row, commit=c.commit, figures=own[c.row["id"]]) for c in group.values()]
        )
    return filled


def key_of(v: FigureRow) -> Key:
    """Return what a figure is of."""
    return Key(v["benchmark"], v["parameters"], v["metric"], v["statistic"])


def is_worse(v: FigureRow) -> bool:
    """Return whether a figure is known to be worse."""
    return v["verdict"] == "REGRESSION" and v["standing"] in ("confirmed", "told")
