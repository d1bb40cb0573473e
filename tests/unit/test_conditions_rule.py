# SPDX-License-Identifier: GPL-2.0-only
"""Whoever changes what is kept of a run's document raises the number of the rule."""

from __future__ import annotations

from typing import Any

from vlag.compare import conditions
from vlag.model import digest

DOCUMENT: Any = {
    "board": {"emulator": None, "setup": "5e7" * 10},
    "userland": {"sha256": "0a1" * 20},
    "argv": {"switch": ["stress-ng", "--switch", "2"]},
    "kernel": {"kconfig": "c0f" * 10},
    "environment": {
        "/proc/version": "Linux version 6.12 (vlag@vlag) (gcc 12.2.0) #1 SMP",
        "/sys/class/dmi/id/bios_version": "1.0",
        "processors": "model: 7\nmicrocode: 0x2b\nbogomips: 2",
    },
}


def test_a_changed_rule_has_another_number() -> None:
    assert (conditions.RULE, digest(conditions.kept(DOCUMENT))[:12]) == (1, "99683bb3535b"), (
        "what `kept` returns has changed: raise RULE, so that runs on record are read again"
    )
