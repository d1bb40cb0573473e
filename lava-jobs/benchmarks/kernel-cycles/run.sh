#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV (one word a line, no quoting), raw output to $OUT.
# perf prints on stderr, hackbench on stdout.  The command line goes first: perf's figures
# have no end mark, and with it the parser knows which events must follow.
set -f
IFS='
'
{ printf '$ %s' "$MAIN_ARGV" | tr '\n' ' '; echo; } > "$OUT/perf-stat.txt"
$MAIN_ARGV > "$OUT/hackbench.txt" 2>> "$OUT/perf-stat.txt"
