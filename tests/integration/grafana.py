# SPDX-License-Identifier: GPL-2.0-only
"""Grafana's part in tests: it puts variables into statements, and has panels that need columns.

Grafana itself is not needed: `dashboards.interpolation` does what it does, and each statement
runs as the role that reads.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen
from psycopg.conninfo import make_conninfo

from dashboards import structure
from dashboards.interpolation import Value, choices, interpolate
from dashboards.statements import Statement, documents, of_dashboard
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.views import READER

BOARDS = {d["uid"]: d for d in documents().values()}
PANELS = {(d["uid"], p["id"]): p for d in BOARDS.values() for p in d["panels"]}

#: Everything that was ever measured, and what is measured while this runs.
END = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)
START = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)

# Types of columns, by the names of PostgreSQL.
_TIME = "timestamptz"
_NUMBERS = {"int2", "int4", "int8", "float4", "float8", "numeric"}
_TEXTS = {"text", "varchar", "bpchar", "name"}
#: Characters of a cell that are cut at an even share of the width.
_LONG = 30
#: Of all panels of a row in a browser of 1,600 px, and of one panel around its table, in px.
_ROW_PX, _AROUND_PX = 1511, 26
#: Of a column without a width of its own, at least, in px.
_COLUMN_PX = 150

#: Columns that a person has to scroll to: none of them answers the question of its panel.
BESIDE: Mapping[str, set[str]] = {
    "Boards": {"arch", "cpus", "deterministic", "limits"},
    "Excluded runs, with reasons": {"benchmark"},
    "Change points of this history": {"commit", "found", "withdrawn"},
    "Comparisons of this branch on this board type": {"at", "comparison"},
    "${base} and ${new}": {
        "base knobs", "new knobs", "board_type", "plan", "role", "at", "differs", "notes",
        "base commit", "new commit", "failures",
    },
    "Effects, worst first": {
        "boots of base", "boots of new", "p", "good", "screen of first boots", "reason",
        "boots with alarms",
    },
    "Why: functions by difference": {"benchmark", "parameters", "source"},
    "Why: decisions by rate": {"benchmark", "parameters"},
    "${figure}: boots": {"knobs", "tool_version", "emulator", "emulator_version"},
    "Failures": {"reproduce"},
    "Comparisons in the matrix": {"failures", "plan", "at", "comparison"},
    "Open alerts": {"opened", "muted until"},
    "Newest comparisons, worst first": {
        "suspected", "hints", "marginal", "inconclusive", "not comparable", "failures", "at",
        "comparison",
    },
    "Values of this run and of run ${baseline}": {"parameters", "good"},
}  # fmt: skip


@frozen(kw_only=True)
class Answer:
    """What came back of a statement."""

    columns: dict[str, str]  # name -> type, in order
    rows: list[tuple[Any, ...]]

    def by_name(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    @property
    def names(self) -> list[str]:
        return list(self.columns)

    @property
    def types(self) -> list[str]:
        return list(self.columns.values())

    @property
    def ascending(self) -> bool:
        return all(a[0] <= b[0] for a, b in itertools.pairwise(self.rows))


class Reader:
    """The role that reads, with Grafana's variables."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self.ask(sql, *values).rows

    def ask(self, sql: str, *values: object) -> Answer:
        # Without values a % in it is a %.
        cursor = self.conn.execute(sql.encode(), values or None)
        types = self.conn.adapters.types
        told = cursor.description or []
        columns = {d.name: getattr(types.get(d.type_code), "name", "?") for d in told}
        assert len(columns) == len(told), "two columns of one name"
        return Answer(columns=columns, rows=cursor.fetchall())

    def values(self, uid: str, **given: Value) -> dict[str, Value]:
        return choices(BOARDS[uid], self.rows, START, END, given)

    def panel(self, uid: str, title: str, **given: Value) -> list[dict[str, Any]]:
        """Return the rows of the panel whose title begins so."""
        (found,) = [
            s
            for s in of_dashboard(BOARDS[uid])
            if re.match(rf"panel \d+ {re.escape(title)}.* \(A\)$", s.place)
        ]
        return self.ask(interpolate(found.sql, self.values(uid, **given), START, END)).by_name()


@frozen(kw_only=True)
class Filled:
    """A database with something in it."""

    conn: Connection  # may write
    reader: Reader
    comparisons: list[int]


def opened(dsn: str) -> Iterator[tuple[Connection, Reader]]:
    with database.connect(dsn) as conn, database.connect(make_conninfo(dsn, user=READER)) as other:
        yield conn, Reader(other)


