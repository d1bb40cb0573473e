# SPDX-License-Identifier: GPL-2.0-only
"""What a comparison is restricted to, boots that two kernels share, and marked boots."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.integration import bundles
from tests.integration.answers import stored, words
from vlag.compare.kernels import StoredComparison, compare
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Plan, PlanEntry
from vlag.report import jsonform, text
from vlag.report.data.comparison import night, report
from vlag.store import comparisons, runs
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOWER = tuple(0.9 * f for f in SAME)
ALARM: dict[str, Any] = {
    "kind": "warning",
    "line": 1,
    "text": "WARNING: CPU: 1 PID: 44 at kernel/sched/fair.c:123 pick+0x1/0x2",
    "phase": "benchmark",
    "detail": ["Modules linked in:", "Call Trace:", " <TASK>", "next+0x3/0x9", "? guess+0x1/0x2"],
}


def entry(benchmark: str = "stress-ng-switch", **changes: Any) -> PlanEntry:
    given: dict[str, Any] = {
        "benchmark": benchmark,
        "parameters": {},
        "board_types": ("qemu-sim-2",),
        "seeds": 5,
        "timeout_s": 60,
        "rounds": (5,),
        **changes,
    }
    return PlanEntry(**given)


def plan(*entries: PlanEntry) -> Plan:
    return Plan(name="commit", entries=entries)


@pytest.fixture
def answer(conn: Connection, catalogue: Catalogue) -> Callable[..., StoredComparison]:
    def work(base: str = "linux-6.1", new: str = "linux-6.12", **options: Any) -> StoredComparison:
        given: dict[str, Any] = {"board_type": "qemu-sim-2", "catalogue": catalogue, **options}
        return compare(conn=conn, base=KernelRef(text=base), new=KernelRef(text=new), **given)

    return work


def seeds(conn: Connection, ids: Any) -> list[int]:
    return sorted(r.seed for r in runs.by_id(conn, list(ids)).values())


def test_screen_and_confirm_take_their_own_boots(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    """The first five boots are slower, the fresh five are not: a suspicion by chance."""
    fill(BASE, factors=SAME * 2)
    fill(NEW, factors=(*SLOWER, *SAME))
    what = plan(entry())
    screen = answer(plan=what)
    assert set(words(screen).values()) == {"REGRESSION"}
    assert seeds(conn, screen.verdicts[0].new_runs) == [1, 2, 3, 4, 5]
    assert screen.suspects == ["stress-ng-switch"]
    assert answer(plan=what, stage="screen").id == screen.id
    confirm = answer(plan=what, stage="confirm")
    assert set(words(confirm).values()) == {"UNCHANGED"}
    assert seeds(conn, confirm.verdicts[0].base_runs) == [6, 7, 8, 9, 10]
    assert confirm.suspects == []
    # Without a plan all ten count.
    assert {v.n_new for v in answer().verdicts} == {10}
    assert len({screen.id, confirm.id, answer().id}) == 3
    row = stored(conn, confirm)
    assert (row.plan, row.stage) == ("commit", "confirm")
    assert [(e["first"], e["last"]) for e in row.scope] == [(6, 10)]
    said = text.render(report(conn, catalogue, confirm.id, tmp_path))
    assert "plan:     commit (confirm: rerun, boots 6 to 10)" in said
    assert "boots:    5 of base, 5 of new" in said
    said = text.render(report(conn, catalogue, screen.id, tmp_path))
    assert "plan:     commit (screen: boots 1 to 5)" in said
    said = text.render(report(conn, catalogue, answer().id, tmp_path))
    assert "plan:     nightly\n" in said


def test_failed_runs_of_another_stage_do_not_count(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SAME)
    path = bundles.run(tmp_path / "p", NEW, catalogue, seed=6, outcome="panic", reason="Oops")
    bundles.store(conn, catalogue, [path])
    what = plan(entry())
    assert stored(conn, answer(plan=what)).failed_runs == []
    assert len(stored(conn, answer(plan=what, stage="confirm")).failed_runs) == 1


def test_a_plans_parameters_override_the_benchmarks(
    catalogue: Catalogue, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    for of, factors in ((BASE, SAME), (NEW, SLOWER)):
        fill(of, factors=factors)
    other = {**catalogue.benchmarks["stress-ng-switch"].parameters, "instances": 4}
    fill(BASE, factors=SAME, parameters=other, run_key="1" * 64)
    c = answer(plan=plan(entry(parameters={"instances": 4})))
    assert {tuple(sorted(v.parameters.items())) for v in c.verdicts} == {
        tuple(sorted(other.items()))
    }
    # The new kernel never ran these: no figure of another shape stands in for them.
    assert c.verdicts[0].reason == "the new has no complete run"
    assert c.verdicts[0].n_base == 1  # one run key, so one boot


def test_what_the_plan_says_has_a_row_also_without_runs(
    fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, factors=SAME, shifts=(0,) * 5)
    fill(NEW, factors=SAME)
    c = answer(plan=plan(entry(), entry("cyclictest-hackbench")))
    assert words(c)["latency p50"] == "INCONCLUSIVE"
    assert words(c)["bogo-ops-rate median"] == "UNCHANGED"
    # What the plan does not have is left out, however often it ran.
    assert "latency p50" not in words(answer(plan=plan(entry())))


def test_only_the_named_benchmarks(
    fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, factors=SAME, shifts=(0,) * 5)
    fill(NEW, factors=SLOWER, shifts=(10,) * 5)
    both = plan(entry(), entry("cyclictest-hackbench", rounds=()))
    only = frozenset({"cyclictest-hackbench"})
    for c in (answer(plan=both, benchmarks=only), answer(benchmarks=only)):
        assert {v.benchmark for v in c.verdicts} == only
        assert c.suspects == sorted(only)
        assert (c.regressions, c.hints) == (0, len(c.verdicts))
    assert len(answer().suspects) == 2


def test_benchmark_without_rerun_boots_is_told(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, factors=SAME * 2)
    fill(NEW, factors=SAME * 2)
    both = plan(entry(), entry("cyclictest-hackbench", rounds=()))
    named = frozenset({"stress-ng-switch", "cyclictest-hackbench"})
    c = answer(plan=both, stage="confirm", benchmarks=named)
    assert {v.benchmark for v in c.verdicts} == {"stress-ng-switch"}
    assert stored(conn, c).notes == ["plan commit has no rerun that confirms cyclictest-hackbench"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"benchmarks": frozenset({"no-such"})}, "no benchmark 'no-such'; there are: .*switch"),
        (
            {"plan": plan(entry()), "benchmarks": frozenset({"cyclictest-hackbench"})},
            "plan commit does not run cyclictest-hackbench on qemu-sim-2; it runs stress-ng-switch",
        ),
        (
            {"plan": plan(entry(board_types=("qemu-sim-4",)))},
            "plan commit does not run anything on qemu-sim-2; it runs nothing",
        ),
        ({"stage": "confirm"}, "name the plan"),
        (
            {"plan": plan(entry(rounds=())), "stage": "confirm"},
            "has no rerun for qemu-sim-2: give its entries confirm",
        ),
    ],
)
def test_a_scope_that_makes_no_sense_is_one_sentence(
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    options: dict[str, Any],
    sentence: str,
) -> None:
    fill(BASE)
    fill(NEW)
    with pytest.raises(UsageError, match=sentence):
        answer(**options)


def same_image(
    conn: Connection, catalogue: Catalogue, folder: Path, of: dict[str, Any], like: dict[str, Any]
) -> None:
    """Ingest a build of `of` that gave the very image of `like`: a change of comments only."""
    made = bundles.build(folder, of)
    image = bundles.add(made, "bzImage", b"image " + like["digest"].encode())
    document = json.loads((made / "build.json").read_text())
    files = [image, *(f for f in document["files"] if f["path"] != "bzImage")]
    bundles.store(conn, catalogue, [bundles.edit(made, image=image, files=files)])


def test_kernels_of_one_image_share_their_boots(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    # As wild as they are, equal boots are equal: no statistics can doubt that.
    fill(BASE, factors=(1.0, 1.5, 0.5, 1.2, 0.7), shifts=(0, 9, 3, 30, 1), health=[ALARM])
    failed = bundles.run(tmp_path / "p", BASE, catalogue, seed=9, outcome="hang", reason="silence")
    bundles.store(conn, catalogue, [failed])
    same_image(conn, catalogue, tmp_path / "docs", NEW, BASE)
    c = answer()
    assert set(words(c).values()) == {"UNCHANGED"}
    assert {(v.effect, v.n_base, v.n_new) for v in c.verdicts} == {(0.0, 5, 5)}
    assert all(v.base_runs == v.new_runs for v in c.verdicts)
    row = stored(conn, c)
    assert row.notes == ["base and new have the same image, so every number is the same"]
    data = report(conn, catalogue, c.id, tmp_path)
    assert (data["base"]["boots"], data["new"]["boots"]) == (10, 10)
    assert [(f["side"], f["outcome"]) for f in data["failures"]] == [("both", "hang")]
    assert [(h["side"], len(h["runs"]), len(h["base_runs"])) for h in data["health"]] == [
        ("both", 10, 10)
    ]
    assert {r["side"] for o in data["origins"] for r in o["runs"]} == {"base", "new"}
    assert all(
        r["config"] and (tmp_path / r["config"]).is_file() and r["config"].startswith(folder)
        for o in data["origins"]
        for r in o["runs"]
        for folder in ["builds/" if r["side"] == "base" else "docs/"]
    )
    said = text.render(data)
    assert "the same image" in said
    assert "base and new: stress-ng-switch seed 9: hang" in said


def test_a_few_shared_boots_are_enough_and_none_are_not(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    same_image(conn, catalogue, tmp_path / "docs", NEW, BASE)
    fill(BASE)
    c = answer()
    assert set(words(c).values()) == {"INCONCLUSIVE"}
    assert stored(conn, c).notes == []
    fill(BASE, factors=SAME[:1])
    assert set(words(answer(benchmarks={"stress-ng-switch"})).values()) == {"UNCHANGED"}


def test_an_image_of_a_third_kernel_counts_once_for_both_sides_of_a_change(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    """The new kernel was built to the image of a third one, which is what was booted."""
    third = bundles.kernel("6.11")
    fill(BASE, factors=SAME)
    fill(third, factors=SLOWER)
    same_image(conn, catalogue, tmp_path / "docs", NEW, third)
    c = answer()
    assert set(words(c).values()) == {"REGRESSION"}
    assert stored(conn, c).notes == []
    data = report(conn, catalogue, c.id, tmp_path)
    assert (data["base"]["boots"], data["new"]["boots"]) == (5, 5)


def test_knobs_keep_boots_of_one_image_apart(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    tmp_path: Path,
) -> None:
    knobs = {"sched_features": "NO_DELAY_DEQUEUE"}
    fill(BASE, factors=SAME)
    fill(BASE, factors=SLOWER, knobs=knobs)
    same_image(conn, catalogue, tmp_path / "docs", NEW, BASE)
    c = compare(
        conn=conn,
        catalogue=catalogue,
        base=KernelRef(text="linux-6.1"),
        new=KernelRef(text="linux-6.12", knobs=knobs),
        board_type="qemu-sim-2",
    )
    assert set(words(c).values()) == {"REGRESSION"}
    assert stored(conn, c).notes == []


def test_other_boards_share_nothing(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    """Where a boot is a boot, those of another kernel are not one's own."""
    board = evolve(catalogue.board_types["qemu-sim-2"], deterministic=False)
    other = evolve(catalogue, board_types={**catalogue.board_types, board.name: board})
    for path in bundles.side(
        tmp_path, BASE, other, factors=SAME, board={**bundles.BOARD, "deterministic": False}
    ):
        bundles.store(conn, other, [path])
    same_image(conn, other, tmp_path / "docs", NEW, BASE)
    c = answer(catalogue=other)
    assert {(v.n_base, v.n_new, v.verdict) for v in c.verdicts} == {(5, 0, "INCONCLUSIVE")}


