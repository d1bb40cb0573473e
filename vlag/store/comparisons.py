# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons and their verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from attrs import asdict, frozen
from psycopg.rows import class_row, dict_row, scalar_row
from psycopg.types.json import Jsonb

from vlag.model import Direction
from vlag.store import statements
from vlag.store.columns import Columns, columns
from vlag.store.database import Connection
from vlag.verdict_data import PredictionData, VerdictColumns


@frozen(kw_only=True)
class VerdictRow:
    """A row of `verdict` without its ids; values in `unit`, effects relative (0.01 = 1 %)."""

    benchmark: str
    parameters: Mapping[str, str | int]
    metric: str
    statistic: str
    series_base: int | None
    series_new: int | None
    unit: str
    direction: str
    base_value: float | None
    new_value: float | None
    effect: float | None
    ci_low: float | None
    ci_high: float | None
    n_base: int
    n_new: int
    p: float | None
    verdict: str
    reason: str
    hint: bool
    base_runs: Sequence[int]
    new_runs: Sequence[int]
    base_achieved: int | None = None
    base_expected: int | None = None
    new_achieved: int | None = None
    new_expected: int | None = None
    base_marked: int = 0  # boots with a kernel alarm while measuring; they count as well
    new_marked: int = 0
    p_zero: float | None = None  # of no change at all; `p` is of a change within the relevance
    boots_needed: int | None = None  # a side, to decide; None: decided, or more than any
    suspect: bool = False  # worth a rerun
    confirmable: bool = False  # the plan has a rerun
    stand: str | None = None  # of stage confirm: confirmed, refuted, open or undecided
    # Digest of what the boots of both sides share beside the kernel; None: they share less.
    conditions: str | None = None
    mode: str | None = None  # the boots in a new mode, in words; None: none are known
    # A confirmed change given that it passed, where that is another than `effect`; its interval.
    conditional_effect: float | None = None
    conditional_low: float | None = None
    conditional_high: float | None = None
    id: int | None = None

    def columns(self) -> VerdictColumns:
        """Return what a report has of the row."""
        return cast(VerdictColumns, asdict(self, recurse=False))

    @property
    def worse(self) -> bool:
        """Return whether the change, if it is one, is for the worse."""
        return bool(self.effect) and ((self.effect or 0) < 0) == (
            self.direction == Direction.HIGHER.value
        )


@frozen(kw_only=True)
class Comparison:
    """A row of `comparison`; `id` and `created_at` are None until it is stored."""

    inputs: str
    base_kernel: int
    new_kernel: int
    board_type: str
    base_knobs: Mapping[str, str]
    new_knobs: Mapping[str, str]
    factors: Mapping[str, Mapping[str, Any]]
    failed_builds: Sequence[int]
    failed_runs: Sequence[int]
    notes: Sequence[str]
    plan: str | None = None  # plan whose entries were compared; None: every run on record
    stage: str | None = None  # "screen" or "confirm"; None without a plan
    round: int | None = None  # of stage confirm, from 1
    # [{benchmark, parameters, first, last}]: what counted, with its seeds; None: any
    scope: Sequence[Mapping[str, Any]] = ()
    role: str | None = None  # of the base: "baseline" or "parent"; None: a person named both
    baseline: str | None = None  # the settings' name of it, see `vlag.config.baseline_name`
    synthetic: bool = False  # of figures from a report, not from boots
    judge: str | None = None  # version of vlag and its method; None: from before it was kept
    id: int | None = None
    created_at: datetime | None = None


#: The columns that name the two sides of a comparison, and of what is known of both.
SIDES = ("base_kernel", "new_kernel", "base_knobs", "new_knobs", "board_type")
#: What compares them with `sides_of`.
SAME_SIDES = " AND ".join(f"{name} = %({name})s" for name in SIDES)


def sides_of(comparison: Comparison) -> dict[str, Any]:
    """Return the values of `SIDES`."""
    values = {name: getattr(comparison, name) for name in SIDES}
    return values | {name: Jsonb(dict(values[name])) for name in ("base_knobs", "new_knobs")}


_JSON = ("base_knobs", "new_knobs", "factors", "scope")
_COLUMNS = columns(Comparison, but=("id", "created_at"))
_VERDICT = columns(VerdictRow, but=("id",))


