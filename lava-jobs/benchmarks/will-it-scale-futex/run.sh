#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV (one word a line, no quoting), raw output to $OUT.
set -f
IFS='
'
$MAIN_ARGV > "$OUT/will-it-scale.txt" 2>&1
