# SPDX-License-Identifier: GPL-2.0-only
"""Options of a kernel's config: how they are read, and which differences are named."""

from __future__ import annotations

import pytest

from vlag import ROOT
from vlag.kernel import kconfig

BASE = """#
# Linux/x86_64 6.1.192 Kernel Configuration
#
CONFIG_CC_VERSION_TEXT="gcc (Debian 12.2.0-14) 12.2.0"
CONFIG_CC_IS_GCC=y
CONFIG_HZ_1000=y
# CONFIG_HZ_250 is not set
CONFIG_HZ=1000
CONFIG_NUMA=y
CONFIG_OLD=y
# CONFIG_NEVER is not set
CONFIG_CMDLINE="a=b"
"""
NEW = """CONFIG_CC_VERSION_TEXT="gcc (Debian 14.2.0) 14.2.0"
CONFIG_CC_HAS_SOMETHING=y
# CONFIG_HZ_1000 is not set
CONFIG_HZ_250=y
CONFIG_HZ=250
# CONFIG_NUMA is not set
CONFIG_SCHED_PROXY_EXEC=y
# CONFIG_NOBODY_SET_THIS is not set
CONFIG_CMDLINE="a=b"
"""


def test_an_option_is_set_or_not_set() -> None:
    found = kconfig.options(BASE)
    assert found["CONFIG_HZ"] == "1000"
    assert found["CONFIG_HZ_250"] == "n"
    assert found["CONFIG_CMDLINE"] == '"a=b"'
    assert "CONFIG_SCHED_PROXY_EXEC" not in found
    assert "Linux/x86_64" not in "".join(found)


@pytest.mark.parametrize(
    ("text", "hz"),
    [(BASE, 1000), (NEW, 250), ("CONFIG_HZ_250=y\n", None), ("CONFIG_HZ=fast\n", None), ("", None)],
)
def test_the_tick_is_that_of_the_config(text: str, hz: int | None) -> None:
    assert kconfig.hz(kconfig.options(text)) == hz


def test_only_what_differs_is_named() -> None:
    found = kconfig.differences(*map(kconfig.options, (BASE, NEW)))
    assert found.changed == {"HZ": ("1000", "250"), "NUMA": ("y", "n")}
    # An option that is mentioned but not set has no effect, as one that is not mentioned.
    assert (found.new, found.gone) == ({"SCHED_PROXY_EXEC": "y"}, {"OLD": "y"})
    same = kconfig.differences(kconfig.options(BASE), kconfig.options(BASE))  # negative control
    assert (same.changed, same.new, same.gone) == ({}, {}, {})


@pytest.mark.parametrize(
    "name",
    [
        "CC_VERSION_TEXT", "GCC_VERSION", "AS_VERSION", "LD_VERSION", "CC_IS_GCC", "AS_HAS_AVX512",
        "CC_HAS_ASM_GOTO_OUTPUT", "CC_CAN_LINK", "PAHOLE_VERSION", "RUSTC_LLVM_VERSION", "HZ_1000",
    ],
)  # fmt: skip
def test_what_the_compiler_decides_is_left_out(name: str) -> None:
    found = kconfig.differences({f"CONFIG_{name}": "1"}, {f"CONFIG_{name}": "2"})
    assert not found.changed
    # Negative control: a choice of a person with a name like it.
    for chosen in ("CC_OPTIMIZE_FOR_SIZE", "HZ_PERIODIC", "LD_DEAD_CODE_DATA_ELIMINATION"):
        assert kconfig.differences({f"CONFIG_{chosen}": "y"}, {f"CONFIG_{chosen}": "n"}).changed


def test_options_of_the_scheduler_are_known_by_their_prefix() -> None:
    for name in ("SCHED_CORE", "PREEMPT_LAZY", "HZ", "NO_HZ_FULL", "NUMA_BALANCING", "RCU_NOCB_CPU",
                 "RT_GROUP_SCHED", "CFS_BANDWIDTH", "CGROUP_SCHED", "NR_CPUS"):  # fmt: skip
        assert kconfig.of_scheduler(name), name
    for name in ("NET_SCHED", "IOSCHED_BFQ", "HAVE_PREEMPT_DYNAMIC", "EXT4_FS"):
        assert not kconfig.of_scheduler(name), name
    # The page on reports names the same prefixes.
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    for prefix in kconfig.SCHEDULER:
        assert f"`{prefix}`" in page, prefix