def insert(
    conn: Connection, comparison: Comparison, verdicts: Sequence[VerdictRow]
) -> tuple[int, bool]:
    """Store a comparison with its verdicts in one transaction.

    Return its id and whether it is new: the same inputs are stored once.
    """
    values = asdict(comparison)
    values |= {name: Jsonb(values[name]) for name in _JSON}
    with conn.transaction(), conn.cursor(row_factory=scalar_row) as cursor:
        statements.begin(conn)
        id_ = cursor.execute(
            f"INSERT INTO comparison {_COLUMNS.inserted()}"
            " ON CONFLICT (inputs) DO NOTHING RETURNING id",
            values,
        ).fetchone()
        if id_ is None:
            known: int | None = cursor.execute(
                "SELECT id FROM comparison WHERE inputs = %s", (comparison.inputs,)
            ).fetchone()
            assert known is not None  # noqa: S101 - the conflict says that it is there
            return known, False
        inserted = Columns(("comparison", *_VERDICT.names)).inserted()
        for verdict in verdicts:
            row = asdict(verdict, recurse=False)
            row |= {"comparison": id_, "parameters": Jsonb(dict(verdict.parameters))}
            row |= {"base_runs": list(verdict.base_runs), "new_runs": list(verdict.new_runs)}
            cursor.execute(f"INSERT INTO verdict {inserted}", row)
    return int(id_), True


def put_prediction(
    conn: Connection,
    id_: int,
    *,
    name: str,
    good: bool,
    text: str,
    document: Mapping[str, Any] | None = None,
) -> None:
    """Record what a comparison says of its predictions, and which row it replaces.

    Nothing is added if it says what it said before.
    """
    with conn.transaction():
        statements.begin(conn)
        conn.execute(
            "INSERT INTO prediction (comparison, name, good, text, document, replaces)"
            " SELECT %(id)s, %(name)s, %(good)s, %(text)s, %(document)s, p.said"
            " FROM (SELECT) AS one LEFT JOIN LATERAL (SELECT * FROM prediction x"
            "   WHERE x.comparison = %(id)s ORDER BY x.said DESC LIMIT 1) p ON true"
            " WHERE p.said IS NULL OR (p.name, p.good, p.text) <> (%(name)s, %(good)s, %(text)s)"
            "   OR p.document <> %(document)s",
            {
                "id": id_,
                "name": name,
                "good": good,
                "text": text,
                "document": None if document is None else Jsonb(dict(document)),
            },
        )


def predictions(conn: Connection, ids: Sequence[int]) -> dict[int, PredictionData]:
    """Return what counts of predictions now, or at the moment that is shown, by comparison.

    Each has the keys of a document of `vlag.compare.predictions.Judgement`, of which only `name`,
    `good` and `text` are there where it was recorded before the others were kept.
    """
    rows = conn.execute(
        "SELECT p.comparison, p.name, p.good, p.text, p.document FROM read_model.prediction p"
        " WHERE p.comparison = ANY(%s)",
        (list(ids),),
    )
    return {
        id_: cast(PredictionData, {**(document or {}), "name": name, "good": good, "text": text})
        for id_, name, good, text, document in rows
    }


def name_role(conn: Connection, id_: int, role: str, baseline: str | None) -> None:
    """Set the role of a comparison's base, and the name of a baseline, if it has none."""
    conn.execute("UPDATE comparison SET role = %s WHERE id = %s AND role IS NULL", (role, id_))
    conn.execute(
        "UPDATE comparison SET baseline = %s WHERE id = %s AND role = %s AND baseline IS NULL",
        (baseline, id_, role),
    )


def name_baseline(conn: Connection, base: int, baseline: str) -> None:
    """Name a baseline in the comparisons of its kernel from before names were kept."""
    conn.execute(
        "UPDATE comparison SET baseline = %s WHERE base_kernel = %s AND role = 'baseline'"
        " AND baseline IS NULL",
        (baseline, base),
    )


def role_of(conn: Connection, like: Comparison) -> tuple[str | None, str | None]:
    """Return role and baseline of the latest comparison of the same sides and plan that has one."""
    row = conn.execute(
        "SELECT role, baseline FROM comparison WHERE new_kernel = %s AND base_kernel = %s"
        " AND base_knobs = %s AND new_knobs = %s AND board_type = %s"
        " AND plan IS NOT DISTINCT FROM %s AND role IS NOT NULL ORDER BY id DESC LIMIT 1",
        (
            like.new_kernel,
            like.base_kernel,
            Jsonb(dict(like.base_knobs)),
            Jsonb(dict(like.new_knobs)),
            like.board_type,
            like.plan,
        ),
    ).fetchone()
    return (None, None) if row is None else (row[0], row[1])


