# SPDX-License-Identifier: GPL-2.0-only
"""Events that `perf stat` counts, by the names that it and the processors have for them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vlag.model import Direction, Quantity

_COUNT = Quantity(unit="count", direction=Direction.LOWER)

_CLOCK = Quantity(unit="ms", direction=Direction.LOWER)
#: Event -> what its figure is.
EVENTS: Mapping[str, Quantity] = {
    **dict.fromkeys(("context-switches", "cpu-migrations", "page-faults"), _COUNT),
    **dict.fromkeys(("minor-faults", "major-faults", "cycles", "instructions"), _COUNT),
    **dict.fromkeys(("cache-references", "cache-misses", "branches", "branch-misses"), _COUNT),
    **dict.fromkeys(("stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"), _COUNT),
    **dict.fromkeys(("bus-cycles", "alignment-faults", "emulation-faults"), _COUNT),
    **dict.fromkeys(("L1-dcache-loads", "L1-dcache-load-misses"), _COUNT),
    **dict.fromkeys(("LLC-loads", "LLC-load-misses", "cgroup-switches"), _COUNT),
    **dict.fromkeys(("task-clock", "cpu-clock"), _CLOCK),
}
# Other names of events.
_ALIASES = {
    "cpu-cycles": "cycles", "cs": "context-switches", "migrations": "cpu-migrations",
    "faults": "page-faults", "branch-instructions": "branches",
    "idle-cycles-frontend": "stalled-cycles-frontend",
    "idle-cycles-backend": "stalled-cycles-backend",
    # Arm's own, which the kernel counts for the common ones.
    "cpu_cycles": "cycles", "inst_retired": "instructions", "br_retired": "branches",
    "br_mis_pred": "branch-misses", "bus_cycles": "bus-cycles",
    "stall_frontend": "stalled-cycles-frontend", "stall_backend": "stalled-cycles-backend",
}  # fmt: skip
# What Linux's driver of Arm's performance monitors calls them: by the core where the device tree
# names it, by a number where the firmware (ACPI) tells none.
_ARM = (
    "pmuv3", *(f"pmuv3_{n}" for n in range(8)), "cavium_thunder", "brcm_vulcan", "nvidia_carmel",
    "nvidia_denver",
    *(f"neoverse_{name}" for name in ("e1", "n1", "n2", "n3", "v1", "v2", "v3", "v3ae")),
    *(f"cortex_x{n}" for n in (1, 2, 3, 4, 925)),
    *(f"cortex_a{n}" for n in (34, 35, 53, 55, 57, 65, 72, 73, 75, 76, 77, 78)),
    *(f"cortex_a{n}" for n in ("320", "510", "520", "520ae", "710", "715", "720", "720ae", "725")),
)  # fmt: skip
#: Counting unit of a kind of processors, of which a machine may have several -> end of the
#: metric's name.
KINDS: Mapping[str, str] = {
    "cpu": "",
    **{f"cpu_{name}": f"-{name}" for name in ("core", "atom", "lowpower")},
    **{
        f"{arch}_{name}": f"-{name.replace('_', '-')}"
        for arch in ("armv8", "armv9")
        for name in _ARM
    },
}
# cpu_core/cpu-cycles/u, armv8_cortex_a72/cpu_cycles/, cycles:u
_EVENT = re.compile(
    r"(?:(?P<unit>[a-z]\w*)/(?P<inner>[\w-]+)/|(?P<event>[\w-]+))(?::?(?P<mode>u|k|uk))?", re.ASCII
)


def metric_of(event: str) -> str:
    """Return the metric of an event; what is unknown is left as it is."""
    match = _EVENT.fullmatch(event)
    kind = None if match is None else KINDS.get(match["unit"] or "cpu")
    if match is None or kind is None:
        return event
    own = match["inner"] or match["event"]
    mode = f":{match['mode']}" if match["mode"] else ""
    return f"{_ALIASES.get(own, own)}{kind}{mode}"
