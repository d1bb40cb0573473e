#!/bin/sh
# Brings a board into the state that /vlag/policy asks for, and back.  A board whose clock
# counts instructions has no such file and never runs this.
#
#   prepare set      before the benchmark; ends with 1 if the board is not as asked
#   prepare check    after it: was the board throttled?
#   prepare restore  puts back all that `set` changed
#
# /vlag/policy has one setting a line, NAME VALUE, done in its order; a third word
# `optional` allows that the board does not have it, `described` that the device tree which came
# with the kernel does not.
#   cpus all                     brings up the CPUs that maxcpus= has left off; stays so
#   governor NAME
#   frequency_khz KHZ, or POLICY:KHZ,POLICY:KHZ for CPUs that differ
#   turbo on|off
#   cstate_latency_us MOST       idle states that take longer to leave are disabled
#   irq_affinity CPULIST         as the kernel writes it: 0-1,4
#   epp NAME                     energy_performance_preference of all CPUs
#   thp NAME                     transparent huge pages: always, madvise or never
#   smt on|off
#   autogroup, schedstats or numa_balancing on|off
#   sockets NUMBER, page_bytes NUMBER, memory_min_MB LEAST
#                                what the board must have; only read
#   temperature_max_mC MOST      of every thermal zone, or of the CPUs' sensors where there is no
#                                zone, before the benchmark
#   thermal_wait_s MOST          how long to wait for that
#   watch_s SECONDS              while the benchmark runs, writes down this often how hot the board
#                                is and how fast a CPU: board.txt beside the raw output
#
# On the console, one a line:
#   @vlag:knob NAME ok|failed TEXT
#   @vlag:cool TEXT         how long the board was waited for, and its temperatures
#   @vlag:hot TEXT          it did not cool down
#   @vlag:throttled TEXT    it was slower than asked while the benchmark ran
set -u
root=${VLAG_ROOT:-} # of another /sys, /proc, /tmp and /vlag, for tests
policy=$root/vlag/policy
saved=$root/tmp/vlag-saved         # FILE VALUE, in the order of the changes
pinned=$root/tmp/vlag-pinned       # FOLDER KHZ
throttles=$root/tmp/vlag-throttles # FILE COUNT before the benchmark
watcher=$root/tmp/vlag-watcher     # its process
watched=$root/out/board.txt        # SECONDS zone=mC... policy=kHz
cpu=$root/sys/devices/system/cpu

# Settings end with 1 and a reason in $why if they do not take, with 2 if the board does
# not have what they set.  Nothing here forks for a CPU: a board may have hundreds.

value() { # FILE: its first line in $got
	got=
	{ read -r got < "$1"; } 2>/dev/null || [ -n "$got" ]
}

put() { # FILE VALUE: remembers what was there; reads back
	value "$1" || return 1
	echo "$1 $got" >> "$saved"
	{ echo "$2" > "$1"; } 2>/dev/null || refused=1
	value "$1" && [ "$got" = "$2" ]
}

whole() { # VALUE
	case $1 in '' | *[!0-9]*) why="$1 is no whole number"; return 1 ;; esac
}

bit() { # on|off: 1 or 0 in $bit
	case $1 in
	on) bit=1 ;;
	off) bit=0 ;;
	*) why="$1 is neither on nor off"; return 1 ;;
	esac
}

sysctl() { # NAME on|off
	bit "$2" || return 1
	# A kernel that cannot do it does not do it.
	[ -f "$root/proc/sys/kernel/$1" ] || return $((2 * bit))
	put "$root/proc/sys/kernel/$1" "$bit" || { why="$1 is $got"; return 1; }
}

# The CPUs come up in an isolated partition, or the kernel builds the scheduling domains of all
# anew for each: minutes, on hundreds of emulated ones.  A partition needs one CPU that is on.
cpus() { # all
	[ "$1" = all ] || { why="$1 is not all"; return 1; }
	value "$cpu/possible" || return 2
	all=$got group=$root/tmp/vlag-cgroup
	mkdir -p "$group"
	{ echo 1 > "$cpu/cpu2/online"; } 2>/dev/null
	if mount -t cgroup2 none "$group" 2>/dev/null; then
		echo +cpuset > "$group/cgroup.subtree_control"
		mkdir "$group/new"
		echo "2-${all#0-}" > "$group/new/cpuset.cpus"
		echo isolated > "$group/new/cpuset.cpus.partition"
	fi
	for file in "$cpu"/cpu[0-9]*/online; do
		value "$file" && [ "$got" = 0 ] && { echo 1 > "$file"; } 2>/dev/null
		# Whoever waits at the console must not take it for dead.
		case $file in *00/online) echo "vlag: ${file%/online} is on" ;; esac
	done
	if [ -d "$group/new" ]; then
		rmdir "$group/new" # now the domains are built
		umount "$group"
	fi
	value "$cpu/online"
	[ "$got" = "$all" ] || { why="of $all there are $got"; return 1; }
	note=", $all"
}

