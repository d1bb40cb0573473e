# SPDX-License-Identifier: GPL-2.0-only
"""What people ask of the night's kernels and boots: profiles, repetitions, digits."""

import json
import os
import shutil
import subprocess
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.counted_guest import seen, uncounted
from tests.night.clone import SETTINGS, reproduce
from tests.night.digests import record_key, samples_digest
from tests.night.road import Road
from vlag import ROOT
from vlag.profile import decision_trace

pytestmark = pytest.mark.night

SWITCH = "stress-ng-switch"
#: Digest of image, userland, entry and QEMU -> that of the samples that they gave.
GOLDEN = ROOT / "tests" / "data" / "night.json"


def slower(road: Road) -> dict[str, Any]:
    """Return the first boot of the kernel with the longer way to the next task."""
    return next(
        d for d in road.on_disk
        if d["kernel"]["subject"] == "sched/fair: look again" and d["seed"] == 1
    )  # fmt: skip


def elsewhere(road: Road, folder: Path) -> dict[str, str]:
    """Return the environment of a state of its own: what it boots is no run of the night."""
    (folder / "userland").symlink_to(road.clone.state / "userland")
    text = (road.clone.clone / SETTINGS).read_text()
    assert text.count('state = "var"') == 1
    settings = road.clone.clone / "elsewhere.toml"
    settings.write_text(text.replace('state = "var"', f'state = "{folder}"'))
    return {"VLAG_SETTINGS": str(settings)}


def test_a_profile_names_the_function_that_a_commit_made_longer(road: Road, tmp_path: Path) -> None:
    settings = elsewhere(road, tmp_path)
    builds = (road.build_of(road.source), road.build_of(slower(road)))
    done = road.clone.vlag(
        "profile", *builds, "--board", "road-1", "--benchmark", SWITCH, "--seeds", "1",
        "--format", "json", env=settings,
    )  # fmt: skip
    found = json.loads(done.stdout)
    largest = found["functions"][0]
    # pick_next_entity, which the patch changes, is compiled into its caller.
    assert (largest["name"], largest["source"]) == ("pick_task_fair", "kernel/sched/fair")
    (calls, before), (_, after) = largest["base"], largest["new"]
    # Four hundred turns of a loop of two instructions, for each level of groups.
    assert after - before >= calls * 800
    base, new = found["instructions"]["kernel"]
    assert sum(f["change"] for f in found["functions"]) == pytest.approx(new - base)


def test_the_first_decision_that_a_knob_changes_is_found(road: Road, tmp_path: Path) -> None:
    settings = elsewhere(road, tmp_path)
    build = road.build_of(road.source)
    boot = (build, "--board", "road-1", "--benchmark", SWITCH)

    def decided(feature: str) -> Any:
        words = ("decisions", build, *boot, "--base-knob", "sched_features=WAKEUP_PREEMPTION",
                 "--new-knob", f"sched_features={feature}", "--format", "json")  # fmt: skip
        (seed,) = json.loads(road.clone.vlag(*words, env=settings).stdout)["seeds"]
        return seed

    found = decided("NO_WAKEUP_PREEMPTION")
    assert found["first"] is not None
    kinds = reversed(found["classes"])  # of two with one answer the larger one is meant
    rows = {row["answer"]: row for row in kinds if row["what"] == "preempts"}
    assert 100 * rows["yes"]["new"] < rows["yes"]["base"]
    assert rows["no"]["base"] < rows["no"]["new"]
    # Negative control: nothing differs, and each switch that the kernel counted is there.
    same = decided("WAKEUP_PREEMPTION")
    assert (same["first"], same["classes"], same["left_out"]) == (None, [], [0, 0])
    folder = next(tmp_path.glob("runs/*/*/raw/decisions.txt"))
    trace = decision_trace.read(folder.read_bytes(), path=str(folder))
    seen_there = Counter(e.cpu for e in trace.events if e.kind == decision_trace.SWITCH)
    assert seen_there == trace.switches
    assert sum(seen_there.values()) > 1000


@pytest.mark.parametrize("observes", ["decisions", "caches"])
def test_what_the_emulator_observes_changes_nothing(
    road: Road, tmp_path: Path, observes: str
) -> None:
    """The emulator without its plugin prints the same, but for what it has observed."""
    boots = {}
    for name, env in (("off", uncounted(tmp_path)), ("on", {})):
        folder = tmp_path / name
        road.clone.vlag(
            "run", road.build_of(road.source), "--board", "road-1", "--benchmark", SWITCH,
            "--observe", observes, "--output", folder, env=env,
        )  # fmt: skip
        boots[name] = seen(folder)
    assert boots["off"].same(boots["on"])
    assert boots["off"].counted is None is not boots["on"].counted