# What each kind of panel needs of its columns.

Panel = Mapping[str, Any]


def _variable(answer: Answer, _: Panel) -> bool:
    return set(answer.types) <= _TEXTS and (
        len(answer.names) == 1 or answer.names == ["__text", "__value"]
    )


def _annotation(answer: Answer, _: Panel) -> bool:
    fits = answer.names == ["time", "text", "tags"] and answer.types[0] == _TIME
    return fits and set(answer.types[1:]) <= _TEXTS and answer.ascending


def _rule(answer: Answer, _: Panel) -> bool:
    numbers = [n for n, t in answer.columns.items() if t in _NUMBERS]
    labels = [tuple(v for n, v in r.items() if n not in numbers) for r in answer.by_name()]
    fits = len(numbers) == 1 and set(answer.types) <= _NUMBERS | _TEXTS
    return fits and len(set(labels)) == len(labels) and None not in itertools.chain(*labels)


def _stat(answer: Answer, _: Panel) -> bool:
    return len(answer.columns) == 1 and len(answer.rows) <= 1


def _over_time(answer: Answer, _: Panel) -> bool:
    fits = answer.names[0] == "time" and answer.types[0] == _TIME
    return fits and bool(set(answer.types) & _NUMBERS) and answer.ascending


def _series(answer: Answer, _: Panel) -> bool:
    fits = answer.names == ["time", "metric", "value"] and answer.types[0] == _TIME
    return fits and answer.types[1] in _TEXTS and answer.types[2] in _NUMBERS and answer.ascending


def _heatmap(answer: Answer, panel: Panel) -> bool:
    fits = _series(answer, panel) and all(float(row[1]) > 0 for row in answer.rows)
    # The width of a cell is the distance of the first two days, and one day has none.
    days = sorted({row[0] for row in answer.rows})
    fits = fits and (not days or days[1:2] == [days[0] + datetime.timedelta(days=1)])
    # Grafana sorts the rows of a heat map by their names, as texts.
    names = {row[1] for row in answer.rows}
    return fits and sorted(names) == sorted(names, key=float)


def _nights(answer: Answer, panel: Panel) -> bool:
    mappings = panel.get("fieldConfig", {}).get("defaults", {}).get("mappings", [])
    words = {int(place) for m in mappings for place in m["options"]}
    times = sorted({row[0] for row in answer.rows})
    # The width of the first cell is that of all, and two columns are needed for it.
    steps = {b - a for a, b in itertools.pairwise(times)}
    fits = _series(answer, panel) and (not times or (len(times) > 1 and len(steps) == 1))
    return fits and {row[2] for row in answer.rows} <= words | {None}


def _states(answer: Answer, panel: Panel) -> bool:
    mappings = panel["fieldConfig"]["defaults"]["mappings"]
    words = {int(place) for m in mappings for place in m["options"]}
    cells = [row[:2] for row in answer.rows]
    fits = _series(answer, panel) and len(set(cells)) == len(cells)
    return fits and {row[2] for row in answer.rows} <= words


def _over(answer: Answer, _: Panel) -> bool:
    first = [row[0] for row in answer.rows]
    return set(answer.types) <= _NUMBERS and first == sorted(set(first)) and len(answer.names) > 1


def _histogram(answer: Answer, _: Panel) -> bool:
    return set(answer.types) <= _NUMBERS


def _bars(answer: Answer, panel: Panel) -> bool:
    fits = answer.names[0] == panel["options"]["xField"] and answer.types[0] in _TEXTS
    return fits and set(answer.types[1:]) <= _NUMBERS


def _table(answer: Answer, panel: Panel) -> bool:
    if not panel.get("transformations"):
        return True
    form = panel["transformations"][0]["options"]
    cells = [(r[form["rowField"]], r[form["columnField"]]) for r in answer.by_name()]
    return len(set(cells)) == len(cells)


_NEEDS: dict[tuple[str, str], Callable[[Answer, Panel], bool]] = {
    ("variable", "table"): _variable,
    ("annotation", "table"): _annotation,
    ("rule", "table"): _rule,
    ("stat", "table"): _stat,
    ("timeseries", "table"): _over_time,
    ("timeseries", "time_series"): _series,
    ("heatmap", "time_series"): _heatmap,
    ("histogram", "table"): _histogram,
    ("barchart", "table"): _bars,
    ("status-history", "time_series"): _nights,
    ("state-timeline", "time_series"): _states,
    ("xychart", "table"): _over,
    ("table", "table"): _table,
}