governor() { # NAME
	found=
	for dir in "$cpu"/cpufreq/policy*; do
		[ -d "$dir" ] || continue
		found=1
		put "$dir/scaling_governor" "$1" || { why="${dir##*/} has $got"; return 1; }
	done
	[ $found ] || return 2
}

frequency_khz() { # KHZ, or POLICY:KHZ,...
	found=
	for dir in "$cpu"/cpufreq/policy*; do
		[ -d "$dir" ] || continue
		found=1 number=${dir##*/policy}
		case ,$1 in
		*",$number:"*)
			khz=,$1
			khz=${khz#*",$number:"}
			khz=${khz%%,*}
			;;
		*:*) why="no frequency is given for policy$number"; return 1 ;;
		*) khz=$1 ;;
		esac
		whole "$khz" || return 1
		if value "$dir/scaling_available_frequencies"; then
			case " $got " in
			*" $khz "*) ;;
			*) why="policy$number does not offer $khz, only $got"; return 1 ;;
			esac
		fi
		# Neither limit may cross the other on its way, whichever way that is.
		put "$dir/scaling_max_freq" "$khz"
		put "$dir/scaling_min_freq" "$khz" || { why="policy$number has at least $got"; return 1; }
		put "$dir/scaling_max_freq" "$khz" || { why="policy$number has at most $got"; return 1; }
		echo "$dir $khz" >> "$pinned"
	done
	[ $found ] || return 2
}

epp() { # NAME
	found=
	for file in "$cpu"/cpufreq/policy*/energy_performance_preference; do
		value "$file" || continue
		found=1
		put "$file" "$1" || { why="${file%/*} has $got"; return 1; }
	done
	[ $found ] || return 2
}

thp() { # NAME; the file shows all of them, the one that is on in brackets
	file=$root/sys/kernel/mm/transparent_hugepage/enabled
	value "$file" || { [ "$1" != never ] && return 2; return 0; }
	old=${got#*[}
	echo "$file ${old%%]*}" >> "$saved"
	{ echo "$1" > "$file"; } 2>/dev/null
	value "$file"
	case $got in *"[$1]"* | "$1") ;; *) why="it is $got"; return 1 ;; esac
}

smt() { # on|off
	bit "$1" || return 1
	value "$cpu/smt/active" || { [ "$bit" = 1 ] && return 2; return 0; }
	[ "$got" = "$bit" ] || put "$cpu/smt/control" "$1" || { why="control is $got"; return 1; }
	value "$cpu/smt/active"
	[ "$got" = "$bit" ] || { why="active is $got"; return 1; }
}

sockets() { # NUMBER
	seen=' ' count=0
	for file in "$cpu"/cpu[0-9]*/topology/physical_package_id; do
		value "$file" || continue
		case $seen in *" $got "*) ;; *) seen="$seen$got " count=$((count + 1)) ;; esac
	done
	[ $count != 0 ] || return 2
	[ $count = "$1" ] || { why="there are $count"; return 1; }
}

page_bytes() { # NUMBER
	while read -r key kB _; do
		[ "$key" = "KernelPageSize:" ] && break
	done < "$root/proc/self/smaps"
	[ "$key" = "KernelPageSize:" ] || return 2
	[ $((kB * 1024)) = "$1" ] || { why="they have $((kB * 1024))"; return 1; }
}

memory_min_MB() { # LEAST
	whole "$1" || return 1
	read -r _ kB _ < "$root/proc/meminfo" || return 2 # its first line is MemTotal
	[ $((kB / 1024)) -ge "$1" ] || { why="there are $((kB / 1024))"; return 1; }
}

turbo() { # on|off
	bit "$1" || return 1
	if [ -f "$cpu/intel_pstate/no_turbo" ]; then
		put "$cpu/intel_pstate/no_turbo" $((1 - bit)) || { why="no_turbo is $got"; return 1; }
	elif [ -f "$cpu/cpufreq/boost" ]; then
		put "$cpu/cpufreq/boost" "$bit" || { why="boost is $got"; return 1; }
	else
		return 2
	fi
}

cstate_latency_us() { # MOST
	whole "$1" || return 1
	found=
	for state in "$cpu"/cpu[0-9]*/cpuidle/state[0-9]*; do
		value "$state/latency" || continue
		found=1
		if [ "$got" -gt "$1" ] && ! put "$state/disable" 1; then
			why="$state/disable is $got"
			return 1
		fi
	done
	[ $found ] || return 2
}

