# SPDX-License-Identifier: GPL-2.0-only
"""Board types that extend another, plans, and the shipped lists held together."""

import re
from pathlib import Path

import pytest

from tests.unit.shipped import change, copied
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.model import Benchmark
from vlag.pipeline.night_plan import board_groups, planned_runs

CATALOGUE = load()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return copied(tmp_path)


def refusal(files: Path) -> str:
    with pytest.raises(UsageError) as refused:
        load(files)
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "cpus"), [("qemu-sim-2", 2), ("qemu-sim-4", 4), ("qemu-sim-8", 8)]
)
def test_the_deterministic_boards_differ_in_their_topology_only(name: str, cpus: int) -> None:
    kind, first = CATALOGUE.board_type(name), CATALOGUE.board_type("qemu-sim-2")
    assert kind.deterministic
    assert kind.cpus == cpus
    [smp] = [o for o in kind.options if o.startswith("-smp")]
    assert smp.startswith(f"-smp {cpus},")
    assert {o for o in first.options if not o.startswith("-smp")} <= set(kind.options)
    assert (kind.kconfig, kind.arch, kind.cmdline) == (first.kconfig, first.arch, first.cmdline)


def test_eight_cpus_stand_on_two_sockets_with_a_node_each() -> None:
    options = " ".join(CATALOGUE.board_type("qemu-sim-8").options)
    assert "sockets=2" in options
    assert re.findall(r"nodeid=(\d),cpus=([\d-]+)", options) == [("0", "0-3"), ("1", "4-7")]


def test_the_plain_board_is_not_deterministic() -> None:
    kind = CATALOGUE.board_type("qemu")
    assert not kind.deterministic
    assert not any("icount" in option for option in kind.options)


def test_emulated_boards_have_the_memory_that_a_thread_for_each_cpu_locks() -> None:
    """cyclictest locks the stacks of its threads, 8 MB each."""
    units = {"M": 1, "G": 1024}
    for kind in CATALOGUE.board_types.values():
        for option in kind.options:
            if found := re.fullmatch(r"-m (\d+)([MG])", option):
                has_mb = int(found[1]) * units[found[2]]
                assert has_mb >= 8 * kind.cpus + 512, kind.name


def test_a_board_type_that_extends_nothing_is_refused(files: Path) -> None:
    change(files / "lava-jobs/devices/qemu-sim-4.yaml", "qemu-sim-2", "qemu-sim-3")
    assert "extends: there is no qemu-sim-3.yaml" in refusal(files)


def test_a_chain_is_refused(files: Path) -> None:
    change(files / "lava-jobs/devices/qemu-sim-4.yaml", "qemu-sim-2", "qemu-sim-8")
    assert "qemu-sim-8 extends another board type itself" in refusal(files)


def test_a_key_that_is_missing_is_named(files: Path) -> None:
    change(files / "lava-jobs/devices/qemu-sim-2.yaml", "boot_timeout_s: 60\n", "")
    assert "'boot_timeout_s' is a required property" in refusal(files)


def test_one_image_serves_the_deterministic_boards() -> None:
    names = ["qemu-sim-2", "qemu-sim-4", "qemu-sim-8"]
    assert board_groups(CATALOGUE, "nightly", names) == [tuple(names)]


def test_the_night_runs_on_unpatched_kernels_what_the_known_regressions_need() -> None:
    """Otherwise the baseline would be run for them alone."""
    boards = ["qemu-sim-2", "qemu-sim-4", "qemu-sim-8"]

    def runs(plan: str) -> set[tuple[str, str, str, int]]:
        return {
            (r.entry.benchmark, repr(r.entry.parameters), r.board_type, r.seed)
            for r in planned_runs(CATALOGUE, plan, boards)
        }

    assert runs("known-regressions") < runs("nightly")
    assert {r[2] for r in runs("known-regressions")} == set(boards)


def test_a_commit_is_confirmed_on_boots_that_did_not_raise_the_suspicion() -> None:
    def seeds(stage: str) -> set[int]:
        return {r.seed for r in planned_runs(CATALOGUE, "commit", ["qemu-sim-2"], stage=stage)}

    assert seeds("screen")
    assert seeds("confirm")
    assert not seeds("screen") & seeds("confirm")


def runnable(benchmark: Benchmark) -> bool:
    """Return whether one plain virtual board with Debian's packages can run it."""
    needs = benchmark.needs
    return needs.machines == 1 and not needs.hardware and bool(benchmark.packages)


def test_the_plan_catalogue_has_every_benchmark_that_a_virtual_board_can_run() -> None:
    planned = [entry.benchmark for entry in CATALOGUE.plan("catalogue").entries]
    assert sorted(planned) == sorted(b.name for b in CATALOGUE.benchmarks.values() if runnable(b))


