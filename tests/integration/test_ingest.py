# SPDX-License-Identifier: GPL-2.0-only
"""What may enter the database, and that it enters once."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import psycopg
import pytest
from attrs import evolve

from tests.integration import bundles
from tests.waiting import until
from vlag import parsers
from vlag.config.catalogue import Catalogue
from vlag.errors import AwayError, RefusedError, UsageError
from vlag.model import Histogram, Outcome, Sample
from vlag.pipeline.ingest import Ingested, ingest, ingest_all
from vlag.store import database, runs
from vlag.store.database import Connection

KERNEL = bundles.kernel("6.12")
TABLES = ("kernel", "build", "board_type", "board", "series", "run", "sample", "histogram")


def counts(conn: Connection) -> dict[str, int]:
    found = {t: conn.execute(f"SELECT count(*) FROM {t}").fetchone() for t in TABLES}  # noqa: S608
    return {t: row[0] for t, row in found.items() if row}


@pytest.fixture
def enter(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Callable[..., Any]:
    """Ingest the kernel's build; return what ingests one more bundle."""
    ingest(bundles.build(tmp_path / "build", KERNEL), conn=conn, catalogue=catalogue)
    return lambda path: ingest(path, conn=conn, catalogue=catalogue)


@pytest.fixture
def bundle(tmp_path: Path, catalogue: Catalogue) -> Path:
    return bundles.run(tmp_path / "run", KERNEL, catalogue)


