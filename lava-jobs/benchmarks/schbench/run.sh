#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV (one word a line, no quoting), raw output to $OUT.
# schbench prints on stderr.
set -f
IFS='
'
$MAIN_ARGV > "$OUT/schbench.txt" 2>&1
