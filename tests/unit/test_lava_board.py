# SPDX-License-Identifier: GPL-2.0-only
"""What a board is brought into before a benchmark, and what it says of it afterwards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.boards import SHELLS, altra, contents, intel, large, on_board, plant, program, rpi5
from tests.waiting import until
from vlag.config.catalogue import load
from vlag.errors import InfrastructureError
from vlag.lava import console
from vlag.lava.job import JobResult
from vlag.lava.outcome import judge
from vlag.model import Outcome

pytestmark = pytest.mark.slow

CPU = "sys/devices/system/cpu"
POLICY0 = f"{CPU}/cpufreq/policy0"


@pytest.fixture(params=SHELLS, ids=lambda argv: str(argv[0]))
def shell(request: pytest.FixtureRequest) -> list[str]:
    found: list[str] = request.param
    return found


def prepare(shell: list[str], root: Path, verb: str, *policy: str) -> tuple[int, list[str]]:
    """Run a verb; return its status and what it printed."""
    if policy:
        (root / "vlag/policy").write_text("".join(f"{line}\n" for line in policy))
    done = on_board(shell, root, "prepare.sh", verb)
    assert done.stderr == ""
    return done.returncode, done.stdout.replace(f"{root}/", "/").splitlines()


def verdict(printed: list[str]) -> tuple[Outcome, str | None]:
    """Judge a run that went well but for what was printed."""
    lines = ("Linux version 6.6", "@vlag:start", *printed, "@vlag:status 0", "@vlag:done")
    job = JobResult(console=lines, error_type=None, error=None, version="1")
    return judge(console.read(lines), job, 10)


def test_a_raspberry_pi_is_pinned_and_put_back(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, rpi5())
    status, printed = prepare(
        shell, tmp_path, "set",
        "# how this board measures", "", "governor performance", "frequency_khz 2000000",
        "irq_affinity 0", "autogroup off", "schedstats off", "temperature_max_mC 60000",
        "thermal_wait_s 300",
    )  # fmt: skip
    assert (status, printed) == (
        0,
        [
            "@vlag:knob governor ok performance",
            "@vlag:knob frequency_khz ok 2000000",
            "@vlag:knob irq_affinity ok 0",
            "@vlag:knob autogroup ok off",
            "@vlag:knob schedstats ok off",
            "@vlag:cool waited 0 s for 60000 mC: thermal_zone0=51800",
            "@vlag:knob temperature_max_mC ok 60000",
        ],
    )
    assert verdict(printed) == (Outcome.COMPLETE, None)
    changed = {
        f"{POLICY0}/scaling_governor": "performance",
        f"{POLICY0}/scaling_min_freq": "2000000",
        f"{POLICY0}/scaling_max_freq": "2000000",
        "proc/irq/0/smp_affinity_list": "0",
        "proc/irq/13/smp_affinity_list": "0",
        "proc/irq/162/smp_affinity_list": "0",
        "proc/sys/kernel/sched_autogroup_enabled": "0",
        "proc/sys/kernel/sched_schedstats": "0",
    }
    assert contents(tmp_path) == plain(rpi5()) | changed
    assert prepare(shell, tmp_path, "check") == (0, [])
    assert prepare(shell, tmp_path, "restore") == (0, [])
    assert contents(tmp_path) == plain(rpi5())


def plain(files: dict[str, str]) -> dict[str, str]:
    return dict(sorted(files.items()))


def test_an_altra_is_pinned_and_put_back(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, altra())
    status, printed = prepare(
        shell, tmp_path, "set",
        "turbo off", "governor performance", "frequency_khz 2800000", "cstate_latency_us 0",
        "numa_balancing off", "irq_affinity 78-79", "temperature_max_mC 60000 optional",
        "thermal_wait_s 300",
    )  # fmt: skip
    assert status == 0, printed
    assert printed[-1] == "@vlag:knob temperature_max_mC ok this board does not have it"
    after = contents(tmp_path)
    for cpu in range(80):
        assert after[f"{CPU}/cpufreq/policy{cpu}/scaling_min_freq"] == "2800000"
        assert after[f"{CPU}/cpufreq/policy{cpu}/scaling_max_freq"] == "2800000"
        assert after[f"{CPU}/cpu{cpu}/cpuidle/state0/disable"] == "0"
        assert after[f"{CPU}/cpu{cpu}/cpuidle/state1/disable"] == "1"
    assert after[f"{CPU}/cpufreq/boost"] == "0"
    assert prepare(shell, tmp_path, "check") == (0, [])
    assert prepare(shell, tmp_path, "restore") == (0, [])
    assert contents(tmp_path) == plain(altra())


def test_cpus_that_the_boot_left_off_are_brought_up(shell: list[str], tmp_path: Path) -> None:
    """Where cgroups cannot be mounted it takes longer, no more."""
    program(tmp_path, "mount", "exit 1")
    plant(tmp_path, large(online="0-3"))
    assert prepare(shell, tmp_path, "set", "cpus all") == (0, ["@vlag:knob cpus ok all, 0-3"])
    on = large(online="0-3") | {f"{CPU}/cpu{cpu}/online": "1" for cpu in (2, 3)}
    assert contents(tmp_path) == plain(on)
    # They stay on: nothing on a board can be put back into a state before its boot ended.
    assert prepare(shell, tmp_path, "restore") == (0, [])
    assert contents(tmp_path) == plain(on)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("cpus all", "@vlag:knob cpus failed of 0-3 there are 0-2"),
        ("cpus 480", "@vlag:knob cpus failed 480 is not all"),
    ],
)
def test_a_cpu_that_stays_off_is_no_sample(
    shell: list[str], tmp_path: Path, setting: str, said: str
) -> None:
    program(tmp_path, "mount", "exit 1")
    plant(tmp_path, large(online="0-2"))
    status, printed = prepare(shell, tmp_path, "set", setting)
    assert (status, printed) == (1, [said])
    with pytest.raises(InfrastructureError, match="cpus"):
        verdict(printed)


def test_an_intel_is_pinned_and_put_back(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, intel())
    status, printed = prepare(
        shell, tmp_path, "set",
        "turbo off", "frequency_khz 0:2100000,1:800000", "cstate_latency_us 2",
        "temperature_max_mC 50000", "thermal_wait_s 10",
    )  # fmt: skip
    assert status == 0, printed
    after = contents(tmp_path)
    assert after[f"{CPU}/intel_pstate/no_turbo"] == "1"
    assert after[f"{CPU}/cpufreq/policy0/scaling_max_freq"] == "2100000"
    assert after[f"{CPU}/cpufreq/policy1/scaling_max_freq"] == "800000"
    disabled = [after[f"{CPU}/cpu1/cpuidle/state{n}/disable"] for n in range(4)]
    assert disabled == ["0", "0", "1", "1"]
    assert prepare(shell, tmp_path, "check") == (0, [])
    assert prepare(shell, tmp_path, "restore") == (0, [])
    assert contents(tmp_path) == plain(intel())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("frequency_khz 1234567", "policy0 does not offer 1234567, only 1500000 1600000 "),
        ("frequency_khz fast", "fast is no whole number"),
        ("frequency_khz 4:1500000", "no frequency is given for policy0"),
        ("turbo off", "this board does not have it"),
        ("cstate_latency_us 0", "this board does not have it"),
        ("numa_balancing on", "this board does not have it"),
        ("autogroup no", "no is neither on nor off"),
        (
            "governor performance maybe",
            "the policy says maybe where only optional or described may stand",
        ),
        ("governer performance", "no such setting"),
        ("temperature_max_mC 60000", "the policy gives no thermal_wait_s"),
    ],
)
def test_what_cannot_be_set_is_said(shell: list[str], tmp_path: Path, line: str, said: str) -> None:
    plant(tmp_path, rpi5())
    status, printed = prepare(shell, tmp_path, "set", line, "schedstats off")
    assert status == 1
    name = line.partition(" ")[0]
    failed = console.read(printed).knobs_failed
    assert list(failed) == [name]
    assert failed[name].startswith(said.strip())
    # The others are set and read back all the same.
    assert console.read(printed).knobs == {"schedstats": "off"}
    with pytest.raises(InfrastructureError, match=rf"^{name} is not as asked for") as e:
        verdict(printed)
    assert not e.value.retry


def test_what_a_kernel_does_not_have_is_off(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, rpi5())
    status, printed = prepare(shell, tmp_path, "set", "numa_balancing off")
    assert (status, printed) == (0, ["@vlag:knob numa_balancing ok off"])


@pytest.mark.parametrize("kind", sorted(k for k, t in load().board_types.items() if not t.virtual))
def test_what_a_known_board_is_measured_by_is_required(kind: str) -> None:
    assert [line for line in load().board_type(kind).policy if line.endswith("optional")] == []


def test_only_the_word_optional_lets_a_board_lack_something(
    shell: list[str], tmp_path: Path
) -> None:
    plant(tmp_path, rpi5())
    status, printed = prepare(shell, tmp_path, "set", "turbo off optional")
    assert (status, printed) == (0, ["@vlag:knob turbo ok this board does not have it"])
    # What the board has must take, optional or not.
    status, printed = prepare(shell, tmp_path, "set", "frequency_khz 1 optional")
    assert status == 1


#: Never what a policy asks for, and not to be written to, not even by root.
READ_ONLY = Path("/proc/sys/kernel/ostype")


def replace(path: Path, file: Path) -> None:
    path.unlink()
    path.symlink_to(file)


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        (f"{POLICY0}/scaling_governor", "governor performance", "policy0 has Linux"),
        (f"{POLICY0}/scaling_max_freq", "frequency_khz 2000000", "policy0 has at most Linux"),
        (f"{POLICY0}/scaling_min_freq", "frequency_khz 2000000", "policy0 has at least Linux"),
        ("proc/sys/kernel/sched_schedstats", "schedstats off", "sched_schedstats is Linux"),
        (f"{CPU}/intel_pstate/no_turbo", "turbo off", "no_turbo is Linux"),
        (f"{CPU}/cpu1/cpuidle/state3/disable", "cstate_latency_us 10", "state3/disable is Linux"),
    ],
)
def test_a_file_that_does_not_change_is_a_failure(
    shell: list[str], tmp_path: Path, file: str, line: str, said: str
) -> None:
    plant(tmp_path, intel())
    assert prepare(shell, tmp_path, "set", line)[0] == 0
    replace(tmp_path / file, READ_ONLY)
    status, printed = prepare(shell, tmp_path, "set", line)
    assert status == 1
    assert said in printed[0]


def test_interrupts_that_cannot_be_moved_are_counted(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, rpi5())
    replace(tmp_path / "proc/irq/162/smp_affinity_list", READ_ONLY)
    assert prepare(shell, tmp_path, "set", "irq_affinity 1") == (
        0,
        ["@vlag:knob irq_affinity ok 1, but for 1 interrupts that cannot be moved"],
    )
    for irq in (0, 13):
        replace(tmp_path / f"proc/irq/{irq}/smp_affinity_list", READ_ONLY)
    assert prepare(shell, tmp_path, "set", "irq_affinity 1") == (
        1,
        ["@vlag:knob irq_affinity failed none of 3 interrupts can be moved"],
    )


def test_an_interrupt_that_goes_elsewhere_is_a_failure(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, rpi5())
    # Takes what is written, and keeps fifteen characters of it.
    replace(tmp_path / "proc/irq/13/smp_affinity_list", Path("/proc/self/comm"))
    assert prepare(shell, tmp_path, "set", "irq_affinity 0-1,3")[0] == 0
    status, printed = prepare(shell, tmp_path, "set", "irq_affinity 0,2,4,6,8,10,12,14")
    assert status == 1
    assert printed == ["@vlag:knob irq_affinity failed interrupt 13 is on 0,2,4,6,8,10,12"]


COOLING = """
zone=$VLAG_ROOT/sys/class/thermal/thermal_zone1/temp
read -r was < $zone
echo $((was - 4000)) > $zone
"""


def test_a_hot_board_is_waited_for(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, intel() | {"sys/class/thermal/thermal_zone1/temp": "71000"})
    program(tmp_path, "sleep", COOLING)
    status, printed = prepare(
        shell, tmp_path, "set", "temperature_max_mC 60000", "thermal_wait_s 30"
    )
    assert (status, printed) == (
        0,
        [
            "@vlag:cool waited 15 s for 60000 mC: thermal_zone0=27800 thermal_zone1=59000",
            "@vlag:knob temperature_max_mC ok 60000",
        ],
    )


def test_a_zone_that_stays_hot_ends_the_run(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, intel() | {"sys/class/thermal/thermal_zone1/temp": "71000"})
    program(tmp_path, "sleep", "echo slept >> $VLAG_ROOT/slept")
    status, printed = prepare(
        shell, tmp_path, "set", "thermal_wait_s 30", "temperature_max_mC 60000"
    )
    assert (status, printed) == (
        1,
        ["@vlag:hot waited 30 s for 60000 mC: thermal_zone0=27800 thermal_zone1=71000"],
    )
    assert (tmp_path / "slept").read_text().count("slept") == 6
    with pytest.raises(InfrastructureError, match=r"did not cool down .*zone1=71000") as e:
        verdict(printed)
    assert e.value.retry


def test_a_zone_without_a_reading_is_not_waited_for(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, intel())
    (tmp_path / "sys/class/thermal/thermal_zone1/temp").write_text("")
    lines = ("temperature_max_mC 60000", "thermal_wait_s 30")
    assert prepare(shell, tmp_path, "set", *lines)[0] == 0
    (tmp_path / "sys/class/thermal/thermal_zone0/temp").write_text("")
    status, printed = prepare(shell, tmp_path, "set", *lines)
    assert status == 1
    assert printed == ["@vlag:knob temperature_max_mC failed this board does not have it"]


AMPERE = {
    "sys/class/hwmon/hwmon0/name": "nvme",
    "sys/class/hwmon/hwmon0/temp1_input": "79000",
    "sys/class/hwmon/hwmon1/name": "apm_xgene",
    "sys/class/hwmon/hwmon1/temp1_input": "48000",
}
LIMIT = ("temperature_max_mC 60000", "thermal_wait_s 5")


def test_a_board_without_zones_is_as_hot_as_its_processor(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, altra() | AMPERE)
    assert prepare(shell, tmp_path, "set", *LIMIT) == (
        0,
        ["@vlag:cool waited 0 s for 60000 mC: apm_xgene.temp1_input=48000",
         "@vlag:knob temperature_max_mC ok 60000"],
    )  # fmt: skip
    program(tmp_path, "sleep", "true")
    (tmp_path / "sys/class/hwmon/hwmon1/temp1_input").write_text("71000")
    status, [hot] = prepare(shell, tmp_path, "set", *LIMIT)
    assert (status, hot.split(": ")[1]) == (1, "apm_xgene.temp1_input=71000")


def test_a_disks_temperature_is_no_processors(shell: list[str], tmp_path: Path) -> None:
    disk = {name: value for name, value in AMPERE.items() if "hwmon0" in name}
    plant(tmp_path, altra() | disk)
    assert prepare(shell, tmp_path, "set", *LIMIT) == (
        1, ["@vlag:knob temperature_max_mC failed this board does not have it"],
    )  # fmt: skip


def test_where_there_is_a_zone_it_counts_alone(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, intel() | AMPERE)
    assert "apm_xgene" not in prepare(shell, tmp_path, "set", *LIMIT)[1][0]


NO_SENSOR = "not known: this kernel's device tree has no sensor"
TREE = "proc/device-tree"


@pytest.mark.parametrize(
    ("word", "tree", "answer"),
    [
        ("described", {f"{TREE}/compatible": "board"}, f"ok {NO_SENSOR}"),
        # The sensor is there, and its driver is not.
        ("described", {f"{TREE}/compatible": "board",
                       f"{TREE}/thermal-zones/cpu-thermal/thermal-sensors": "x"},
         "failed this board does not have it"),
        ("described", {}, "failed this board does not have it"),
        ("", {f"{TREE}/compatible": "board"}, "failed this board does not have it"),
    ],
)  # fmt: skip
def test_a_kernel_whose_device_tree_has_no_sensor_is_not_judged_cool(
    shell: list[str], tmp_path: Path, word: str, tree: dict[str, str], answer: str
) -> None:
    board = {name: its for name, its in rpi5().items() if "thermal" not in name}
    plant(tmp_path, board | tree)
    line = f"temperature_max_mC 60000 {word}".rstrip()
    status, printed = prepare(shell, tmp_path, "set", line, "thermal_wait_s 300")
    assert printed == [f"@vlag:knob temperature_max_mC {answer}"]
    assert status == (0 if answer.startswith("ok") else 1)


def test_another_setting_is_not_left_out_for_the_device_tree(
    shell: list[str], tmp_path: Path
) -> None:
    plant(tmp_path, rpi5() | {f"{TREE}/compatible": "board"})
    assert prepare(shell, tmp_path, "set", "turbo off described") == (
        1, ["@vlag:knob turbo failed this board does not have it"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("file", "value", "said"),
    [
        (
            f"{CPU}/cpu1/thermal_throttle/core_throttle_count", "5",
            f"/{CPU}/cpu1/thermal_throttle/core_throttle_count went from 3 to 5",
        ),
        (
            f"{CPU}/cpu0/thermal_throttle/package_throttle_count", "8",
            f"/{CPU}/cpu0/thermal_throttle/package_throttle_count went from 7 to 8",
        ),
        (f"{POLICY0}/scaling_cur_freq", "1700000", "policy0 runs at 1700000 kHz of 2100000"),
        (f"{POLICY0}/scaling_cur_freq", "2050000", None),  # measured, and near enough
        (f"{POLICY0}/scaling_cur_freq", "2200000", None),
        (f"{POLICY0}/scaling_max_freq", "1900000", "policy0 has at most 1900000 kHz of 2100000"),
    ],
)  # fmt: skip
def test_throttling_while_measuring_is_seen(
    shell: list[str], tmp_path: Path, file: str, value: str, said: str | None
) -> None:
    plant(tmp_path, intel())
    status, before = prepare(shell, tmp_path, "set", "frequency_khz 2100000")
    assert status == 0
    (tmp_path / file).write_text(f"{value}\n")
    status, printed = prepare(shell, tmp_path, "check")
    assert (status, printed) == (0, [f"@vlag:throttled {said}"] if said else [])
    if said is None:
        assert verdict([*before, *printed]) == (Outcome.COMPLETE, None)
        return
    with pytest.raises(InfrastructureError, match=re.escape(f"measured: {said}")) as e:
        verdict([*before, *printed])
    assert e.value.retry


@pytest.mark.parametrize(
    ("bits", "said"),
    [
        ("0x0", []),
        ("0x1", ["under-voltage"]),
        ("0x20000", ["frequency capped by the firmware"]),
        ("0x50005", ["under-voltage", "throttled by the firmware"]),
        ("0x80000", ["soft temperature limit"]),
    ],
)
def test_a_raspberry_pis_firmware_is_asked(
    shell: list[str], tmp_path: Path, bits: str, said: list[str]
) -> None:
    plant(tmp_path, rpi5())
    program(tmp_path, "vcgencmd", f'[ "$1" = get_throttled ] && echo throttled={bits}')
    assert prepare(shell, tmp_path, "set", "governor performance")[0] == 0
    assert prepare(shell, tmp_path, "check") == (0, [f"@vlag:throttled {s}" for s in said])


def test_without_the_firmwares_tool_the_kernel_is_asked(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, rpi5())
    prepare(shell, tmp_path, "set", "governor performance")
    assert prepare(shell, tmp_path, "check") == (0, [])
    (tmp_path / "sys/class/hwmon/hwmon1/in0_lcrit_alarm").write_text("1\n")
    assert prepare(shell, tmp_path, "check") == (0, ["@vlag:throttled under-voltage"])


def test_what_cannot_be_put_back_is_said(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, rpi5())
    prepare(shell, tmp_path, "set", "governor performance", "schedstats off")
    replace(tmp_path / POLICY0 / "scaling_governor", READ_ONLY)
    status, printed = prepare(shell, tmp_path, "restore")
    assert (status, printed) == (
        1,
        [f"@vlag:knob restore failed /{POLICY0}/scaling_governor is Linux and was ondemand"],
    )
    assert (tmp_path / "proc/sys/kernel/sched_schedstats").read_text() == "1\n"


def test_no_policy_is_no_board_of_ours(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, rpi5())
    assert prepare(shell, tmp_path, "set") == (1, ["@vlag:knob policy failed it cannot be read"])
    assert contents(tmp_path) == plain(rpi5())


THP = "sys/kernel/mm/transparent_hugepage/enabled"


def facts() -> dict[str, str]:
    """Two sockets with two threads each, 16 KiB pages, 31 GiB."""
    files = {
        THP: "always",
        f"{CPU}/smt/active": "1",
        f"{CPU}/smt/control": "on",
        "proc/meminfo": "MemTotal:       32505856 kB\nMemFree:         1000 kB",
        "proc/self/smaps": "aaaa-bbbb r-xp 0 0:0 0 /bin/sh\nSize: 16 kB\nKernelPageSize:  16 kB",
        f"{POLICY0}/energy_performance_preference": "balance_performance",
    }
    for cpu in range(4):
        files[f"{CPU}/cpu{cpu}/topology/physical_package_id"] = str(cpu // 2)
    return files


def test_a_board_is_what_its_type_says(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, facts())
    asked = ("sockets 2", "page_bytes 16384", "memory_min_MB 30000", "smt on", "thp madvise",
             "epp performance")  # fmt: skip
    status, printed = prepare(shell, tmp_path, "set", *asked)
    assert (status, printed) == (0, [f"@vlag:knob {x.replace(' ', ' ok ')}" for x in asked])
    assert contents(tmp_path)[f"{POLICY0}/energy_performance_preference"] == "performance"
    # The kernel shows all its words; they are put back as one.
    (tmp_path / THP).write_text("always [madvise] never\n")
    assert prepare(shell, tmp_path, "restore") == (0, [])
    assert contents(tmp_path) == plain(facts())


@pytest.mark.parametrize(
    ("file", "text", "policy", "said"),
    [
        (f"{CPU}/cpu3/topology/physical_package_id", "2", "sockets 2", "there are 3"),
        ("proc/self/smaps", "KernelPageSize:  4 kB", "page_bytes 16384", "they have 4096"),
        ("proc/meminfo", "MemTotal: 16384000 kB", "memory_min_MB 30000", "there are 16000"),
        (f"{CPU}/smt/active", "0", "smt on", "active is 0"),
        ("proc/self/smaps", "Size: 4 kB", "page_bytes 4096", "this board does not have it"),
    ],
)
def test_another_board_than_its_type_says_so_in_one_fact(
    shell: list[str], tmp_path: Path, file: str, text: str, policy: str, said: str
) -> None:
    plant(tmp_path, facts() | {file: text})
    status, printed = prepare(shell, tmp_path, "set", policy)
    assert (status, printed) == (1, [f"@vlag:knob {policy.split(maxsplit=1)[0]} failed {said}"])
    with pytest.raises(InfrastructureError, match=said):
        verdict(printed)


def waits(root: Path, words: str) -> str:
    """Return what the board has written down, once it has these words."""
    path = root / "out" / "board.txt"
    until(lambda: path.is_file() and words in path.read_text(), lambda: f"nothing of {words}")
    return path.read_text()


def test_a_board_that_is_slow_for_a_while_is_found_out(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, rpi5())
    policy = ("frequency_khz 2400000", "watch_s 1")
    assert prepare(shell, tmp_path, "set", *policy)[0] == 0
    said = waits(tmp_path, "thermal_zone0=51800 policy0=2400000")
    assert said.startswith("1 ")
    (tmp_path / POLICY0 / "scaling_cur_freq").write_text("1500000\n")
    waits(tmp_path, "policy0=1500000")
    # It is as fast as asked again when the benchmark ends.
    (tmp_path / POLICY0 / "scaling_cur_freq").write_text("2400000\n")
    _, printed = prepare(shell, tmp_path, "check")
    [line] = printed
    assert line.startswith("@vlag:throttled policy0 ran at 1500000 kHz of 2400000 after ")
    with pytest.raises(InfrastructureError, match="policy0 ran at 1500000 kHz"):
        verdict(printed)
    assert not (tmp_path / "tmp/vlag-watcher").exists()


def test_a_watched_board_that_stays_fast_says_nothing(shell: list[str], tmp_path: Path) -> None:
    plant(tmp_path, rpi5())
    assert prepare(shell, tmp_path, "set", "frequency_khz 2400000", "watch_s 1")[0] == 0
    waits(tmp_path, "policy0=2400000")
    assert prepare(shell, tmp_path, "check") == (0, [])
    status, printed = prepare(shell, tmp_path, "set", "watch_s 0")
    assert (status, printed) == (1, ["@vlag:knob watch_s failed 0 is no number of seconds"])
