#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV, programs that print one number an iteration in
# $WARMUPS_ARGV and $ITERATIONS_ARGV (one word a line, no quoting), raw output to $OUT.
set -f
IFS='
'
for _ in $($WARMUPS_ARGV); do
	$MAIN_ARGV >> "$OUT/perf-bench-warmup.txt" 2>&1 || exit
done
for _ in $($ITERATIONS_ARGV); do
	$MAIN_ARGV >> "$OUT/perf-bench.txt" 2>&1 || exit
done
