#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV (one word a line, no quoting), the timer slack in
# nanoseconds from $TIMERSLACK_ARGV, raw output to $OUT.
set -f
IFS='
'
# A child begins with the slack of its parent.  A real-time task has none, whatever it is.
slack=/proc/$$/timerslack_ns
$TIMERSLACK_ARGV > $slack
if [ "$(cat $slack)" != "$($TIMERSLACK_ARGV)" ]; then
	echo "the timer slack of $($TIMERSLACK_ARGV) ns was not applied: it is $(cat $slack)" \
		> "$OUT/cyclictest.txt"
	exit 98
fi
echo "timer slack: $(cat $slack) ns" > "$OUT/cyclictest.txt"
$MAIN_ARGV >> "$OUT/cyclictest.txt" 2>&1
