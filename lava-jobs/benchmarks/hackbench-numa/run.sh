#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV, below the program of $PLACE_ARGV, programs that print one
# number an iteration in $WARMUPS_ARGV and $ITERATIONS_ARGV (one word a line, no quoting), raw
# output to $OUT.
set -f
IFS='
'
for _ in $($WARMUPS_ARGV); do
	# shellcheck disable=SC2086 # argv: one word a line
	$PLACE_ARGV $MAIN_ARGV >> "$OUT/hackbench-warmup.txt" 2>&1 || exit
done
# How many pages came from which node, for tasks of which: other_node of the memory's nodes grows.
pages() { # WHEN
	set +f
	for file in /sys/devices/system/node/node*/numastat; do
		[ -e "$file" ] || continue
		echo "$file"
		cat "$file"
	done > "$OUT/numastat-$1.txt"
	set -f
}
pages before
for _ in $($ITERATIONS_ARGV); do
	# shellcheck disable=SC2086 # argv: one word a line
	$PLACE_ARGV $MAIN_ARGV >> "$OUT/hackbench.txt" 2>&1 || exit
done
pages after