irq_affinity() { # CPULIST
	found='' moved='' stuck=0
	for irq in "$root"/proc/irq/[0-9]*; do
		[ -f "$irq/smp_affinity_list" ] || continue
		found=1 refused=
		if put "$irq/smp_affinity_list" "$1"; then
			moved=1
		elif [ $refused ]; then # some belong to one CPU
			stuck=$((stuck + 1))
		else
			why="interrupt ${irq##*/} is on $got"
			return 1
		fi
	done
	[ $found ] || return 2
	[ $moved ] || { why="none of $stuck interrupts can be moved"; return 1; }
	[ $stuck = 0 ] || note=", but for $stuck interrupts that cannot be moved"
}

temperatures() { # the highest in $hottest, all in $zones
	hottest='' zones=
	for zone in "$root"/sys/class/thermal/thermal_zone*; do
		value "$zone/temp" || continue # one that is switched off has none
		case $got in '' | *[!0-9-]*) continue ;; esac
		hottest_of "${zone##*/}" "$got"
	done
	[ -n "$hottest" ] || sensors
	[ -n "$hottest" ] || return 2
}

hottest_of() { # NAME MC
	zones="$zones $1=$2"
	if [ -z "$hottest" ] || [ "$2" -gt "$hottest" ]; then hottest=$2; fi
}

sensors() { # of the CPUs: those of Ampere and AMD make no zone; a disk's are none of them
	for chip in "$root"/sys/class/hwmon/hwmon*; do
		value "$chip/name" || continue
		kind=$got
		case $kind in apm_xgene | coretemp | k10temp) ;; *) continue ;; esac
		for file in "$chip"/temp*_input; do
			value "$file" || continue
			case $got in '' | *[!0-9-]*) continue ;; esac
			hottest_of "$kind.${file##*/}" "$got"
		done
	done
}

described() { # NAME: does the device tree that came with the kernel have a sensor?
	[ "$1" = temperature_max_mC ] || return 0
	tree=$root/proc/device-tree
	[ -e "$tree/compatible" ] || return 0
	for zone in "$tree"/thermal-zones/*/thermal-sensors; do
		[ ! -e "$zone" ] || return 0
	done
	return 1
}

temperature_max_mC() { # MOST: waits $wait_s for it
	whole "$1" || return 1
	[ -n "$wait_s" ] || { why="the policy gives no thermal_wait_s"; return 1; }
	whole "$wait_s" || return 1
	waited=0
	temperatures || return 2
	while [ "$hottest" -gt "$1" ] && [ $waited -lt "$wait_s" ]; do
		sleep 5
		waited=$((waited + 5))
		temperatures || return 2
	done
	if [ "$hottest" -gt "$1" ]; then
		echo "@vlag:hot waited $waited s for $1 mC:$zones"
		return 3
	fi
	echo "@vlag:cool waited $waited s for $1 mC:$zones"
}

one() { # NAME VALUE OPTIONAL
	why='' note='' refused=
	case $3 in
	'' | optional | described) ;;
	*)
		echo "@vlag:knob $1 failed the policy says $3 where only optional or described may stand"
		return 1
		;;
	esac
	case $1 in
	cpus | governor | frequency_khz | turbo | cstate_latency_us | irq_affinity | temperature_max_mC) "$1" "$2" ;;
	epp | thp | smt | sockets | page_bytes | memory_min_MB) "$1" "$2" ;;
	autogroup) sysctl sched_autogroup_enabled "$2" ;;
	schedstats) sysctl sched_schedstats "$2" ;;
	numa_balancing) sysctl numa_balancing "$2" ;;
	*) why="no such setting"; false ;;
	esac
	case $? in
	0) echo "@vlag:knob $1 ok $2$note" ;;
	2)
		if [ "$3" = optional ]; then echo "@vlag:knob $1 ok this board does not have it"
		elif [ "$3" = described ] && ! described "$1"; then
			echo "@vlag:knob $1 ok not known: this kernel's device tree has no sensor"
		else
			echo "@vlag:knob $1 failed this board does not have it"
			return 1
		fi
		;;
	3) return 1 ;; # it has said so itself
	*) echo "@vlag:knob $1 failed $why"; return 1 ;;
	esac
}

counts() { # Intel's: how often it was too hot
	for file in "$cpu"/cpu[0-9]*/thermal_throttle/*_throttle_count; do
		value "$file" && echo "$file $got"
	done
}

# One CPU policy at a time: on hundreds of CPUs each one asked is one disturbed.
watch() { # SECONDS
	now=0
	while :; do
		for dir in "$cpu"/cpufreq/policy*; do
			sleep "$1"
			now=$((now + $1)) khz=
			temperatures
			value "$dir/scaling_cur_freq" && khz=" ${dir##*/}=$got"
			echo "$now$zones$khz" >> "$watched"
		done
	done
}

