# SPDX-License-Identifier: GPL-2.0-only
"""Every statement of the dashboards and alert rules, as Grafana sends it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from dashboards import alert_rules
from dashboards.interpolation import Value, interpolate
from dashboards.parts import WORDS
from dashboards.statements import PROVISIONING, Statement, rules
from tests.conftest import fresh_database
from tests.integration import bundles
from tests.integration.grafana import (
    BOARDS,
    END,
    PANELS,
    START,
    Answer,
    Filled,
    Reader,
    check,
    dead_cells,
    fits,
    not_there,
    opened,
    out_of_sight,
)
from tests.integration.planted import planted
from vlag.alerts.derive import derive
from vlag.alerts.limits import KEPT
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

ODD = """o'brien"; DROP TABLE x -- \\' %s {} $1"""

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
ODD_BRANCH = bundles.kernel("6.13", branch=ODD)
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOWER = tuple(0.9 * f for f in SAME)


def fill(conn: Connection, catalogue: Catalogue, folder: Path) -> list[int]:
    """Three kernels, one with an odd branch and one that panics, compared; return the ids."""
    paths = bundles.side(folder, BASE, catalogue, factors=SAME, shifts=(0, 0, 1, 0, 0))
    for of in (ODD_BRANCH, NEW):
        side = bundles.side(folder, of, catalogue, factors=SLOWER, shifts=(10, 10, 11, 10, 10))
        warning = {"kind": "warning", "text": f"WARNING: {ODD}", "line": 7, "phase": "benchmark"}
        bundles.edit(side[1], environment={"/proc/version": ODD}, health=[warning])
        paths += side
    panic = folder / "runs" / "panic"
    paths.append(bundles.run(panic, NEW, catalogue, seed=9, outcome="panic", reason="it panicked"))
    bundles.store(conn, catalogue, paths)
    return [
        compare(
            conn=conn,
            catalogue=catalogue,
            base=KernelRef(text=BASE["commit"]),
            new=KernelRef(text=of["commit"]),
            board_type="qemu-sim-2",
            role="baseline",
        ).id
        for of in (ODD_BRANCH, NEW)
    ]


def tell(conn: Connection, made: Sequence[int]) -> None:
    """Put on record what a service adds: a night, checks of a board, a step."""
    conn.execute(
        "INSERT INTO night (key, started_at, finished_at, comparisons, branches, missing, notes,"
        " url) VALUES (%s, now() - interval '8 hours', now() - interval '1 hour', %s, '[]',"
        " %s, %s, %s)",
        ("1", list(made), [f"{ODD} was not built"], ["a note"], "http://127.0.0.1/1"),
    )
    conn.execute(
        "INSERT INTO board_check (board, run, conditions, finding, accepted, level, noise, band,"
        " sentence) SELECT board, id, repeat('a', 64), 'level left', false, 5, 2,"
        ' \'{"levels": [[3, 4]], "noises": [[0, 3]]}\', %s'
        " FROM run ORDER BY id LIMIT 1",
        (f"{ODD} left its band",),
    )
    conn.execute(
        "INSERT INTO change_point (series, statistic, tree, branch, before_kernel, kernel, effect,"
        " ci_low, ci_high, cause)"
        " SELECT s.id, 'median', k.tree, k.branch, b.id, k.id, -0.1, -0.11, -0.09, 'kernel'"
        " FROM series s, kernel k, kernel b"
        " WHERE s.metric = 'bogo-ops-rate' AND k.commit = %s AND b.commit = %s",
        (NEW["commit"], BASE["commit"]),
    )


@pytest.fixture(scope="module")
def compared(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, list[int]]:
    """Name of a database without a night, to be copied, and its comparisons."""
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        made = fill(conn, catalogue, tmp_path_factory.mktemp("filled"))
    return str(database.parts(dsn)["dbname"]), made


@pytest.fixture(scope="module")
def filled(cluster: str, compared: tuple[str, list[int]], catalogue: Catalogue) -> Iterator[Filled]:
    """A database that all tests here read and none changes."""
    name, made = compared
    for conn, reader in opened(fresh_database(cluster, name)):
        tell(conn, made)
        derive(conn, catalogue, made)
        yield Filled(conn=conn, reader=reader, comparisons=made)


@pytest.fixture
def service(cluster: str, compared: tuple[str, list[int]]) -> Iterator[Filled]:
    """A database of the test's own, without a night."""
    name, made = compared
    for conn, reader in opened(fresh_database(cluster, name)):
        yield Filled(conn=conn, reader=reader, comparisons=made)


