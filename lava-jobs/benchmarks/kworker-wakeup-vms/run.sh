#!/bin/sh
# Runs on the board: argv of both guests' QEMU in $MAIN_ARGV (the client) and $SERVER_ARGV, one
# word a line, no quoting; $GUEST_ARGV prints the guests' kernel command line, $THREADS_ARGV what
# the threads' names begin with, the size of the trace's buffer, and how long to wait between two
# works.  Raw output to $OUT.
set -f
IFS='
'
# shellcheck source=lava-jobs/boot/guests.sh
. "${VLAG_ROOT:-}/vlag/guests"
tracing=/sys/kernel/tracing
own=$tracing/instances/vlag

trace() {
	mountpoint -q $tracing || mount -t tracefs tracefs $tracing
	mkdir $own || return
	echo "$buffer_kb" > $own/buffer_size_kb
	echo mono > $own/trace_clock # CPUs' own clocks may differ by more than a latency
	echo "comm ~ \"$pattern\"" > $own/events/sched/sched_wakeup/filter
	echo "prev_comm ~ \"$pattern\" || next_comm ~ \"$pattern\"" > $own/events/sched/sched_switch/filter
	echo 1 > $own/events/sched/sched_wakeup/enable
	echo 1 > $own/events/sched/sched_switch/enable
}

measure() { # until the client has ended
	pattern="$threads/*"
	trace || return
	while kill -0 "$client" 2>/dev/null; do
		# Queues work on every CPU, which its own kworker does.
		read -r _ < /proc/sys/vm/stat_refresh
		sleep "$pause_s"
	done
	echo 0 > $own/tracing_on
	{
		echo "== threads"
		echo "$pattern"
		echo "== trace"
		cat $own/trace
	} > "$OUT/wakeup-trace.txt"
	echo 0 > $own/events/enable
	rmdir $own
}

words=$($THREADS_ARGV)
IFS=' ' read -r threads buffer_kb pause_s << END
$words
END
run_guests measure
