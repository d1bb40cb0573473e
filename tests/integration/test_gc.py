# SPDX-License-Identifier: GPL-2.0-only
"""Raw files that nothing needs go by their age; what is needed stays, and each removal is known."""

from __future__ import annotations

import datetime
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from attrs import evolve
from buildbot.db.model import Model
from flask import Flask
from psycopg.conninfo import conninfo_to_dict
from werkzeug.exceptions import NotFound

from tests.integration import bundles
from tests.integration.planted import planted
from tests.waiting import DEADLINE_S
from vlag import ROOT, config, progress_log
from vlag.compare.kernels import compare
from vlag.config import Gc, Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError
from vlag.lock import hold
from vlag.operate import buildbot_rows, gc
from vlag.pipeline.ingest import ingest
from vlag.report import read_model
from vlag.store import removals
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.web import raw

RULE = Gc(runs_days=100, builds_days=100)
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOW = tuple(0.9 * f for f in SAME)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return evolve(config.load(ROOT / "vlag.toml"), state=tmp_path / "state", gc=RULE)


@pytest.fixture
def put(
    conn: Connection, catalogue: Catalogue, settings: Settings
) -> Callable[..., dict[str, Path]]:
    """Put a kernel with boots on record that ended months ago; return its bundles."""

    def work(name: str, factors: Iterable[float] = SAME, **changes: Any) -> dict[str, Path]:
        of = bundles.kernel(name)
        key = str(of["digest"])[:16]
        made = {"build": bundles.build(settings.builds / key / "one", of)}
        for seed, factor in enumerate(factors, 1):
            made[f"run {seed}"] = bundles.run(
                settings.runs / key / f"run-{seed}", of, catalogue,
                raw=None if changes else bundles.stress_ng(factor), seed=seed, **changes,
            )  # fmt: skip
        for folder in made.values():
            ingest(folder, conn=conn, catalogue=catalogue)
            os.utime(folder, (1, 1))
        return made

    return work


@pytest.fixture
def judged(conn: Connection, catalogue: Catalogue) -> Callable[..., int]:
    """Compare two kernels, as if it had been done months ago; return the comparison."""

    def work(base: str, new: str, **more: Any) -> int:
        found = compare(
            conn=conn, catalogue=catalogue, board_type="qemu-sim-2", plan=None, stage=None,
            base=KernelRef(text=f"linux-{base}"), new=KernelRef(text=f"linux-{new}"), **more,
        )  # fmt: skip
        conn.execute("UPDATE comparison SET created_at = '2026-03-02' WHERE id = %s", (found.id,))
        return found.id

    return work


def gone(conn: Connection, settings: Settings) -> set[Path]:
    return {f.folder for f in gc.look(conn, None, settings, RULE).bundles}


def test_what_nothing_points_to_goes_and_what_is_flagged_stays(
    conn: Connection, settings: Settings, put: Callable[..., dict[str, Path]],
    judged: Callable[..., int],
) -> None:  # fmt: skip
    quiet_ones = [*put("5.1").values(), *put("5.2").values()]
    flagged = [*put("6.1").values(), *put("6.12", SLOW).values()]
    judged("5.1", "5.2")
    judged("6.1", "6.12")
    before = conn.execute("SELECT count(*), sum(value) FROM run_value").fetchone()
    planned = gc.look(conn, None, settings, RULE)
    assert {f.folder for f in planned.bundles} == set(quiet_ones)
    assert planned.bytes == sum(
        p.stat().st_size for folder in quiet_ones for p in folder.rglob("*") if p.is_file()
    )
    assert all(folder.is_dir() for folder in quiet_ones), "a dry run removes nothing"
    said: list[str] = []
    with progress_log.diverted(said.append):
        done = gc.collect(conn, None, settings, RULE)
    assert (len(done.bundles), done.bytes) == (len(quiet_ones), planned.bytes)
    assert not any(folder.exists() for folder in quiet_ones)
    assert all((folder / "raw").is_dir() or (folder / "bzImage").is_file() for folder in flagged)
    assert any("of 12 bundles removed" in text for text in said)
    assert conn.execute("SELECT count(*), sum(value) FROM run_value").fetchone() == before
    assert conn.execute("SELECT count(*) FROM run").fetchone() == (20,)
    assert gc.collect(conn, None, settings, RULE).bundles == []
    # Negative control: what is not flagged any more goes.
    with planted(conn):
        conn.execute("UPDATE verdict SET verdict = 'UNCHANGED', suspect = false")
        conn.execute(
            "INSERT INTO decision (suspicion, stand, boots, decided_by)"
            " SELECT s.id, 'refuted', 9, (SELECT max(id) FROM comparison) FROM suspicion s"
        )
    assert gone(conn, settings) == set(flagged)


