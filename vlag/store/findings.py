# SPDX-License-Identifier: GPL-2.0-only
"""Which comparisons and verdicts a derivation of alerts reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from attrs import define, evolve, field
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.model import CHANGES
from vlag.store.database import Connection
from vlag.store.judged import Pair, Row

#: Number of newest heads of a branch that are read: older verdicts are history.
REACH = 30

PARENT, BASELINE = "parent", "baseline"


# Recorded before it was kept, a baseline has the name of its kernel.
_BASELINE = "coalesce(c.baseline, b.tree || '/' || b.commit)"
_PAIR = (
    "SELECT c.id, c.board_type, c.role, c.synthetic, c.plan, c.base_kernel, b.name AS base_name,"  # noqa: S608
    f" {_BASELINE} AS baseline,"
    " b.tree AS base_tree, b.commit AS base_commit, b.series AS base_series,"
    " b.application AS base_application, b.variant AS base_variant, c.base_knobs, c.new_kernel,"
    " n.name AS new_name, n.tree, f.branch, n.ref, n.commit, n.subject, n.series, n.application,"
    " n.variant, c.new_knobs AS knobs, c.created_at,"
    " coalesce(f.place, ARRAY[-1, 0, extract(epoch FROM n.committed_at)::bigint, n.id]) AS place,"
    " coalesce(f.seen_at, n.committed_at) AS seen_at"
    " FROM public.comparison c JOIN read_model.kernel b ON b.id = c.base_kernel"
    " JOIN read_model.kernel n ON n.id = c.new_kernel"
    " LEFT JOIN read_model.kernel_branch f ON f.kernel = n.id WHERE c.stage IS DISTINCT"
    " FROM 'confirm'"
)


@define(kw_only=True)
class Remembered:
    """What was read of a record that stays, for whoever asks as of many times.

    A comparison, its verdicts and what explains them are read once, and those that were not
    there yet are left out.
    """

    at: datetime  # as of when it is asked now
    rows: dict[int, list[Row]] = field(factory=dict)  # by comparison
    pairs: dict[tuple[str, str], list[Pair]] = field(factory=dict)  # by what was asked
    explained: dict[int, set[str]] = field(factory=dict)  # by comparison
    #: The first comparison with a parent, by kernel and board type.
    with_parent: dict[tuple[int, str], datetime | None] = field(factory=dict)
    baselines: dict[tuple[str, str | None, str], set[str]] = field(factory=dict)  # by what is asked


_remembered: ContextVar[Remembered | None] = ContextVar("remembered", default=None)


@contextmanager
def remembering(at: datetime) -> Iterator[Remembered]:
    """Read each comparison once until the block ends; who is given it moves its `at` on."""
    memory = Remembered(at=at)
    token = _remembered.set(memory)
    try:
        yield memory
    finally:
        _remembered.reset(token)


def _pairs(
    conn: Connection, condition: str, values: Mapping[str, object], most: int | None = None
) -> list[Pair]:
    """Return comparisons in the order of `condition`, at most so many."""
    memory = _remembered.get()
    if memory is None:
        limit = "" if most is None else f" LIMIT {most}"
        return _read_pairs(conn, f"{condition}{limit}", values)
    asked = condition, repr(values)
    if asked not in memory.pairs:
        memory.pairs[asked] = _read_pairs(conn, condition, values)
    return [p for p in memory.pairs[asked] if p.created_at <= memory.at][:most]


def _read_pairs(conn: Connection, condition: str, values: Mapping[str, object]) -> list[Pair]:
    with conn.cursor(row_factory=class_row(Pair)) as cursor:
        return cursor.execute(f"{_PAIR} AND {condition}", values).fetchall()


def pairs(conn: Connection, comparisons: Sequence[int]) -> list[Pair]:
    """Return comparisons, each once for every branch of its new kernel, the first one last.

    One of a rerun gives those whose suspicions it settles.
    """
    if _remembered.get() is None:
        return _pairs_of(conn, comparisons)
    # One by one, as others will ask for others of them.
    every = {(p.id, p.branch): p for id_ in comparisons for p in _pairs_of(conn, [id_])}
    return sorted(every.values(), key=lambda p: p.id)


# A rerun `a` and the screens `s` whose suspicions it settles, or a comparison by itself.
_SCREENS = (
    "FROM public.comparison a JOIN public.comparison s"
    "   ON s.board_type = a.board_type AND s.new_kernel = a.new_kernel"
    "   AND s.base_kernel = a.base_kernel AND s.base_knobs = a.base_knobs"
    "   AND s.new_knobs = a.new_knobs"
    "   WHERE a.id = ANY(%(ids)s) AND (s.id = a.id OR a.stage = 'confirm')"
)
_OF_IDS = f"c.id IN (SELECT s.id {_SCREENS}) ORDER BY c.id, f.number DESC"


def _pairs_of(conn: Connection, comparisons: Sequence[int]) -> list[Pair]:
    return _pairs(conn, _OF_IDS, _asked(comparisons))


def _asked(comparisons: Sequence[int]) -> dict[str, object]:
    return {"ids": list(comparisons)}


def ahead(conn: Connection, comparisons: Sequence[int], memory: Remembered) -> None:
    """Read all at once what will be asked for one by one.

    That is comparisons that `pairs` gives, those of their commits with parents, their verdicts and
    what explains them.
    """
    settles: dict[int, set[int]] = {id_: set() for id_ in comparisons}
    of_ids = conn.execute(f"SELECT a.id, s.id {_SCREENS}", _asked(comparisons))
    for asked, id_ in of_ids:
        settles[asked].add(id_)
    every = _read_pairs(conn, _OF_IDS, _asked(comparisons))
    by_id: dict[int, list[Pair]] = {}
    for p in every:
        by_id.setdefault(p.id, []).append(p)
    for asked, its in settles.items():
        found = [p for id_ in sorted(its) for p in by_id.get(id_, ())]
        memory.pairs[_OF_IDS, repr(_asked([asked]))] = found
    _ahead_of_commits(conn, every, memory)
    read_ahead(conn, sorted(by_id))


def _ahead_of_commits(conn: Connection, every: Sequence[Pair], memory: Remembered) -> None:
    commits = sorted({p.commit for p in every if p.role == PARENT})
    known: dict[str, list[Pair]] = {}
    for p in _read_pairs(
        conn,
        "c.role = 'parent' AND n.commit = ANY(%(commits)s) ORDER BY c.id, f.number DESC",
        {"commits": commits},
    ):
        asked = _of_commit(p.tree, [p.commit], p.series, p.application, synthetic=p.synthetic)
        known.setdefault(repr(asked), []).append(p)
    memory.pairs |= {(_OF_COMMIT, asked): its for asked, its in known.items()}


def read_ahead(conn: Connection, comparisons: Sequence[int]) -> None:
    """Read verdicts and what explains them at once, where that is remembered for who asks."""
    memory = _remembered.get()
    if memory is None:
        return
    rows(conn, comparisons)
    if missing := set(comparisons) - memory.explained.keys():
        memory.explained |= _read_explained(conn, sorted(missing))


def of_commit(
    conn: Connection,
    *,
    tree: str,
    commits: Sequence[str],
    series: str | None,
    application: str,
    synthetic: bool,
) -> list[Pair]:
    """Return all comparisons of a commit with its parent as `pairs` does, oldest first.

    `commits` are its names: a rewritten branch gives it another one.
    """
    asked = _of_commit(tree, commits, series, application, synthetic=synthetic)
    return _pairs(conn, _OF_COMMIT, asked)


_OF_COMMIT = (
    "c.role = 'parent' AND n.tree = %(tree)s AND n.commit = ANY(%(commits)s)"
    " AND n.series IS NOT DISTINCT FROM %(series)s AND n.application = %(application)s"
    " AND c.synthetic = %(synthetic)s ORDER BY c.id, f.number DESC"
)


def _of_commit(
    tree: str, commits: Sequence[str], series: str | None, application: str, *, synthetic: bool
) -> dict[str, object]:
    return {
        "tree": tree,
        "commits": list(commits),
        "series": series,
        "application": application,
        "synthetic": synthetic,
    }


def changed(conn: Connection, tree: str, branch: str) -> list[Pair]:
    """Return the comparisons with a parent that decided on a change of a branch, oldest first.

    Commits that a rewritten or reset branch has no longer are left out: another one has come to
    their place, or to one before it.
    """
    return _pairs(
        conn,
        "c.role = 'parent' AND n.tree = %(tree)s AND f.branch = %(branch)s AND EXISTS ("
        # What a screen suspects a rerun may have decided.
        "   SELECT FROM verdict v WHERE v.comparison = c.id"
        "   AND (v.verdict = ANY(%(changes)s) OR v.suspect))"
        " AND NOT EXISTS (SELECT FROM branch_commit d WHERE d.tree = n.tree AND d.branch = f.branch"
        "   AND d.line > f.place[1] AND d.number <= f.place[2]) ORDER BY place, c.id",
        {"tree": tree, "branch": branch, "changes": list(CHANGES)},
    )


def with_parent(conn: Connection, pair: Pair) -> bool:
    """Return whether a comparison's new kernel was also compared with its parent there."""
    memory = _remembered.get()
    known = {} if memory is None else memory.with_parent
    key = pair.new_kernel, pair.board_type
    if key not in known:
        known[key] = _with_parent_since(conn, pair)
    since = known[key]
    return since is not None and (memory is None or since <= memory.at)