def fits(statement: Statement, panel: Panel | None, answer: Answer) -> bool:
    """Tell whether a panel, variable, annotation or rule can use what came back."""
    return _NEEDS[statement.kind, statement.format](answer, panel or {})


def not_there(panel: Panel, columns: Sequence[str]) -> set[str]:
    """Return names of columns that the panel asks for and the statement does not return."""
    options = [t["options"] for t in panel.get("transformations") or []]
    asked = {o[k] for o in options for k in ("rowField", "columnField", "valueField")}
    asked |= {
        o["matcher"]["options"]
        for o in panel["fieldConfig"]["overrides"]
        if o["matcher"]["id"] == "byName"
    }
    for _, url in structure.links({"panels": [panel]}):
        asked |= set(re.findall(r"\$\{__data\.fields\.(\w+)", url))
    return asked - set(columns)


def headers(panel: Panel, columns: Sequence[str]) -> list[str]:
    """Return the headers of a table that a person sees."""
    looks: dict[str, dict[str, Any]] = {
        o["matcher"]["options"]: {p["id"]: p.get("value") for p in o["properties"]}
        for o in panel["fieldConfig"]["overrides"]
    }
    seen = [n for n in columns if not looks.get(n, {}).get("custom.hidden")]
    return [looks.get(n, {}).get("displayName", n) for n in seen]


def narrow(panel: Panel, answer: Answer) -> set[str]:
    """Return visible columns of long texts that have no width of their own.

    Grafana divides what is left of a table's width evenly among them.
    """
    wide = {
        o["matcher"]["options"]
        for o in panel["fieldConfig"]["overrides"]
        if {p["id"] for p in o["properties"]} & {"custom.width", "custom.hidden"}
    }
    texts = [n for n, t in answer.columns.items() if t in _TEXTS and n not in wide]
    return {n for n in texts if any(len(r[n] or "") > _LONG for r in answer.by_name())}


def out_of_sight(panel: Panel, columns: Sequence[str]) -> set[str]:
    """Return columns of a table that end beyond its panel in a window of 1,600 px."""
    looks: dict[str, dict[str, Any]] = {
        o["matcher"]["options"]: {p["id"]: p.get("value") for p in o["properties"]}
        for o in panel["fieldConfig"]["overrides"]
    }
    left = panel["gridPos"]["w"] / 24 * _ROW_PX - _AROUND_PX
    found = set()
    for name in columns:
        look = looks.get(name, {})
        if look.get("custom.hidden"):
            continue
        left -= look.get("custom.width") or _COLUMN_PX
        if left < 0:
            found.add(name)
    return found


def dead_cells(panel: Panel, answer: Answer) -> set[str]:
    """Return columns of links with a cell that shows or leads to nothing."""
    found = set()
    for override in panel["fieldConfig"]["overrides"]:
        urls = [
            link["url"] for p in override["properties"] if p["id"] == "links" for link in p["value"]
        ]
        name = override["matcher"]["options"]
        for row in answer.by_name() if urls else []:
            needed = {name, *re.findall(r"\$\{__data\.fields\.(\w+)", " ".join(urls))}
            if any(row.get(n, "?") in (None, "") for n in needed):
                found.add(name)
    return found


def check(reader: Reader, uid: str, **given: Value) -> dict[str, int]:
    """Run all statements of a dashboard; return how many rows each place got."""
    found: dict[str, int] = {}
    columns: dict[int, set[str]] = {}
    values = reader.values(uid, **given)
    for statement in of_dashboard(BOARDS[uid]):
        answer = reader.ask(interpolate(statement.sql, values, START, END))
        number = re.match(r"panel (\d+) ", statement.place)
        panel = PANELS[uid, int(number[1])] if number else None
        said = f"{uid}: {statement.place}: {answer.columns}, {len(answer.rows)} rows"
        assert fits(statement, panel, answer), said
        found[statement.place] = len(answer.rows)
        if panel is not None and panel["type"] == "table":
            assert dead_cells(panel, answer) == set(), said
            if not panel.get("transformations"):
                assert not re.search("_", " ".join(headers(panel, answer.names))), said
                cut = narrow(panel, answer) if len(answer.columns) > 1 else set()
                assert cut == set(), f"{cut} in {said}"
                beside = out_of_sight(panel, answer.names)
                assert beside == BESIDE.get(panel["title"], set()), said
        if panel is not None:
            columns.setdefault(panel["id"], set()).update(answer.columns)
    for of, names in columns.items():
        if PANELS[uid, of]["targets"][0]["format"] == "table":
            assert not_there(PANELS[uid, of], sorted(names)) == set(), f"{uid}: panel {of}"
    return found