def test_every_plan_that_can_be_run_here_has_a_board() -> None:
    boards = {b.board_type for b in CATALOGUE.boards}
    for plan in CATALOGUE.plans.values():
        types = {t for e in plan.entries for t in e.board_types}
        assert {t for t in types if CATALOGUE.board_type(t).template} <= boards


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("unit: ns", "unit: us", "the parser gives time-per-switch in ns, lower is better"),
        ("direction: lower", "direction: higher", "in ns, lower is better"),
        ("name: time-per-switch", "name: time-per-turn", "gives no 'time-per-turn'; it gives"),
        ("tool: stress-ng", "tool: stress", "tool: no parser 'stress'; there are: cyclictest"),
        ("packages: [stress-ng]\n", "", "'packages' is a required property"),
        ("virtual_s:", "unproven: ''\nvirtual_s:", "unproven: '' should be non-empty"),
        ("virtual_s:", "needs: {pmu: true}\nvirtual_s:", "needs: Additional properties"),
    ],
)
def test_an_entry_that_does_not_fit_its_parser_is_refused(
    files: Path, old: str, new: str, said: str
) -> None:
    change(files / "lava-jobs/benchmarks/stress-ng-switch/benchmark.yaml", old, new)
    assert said in refusal(files)


def test_an_empty_catalogue_is_no_catalogue(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="lava-jobs/benchmarks: missing"):
        load(tmp_path)
    (tmp_path / "lava-jobs" / "benchmarks").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"boards\.yml"):
        load(tmp_path)


def test_lava_tells_a_board_type_from_the_one_it_extends(files: Path) -> None:
    folder = files / "lava-jobs" / "devices"
    (folder / "qemu-big.yaml").write_text("board_type: qemu-big\nextends: rpi5\n")
    kinds = load(files).board_types
    assert kinds["rpi5"].lava_type == "bcm2712-rpi-5-b"
    assert kinds["qemu-big"].lava_type == "qemu-big"
    assert kinds["qemu-big"].dtb == kinds["rpi5"].dtb


def test_a_load_generator_of_an_unknown_type_is_refused(files: Path) -> None:
    change(files / "lava-jobs/devices/sut-loadgen.yaml", "partner: loadgen", "partner: loadgun")
    assert "sut-loadgen.yaml: partner: no board type 'loadgun'" in refusal(files)


def test_boards_of_this_machine_need_no_more_than_their_type() -> None:
    assert {b.lab for b in CATALOGUE.boards} == {None}
    assert all(not b.facts for b in CATALOGUE.boards)


def test_another_list_of_boards_is_read(files: Path) -> None:
    inventory = files / "ansible" / "inventory" / "farm-example.yml"
    boards = load(files, inventory=inventory).boards
    [board] = [b for b in boards if b.name == "rpi5-1"]
    assert board.lab == "home"
    assert "cycle" in board.facts["power"]["reset"].split()[1]
    assert not {"board_type", "lab"} & set(board.facts)


def test_ansibles_own_keys_are_left_to_it(files: Path) -> None:
    change(
        files / "ansible/inventory/boards.yml",
        "board_type: qemu-sim-2\n",
        "board_type: qemu-sim-2\n          ansible_host: sim.example\n",
    )
    assert load(files).boards[0].facts == {}
    change(files / "ansible/inventory/boards.yml", "ansible_host", "host")
    assert "boards.yml: sim2-1: Additional properties are not allowed ('host'" in refusal(files)


SWITCH = "lava-jobs/benchmarks/stress-ng-switch/benchmark.yaml"
HACKBENCH = "lava-jobs/benchmarks/hackbench-pipe/benchmark.yaml"


def test_a_metric_is_found_by_its_former_names(files: Path) -> None:
    change(files / HACKBENCH, "unit: s\n", "unit: s\n    formerly: [elapsed, runtime]\n")
    [metric] = load(files).benchmarks["hackbench-pipe"].metrics
    of = load(files).benchmarks["hackbench-pipe"]
    assert metric.formerly == ("elapsed", "runtime")
    assert of.metric("elapsed") is of.metric("time") is not None
    assert of.metric("other") is None


@pytest.mark.parametrize(
    ("file", "after", "more", "said"),
    [
        (HACKBENCH, "unit: s\n", "    formerly: [time]\n", "'time' is a metric of this benchmark"),
        (HACKBENCH, "unit: s\n", "    formerly: []\n", "metrics.0.formerly"),
        (HACKBENCH, "unit: s\n", "    formerly: [a, a]\n", "metrics.0.formerly"),
        (HACKBENCH, "unit: s\n", "    formerly: [Wall time]\n", "metrics.0.formerly"),
        (SWITCH, "unit: ns\n", "    formerly: [rate]\n", "of bogo-ops-rate and of time-per-switch"),
        (SWITCH, "unit: ns\n", "    formerly: [write-rate]\n", "still gives 'write-rate'"),
    ],
)
def test_a_wrong_former_name_is_refused(
    files: Path, file: str, after: str, more: str, said: str
) -> None:
    if file == SWITCH:
        change(files / file, "unit: 1/s\n", "unit: 1/s\n    formerly: [rate]\n")
    load(files)  # negative control
    change(files / file, after, after + more)
    assert said in refusal(files)