def _with_parent_since(conn: Connection, pair: Pair) -> datetime | None:
    row = conn.execute(
        "SELECT min(created_at) FROM public.comparison WHERE role = 'parent' AND new_kernel = %s"
        " AND board_type = %s",
        (pair.new_kernel, pair.board_type),
    ).fetchone()
    return None if row is None else row[0]


def like(conn: Connection, pair: Pair) -> list[Pair]:
    """Return the comparisons of a branch that differ only in its head, the newest head last.

    With a baseline they may differ in that too, as the branch is compared with it now: its tag
    moves on, and a branch may have several.  Of each base the last `REACH` heads.
    """
    now = baselines(conn, pair) if pair.role == BASELINE else set()
    # What the statement does not use is not part of the question, which is asked for each head.
    unused = _BASE if pair.role == BASELINE else ()
    values = {
        **{name: None if name in unused else getattr(pair, name) for name in _LIKE},
        "new_kernel": pair.new_kernel if pair.branch is None else None,
        "base_knobs": Jsonb(dict(pair.base_knobs)),
        "knobs": Jsonb(dict(pair.knobs)),
    }
    if pair.role == BASELINE:
        base = "(c.baseline IS NULL OR c.baseline = ANY(%(baselines)s))" if now else "true"
        values["baselines"] = sorted(now)
    else:
        base = (
            "b.tree = %(base_tree)s AND b.commit = %(base_commit)s"
            " AND b.series IS NOT DISTINCT FROM %(base_series)s"
            " AND b.application = %(base_application)s AND b.variant = %(base_variant)s"
        )
    alike = _pairs(
        conn,
        "c.role IS NOT DISTINCT FROM %(role)s AND c.board_type = %(board_type)s"
        " AND c.synthetic = %(synthetic)s AND c.base_knobs = %(base_knobs)s::jsonb"
        " AND c.new_knobs = %(knobs)s::jsonb AND n.tree = %(tree)s"
        " AND CASE WHEN %(branch)s::text IS NULL THEN n.id = %(new_kernel)s"
        "   ELSE f.branch = %(branch)s END"
        " AND n.series IS NOT DISTINCT FROM %(series)s AND n.application = %(application)s"
        f" AND n.variant = %(variant)s AND {base} ORDER BY place DESC, c.id DESC",
        values,
        most=REACH * max(len(now), 1),
    )
    if len(now) == 1:
        # What was compared before the names were kept was with the only baseline.
        alike = [evolve(p, baseline=name) for p in alike for name in now]
    elif any(p.baseline in now for p in alike):
        alike = [p for p in alike if p.baseline in now]
    return alike[::-1]