KERNELS = "(SELECT min(id) FROM kernel), (SELECT max(id) FROM kernel)"
POINTERS: Mapping[str, str] = {
    "an alert": "INSERT INTO alert (key, kind, board_type, base_kernel, new_kernel, title, body)"
    " VALUES (repeat('a', 64), 'regression', 'qemu-sim-2', KERNELS, 'worse', 'worse')",
    "an alert's evidence": "INSERT INTO alert (key, kind, board_type, base_kernel, new_kernel,"
    " title, body) VALUES (repeat('a', 64), 'regression', 'qemu-sim-2', KERNELS, '', '');"
    " INSERT INTO alert_verdict SELECT a.id, v.id FROM alert a, verdict v",
    "a suspicion": "INSERT INTO suspicion (base_kernel, new_kernel, base_knobs, new_knobs,"
    " board_type, benchmark, parameters, metric, statistic, worse, hint)"
    " SELECT KERNELS, '{}', '{}', board_type, benchmark, parameters, 'bogo-ops-rate', 'median',"
    " true, false FROM run WHERE id = 1",
    "a change point": "INSERT INTO change_point (series, statistic, tree, branch, before_kernel,"
    " kernel, effect, ci_low, ci_high, cause)"
    " SELECT min(id), 'median', 'debian', 'x', KERNELS, 0.1, 0.1, 0.1, 'kernel' FROM series",
    "the self-proof": "INSERT INTO prediction (comparison, name, good, text)"
    " SELECT id, 'x', true, 'as predicted' FROM comparison",
    "a search": "INSERT INTO bisection (tree, good, bad, board_type, benchmark, parameters, knobs,"
    " metric, statistic, commits, subject, steps, between, effect, document) VALUES ('debian', 'a',"
    " 'b', 'qemu-sim-2', 'x', '{}', '{}', 'm', 's', '{c}', 'x', 1, 1, 0.1, '{}');"
    " INSERT INTO bisection_comparison SELECT c.id, b.id FROM comparison c, bisection b",
    "a recent comparison": "UPDATE comparison SET created_at = now()",
    "a baseline": "UPDATE comparison SET role = 'baseline'",
    "a flagged verdict": "UPDATE verdict SET verdict = 'MARGINAL'",
    "an open suspect": "UPDATE verdict SET suspect = true",
}  # fmt: skip


@pytest.mark.parametrize("pointer", POINTERS)
def test_what_something_points_to_stays(
    conn: Connection, settings: Settings, put: Callable[..., dict[str, Path]],
    judged: Callable[..., int], pointer: str,
) -> None:  # fmt: skip
    base, new = put("5.1"), put("5.2")
    judged("5.1", "5.2")
    everything = {*base.values(), *new.values()}
    assert gone(conn, settings) == everything
    with planted(conn):
        conn.execute(POINTERS[pointer].replace("KERNELS", KERNELS).encode())
    stays = set(base.values()) if pointer == "a baseline" else everything
    assert gone(conn, settings) == everything - stays
    kept = gc.look(conn, None, settings, RULE).kept
    assert sum(kept["run"].values()) >= len(stays) - 2
    assert kept["build"]