unwatch() {
	value "$watcher" || return 0
	kill "$got" 2>/dev/null
	rm -f "$watcher"
}

settle() {
	failed=0 wait_s='' most='' watch_s=''
	: > "$saved"
	: > "$pinned"
	[ -r "$policy" ] || { echo "@vlag:knob policy failed it cannot be read"; return 1; }
	while read -r name value optional; do
		case $name in
		'' | '#'*) ;;
		thermal_wait_s) wait_s=$value ;;
		watch_s) watch_s=$value ;;
		temperature_max_mC) most=$value most_optional=$optional ;;
		*) one "$name" "$value" "$optional" || failed=1 ;;
		esac
	done < "$policy"
	# Last: a pinned frequency heats.
	if [ -n "$most" ]; then one temperature_max_mC "$most" "$most_optional" || failed=1; fi
	counts > "$throttles"
	if [ -n "$watch_s" ] && [ $failed = 0 ]; then
		if whole "$watch_s" && [ "$watch_s" -gt 0 ]; then
			# A function's own redirections would keep the console open.
			(
				exec > /dev/null 2>&1 < /dev/null
				watch "$watch_s"
			) &
			echo $! > "$watcher"
		else
			echo "@vlag:knob watch_s failed $watch_s is no number of seconds"
			failed=1
		fi
	fi
	return $failed
}

check() {
	unwatch
	slow
	# Raspberry Pi: the low bits say what is, the same ones 16 higher what was since the boot.
	if bits=$(vcgencmd get_throttled 2>/dev/null); then
		bits=$((${bits#*=}))
		[ $((bits & 0x10001)) = 0 ] || echo "@vlag:throttled under-voltage"
		[ $((bits & 0x20002)) = 0 ] || echo "@vlag:throttled frequency capped by the firmware"
		[ $((bits & 0x40004)) = 0 ] || echo "@vlag:throttled throttled by the firmware"
		[ $((bits & 0x80008)) = 0 ] || echo "@vlag:throttled soft temperature limit"
	fi
	for name in "$root"/sys/class/hwmon/hwmon*/name; do # the same of a board without that tool
		value "$name" && [ "$got" = rpi_volt ] &&
			value "${name%/name}/in0_lcrit_alarm" && [ "$got" != 0 ] &&
			echo "@vlag:throttled under-voltage"
	done
	counts | awk 'NR == FNR { n[$1] = $2; next }
		$2 > n[$1] { print "@vlag:throttled " $1 " went from " n[$1] + 0 " to " $2 }' \
		"$throttles" -
	while read -r dir khz; do
		value "$dir/scaling_max_freq" && [ "$got" -lt "$khz" ] &&
			echo "@vlag:throttled ${dir##*/} has at most $got kHz of $khz"
		# What is measured, and not only asked for, is a few percent off.
		value "$dir/scaling_cur_freq" && [ "$got" -lt $((khz * 9 / 10)) ] &&
			echo "@vlag:throttled ${dir##*/} runs at $got kHz of $khz"
	done < "$pinned"
	return 0
}

# What was slower than asked on the way, and is not any more: the slowest of each policy.
slow() {
	[ -f "$watched" ] || return 0
	awk 'NR == FNR { n = split($1, part, "/"); asked[part[n]] = $2; next }
		{ for (i = 2; i <= NF; i++) {
			split($i, of, "=")
			if (of[1] in asked && of[2] < asked[of[1]] * 9 / 10 && (!(of[1] in low) || of[2] < low[of[1]])) {
				low[of[1]] = of[2]; at[of[1]] = $1
			}
		} }
		END { for (name in low) print "@vlag:throttled " name " ran at " low[name] " kHz of " asked[name] " after " at[name] " s" }' \
		"$pinned" "$watched"
}

restore() {
	unwatch
	# Backwards: a file that was changed twice has its first value in the end.
	tac "$saved" | while read -r file old; do
		{ echo "$old" > "$file"; } 2>/dev/null
	done
	awk '!seen[$1]++' "$saved" | {
		failed=0
		while read -r file old; do
			value "$file"
			case $got in "$old" | *"[$old]"*) continue ;; esac
			echo "@vlag:knob restore failed $file is $got and was $old"
			failed=1
		done
		[ $failed = 0 ]
	}
}

case $1 in
set) settle ;;
check) check ;;
restore) restore ;;
*)
	echo "prepare: say set, check or restore" >&2
	exit 2
	;;
esac
