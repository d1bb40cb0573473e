# SPDX-License-Identifier: GPL-2.0-only
"""The knob cgroup_depth: the groups that init.sh makes, and who may set it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.unit.boards import BOOT, SHELLS
from vlag.config import kernel_needs
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.pipeline.boot import boot_entry

CATALOGUE = load()
NESTED = CATALOGUE.benchmark("stress-ng-switch-nested")
SWITCH = CATALOGUE.benchmark("stress-ng-switch")

#: The kernel's part: a child group has the files of the controllers that its parent passes
#: on, and /proc/self/cgroup names the group whose cgroup.procs was written last.
KERNEL = r"""
mount() { [ "$*" = "-t cgroup2 cgroup $ROOT/sys/fs/cgroup" ]; }
mkdir() {
	command mkdir "$1"
	[ "$(command cat "${1%/*}/cgroup.subtree_control" 2>/dev/null)" = "$PASSED" ] &&
		echo 100 > "$1/cpu.weight"
}
cat() {
	at=$(command find "$ROOT/sys/fs/cgroup" -name cgroup.procs)
	at=${at#"$ROOT/sys/fs/cgroup"}
	at=${at%/cgroup.procs}
	echo "0::${at:-/}"
}
"""


def knob(shell: list[str], root: Path, depth: str, passed: str = "+cpu") -> tuple[int, str]:
    """Return the exit status of init.sh's knob(), and what it read back."""
    found = re.search(r"^knob\(\) \{.*?^\}$", (BOOT / "init.sh").read_text(), re.S | re.M)
    assert found
    function = re.sub(r"/(sys|proc)/", r'"$ROOT"/\1/', found[0])
    (root / "sys/fs/cgroup").mkdir(parents=True)
    done = subprocess.run(
        [*shell, "-c", f'{KERNEL}\n{function}\nknob cgroup_depth {depth}; rc=$?; echo "$rc $got"'],
        env={"ROOT": str(root), "PASSED": passed, "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    status, got = done.stdout.split()
    return int(status), got


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("depth", "group"), [("0", "0::/"), ("1", "0::/vlag"), ("3", "0::/vlag/vlag/vlag")]
)
def test_the_board_moves_into_nested_groups(
    shell: list[str], tmp_path: Path, depth: str, group: str
) -> None:
    assert knob(shell, tmp_path, depth) == (0, group)
    made = {p.parent for p in tmp_path.rglob("cpu.weight")}
    assert len(made) == int(depth)  # the root group has no such file


@pytest.mark.parametrize("shell", SHELLS)
def test_groups_without_the_cpu_controller_are_no_levels(shell: list[str], tmp_path: Path) -> None:
    status, group = knob(shell, tmp_path, "2", passed="+memory")
    assert status != 0
    assert group == "0::/vlag/vlag"


def test_the_benchmark_sets_its_own_depth(tmp_path: Path) -> None:
    entry = boot_entry(NESTED, {"depth": "2"}, 1, {})
    assert b"cgroup_depth 2\n" in entry.archive
    assert boot_entry(NESTED, {"depth": "4"}, 1, {}).sha256 != entry.sha256
    assert b"cgroup_depth" not in boot_entry(SWITCH, {}, 1, {}).archive.split(b"knob()")[0]
    with pytest.raises(UsageError, match="sets it itself, to 2; give its parameters instead"):
        boot_entry(NESTED, {"depth": "2"}, 1, {"cgroup_depth": "3"})


def test_any_benchmark_takes_the_knob_within_its_range() -> None:
    assert b"cgroup_depth 16\n" in boot_entry(SWITCH, {}, 1, {"cgroup_depth": "16"}).archive
    for depth in ("17", "-1", "two", "1 2"):
        with pytest.raises(UsageError, match="from 0 to 16"):
            boot_entry(SWITCH, {}, 1, {"cgroup_depth": depth})


def test_a_kernel_without_group_scheduling_is_refused(tmp_path: Path) -> None:
    board, config = CATALOGUE.board_type("qemu-sim-2"), tmp_path / "config"
    config.write_text("CONFIG_FAIR_GROUP_SCHED=y\n")
    kernel_needs.check_boot(NESTED, board, config)
    config.write_text("# CONFIG_FAIR_GROUP_SCHED is not set\n")
    with pytest.raises(UsageError, match="needs CONFIG_FAIR_GROUP_SCHED"):
        kernel_needs.check_boot(NESTED, board, config)


def test_hardware_boards_measure_it_each_night() -> None:
    entries = [e for e in CATALOGUE.plan("nightly").entries if e.benchmark == NESTED.name]
    boards = {name for e in entries for name in e.board_types}
    assert boards == {k.name for k in CATALOGUE.board_types.values() if "hardware" in k.classes}
