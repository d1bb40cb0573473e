#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV and $LOAD_ARGV (one word a line, no quoting),
# raw output to $OUT.  The load must still run when the measurement ends.
set -f
IFS='
'
$LOAD_ARGV > "$OUT/hackbench.txt" 2>&1 &
load=$!
$MAIN_ARGV > "$OUT/cyclictest.txt" 2>&1
rc=$?
if ! kill -0 "$load" 2>/dev/null; then
	echo "load ended before the measurement" >> "$OUT/cyclictest.txt"
	rc=99
fi
killall -9 hackbench 2>/dev/null
exit "$rc"