def test_a_build_by_hand_is_stored_with_the_run_that_is_used_again(
    conn: Connection, bundle: Path, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Nobody has ingested what `vlag bisect`, say, has left in the state folder."""
    built = tmp_path / "builds"
    digest = KERNEL["digest"]
    bundles.build(built / digest[:16] / "1", KERNEL)
    # Negative control.
    with pytest.raises(RefusedError, match="has no build on record"):
        ingest(bundle, conn=conn, catalogue=catalogue)
    with pytest.raises(RefusedError, match="has no build on record"):
        ingest(bundle, conn=conn, catalogue=catalogue, built=tmp_path / "empty")
    assert counts(conn)["build"] == 0
    # One that failed is on record, as that of a night: it has no image.
    failed = bundles.build(tmp_path / "failed", KERNEL, outcome="build_failed", reason="error")
    ingest(failed, conn=conn, catalogue=catalogue)
    for new in (True, False):
        [stored] = ingest_all([bundle], conn=conn, catalogue=catalogue, built=built)
        assert not isinstance(stored, RefusedError)
        assert (stored.kind, stored.new) == ("run", new)
        assert (counts(conn)["build"], counts(conn)["run"]) == (2, 1)


def test_every_number_is_kept(
    conn: Connection, enter: Callable[..., Any], bundle: Path, catalogue: Catalogue, tmp_path: Path
) -> None:
    first = enter(bundle)
    second = enter(
        bundles.run(tmp_path / "run2", KERNEL, catalogue, benchmark="cyclictest-hackbench")
    )
    assert (first.kind, first.new, first.outcome) == ("run", True, Outcome.COMPLETE)
    figures = runs.figures_of(conn, [first.id, second.id])
    rate, time, latency = (f.figures for f in figures)
    assert isinstance(rate, Sample)
    assert rate.values == (443124.79,)
    assert isinstance(time, Sample)
    assert time.values == (2255.82,)
    assert isinstance(latency, Histogram)
    assert latency.achieved == latency.expected == 1000
    assert latency.limit == 400
    # A series is that of a range of versions; the very version is the run's.
    assert [f.series.tool_version for f in figures] == ["0.15.06+", "0.15.06+", "2.40+"]
    versions = conn.execute("SELECT tool_version FROM run ORDER BY id").fetchall()
    assert versions == [("0.15.06",), ("2.40",)]
    assert figures[0].series.unit == "1/s"


def test_twice_changes_nothing(
    conn: Connection, enter: Callable[..., Any], bundle: Path, tmp_path: Path
) -> None:
    first = enter(bundle)
    before = counts(conn)
    again = enter(bundle / "run.json")
    assert (again.id, again.new) == (first.id, False)
    assert str(again).endswith("already there")
    assert not enter(tmp_path / "build").new
    assert counts(conn) == before


def test_two_at_once_store_one_run(
    dsn: str, conn: Connection, enter: Callable[..., Any], bundle: Path, catalogue: Catalogue
) -> None:
    barrier = Barrier(4)

    def work(_: int) -> bool:
        with database.connect(dsn) as mine:
            barrier.wait(timeout=30)
            return ingest(bundle, conn=mine, catalogue=catalogue).new

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(work, range(4))) == [False, False, False, True]
    assert (counts(conn)["run"], counts(conn)["sample"]) == (1, 2)


def test_two_at_once_that_add_the_same_series(
    dsn: str, conn: Connection, enter: Callable[..., Any], catalogue: Catalogue, tmp_path: Path
) -> None:
    paths = [bundles.run(tmp_path / f"r{i}", KERNEL, catalogue, seed=i) for i in range(4)]
    barrier = Barrier(4)

    def work(path: Path) -> bool:
        with database.connect(dsn) as mine:
            barrier.wait(timeout=30)
            return ingest(path, conn=mine, catalogue=catalogue).new

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, paths))
    assert (counts(conn)["run"], counts(conn)["series"]) == (4, 2)


def is_blocked(conn: Connection, pid: int) -> bool:
    row = conn.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", (pid,)).fetchone()
    return row == (True,)


def loser(dsn: str, bundle: Path, catalogue: Catalogue, conn: Connection) -> Ingested:
    """Ingest a run that loses a deadlock when its figures are due; return what came of it."""
    with (
        psycopg.connect(dsn) as gate,
        psycopg.connect(dsn) as other,
        ThreadPoolExecutor(2) as pool,
        database.connect(dsn) as mine,
    ):
        gate.execute("LOCK series IN SHARE MODE")
        other.execute("SET deadlock_timeout = '1h'")  # the other one looks for it
        other.execute("LOCK sample")
        stored = pool.submit(ingest, bundle, conn=mine, catalogue=catalogue)
        until(lambda: is_blocked(conn, mine.info.backend_pid))
        locked = pool.submit(other.execute, "LOCK run")
        until(lambda: is_blocked(conn, other.info.backend_pid))
        gate.commit()
        locked.result()
        other.commit()
        with database.explained(dsn):
            return stored.result()


def test_a_lost_deadlock_loses_and_doubles_nothing(
    dsn: str, conn: Connection, enter: Callable[..., Any], bundle: Path, catalogue: Catalogue
) -> None:
    stored = loser(dsn, bundle, catalogue, conn)
    # The number of the first try is gone with it.
    assert (stored.new, stored.id) == (True, 2)
    assert (counts(conn)["run"], counts(conn)["sample"]) == (1, 2)
    assert not enter(bundle).new


def test_a_deadlock_is_lost_where_it_is_not_tried_again(
    dsn: str, conn: Connection, enter: Callable[..., Any], bundle: Path, catalogue: Catalogue,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(database, "_TRIES", 1)
    with pytest.raises(AwayError, match=r"deadlock detected\); others write the same rows: try ag"):
        loser(dsn, bundle, catalogue, conn)
    assert counts(conn)["run"] == 0
    assert enter(bundle).new


def refuse_to_serialise(conn: Connection, times: int) -> None:
    """Let PostgreSQL refuse to serialise so many runs."""
    conn.execute("CREATE SEQUENCE tries")  # it counts what is undone too
    conn.execute(
        "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF nextval('tries')"
        f" <= {times} THEN RAISE SQLSTATE '40001'; END IF; RETURN NEW; END$$".encode()
    )
    conn.execute("CREATE TRIGGER lose BEFORE INSERT ON run FOR EACH ROW EXECUTE FUNCTION lose()")


def tries(conn: Connection) -> Any:
    return conn.execute("SELECT last_value FROM tries").fetchone()


def test_what_is_not_serialised_is_tried_again(
    conn: Connection, enter: Callable[..., Any], bundle: Path
) -> None:
    refuse_to_serialise(conn, 4)
    assert enter(bundle).new
    assert (tries(conn), counts(conn)["run"], counts(conn)["sample"]) == ((5,), 1, 2)


def test_what_is_never_serialised_ends(
    dsn: str, conn: Connection, enter: Callable[..., Any], bundle: Path
) -> None:
    refuse_to_serialise(conn, 99)
    with pytest.raises(AwayError), database.explained(dsn):
        enter(bundle)
    assert (tries(conn), counts(conn)["run"]) == ((5,), 0)


def test_within_another_transaction_it_is_not_tried_by_itself(
    conn: Connection, enter: Callable[..., Any], bundle: Path
) -> None:
    refuse_to_serialise(conn, 1)
    with pytest.raises(psycopg.errors.SerializationFailure), conn.transaction():
        enter(bundle)
    assert (tries(conn), counts(conn)["run"]) == ((1,), 0)


@pytest.mark.parametrize("outcome", ["panic", "hang", "benchmark_failed"])
def test_failed_run_has_outcome_and_reason_and_no_numbers(
    conn: Connection,
    enter: Callable[..., Any],
    catalogue: Catalogue,
    tmp_path: Path,
    outcome: str,
) -> None:
    reason = "Kernel panic - not syncing: vlag"
    path = bundles.run(tmp_path / "r", KERNEL, catalogue, outcome=outcome, reason=reason)
    assert enter(path).outcome.value == outcome
    assert conn.execute("SELECT outcome, reason FROM run").fetchall() == [(outcome, reason)]
    assert (counts(conn)["sample"], counts(conn)["histogram"]) == (0, 0)


def test_failed_build_is_a_result(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> None:
    path = bundles.build(
        tmp_path / "b", KERNEL, outcome="patch_failed", reason="0001.patch does not apply"
    )
    assert ingest(path, conn=conn, catalogue=catalogue).outcome is Outcome.PATCH_FAILED
    rows = conn.execute("SELECT outcome, reason, image_sha256 FROM build").fetchall()
    assert rows == [("patch_failed", "0001.patch does not apply", None)]


def test_changed_digit_is_refused_by_its_checksum(
    conn: Connection, enter: Callable[..., Any], bundle: Path
) -> None:
    raw = bundle / "raw" / "stress-ng.txt"
    raw.write_bytes(raw.read_bytes().replace(b"443124.79", b"443125.79"))
    before = counts(conn)
    with pytest.raises(
        RefusedError, match=r"run\.json: checksum of raw/stress-ng\.txt does not match"
    ):
        enter(bundle)
    assert counts(conn) == before
    assert b"443125.79" in raw.read_bytes()


def cut(bundle: Path) -> None:
    raw = bundle / "raw" / "stress-ng.txt"
    raw.write_bytes(raw.read_bytes()[:-1])


def lose(bundle: Path) -> None:
    (bundle / "job.yaml").unlink()


def escape(bundle: Path) -> None:
    raw = bundle / "raw" / "stress-ng.txt"
    outside = bundle.parent / "outside.txt"
    raw.rename(outside)
    raw.symlink_to(outside)


def dots(bundle: Path) -> None:
    files = json.loads((bundle / "run.json").read_text())["files"]
    bundles.edit(bundle, files=[{**files[0], "path": "../console.log"}, *files[1:]])


def reparse(raw: bytes) -> Callable[[Path], None]:
    def change(bundle: Path) -> None:
        files = json.loads((bundle / "run.json").read_text())["files"][:2]
        bundles.edit(bundle, files=[*files, bundles.add(bundle, "raw/stress-ng.txt", raw)])

    return change


def board(**changes: Any) -> Callable[[Path], None]:
    def change(bundle: Path) -> None:
        before = json.loads((bundle / "run.json").read_text())["board"]
        bundles.edit(bundle, board={**before, **changes})

    return change


def key(**changes: Any) -> Callable[[Path], None]:
    def change(bundle: Path) -> None:
        bundles.edit(bundle, **changes)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut, "size of raw/stress-ng.txt does not match run.json"),
        (lose, "job.yaml is missing"),
        (escape, "raw/stress-ng.txt leads out of the bundle"),
        (dots, r"files\.0\.path: '\.\./console\.log' does not match"),
        (reparse(b""), "raw/stress-ng.txt"),
        (key(seed=-1), "run.json: seed: -1 is less than the minimum"),
        (key(started_at="yesterday"), "started_at: 'yesterday' is not a 'date-time'"),
        (key(surprise=1), "surprise"),
        (key(output="raw/other.txt"), "output: raw/other.txt is not listed"),
        (key(benchmark="doom"), "benchmark: the catalogue has no 'doom'"),
        (key(parameters={"instances": 2}), "parameters: duration_s, method"),
        (key(image_sha256="0" * 64), "those of no build of kernel"),
        (key(kernel=bundles.kernel("6.6")), "has no build on record"),
        (key(kernel={**KERNEL, "variant": "rt"}), "on record with variant 'default'"),
        (key(environment={"x": "a\0b"}), "environment.x: holds a character"),
        (key(userland={"sha256": "0" * 64, "packages": {}}), r"packages\.stress-ng: missing"),
        (key(seed=2**70), "does not fit the database"),
        (board(board_type="abacus"), "board.board_type: the catalogue has no 'abacus'"),
        (board(cpus=4), "board.cpus: is 4, but the catalogue says 2"),
    ],
)
def test_refused_and_nothing_stored(
    conn: Connection,
    enter: Callable[..., Any],
    bundle: Path,
    change: Callable[[Path], None],
    message: str,
) -> None:
    change(bundle)
    before = counts(conn)
    with pytest.raises(RefusedError, match=message) as caught:
        enter(bundle)
    assert str(bundle) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert counts(conn) == before


def test_undeclared_and_absent_metrics_are_refused(
    enter: Callable[..., Any], bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = parsers.parse

    def more(tool: str, data: bytes, *, path: str, told: bool) -> Any:
        parsed = honest(tool, data, path=path, told=told)
        extra = evolve(parsed.samples[0], metric="heat")
        return evolve(parsed, samples=(*parsed.samples, extra))

    def fewer(tool: str, data: bytes, *, path: str, told: bool) -> Any:
        parsed = honest(tool, data, path=path, told=told)
        return evolve(parsed, samples=parsed.samples[:1])

    monkeypatch.setattr(parsers, "parse", more)
    with pytest.raises(RefusedError, match=r"'heat'.*no declared unit and direction is refused"):
        enter(bundle)
    monkeypatch.setattr(parsers, "parse", fewer)
    with pytest.raises(RefusedError, match=r"'time-per-switch' of .* is not in the output"):
        enter(bundle)


def test_folder_of_bundles_builds_first_and_one_bad_does_not_keep_out_others(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    bundles.run(tmp_path / "a" / "good", KERNEL, catalogue)
    bad = bundles.run(tmp_path / "a" / "bad", KERNEL, catalogue, seed=2)
    (bad / "run.json").write_text("{")
    bundles.build(tmp_path / "z", KERNEL)
    bundles.run(tmp_path / "a" / "half.partial", KERNEL, catalogue, seed=3)
    results = list(ingest_all([tmp_path], conn=conn, catalogue=catalogue))
    assert [getattr(r, "kind", "refused") for r in results] == ["build", "refused", "run"]
    assert isinstance(results[1], RefusedError)
    assert "run.json:1: not valid JSON" in str(results[1])


@pytest.mark.parametrize(
    ("number", "error"),
    [(errno.EIO, AwayError), (errno.EMFILE, AwayError), (errno.EACCES, RefusedError)],
)
def test_a_file_that_the_machine_cannot_read_now_is_no_bad_bundle(
    conn: Connection, catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    number: int, error: type[AwayError | RefusedError],
) -> None:  # fmt: skip
    """Refused, a build would take each of its runs with it: they would lack a build on record."""
    bundles.build(tmp_path / "build", KERNEL)
    bundles.run(tmp_path / "run", KERNEL, catalogue)

    def fails(_folder: Path, _name: str) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(f"{ingest.__module__}.describe", fails)
        with pytest.raises(error, match=f"cannot be read .{os.strerror(number)}") as e:
            ingest(tmp_path / "build", conn=conn, catalogue=catalogue)
    assert e.value.exit_code == (75 if error is AwayError else 3)
    stored = list(ingest_all([tmp_path], conn=conn, catalogue=catalogue))
    assert [getattr(one, "kind", "refused") for one in stored] == ["build", "run"]


def test_no_bundle_is_a_usage_error(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "x.json"):
        with pytest.raises(UsageError):
            ingest(path, conn=conn, catalogue=catalogue)
    with pytest.raises(UsageError):
        list(ingest_all([tmp_path], conn=conn, catalogue=catalogue))
