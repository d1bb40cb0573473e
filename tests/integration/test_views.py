# SPDX-License-Identifier: GPL-2.0-only
"""What the views say of data that came in through the real ingest, against vlag's own answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from psycopg.rows import dict_row

from tests.integration import bundles
from vlag import progress_log
from vlag.compare.kernels import StoredComparison, compare
from vlag.compare.scope import Stage
from vlag.config.catalogue import Catalogue
from vlag.model import Histogram, Plan, PlanEntry
from vlag.pipeline.ingest import ingest
from vlag.report.data.comparison import report
from vlag.stats.summary import statistics
from vlag.store import boards, comparisons, kernels, run_values, runs, suspicions
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOW = tuple(0.93 * f for f in SAME)
FAST = tuple(1.07 * f for f in SAME)
#: Somewhat slower with so much scatter that five boots a side leave it open.
VAGUE = (0.90, 0.99, 0.93, 1.02, 0.95)
WILD = (0.95, 1.05, 0.98, 1.03, 1.0)

Fill = Callable[..., None]
Answer = Callable[..., StoredComparison]


def entry(benchmark: str) -> PlanEntry:
    return PlanEntry(
        benchmark=benchmark, parameters={}, board_types=("qemu-sim-2",),
        seeds=5, rounds=(5, 10), timeout_s=60,
    )  # fmt: skip


PLAN = Plan(name="commit", entries=(entry("stress-ng-switch"), entry("cyclictest-hackbench")))


@pytest.fixture
def answer(conn: Connection, catalogue: Catalogue) -> Answer:
    def work(stage: Stage | None = "screen", **given: Any) -> StoredComparison:
        return compare(
            conn=conn, catalogue=catalogue, board_type="qemu-sim-2", plan=PLAN if stage else None,
            stage=stage,
            **{"base": KernelRef(text="linux-6.1"), "new": KernelRef(text="linux-6.12"), **given},
        )  # fmt: skip

    return work


def rows(conn: Connection, sql: str, *values: Any) -> list[dict[str, Any]]:
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(sql, values).fetchall()


def summary(conn: Connection, of: StoredComparison) -> dict[str, Any]:
    [row] = rows(conn, "SELECT * FROM read_model.comparison_summary WHERE id = %s", of.id)
    return row


def figures_of(conn: Connection, of: StoredComparison) -> dict[str, dict[str, Any]]:
    found = rows(conn, "SELECT * FROM read_model.verdict WHERE comparison = %s", of.id)
    return {f"{v['metric']} {v['statistic']}": v for v in found}


def test_without_rerun_boots_the_counts_are_those_of_the_report(
    conn: Connection, catalogue: Catalogue, fill: Fill, answer: Answer, tmp_path: Path
) -> None:
    fill(BASE, SAME, shifts=(0, 1, 0, 1, 0))
    fill(NEW, FAST, shifts=(60, 61, 60, 61, 60))
    c = answer()
    said = report(conn, catalogue, c.id, tmp_path)
    shown, found = summary(conn, c), figures_of(conn, c)
    assert Counter(v["verdict"] for v in found.values()) == +Counter(said["summary"])
    assert shown["hints"] == said["hints"] > 0
    assert shown["regressions"] == 0  # a cross-CPU latency of a simulated board proves nothing
    # What rerun boots could confirm is a suspicion until they do.
    assert shown["suspected"] >= said["summary"]["IMPROVEMENT"] > 0
    assert (shown["verdict"], shown["improvements"]) == ("SUSPECTED", 0)
    better = [v for v in found.values() if v["verdict"] == "IMPROVEMENT"]
    assert {v["standing"] for v in better} == {"suspected"}
    by_name = {(r["metric"], r["statistic"]): r for r in said["rows"]}
    for v in found.values():
        r = by_name[v["metric"], v["statistic"]]
        assert (v["base_value"], v["new_value"], v["effect"]) == (r["base"], r["new"], r["effect"])
        assert (v["n_base"], v["reason"]) == (r["n_base"], r["reason"])
        assert v["new_value"] / v["base_value"] - 1 == pytest.approx(v["effect"], abs=1e-9)
        if r["worse"] is not None:
            assert (v["worsening"] > 0) == r["worse"]
            assert abs(v["worsening"]) == abs(v["effect"])


def test_what_rerun_boots_confirm_is_shown_with_their_numbers(
    conn: Connection, fill: Fill, answer: Answer
) -> None:
    fill(BASE, SAME * 3)
    fill(NEW, SLOW + tuple(0.9 * f for f in SLOW) * 2)
    screen = answer()
    before, shown = figures_of(conn, screen), summary(conn, screen)
    assert (shown["verdict"], shown["regressions"]) == ("SUSPECTED", 0)
    assert shown["suspected"] == sum(v.suspect for v in screen.verdicts) > 0
    answer("confirm")
    after, shown = figures_of(conn, screen), summary(conn, screen)
    stored = comparisons.by_id(conn, screen.id)
    assert stored is not None
    confirmed = [s for s in suspicions.of(conn, stored) if s.stand == "confirmed"]
    assert (shown["verdict"], shown["regressions"]) == ("REGRESSION", len(confirmed))
    for s in confirmed:
        old, new = before[f"{s.metric} {s.statistic}"], after[f"{s.metric} {s.statistic}"]
        assert (old["standing"], new["standing"]) == ("suspected", "confirmed")
        assert new["worsening"] > old["worsening"] + 0.05
        assert not set(new["new_runs"]) & set(old["new_runs"])
        assert "rerun" in new["reason"]
        assert new["new_value"] / new["base_value"] - 1 == pytest.approx(new["effect"], abs=1e-9)
    assert shown["worst"] == max(v["worsening"] for v in after.values() if v["worsening"])
    # The comparison of rerun boots has no row of its own.
    assert rows(conn, "SELECT id FROM read_model.comparison") == [{"id": screen.id}]


@pytest.mark.parametrize(
    ("base", "fresh", "standing", "word"),
    [(SAME, SAME, "refuted", "UNCHANGED"), (WILD, VAGUE, "suspected", "SUSPECTED")],
)
def test_what_rerun_boots_do_not_confirm_is_no_regression(
    conn: Connection, fill: Fill, answer: Answer, base: tuple[float, ...],
    fresh: tuple[float, ...], standing: str, word: str,
) -> None:  # fmt: skip
    fill(BASE, SAME + base)
    fill(NEW, SLOW + fresh)
    measured = frozenset({"stress-ng-switch"})
    screen = answer(benchmarks=measured)
    answer("confirm", benchmarks=measured)
    shown, found = summary(conn, screen), figures_of(conn, screen)
    moved = [v for v in found.values() if v["screened"] == "REGRESSION"]
    assert {v["standing"] for v in moved} == {standing}
    assert (shown["regressions"], shown["verdict"]) == (0, word)


def test_what_half_of_is_not_measured_is_not_unchanged(
    conn: Connection, fill: Fill, answer: Answer
) -> None:
    fill(BASE, SAME)
    fill(NEW, SAME, shifts=(0, 1, 0, 1, 0))
    half = summary(conn, answer())
    assert (half["unchanged"] > 0, half["verdict"]) == (True, "INCONCLUSIVE")
    assert half["without_base"] == half["unmeasured"] >= half["figures"] / 2
    # Negative control: of what both sides measured, the same boots say that nothing changed.
    alone = summary(conn, answer(benchmarks=frozenset({"stress-ng-switch"})))
    assert (alone["unmeasured"], alone["verdict"]) == (0, "UNCHANGED")
    fill(BASE, shifts=(0, 1, 0, 1, 0))
    whole = summary(conn, answer())
    assert (whole["unmeasured"], whole["verdict"]) == (0, "UNCHANGED")


def test_a_hint_stays_one_whatever_rerun_boots_say(
    conn: Connection, fill: Fill, answer: Answer
) -> None:
    fill(BASE, SAME * 2, shifts=(0, 1, 0, 1, 0) * 2)
    fill(NEW, SAME * 2, shifts=(60, 61, 60, 61, 60) * 2)
    screen = answer()
    answer("confirm")
    hints = [v for v in figures_of(conn, screen).values() if v["hint"]]
    assert {v["stand"] for v in hints} & {"confirmed"}
    assert {v["standing"] for v in hints} == {"hint"}
    assert summary(conn, screen)["regressions"] == 0


def test_a_later_comparison_of_fewer_benchmarks_hides_nothing(
    conn: Connection, fill: Fill, answer: Answer
) -> None:
    current = "SELECT id FROM read_model.comparison WHERE current ORDER BY id"
    fill(BASE, SAME, shifts=(0, 1, 0, 1, 0))
    fill(NEW, SLOW, shifts=(0, 1, 0, 1, 0))
    first = answer(role="baseline")
    fewer = answer(benchmarks=frozenset({"cyclictest-hackbench"}))
    assert rows(conn, current) == [{"id": first.id}, {"id": fewer.id}]
    # One boot fails: the inputs are others, and this comparison takes the place of both.
    fill(NEW, shifts=(3,), outcome="hang", reason="no answer")
    again = answer()
    assert rows(conn, current) == [{"id": again.id}]
    # A person who compares the same two does not take them from whoever watches the role.
    assert {r["role"] for r in rows(conn, "SELECT role FROM read_model.comparison")} == {"baseline"}


def test_a_role_is_named_once(conn: Connection, fill: Fill, answer: Answer) -> None:
    fill(BASE, SAME)
    fill(NEW, SAME)
    first = answer()
    role = "SELECT role FROM read_model.comparison"
    assert rows(conn, role) == [{"role": None}]
    assert answer(role="parent").id == first.id
    assert rows(conn, role) == [{"role": "parent"}]
    answer(role="baseline")
    assert rows(conn, role) == [{"role": "parent"}]


def test_the_latest_of_a_branch_is_its_newest_kernel(
    conn: Connection, fill: Fill, answer: Answer
) -> None:
    fill(BASE, SAME)
    fill(NEW, SLOW)
    newer = bundles.kernel(
        "6.12.1", branch="linux-6.12", committed_at="2026-02-25T00:00:00Z",
        describe="debian/6.12.170-1-1-gabcdef123456",
    )  # fmt: skip
    fill(newer, SAME)
    latest = answer(role="baseline", new=KernelRef(text=newer["digest"]))
    answer(role="baseline", new=KernelRef(text=NEW["digest"]))
    assert [r["id"] for r in rows(conn, "SELECT id FROM read_model.latest")] == [latest.id]
    [row] = rows(conn, "SELECT * FROM read_model.latest")
    assert row == {**summary(conn, latest), "head_of": "debian/linux-6.12"}
    by_hand = answer(new=KernelRef(text=newer["digest"]), base=KernelRef(text=NEW["digest"]))
    assert {r["id"] for r in rows(conn, "SELECT id FROM read_model.latest")} == {
        latest.id,
        by_hand.id,
    }


def test_a_kernel_between_releases_is_named_with_its_commit(conn: Connection, fill: Fill) -> None:
    fill(NEW)
    between = bundles.kernel("6.12.1", describe="debian/6.12.170-1-1-gabcdef123456")
    fill(between)
    names = [r["name"] for r in rows(conn, "SELECT name FROM read_model.kernel ORDER BY id")]
    assert names[0] == f"{NEW['describe']}-vlag"
    assert names[1] == f"{between['describe']}-vlag {between['commit'][:12]}"


def test_every_number_is_that_of_the_run(conn: Connection, fill: Fill) -> None:
    fill(NEW, (1.0, 0.9), shifts=(0, 7))
    found = rows(conn, "SELECT run, series, statistic, value, at FROM read_model.run_value")
    every = runs.figures_of(conn, sorted({r["run"] for r in found}))
    expected = {(f.run, f.series.id, n): v for f in every for n, v in statistics(f.figures).items()}
    assert {(r["run"], r["series"], r["statistic"]): r["value"] for r in found} == expected
    assert {n for _r, _s, n in expected} > {"median", "p99"}
    ends = runs.by_id(conn, [f.run for f in every])
    assert all(r["at"] == ends[r["run"]].finished_at for r in found)
    history = rows(conn, "SELECT run, series, statistic, value FROM read_model.history")
    assert {(r["run"], r["series"], r["statistic"]): r["value"] for r in history} == expected
    assert len(history) == len(expected)


def test_missing_numbers_are_filled_in_once(conn: Connection, dsn: str, fill: Fill) -> None:
    fill(NEW, SAME, shifts=(0, 1))
    fill(BASE, shifts=(1,), outcome="panic", reason="Oops")  # has no figures
    content = "SELECT run, series, statistic, at, value FROM run_value ORDER BY 1, 2, 3"
    before = conn.execute(content).fetchall()
    assert before
    conn.execute("DELETE FROM run_value")
    said: list[str] = []
    with progress_log.diverted(said.append):
        assert run_values.fill(conn) == len(before)
    assert conn.execute(content).fetchall() == before
    assert said[0] == "figures of 7 runs"
    with progress_log.diverted(said.append):
        assert run_values.fill(conn) == 0
        assert run_values.migrate(dsn) == []


def test_a_fill_that_was_killed_goes_on(
    conn: Connection, fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(NEW, SAME)
    content = "SELECT run, series, statistic, at, value FROM run_value ORDER BY 1, 2, 3"
    before = conn.execute(content).fetchall()
    conn.execute("DELETE FROM run_value")
    monkeypatch.setattr(run_values, "BATCH", 2)

    def killed(message: str) -> None:
        if message.endswith("1 runs left"):
            raise KeyboardInterrupt

    with progress_log.diverted(killed), pytest.raises(KeyboardInterrupt):
        run_values.fill(conn)
    [(there,)] = conn.execute("SELECT count(DISTINCT run) FROM run_value").fetchall()
    assert there == 4
    run_values.fill(conn)
    assert conn.execute(content).fetchall() == before


def test_one_image_speaks_for_both_of_its_kernels(
    conn: Connection, catalogue: Catalogue, fill: Fill, tmp_path: Path
) -> None:
    fill(NEW, SAME)
    twin = bundles.kernel("6.12-comment")
    image = bundles.sha("image " + NEW["digest"])
    for name in ("twin", "twin again"):  # two builds of it, and still one row a boot
        folder = tmp_path / name
        bundles.build(folder, twin, toolchain=name)
        data = b"image " + NEW["digest"].encode()
        made = bundles.add(folder, "bzImage", data)
        files = [made, bundles.add(folder, "config", bundles.CONFIG)]
        ingest(bundles.edit(folder, image=made, files=files), conn=conn, catalogue=catalogue)
    assert image == made["sha256"]
    for kernel in (NEW, twin):
        row = kernels.resolve(conn, KernelRef(text=kernel["digest"]))
        own = runs.of_kernel(conn, row.id, board_type="qemu-sim-2", synthetic=False, by_image=True)
        assert len(own) == len(SAME)
        assert [r["run"] for r in rows(
            conn, "SELECT run FROM read_model.kernel_run WHERE kernel = %s ORDER BY run", row.id
        )] == [r.id for r in own]  # fmt: skip
        along = rows(conn, "SELECT run FROM read_model.history WHERE kernel = %s AND statistic ="
                     " 'median'", row.id)  # fmt: skip
        assert Counter(r["run"] for r in along) == dict.fromkeys(
            (r.id for r in own), len(catalogue.benchmark("stress-ng-switch").metrics)
        )


def test_what_comparisons_leave_out_is_no_history(conn: Connection, fill: Fill) -> None:
    fill(NEW, SAME, started_at="2026-03-01T10:00:00Z", finished_at="2026-03-01T10:05:00Z")
    fill(BASE, SAME, started_at="2026-03-02T10:00:00Z", finished_at="2026-03-02T10:05:00Z")
    [last] = conn.execute("SELECT max(id) FROM run").fetchone() or ()
    first = rows(conn, "SELECT min(id) AS id FROM run")[0]["id"]
    seen = "SELECT DISTINCT run FROM read_model.history ORDER BY run"
    every = [r["run"] for r in rows(conn, seen)]
    assert len(every) == 2 * len(SAME)
    runs.mark_suspect(conn, first, "somebody tripped over the cable")
    # Two doubts about one day: the reason is that of the first.
    conn.execute(
        "WITH found AS (INSERT INTO board_check (board, run, conditions, finding, accepted,"
        " sentence) SELECT board, id, '', 'failed', false, 'check ' || id FROM run"
        " WHERE id IN (%s, %s) RETURNING id, board)"
        " INSERT INTO board_doubt (board, since, until, found_by)"
        " SELECT board, '2026-03-01T20:00Z', '2026-03-03T00:00Z', id FROM found ORDER BY id",
        (last - 1, last),
    )
    doubts = boards.doubts(conn, every)
    assert len(doubts) == len(SAME)
    left = {r["id"]: r["left_out"] for r in rows(conn, "SELECT id, left_out FROM read_model.run")}
    assert len(left) == len(every)
    in_doubt = {r["run"]: r["reason"] for r in rows(conn, "SELECT run, reason FROM run_in_doubt")}
    assert {k: v for k, v in left.items() if v and k != first} == in_doubt
    assert set(in_doubt) == set(doubts)
    assert left[first] == "somebody tripped over the cable"
    told = {(r["run"], r["why"]) for r in rows(conn, "SELECT run, why FROM read_model.left_out")}
    assert {(k, v) for k, v in left.items() if v} <= told
    assert {run for run, _ in told} == {k for k, v in left.items() if v}
    assert [r["run"] for r in rows(conn, seen)] == sorted(set(every) - set(doubts) - {first})
    conn.execute("UPDATE board_doubt SET lifted_at = now(), lifted_by = 'somebody'")
    assert [r["run"] for r in rows(conn, seen)] == sorted(set(every) - {first})


def test_an_alarm_counts_where_it_was_measured(conn: Connection, fill: Fill) -> None:
    for number, phase in enumerate(("boot", "setup", "benchmark")):
        line = {"kind": "warning", "line": 3, "text": "WARNING", "phase": phase}
        fill(bundles.kernel(f"6.{number}"), (1.0,), health=[line])
    fill(bundles.kernel("6.9"), (1.0,))
    every = runs.by_id(conn, [r["id"] for r in rows(conn, "SELECT id FROM read_model.run")])
    for view, name in (("run", "id"), ("history", "run")):
        for row in rows(conn, f"SELECT {name} AS id, marked FROM read_model.{view}"):  # noqa: S608
            assert row["marked"] == every[row["id"]].marked
    assert Counter(r.marked for r in every.values()) == {True: 2, False: 2}


def test_no_sample_of_a_histogram_is_lost(conn: Connection, fill: Fill) -> None:
    fill(NEW, shifts=(0, 5))
    buckets = rows(conn, "SELECT * FROM read_model.histogram_bucket")
    for f in runs.figures_of(conn, sorted({b["run"] for b in buckets})):
        assert isinstance(f.figures, Histogram)
        mine = [b for b in buckets if (b["run"], b["series"]) == (f.run, f.series.id)]
        inside = {b["lower_bound"]: b["count"] for b in mine if not b["beyond"]}
        counts = f.figures.counts.sum(axis=0).tolist()
        assert inside == dict(zip(f.figures.bounds, counts, strict=True))
        beyond = [(b["lower_bound"], b["count"]) for b in mine if b["beyond"]]
        over = sum(f.figures.overflow)
        assert beyond == ([(f.figures.limit, over)] if over else [])
        assert sum(b["count"] for b in mine) == f.figures.achieved


def test_failures_have_their_side(
    conn: Connection, catalogue: Catalogue, fill: Fill, answer: Answer, tmp_path: Path
) -> None:
    fill(BASE, SAME)
    fill(NEW, SAME)
    fill(NEW, shifts=(3,), outcome="hang", reason="no answer")
    ingest(
        bundles.build(tmp_path / "bad", BASE, outcome="build_failed", reason="x.c:1"),
        conn=conn, catalogue=catalogue,
    )  # fmt: skip
    c = answer(None)
    said = report(conn, catalogue, c.id, tmp_path)["failures"]
    found = rows(conn, "SELECT * FROM read_model.failure WHERE comparison = %s", c.id)
    assert sorted((f["side"], f["kind"], f["build"] or f["run"], f["outcome"]) for f in found) == [
        (f["side"], f["kind"], f["id"], f["outcome"]) for f in said
    ]
    assert {f["side"] for f in found} == {"base", "new"}
    assert summary(conn, c)["failures"] == 2
