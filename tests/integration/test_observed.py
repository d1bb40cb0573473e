# SPDX-License-Identifier: GPL-2.0-only
"""Runs that observe something are on record, marked, and in nothing that is scored."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration import bundles
from tests.integration.answers import stored
from vlag.compare.kernels import StoredComparison, compare
from vlag.config.catalogue import Catalogue
from vlag.report import read_model
from vlag.store import boards, histories, kernels, runs
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef, resolve

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
OBSERVES = {"observes": "schedstats"}
COUNTED = {"environment": {"/proc/sys/kernel/sched_schedstats": "1"}}
NOBODY = datetime.datetime(2100, 1, 1, tzinfo=datetime.UTC)

Put = Callable[..., int]


@pytest.fixture
def put(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Put:
    """Write a kernel's boots and ingest them; return the last run's id."""

    def work(of: dict[str, Any], factors: tuple[float, ...] = SAME, **more: Any) -> int:
        paths = bundles.side(tmp_path, of, catalogue, factors=factors, **more)
        bundles.store(conn, catalogue, paths)
        [(last,)] = conn.execute("SELECT max(id) FROM run").fetchall()
        return int(last)

    return work


@pytest.fixture
def answer(conn: Connection, catalogue: Catalogue) -> Callable[[], StoredComparison]:
    def work() -> StoredComparison:
        return compare(
            conn=conn, catalogue=catalogue, board_type="qemu-sim-2",
            base=KernelRef(text="linux-6.1"), new=KernelRef(text="linux-6.12"),
        )  # fmt: skip

    return work


def scored(conn: Connection) -> dict[str, set[int]]:
    """Return the runs in all that is scored, by who uses them."""
    base, new = (resolve(conn, KernelRef(text=of["digest"])).id for of in (BASE, NEW))

    def own(by_image: bool) -> list[runs.Run]:
        return runs.of_kernel(
            conn, new, board_type="qemu-sim-2", synthetic=False, by_image=by_image
        )

    def of(sql: str) -> set[int]:
        return {row[0] for row in conn.execute(sql, {"kernel": new}).fetchall()}

    prior = runs.earlier(
        conn, board_type="qemu-sim-2", before=NOBODY, without_kernels=[base], without_runs=[],
        kernels=9, synthetic=False,
    )  # fmt: skip
    along = histories.along(
        conn, tree="debian", branch="linux-6.12", board_type="qemu-sim-2", reach=9
    )
    return {
        "comparison": {r.id for r in own(by_image=False)},
        "comparison of images": {r.id for r in own(by_image=True)},
        "prior": {r.id for r in prior},
        "trend": {run for of in along for run in of.runs},
        "history": of("SELECT run FROM read_model.history WHERE kernel = %(kernel)s"),
        "check": set(boards.unchecked(conn, str(bundles.BOARD["name"]), "nightly"))
        & of("SELECT id FROM run WHERE kernel = %(kernel)s"),
        "count": of("SELECT run FROM read_model.kernel_run WHERE kernel = %(kernel)s"),
    }


@pytest.mark.parametrize("outcome", ["complete", "panic"])
def test_an_observed_run_is_on_record_and_in_nothing_that_is_scored(
    conn: Connection, put: Put, answer: Callable[[], StoredComparison], outcome: str
) -> None:
    put(BASE)
    put(NEW)
    before, first = scored(conn), answer()
    assert {name: len(found) for name, found in before.items()} == dict.fromkeys(before, 5)
    failed = {} if outcome == "complete" else {"outcome": outcome, "reason": "Oops"}
    observed = put(NEW, (0.5,), **OBSERVES, **failed)
    assert scored(conn) == before
    again = answer()
    assert (again.id, again.new) == (first.id, False)
    # It is on record with all of its figures, and marked.
    [run] = runs.by_id(conn, [observed]).values()
    assert (run.document["observes"], run.outcome, run.suspect) == ("schedstats", outcome, None)
    shown = read_model.run(conn, observed)
    assert shown is not None
    assert (shown["observes"], shown["left_out"]) == ("schedstats", None)
    assert [k["commit"] for k in shown["kernels"]] == [NEW["commit"]]
    assert bool(shown["values"]) == (outcome == "complete")
    assert shown["comparisons"] == []


def test_the_same_boot_that_observes_nothing_counts(
    conn: Connection, put: Put, answer: Callable[[], StoredComparison]
) -> None:
    """Negative control: only the mark keeps a run out."""
    put(BASE)
    put(NEW)
    before, first = scored(conn), answer()
    plain = put(NEW, (0.5,), observes=None, run_key=bundles.sha("a sixth boot"))
    for name, found in scored(conn).items():
        assert found - before[name] == {plain}, name
    again = answer()
    assert (again.new, {v.n_new for v in again.verdicts}) == (True, {6})
    assert first.id != again.id


def test_a_kernel_with_nothing_but_observed_runs_has_no_board_type(
    conn: Connection, put: Put
) -> None:
    put(NEW, (1.0,), **OBSERVES)
    kernel = resolve(conn, KernelRef(text=NEW["digest"])).id
    assert kernels.board_types(conn, [kernel]) == {}
    put(NEW, (1.0,))
    assert kernels.board_types(conn, [kernel]) == {kernel: ["qemu-sim-2"]}


def test_a_run_whose_board_counted_schedstats_is_not_scored_and_the_reason_is_told(
    conn: Connection, put: Put, answer: Callable[[], StoredComparison]
) -> None:
    put(BASE)
    put(NEW)
    before = scored(conn)
    counted = put(NEW, (0.5,), **COUNTED, run_key=bundles.sha("a sixth boot"))
    why = "/proc/sys/kernel/sched_schedstats was 1 in the run, which changes what it measures"
    assert runs.by_id(conn, [counted])[counted].suspect == why
    for name in ("prior", "trend", "history"):
        assert scored(conn)[name] == before[name]
    again = answer()
    assert {v.n_new for v in again.verdicts} == {5}
    assert stored(conn, again).notes == [f"run {counted} of the new is left out: {why}"]