def marked_run(
    conn: Connection, catalogue: Catalogue, folder: Path, health: list[dict[str, Any]], seed: int
) -> None:
    raw = bundles.stress_ng(SAME[seed - 1])
    path = bundles.run(folder, NEW, catalogue, seed=seed, raw=raw, health=health)
    bundles.store(conn, catalogue, [path])


def test_alarms_while_measuring_mark_boots_and_leave_the_verdict(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW)
    booting, bare = {**ALARM, "phase": "boot"}, {k: ALARM[k] for k in ("kind", "line", "text")}
    for seed, health in enumerate(([ALARM], [booting], [bare], [], []), 1):
        marked_run(conn, catalogue, tmp_path / f"m{seed}", health, seed)
    c = answer()
    assert {(v.verdict, v.base_marked, v.new_marked, v.n_new) for v in c.verdicts} == {
        ("UNCHANGED", 0, 1, 5)
    }
    assert list(comparisons.verdicts(conn, c.id)) == list(c.verdicts)
    data = report(conn, catalogue, c.id, tmp_path)
    assert data["rows"][0]["marked"] == {"base": 0, "new": 1}
    said = text.render(data)
    flat = " ".join(said.split())
    assert "marked: 1 of 5 boots of new with a kernel alarm while measuring (see Kernel" in flat
    assert "counts like any other" in flat
    assert said.count("[kernel alarm]") == 1
    assert (
        "new warning in kernel/sched/fair.c:123 (3 of 5 runs of new, while booting"
        " and while measuring)" in flat
    )
    assert "call trace: next" in said
    assert "guess" not in said
    assert [len(x) for x in said.splitlines() if len(x) > 75 and "vlag run" not in x] == []


