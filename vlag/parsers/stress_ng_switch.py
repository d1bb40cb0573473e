# SPDX-License-Identifier: GPL-2.0-only
"""Time per context switch, as stress-ng's `switch` stressor logs it in versions 0.09.47 to 0.15.04.

Later ones have it among the miscellaneous metrics, earlier ones not at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vlag.model import Sample
from vlag.parsers.stress_ng_log import LogLine
from vlag.parsers.stress_ng_metrics import number

STRESSOR = "switch"

# The first versions had this one method, and do not name it.
_FIRST_METHOD = "pipe"

# switch: 17591.76 nanoseconds per context switch (based on parent run time)
# switch: (pipe) 4123.45 nanosecs per context switch (based on parent run time)
_TIME = re.compile(
    r"switch: (?:\((?P<method>[a-z-]+)\) )?(?P<value>-?\d+(?:\.\d+)?|-?nan|-?inf)"
    r" nanosec(?:ond)?s per context switch \(based on parent run time\)",
    re.ASCII,
)

# dispatching hogs: 2 switch
_INSTANCES = re.compile(r"dispatching hogs: (?P<count>\d{1,9}) switch", re.ASCII)


def times(log: Sequence[LogLine]) -> tuple[tuple[Sample, ...], dict[str, str]]:
    """Return the sample of all instances, in the order of the log, and the settings.

    `method` is how the processes wake each other, `mean` is "none": a value each instance.
    Both are empty where the log has no such line.

    Raises ParseError for a time that is not above 0, for unlike methods and where an instance's
    line is missing.
    """
    values: list[float] = []
    methods: set[str] = set()
    for line in log:
        match = _TIME.fullmatch(line.text)
        if match is None:
            continue
        values.append(number(match["value"], "time-per-switch", line.path, line.number))
        methods.add(match["method"] or _FIRST_METHOD)
        if len(methods) > 1:
            raise line.refuse(f"the method is both {' and '.join(sorted(methods))}")
    if not values:
        return (), {}
    for instances in filter(None, (_INSTANCES.fullmatch(line.text) for line in log)):
        if int(instances["count"]) != len(values):
            raise log[-1].refuse(
                f"there are times of {len(values)} of {instances['count']} instances"
            )
    labels = tuple(map(str, range(len(values))))
    sample = Sample(metric="time-per-switch", values=tuple(values), instances=labels)
    return (sample,), {"mean": "none", "method": methods.pop()}