@pytest.fixture(scope="module")
def empty(cluster: str, template: str) -> Iterator[Reader]:
    for _, reader in opened(fresh_database(cluster, template)):
        yield reader


def everything(uid: str) -> dict[str, Value]:
    """Return the values that "All" gives where it is not what is chosen at first."""
    return {
        v["name"]: [o["value"] for o in v["options"] if o["value"] != "$__all"]
        for v in BOARDS[uid]["templating"]["list"]
        if v["type"] == "custom"
    }


def every_variable(uid: str, value: Value) -> dict[str, Value]:
    return {
        v["name"]: value
        for v in BOARDS[uid]["templating"]["list"]
        if v["type"] in {"query", "custom"}
    }


#: What stays without rows here: another series has the step; no run is left out, no patch
#: predicts anything, nothing is profiled (test_dashboards_why.py), and no night was told
#: (test_dashboards_answer.py).
QUIET = {
    "panel 1 Are we regressing? (A)",
    "annotation Change points",
    "panel 4 Change points of this history (A)",
    "panel 11 Excluded runs, with reasons (A)",
    "panel 15 Self-proof of the last night (A)",
    "panel 7 Why: functions by difference (A)",
    "panel 8 Why: decisions by rate (A)",
}


@pytest.mark.parametrize("uid", sorted(BOARDS))
def test_every_statement_with_what_is_chosen_at_first(filled: Filled, uid: str) -> None:
    given: dict[str, Value] = {}
    if uid == "vlag-run":
        # The newest run of all is one that panicked: it has no numbers.
        assert (
            check(filled.reader, uid)["panel 7 Values of this run and of run ${baseline} (A)"] == 0
        )
        (row,) = filled.reader.rows(
            "SELECT max(r.id)::text FROM read_model.run r WHERE r.marked AND r.outcome = 'complete'"
        )
        given["run"] = row[0]
    found = check(filled.reader, uid, **given)
    assert {place for place, n in found.items() if not n} <= QUIET


def test_a_run_stands_beside_the_same_seed_of_its_baseline(filled: Filled) -> None:
    (row,) = filled.reader.rows(
        "SELECT max(r.id)::text FROM read_model.run r WHERE r.marked AND r.outcome = 'complete'"
    )
    values = filled.reader.values("vlag-run", run=row[0])
    (base,) = filled.reader.rows(
        "SELECT k.commit, r.seed FROM read_model.run r JOIN read_model.kernel k ON k.id = r.kernel"
        " WHERE r.id::text = %s",
        values["baseline"][0],
    )
    assert base == (BASE["commit"], 1)
    differences = filled.reader.panel("vlag-run", "Environment: differences", run=row[0])
    assert [(d["what"], d["this run"]) for d in differences] == [("/proc/version", ODD)]
    numbers = filled.reader.panel("vlag-run", "Values of this run", run=row[0])
    rate = next(n for n in numbers if n["metric"].endswith("bogo-ops-rate"))
    assert rate["change"] == pytest.approx(-0.1, rel=1e-3)
    assert rate["worsening"] == pytest.approx(0.1, rel=1e-3)
    time = next(n for n in numbers if n["metric"].endswith("time-per-switch"))
    assert time["change"] == time["worsening"] > 0