def test_nothing_is_said_of_marks_where_there_are_none(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SAME)
    said = text.render(report(conn, catalogue, answer().id, tmp_path))
    assert "alarm" not in said


def test_health_of_both_and_of_the_base_alone(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    old = {**ALARM, "kind": "rcu_stall", "text": "rcu: INFO: rcu_sched self-detected stall on CPU"}
    taint = {
        "kind": "taint",
        "line": 0,
        "text": "kernel tainted: 512 (W)",
        "phase": "benchmark",
        "detail": [],
    }
    fill(BASE, factors=SAME, health=[{**ALARM, "text": ALARM["text"].replace("44", "7")}, old])
    fill(NEW, factors=SAME, health=[ALARM, taint])
    data = report(conn, catalogue, answer().id, tmp_path)
    assert [(h["side"], h["kind"], h["of"], h["base_of"]) for h in data["health"]] == [
        ("new", "taint", 5, 5),
        ("base", "rcu_stall", 5, 5),
        ("both", "warning", 5, 5),
    ]
    assert data["health"][0]["where"].endswith("run.json")
    assert data["health"][2]["where"].endswith("console.log:1")
    flat = " ".join(text.render(data).split())
    assert "new taint (5 of 5 runs of new, while measuring)" in flat
    assert "only in the base: rcu stall (5 of 5 runs of base, while measuring)" in flat
    assert (
        "also in the base: warning in kernel/sched/fair.c:123"
        " (5 of 5 runs of new, 5 of 5 runs of base, while measuring)" in flat
    )
    assert "1 new on the console" in flat


def test_samples_stand_with_latencies_of_each_stage(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    fill(BASE, shifts=(0,) * 10)
    fill(NEW, shifts=(10,) * 10)
    what = plan(entry("cyclictest-hackbench"))
    for stage in ("screen", "confirm"):
        c = answer(plan=what, stage=stage)
        data = report(conn, catalogue, c.id, tmp_path)
        sides = {"achieved": 5000, "expected": 5000}
        assert [r["samples"] for r in data["rows"]] == [{"base": sides, "new": sides}] * len(
            data["rows"]
        )
        assert "samples taken: base 5000 of 5000 (100.0 %), new 5000" in text.render(data)


def test_a_nights_summary_is_worst_first_and_names_series_and_knobs(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    knobs = {"sched_features": "X"}
    solo = bundles.kernel("6.12", series="known-regressions", application="solo(2)")
    fill(BASE, factors=SAME)
    fill(NEW, factors=SAME)
    fill(solo, factors=SLOWER, knobs=knobs)
    fine = answer(new=NEW["digest"])
    worse = compare(
        conn=conn,
        catalogue=catalogue,
        base=KernelRef(text="linux-6.1"),
        new=KernelRef(text=solo["digest"], knobs=knobs),
        board_type="qemu-sim-2",
    )
    notes = ["The night: 5 kernels built, 120 runs; " + "62 min were expected, it took 58."]
    data = night(conn, catalogue, [fine.id, worse.id], tmp_path, notes)
    assert [c["id"] for c in data["comparisons"]] == [fine.id, worse.id]
    said = text.render(data)
    lines = said.splitlines()
    assert lines[:2] == ["Summary", "======="]
    assert lines[2].startswith("The night: 5 kernels built")
    flat = " ".join(said.split())
    first = (
        f"#{worse.id} debian linux-6.12 + known-regressions solo(2) knobs sched_features=X"
        " (qemu-sim-2): 1 REGRESSION"
    )
    assert first in flat
    assert flat.index(first) < flat.index(f"#{fine.id} debian linux-6.12 (qemu-sim-2): 1 UNCH")
    assert json.loads(jsonform.render(data)) == data


def test_notes_are_the_first_lines_of_a_single_report(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SAME)
    id_ = answer().id
    said = text.render(report(conn, catalogue, id_, tmp_path, ["one", "two " * 30]))
    assert said.startswith("one\ntwo two")
    assert said.splitlines()[4].startswith("Comparison ")
    assert text.render(report(conn, catalogue, id_, tmp_path)).startswith("Comparison ")


def test_a_series_is_named_with_its_patches_and_a_changed_patch_is_a_factor(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    def solo(content: str) -> dict[str, Any]:
        patch = {"name": "02-pick.patch", "sha256": bundles.sha(content)}
        return bundles.kernel(
            "6.12", series="known-regressions", application="solo(2)", patches=[patch]
        )

    old, changed = solo("old"), solo("changed")
    fill(old, factors=SAME)
    fill(changed, factors=SLOWER)
    c = answer(old["digest"], changed["digest"])
    assert list(stored(conn, c).factors) == ["patches"]
    said = text.render(report(conn, catalogue, c.id, tmp_path))
    assert said.startswith("Comparison 1: debian/6.12.170-1-vlag + known-regressions solo(2)")
    assert "          patches 02-pick.patch\n" in said
    assert f"patches 02-pick.patch {bundles.sha('old')[:12]} ->" in " ".join(said.split())


def test_a_screen_of_some_benchmarks_says_so(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SAME)
    both = plan(entry(), entry("cyclictest-hackbench"))
    c = answer(plan=both, benchmarks=frozenset({"stress-ng-switch"}))
    assert stored(conn, c).notes == ["of plan commit only stress-ng-switch was asked for"]
    assert stored(conn, answer(plan=both)).notes == []
