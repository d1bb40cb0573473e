#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV (one word a line, no quoting), raw output to $OUT; in
# kernel-cycles-ffmpeg argv of one ffmpeg in $LOAD_ARGV, and $LAYOUT_ARGV prints how many of them and
# how many cores each.
# perf prints on stderr, hackbench on stdout.  The command line goes first: perf's figures
# have no end mark, and with it the parser knows which events must follow.
# shellcheck disable=SC2086 # argv: one word a line
set -f
IFS='
'
# One line a core: its CPUs, as in 0,240; processes share cores where there are too few.
cpus() { # NUMBER CORES: CPUs of the process's cores
	all=$(set +f; cat /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list | sort -n -u)
	there=$(echo "$all" | wc -l)
	k=0
	while [ "$k" -lt "$2" ]; do
		echo "$all" | sed -n "$((($1 * $2 + k) % there + 1))p"
		k=$((k + 1))
	done | sort -n -u | paste -s -d , -
}

# With ffmpeg the load is this script again: all processes, each pinned as in ffmpeg-fifo.
if [ "${1:-}" = load ]; then
	layout=$($LAYOUT_ARGV)
	i=0 processes=
	while [ "$i" -lt "${layout% *}" ]; do
		taskset -c "$(cpus "$i" "${layout#* }")" $LOAD_ARGV < /dev/null >> "$OUT/ffmpeg.txt" 2>&1 &
		processes="$processes$!
"
		i=$((i + 1))
	done
	for process in $processes; do wait "$process" || exit 1; done
	exit 0
fi

if [ -n "${LOAD_ARGV:-}" ]; then set -- sh "$0" load; else set --; fi
{ printf '$ %s' "$MAIN_ARGV" | tr '\n' ' '; echo; } > "$OUT/perf-stat.txt"
$MAIN_ARGV "$@" > "$OUT/hackbench.txt" 2>> "$OUT/perf-stat.txt"
