# SPDX-License-Identifier: GPL-2.0-only
"""How far a new board came, read from logs that LAVA, U-Boot and GRUB really wrote."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from vlag.lava.boot_progress import FAILED, NOT_REACHED, OK, Step, read
from vlag.lava.job import Log

LOGS = Path(__file__).parents[1] / "data" / "first-boot"
POLICY = ("autogroup off", "thermal_wait_s 5", "temperature_max_mC 60000")
ALL = (
    "artifacts", "serial", "power", "boot loader", "DHCP", "TFTP", "boot", "policy", "temperature",
    "network", "benchmark",
)  # fmt: skip


def lines_of(name: str) -> list[str]:
    return (LOGS / f"{name}.log").read_text(encoding="utf-8").splitlines()


def steps(lines: Sequence[str]) -> tuple[Step, ...]:
    return read(lines, board="uboot-1", network=True, typed=True, uboot=True, policy=POLICY)


#: Log -> the step that failed in it, and a part of the sentence.
NAMED = [
    ("full-disk", "artifacts", "the dispatcher's disk is full"),
    ("artifact-missing", "artifacts", "the artifact store does not give the dispatcher a file"),
    ("silent-serial", "power", "the serial line is silent after the power command"),
    ("no-dhcp", "DHCP", "no DHCP server answered uboot-1 (17 requests)"),
    ("file-not-found", "TFTP", "the TFTP server answers, but not with the file"),
    ("no-tftp-server", "TFTP", "no TFTP server answers uboot-1 (TFTP from server 10.0.2.77"),
    ("no-kernel", "boot", "no kernel of this board (Bad Linux ARM64 Image magic!)"),
    ("no-size", "boot", "must name its size, as {RAMDISK_ADDR}:${initrd_size}"),
]


@pytest.mark.parametrize(("name", "step", "said"), NAMED)
def test_a_failure_is_named_once(name: str, step: str, said: str) -> None:
    found = steps(lines_of(name))
    assert tuple(s.name for s in found) == ALL
    at = ALL.index(step)
    assert [s.state for s in found] == [OK] * at + [FAILED] + [NOT_REACHED] * (len(ALL) - at - 1)
    assert said in found[at].sentence
    assert "\n" not in found[at].sentence


def test_every_log_is_used() -> None:
    named = {name for name, *_ in NAMED}
    assert {p.stem for p in LOGS.glob("*.log")} == {"good", "grub", *named}


def test_the_log_of_a_good_board_passes() -> None:
    """Negative control."""
    found = steps(lines_of("good"))
    assert [(s.name, s.state) for s in found] == [(name, OK) for name in ALL]


def fetched(lines: Sequence[str]) -> tuple[Step, ...]:
    """Return the steps of a board whose firmware fetches GRUB."""
    return read(lines, board="grub-1", network=True, typed=True, uboot=False, policy=POLICY)


def test_the_log_of_a_good_server_passes() -> None:
    """Negative control."""
    names = [name for name in ALL if name not in ("DHCP", "TFTP")]
    assert [(s.name, s.state) for s in fetched(lines_of("grub"))] == [(n, OK) for n in names]


@pytest.mark.parametrize(
    ("after", "line", "step", "sentence"),
    [
        (">>Start PXE over IPv4.", "  PXE-E18: Server response timeout.", "boot loader",
         "no DHCP server answered the firmware of grub-1 (PXE-E18: Server response timeout.)"),
        (">>Start PXE over IPv4.", "  PXE-E23: Client received TFTP error from server.",
         "boot loader", "the TFTP server does not give the firmware of grub-1 the boot loader"),
        (">>Start PXE over IPv4.", "  Client Error: 404 Not Found", "boot loader",
         "the web server does not give the firmware of grub-1 the boot loader (Client Error: 404"),
        (">>Start PXE over IPv4.", "  Error: Could not retrieve NBP file size from HTTP server.",
         "boot loader", "the web server does not give the firmware of grub-1 the boot loader"),
        (">>Start PXE over IPv4.", "Shell> ", "boot loader",
         "Does the DHCP server name GRUB or iPXE as the file to boot"),
        ("grub> boot", "error: file `/1/kernel/image' not found.", "boot",
         "the TFTP server answers GRUB, but not with the file that LAVA has put there"),
        ("grub> boot", "error: timeout reading `/1/kernel/image'.", "boot",
         "no TFTP server answers GRUB"),
    ],
)  # fmt: skip
def test_a_server_says_what_its_boot_lacks(after: str, line: str, step: str, sentence: str) -> None:
    rows = lines_of("grub")
    end = next(i for i, row in enumerate(rows) if after in row)
    wrong = next(s for s in fetched([*rows[: end + 1], said("target", line)]) if s.state == FAILED)
    assert (wrong.name, sentence in wrong.sentence) == (step, True), wrong


def said(level: str, message: object) -> str:
    return json.dumps({"lvl": level, "msg": message})


def without_failures(name: str) -> list[str]:
    """Return a log whose board goes on as far as U-Boot starts the kernel."""
    rows = lines_of(name)
    end = next(i for i, row in enumerate(rows) if '"msg": "Bad Linux' in row)
    return [*rows[:end], said("target", "Starting kernel ...")]


MARKS = (
    "Linux version 6.12.117", "IP-Config: Complete:", "@vlag:start", "@vlag:knob autogroup ok off",
    "@vlag:cool waited 0 s for 60000 mC: thermal_zone0=2600", "@vlag:run", "@vlag:status 0",
    "@vlag:uploaded cyclictest.json 10 abc", "@vlag:done",
)  # fmt: skip


def boot(*changes: tuple[str, str]) -> list[str]:
    """Return a log of a whole boot in which lines that have a text are others; "" drops them."""
    spoken = []
    for mark in MARKS:
        new = next((new for old, new in changes if old in mark), mark)
        spoken += [said("target", new)] if new else []
    return [*without_failures("no-kernel"), *spoken]


def test_a_whole_boot_passes() -> None:
    """Negative control: the same reader finds nothing wrong."""
    assert [(s.name, s.state) for s in steps(boot())] == [(name, OK) for name in ALL]


def test_a_kernel_without_a_sensor_passes_without_a_temperature() -> None:
    why = "this kernel's device tree has no sensor"
    unread = boot(("@vlag:cool", f"@vlag:knob temperature_max_mC ok not known: {why}"))
    [step] = [s for s in steps(unread) if s.name == "temperature"]
    assert (step.state, step.sentence) == (OK, f"not known: {why}")


@pytest.mark.parametrize(
    ("change", "step", "sentence"),
    [
        (("@vlag:knob", "@vlag:knob autogroup failed it is 1"), "policy", "autogroup does not"),
        (("@vlag:cool", "@vlag:hot waited 5 s for 60000 mC: thermal_zone0=71000"), "temperature",
         "its fan does not turn or its heat sink is loose"),
        (("@vlag:cool", ""), "temperature", "did not say how hot it is"),
        (("@vlag:uploaded", "@vlag:file cyclictest.json 10 abc 2"), "network",
         "does not reach the artifact store"),
        (("@vlag:status", "@vlag:status 3"), "benchmark", "ended with status 3"),
        (("@vlag:start", "Kernel panic - not syncing: VFS"), "boot", "panicked while booting"),
    ],
)  # fmt: skip
def test_a_booted_board_may_still_be_wrong(
    change: tuple[str, str], step: str, sentence: str
) -> None:
    wrong = next(s for s in steps(boot(change)) if s.state == FAILED)
    assert (wrong.name, sentence in wrong.sentence) == (step, True), wrong


def test_a_kernel_that_says_nothing_has_another_boards_device_tree() -> None:
    wrong = next(s for s in steps(without_failures("no-kernel")) if s.state == FAILED)
    assert wrong.name == "boot"
    assert "nothing after `Starting kernel`: its device tree is not the one" in wrong.sentence


def test_what_is_typed_to_a_boot_loader_does_not_end_the_console() -> None:
    """The kernel speaks after it; only what is typed when the job is over is no longer its."""
    log = Log(lambda _: None)
    for line in [
        said("input", "dhcp\n"),
        said("target", "Linux version 6.12"),
        said("info", "start: 4 finalize (timeout 00:01:00) [common]"),
        said("target", "the last word"),
        said("input", "poweroff\n"),
        said("target", "poweroff"),
    ]:
        log.add(line)
    assert log.console == ["Linux version 6.12", "the last word"]