def test_a_failure_and_what_is_young_or_elsewhere_or_used_stays(
    conn: Connection, settings: Settings, put: Callable[..., dict[str, Path]], tmp_path: Path,
    catalogue: Catalogue,
) -> None:  # fmt: skip
    failed = put("5.1", [1.0], outcome="panic", reason="Kernel panic - not syncing")
    assert gone(conn, settings) == {failed["build"]}
    old = put("5.2")
    assert gone(conn, settings) == {failed["build"], *old.values()}
    os.utime(old["run 1"])  # a night has used it again
    conn.execute("UPDATE run SET finished_at = now() WHERE id = 3")
    elsewhere = bundles.run(
        tmp_path / "mine" / "key" / "run", bundles.kernel("5.2"), catalogue, seed=9
    )
    ingest(elsewhere, conn=conn, catalogue=catalogue)
    os.utime(elsewhere, (1, 1))
    assert gone(conn, settings) == {failed["build"], *old.values()} - {old["run 1"], old["run 2"]}
    # What has no key in the rule stays for ever.
    assert gc.look(conn, None, settings, Gc(builds_days=100)).kept.keys() == {"build"}


def test_a_call_that_is_killed_is_finished_by_the_next(
    conn: Connection, settings: Settings, put: Callable[..., dict[str, Path]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    made = put("5.1")
    calls = 0
    real = shutil.rmtree

    def dies(path: Path, **more: Any) -> None:
        nonlocal calls
        calls += not more
        if calls == 3:
            (Path(path) / "run.json").unlink(missing_ok=True)  # half of it is gone
            raise KeyboardInterrupt
        real(path, **more)

    monkeypatch.setattr(shutil, "rmtree", dies)
    with pytest.raises(KeyboardInterrupt):
        gc.collect(conn, None, settings, RULE)
    monkeypatch.setattr(shutil, "rmtree", real)
    # Everything that is or may be gone is on record.
    known = removals.of(conn, "run", range(1, 6))
    assert {r.location for r in known.values()} >= {
        str(folder) for name, folder in made.items() if name != "build" and not folder.exists()
    }
    assert len(removals.pending(conn)) == 5
    assert gc.collect(conn, None, settings, RULE).finished == 5
    assert removals.pending(conn) == []
    assert not any(folder.exists() for folder in made.values())
    assert list(settings.runs.iterdir()) == []


def test_a_disk_that_refuses_is_one_sentence(
    conn: Connection, settings: Settings, put: Callable[..., dict[str, Path]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    put("5.1")

    def refuses(_path: Path, **_more: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shutil, "rmtree", refuses)
    with pytest.raises(
        InfrastructureError, match=r"cannot be removed .Permission denied.; vlag gc"
    ):
        gc.collect(conn, None, settings, RULE)


def test_a_bundle_that_is_delivered_again_is_back(
    conn: Connection, settings: Settings, put: Callable[..., dict[str, Path]], tmp_path: Path,
    catalogue: Catalogue,
) -> None:  # fmt: skip
    made = put("5.1")
    for name, folder in made.items():
        shutil.copytree(folder, tmp_path / "copy" / name)
    gc.collect(conn, None, settings, RULE)
    assert len(removals.of(conn, "run", range(1, 6))) == 5
    for name in made:
        again = ingest(tmp_path / "copy" / name, conn=conn, catalogue=catalogue)
        assert not again.new
    assert removals.of(conn, "run", range(1, 6)) == {}
    assert removals.of(conn, "build", [1]) == {}
    [location] = conn.execute("SELECT location FROM run WHERE id = 1").fetchone() or [""]
    assert Path(location) == tmp_path / "copy" / "run 1"


def test_what_is_being_removed_is_not_back_by_a_second_delivery(
    conn: Connection, settings: Settings, put: Callable[..., dict[str, Path]],
    catalogue: Catalogue,
) -> None:  # fmt: skip
    made = put("5.1")
    since = datetime.datetime.now(datetime.UTC)
    assert removals.record(conn, "run", since, {1: 10}, "old") == [1]
    ingest(made["run 1"], conn=conn, catalogue=catalogue)
    assert [r.row_id for r in removals.pending(conn)] == [1]


def test_what_is_used_between_look_and_removal_stays(
    conn: Connection, put: Callable[..., dict[str, Path]], judged: Callable[..., int]
) -> None:
    put("5.1")
    put("5.2")
    since = datetime.datetime.now(datetime.UTC)
    found = removals.candidates(conn, "run", since)
    judged("5.1", "5.2")
    with planted(conn):
        conn.execute("UPDATE verdict SET verdict = 'REGRESSION'")
    assert removals.record(conn, "run", since, {c.id: 1 for c in found}, "old") == []


@pytest.mark.parametrize("kind", ["run", "build"])
def test_what_is_needed_is_joined_and_not_searched_row_by_row(
    conn: Connection, kind: removals.Kind
) -> None:
    asked = f"EXPLAIN {removals._OLD[kind]}{removals._UNUSED[kind]}"
    plan = "\n".join(row[0] for row in conn.execute(asked.encode(), {"since": "2026-01-01"}))
    assert "Anti Join" in plan
    # Negative control: this is how it would read the list again for each row.
    conn.execute("SET work_mem = '64kB'")
    searched = "EXPLAIN SELECT FROM run WHERE id NOT IN (SELECT unnest(base_runs) FROM verdict)"
    assert "Anti Join" not in str(conn.execute(searched.encode()).fetchall())


def test_the_pages_say_when_the_files_went(
    conn: Connection, settings: Settings, put: Callable[..., dict[str, Path]]
) -> None:
    made = put("5.1")
    location = str(made["run 1"])
    assert read_model.removal(conn, location, run=1, kernel=None) is None
    gc.collect(conn, None, settings, RULE)
    removed = read_model.removal(conn, location, run=1, kernel=None)
    assert removed is not None
    assert "older than 100 days" in removed["why"]
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    with Flask("test").test_request_context(), pytest.raises(NotFound) as said:
        raw.answer(location, "console.log", settings.state, removed)
    assert f"removed by vlag gc on {today}" in str(said.value.description)
    of_build = read_model.removal(conn, str(made["build"]), run=None, kernel=1)
    assert of_build is not None
    # Negative control: a bundle that is missing for another reason is not said to be removed.
    with Flask("test").test_request_context(), pytest.raises(NotFound) as said:
        raw.answer(location, "console.log", settings.state, None)
    assert "vlag gc" not in str(said.value.description)


def test_it_waits_for_a_backup(
    conn: Connection, settings: Settings, put: Callable[..., dict[str, Path]]
) -> None:
    made = put("5.1")
    waits = threading.Event()
    shown = progress_log.shown(lambda _line: waits.set())
    with shown, hold(gc.removing(settings), lambda: None):
        call = threading.Thread(target=gc.collect, args=(conn, None, settings, RULE))
        call.start()
        assert waits.wait(DEADLINE_S)
        assert all(folder.exists() for folder in made.values())
    call.join(DEADLINE_S)
    assert not any(folder.exists() for folder in made.values())


def test_it_says_what_a_day_adds_and_when_the_disk_is_full(
    conn: Connection, settings: Settings, put: Callable[..., dict[str, Path]]
) -> None:
    put("5.1")
    assert "nothing was added" in gc.growth(conn, settings).text()
    conn.execute("UPDATE run SET finished_at = now()")
    grown = gc.growth(conn, settings)
    whole = conn.execute(
        "SELECT sum((f ->> 'bytes')::int) FROM run, jsonb_array_elements(document -> 'files') f"
    ).fetchone()
    assert whole is not None
    assert grown.day["run"] == pytest.approx(whole[0] / gc.RECENT_DAYS)
    assert "full after" in evolve(grown, free=10**9).text()


@pytest.fixture
def buildbot(conn: Connection) -> Connection:
    """Return a database with Buildbot's own tables and two builders."""
    of = conninfo_to_dict(conn.info.dsn)
    where = sqlalchemy.URL.create(
        "postgresql+psycopg", username=str(of["user"]), host=str(of["host"]),
        port=int(str(of["port"])), database=str(of["dbname"]),
    )  # fmt: skip
    engine = sqlalchemy.create_engine(where)
    Model.metadata.create_all(engine)
    engine.dispose()
    conn.execute(
        "INSERT INTO masters (name, name_hash, active, last_active) VALUES ('m', 'm', 1, 1);"
        "INSERT INTO builders (name, name_hash) VALUES ('kernel', 'k'), ('board', 'b')"
    )
    return conn


def built(
    conn: Connection, builder: int, number: int, at: int, parent: int | None = None,
    *, over: bool = True,
) -> int:  # fmt: skip
    """Put a buildset with one build, a step and a log into Buildbot's database."""
    row = conn.execute(
        "WITH s AS (INSERT INTO buildsets (submitted_at, complete, complete_at, results,"
        "   parent_buildid) VALUES (%(at)s, %(over)s, %(end)s, 0, %(parent)s) RETURNING id),"
        " q AS (INSERT INTO buildrequests (buildsetid, builderid, priority, complete,"
        "   submitted_at, complete_at) SELECT id, %(builder)s, 0, %(over)s, %(at)s, %(end)s"
        "   FROM s RETURNING id),"
        " b AS (INSERT INTO builds (number, builderid, buildrequestid, masterid,"
        "   locks_duration_s, started_at, complete_at, state_string)"
        "   SELECT %(number)s, %(builder)s, id, 1, 0, %(at)s, %(end)s, '' FROM q RETURNING id),"
        " t AS (INSERT INTO steps (number, name, buildid, state_string, urls_json)"
        "   SELECT 0, 'x', id, '', '[]' FROM b RETURNING id, buildid)"
        " INSERT INTO logs (name, slug, stepid, complete, num_lines, type)"
        " SELECT 'stdio', 'stdio', id, 1, 1, 's' FROM t RETURNING (SELECT buildid FROM t)",
        {"at": at, "end": at if over else None, "over": int(over), "builder": builder,
         "number": number, "parent": parent},
    ).fetchone()  # fmt: skip
    assert row is not None
    return int(row[0])


def test_buildbots_old_builds_go_with_all_that_belongs_to_them(buildbot: Connection) -> None:
    now = int(datetime.datetime.now(datetime.UTC).timestamp())
    age = datetime.timedelta(days=100)
    old, young = now - 200 * 86400, now - 86400
    gone_ones = [built(buildbot, 1, number, old) for number in (1, 2)]
    newest = built(buildbot, 1, 3, old)  # the next one is number 4
    child = built(buildbot, 2, 1, old, parent=gone_ones[0])
    going_on = built(buildbot, 2, 2, old, over=False)
    recent = built(buildbot, 2, 3, young)
    waiting = built(buildbot, 2, 4, old)
    late = built(buildbot, 2, 5, old, parent=waiting, over=False)
    assert buildbot_rows.count(buildbot, age) == 3
    assert buildbot_rows.count(buildbot, None) == 0
    assert buildbot_rows.remove(buildbot, age) == 3
    left = {row[0] for row in buildbot.execute("SELECT id FROM builds")}
    assert left == {newest, going_on, recent, waiting, late}
    assert child not in left
    for table in ("steps", "logs"):
        assert buildbot.execute(f"SELECT count(*) FROM {table}").fetchone() == (len(left),)  # noqa: S608
    assert buildbot_rows.remove(buildbot, age) == 0
