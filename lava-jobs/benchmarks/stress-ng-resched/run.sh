#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV (one word a line, no quoting), raw output to $OUT.
# stress-ng up to 0.15.07 logs to stderr, later to stdout: keep both.
set -f
IFS='
'
$MAIN_ARGV > "$OUT/stress-ng.txt" 2>&1
