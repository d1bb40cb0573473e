# SPDX-License-Identifier: GPL-2.0-only
"""What a night would do: kernels and runs that are there are not counted again."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
from attrs import evolve

from tests.repositories import bare_with
from vlag import ROOT
from vlag.bundle import describe
from vlag.bundle_records import EmulatorRecord
from vlag.config import Alerts, Branch, Settings, Tree
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import mirror
from vlag.kernel import tuxmake_build as kernel_build
from vlag.model import Board, Plan, PlanEntry
from vlag.pipeline import boot
from vlag.pipeline import forecast as stage
from vlag.store.durations import Durations

NOON = datetime.datetime(2026, 5, 1, 12, 0, tzinfo=datetime.UTC)
EMULATOR: EmulatorRecord = {"program": "qemu", "version": "10", "sha256": "e" * 64}


@pytest.fixture
def here(tmp_path: Path) -> Settings:
    """A tree with a baseline tag and two branches."""
    refs = ("tags/v6.1", "heads/topic/a", "heads/topic/b", "heads/other")
    bare_with(tmp_path / "mirrors" / "debian.git", *refs)
    branch = Branch(
        tree="debian",
        branch="topic/*",
        baseline="v6.1",
        board_types=("qemu-sim-2", "qemu-sim-4"),
        plan="nightly",
        commit_plan="nightly",
        series=None,
        applications=(),
    )
    return Settings(
        path=tmp_path / "vlag.toml",
        state=tmp_path,
        postgresql_port=1,
        web_port=2,
        worker_port=3,
        grafana_port=6,
        trees={"debian": Tree(name="debian", url=None, packages={})},
        branches=(branch,),
        nightly_hour=1,
        nightly_minute=30,
        jobs=1,
        poll_interval_s=30,
        check_hours=(),
        labs={},
        listen="127.0.0.1",
        callback_port=4,
        artifacts_port=5,
        mail=None,
        webhook=None,
        people=None,
        alerts=Alerts(),
    )


@pytest.fixture
def known() -> Catalogue:
    """Two benchmarks, two seeds each, on three boards of two types."""
    loaded = catalogues.load()
    types = {
        name: evolve(loaded.board_type(name), boot_s=10, seconds_per_virtual_s=2.0)
        for name in ("qemu-sim-2", "qemu-sim-4")
    }
    switch = evolve(loaded.benchmark("stress-ng-switch"), virtual_s=20)
    names = ["qemu-sim-2", "qemu-sim-2", "qemu-sim-4"]
    entries = tuple(
        PlanEntry(benchmark=switch.name, parameters={}, board_types=types, seeds=2, timeout_s=60)
        for types in (("qemu-sim-2",), ("qemu-sim-4",))
    )
    return Catalogue(
        benchmarks={switch.name: evolve(switch, parameters={**switch.parameters})},
        board_types=types,
        plans={"nightly": Plan(name="nightly", entries=entries)},
        boards=tuple(Board(name=f"b{i}", board_type=name) for i, name in enumerate(names)),
    )


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    # Emulator and userland are the machine's; what they are does not matter here.
    monkeypatch.setattr(boot, "emulator_of", lambda _board_type: EMULATOR)
    made = SimpleNamespace(sha256="f" * 64)
    monkeypatch.setattr(boot, "prepare_userland", lambda *_arguments: made)


def forecast(
    here: Settings, known: Catalogue, cpus: int = 2, measured: Durations = stage.NOTHING
) -> stage.Forecast:
    return stage.forecast(here, known, measured=measured, cpus=cpus)


def write(path: Path, document: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))


def built(here: Settings, known: Catalogue, ref: str, seconds: int = 100) -> dict[str, Any]:
    board = known.board_type("qemu-sim-2")
    kernel = kernel_build.identity(
        tree="debian",
        branch=ref,
        commit=mirror.resolve(here.mirror("debian"), ref),
        arch=board.arch,
        recipe=kernel_build.Recipe(
            kconfig_target=board.kconfig_target,
            fragments=[ROOT / "workers" / "kconfig" / name for name in board.kconfig],
        ),
    )
    bundle = here.builds / kernel["digest"][:16] / "20260501T100000Z-abc"
    bundle.mkdir(parents=True)
    (bundle / "image").write_text(f"image of {ref}")
    document = {
        "outcome": "complete",
        "kernel": kernel,
        "image": describe(bundle, "image"),
        "environment": kernel_build.ENVIRONMENT,
        "toolchain": kernel_build.toolchain(board.arch),
        "started_at": NOON.isoformat(),
        "finished_at": (NOON + datetime.timedelta(seconds=seconds)).isoformat(),
    }
    write(bundle / "build.json", document)
    return document


def ran(
    here: Settings, known: Catalogue, build: dict[str, Any], board_type: str, seed: int,
    seconds: float, *, outcome: str = "complete",
) -> None:  # fmt: skip
    """Record a run that was estimated at 50 s."""
    [benchmark] = known.benchmarks.values()
    key = boot.run_key(
        image_sha256=build["image"]["sha256"],
        userland_sha256="f" * 64,
        entry_sha256=boot.boot_entry(benchmark, {}, seed, {}).sha256,
        board_type=known.board_type(board_type),
        knobs={},
        emulator=EMULATOR,
    )
    document = {
        "run_key": key,
        "outcome": outcome,
        "board": {"board_type": board_type},
        "estimate_s": 50,
        "started_at": NOON.isoformat(),
        "finished_at": (NOON + datetime.timedelta(seconds=seconds)).isoformat(),
    }
    write(here.runs / key[:16] / f"20260501T10000{seed}Z-abc" / "run.json", document)


def test_a_first_night_does_everything(here: Settings, known: Catalogue) -> None:
    found = forecast(here, known)
    # Baseline and two branches; one image for both board types.
    assert (found.kernels_to_build, found.kernels_reused) == (3, 0)
    assert (found.runs_to_do, found.runs_reused) == (12, 0)
    each = boot.estimate_s(
        known.benchmark("stress-ng-switch"),
        known.board_type("qemu-sim-2"),
        known.benchmark("stress-ng-switch").parameters,
    )
    assert found.run_s == pytest.approx(12 * each)
    assert found.slots == 2
    assert found.seconds == pytest.approx(3 * stage.COLD_BUILD_S + 12 * each / 2)
    assert "a guess: no build yet" in found.text(NOON)
    assert forecast(here, known, cpus=64).slots == 3, "no more slots than boards"


def test_patches_on_a_commit_that_is_built_too_are_quick(here: Settings, known: Catalogue) -> None:
    [branch] = here.branches
    patched = attrs.evolve(
        branch, branch="topic/a", series="known-regressions", applications=("solo(1)", "solo(2)")
    )
    both = attrs.evolve(here, branches=(branch, patched))
    assert forecast(both, known).kernels_to_build == 3 + 2
    builds_s = 5 * forecast(both, known).build_s
    assert builds_s == pytest.approx(3 * stage.COLD_BUILD_S + 2 * stage.WARM_BUILD_S)


def test_the_report_does_not_wait_for_the_proof(here: Settings, known: Catalogue) -> None:
    assert "the report after" not in forecast(here, known).text(NOON)
    [branch] = here.branches
    patched = attrs.evolve(
        branch, branch="topic/a", series="known-regressions", applications=("solo(1)", "solo(2)")
    )
    found = forecast(attrs.evolve(here, branches=(branch, patched)), known)
    # The baseline is the branch's too, so it comes before the report.
    assert (found.kernels_to_build, found.proof_kernels) == (5, 2)
    assert (found.runs_to_do, found.proof_runs) == (20, 8)
    assert found.report_s == pytest.approx(found.seconds * 3 / 5)
    assert f"the report after {round(found.report_s / 60)} min" in found.text(NOON)


def test_what_is_there_is_not_done_again(here: Settings, known: Catalogue) -> None:
    base = built(here, known, "v6.1")
    ran(here, known, base, "qemu-sim-2", 1, 50)
    ran(here, known, base, "qemu-sim-4", 2, 50)
    # A run that failed will be made again.
    ran(here, known, base, "qemu-sim-4", 1, 50, outcome="benchmark_failed")
    found = forecast(here, known, measured=Durations(builds={base["kernel"]["kconfig"]: [200.0]}))
    assert (found.kernels_to_build, found.kernels_reused) == (2, 1)
    assert (found.runs_to_do, found.runs_reused) == (10, 2)
    assert (found.measured, found.build_s) == (True, 200)
    assert sorted(found.runs_of.values()) == [4, 4, 4]


def test_another_image_or_emulator_is_not_the_same_run(
    here: Settings, known: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = built(here, known, "v6.1")
    ran(here, known, base, "qemu-sim-2", 1, 50)
    assert forecast(here, known).runs_reused == 1
    monkeypatch.setattr(boot, "emulator_of", lambda _board_type: EMULATOR | {"version": "11"})
    assert forecast(here, known).runs_reused == 0


def test_a_board_that_is_not_deterministic_runs_again(here: Settings, known: Catalogue) -> None:
    ran(here, known, built(here, known, "v6.1"), "qemu-sim-2", 1, 50)
    types = {n: evolve(t, deterministic=False) for n, t in known.board_types.items()}
    assert forecast(here, evolve(known, board_types=types)).runs_reused == 0


def test_an_image_that_is_gone_is_built_again(here: Settings, known: Catalogue) -> None:
    built(here, known, "v6.1")
    [image] = here.builds.glob("*/*/image")
    assert forecast(here, known).kernels_reused == 1
    image.unlink()
    assert forecast(here, known).kernels_reused == 0


def test_a_kernel_of_another_compiler_is_built_again(
    here: Settings, known: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(here, known, "v6.1")
    assert forecast(here, known).kernels_reused == 1
    monkeypatch.setattr(kernel_build, "toolchain", lambda _arch: "gcc (Debian 14.2.0-19) 14.2.0")
    assert forecast(here, known).kernels_reused == 0

    def missing(arch: str) -> str:
        raise UsageError(f"the compiler for {arch} is missing")

    # A host that cannot build it uses what there is.
    monkeypatch.setattr(kernel_build, "toolchain", missing)
    assert forecast(here, known).kernels_reused == 1


def test_what_runs_took_corrects_the_plans_estimate(here: Settings, known: Catalogue) -> None:
    before = forecast(here, known)
    found = forecast(here, known, measured=Durations(ratios={"qemu-sim-2": 2.0}))
    # Twice the estimate on one board type; the other has half of all runs.
    assert found.run_s == pytest.approx(before.run_s * 1.5)


def test_the_end_is_said_with_what_is_done_until_then() -> None:
    night = stage.Forecast(
        kernels_to_build=5,
        kernels_reused=0,
        runs_to_do=120,
        runs_reused=0,
        build_s=360,
        measured=True,
        run_s=3840,
        slots=2,
    )
    late = datetime.datetime(2026, 5, 1, 2, 10, tzinfo=datetime.UTC)
    assert night.text(late) == (
        "expected until 03:12 UTC (5 kernels to build, 120 runs, 2 side by side: 62 min)"
    )
    more = evolve(night, kernels_reused=3, runs_reused=40)
    assert "62 min; 3 kernels and 40 runs are there)" in more.text(late)
    assert stage.Forecast.of_document(json.loads(json.dumps(more.document(late)))) == more
    confirmed = evolve(night, suspicion_s=300)
    assert "62 min; each suspicion takes about 5 min more)" in confirmed.text(late)
    assert confirmed.seconds == night.seconds
    patient = evolve(confirmed, mode_s=3600)
    assert "about 5 min more, one of a new mode up to 60 min)" in patient.text(late)
    assert stage.Forecast.of_document(json.loads(json.dumps(patient.document(late)))) == patient


def test_a_suspicion_takes_its_first_round_of_both_kernels(
    here: Settings, known: Catalogue
) -> None:
    assert forecast(here, known).suspicion_s == 0
    plan = known.plan("nightly")
    entries = tuple(evolve(e, rounds=(10, 20, 40)) for e in plan.entries)
    found = forecast(here, evolve(known, plans={"nightly": evolve(plan, entries=entries)}))
    # Ten boots of two kernels, each of 10 s and 20 virtual seconds at 2 s, on two boards of one
    # type or on the one of the other.
    assert found.suspicion_s == pytest.approx((2 * 10 / 2 + 2 * 10) / 2 * found.each_run_s)
    assert found.mode_s == 0
    entries = tuple(evolve(e, mode_rounds=(60, 120)) for e in entries)
    longer = forecast(here, evolve(known, plans={"nightly": evolve(plan, entries=entries)}))
    assert longer.mode_s == pytest.approx(2 * 120 * found.each_run_s)
    assert longer.suspicion_s == found.suspicion_s


def test_boards_of_another_type_shorten_no_suspicion(here: Settings, known: Catalogue) -> None:
    plan = known.plan("nightly")
    entries = tuple(
        evolve(e, rounds=(10,), mode_rounds=(60,))
        for e in plan.entries
        if "qemu-sim-4" in e.board_types
    )
    one = evolve(known, plans={"nightly": evolve(plan, entries=entries)})

    def more(board_type: str) -> stage.Forecast:
        boards = [Board(name=f"l{i}", board_type=board_type, lab="home") for i in range(12)]
        return forecast(here, evolve(one, boards=(*one.boards, *boards)))

    alone = forecast(here, one)
    other, same = more("qemu-sim-2"), more("qemu-sim-4")
    assert (other.suspicion_s, other.mode_s) == (alone.suspicion_s, alone.mode_s)
    # Negative control: boards of its own type do.
    assert same.suspicion_s == pytest.approx(alone.suspicion_s / 13)
    assert same.mode_s == pytest.approx(alone.mode_s / 13)


def test_a_night_that_must_end_in_time_leaves_a_branch_out(
    here: Settings, known: Catalogue
) -> None:
    """Two branches on two board types; the first night is whole."""

    def cut(seconds: float, left_out: dict[tuple[str, str], int] | None = None) -> stage.Forecast:
        return stage.forecast(
            evolve(here, nightly_end=datetime.time(8)), known, cpus=2,
            seconds=seconds, left_out=left_out or {},
        )  # fmt: skip

    whole = forecast(here, known)
    assert cut(0).cut == []
    assert cut(0).end is None
    (here.state / "reports").mkdir()
    (here.state / "reports" / "2026-05-01T000000Z.txt").touch()
    assert cut(whole.seconds).cut == []
    busiest = cut(whole.seconds - 1).cut
    assert [(p.branch, p.board_type) for p in busiest] == [("debian/topic/b", "qemu-sim-4")]
    one_build_less = cut(whole.seconds - stage.COLD_BUILD_S)
    assert {p.branch for p in one_build_less.cut} == {"debian/topic/b"}
    assert one_build_less.end == "08:00"
    assert one_build_less.kernels_to_build == whole.kernels_to_build - 1
    assert one_build_less.seconds <= whole.seconds - stage.COLD_BUILD_S
    assert sum(one_build_less.runs_of.values()) == one_build_less.runs_to_do
    # What was left out has its turn first.
    waited = {(p.name, p.board_type): 1 for p in one_build_less.cut}
    assert {p.branch for p in cut(whole.seconds - stage.COLD_BUILD_S, waited).cut} == {
        "debian/topic/a"
    }
    # A head that was built before tells less, but needs its boots only.
    built(here, known, "topic/a")
    known_head = cut(one_build_less.seconds - 1)
    assert {p.branch: p.value for p in known_head.cut} == {"debian/topic/b": 1.0}


def test_two_names_of_one_commit_are_one_kernel(here: Settings, known: Catalogue) -> None:
    [branch] = here.branches
    same = evolve(here, branches=(evolve(branch, branch="refs/tags/v6.1"),))
    found = forecast(same, known)
    assert (found.kernels_to_build, found.runs_to_do, found.runs_reused) == (1, 4, 4)
    types = {n: evolve(t, deterministic=False) for n, t in known.board_types.items()}
    assert forecast(same, evolve(known, board_types=types)).runs_to_do == 8


def test_a_tree_without_mirror_is_all_to_do(here: Settings, known: Catalogue) -> None:
    here.mirror("debian").rename(here.state / "gone")
    [branch] = here.branches
    plain = evolve(here, branches=(evolve(branch, branch="linux-6.12"),))
    assert forecast(plain, known).kernels_to_build == 2