@pytest.mark.parametrize("uid", sorted(BOARDS))
def test_every_statement_at_all(filled: Filled, uid: str) -> None:
    check(filled.reader, uid, **everything(uid))


@pytest.mark.parametrize("value", [ODD, (ODD, "a'b"), "", (), "99999999999999999999", "-1"])
@pytest.mark.parametrize("uid", sorted(BOARDS))
def test_every_statement_at_odd_values(filled: Filled, uid: str, value: Value) -> None:
    check(filled.reader, uid, **every_variable(uid, value))


@pytest.mark.parametrize("uid", sorted(BOARDS))
def test_every_statement_on_an_empty_database(empty: Reader, uid: str) -> None:
    found = check(empty, uid)
    kinds = {place: n for place, n in found.items() if place.startswith(("variable", "annotation"))}
    assert set(kinds.values()) <= {0}


def test_the_step_stands_in_the_history_that_has_it(filled: Filled) -> None:
    (series,) = filled.reader.rows(
        "SELECT id FROM read_model.series WHERE metric = 'bogo-ops-rate'"
    )
    given: dict[str, Value] = {"branch": "debian/linux-6.12", "series": str(series[0])}
    found = check(filled.reader, "vlag-branch", **given)
    assert (
        found["annotation Change points"] == found["panel 4 Change points of this history (A)"] == 1
    )
    (step,) = filled.reader.panel("vlag-branch", "Change points of this history", **given)
    assert (step["change"], step["worsening"]) == (-0.1, 0.1)


def words_by_night(reader: Reader) -> dict[str, list[str]]:
    """Return the words of each row of the heat map, the earliest night first."""
    found: dict[str, list[str]] = {}
    for row in reader.panel("vlag-overview", "Branches by boards"):
        words = found.setdefault(row["metric"], [])
        if row["value"] is not None:
            words.append(WORDS[int(row["value"]) - 1])
    return found


def predict(conn: Connection, comparison: int) -> None:
    """Make a comparison one of the self-proof."""
    conn.execute(
        "INSERT INTO prediction (comparison, name, good, text) VALUES (%s, 'a', true, 'b')",
        (comparison,),
    )


def test_a_night_of_a_branch_is_a_cell_with_its_worst_word(service: Filled) -> None:
    rows = {"debian/linux-6.12 on qemu-sim-2", f"debian/{ODD} on qemu-sim-2"}
    assert words_by_night(service.reader) == {row: ["REGRESSION"] for row in rows}
    odd, new = service.comparisons
    with planted(service.conn) as conn:
        conn.execute("UPDATE comparison SET failed_runs = ARRAY[1]::bigint[]")
    assert words_by_night(service.reader) == {row: ["REGRESSION"] for row in rows}
    with planted(service.conn) as conn:
        conn.execute("UPDATE verdict SET verdict = 'UNCHANGED', effect = 0")
    assert words_by_night(service.reader) == {row: ["FAILED"] for row in rows}
    # Another night is another column, and what a self-proof finds is in none.
    service.conn.execute(
        "UPDATE comparison SET created_at = created_at - interval '1 day' WHERE id = %s", (new,)
    )
    cells = service.reader.panel("vlag-overview", "Branches by boards")
    nights = {r["metric"]: r["time"] for r in cells if r["value"] is not None}
    later = nights[f"debian/{ODD} on qemu-sim-2"]
    assert later - nights["debian/linux-6.12 on qemu-sim-2"] == datetime.timedelta(days=1)
    predict(service.conn, odd)
    assert set(words_by_night(service.reader)) == {"debian/linux-6.12 on qemu-sim-2"}


