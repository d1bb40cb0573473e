# SPDX-License-Identifier: GPL-2.0-only
"""What a board said of itself, held against what its type says of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

_ONLINE = "/sys/devices/system/cpu/online"
#: A list of CPUs as the kernel writes it: 0-3,8.
_CPULIST = re.compile(r"\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*")


def online(environment: Mapping[str, str]) -> int | None:
    """Return how many CPUs were online when the benchmark began; None: the board did not say."""
    text = environment.get(_ONLINE, "").strip()
    if not _CPULIST.fullmatch(text):
        return None
    ends = [[int(number) for number in part.split("-")] for part in text.split(",")]
    return sum(max(0, end[-1] - end[0] + 1) for end in ends)


def fault(environment: Mapping[str, str], cpus: int) -> str | None:
    """Return why a board is not one of its type with `cpus` CPUs; None: nothing speaks against it.

    `environment` is what `vlag.lava.console.environment` reads.
    """
    cpus_ = online(environment)
    if cpus_ is None or cpus_ == cpus:
        return None
    return (
        f"{cpus_} CPUs are online ({environment[_ONLINE].strip()}), and boards of this type have"
        f" {cpus}: look for CPUs that did not start, for maxcpus= or nr_cpus= on its command line,"
        " and for NR_CPUS in its kernel's config"
    )
