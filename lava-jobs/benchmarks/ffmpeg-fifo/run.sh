#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV (one word a line, no quoting); $LAYOUT_ARGV prints
# how many processes, and how many cores each.  Raw output to $OUT.  ffmpeg's own fps= is 0
# on short runs, so each process is timed here.
set -f
IFS='
'
layout=$($LAYOUT_ARGV)
instances=${layout% *} cores=${layout#* }
work=$(mktemp -d) || exit 1

# One line a core: its CPUs, as in 0,240.
set +f
cat /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list | sort -n -u > "$work/cores"
set -f
there=$(wc -l < "$work/cores")

cpus() { # NUMBER: CPUs of the process's cores; processes share cores where there are too few
	k=0
	while [ "$k" -lt "$cores" ]; do
		sed -n "$((($1 * cores + k) % there + 1))p" "$work/cores"
		k=$((k + 1))
	done | sort -n -u | paste -s -d , -
}

instance() { # NUMBER CPUS
	begin=$(date +%s%N)
	# shellcheck disable=SC2086 # argv: one word a line
	taskset -c "$2" $MAIN_ARGV < /dev/null > "$work/$1.progress" 2> "$work/$1.log"
	status=$?
	ns=$(($(date +%s%N) - begin))
	{
		if [ $status = 0 ]; then
			printf 'instance %s frames %s wall_s %d.%06d cpus %s\n' "$1" \
				"$(sed -n 's/^frame=//p' "$work/$1.progress" | tail -n 1)" \
				$((ns / 1000000000)) $((ns / 1000 % 1000000)) "$2"
		else
			echo "instance $1 ended with status $status"
			cat "$work/$1.log"
		fi
		cat "$work/$1.progress"
	} > "$work/$1.txt"
}

i=0
while [ "$i" -lt "$instances" ]; do
	instance "$i" "$(cpus "$i")" &
	i=$((i + 1))
done
wait
{
	echo "instances $instances"
	i=0
	while [ "$i" -lt "$instances" ]; do
		cat "$work/$i.txt"
		i=$((i + 1))
	done
} > "$OUT/ffmpeg.txt"
! grep -q '^instance .* ended with' "$OUT/ffmpeg.txt"