def by_id(conn: Connection, id_: int | None) -> Comparison | None:
    """Return the comparison of that id, or the latest for None; None if there is none."""
    with conn.cursor(row_factory=class_row(Comparison)) as cursor:
        return cursor.execute(
            f"SELECT id, {_COLUMNS}, created_at FROM comparison"  # noqa: S608 - constants
            " WHERE id = coalesce(%s, (SELECT max(id) FROM comparison))",
            (id_,),
        ).fetchone()


def by_ids(conn: Connection, ids: Sequence[int]) -> dict[int, Comparison]:
    """Return comparisons by id, in the order of ids; those that are gone are left out."""
    with conn.cursor(row_factory=class_row(Comparison)) as cursor:
        rows = cursor.execute(
            f"SELECT id, {_COLUMNS}, created_at FROM comparison"  # noqa: S608 - constants
            " WHERE id = ANY(%s) ORDER BY id",
            (list(ids),),
        )
        return {row.id or 0: row for row in rows}


def screen_of(conn: Connection, id_: int) -> int | None:
    """Return the newest screen of the kernels of a rerun, for which their causes are on record.

    A comparison that is no rerun is its own; None where there is none of that id.
    """
    row = conn.execute(
        "SELECT coalesce((SELECT max(s.id) FROM comparison s"
        "   WHERE c.stage = 'confirm' AND s.stage IS DISTINCT FROM 'confirm'"
        "     AND s.base_kernel = c.base_kernel AND s.new_kernel = c.new_kernel"
        "     AND s.base_knobs = c.base_knobs AND s.new_knobs = c.new_knobs"
        "     AND s.board_type = c.board_type AND s.plan IS NOT DISTINCT FROM c.plan), c.id)"
        " FROM comparison c WHERE c.id = %s",
        (id_,),
    ).fetchone()
    return None if row is None else int(row[0])


def statement_numbers(conn: Connection, ids: Sequence[int]) -> dict[int, int]:
    """Return the numbers under which comparisons were said, see `vlag.store.statements`."""
    rows = conn.execute(
        "SELECT s.comparison, s.said FROM read_model.saying s WHERE s.comparison = ANY(%s)",
        (list(ids),),
    )
    return {int(id_): int(number) for id_, number in rows}


def newest(conn: Connection, number: int) -> int | None:
    """Return the comparison that was made last up to a number of what was said, or None."""
    row = conn.execute(
        "SELECT id FROM comparison WHERE said <= %s ORDER BY said DESC LIMIT 1", (number,)
    )
    last = row.fetchone()
    return None if last is None else int(last[0])


def by_inputs(conn: Connection, inputs: str) -> Comparison | None:
    """Return the comparison of that digest of inputs, or None."""
    row = conn.execute("SELECT id FROM comparison WHERE inputs = %s", (inputs,)).fetchone()
    return None if row is None else by_id(conn, row[0])


def of_run(conn: Connection, run: int) -> list[int]:
    """Return the comparisons with verdicts from a run."""
    rows = conn.execute(
        "SELECT DISTINCT comparison FROM verdict"
        " WHERE %(run)s = ANY (base_runs) OR %(run)s = ANY (new_runs) ORDER BY comparison",
        {"run": run},
    )
    return [int(row[0]) for row in rows]


def verdicts(conn: Connection, comparison: int) -> list[VerdictRow]:
    """Return the verdicts of a comparison in the order in which they were made."""
    return verdicts_of(conn, [comparison])[comparison]


def verdicts_of(conn: Connection, ids: Sequence[int]) -> dict[int, list[VerdictRow]]:
    """Return the verdicts of each of some comparisons, in the order in which they were made."""
    verdicts: dict[int, list[VerdictRow]] = {id_: [] for id_ in ids}
    with conn.cursor(row_factory=dict_row) as cursor:
        for row in cursor.execute(
            f"SELECT comparison, {_VERDICT}, id FROM verdict"  # noqa: S608 - constants
            " WHERE comparison = ANY(%s) ORDER BY id",
            (list(ids),),
        ):
            verdicts[row.pop("comparison")].append(VerdictRow(**row))
    return verdicts
