# SPDX-License-Identifier: GPL-2.0-only
"""What a board runs to count the kernel's own events: perf stat around the benchmark.

The kernel counts them itself, so no PMU is needed.  Where perf cannot, the benchmark runs without.
"""

from __future__ import annotations

#: The file that perf's figures become; `vlag.parsers.perf_stat` reads it.
FILE = "perf-stat.txt"
EVENTS = ("context-switches", "cpu-migrations", "page-faults")
#: How such a file begins where nothing was counted; the reason follows.
NOTHING = "perf counts no events here:"


def script() -> bytes:
    """Return the script that runs the benchmark's own, `benchmark.sh` beside it, under perf."""
    return f"""#!/bin/sh
benchmark="${{0%/*}}/benchmark.sh"
counts="perf stat -a -e {",".join(EVENTS)}"
# Tried first, as perf that fails would run no benchmark.
if ! command -v perf > /dev/null; then
	echo "{NOTHING} it is not on this board" > "$OUT/{FILE}"
elif ! said=$($counts -o /dev/null -- true 2>&1); then
	said=$(echo "$said" | sed '/^[[:space:]]*$/d' | head -n 2 | tr '\\n' ' ')
	echo "{NOTHING} $said" > "$OUT/{FILE}"
else
	exec $counts -o "$OUT/{FILE}" -- sh "$benchmark"
fi
exec sh "$benchmark"
""".encode()
