#!/bin/sh
# Runs on the board: argv of the load in $MAIN_ARGV (one word a line, no quoting);
# $THREADS_ARGV prints what the threads' names begin with and the size of the trace's buffer.
# Raw output to $OUT.
set -f
IFS='
'
tracing=/sys/kernel/tracing
threads=$($THREADS_ARGV)
pattern="${threads% *}/*"

mountpoint -q $tracing || mount -t tracefs tracefs $tracing
own=$tracing/instances/vlag
mkdir $own || exit 1
echo "${threads#* }" > $own/buffer_size_kb
echo mono > $own/trace_clock  # CPUs' own clocks may differ by more than a latency
echo "comm ~ \"$pattern\"" > $own/events/sched/sched_wakeup/filter
echo "prev_comm ~ \"$pattern\" || next_comm ~ \"$pattern\"" > $own/events/sched/sched_switch/filter
echo 1 > $own/events/sched/sched_wakeup/enable
echo 1 > $own/events/sched/sched_switch/enable

$MAIN_ARGV > "$OUT/hackbench.txt" 2>&1 &
load=$!
while kill -0 $load 2>/dev/null; do
	read -r _ < /proc/sys/vm/stat_refresh
done
wait $load
rc=$?

echo 0 > $own/tracing_on
{
	echo "== threads"
	echo "$pattern"
	echo "== trace"
	cat $own/trace
} > "$OUT/wakeup-trace.txt"
echo 0 > $own/events/enable
rmdir $own
exit "$rc"
