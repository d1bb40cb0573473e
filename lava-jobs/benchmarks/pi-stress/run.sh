#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV (one word a line, no quoting), raw output to $OUT.
# pi_stress that fails ends its whole process group: give it one of its own.
set -f
IFS='
'
# shellcheck disable=SC2086 # argv has one word a line: it is to be split
setsid $MAIN_ARGV > "$OUT/pi-stress.txt" 2>&1
