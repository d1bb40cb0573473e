# SPDX-License-Identifier: GPL-2.0-only
"""Extra boots that observe: what a plan says, what a board does, and that none is scored."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from master import kernel
from tests.integration import bundles
from tests.unit.asked import properties, rendered
from tests.unit.boards import SHELLS
from tests.unit.shipped import change, copied
from vlag.bundle import unscored
from vlag.compare import file_sides
from vlag.config import kernel_needs
from vlag.config.catalogue import Catalogue, load
from vlag.errors import InfrastructureError, RefusedError, UsageError
from vlag.lava import console
from vlag.lava.job import JobResult
from vlag.lava.outcome import judge
from vlag.model import Observation, Outcome
from vlag.pipeline.boot import INIT, boot_entry, run_key
from vlag.pipeline.night_plan import planned_runs

CATALOGUE = load()
SWITCH, SIM = CATALOGUE.benchmark("stress-ng-switch"), CATALOGUE.board_type("qemu-sim-2")
NIGHTLY = "lava-jobs/plans/nightly.yaml"
OBSERVE = "observe: {schedstats: [gate]}"


# The board


def switched(shell: list[str], folder: Path, observes: str, before: str | None) -> tuple[str, str]:
    """Run the lines of init.sh that set the counters; return what is printed and set."""
    text = INIT.read_text()
    lines = text[text.index("stats=/proc") : text.index("/vlag/environment before")]
    file = folder / "sched_schedstats"
    if before is not None:
        file.write_text(f"{before}\n")
    lines = lines.replace("/proc/sys/kernel/sched_schedstats", str(file))
    done = subprocess.run(
        [*shell, "-c", f"OBSERVES={observes}\n{lines}"], capture_output=True, text=True, check=True
    )
    return done.stdout, file.read_text() if file.exists() else ""


@pytest.mark.parametrize("shell", SHELLS, ids=lambda argv: str(argv[0]))
@pytest.mark.parametrize(
    ("observes", "before", "said", "after"),
    [
        ("", "1", "ok off", "0\n"),  # the command line had them on
        ("", "0", "ok off", "0\n"),
        ("", None, "ok off", ""),  # a kernel without them
        ("schedstats", "0", "ok on", "1\n"),
        ("schedstats", None, "failed this kernel does not have it", ""),
    ],
)
def test_a_scored_boot_switches_schedstats_off_and_an_observed_one_on(
    shell: list[str], tmp_path: Path, observes: str, before: str | None, said: str, after: str
) -> None:
    printed, value = switched(shell, tmp_path, observes, before)
    assert (printed, value) == (f"@vlag:knob schedstats {said}\n", after)


def test_counters_that_cannot_be_switched_are_a_fault_and_no_result(tmp_path: Path) -> None:
    (tmp_path / "sched_schedstats").symlink_to("/proc/sys/kernel/ostype")  # takes no write
    printed, _ = switched(SHELLS[0], tmp_path, "", None)

    def judged(*said: str) -> Outcome:
        lines = ("Linux version 6.6", "@vlag:start", *said, "@vlag:status 0", "@vlag:done")
        job = JobResult(console=lines, error_type=None, error=None, version="1")
        return judge(console.read(lines), job, 10)[0]

    with pytest.raises(InfrastructureError, match=r"^schedstats is not as asked for: .* 'Linux'"):
        judged(*printed.splitlines())
    assert judged("@vlag:knob schedstats ok off") is Outcome.COMPLETE


def test_what_a_boot_observes_is_an_input_of_it(tmp_path: Path) -> None:
    found = {}
    for word in (None, Observation.SCHEDSTATS):
        entry = boot_entry(SWITCH, {}, 1, {}, observes=word)
        folder = tmp_path / str(word)
        folder.mkdir()
        subprocess.run(["cpio", "-idm", "--quiet"], input=entry.archive, cwd=folder, check=True)
        assert f"OBSERVES={word or ''}" in (folder / "vlag/entry").read_text().splitlines()
        found[word] = run_key(
            image_sha256="i", userland_sha256="u", entry_sha256=entry.sha256, board_type=SIM,
            knobs={}, emulator=None,
        )  # fmt: skip
    assert len(set(found.values())) == 2


def test_a_kernel_without_what_is_observed_is_refused_before_it_boots(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("CONFIG_SMP=y\n")
    kernel_needs.check_boot(SWITCH, SIM, config)
    with pytest.raises(UsageError, match="stress-ng-switch observing schedstats needs CONFIG_SCHE"):
        kernel_needs.check_boot(SWITCH, SIM, config, Observation.SCHEDSTATS)
    config.write_text("CONFIG_SCHEDSTATS=y\n")
    kernel_needs.check_boot(SWITCH, SIM, config, Observation.SCHEDSTATS)


def test_a_policy_cannot_switch_schedstats_on(tmp_path: Path) -> None:
    files = copied(tmp_path)
    change(files / "lava-jobs/devices/rpi5.yaml", "policy:\n", "policy:\n  - schedstats off\n")
    load(files)
    change(files / "lava-jobs/devices/rpi5.yaml", "schedstats off", "schedstats on")
    with pytest.raises(UsageError, match=r"rpi5\.yaml: policy: schedstats on: scored boots have"):
        load(files)


# The plan


def observed(catalogue: Catalogue, stage: str = "screen") -> list[tuple[str, str, int, str]]:
    boards = ["qemu-sim-2", "qemu-sim-4", "qemu-sim-8"]
    return [
        (r.entry.benchmark, r.board_type, r.seed, r.observes)
        for r in planned_runs(catalogue, "nightly", boards, stage=stage)
        if r.observes is not None
    ]


def test_a_night_observes_each_kernel_once(tmp_path: Path) -> None:
    assert observed(CATALOGUE) == [("stress-ng-switch", "qemu-sim-2", 1, "schedstats")]
    assert observed(CATALOGUE, "confirm") == []
    files = copied(tmp_path)
    change(files / NIGHTLY, OBSERVE, "")
    assert observed(load(files)) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("observe: {schedstats: [rpi5]}",
         "nightly.yaml: entries.0.observe.schedstats: rpi5 is no board type of this entry"),
        ("observe: {schedstats: [fast]}", "entries.0.observe.schedstats: no board type or class"),
        ("observe: {ftrace: [gate]}", "'ftrace' was unexpected"),
        ("observe: {}", "observe: {} should be non-empty"),
    ],
)  # fmt: skip
def test_a_plan_that_observes_what_it_cannot_is_refused(
    tmp_path: Path, given: str, said: str
) -> None:
    files = copied(tmp_path)
    change(files / NIGHTLY, OBSERVE, given)
    with pytest.raises(UsageError) as refused:
        load(files)
    assert said in str(refused.value)


def test_only_deterministic_boards_are_profiled(tmp_path: Path) -> None:
    files = copied(tmp_path)
    change(files / NIGHTLY, OBSERVE, "observe: {profile: [gate]}")
    assert observed(load(files)) == [("stress-ng-switch", "qemu-sim-2", 1, "profile")]
    plan = (files / NIGHTLY).read_text()
    hardware = "board_types: [hardware]\n    seeds: 5"
    assert hardware in plan
    given = hardware.replace("seeds", "observe: {profile: [rpi5]}\n    seeds")
    (files / NIGHTLY).write_text(plan.replace(hardware, given, 1))
    with pytest.raises(UsageError, match="rpi5 is not deterministic"):
        load(files)


def test_the_schemas_have_the_words_of_the_code() -> None:
    words = {word.value for word in Observation}
    schemas = INIT.parents[2] / "schemas/json"
    plan = json.loads((schemas / "plan.schema.json").read_text())
    entry = plan["properties"]["entries"]["items"]["properties"]
    assert set(entry["observe"]["properties"]) == words
    run = json.loads((schemas / "run.schema.json").read_text())
    assert set(run["properties"]["observes"]["enum"]) == words | {None}


KERNEL = {
    "kernel_name": "6.12", "build_bundle": "/b/ab", "plan": "nightly", "knobs": {},
    "board_types": ["qemu-sim-2"],
}  # fmt: skip


def test_the_service_asks_for_the_extra_boot_until_it_is_on_record() -> None:
    asked = kernel.run_requests(CATALOGUE, properties(**KERNEL))
    [extra] = [r for r in asked if r["observes"]]
    assert extra["label"] == "6.12 stress-ng-switch seed 1 observing schedstats on qemu-sim-2"
    words = rendered(kernel.run_arguments, properties(**KERNEL, **extra_of(extra)))
    assert "--observe=schedstats" in words
    there = {k: extra[k] for k in ("benchmark", "parameters", "board_type", "seed", "observes")}
    left = kernel.run_requests(CATALOGUE, properties(**KERNEL, recorded=[there]))
    assert len(left) == len(asked) - 1
    assert extra not in left
    # Negative control: the scored boot of the same seed is another one.
    scored = there | {"observes": None}
    left = kernel.run_requests(CATALOGUE, properties(**KERNEL, recorded=[scored]))
    assert len(left) == len(asked) - 1
    assert extra in left
    [plain, *_] = [r for r in left if not r["observes"]]
    arguments = rendered(kernel.run_arguments, properties(**KERNEL, **extra_of(plain)))
    assert not [w for w in arguments if str(w).startswith("--observe")]


def extra_of(request: dict[str, object]) -> dict[str, object]:
    return {k: v for k, v in request.items() if k not in KERNEL}


# The result


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"observes": "schedstats"}, "the run observes schedstats, which changes what it measures"),
        ({"environment": {"/proc/sys/kernel/sched_schedstats": "1"}},
         "/proc/sys/kernel/sched_schedstats was 1 in the run"),
        ({"environment": {"/proc/sys/kernel/sched_schedstats": "0"}, "observes": None}, None),
        ({}, None),  # an older bundle
    ],
)  # fmt: skip
def test_files_that_are_not_scored_are_refused(
    tmp_path: Path, changes: dict[str, Any], said: str | None
) -> None:
    base, new = bundles.kernel("6.1"), bundles.kernel("6.12")
    first = bundles.run(tmp_path / "base", base, CATALOGUE)
    second = bundles.run(tmp_path / "new", new, CATALOGUE, **changes)
    if said is None:
        assert file_sides.sides([first], [second], catalogue=CATALOGUE)
        return
    with pytest.raises(RefusedError, match=said) as refused:
        file_sides.sides([first], [second], catalogue=CATALOGUE)
    assert "new/run.json" in str(refused.value)
    assert unscored(json.loads((second / "run.json").read_text()))
