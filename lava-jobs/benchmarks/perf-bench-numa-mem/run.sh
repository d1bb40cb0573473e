#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV, a program that prints whether memory is balanced in
# $BALANCING_ARGV (one word a line, no quoting), raw output to $OUT.
set -f
IFS='
'
file=/proc/sys/kernel/numa_balancing
before=0 # of a kernel that cannot do it
[ ! -e $file ] || read -r before < $file
wanted=$($BALANCING_ARGV)
if [ "$before" != "$wanted" ]; then
	{ echo "$wanted" > $file; } 2>/dev/null
	now=0
	[ ! -e $file ] || read -r now < $file
	if [ "$now" != "$wanted" ]; then
		echo "numa_balancing is $now, where $wanted is asked for" > "$OUT/perf-bench.txt"
		exit 98
	fi
fi
$MAIN_ARGV > "$OUT/perf-bench.txt" 2>&1
rc=$?
[ "$before" = "$wanted" ] || echo "$before" > $file
exit $rc