_BASE = ("base_tree", "base_commit", "base_series", "base_application", "base_variant")
_LIKE = (
    "role",
    "board_type",
    "synthetic",
    "tree",
    "branch",
    "series",
    "application",
    "variant",
    *_BASE,
)


def baselines(conn: Connection, pair: Pair) -> set[str]:
    """Return the baselines of a branch on a board type, by the settings of the last night.

    None: it is not watched, or no night has kept them.
    """
    memory = _remembered.get()
    known = {} if memory is None else memory.baselines
    asked = pair.tree, pair.branch, pair.board_type
    if asked not in known:
        selected = conn.execute(
            "SELECT unnest(baselines) FROM read_model.watched_baselines"
            " WHERE tree = %s AND branch = %s AND board_type = %s",
            asked,
        )
        known[asked] = {row[0] for row in selected}
    return known[asked]


def since(conn: Connection, at: datetime) -> list[int]:
    """Return the comparisons with a baseline or a parent since a time."""
    selected = conn.execute(
        "SELECT id FROM comparison WHERE created_at >= %s AND role IS NOT NULL ORDER BY id", (at,)
    )
    return [int(row[0]) for row in selected]


def rows(conn: Connection, comparisons: Sequence[int]) -> list[Row]:
    """Return the present verdicts of comparisons, in the order of the comparisons."""
    memory = _remembered.get()
    if memory is None:
        return _read_rows(conn, comparisons)
    if missing := set(comparisons) - memory.rows.keys():
        memory.rows |= {id_: [] for id_ in missing}
        for row in _read_rows(conn, sorted(missing)):
            memory.rows[row.comparison].append(row)
    return [row for id_ in sorted(set(comparisons)) for row in memory.rows[id_]]


