# SPDX-License-Identifier: GPL-2.0-only
"""Counting what a board executes changes nothing, repeats exactly, and finds what a patch did."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.counted_guest import seen, uncounted
from tests.night.clone import SETTINGS, Night
from vlag.errors import ExitCode
from vlag.kernel import symbols

pytestmark = pytest.mark.long

BOOT = ("--board", "sim2-1", "--benchmark", "stress-ng-switch")


@pytest.fixture(scope="module")
def kernels(night: Night) -> tuple[Path, Path]:
    """The night's newest kernel, and the same with a longer path to the next task."""
    asked = (
        "build", "--tree", "debian", "--ref", "linux-6.12", "--series", "known-regressions",
        "--application", "solo(2)", "--board-type", "qemu-sim-2", "--format", "json",
    )  # fmt: skip
    return night.newest_build(), Path(night.answer(asked)["bundle"])


@pytest.fixture(scope="module")
def elsewhere(night: Night, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A state of its own: later tests count the night's runs."""
    folder = tmp_path_factory.mktemp("profiles")
    (folder / "userland").symlink_to(night.state / "userland")
    text = (night.clone / SETTINGS).read_text()
    assert text.count('state = "var"') == 1
    settings = night.clone / "profiles.toml"
    settings.write_text(text.replace('state = "var"', f'state = "{folder}"'))
    return {"VLAG_SETTINGS": str(settings)}


def profiled(night: Night, base: Path, new: Path, env: dict[str, str]) -> dict[str, Any]:
    words = ("profile", base, new, *BOOT, "--seeds", "2", "--format", "json")
    return dict(json.loads(night.vlag(*words, env=env).stdout))


def test_counting_changes_nothing_and_repeats(
    night: Night, kernels: tuple[Path, Path], tmp_path: Path
) -> None:
    """The emulator without its plugin prints the same, but for the counts."""
    boots = {}
    for name, env in (("off", uncounted(tmp_path)), ("on", {}), ("again", {})):
        folder = tmp_path / name
        words = ("run", kernels[0], *BOOT, "--observe", "profile", "--output", folder)
        night.vlag(*words, env=env)
        boots[name] = seen(folder)
    assert boots["off"].same(boots["on"])
    assert boots["on"].same(boots["again"])
    assert boots["on"].counted == boots["again"].counted is not None
    assert boots["off"].counted is None


def test_a_profile_names_the_function_that_a_patch_made_longer(
    night: Night, kernels: tuple[Path, Path], elsewhere: dict[str, str]
) -> None:
    found = profiled(night, *kernels, elsewhere)
    largest = found["functions"][0]
    # pick_next_entity, which the patch changes, is compiled into its caller.
    assert (largest["name"], largest["source"]) == ("pick_task_fair", "kernel/sched/fair")
    (calls, before), (_, after) = largest["base"], largest["new"]
    # Forty turns of a loop of two instructions; a switch each way is two picks.
    assert calls == pytest.approx(2, rel=0.01)
    assert after - before == pytest.approx(2 * 80, rel=0.05)
    base, new = found["instructions"]["kernel"]
    assert sum(f["change"] for f in found["functions"]) == pytest.approx(new - base)
    assert "pick_task_fair (called as often" in found["sentence"]
    [caller] = largest["callers"]
    assert caller["name"] == "pick_next_task_fair"
    assert caller["base"] == pytest.approx(calls, rel=1e-3)
    # The whole tree has every instruction.
    assert [found["frames"][0][side] for side in ("base", "new")] == pytest.approx([base, new])


def test_a_longer_path_is_a_regression_of_its_length(
    night: Night, kernels: tuple[Path, Path], elsewhere: dict[str, str]
) -> None:
    """Two boots of each are on record; the third is made."""
    done = night.vlag("path", *kernels, *BOOT, "--format", "json", env=elsewhere)
    assert done.stderr.count("run of record used") == 4
    found = json.loads(done.stdout)
    said = {m["metric"]: m["verdict"] for m in found["metrics"]}
    assert (said["kernel/sched"], said["kernel"]) == ("REGRESSION", "REGRESSION")
    # Negative control: a kernel and itself.
    same = night.vlag("path", kernels[0], kernels[0], *BOOT, "--format", "json", env=elsewhere)
    assert {m["verdict"] for m in json.loads(same.stdout)["metrics"]} == {"UNCHANGED"}


def test_a_kernel_and_itself_differ_in_nothing(
    night: Night, kernels: tuple[Path, Path], elsewhere: dict[str, str]
) -> None:
    """Negative control."""
    found = profiled(night, kernels[0], kernels[0], elsewhere)
    assert {f["change"] for f in found["functions"]} == {0}
    assert found["sentence"].startswith("Both kernels execute every function as often")


def test_the_functions_of_another_kernel_are_refused(
    night: Night, kernels: tuple[Path, Path], elsewhere: dict[str, str], tmp_path: Path
) -> None:
    """Negative control: what names the functions must be of the build."""
    base = kernels[0]
    copy = tmp_path / "build"
    shutil.copytree(base, copy)
    lines = gzip.decompress((base / symbols.FILE).read_bytes()).splitlines(keepends=True)
    (copy / symbols.FILE).write_bytes(gzip.compress(b"".join(lines[1:])))
    words = ("profile", base, copy, *BOOT, "--seeds", "1")
    done = night.vlag(*words, status=ExitCode.REFUSED, env=elsewhere)
    assert "are not the functions of the kernel that was built" in done.stderr