def test_dashboards_open_with_the_newest_head_and_its_worst_figure(service: Filled) -> None:
    odd, new = service.comparisons
    values = service.reader.values("vlag-compare")
    assert values["comparison"] == [str(new)]
    (worst, *_) = service.reader.panel("vlag-compare", "Effects, worst first")
    assert values["figure"] == [str(worst["number"])]
    assert worst["verdict"] == "REGRESSION"
    (series, statistic) = service.reader.rows(
        "SELECT v.series_new::text, v.statistic FROM read_model.verdict v WHERE v.id = %s",
        worst["number"],
    )[0]
    values = service.reader.values("vlag-branch")
    assert values["branch"] == ["debian/linux-6.12"]
    assert (values["series"], values["statistic"]) == ([series], [statistic])
    values = service.reader.values("vlag-latency")
    (figure,) = service.reader.rows(
        "SELECT v.latency AND v.base_achieved > 0 FROM read_model.verdict v WHERE v.id::text = %s",
        values["figure"][0],
    )
    assert figure == (True,)
    # A self-proof is no head, however new it is.
    predict(service.conn, new)
    assert service.reader.values("vlag-compare")["comparison"] == [str(odd)]
    assert service.reader.values("vlag-branch")["branch"] == [f"debian/{ODD}"]


def test_a_statement_that_its_panel_cannot_use_is_found(filled: Filled) -> None:
    faults = {
        "timeseries": ("time_series", "SELECT now() AS time, 1 AS value"),
        "heatmap": ("time_series", "SELECT now() AS time, '-1' AS metric, 1 AS value"),
        "status-history": ("time_series", "SELECT now() AS time, 'a' AS metric, 1 AS value"),
        "barchart": ("table", "SELECT 1 AS latency, 2 AS worse"),
        "histogram": ("table", "SELECT 'a' AS base"),
        "stat": ("table", "SELECT 1 AS a, 2 AS b"),
        "variable": ("table", "SELECT 'a' AS __text, 1 AS __value"),
        "annotation": ("table", "SELECT '2026-01-01'::date AS time, 'a' AS text, 'b' AS tags"),
        "rule": ("table", "SELECT true AS loud, 1 AS value"),
    }
    pivot = {"rowField": "side", "columnField": "metric", "valueField": "cell"}
    faults["table"] = (
        "table",
        "SELECT 'a' AS side, 'b' AS metric, 'c' AS cell UNION ALL SELECT 'a', 'b', 'd'",
    )
    words = {"defaults": {"mappings": [{"options": {"1": {"text": "REGRESSION"}}}]}}
    options = {
        "fieldConfig": words,
        "options": {"xField": "latency"},
        "transformations": [{"options": pivot}],
    }
    nights = "SELECT now() + i * interval '1 day' AS time, 'a' AS metric, {} AS value FROM {} AS i"
    for value, days in (("2", "generate_series(1, 3)"), ("1", "unnest(ARRAY[1, 2, 4])")):
        sql = nights.format(value, days)
        of = Statement(
            dashboard="x", place="x", kind="status-history", format="time_series", sql=sql
        )
        assert not fits(of, options, filled.reader.ask(sql)), sql
    for kind, (form, sql) in faults.items():
        statement = Statement(dashboard="x", place="x", kind=kind, format=form, sql=sql)
        assert not fits(statement, options, filled.reader.ask(sql)), kind
    panel = PANELS["vlag-compare", 3]
    there = filled.reader.panel("vlag-compare", panel["title"])[0]
    assert not_there(panel, list(there)) == set()
    assert not_there(panel, [name for name in there if name != "new_kernel"]) == {"new_kernel"}


def test_a_link_without_a_text_is_found_out() -> None:
    """Negative control."""
    link = {"id": "links", "value": [{"title": "", "url": "/d/x?y=${__data.fields.number}"}]}
    one = {"matcher": {"id": "byName", "options": "run"}, "properties": [link]}
    panel = {"fieldConfig": {"overrides": [one]}}
    columns = {"run": "text", "number": "int8"}
    cases: list[tuple[list[tuple[Any, ...]], set[str]]] = [
        ([("a", 1)], set()),
        ([("a", 1), (None, 2)], {"run"}),
        ([("a", None)], {"run"}),
    ]
    for rows, found in cases:
        assert dead_cells(panel, Answer(columns=columns, rows=rows)) == found