def _read_rows(conn: Connection, comparisons: Sequence[int]) -> list[Row]:
    with conn.cursor(row_factory=class_row(Row)) as cursor:
        return cursor.execute(
            "SELECT v.id, v.comparison, v.benchmark, x.parameters, v.metric, v.statistic, v.name,"
            " v.unit, v.latency, v.hint, v.verdict, v.screened, v.standing, v.base_value,"
            " v.new_value, v.effect, v.ci_low, v.ci_high, v.n_base, v.n_new, v.worsening,"
            " v.screened_effect, v.series_new, v.base_runs, v.new_runs, v.conditions,"
            " v.mode, v.stands IS FALSE AS chance"
            " FROM read_model.verdict v JOIN public.verdict x ON x.id = v.id"
            " WHERE v.comparison = ANY(%s) ORDER BY v.comparison, v.id",
            (list(comparisons),),
        ).fetchall()


def explained(conn: Connection, comparison: int) -> set[str]:
    """Return the benchmarks of a comparison whose loss has a cause in a table.

    That is a commit that a search has found, or a function of a profile that surely does more;
    a toggle that takes the loss back is judged by its boots (`compare.toggle_attribution`).
    """
    memory = _remembered.get()
    known = {} if memory is None else memory.explained
    if comparison not in known:
        known |= _read_explained(conn, [comparison])
    return known[comparison]


def _read_explained(conn: Connection, comparisons: Sequence[int]) -> dict[int, set[str]]:
    selected = conn.execute(
        "SELECT l.comparison, b.benchmark FROM bisection b"
        " JOIN bisection_comparison l ON l.bisection = b.id"
        " WHERE l.comparison = ANY(%(ids)s)"
        " UNION SELECT p.comparison, p.benchmark FROM read_model.profile p"
        " JOIN read_model.profile_function f ON f.profile = p.id"
        " WHERE p.comparison = ANY(%(ids)s) AND f.certain AND f.change > 0",
        {"ids": list(comparisons)},
    )
    found: dict[int, set[str]] = {id_: set() for id_ in comparisons}
    for id_, benchmark in selected:
        found[id_].add(str(benchmark))
    return found


def compared(conn: Connection, comparisons: Sequence[int]) -> set[tuple[str, str, str]]:
    """Return tree, branch and board type of comparisons with figures of both sides."""
    selected = conn.execute(
        "SELECT DISTINCT f.tree, f.name, c.board_type FROM comparison c"
        " JOIN kernel_ref f ON f.kernel = c.new_kernel AND f.is_branch WHERE c.id = ANY(%s)"
        " AND EXISTS ("
        "   SELECT FROM verdict v WHERE v.comparison = c.id AND v.n_base > 0 AND v.n_new > 0)",
        (list(comparisons),),
    )
    return {(str(tree), str(branch), str(board_type)) for tree, branch, board_type in selected}


def board_types(conn: Connection) -> dict[str, str]:
    """Return the board type of each board on record."""
    return dict(conn.execute("SELECT name, board_type FROM board").fetchall())