def test_caches_tell_a_toggle_that_a_field_report_tells(road: Road, tmp_path: Path) -> None:
    """Without DELAY_DEQUEUE a pipe takes fewer cycles, as a Raspberry Pi 5 has shown."""
    build = road.build_of(road.source)
    words = ("caches", build, build, "--board", "road-1", "--benchmark", "stress-ng-pipe",
             "--seeds", "1",
             "--base-knob", "sched_features=DELAY_DEQUEUE",
             "--new-knob", "sched_features=NO_DELAY_DEQUEUE", "--format", "json")  # fmt: skip
    found = json.loads(road.clone.vlag(*words, env=elsewhere(road, tmp_path)).stdout)
    totals = {row["name"]: row for row in found["totals"]}
    cycles, instructions = totals["kernel, cycles"], totals["kernel, instructions"]
    assert cycles["new"] < 0.99 * cycles["base"]
    assert cycles["base"] > instructions["base"]
    # The road's boards have one CPU, from which nobody takes a line.
    assert found["cpus"] == 1
    assert found["fields"] == []


def test_a_boot_repeats_elsewhere_to_the_digit(road: Road, tmp_path: Path) -> None:
    """The folder needs nothing of vlag, and notices a changed byte."""
    target = tmp_path / "written" / "repeat"
    target.parent.mkdir()
    road.clone.vlag("reproduce", road.source["bundle"], "--output", target, "--tar")
    subprocess.run(["tar", "-xzf", f"{target}.tar.gz", "-C", tmp_path], check=True)
    shutil.rmtree(target)
    folder = tmp_path / "repeat"
    said = reproduce(folder, 0)
    figure = next(x for x in said.splitlines() if "bogo-ops-rate" in x).split()[1]
    assert figure in (road.source["bundle"] / road.source["output"]).read_text()
    assert said.endswith("reproduced: 1 of 1 boots\n")
    # Negative control: it is not booted.
    (image,) = (folder / "images").iterdir()
    data = bytearray(image.read_bytes())
    data[len(data) // 2] ^= 1
    image.write_bytes(data)
    said = reproduce(folder, 2)
    assert f"images/{image.name}: FAILED" in said
    assert "booting" not in said


@pytest.mark.parametrize(
    ("dispatcher", "snapshots_gb"), [(True, 0), (False, 0), (True, 1)],
    ids=["power-on-in-lava", "power-on", "snapshot-in-lava"],
)  # fmt: skip
def test_boots_on_every_road_have_the_same_digits(
    road: Road, tmp_path: Path, dispatcher: bool, snapshots_gb: float
) -> None:
    """Two seeds, held against the night's boots from a snapshot without LAVA's dispatcher."""
    prefix, state = tmp_path / "prefix", tmp_path / "state"
    subprocess.run([ROOT / "lava-jobs/lockstep/install", prefix, "qemu-system-x86_64"], check=True)
    state.mkdir()
    settings = elsewhere(road, state)
    with Path(settings["VLAG_SETTINGS"]).open("a", encoding="utf-8") as file:
        file.write(f"\n[boots]\nsnapshots_gb = {snapshots_gb}\n")
        file.write(f"dispatcher = {str(dispatcher).lower()}\n")
    env = {**settings, "PATH": f"{prefix}/bin{os.pathsep}{os.environ['PATH']}"}
    commit = road.source["kernel"]["commit"]
    nightly = {
        d["seed"]: d for d in road.on_disk
        if d["kernel"]["commit"] == commit and d["board"]["board_type"] == "road"
        and d["benchmark"] == road.source["benchmark"] and d["seed"] in (1, 2)
    }  # fmt: skip
    assert len(nightly) == 2
    for seed, before in nightly.items():
        folder = tmp_path / f"seed-{seed}"
        road.clone.vlag(
            "run", road.build_of(before), "--board", "road-1", "--benchmark", before["benchmark"],
            "--seed", seed, "--output", folder, env=env,
        )  # fmt: skip
        assert restored(folder) is bool(snapshots_gb)
        assert restored(before["bundle"])
        assert seen(folder).same(seen(before["bundle"]))
        after = json.loads((folder / "run.json").read_text())
        assert after["run_key"] == before["run_key"]
        assert (after["executor"]["program"] == "lava-run") is dispatcher
        assert before["executor"]["program"] != "lava-run"
    assert len(list((state / "snapshots").glob("*/image"))) == bool(snapshots_gb)


def restored(bundle: Path) -> bool:
    """Return whether a boot has gone on from a snapshot."""
    return "-name vlag-restore-" in (bundle / "job.yaml").read_text()


def test_the_golden_digits_come_out(road: Road) -> None:
    """Where Debian's packages are those of the file; a change of ours renews it on purpose.

    `VLAG_GOLDEN=write` renews it.
    """
    commit = road.source["kernel"]["commit"]
    mine = [
        d for d in road.on_disk
        if d["kernel"]["commit"] == commit and d["board"]["board_type"] == "road"
    ]  # fmt: skip
    here = {record_key(d): samples_digest(d["bundle"], d) for d in mine}
    if os.environ.get("VLAG_GOLDEN") == "write":
        GOLDEN.write_text(json.dumps(here, indent=1, sort_keys=True) + "\n")
    golden = dict(json.loads(GOLDEN.read_text()))
    known = here.keys() & golden.keys()
    assert {key: here[key] for key in known} == {key: golden[key] for key in known}
    if not known:
        warnings.warn(
            f"{GOLDEN.name} has no boot with the key {next(iter(here))}: Debian's packages have"
            " moved on",
            stacklevel=1,
        )
