#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV and $REPORT_ARGV (one word a line, no quoting), raw
# output to $OUT; in c2c-ffmpeg argv of one ffmpeg in $LOAD_ARGV, and $LAYOUT_ARGV prints how many
# of them and how many cores each.  perf knows addresses only, so the lines to watch are found first: a probe
# on cpupri_set says where its first argument points, and the kernel's own type information
# what lies around it.
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
tracing=/sys/kernel/tracing
btf=/sys/kernel/btf/vmlinux
line=64  # bytes

member() { # STRUCT MEMBER: offset and size in bytes
	pahole -C "$1" $btf | awk -v m="$2" '$0 ~ "[ *]" m "(\\[[0-9]+\\])?;" { sub(/.*\/\*/, ""); print $1 " " $2 }'
}

sum() { # ADDRESS NUMBER: in two halves, as not every shell counts to 2^64
	low=$((0x${1#????????} + $2)) high=$((0x${1%????????}))
	[ $low -ge 0 ] || { low=$((low + 0x100000000)) high=$((high - 1)); }
	[ $low -lt $((0x100000000)) ] || { low=$((low - 0x100000000)) high=$((high + 1)); }
	printf '%08x%08x' $high $low
}

watch() { # LABEL ADDRESS NUMBER: the cache line NUMBER bytes above ADDRESS
	set -- "$1" "$(sum "$2" "$3")"
	echo "watch $1 0x$(sum "$2" -$((0x${2#????????} % line))) $line"
}

cpupri=$(member root_domain cpupri)
vectors=$(member cpupri pri_to_cpu)
count=$(member cpupri_vec count)
mask=$(member cpupri_vec mask)
bytes=$(pahole -C cpupri_vec $btf | sed -n 's/.*\* size: \([0-9]*\),.*/\1/p')
vector=$((${vectors% *} + 99 * bytes))  # priority 99's
pointer=$((vector + ${mask% *}))        # with CONFIG_CPUMASK_OFFSTACK the mask lies elsewhere

mountpoint -q $tracing || mount -t tracefs tracefs $tracing
echo "p:vlag/place cpupri_set at=\$arg1:x64 mask=+$pointer(\$arg1):x64" >> $tracing/kprobe_events
echo 1 > $tracing/events/vlag/place/enable
chrt --fifo 99 true
echo 0 > $tracing/events/vlag/place/enable
found=$(sed -n 's/.* place: .* at=0x\([0-9a-f]\{16\}\) mask=0x\([0-9a-f]\{16\}\)$/\1 \2/p' \
	$tracing/trace | head -n 1)
echo -:vlag/place >> $tracing/kprobe_events

at=${found% *}
domain=$(sum "$at" -"${cpupri% *}")
{
	if [ -n "$found" ]; then
		watch root_domain/line1 "$domain" 0
		watch root_domain/line3 "$domain" $((2 * line))
		watch cpupri/priority-99 "$at" $((vector + ${count% *}))
		watch cpupri_vec/mask "${found#* }" 0
	fi
	$MAIN_ARGV "$@" 2>&1
	$REPORT_ARGV 2>&1 && echo "end of report"
} > "$OUT/c2c.txt"
grep -qx 'end of report' "$OUT/c2c.txt"
