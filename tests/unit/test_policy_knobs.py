# SPDX-License-Identifier: GPL-2.0-only
"""A knob that takes the place of a setting of the board's policy, as the frequency of its CPUs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.boards import SHELLS, on_board, plant, rpi5
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.lava.render import POLICY_KNOBS, with_knobs
from vlag.pipeline.boot import boot_entry

CATALOGUE = load()
SWITCH = CATALOGUE.benchmark("stress-ng-switch")
RPI5 = CATALOGUE.board_type("rpi5-4k").policy


def files(archive: bytes) -> dict[str, str]:
    """Return the policy and the knobs that an entry brings to the board."""
    found = {}
    for name in ("policy", "knobs"):
        at = archive.index(f"vlag/{name}\0".encode())
        header = archive.rindex(b"070701", 0, at)
        size = int(archive[header + 54 : header + 62], 16)
        begin = (header + 110 + len(f"vlag/{name}\0") + 3) // 4 * 4
        found[name] = archive[begin : begin + size].decode()
    return found


@pytest.mark.parametrize("shell", SHELLS)
def test_the_board_takes_the_knobs_frequency(shell: list[str], tmp_path: Path) -> None:
    """Both sides of a comparison: with the knob, and as the board's type has it."""
    set_to = {}
    for knobs in ({"frequency_khz": "1500000"}, {}):
        root = plant(tmp_path / str(len(knobs)), rpi5())
        brought = files(boot_entry(SWITCH, {}, 1, knobs, policy=RPI5).archive)
        asked = re.sub(r"(?m)^(page_bytes|thp|watch_s|memory|smt).*\n", "", brought["policy"])
        (root / "vlag/policy").write_text(asked)
        done = on_board(shell, root, "prepare.sh", "set")
        assert done.returncode == 0, done.stdout
        (read_back,) = re.findall(r"@vlag:knob frequency_khz ok (\d+)", done.stdout)
        limit = root / "sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"
        assert limit.read_text().strip() == read_back
        set_to[bool(knobs)] = read_back
        assert brought["knobs"] == ""
    assert set_to == {True: "1500000", False: "2400000"}


def test_other_knobs_and_settings_stay(tmp_path: Path) -> None:
    given = {"frequency_khz": "1500000", "sched_features": "NO_RUN_TO_PARITY", "autogroup": "on"}
    policy, knobs = with_knobs(RPI5, given)
    assert knobs == {"sched_features": "NO_RUN_TO_PARITY"}
    changed = dict(line.split(maxsplit=1) for line in policy)
    assert changed == {
        **dict(line.split(maxsplit=1) for line in RPI5),
        "frequency_khz": "1500000", "autogroup": "on",
    }  # fmt: skip
    assert [line.split()[0] for line in policy] == [line.split()[0] for line in RPI5]


def test_a_setting_that_the_policy_does_not_have_is_refused() -> None:
    """Negative control: of boots without the knob it would not be known."""
    sim = CATALOGUE.board_type("qemu-sim-2").policy
    with pytest.raises(UsageError, match=r"policy of this board's type does not set it; .* none"):
        boot_entry(SWITCH, {}, 1, {"frequency_khz": "1500000"}, policy=sim)
    with pytest.raises(UsageError, match="of its policy: governor, frequency_khz, autogroup, numa"):
        boot_entry(SWITCH, {}, 1, {"smt": "off"}, policy=RPI5)


def test_a_knob_cannot_make_a_setting_optional() -> None:
    with pytest.raises(UsageError, match="a setting of a policy is one word"):
        boot_entry(SWITCH, {}, 1, {"frequency_khz": "1500000 optional"}, policy=RPI5)


def test_what_a_board_must_be_is_no_knob() -> None:
    facts = {"cpus", "sockets", "page_bytes", "memory_min_MB", "temperature_max_mC", "schedstats"}
    assert not facts & POLICY_KNOBS
    policy, knobs = with_knobs(RPI5, {"page_bytes": "16384"})
    assert tuple(policy) == tuple(RPI5)
    assert knobs == {"page_bytes": "16384"}  # init.sh says that it knows none of that name


def test_every_knob_is_a_setting_that_the_board_knows() -> None:
    script = (Path(__file__).parents[2] / "lava-jobs/boot/prepare.sh").read_text()
    cases = script[script.index("one() {") :]
    for name in POLICY_KNOBS:
        assert re.search(rf"\b{name}\b", cases), name
