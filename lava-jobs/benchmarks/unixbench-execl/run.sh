#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV, a program that prints one number a copy in $COPIES_ARGV (one
# word a line, no quoting), raw output to $OUT: as UnixBench's own script collects it of each copy.
set -f
IFS='
'
# Where execl looks for the program that it becomes.
export UB_BINDIR=/tmp/unixbench
mkdir -p "$UB_BINDIR"
[ -e "$UB_BINDIR/execl" ] || ln -s /bin/unixbench-execl "$UB_BINDIR/execl"

now() { # in nanoseconds; /proc/uptime has hundredths of a second
	while read -r word at ns _; do
		if [ "$word $at" = "now at" ]; then
			echo "$ns"
			return
		fi
	done < /proc/timer_list
}

one() { # NUMBER
	IFS=' '
	begin=$(now)
	IFS='
'
	# The child of context1 prints its count as well, maybe after its parent's end: cat waits for it.
	{
		# shellcheck disable=SC2086 # argv: one word a line
		$MAIN_ARGV
		echo "status|$?"
	} 2>&1 | cat > "/tmp/unixbench/$1"
	IFS=' '
	end=$(now)
	echo "$begin $end" | awk '{ printf "elapsed|%f\n", ($2 - $1) / 1e9 }' >> "/tmp/unixbench/$1"
}

for copy in $($COPIES_ARGV); do
	one "$copy" &
done
wait
# shellcheck disable=SC2086 # argv: one word a line
set -- $MAIN_ARGV
IFS=' '
echo "\$ $*" > "$OUT/unixbench.txt"
IFS='
'
echo "copies|$($COPIES_ARGV | wc -l)" >> "$OUT/unixbench.txt"
for copy in $($COPIES_ARGV); do
	cat "/tmp/unixbench/$copy" >> "$OUT/unixbench.txt"
done
! grep -q '^status|[^0]' "$OUT/unixbench.txt"
