# SPDX-License-Identifier: GPL-2.0-only
"""A comparison as text and JSON, and the way back from each number."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.integration import bundles
from tests.typed import faults
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.pipeline.ingest import ingest_all
from vlag.report import jsonform, text
from vlag.report.data.comparison import night, report
from vlag.report.document import ComparisonData
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOWER = tuple(0.9 * f for f in SAME)
WARNING = {"kind": "warning", "line": 1, "text": "[   12.345678] WARNING: CPU: 1 PID: 44 at fair.c"}
# Paths and commands to copy are never cut.
FREE = ("raw:", "job:", "config:", "again:", "log:", "runs/")


@pytest.fixture
def made(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> Callable[..., Mapping[str, Any]]:
    """Ingest both sides, compare them and return the report's data."""

    def work(*, name: str = "state", new: dict[str, Any] | None = None) -> Mapping[str, Any]:
        state = tmp_path / name
        paths = bundles.side(state, BASE, catalogue, factors=SAME, shifts=(0,) * 5)
        options = new or {"factors": SLOWER, "shifts": (10, 10, 11, 10, 10), "health": [WARNING]}
        paths += bundles.side(state, NEW, catalogue, **options)
        paths.append(
            bundles.run(
                state / "runs" / "panic",
                NEW,
                catalogue,
                benchmark="cyclictest-hackbench",
                seed=6,
                outcome="panic",
                reason="Kernel panic - not syncing: Fatal exception in interrupt",
            )
        )
        bundles.store(conn, catalogue, paths)
        c = compare(
            conn=conn,
            catalogue=catalogue,
            base=KernelRef(text="linux-6.1"),
            new=KernelRef(text="linux-6.12"),
            board_type="qemu-sim-2",
        )
        made = report(conn, catalogue, c.id, state)
        assert list(faults(made, ComparisonData)) == []
        return made

    return work


def test_worst_first_and_all_that_a_reader_needs(made: Callable[..., Mapping[str, Any]]) -> None:
    data = made()
    rows = data["rows"]
    assert [r["metric"] for r in rows[:2]] == ["bogo-ops-rate", "latency"]
    assert [r["hint"] for r in rows] == [False, True, True, True, True]
    assert all(r["worse"] for r in rows)
    said = text.render(data)
    for words in (
        "bogo-ops-rate median [1/s]",
        "-10.00 % worse",
        "REGRESSION (hint)",
        "5 + 5",
        "confirm nothing",  # the board's limits
        "qemu-system-x86_64 10.0.2",
        "stress-ng 0.15.06",
        "nightly",
        f"{NEW['commit'][:12]}",
        "cyclictest-hackbench seed 6: panic: Kernel panic",
        "log:   runs/panic/console.log",
        "new warning (10 of 11 runs of new)",
        "base 5000 of 5000 (100.0 %)",
        "raw:    runs/",
        f"config: builds/{NEW['digest'][:12]}/config",
        f"again:  vlag run --build builds/{NEW['digest'][:12]} stress-ng-switch --seed 1",
    ):
        assert words in said, words
    wide = [x for x in said.splitlines() if len(x) > 75 and not x.strip().startswith(FREE)]
    assert wide == []


def test_every_number_leads_to_a_file_that_says_it(
    made: Callable[..., Mapping[str, Any]], tmp_path: Path
) -> None:
    data = made()
    seen = 0
    for origin in data["origins"]:
        for run in origin["runs"]:
            assert (tmp_path / "state" / run["job"]).is_file()
            assert (tmp_path / "state" / run["config"]).is_file()
            raw = (tmp_path / "state" / run["raw"]).read_text()
            if origin["metric"] != "latency":
                assert f"{run['values']['median']:.2f}" in raw
                seen += 1
    assert seen == 10


def test_ingested_twice_the_report_is_equal(made: Callable[..., Mapping[str, Any]]) -> None:
    first = made()
    assert made() == first
    assert text.render(first) == text.render(made())


def test_changed_raw_file_with_its_checksum_changes_the_report(
    conn: Connection,
    catalogue: Catalogue,
    made: Callable[..., Mapping[str, Any]],
) -> None:
    slower = made()
    # As if the night had measured this instead: the same runs, other raw files.
    conn.execute("TRUNCATE kernel, series CASCADE")
    faster = made(name="again", new={"factors": [1.1 * f for f in SAME]})
    assert slower["summary"]["REGRESSION"] == 5
    assert faster["summary"]["IMPROVEMENT"] == 1
    assert "better" in text.render(faster)


def test_json_is_the_same_data(made: Callable[..., Mapping[str, Any]]) -> None:
    data = made()
    assert json.loads(jsonform.render(data)) == data


def test_night_has_a_summary_on_top(
    conn: Connection, catalogue: Catalogue, made: Callable[..., Mapping[str, Any]], tmp_path: Path
) -> None:
    first = made()
    data = night(conn, catalogue, [first["id"], first["id"]], tmp_path / "state")
    said = text.render(data)
    assert said.startswith(
        "Summary\n=======\nChanges: 1 among 1 test; 1 passes at a false discovery rate of 5 %"
    )
    assert "5 REGRESSION, 4 of the REGRESSION only a hint, 1 failed" in " ".join(said.split())
    assert said.count("Sources of the numbers") == 2
    assert json.loads(jsonform.render(data)) == data
    assert "nothing was compared" in text.render(night(conn, catalogue, [], tmp_path))


def test_latest_is_the_default_and_none_is_an_error(
    conn: Connection, catalogue: Catalogue, made: Callable[..., Mapping[str, Any]], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="no comparison on record"):
        report(conn, catalogue, None, tmp_path)
    data = made()
    assert report(conn, catalogue, None, tmp_path / "state") == data
    with pytest.raises(UsageError, match="no comparison 999"):
        report(conn, catalogue, 999, tmp_path)


def test_kernel_that_was_never_built_has_a_report(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    paths = bundles.side(tmp_path, BASE, catalogue, factors=SAME)
    reason = "kernel/sched/fair.c:1: error: expected ';'"
    paths.append(bundles.build(tmp_path / "bad", NEW, outcome="build_failed", reason=reason))
    list(ingest_all(paths, conn=conn, catalogue=catalogue))
    c = compare(
        conn=conn,
        catalogue=catalogue,
        base=KernelRef(text="linux-6.1"),
        new=KernelRef(text="linux-6.12"),
        board_type="qemu-sim-2",
    )
    said = text.render(report(conn, catalogue, c.id, tmp_path))
    assert "new: build: build_failed: kernel/sched/fair.c:1: error" in said
    assert "log:   bad/build.log" in said
    assert "no image" in said
