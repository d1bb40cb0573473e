# SPDX-License-Identifier: GPL-2.0-only
"""Devices that no device tree names are found in the tables of their drivers."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from attrs import evolve

from tests.unit.device_trees import BOARD, blob, source
from vlag.config import kernel_needs
from vlag.config.catalogue import load
from vlag.kernel import boot_devices, device_tree
from vlag.kernel.boot_devices import Role
from vlag.kernel.device_ids import is_id
from vlag.kernel.drivers import Source
from vlag.kernel.kconfig import unmet

HEADERS = {
    "include/linux/pci_ids.h": (
        "#define PCI_CLASS_STORAGE_EXPRESS\t0x010802\n#define PCI_VENDOR_ID_MAKER 0x15b3\n"
        "#define PCI_VENDOR_ID_OTHER 0x8086\n#define PCI_DEVICE_ID_MAKER_FIVE 0x0005\n"
    ),
    "include/linux/makerphy.h": "#define PHY_ID_MAKER 0x600d84a0\n",
    "include/acpi/processor.h": '#define PROCESSOR_HID "ACPI0007"\n',
    "drivers/net/b/ids.h": "#define CARD_SEVEN 0x0007\n",
}
#: Device -> file of its driver, its text, and the option of its makefile.
DRIVERS: Mapping[str, tuple[str, str, str]] = {
    "acpi:ARMH0011": ("drivers/tty/line.c", '{{"ARMH0011", 0}}, MODULE_DEVICE_TABLE(acpi, a);',
                      "LINE"),
    "acpi:ACPI0007": ("drivers/freq/cppc.c", "{{ PROCESSOR_HID, }}, MODULE_DEVICE_TABLE(acpi, a);",
                      "CPPC"),
    "acpi:PNP0501": ("drivers/tty/old/old.c", '{{ .id = "PNP0501", }} MODULE_DEVICE_TABLE(pnp, a);',
                     "OLD"),
    "pci:15b3:0005": ("drivers/net/a/card.c",
                      "{{ PCI_DEVICE_DATA(MAKER, FIVE, 0) }} MODULE_DEVICE_TABLE(pci, a);", "CARD"),
    "pci:15b3:0007": ("drivers/net/b/main.c",
                      "{{ PCI_VDEVICE(MAKER, CARD_SEVEN), 0 }} MODULE_DEVICE_TABLE(pci, a);",
                      "SEVEN"),
    "pci:8086:1572": ("drivers/net/c/main.c",
                      "{{ PCI_DEVICE(0x8086, 0x1572) }} MODULE_DEVICE_TABLE(pci, a);", "LITERAL"),
    "pci:class:010802": ("drivers/disk/disk.c",
                         "{{ PCI_DEVICE_CLASS(PCI_CLASS_STORAGE_EXPRESS, 0xffffff) }}"
                         " MODULE_DEVICE_TABLE(pci, a);", "DISK"),
    "mdio:600d84a2": ("drivers/net/phy/phy.c",
                      "{{ PHY_ID_MATCH_MODEL(PHY_ID_MAKER) }} MODULE_DEVICE_TABLE(mdio, a);",
                      "PHY"),
    "driver:sbsa_gwdt": ("drivers/watchdog/sbsa-gwdt.c", "no table", "WDT"),
}  # fmt: skip
ROLE = {"network": Role(ids=tuple(DRIVERS))}
WHOLE = {f"CONFIG_{option}": "y" for _, _, option in DRIVERS.values()}


def written(folder: Path, drivers: Mapping[str, tuple[str, str, str]] = DRIVERS) -> Source:
    source(folder, drivers)
    for name, text in HEADERS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Source(folder, "arm64")


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return written(tmp_path_factory.mktemp("source") / "linux")


@pytest.mark.parametrize("device", DRIVERS)
def test_its_driver_is_the_file_with_the_table(kernel: Source, device: str) -> None:
    assert is_id(device)
    file, _, option = DRIVERS[device]
    [driver] = kernel.drivers([device])[device]
    assert (driver.file, driver.options) == (file, (f"CONFIG_{option}",))


@pytest.mark.parametrize(
    "device",
    ["acpi:ARMH0012", "pci:15b3:0008", "pci:8086:0007", "pci:class:010601", "mdio:600d84b2",
     "driver:sbsa"],
)  # fmt: skip
def test_another_device_has_none(kernel: Source, device: str) -> None:
    assert kernel.drivers([device]) == {device: []}


@pytest.mark.parametrize("device", [name for name in DRIVERS if not name.startswith("driver:")])
def test_a_list_for_other_uses_makes_no_driver(tmp_path: Path, device: str) -> None:
    file, text, option = DRIVERS[device]
    without = text.replace("MODULE_DEVICE_TABLE", "quirks")
    kernel = written(tmp_path / "linux", {**DRIVERS, device: (file, without, option)})
    assert kernel.drivers([device]) == {device: []}


@pytest.mark.parametrize(
    ("name", "option"),
    [("ethernet-phy-id600d.84a2", "PHY"), ("pci15b3,7", "SEVEN"), ("pci8086,1572", "LITERAL")],
)
def test_a_name_that_holds_numbers_finds_it(kernel: Source, name: str, option: str) -> None:
    assert not is_id(name)
    [driver] = kernel.drivers([name])[name]
    assert driver.options == (f"CONFIG_{option}",)


def test_each_driver_is_needed_and_each_is_missed(kernel: Source) -> None:
    devices = boot_devices.find("board", ROLE, None, kernel, WHOLE)
    assert (devices.wrong, devices.unknown) == (None, ())
    assert {need.option for need in devices.needs} == set(WHOLE)
    for option in WHOLE:
        for value in ("n", "m"):
            without = {**WHOLE, option: value}
            needs = boot_devices.find("board", ROLE, None, kernel, without).needs
            [need] = unmet(needs, without)
            assert need.option == option
    module = {**WHOLE, "CONFIG_CARD": "m"}
    needs = boot_devices.find("board", ROLE, None, kernel, module, ("CONFIG_CARD",)).needs
    assert unmet(needs, module) == []


@pytest.mark.parametrize("device", DRIVERS)
def test_a_kernel_without_a_driver_is_refused(tmp_path: Path, device: str) -> None:
    kernel = written(tmp_path / "linux", {k: v for k, v in DRIVERS.items() if k != device})
    wrong = boot_devices.find("board", ROLE, None, kernel, WHOLE).wrong
    assert wrong is not None
    assert f"board's network: no driver of this kernel is for {device}" in wrong


def test_a_role_without_a_device_is_not_known(kernel: Source) -> None:
    roles = {**ROLE, "watchdog": Role()}
    assert boot_devices.find("board", roles, None, kernel, WHOLE).unknown == (
        "board's watchdog: `devices` of the board type names none for it",
    )


def test_a_phy_without_a_name_is_not_known_until_the_board_type_names_it(kernel: Source) -> None:
    pcie = BOARD["pcie@500"]
    assert isinstance(pcie, Mapping)
    card = pcie["ethernet@0"]
    assert isinstance(card, Mapping)
    unnamed = {**card, "mdio": {"phy@1": {"phandle": [7]}}}
    tree = device_tree.read(blob({**BOARD, "pcie@500": {**pcie, "ethernet@0": unnamed}}))

    def sentences(*ids: str) -> list[str]:
        role = {"network": Role(must=True, ids=ids)}
        unknown = boot_devices.find("board", role, tree, kernel, WHOLE).unknown
        return [sentence for sentence in unknown if "phy@1" in sentence]

    [sentence] = sentences()
    assert "phy@1, phy-handle of ethernet@0, has no name in the device tree" in sentence
    assert sentences("mdio:600d84a2") == []


def test_devices_of_the_board_type_make_no_device_tree_serve(kernel: Source) -> None:
    """Control: a PHY without its network card."""
    tree = device_tree.read(blob({**BOARD, "aliases": {"serial0": "/soc/serial@100"}}))
    role = {"network": Role(must=True, ids=("mdio:600d84a2",))}
    wrong = boot_devices.find("board", role, tree, kernel, WHOLE).wrong
    assert wrong is not None
    assert "has no device for the network of board" in wrong


def test_storage_is_asked_for_where_a_benchmark_needs_it() -> None:
    known = load()
    small = known.board_type("rpi5")
    assert "storage" not in kernel_needs.roles(small)
    disk = evolve(small, hardware=(*small.hardware, "disk"))
    assert kernel_needs.roles(disk)["storage"].must
    assert kernel_needs.roles(known.board_type("altra"))["storage"].ids == ("pci:class:010802",)


def test_storage_is_found_in_a_device_tree(kernel: Source) -> None:
    roles = {"storage": Role(must=True)}
    wrong = boot_devices.find("board", roles, device_tree.read(blob(BOARD)), kernel, {}).wrong
    assert wrong is not None
    assert "has no device for the storage of board" in wrong
    disk = {**BOARD, "ufshc@9": {"compatible": "ethernet-phy-id600d.84a2"}}
    [need] = boot_devices.find("board", roles, device_tree.read(blob(disk)), kernel, WHOLE).needs
    assert need.reason == "board's storage: ufshc@9 (ethernet-phy-id600d.84a2)"


def test_git_is_asked_without_a_commit(kernel: Source) -> None:
    """A checkout's patches are not committed; neither is anything here."""
    argv = ["git", "-C", str(kernel.folder), "rev-parse", "--verify", "HEAD"]
    assert subprocess.run(argv, capture_output=True, check=False).returncode != 0
