# SPDX-License-Identifier: GPL-2.0-only
"""What a board runs to find who blocked its worst wake-ups: rtla timerlat beside the benchmark.

The tracer timerlat wakes a thread on each CPU every millisecond.  At the first wake-up that takes
longer than a threshold rtla stops it and says what the CPU did instead.  The threshold follows the
tail: a wake-up found raises it, a run without one lowers it.

On a slow board rtla takes longer to start than a benchmark to end, and between its load's tasks
longer still.  So it starts before the benchmark, and has a CPU before ordinary tasks do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

#: The file that what rtla prints becomes; `vlag.parsers.timerlat` reads it.
FILE = "timerlat.txt"
#: The first line of such a file of a kernel that has no such tracer.
NO_TRACER = "this kernel has no timerlat tracer"
#: Seconds of a run of rtla without such a wake-up.  It looks once a second whether the tracer has
#: stopped, and no more when its time is up: a run of one second would never see it.
RUN_S = 3
#: us; the first threshold, and the lowest one.
LEAST_US = 50
#: Tenths of a second that a benchmark waits for the tracer at most.
_TENTHS = 600

# cyclictest -Sp90, -p 90 and the like: the class and priority of who is woken.
_PRIORITY = re.compile(r"-[A-Za-z]{0,8}p(?P<joined>[1-9]\d?)|--prio(?:rity)?=(?P<long>[1-9]\d?)")


def priority(words: Sequence[str]) -> str:
    """Return class and priority of the threads that a program measures, as rtla takes it.

    "f:90" of SCHED_FIFO where the argv asks for it, "o:0" of an ordinary task elsewhere.
    """
    found = next((m for word in words if (m := _PRIORITY.fullmatch(word))), None)
    return "o:0" if found is None else f"f:{found['joined'] or found['long']}"


def script(words: Sequence[str]) -> bytes:
    """Return the script that runs `benchmark.sh` beside it and rtla meanwhile.

    `words` is the argv of the program that measures: timerlat wakes threads of the same priority.
    """
    return f"""#!/bin/sh
# What rtla found after the benchmark's end is left out.
tracing=/sys/kernel/tracing
here=${{0%/*}}
scratch=$(mktemp -d)
rtla="rtla timerlat top -k -q -P {priority(words)} -d {RUN_S}s --aa-only"
watch() {{
	echo "$ $rtla US"
	us={LEAST_US}
	until [ -e $scratch/ended ]; do
		$rtla $us > $scratch/timerlat 2>&1
		rc=$?
		[ -e $scratch/ended ] && break
		echo "== threshold $us us"
		cat $scratch/timerlat
		echo "== status $rc"
		found=$(sed -n 's/^.* latency:[[:space:]]*\\([0-9]*\\)\\.[0-9]* us (100%)$/\\1/p' \\
			$scratch/timerlat | sort -n | tail -n 1)
		if [ -n "$found" ]; then us=$(((us + found) / 2 + 1)); else us=$((us * 4 / 5)); fi
		[ $us -ge {LEAST_US} ] || us={LEAST_US}
	done
	echo "== end"
}}
[ -e $tracing/available_tracers ] || mount -t tracefs tracefs $tracing
if ! grep -qw timerlat $tracing/available_tracers; then
	echo "{NO_TRACER}" > "$OUT/{FILE}"
	exec sh "$here/benchmark.sh"
fi
renice -20 -p $$ > $scratch/renice 2>&1
watch > "$OUT/{FILE}" 2>&1 &
watching=$!
renice 0 -p $$ > $scratch/renice 2>&1
tenths=0
until grep -qs timerlat $tracing/instances/*/current_tracer || [ $tenths = {_TENTHS} ]; do
	sleep 0.1
	tenths=$((tenths + 1))
done
sh "$here/benchmark.sh"
rc=$?
: > $scratch/ended
wait $watching
exit $rc
""".encode()
