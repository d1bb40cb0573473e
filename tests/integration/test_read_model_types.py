# SPDX-License-Identifier: GPL-2.0-only
"""The types of the read model are those of the database: a column has its name and its type."""

from __future__ import annotations

import types
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, TypedDict, Union, get_args, get_origin, get_type_hints

import pytest

from tests.conftest import fresh_database
from tests.typed import faults
from vlag.report.read_model import view_rows as views
from vlag.report.read_model.alert_rows import AlertEventRow, AlertPinRow, AlertRow, AlertTextRow
from vlag.report.read_model.bisection_rows import BisectionRow, FixRow, SearchProgressRow
from vlag.report.read_model.board_rows import BoardCheckRow, BoardRow
from vlag.report.read_model.exports import BuildRow
from vlag.report.read_model.lane_states import LaneFindingRow, LaneRow
from vlag.report.read_model.night_rows import NightRow
from vlag.report.read_model.profile_rows import (
    DecidedDifferentlyRow,
    DecisionTimelineRow,
    ProfileDecisionRow,
    ProfileFunctionRow,
    ProfilePathRow,
    ProfileRow,
    SampledProfileRow,
)
from vlag.report.read_model.regressions import NightMessageRow, SuspicionDecisionRow
from vlag.report.read_model.rows import one, rows
from vlag.report.read_model.run_rows import HealthRow, RunRow
from vlag.report.read_model.try_states import TryRow
from vlag.store import database
from vlag.store.database import Connection

#: Type of rows -> the view whose columns they all have.
VIEWS: Mapping[type, str] = {
    views.ComparisonRow: "comparison",
    views.SummaryRow: "comparison_summary",
    views.VerdictRow: "verdict",
    views.QuantileRow: "distribution",
    views.FailureRow: "failure",
    views.NewestRow: "newest_of_role",
    views.ChangePointRow: "change_point",
    views.SuspicionRow: "suspicion",
    views.PredictionRow: "prediction",
    views.KernelRow: "kernel",
    views.TimeSeriesRow: "series",
    RunRow: "run",
    HealthRow: "run_health",
    AlertRow: "alert",
    AlertEventRow: "alert_event",
    AlertPinRow: "alert_pin",
    AlertTextRow: "alert_text",
    SuspicionDecisionRow: "suspicion_decision",
    NightMessageRow: "night_message",
    NightRow: "night",
    BoardRow: "board",
    BoardCheckRow: "board_check",
    ProfileRow: "profile",
    ProfileFunctionRow: "profile_function",
    ProfileDecisionRow: "profile_decision",
    ProfilePathRow: "profile_path",
    SampledProfileRow: "sampled_profile",
    DecidedDifferentlyRow: "decided_differently",
    DecisionTimelineRow: "decision_timeline",
    BisectionRow: "bisection",
    FixRow: "fix",
    SearchProgressRow: "search_progress",
    LaneRow: "lane",
    LaneFindingRow: "lane_finding",
    TryRow: "try",
    BuildRow: "kernel_build",
}
_JSON = "jsonb"
_TYPES: Mapping[str, object] = {
    "bool": bool,
    "int4": int,
    "int8": int,
    "float8": float,
    "text": str,
    "bytea": bytes,
    "bpchar": str,
    "timestamptz": datetime,
    "date": date,
    "text[]": list[str],
    "int8[]": list[int],
    "float8[]": list[float],
}


def columns(conn: Connection, view: str) -> dict[str, object]:
    """Return the names and types of a view's columns; JSON is anything."""
    found = conn.execute(f"SELECT * FROM read_model.{view} LIMIT 0".encode()).description or []  # noqa: S608 - a name of `VIEWS`
    # Enums have no name here, and are text.
    kinds = {c.name: c.type_display.partition("(")[0] for c in found}
    return {n: k if k == _JSON else _TYPES.get(k, str) for n, k in kinds.items()}


def declared(kind: type) -> dict[str, object]:
    """Return the names and types of a TypedDict, without None."""
    return {name: _known(hint) for name, hint in get_type_hints(kind).items()}


def _known(hint: Any) -> object:
    if get_origin(hint) in (Union, types.UnionType):
        [hint] = [one for one in get_args(hint) if one is not types.NoneType]
    return hint


def differing(conn: Connection, kind: type, view: str) -> list[str]:
    """Return the columns in which a type is not its view."""
    of_view, own = columns(conn, view), declared(kind)
    same = {n for n, t in own.items() if n in of_view and of_view[n] in (t, _JSON)}
    return sorted((own.keys() | of_view.keys()) - same)


@pytest.mark.parametrize("kind", VIEWS, ids=lambda kind: kind.__name__)
def test_a_row_has_the_columns_of_its_view(kind: type, conn: Connection) -> None:
    assert differing(conn, kind, VIEWS[kind]) == []


def test_what_is_on_record_has_the_types_of_its_columns(cluster: str, field_reports: str) -> None:
    """What a type does not call empty is never empty, and JSON has its keys."""
    with database.connect(fresh_database(cluster, field_reports)) as conn:
        found = {
            view: [fault for row in _first(conn, kind, view) for fault in faults(row, kind)]
            for kind, view in VIEWS.items()
        }
    assert {view: some[:5] for view, some in found.items() if some} == {}


def _first(conn: Connection, kind: type[Any], view: str) -> list[Any]:
    """Return the first rows of a view."""
    return rows(conn, kind, f"SELECT * FROM read_model.{view} LIMIT 1000")  # noqa: S608 - a name of `VIEWS`


class Misspelt(TypedDict):
    """Negative control: a board whose arch has another name, and its cpus another type."""

    name: str
    board_type: str
    architecture: str
    deterministic: bool
    cpus: str
    limits: str | None
    state: str
    since: datetime | None
    reason: str | None
    by: str | None
    last_finding: str | None
    last_sentence: str | None
    last_checked: datetime | None


def test_a_misspelt_column_and_a_wrong_type_are_named(conn: Connection) -> None:
    """Negative control."""
    assert differing(conn, Misspelt, "board") == ["arch", "architecture", "cpus"]


def test_a_statement_without_a_column_of_its_type_is_refused(conn: Connection) -> None:
    statement = "SELECT b.name, b.board_type FROM read_model.board b"
    with pytest.raises(TypeError, match=r"Misspelt: the statement has no architecture, by, cpus"):
        rows(conn, Misspelt, statement)
    with pytest.raises(TypeError, match=r"BoardRow: the statement has no arch, by, cpus"):
        one(conn, BoardRow, statement, {})