def test_only_the_views_may_be_read(filled: Filled) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        filled.reader.ask("SELECT id FROM public.run")
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        filled.reader.ask("CREATE TABLE mine ()")


# How variables and macros are put in.


def put(sql: str, **values: Value) -> str:
    noon = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
    return interpolate(sql, values, noon, noon + datetime.timedelta(hours=1))


def test_variables_are_put_in_as_strings() -> None:
    assert put("${a:sqlstring}", a="o'b") == "'o''b'"
    assert put("ARRAY[${a:sqlstring}]", a=("x", "y'")) == "ARRAY['x','y''']"
    assert put("ARRAY[${a:sqlstring}]::text[]", a=()) == "ARRAY[]::text[]"
    # What a value holds is no variable and no macro.
    assert put("${a:sqlstring}", a="${b} $__timeFilter(c)", b="x") == "'${b} $__timeFilter(c)'"


def test_macros_are_put_in_as_times() -> None:
    first, last = "'2026-03-01T12:00:00.000000Z'", "'2026-03-01T13:00:00.000000Z'"
    assert put("$__timeFilter(c.at)") == f"c.at BETWEEN {first} AND {last}"
    assert put("$__timeFrom() $__timeTo()") == f"{first} {last}"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("'${a}'", "only sqlstring"),
        ("${a:raw}", "only sqlstring"),
        ("${b:sqlstring}", "no such variable"),
        ("$__unixEpochFilter(at)", "unknown syntax"),
        ("$a", "unknown syntax"),
    ],
)
def test_what_is_not_known_is_refused(sql: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        put(sql, a="1")


def test_quotes_end_a_string_that_is_not_put_in_with_care(filled: Filled) -> None:
    for safe in ("SELECT ${a:sqlstring}", "SELECT 'x' = ANY(ARRAY[${a:sqlstring}])"):
        filled.reader.ask(put(safe, a=ODD))
    with pytest.raises(psycopg.errors.SyntaxError):
        filled.reader.ask(f"SELECT '{ODD}'")


# Alert rules.


def firing(reader: Reader) -> dict[str, list[dict[str, Any]]]:
    """Return what is above each rule's threshold, by the rule's title."""
    document = yaml.safe_load((PROVISIONING / "alerting" / "rules.yml").read_text())
    above = {
        rule["title"]: rule["data"][1]["model"]["conditions"][0]["evaluator"]["params"][0]
        for group in document["groups"]
        for rule in group["rules"]
    }
    found = {}
    for statement in rules():
        answer = reader.ask(interpolate(statement.sql, {}, START, END))
        assert fits(statement, None, answer)
        title = statement.place.removeprefix("rule ")
        found[title] = [r for r in answer.by_name() if r["value"] > above[title]]
    return found


def test_rules_are_quiet_on_an_empty_database(empty: Reader) -> None:
    assert firing(empty) == {
        "Throughput loss": [],
        "Latency increase": [],
        "No results last night": [],
        "Board left its band": [],
    }


def test_one_alert_a_cause_with_its_labels(service: Filled, catalogue: Catalogue) -> None:
    assert firing(service.reader)["Throughput loss"] == []
    derive(service.conn, catalogue, service.comparisons)
    found = firing(service.reader)
    lost = {r["branch"]: r for r in found["Throughput loss"]}
    assert set(lost) == {"debian/linux-6.12", f"debian/{ODD}"}
    one = lost["debian/linux-6.12"]
    assert one["value"] == pytest.approx(0.1, rel=0.01)
    assert (one["tree"], one["board_type"], one["kind"]) == ("debian", "qemu-sim-2", "regression")
    assert one["cause"] == f"alert {one['alert']}"
    # Two rules, one cause: they are told together.
    assert found["Latency increase"] == []
    service.conn.execute("UPDATE alert SET latency = 0.5")
    found = firing(service.reader)
    risen = {r["branch"]: r for r in found["Latency increase"]}
    assert risen["debian/linux-6.12"]["cause"] == one["cause"]
    # A muted one is quiet, and one that is not above the threshold.
    service.conn.execute(
        "UPDATE alert SET muted_until = now() + interval '1 day' WHERE id = %s", (one["alert"],)
    )
    service.conn.execute(
        "UPDATE alert SET throughput = %s WHERE id <> %s",
        (alert_rules.DEFAULTS.throughput * KEPT, one["alert"]),
    )
    found = firing(service.reader)
    assert found["Throughput loss"] == []
    assert {r["branch"] for r in found["Latency increase"]} == {f"debian/{ODD}"}


def test_figures_of_reports_ring_nobody(service: Filled, catalogue: Catalogue) -> None:
    derive(service.conn, catalogue, service.comparisons)
    assert firing(service.reader)["Throughput loss"]
    service.conn.execute("UPDATE alert SET synthetic = true")
    assert firing(service.reader)["Throughput loss"] == []


def test_a_night_that_does_not_end_is_noticed(service: Filled) -> None:
    # The runs of this database are months old: no night has ever ended since.
    (late,) = firing(service.reader)["No results last night"]
    assert late["cause"] == "no results"
    tell(service.conn, service.comparisons)
    assert firing(service.reader)["No results last night"] == []
    service.conn.execute(
        "UPDATE night SET started_at = started_at - interval '36 hours',"
        " finished_at = finished_at - interval '36 hours'"
    )
    (late,) = firing(service.reader)["No results last night"]
    assert late["value"] == pytest.approx(37, abs=0.5)


def test_a_board_that_left_its_band_is_told_until_somebody_mutes_it(
    service: Filled, catalogue: Catalogue
) -> None:
    tell(service.conn, service.comparisons)
    assert firing(service.reader)["Board left its band"] == []
    service.conn.execute(
        "INSERT INTO board_state (board, state, since, reason, by)"
        " VALUES ('qemu-sim-2-1', 'maintenance', now(), 'left its band', 'check 1')"
    )
    (board,) = firing(service.reader)["Board left its band"]
    assert (board["board"], board["board_type"]) == ("qemu-sim-2-1", "qemu-sim-2")
    derive(service.conn, catalogue, [])
    assert len(firing(service.reader)["Board left its band"]) == 1
    service.conn.execute(
        "UPDATE alert SET muted_until = now() + interval '1 day' WHERE kind = 'board'"
    )
    assert firing(service.reader)["Board left its band"] == []


def test_a_column_beyond_its_panel_is_found() -> None:
    [table] = [p for p in PANELS.values() if p["title"] == "Nights"]
    columns = ["ended", "compared", "missing", "notes", "build", "url"]
    assert out_of_sight(table, columns) == set()
    # One without a width takes more than its share, and pushes the others out.
    assert out_of_sight(table, ["ended", "another", *columns[1:]]) == {"notes", "build"}
    # Two panels in a row have half of it each.
    assert out_of_sight({**table, "gridPos": {"w": 24}}, [*columns, "another"]) == set()


def test_a_cell_of_the_heat_map_ends_with_its_day(filled: Filled) -> None:
    rows = filled.reader.panel("vlag-latency", "Per day, branch of the new kernel")
    days = filled.conn.execute(
        "SELECT DISTINCT date_trunc('day', finished_at AT TIME ZONE 'UTC') FROM run"
    ).fetchall()
    ends = {day.replace(tzinfo=datetime.UTC) + datetime.timedelta(days=1) for (day,) in days}
    assert {row["time"] for row in rows if row["value"] is not None} == ends
    assert min(row["time"] for row in rows) == min(ends) - datetime.timedelta(days=1)
