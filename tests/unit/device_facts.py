# SPDX-License-Identifier: GPL-2.0-only
"""Which driver of Linux is for each device that a board type names by a number.

tests/long/test_board_configs.py holds them against the tables of real sources, and
tests/unit/test_boards_devices.py the board types against them.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Device as in vlag/kernel/device_ids.py -> source file of its driver.
DRIVERS: Mapping[str, str] = {
    # The serial line of a server by Arm's base architecture, which is a PL011.
    "acpi:ARMH0011": "drivers/tty/serial/amba-pl011.c",
    "acpi:PNP0501": "drivers/tty/serial/8250/8250_pnp.c",
    # The management processor of Ampere's chips, by the tables of their firmware (EDK II).
    "acpi:APMC0D29": "drivers/hwmon/xgene-hwmon.c",
    # I210 with copper, X550 with 10GBASE-T.
    "pci:8086:1533": "drivers/net/ethernet/intel/igb/igb_main.c",
    "pci:8086:1563": "drivers/net/ethernet/intel/ixgbe/ixgbe_main.c",
    "pci:class:010601": "drivers/ata/ahci.c",
    "pci:class:010802": "drivers/nvme/host/pci.c",
    # BCM54213PE of the Raspberry Pi 4 and 5.
    "mdio:600d84a2": "drivers/net/phy/broadcom.c",
    "driver:cppc_cpufreq": "drivers/cpufreq/cppc_cpufreq.c",
    "driver:sbsa_gwdt": "drivers/watchdog/sbsa_gwdt.c",
    "driver:x86_pkg_temp_thermal": "drivers/thermal/intel/x86_pkg_temp_thermal.c",
    "driver:coretemp": "drivers/hwmon/coretemp.c",
    "driver:k10temp": "drivers/hwmon/k10temp.c",
    "driver:intel_pstate": "drivers/cpufreq/intel_pstate.c",
    "driver:amd_pstate": "drivers/cpufreq/amd-pstate.c",
    "driver:acpi_cpufreq": "drivers/cpufreq/acpi-cpufreq.c",
}
#: Numbers of other devices of the same makers, by the driver that they have: controls.
OTHERS: Mapping[str, str] = {
    "pci:8086:1572": "drivers/net/ethernet/intel/i40e/i40e_main.c",  # X710
    "pci:8086:1592": "drivers/net/ethernet/intel/ice/ice_main.c",  # E810-C
    "pci:15b3:1017": "drivers/net/ethernet/mellanox/mlx5/core/main.c",  # ConnectX-5
    "pci:14e4:1750": "drivers/net/ethernet/broadcom/bnxt/bnxt.c",  # BCM57508
    "acpi:HISI0031": "drivers/tty/serial/8250/8250_dw.c",
}
