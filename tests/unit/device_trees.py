# SPDX-License-Identifier: GPL-2.0-only
"""Device trees of a few nodes, and the source of a kernel that has drivers for them."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Union

#: A property's value: a text, texts, cells, a node's phandle by its label; or a node.
Value = Union[str, list[str], list[int], bytes, "Tree"]
Tree = Mapping[str, Value]


def blob(tree: Tree) -> bytes:
    """Return a device tree as a file."""
    names: dict[str, int] = {}
    strings = b""
    structure = b""

    def node(name: str, its: Tree) -> None:
        nonlocal structure, strings
        structure += struct.pack(">I", 1) + _padded(name.encode() + b"\0")
        for key, value in sorted(its.items(), key=lambda item: isinstance(item[1], Mapping)):
            if isinstance(value, Mapping):
                node(key, value)
                continue
            data = _bytes(value)
            if key not in names:
                names[key] = len(strings)
                strings += key.encode() + b"\0"
            structure += struct.pack(">3I", 3, len(data), names[key]) + _padded(data)
        structure += struct.pack(">I", 2)

    node("", tree)
    structure += struct.pack(">I", 9)
    start = 40 + 16
    header = struct.pack(
        ">10I", 0xD00DFEED, start + len(structure) + len(strings), start,
        start + len(structure), 40, 17, 16, 0, len(strings), len(structure),
    )  # fmt: skip
    return header + bytes(16) + structure + strings


def _bytes(value: Value) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode() + b"\0"
    assert isinstance(value, list)
    if all(isinstance(part, int) for part in value):
        return struct.pack(f">{len(value)}I", *value)
    return b"".join(str(part).encode() + b"\0" for part in value)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


#: A network card behind PCI whose interrupts are messages, a serial line, a sensor, two CPUs.
INTC, MIP, CLOCKS, PINS, POWER, SENSOR, PHY, GPIO = range(1, 9)
BOARD: Tree = {
    "#address-cells": [2], "#size-cells": [1], "compatible": ["maker,board", "maker,chip"],
    "interrupt-parent": [INTC],
    "aliases": {"serial0": "/soc/serial@100", "ethernet0": "/pcie@500/ethernet@0"},
    "chosen": {"stdout-path": "serial0:115200n8"},
    "cpus": {
        "#address-cells": [1], "#size-cells": [0],
        "cpu@0": {"device_type": "cpu", "compatible": "arm,cortex-a76", "clocks": [CLOCKS, 0]},
        "cpu@1": {"device_type": "cpu", "compatible": "arm,cortex-a76", "clocks": [CLOCKS, 0]},
    },
    "intc@10": {"compatible": "maker,intc", "phandle": [INTC], "#interrupt-cells": [3],
                "interrupt-controller": b""},
    "mip@20": {"compatible": "maker,mip", "phandle": [MIP], "#msi-cells": [0],
               "msi-controller": b""},
    "soc": {
        "compatible": "simple-bus",
        "clocks@30": {"compatible": "maker,clocks", "phandle": [CLOCKS], "#clock-cells": [1]},
        "pins@40": {
            "compatible": "maker,pins", "gpio-controller": b"", "#gpio-cells": [2],
            "phandle": [GPIO],
            "serial-pins": {"phandle": [PINS], "function": "serial"},
        },
        "sensor@50": {"compatible": "maker,sensor", "phandle": [SENSOR],
                      "#thermal-sensor-cells": [0]},
        "pmic@60": {
            "compatible": "maker,pmic",
            "regulators": {"ldo1": {"phandle": [POWER], "regulator-name": "ldo1"}},
        },
        "serial@100": {
            "compatible": ["maker,serial-2", "maker,serial"], "interrupts": [0, 4, 4],
            "clocks": [CLOCKS, 1], "pinctrl-0": [PINS], "pinctrl-names": "default",
        },
        "serial@200": {"compatible": "maker,other", "status": "disabled"},
        "watchdog@70": {"compatible": "maker,watchdog", "clocks": [CLOCKS, 2]},
        "sound@80": {"compatible": "maker,sound"},
    },
    "pcie@500": {
        "compatible": "maker,pcie", "msi-parent": [MIP], "#address-cells": [3],
        "#interrupt-cells": [1], "#size-cells": [2],
        "interrupt-map": [0, 0, 0, 1, INTC, 0, 1, 4],
        "ethernet@0": {
            "compatible": "maker,ethernet", "phy-handle": [PHY], "phy-supply": [POWER],
            "reset-gpios": [GPIO, 3, 0],
            "mdio": {"phy@1": {"phandle": [PHY], "compatible": "ethernet-phy-id600d.84a2"}},
        },
    },
    "thermal-zones": {"cpu-thermal": {"thermal-sensors": [SENSOR]}},
}  # fmt: skip

#: Compatible name -> file, text that names it, and the option of its makefile.
DRIVERS: Mapping[str, tuple[str, str, str]] = {
    "maker,intc": ("drivers/irqchip/intc.c", 'IRQCHIP_DECLARE(intc, "{}", init);', "INTC"),
    "maker,mip": ("drivers/irqchip/mip.c", '{{ .compatible = "{}" }},', "MIP"),
    "maker,clocks": ("drivers/clk/clocks.c", 'CLK_OF_DECLARE(a, "{}", init);', "CLOCKS"),
    "maker,pins": ("drivers/pinctrl/pins.c", '{{ .compatible = "{}" }},', "PINS"),
    "maker,sensor": ("drivers/thermal/sensor.c", '{{ .compatible = "{}" }},', "SENSOR"),
    "maker,pmic": ("drivers/mfd/pmic.c", '{{ .compatible = "{}" }},', "PMIC"),
    "maker,serial": ("drivers/tty/serial/serial.c", '{{ .compatible = "{}" }},', "SERIAL"),
    "maker,watchdog": ("drivers/watchdog/wdt.c", '{{ .compatible = "{}" }},', "WATCHDOG"),
    "maker,pcie": ("drivers/pci/controller/pcie.c", '{{ .compatible = "{}" }},', "PCIE"),
    "maker,ethernet": ("drivers/net/ethernet/card.c", '{{ .compatible = "{}" }},', "CARD"),
    "maker,sound": ("sound/soc/sound.c", '{{ .compatible = "{}" }},', "SOUND"),
    "simple-bus": ("drivers/of/platform.c", '{{ .compatible = "{}" }},', ""),
}


def source(folder: Path, drivers: Mapping[str, tuple[str, str, str]] = DRIVERS) -> Path:
    """Write a kernel's source with drivers, as a repository of no commit."""
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    for name, (file, text, option) in drivers.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text.format(name)}\n")
        makefile = path.parent / "Makefile"
        line = f"obj-$(CONFIG_{option})" if option else "obj-y"
        before = makefile.read_text() if makefile.exists() else ""
        makefile.write_text(f"{before}{line} += {path.stem}.o\n")
    for made in sorted({p.parent for p in folder.rglob("Makefile")}):
        for path in (made, *made.parents):
            if path.parent == folder:
                break
            above = path.parent / "Makefile"
            before = above.read_text() if above.exists() else ""
            if f" {path.name}/" not in before:
                above.write_text(f"{before}obj-y += {path.name}/\n")
    return folder
