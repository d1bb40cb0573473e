# SPDX-License-Identifier: GPL-2.0-only
"""What a board runs to sample where its CPUs spend their cycles, by kernel function.

perf resolves the symbols on the board, from the kernel's own list, so that prebuilt kernels and
modules have names as well.
"""

from __future__ import annotations

#: The file that perf's report becomes; `vlag.profile.sampled_functions` reads it.
REPORT = "perf-report.txt"
#: What is sampled.  Cycles of a PMU: a timer would wait where interrupts are off, as in most of
#: the scheduler.
EVENT = "cycles"
#: Samples a second and CPU; no divisor of any tick.
FREQUENCY = 997
#: Columns of the report, separated by `SEPARATOR`, which no name of a function has.
FIELDS, SEPARATOR = "sample,period,dso,sym", "|"


def script(event: str = EVENT) -> bytes:
    """Return the script that runs the benchmark's own, `benchmark.sh` beside it, under perf."""
    return f"""#!/bin/sh
perf record -q -N -B -a -e {event} -F {FREQUENCY} -o /tmp/perf.data -- \\
	sh "${{0%/*}}/benchmark.sh"
rc=$?
perf report -i /tmp/perf.data --stdio -F {FIELDS} -t '{SEPARATOR}' > "$OUT/{REPORT}"
rm -f /tmp/perf.data
exit $rc
""".encode()
