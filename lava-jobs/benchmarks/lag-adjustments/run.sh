#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV (one word a line, no quoting); $PROBE_ARGV prints the
# function and the type of its return value.  Raw output to $OUT.
#
# The probe's profile counts every return.  A filter keeps returns of 0 out of the trace,
# whose head counts what was ever written, so a small buffer that is overwritten suffices.
set -f
IFS='
'
tracing=/sys/kernel/tracing
probe=$($PROBE_ARGV)
function=${probe% *} type=${probe#* }

mountpoint -q $tracing || mount -t tracefs tracefs $tracing
own=$tracing/instances/vlag
event=$own/events/vlag/returned
refused=$( (echo "r:vlag/returned $function ret=\$retval:$type" >> $tracing/kprobe_events) 2>&1)
mkdir $own
echo 64 > $own/buffer_size_kb
if [ -d $event ]; then
	echo 'ret != 0' > $event/filter
	echo 1 > $event/enable
fi
$MAIN_ARGV > "$OUT/hackbench.txt" 2>&1
rc=$?
[ ! -d $event ] || echo 0 > $event/enable
{
	echo "== function"
	echo "$probe"
	echo "== kallsyms"
	grep -E " $function(\.[a-z0-9.]+)?\$" /proc/kallsyms
	echo "== definition"
	if [ -d $event ]; then grep ':vlag/returned ' $tracing/kprobe_events; else echo "$refused"; fi
	echo "== profile"
	grep '^ *returned ' $tracing/kprobe_profile
	echo "== trace"
	grep '^# entries-in-buffer' $own/trace
	echo "== end"
} > "$OUT/return-probe.txt" 2>&1
rmdir $own
[ -z "$refused" ] || exit 1
echo -:vlag/returned >> $tracing/kprobe_events
exit "$rc"
