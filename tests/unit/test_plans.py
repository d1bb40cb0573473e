# SPDX-License-Identifier: GPL-2.0-only
"""Plans name board types by classes and benchmarks by patterns; what they mean is on record.

After a plan or a benchmark's parameters have changed on purpose,
`python -m tests.unit.test_plans` writes the record anew; read its diff.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

from tests.unit.shipped import change, copied
from vlag import ROOT
from vlag import config as settings
from vlag.config.catalogue import Catalogue, load, of
from vlag.errors import UsageError
from vlag.model import BoardType, PlanEntry
from vlag.pipeline import confirmation
from vlag.pipeline.boot import boot_entry
from vlag.pipeline.night_plan import planned_runs
from vlag.stats import modes, rare_modes, stages

CATALOGUE = load()
RECORD = Path(__file__).parents[1] / "data" / "plans.json"
DEVICES, PLANS = "lava-jobs/devices", "lava-jobs/plans"

#: Plan -> board type -> its runs, a line each.
Table = dict[str, dict[str, list[str]]]


def _of_modes(entry: PlanEntry) -> str:
    further = " ".join(map(str, entry.mode_rounds))
    return f" and a mode by {further}" if further else ""


def resolved(catalogue: Catalogue) -> Table:
    """Return every entry of every plan on every board type, with all of its parameters."""
    found: Table = {}
    for plan in catalogue.plans.values():
        for entry in plan.entries:
            values = {**catalogue.benchmark(entry.benchmark).parameters, **entry.parameters}
            words = [entry.benchmark, *(f"{k}={v}" for k, v in values.items())]
            words += [f"knob {k}={v}" for k, v in entry.knobs.items()]
            words += [f"new knob {k}={v}" for k, v in entry.new_knobs.items()]
            line = (
                f"{' '.join(words)}: seeds {entry.seeds}, confirmed by"
                f" {' '.join(map(str, entry.rounds)) or 'none'}"
                f"{_of_modes(entry)}, {entry.timeout_s} s"
            )
            for name in entry.board_types:
                words = [f", observed: {w}" for w, types in entry.observe.items() if name in types]
                whole = "".join([line, *words])
                found.setdefault(plan.name, {}).setdefault(name, []).append(whole)
    return {
        plan: {name: sorted(lines) for name, lines in sorted(types.items())}
        for plan, types in sorted(found.items())
    }


def of_record(catalogue: Catalogue, record: Table) -> Table:
    """Return what the recorded plans do now; benchmarks and board types since then left out."""
    types = {name for plan in record.values() for name in plan}
    benchmarks = {
        line.split()[0] for p in record.values() for lines in p.values() for line in lines
    }
    return {
        plan: {
            name: kept
            for name, lines in of.items()
            if name in types and (kept := [x for x in lines if x.split()[0] in benchmarks])
        }
        for plan, of in resolved(catalogue).items()
        if plan in record
    }


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return copied(tmp_path)


def test_a_board_with_a_clock_of_its_own_has_a_time_out_by_the_rule(files: Path) -> None:
    entry = "  - {benchmark: cyclictest-idle, parameters: %s, board_types: [%s], seeds: 1}\n"

    def timeouts(parameters: str, types: str) -> list[int]:
        text = f"plan: own\nentries:\n{entry % (parameters, types)}"
        (files / PLANS / "own.yaml").write_text(text)
        return [e.timeout_s for e in load(files).plan("own").entries]

    benchmark = CATALOGUE.benchmark("cyclictest-idle")
    assert timeouts("{}", "gate") == [30 + 10 * benchmark.virtual_s]
    assert timeouts("{duration_s: 60}", "deterministic") == [630]
    with pytest.raises(UsageError, match=r"own.yaml: entries.0.timeout_s: missing; rpi5 has no"):
        timeouts("{duration_s: 60}", "gate, rpi5")


def test_shipped_plans_leave_the_time_out_of_such_boards_to_the_rule() -> None:
    """But for debug kernels, which take many times as long for everything."""
    for plan in CATALOGUE.plans.values():
        for entry in plan.entries:
            kinds = [CATALOGUE.board_type(name) for name in entry.board_types]
            rule = CATALOGUE.benchmark(entry.benchmark).guest_timeout_s(entry.parameters)
            if plan.name == "debug":
                assert entry.timeout_s > rule  # negative control: it may be given
            elif all(kind.deterministic for kind in kinds):
                assert entry.timeout_s == rule, f"{plan.name}: {entry.benchmark}"


def test_plans_mean_what_they_meant_when_they_named_each_board_type() -> None:
    record = json.loads(RECORD.read_text())
    assert of_record(CATALOGUE, record) == record


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (f"{DEVICES}/rb5.yaml", "[hardware, small]", "[hardware]"),
        (f"{DEVICES}/vhost-host.yaml", "[vm-host]", "[vm-host, hardware]"),
        (f"{PLANS}/nightly.yaml", "{cpus/2}", "{cpus}"),
        (f"{PLANS}/nightly.yaml", "seeds: 5", "seeds: 6"),
        (f"{PLANS}/nightly.yaml", "confirm_mode: [60, 120]", "confirm_mode: [60]"),
        (f"{PLANS}/catalogue.yaml", '"*"', '"stress-ng-*"'),
    ],
)
def test_the_record_notices_a_plan_of_another_meaning(
    files: Path, file: str, old: str, new: str
) -> None:
    change(files / file, old, new)
    record = json.loads(RECORD.read_text())
    assert of_record(load(files), record) != record


def test_a_new_board_type_runs_what_its_class_runs(files: Path) -> None:
    folder = files / DEVICES
    (folder / "pine64.yaml").write_text(
        "board_type: pine64\nextends: rpi5\ncpus: 4\nclasses: [hardware]\n"
    )
    table = resolved(load(files))
    assert table["weekly"]["pine64"]
    rpi5 = set(table["weekly"]["rpi5"])
    assert set(table["weekly"]["pine64"]) < rpi5  # rpi5 is of the class `small`, too
    assert table["check"]["pine64"] == table["check"]["rpi5"]
    # Without the class it runs nothing, as `extends` does not inherit it.
    change(folder / "pine64.yaml", "classes: [hardware]\n", "")
    assert not any("pine64" in plan for plan in resolved(load(files)).values())


def unsafe(catalogue: Catalogue) -> set[str]:
    """Return the plans whose first round may see only one of two modes."""
    return {
        plan.name
        for plan in catalogue.plans.values()
        for entry in plan.entries
        if entry.rounds and entry.rounds[0] < modes.BOOTS_MINIMUM
    }


def test_confirmation_begins_where_two_modes_can_be_told_apart(files: Path) -> None:
    assert unsafe(CATALOGUE) == set()
    change(files / PLANS / "nightly.yaml", "[10, 20, 40]", "[5, 10, 20]")
    assert unsafe(load(files)) == {"nightly"}


def test_the_rounds_are_those_of_which_the_errors_are_measured() -> None:
    rounds = {e.rounds for plan in CATALOGUE.plans.values() for e in plan.entries if e.rounds}
    assert {stages.ROUNDS[: len(r)] for r in rounds} == rounds
    for name in ("commit", "nightly"):
        assert {e.rounds for e in CATALOGUE.plan(name).entries} == {stages.ROUNDS}


@pytest.mark.parametrize("rounds", ["[10, 10]", "[20, 10]"])
def test_rounds_that_do_not_rise_are_refused(files: Path, rounds: str) -> None:
    change(files / PLANS / "nightly.yaml", "[10, 20, 40]", rounds)
    with pytest.raises(UsageError, match=r"nightly\.yaml: entries\.0\.confirm: .*must rise"):
        load(files)


@pytest.mark.parametrize(
    ("confirm", "further", "words"),
    [
        ("confirm: [10, 20, 40]", "[30, 60]", "[30, 60] must rise from confirm's [10, 20, 40] on"),
        ("confirm: [10, 20, 40]", "[60, 60]", "[60, 60] must rise from confirm's [10, 20, 40] on"),
        ("# none", "[60, 120]", "its rounds follow those of confirm, which is not there"),
    ],
)
def test_rounds_of_a_mode_follow_those_of_all_suspicions(
    files: Path, confirm: str, further: str, words: str
) -> None:
    change(files / PLANS / "nightly.yaml", "confirm_mode: [60, 120]", f"confirm_mode: {further}")
    change(files / PLANS / "nightly.yaml", "confirm: [10, 20, 40]", confirm)
    with pytest.raises(UsageError) as refused:
        load(files)
    assert f"nightly.yaml: entries.0.confirm_mode: {words}" in str(refused.value)


def test_a_mode_of_an_eighth_can_be_confirmed_by_the_plans_of_a_night() -> None:
    for name in ("nightly", "weekly", "farm-nightly", "rt"):
        entries = CATALOGUE.plan(name).entries
        whole = [e for e in entries if e.rounds == stages.ROUNDS]
        assert whole
        assert {e.mode_rounds for e in whole} == {(60, rare_modes.BOOTS_MAXIMUM)}
        # Runs of half an hour have no such rounds.
        assert not any(e.mode_rounds for e in entries if e not in whole)


def test_the_boots_of_a_mode_have_seeds_of_their_own() -> None:
    def seeds(number: int) -> list[int]:
        runs = planned_runs(
            CATALOGUE, "nightly", ["qemu-sim-2"], stage="confirm", round_=number,
            benchmarks=["stress-ng-yield"],
        )  # fmt: skip
        return [run.seed for run in runs]

    assert seeds(3) == list(range(26, 46))
    assert seeds(4) == list(range(46, 66))
    assert seeds(5) == list(range(66, 126))
    # Negative control: there is no other round.
    assert seeds(6) == []
    assert confirmation.rounds([CATALOGUE.plan("nightly")]) == 5
    assert confirmation.rounds([CATALOGUE.plan("commit")]) == 3


def test_runs_too_short_for_a_relevance_are_refused_where_they_are_judged(files: Path) -> None:
    metric = CATALOGUE.benchmark("pi-stress").metric("inversion-rate")
    assert metric is not None
    on = {name: metric.relevance_on(CATALOGUE.board_type(name)) for name in ("altra", "qemu-sim-2")}
    assert on == {"altra": 0.03, "qemu-sim-2": 0.15}
    # Boots that count instructions are short and have a relevance of their own.
    assert any(e.parameters == {"groups": 1} for e in CATALOGUE.plan("rt").entries)
    s2 = files / PLANS / "s2.yaml"
    pi_stress = s2.read_text().index("benchmark: pi-stress")
    text = s2.read_text()
    s2.write_text(text[:pi_stress] + text[pi_stress:].replace("30}", "29}", 1))
    with pytest.raises(UsageError) as refused:
        load(files)
    assert str(refused.value).endswith(
        "entries.3.parameters.duration_s: 29 is too little on x86-480: the relevance of"
        " pi-stress's inversion-rate holds from 30 on"
    )
    # Who does not confirm, does not judge.
    s2.write_text(s2.read_text().replace("confirm: [10]", "# none"))
    load(files)


def test_a_relevance_names_a_number_of_its_benchmark(files: Path) -> None:
    entry = files / "lava-jobs/benchmarks/pi-stress/benchmark.yaml"
    change(entry, "{duration_s: 30}", "{duration: 30}")
    with pytest.raises(UsageError, match=r"from\.duration: .* these are: groups, duration_s"):
        load(files)


def test_a_parameter_grows_with_the_board() -> None:
    found = {
        (name, entry.parameters["groups"])
        for entry in CATALOGUE.plan("nightly").entries
        if entry.benchmark == "cyclictest-hackbench" and "form" not in entry.parameters
        for name in entry.board_types
    }
    assert found == {("qemu-sim-2", 1), ("qemu-sim-4", 2), ("qemu-sim-8", 4)}
    loops = {
        (name, entry.parameters["loops"])
        for entry in CATALOGUE.plan("weekly").entries
        if entry.benchmark == "hackbench-socket"
        for name in entry.board_types
    }
    assert {("rpi5", 1600), ("altra", 32000)} <= loops


#: Messages a second that hackbench passes, from the times in reports: its least and most.
RATES = {"rb5": (1.19e6, 1.80e6), "altra": (3.1e6, 8.3e6)}
#: The boards that no report has times of: as many a CPU as these two pass.
EACH_CPU = (0.1e6, 0.22e6)
#: The Altra's 40 tasks of one group, or 160 of four, do not fill 80 CPUs.  Between 16 and 32
#: groups nothing changes.
ALTRA = {1: 3.17e6, 4: 5.96e6, 8: 6.73e6, 16: 8.24e6, 32: 8.21e6}


def seconds(entry: PlanEntry, board_type: BoardType) -> tuple[float, float]:
    """Return how long one run of hackbench takes, between the fastest and the slowest."""
    values = {**CATALOGUE.benchmark(entry.benchmark).parameters, **entry.parameters}
    fds, groups = int(values.get("fds", 20)), int(values["groups"])
    messages = groups * fds * fds * int(values["loops"])
    if board_type.name == "altra":
        rate = ALTRA[max(known for known in ALTRA if known <= groups)]
        return messages / rate, messages / rate
    slow, fast = RATES.get(board_type.name, [rate * board_type.cpus for rate in EACH_CPU])
    return messages / fast, messages / slow


def test_messages_take_10_to_30_seconds_a_run_on_real_boards() -> None:
    checked = set()
    for plan in CATALOGUE.plans.values():
        if plan.name == "s3":  # the runs of a report, which names no loops
            continue
        for entry in plan.entries:
            known = CATALOGUE.benchmark(entry.benchmark).parameters.keys()
            if not {"warmups", "iterations"} <= known:
                continue
            for kind in (CATALOGUE.board_type(name) for name in entry.board_types):
                if kind.virtual:  # a boot is exact, and a second is minutes there
                    assert not {"loops", "iterations"} & entry.parameters.keys()
                    continue
                fast, slow = seconds(entry, kind)
                assert fast >= 10, (plan.name, entry, kind.name)
                assert slow <= 32, (plan.name, entry, kind.name)
                runs = int(entry.parameters["iterations"]) + int(entry.parameters["warmups"])
                assert 5 <= int(entry.parameters["iterations"]) <= 10
                assert entry.parameters["warmups"] == 1
                assert runs * slow < entry.timeout_s
                checked.add((entry.benchmark, kind.name))
    assert {name for _, name in checked} == {"rpi5", "rb5", "altra", "x86-480"}
    assert {name for name, _ in checked} == {
        "hackbench-numa", "hackbench-pipe", "hackbench-socket", "perf-bench-messaging",
    }  # fmt: skip


def test_a_pattern_means_what_the_board_can_run(files: Path) -> None:
    """Each benchmark of the catalogue once, but those that need more than a virtual board."""
    planned = sorted(entry.benchmark for entry in CATALOGUE.plan("catalogue").entries)
    assert len(planned) == len(set(planned)) > 20
    path = files / PLANS / "smoke.yaml"
    path.write_text(
        "plan: smoke\nentries:\n"
        '  - {benchmark: "*", board_types: [gate, hardware], seeds: 1, timeout_s: 9}\n'
        "  - {benchmark: oslat, board_types: [gate], seeds: 2, timeout_s: 9}\n"
    )
    entries = load(files).plan("smoke").entries
    types = {e.benchmark: e.board_types for e in entries}
    assert "qemu-sim-2" in types["sysbench-cpu"]
    assert types["kernel-cycles"] == ("rpi5", "rb5", "altra", "x86-480")  # it needs a PMU
    assert [(e.board_types, e.number) for e in entries if e.benchmark == "oslat"] == [
        (("qemu-sim-2",), 1)
    ]


def test_a_class_in_the_settings_means_the_boards_that_there_are() -> None:
    assert CATALOGUE.types_of(["deterministic"]) == ("qemu-sim-2", "qemu-sim-4", "qemu-sim-8")
    assert CATALOGUE.types_of(["rpi5", "gate", "deterministic"])[:3] == (
        "rpi5", "qemu-sim-2", "qemu-sim-4",
    )  # fmt: skip
    with pytest.raises(UsageError, match="the inventory has no board of the class 'hardware'"):
        CATALOGUE.types_of(["deterministic", "hardware"])
    farm = load(inventory=ROOT / "ansible" / "inventory" / "farm-example.yml")
    assert farm.types_of(["hardware"]) == ("rpi5", "rb5", "altra", "x86-480")
    here = settings.load(ROOT / "vlag.toml")
    assert of(here).boards
    wrong = evolve(here, branches=(evolve(here.branches[0], board_types=("hardware",)),))
    with pytest.raises(
        UsageError, match=r"vlag\.toml: branches\.0\.board_types: the inventory has"
    ):
        of(wrong)


def test_nothing_but_the_script_of_a_benchmark_s_folder_reaches_a_board(files: Path) -> None:
    def sha256() -> str:
        return boot_entry(load(files).benchmark("oslat"), {}, 1, {}).sha256

    before = sha256()
    folder = files / "lava-jobs/benchmarks/oslat"
    (folder / "2.4.txt").write_text("a capture\n")
    (folder / "captures").mkdir()
    change(folder / "benchmark.yaml", "kept from running", "away")
    assert sha256() == before
    change(folder / "run.sh", "oslat.txt", "oslat.log")
    assert sha256() != before


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            f"{PLANS}/check.yaml", "[deterministic]", "[determinist]",
            "check.yaml: entries.0.board_types: no board type or class 'determinist'; board types:"
            " altra, loadgen,",
        ),
        (f"{PLANS}/catalogue.yaml", '"*"', '"strass-*"', "entries.3.benchmark: no benchmark 'st"),
        (f"{PLANS}/weekly.yaml", "{cpus}", "{cpus+2}", "parameters.instances: '{cpus+2}'"),
        (f"{PLANS}/weekly.yaml", "{cpus/2}", "{cpus/0}", "parameters.groups: '{cpus/0}'"),
        (
            f"{DEVICES}/rb5.yaml", "[hardware, small]", "[hardware, rpi5]",
            "rb5.yaml: classes: 'rpi5' is a board type's name",
        ),
        (f"{DEVICES}/rb5.yaml", "[hardware, small]", "[Hardware]", "classes.0: 'Hardware' "),
    ],
)  # fmt: skip
def test_a_name_that_nothing_has_is_refused_with_file_and_key(
    files: Path, file: str, old: str, new: str, said: str
) -> None:
    change(files / file, old, new)
    with pytest.raises(UsageError) as refused:
        load(files)
    assert said in str(refused.value)


if __name__ == "__main__":
    RECORD.write_text(json.dumps(resolved(CATALOGUE), indent=1) + "\n")
