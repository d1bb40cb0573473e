# SPDX-License-Identifier: GPL-2.0-only
"""Matrices of a patch series, nights on record, and what reports may read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from tests.conftest import fresh_database
from tests.integration import bundles
from tests.integration.reports import cells, environment, every, plain, wide
from vlag.cli.main import main
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.report import read_model
from vlag.report.data import branch_state, matrices, plot_data
from vlag.report.data.comparison import night
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.store.views import READER

NEW = bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)


def solo(number: int) -> dict[str, Any]:
    patch = {"name": f"000{number}-sched.patch", "sha256": bundles.sha(str(number))}
    return bundles.kernel("6.12", series="rd", application=f"solo({number})", patches=[patch])


@pytest.fixture(scope="module")
def template(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """Name of a database with a series, to be copied."""
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        _fill(conn, catalogue, tmp_path_factory.mktemp("patched"))
    return str(database.parts(dsn)["dbname"])


@pytest.fixture
def patched(conn: Connection) -> Connection:
    """A database with a series: patch 1 slower by a tenth, 2 does not build, 3 panics, 4 absent."""
    return conn


def _fill(conn: Connection, catalogue: Catalogue, folder: Path) -> None:
    paths = bundles.side(folder, NEW, catalogue, factors=SAME)
    paths += bundles.side(folder, solo(1), catalogue, factors=[0.9 * f for f in SAME])
    paths.append(
        bundles.build(folder / "b2", solo(2), outcome="build_failed", reason="cpupri.c:1: error")
    )
    paths.append(bundles.build(folder / "b3", solo(3)))
    paths += [
        bundles.run(folder / f"r3-{seed}", solo(3), catalogue, seed=seed, outcome="panic",
                    reason="Kernel panic")
        for seed in (1, 2)
    ]  # fmt: skip
    bundles.store(conn, catalogue, paths)
    for k in (solo(1), solo(2), solo(3)):
        compare(
            conn=conn,
            catalogue=catalogue,
            base=KernelRef(text=NEW["digest"]),
            new=KernelRef(text=k["digest"]),
            board_type="qemu-sim-2",
        )


def test_failures_are_cells(patched: Connection, catalogue: Catalogue) -> None:
    document = matrices.matrix(patched, catalogue, ["debian/linux-6.12"])
    [m] = document["matrices"]
    assert {c["label"]: c["failure"] for c in m["columns"]} == {
        "solo(1)": None,
        "solo(2)": "did not build",
        "solo(3)": "panicked",
        "full": None,
    }
    found = cells(document, "qemu-sim-2", "")
    assert found["stress-ng-switch bogo-ops-rate"] == {
        "solo(1)": "-10.00 % W",
        "solo(2)": "did not build",
        "solo(3)": "panicked",
        "full": "not run",
    }
    for form in ("text", "markdown", "html"):
        said = plain(form, every(document)[form])
        assert "did not build" in said
        assert "panicked" in said
    # Of one that was measured since, the figures stand.
    assert wide(every(document)["text"]) == []


def test_another_figure_gives_another_cell(
    patched: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    paths = bundles.side(tmp_path / "more", solo(3), catalogue, factors=[1.2 * f for f in SAME])
    bundles.store(patched, catalogue, paths)
    compare(
        conn=patched,
        catalogue=catalogue,
        base=KernelRef(text=NEW["digest"]),
        new=KernelRef(text=solo(3)["digest"]),
        board_type="qemu-sim-2",
    )
    found = cells(matrices.matrix(patched, catalogue, ["debian/linux-6.12"]), "qemu-sim-2", "")
    assert found["stress-ng-switch bogo-ops-rate"]["solo(3)"] == "+20.00 % B"
    assert found["stress-ng-switch bogo-ops-rate"]["solo(2)"] == "did not build"


def test_which_patch_does_it(patched: Connection, catalogue: Catalogue, tmp_path: Path) -> None:
    whole = bundles.kernel(
        "6.12",
        series="rd",
        application="full",
        patches=[p for n in (1, 2) for p in solo(n)["patches"]],
    )
    paths = bundles.side(tmp_path / "full", whole, catalogue, factors=[0.9 * f for f in SAME])
    bundles.store(patched, catalogue, paths)
    compare(
        conn=patched,
        catalogue=catalogue,
        base=KernelRef(text=NEW["digest"]),
        new=KernelRef(text=whole["digest"]),
        board_type="qemu-sim-2",
    )
    document = matrices.matrix(patched, catalogue, ["debian/linux-6.12"])
    for form, text in every(document).items():
        assert "patch 1 (0001-sched) accounts for 100 %" in plain(form, text), form


def test_a_night_on_record(
    patched: Connection, catalogue: Catalogue, dsn: str, tmp_path: Path
) -> None:
    [ids] = patched.execute("SELECT array_agg(id ORDER BY id) FROM comparison").fetchall()
    patched.execute(
        "INSERT INTO night (key, started_at, finished_at, comparisons, branches, missing, notes)"
        " VALUES ('n', now(), now(), %s, '[]', %s, %s)",
        (ids[0], ["rpi5 was offline"], ["a note of the night"]),
    )
    env = environment(dsn, tmp_path)
    for form in ("text", "markdown", "html"):
        answer = CliRunner().invoke(main, ["report", "--night", "last", "--format", form], env=env)
        assert answer.exit_code == 0, answer.stderr
        said = plain(form, answer.stdout)
        assert "did not run: rpi5 was offline" in said
        assert "a note of the night" in said
        assert all(f"#{i}" in said for i in ids[0])
        assert "-10.00 %" in said
    assert night(patched, catalogue, ids[0], tmp_path)["kind"] == "night"


def test_no_report_reads_what_the_reader_may_not(patched: Connection, catalogue: Catalogue) -> None:
    """All of a branch's and a matrix's data come from the views, under their own role."""
    with patched.transaction(force_rollback=True):
        patched.execute(f"SET LOCAL ROLE {READER}")
        assert branch_state.state(patched, catalogue, "debian/linux-6.12")["states"]
        assert matrices.matrix(patched, catalogue, ["debian/linux-6.12"])["matrices"]
        assert plot_data.of(patched, [1])[1]["effects"]
        newest = read_model.overview(patched)
        assert newest["comparisons"] or newest["tried"]
        assert read_model.boards(patched)
        assert read_model.run(patched, 1)
        assert read_model.time_series_of(patched, "debian", "linux-6.12")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            patched.execute("SELECT FROM run")


def test_an_unknown_branch_is_refused(conn: Connection, catalogue: Catalogue) -> None:
    conn.execute("TRUNCATE kernel CASCADE")
    with pytest.raises(UsageError, match="none on record yet"):
        branch_state.state(conn, catalogue, "debian/linux-6.12")
