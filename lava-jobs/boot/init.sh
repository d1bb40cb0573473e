#!/bin/sh
# PID 1 of a board that boots an initramfs.  Reads the plan entry in /vlag, sets the
# knobs and reads them back, runs the benchmark's script, prints what it left in
# /out, and powers off.  It interprets nothing: the server does that.
#
# On the console, one a line:
#   @vlag:start                          the kernel is up
#   @vlag:knob NAME ok|failed VALUE      a knob that was read back
#   @vlag:run                            the benchmark's script begins
#   @vlag:status RC                      exit status of the benchmark's script
#   @vlag:file NAME BYTES SHA256         a file follows, gzip and base64
#   @vlag:data BASE64
#   @vlag:eof NAME
#   @vlag:case NAME pass|fail            for LAVA's own results
#   @vlag:done                           all of it was printed
export PATH=/bin LANG=C OUT=/out
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mkdir -p /dev/shm /dev/mqueue
mount -t tmpfs shm /dev/shm
mount -t mqueue mqueue /dev/mqueue
mount -t debugfs debug /sys/kernel/debug
ifconfig lo 127.0.0.1 up
sched=/sys/kernel/debug/sched

knob() { # NAME VALUE
	case $1 in
	sched_features)
		for f in $2; do echo "$f" > $sched/features; done
		got=$(cat $sched/features)
		for f in $2; do
			case " $got " in *" $f "*) ;; *) return 1 ;; esac
		done
		;;
	preempt)
		echo "$2" > $sched/preempt
		got=$(cat $sched/preempt)
		case "$got" in *"($2)"*) ;; *) return 1 ;; esac
		;;
	cmdline) # given at boot; only read back
		got=$(cat /proc/cmdline)
		case " $got " in *" $2 "*) ;; *) return 1 ;; esac
		;;
	*_ns)
		echo "$2" > $sched/"$1"
		got=$(cat $sched/"$1")
		[ "$got" = "$2" ]
		;;
	*) got="no such knob"; return 1 ;;
	esac
}

emit() { # FILE
	set -- "$1" "$(sha256sum < "$1")"
	printf '@vlag:file %s %s %s\n' "${1##*/}" "$(wc -c < "$1")" "${2%% *}"
	gzip -c "$1" | base64 | sed 's/^/@vlag:data /'
	printf '@vlag:eof %s\n' "${1##*/}"
}

echo @vlag:start
# shellcheck source=/dev/null # made for each run
. /vlag/entry
while read -r name value; do
	if knob "$name" "$value" 2>/dev/null; then
		echo "@vlag:knob $name ok $value"
	else
		echo "@vlag:knob $name failed $got"
	fi
done < /vlag/knobs
# Without it most of /proc/schedstat stays 0.
echo 1 > /proc/sys/kernel/sched_schedstats
/vlag/environment before > $OUT/environment.txt 2>&1

# The seed shifts everything that follows by a few microseconds.  On a board whose
# clock counts instructions this loop is the only difference between two seeds.
i=0
while [ $i -lt $((SEED * 997)) ]; do i=$((i + 1)); done

cat /proc/schedstat > $OUT/schedstat-before.txt
echo @vlag:run
sh /vlag/run.sh
rc=$?
cat /proc/schedstat > $OUT/schedstat-after.txt
/vlag/environment after > $OUT/environment-after.txt 2>&1

# We print nothing while measuring; from here on the kernel only prints alarms, so
# that its lines do not fall into ours.
dmesg -n 1
echo "@vlag:status $rc"
for file in "$OUT"/*; do emit "$file"; done
if [ $rc = 0 ]; then echo "@vlag:case benchmark pass"; else echo "@vlag:case benchmark fail"; fi
echo @vlag:done
# Whoever reads the console must see the last line before the line goes dead.
i=0
while [ $i -lt 100000 ]; do i=$((i + 1)); done
reboot -f
