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
#   @vlag:file NAME BYTES SHA256 2       a file follows, two times gzip and then base64
#   @vlag:data BASE64
#   @vlag:eof NAME
#   @vlag:uploaded NAME BYTES SHA256     the artifact store has the file instead
#   @vlag:metric NAME pass VALUE UNITS   for LAVA's own results, as is
#   @vlag:case NAME pass|fail RC status
#   @vlag:done                           all of it was printed
# and what prepare.sh says on boards that have a policy.
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
	cgroup_depth) # levels below the root group, each with the controller cpu
		path='' i=0
		mount -t cgroup2 cgroup /sys/fs/cgroup
		while [ $i -lt "$2" ]; do
			echo +cpu > /sys/fs/cgroup$path/cgroup.subtree_control
			path=$path/vlag i=$((i + 1))
			mkdir /sys/fs/cgroup$path
		done
		echo $$ > /sys/fs/cgroup$path/cgroup.procs
		got=$(cat /proc/self/cgroup)
		[ "$got" = "0::${path:-/}" ] && { [ -z "$path" ] || [ -e /sys/fs/cgroup$path/cpu.weight ]; }
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

# A second gzip, as a table of zeros compresses a thousandfold at most in one; and lines
# that are long, but shorter than the 4000 characters in which LAVA looks for a pattern.
emit() { # FILE
	set -- "$1" "$(sha256sum < "$1")"
	printf '@vlag:file %s %s %s 2\n' "${1##*/}" "$(wc -c < "$1")" "${2%% *}"
	gzip -c "$1" | gzip -c | base64 -w 1000 | sed 's/^/@vlag:data /'
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
if [ -f /vlag/policy ] && ! /vlag/prepare set; then
	echo @vlag:done
	sleep 5 # whoever reads the console must see it
	reboot -f
fi
# The counters cost a few percent of a switch: they are on in the boot that observes them,
# and off in every other one, whatever the command line or a policy says.
stats=/proc/sys/kernel/sched_schedstats
if [ "$OBSERVES" = schedstats ]; then bit=1 word=on; else bit=0 word=off; fi
got=$bit
if [ -f $stats ]; then
	echo $bit > $stats
	read -r got < $stats
elif [ $bit = 1 ]; then
	got="this kernel does not have it"
fi
if [ "$got" = $bit ]; then
	echo "@vlag:knob schedstats ok $word"
else
	echo "@vlag:knob schedstats failed $got"
fi
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
if [ -f /vlag/policy ]; then
	/vlag/prepare check
	/vlag/prepare restore
fi
for file in "$OUT"/*; do
	if [ ! -f /vlag/upload ] || ! /vlag/send "$file"; then emit "$file"; fi
done
/vlag/headline | while read -r name value units; do
	echo "@vlag:metric $name pass $value $units"
done
if [ $rc = 0 ]; then result=pass; else result=fail; fi
echo "@vlag:case benchmark $result $rc status"
echo @vlag:done
# Whoever reads the console must see the last line before the line goes dead.
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); done
reboot -f
