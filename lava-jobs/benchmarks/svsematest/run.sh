#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV (one word a line, no quoting), raw output to $OUT.
set -f
# It makes its semaphores' key from its own file, which it looks for by its bare name.
cd "$(dirname "$(command -v svsematest)")" || exit 1
IFS='
'
$MAIN_ARGV > "$OUT/svsematest.txt" 2>&1
