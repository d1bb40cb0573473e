# SPDX-License-Identifier: GPL-2.0-only
"""Databases of older versions of vlag are brought up to date; those of newer ones refused."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.integration import saved
from tests.integration.old_database import (
    DATABASES,
    FIRST_PUBLIC,
    RENAMED,
    columns_of,
    contents,
    renamed,
)
from tests.integration.old_reports import REPORTS
from tests.integration.planted import planted
from vlag import progress_log
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError
from vlag.operate.service import revisions
from vlag.report.data import branch_state, comparison
from vlag.store import database, run_values
from vlag.store.database import MIGRATIONS

OLD = sorted(path.stem for path in DATABASES.glob("*.sql"))
_NUMBERS = count()


def empty(cluster: str) -> str:
    name = f"upgrade_{next(_NUMBERS)}"
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name}".encode())
    return f"{cluster} dbname={name}"


def load(cluster: str, number: str) -> str:
    """Make a database as an older version has left it."""
    dsn = empty(cluster)
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute((DATABASES / f"{number}.sql").read_bytes())
    return dsn


@pytest.mark.parametrize("number", OLD)
def test_old_rows_are_kept(number: str, cluster: str) -> None:
    dsn = load(cluster, number)
    columns = columns_of(dsn)
    before = contents(dsn, columns)
    assert before["run"][0] == (89 if number == FIRST_PUBLIC else 16)  # type: ignore[index]
    assert before["verdict"][0] > 5  # type: ignore[index]
    steps = sorted(revisions.known("vlag") or ())
    said: list[str] = []
    with progress_log.diverted(said.append):
        assert run_values.migrate(dsn) == [s for s in steps if s[:4] > number]
    after = contents(dsn, renamed(columns))
    assert after == {RENAMED.get(table, table): of for table, of in before.items()}
    with database.connect(dsn) as conn:
        # What the new tables are filled with comes of the old rows.
        shown = conn.execute("SELECT count(*) FROM read_model.run_value").fetchone()
        assert shown is not None
        assert shown[0] > 16
        shown = conn.execute("SELECT count(*) FROM read_model.verdict").fetchone()
        assert (
            shown
            == conn.execute(
                "SELECT count(*) FROM verdict JOIN comparison c ON c.id = comparison"
                " WHERE c.stage IS DISTINCT FROM 'confirm'"
            ).fetchone()
        )
        for table in ("verdict", "distribution"):
            levels = conn.execute(
                "SELECT base_value, new_value, effect"  # noqa: S608 - constants
                f" FROM read_model.{table} WHERE effect IS NOT NULL"
            ).fetchall()
            # The oldest tables have no distributions.
            assert len(levels) > 3 or (number, table) == ("0004", "distribution")
            assert all(new / base - 1 == pytest.approx(e, abs=1e-9) for base, new, e in levels)
    with progress_log.diverted(said.append):
        assert run_values.migrate(dsn) == []
    # Negative control: a row that is lost is seen.
    with database.connect(dsn) as conn, planted(conn):
        conn.execute("DELETE FROM verdict WHERE verdict = 'REGRESSION'")
    assert contents(dsn, renamed(columns)) != after


def corrected(found: Any) -> Any:
    """Return a report without base and new of its rows and without their order."""
    if isinstance(found, list):
        parts = [corrected(x) for x in found]
        rows = [x for x in parts if isinstance(x, dict) and "metric" in x]
        if not rows or len(rows) < len(parts):
            return parts
        # Where a figure comes from is listed in the order of the rows; it keeps all it has.
        if all("statistic" in x for x in rows):
            rows = [{k: v for k, v in x.items() if k not in ("base", "new")} for x in rows]
        return sorted(rows, key=lambda x: json.dumps(x, sort_keys=True))
    if isinstance(found, dict):
        # New are: what sorts comparisons, the proof of a night, what a rerun may confirm or
        # have decided, what a kernel was asked for as, how it was built and where it ran, and
        # what is known beside the figures.
        new = {
            "severity", "size", "proof", "confirmable", "decided_by", "screen", "ref", "word",
            "machine", "commands", "toolchain", "preemption", "hz", "known_changes",
            "suspects", "counters", "profile", "boots_a_side", "bisections", "lanes", "sampled",
            "blocked",
            "decided",
            "said", "judge", "figures", "unmeasured", "without_base", "without_new",
            "confirmed_by", "mode", "conditional", "number",
        }  # fmt: skip
        # Boots and branches had a config and a role before comparisons.
        new |= {"config", "role"} if "known_changes" in found else set()
        # Quantiles of a distribution had no interval before they were those of their figures.
        quantile = {"name", "base", "new", "effect", "low", "high"} <= found.keys()
        new |= {"low", "high"} if quantile and "verdict" not in found else set()
        # The rows of a branch had a standing before those of a comparison.
        new |= {"standing"} if "p_zero" in found else set()
        return {
            k: corrected(v) for k, v in found.items() if k not in new and (k, v) != ("MARGINAL", 0)
        }
    return found


def test_old_sentences_of_modes_are_kept_as_data(cluster: str) -> None:
    dsn = load(cluster, OLD[-1])
    mode = "3 of 20 boots lose 38 %; of the base's 20, none (seeds 7, 9, 11)"
    sentences = {f"a suspicion of a new mode: {mode}; run again": mode, "no mode": None}
    with psycopg.connect(dsn, autocommit=True) as conn:
        ids = [row[0] for row in conn.execute("SELECT id FROM verdict ORDER BY id LIMIT 2")]
        for id_, reason in zip(ids, sentences, strict=True):
            conn.execute("UPDATE verdict SET reason = %s WHERE id = %s", (reason, id_))
    run_values.migrate(dsn)
    with database.connect(dsn) as conn:
        modes = dict(conn.execute("SELECT id, mode FROM verdict").fetchall())
    assert {id_: mode for id_, mode in modes.items() if mode} == {ids[0]: mode}
    assert modes[ids[1]] is None


@pytest.mark.parametrize("number", sorted(path.stem for path in REPORTS.glob("*.json")))
def test_reports_of_old_rows_are_those_of_old_versions(
    number: str, cluster: str, catalogue: Catalogue
) -> None:
    before = json.loads((REPORTS / f"{number}.json").read_text())
    del before["commit"]
    dsn = load(cluster, number)
    run_values.migrate(dsn)

    def now() -> Any:
        with database.connect(dsn) as conn:
            ids = [row[0] for row in conn.execute("SELECT id FROM comparison ORDER BY id")]
            made = {"night": comparison.night(conn, catalogue, ids, Path("/srv/vlag/var"))}
            made |= {b: branch_state.state(conn, catalogue, b) for b in before if b != "night"}
        return json.loads(json.dumps(made))

    made = now()
    assert corrected(made) == corrected(before)
    [rows] = [c["rows"] for c in made["night"]["comparisons"]]
    assert len(rows) > 5
    # The medians of old did not give the change: the correction is one.
    [was] = [c["rows"] for c in before["night"]["comparisons"]]
    assert any(r["new"] / r["base"] - 1 != pytest.approx(r["effect"], abs=1e-6) for r in was)
    # Negative control: another effect is another report.
    with database.connect(dsn) as conn, planted(conn):
        conn.execute("UPDATE verdict SET effect = effect + 0.001")
    assert corrected(now()) != corrected(before)


@pytest.mark.parametrize("boots", ["on record", "lost"])
def test_levels_of_rows_on_record(boots: str, cluster: str) -> None:
    dsn = load(cluster, "0007")
    run_values.migrate(dsn)
    up, down = (
        (MIGRATIONS / f"0011_levels{suffix}.sql").read_bytes() for suffix in ("", ".rollback")
    )
    sql = "SELECT id, base_value, new_value, effect FROM verdict WHERE effect <> 0 ORDER BY id"
    with database.connect(dsn) as conn, planted(conn):
        conn.execute(down)
        medians = conn.execute(sql).fetchall()
        assert any(n / b - 1 != pytest.approx(e, abs=1e-6) for _, b, n, e in medians)
        if boots == "lost":
            conn.execute("DELETE FROM run_value")
        quantiles = [
            {"name": "p50", "base": 20.0, "new": 22.0, "effect": 0.2},
            {"name": "p90", "base": 0.0, "new": 6.0, "effect": 5.0},
            {"name": "p99", "base": 7.0, "new": 8.0, "effect": None},
        ]
        conn.execute("UPDATE shift SET quantiles = %s", (Jsonb(quantiles),))
        conn.execute(up)
        moved = conn.execute(
            "SELECT (q->>'base')::float, (q->>'new')::float FROM shift,"
            " jsonb_array_elements(quantiles) WITH ORDINALITY AS of(q, number)"
            " ORDER BY number"
        ).fetchall()
        assert [n / b - 1 for b, n in moved[:2]] == pytest.approx([0.2, 5.0])
        assert moved[1][1] == 6.0
        assert moved[2] == (7.0, 8.0)
        levels = conn.execute(sql).fetchall()
        assert all(n / b - 1 == pytest.approx(e, abs=1e-9) for _, b, n, e in levels)
        means = dict(
            conn.execute(
                "SELECT v.id, exp(avg(ln(r.value))) FROM verdict v JOIN run_value r"
                " ON r.run = ANY (v.base_runs) AND r.series = v.series_base"
                " AND r.statistic = v.statistic GROUP BY v.id"
            ).fetchall()
        )
        # Without the boots the pair nearest to the medians takes the place of the means.
        assert (len(means) > 0) == (boots == "on record")
        assert all(b == pytest.approx(means.get(i, b)) for i, b, *_ in levels)
        assert all(b == pytest.approx(m, rel=0.02) for (_, b, *_), (_, m, *_) in
                   zip(levels, medians, strict=True))  # fmt: skip


def test_the_upgraded_tables_are_those_of_a_new_database(cluster: str, dsn: str) -> None:
    old = load(cluster, OLD[0])
    run_values.migrate(old)
    assert {t: sorted(c) for t, c in columns_of(old).items()} == {
        t: sorted(c) for t, c in columns_of(dsn).items()
    }


def test_a_newer_database_is_refused_and_unchanged(cluster: str, dsn: str) -> None:
    other = empty(cluster)
    with psycopg.connect(other) as conn:
        conn.execute("CREATE TABLE alembic_version (version_num varchar(32))")
        conn.execute("INSERT INTO alembic_version VALUES ('067')")
    dsns = {"vlag": dsn, "buildbot": other}
    revisions.refuse_newer(dsns)
    with psycopg.connect(other) as conn:
        conn.execute("UPDATE alembic_version SET version_num = '999'")
    with pytest.raises(InfrastructureError, match=r"buildbot is newer than the Buildbot that is"):
        revisions.refuse_newer(dsns)
    with psycopg.connect(dsn) as conn:
        conn.execute(
            "INSERT INTO _yoyo_migration (migration_hash, migration_id) VALUES ('x', '9999_later')"
        )
    before = saved.rows_of(dsn)
    for refused in (
        lambda: revisions.refuse_newer(dsns),
        lambda: run_values.migrate(dsn),
    ):
        with pytest.raises(InfrastructureError, match=r"newer than this code .*9999_later") as e:
            refused()
        assert "\n" not in str(e.value)
    assert saved.rows_of(dsn) == before


def test_buildbots_own_revisions_are_known(dsn: str) -> None:
    known = revisions.known("buildbot")
    assert known is not None
    # Asked of Buildbot itself, in a program of its own.
    done = subprocess.run(
        [sys.executable, "-c", "from pathlib import Path; from alembic.script import"
         " ScriptDirectory; from buildbot.db.model import Model;"
         "folder = ScriptDirectory(str(Path(Model.config_path).parent));"
         "print(*(r.revision for r in folder.walk_revisions()))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    newest, *older = done.stdout.split()
    assert known == {newest, *older}
    # Buildbot's tables are upgraded unless they have just the newest.
    with database.connect(dsn) as conn:
        conn.execute("DROP TABLE _yoyo_migration CASCADE")
        assert not revisions.are_buildbots_newest(conn)
        conn.execute("CREATE TABLE alembic_version (version_num text)")
        for there in (older[0], newest):
            conn.execute("DELETE FROM alembic_version")
            conn.execute("INSERT INTO alembic_version VALUES (%s)", [there])
            assert revisions.are_buildbots_newest(conn) is (there == newest)


def test_a_backup_of_an_older_version_is_restored_and_brought_up_to_date(tmp_path: Path) -> None:
    made = saved.settings(tmp_path / "old")
    with saved.held(made), saved.running(made):
        with psycopg.connect(made.dsn(), autocommit=True) as conn:
            conn.execute((DATABASES / f"{OLD[0]}.sql").read_bytes())
        with psycopg.connect(made.dsn("buildbot"), autocommit=True) as conn:
            conn.execute(saved.BUILDBOT.encode())
        columns = columns_of(made.dsn())
        before = contents(made.dsn(), columns)
        done = saved.vlag(made, "backup", str(tmp_path / "backups"))
        assert done.returncode == 0, done.stderr
    assert "18 bundles that the database names are not below" in done.stderr
    new = saved.settings(tmp_path / "new")
    done = saved.vlag(new, "restore", str(tmp_path / "backups"))
    assert done.returncode == 0, done.stderr
    with saved.running(new):
        assert contents(new.dsn(), columns) == before
        with database.connect(new.dsn()) as conn:
            there = revisions.of(conn)
    assert there == sorted(revisions.known("vlag") or ())
