# SPDX-License-Identifier: GPL-2.0-only
"""What a board boots by follows from its device tree, down to the last supplier."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.device_trees import BOARD, DRIVERS, Tree, blob, source
from vlag.kernel import boot_devices, device_tree
from vlag.kernel.boot_devices import BootDevices, Role
from vlag.kernel.device_tree import DeviceTreeError
from vlag.kernel.drivers import Source
from vlag.kernel.kconfig import unmet

MUST = ("network", "temperature", "frequency")
ROLES = {name: Role(must=name in MUST) for name in boot_devices.ROLES}
#: Each but that of a device by which nothing boots.
NEEDED = {f"CONFIG_{option}" for _, _, option in DRIVERS.values() if option} - {"CONFIG_SOUND"}
WHOLE = dict.fromkeys(NEEDED, "y")


def changed(tree: Tree, path: str, key: str, value: object) -> Tree:
    """Return a tree in which one property, or node, is another; None takes it out."""
    first, _, rest = path.partition("/")
    if first:
        below = tree[first]
        assert isinstance(below, Mapping)
        return {**tree, first: changed(below, rest, key, value)}
    left = {name: its for name, its in tree.items() if name != key}
    return left if value is None else {**left, key: value}  # type: ignore[dict-item]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return source(tmp_path_factory.mktemp("source") / "linux")


def asked(
    kernel: Path,
    options: Mapping[str, str],
    tree: Tree = BOARD,
    roles: Mapping[str, Role] = ROLES,
    modules: tuple[str, ...] = (),
) -> BootDevices:
    return boot_devices.find(
        "board", roles, device_tree.read(blob(tree)), Source(kernel, "arm64"), options, modules
    )


def lacking(devices: BootDevices, options: Mapping[str, str]) -> list[str]:
    return [need.refusal(options) for need in unmet(devices.needs, options)]


def test_all_suppliers_are_needed_and_no_other_device(kernel: Path) -> None:
    devices = asked(kernel, WHOLE)
    assert devices.wrong is None
    assert {need.option for need in devices.needs} == NEEDED
    assert lacking(devices, WHOLE) == []
    # The PHY's driver is known by a number that no source names.
    assert devices.unknown == (
        "board's network: phy@1 (ethernet-phy-id600d.84a2), phy-handle of ethernet@0,: no driver"
        " of this kernel is for that name",
    )


@pytest.mark.parametrize("option", sorted(NEEDED))
@pytest.mark.parametrize("value", [None, "n", "m"])
def test_each_driver_that_is_not_there_is_named(
    kernel: Path, option: str, value: str | None
) -> None:
    options = {k: v for k, v in WHOLE.items() if k != option}
    if value is not None:
        options[option] = value
    [sentence] = lacking(asked(kernel, options), options)
    assert sentence.startswith("board's ")
    assert sentence.endswith(f"needs {option}=y, the kernel made it {value or 'n'}")


def test_a_module_counts_where_the_board_loads_it(kernel: Path) -> None:
    options = {**WHOLE, "CONFIG_MIP": "m"}
    assert lacking(asked(kernel, options, modules=("CONFIG_MIP",)), options) == []
    assert lacking(asked(kernel, options, modules=("CONFIG_PCIE",)), options) == [
        "board's network: mip@20 (maker,mip), msi-parent of pcie@500, needs CONFIG_MIP=y, the"
        " kernel made it m"
    ]


def test_a_renamed_option_is_the_one_that_is_needed(tmp_path: Path) -> None:
    file, text, _ = DRIVERS["maker,mip"]
    kernel = source(tmp_path / "linux", {**DRIVERS, "maker,mip": (file, text, "MSI_MIP")})
    [sentence] = lacking(asked(kernel, WHOLE), WHOLE)
    assert "needs CONFIG_MSI_MIP=y, the kernel made it n" in sentence


def test_one_of_several_drivers_is_enough(tmp_path: Path) -> None:
    more = {"maker,serial-2": ("drivers/tty/serial/serial2.c", '.compatible = "{}"', "SERIAL_2")}
    kernel = source(tmp_path / "linux", {**DRIVERS, **more})
    assert lacking(asked(kernel, WHOLE), WHOLE) == []
    without = {**WHOLE, "CONFIG_SERIAL": "n", "CONFIG_SERIAL_2": "y"}
    assert lacking(asked(kernel, without), without) == []
    neither = {**WHOLE, "CONFIG_SERIAL": "n"}
    [sentence] = lacking(asked(kernel, neither), neither)
    assert "board's console: serial@100 (maker,serial-2) needs CONFIG_SERIAL_2=y" in sentence


def test_a_driver_of_several_files_has_its_makefiles_option(tmp_path: Path) -> None:
    kernel = source(tmp_path / "linux")
    makefile = kernel / "drivers/net/ethernet/Makefile"
    makefile.write_text("whole-$(CONFIG_PART) := \\\n\tother.o card.o # a comment\n"
                        "obj-$(CONFIG_CARD) += whole.o\n")  # fmt: skip
    devices = asked(kernel, {**WHOLE, "CONFIG_PART": "y"})
    assert {need.option for need in devices.needs} == NEEDED | {"CONFIG_PART"}


def test_to_ask_for_a_device_makes_no_driver(tmp_path: Path) -> None:
    kernel = source(tmp_path / "linux")
    for text in ('of_find_compatible_node(NULL, NULL, "maker,mip");', "// maker,mip"):
        (kernel / "drivers/irqchip/mip.c").write_text(text)
        devices = asked(kernel, WHOLE)
        assert "CONFIG_MIP" not in {need.option for need in devices.needs}
        assert any("mip@20 (maker,mip), msi-parent of pcie@500" in s for s in devices.unknown)


def test_a_device_that_is_switched_off_is_needed_by_none(kernel: Path) -> None:
    tree = changed(BOARD, "soc/watchdog@70", "status", "disabled")
    assert {n.option for n in asked(kernel, WHOLE, tree).needs} == NEEDED - {"CONFIG_WATCHDOG"}


@pytest.mark.parametrize(
    ("path", "key", "role"),
    [
        ("aliases", "ethernet0", "network"),
        ("thermal-zones/cpu-thermal", "thermal-sensors", "temperature"),
        ("", "cpus", "frequency"),
    ],
)
def test_a_role_without_a_device_is_refused(kernel: Path, path: str, key: str, role: str) -> None:
    wrong = asked(kernel, WHOLE, changed(BOARD, path, key, None)).wrong
    assert wrong is not None
    assert f"has no device for the {role} of board" in wrong


def test_a_role_that_is_optional_may_have_no_device(kernel: Path) -> None:
    tree = changed(BOARD, "thermal-zones/cpu-thermal", "thermal-sensors", None)
    optional = {**ROLES, "temperature": Role()}
    assert asked(kernel, WHOLE, tree, roles=optional).wrong is None
    # Where there is one, its driver is needed as well.
    without = {**WHOLE, "CONFIG_SENSOR": "n"}
    assert len(lacking(asked(kernel, without, roles=optional), without)) == 1


def test_a_board_may_name_the_devices_of_a_role(kernel: Path) -> None:
    needs = asked(kernel, WHOLE, roles={"network": Role("sound@*", must=True)}).needs
    assert [need.option for need in needs] == ["CONFIG_SOUND"]
    wrong = asked(kernel, WHOLE, roles={"network": Role("usb@*", must=True)}).wrong
    assert wrong is not None
    assert "no device named usb@* for the network of board" in wrong


def test_links_that_go_round_end(kernel: Path) -> None:
    tree = changed(BOARD, "mip@20", "clocks", [4, 1, 3, 0])
    tree = changed(tree, "soc/pins@40", "msi-parent", [2])
    assert {n.option for n in asked(kernel, WHOLE, tree).needs} == NEEDED


def test_a_tree_that_is_endlessly_deep_is_refused() -> None:
    tree: Tree = {}
    for _ in range(100):
        tree = {"n": tree}
    with pytest.raises(DeviceTreeError, match="more than 64 levels deep"):
        device_tree.read(blob(tree))


def test_a_damaged_file_is_refused_with_a_sentence() -> None:
    whole = blob(BOARD)
    device_tree.read(whole)
    with pytest.raises(DeviceTreeError, match="does not begin as a device tree does"):
        device_tree.read(b"\0" + whole)
    for end in range(0, len(whole) - 4, 7):
        cut = whole[:end]
        try:
            device_tree.read(cut)
        except DeviceTreeError:
            continue
        # What is missing is only the end of the names.
        assert end > whole.rindex(b"cpu-thermal")
