#!/bin/sh
# What a board tells about itself.  Prints sections `== NAME`; never fails a run: what
# cannot be read is printed as `unreadable: REASON`, and the server draws conclusions.
#
#   environment.sh before   all of it
#   environment.sh after    only what a benchmark may change
#
# A board whose clock counts instructions runs this too: files are read by one grep for
# many, not by a process each.
# shellcheck disable=SC2317 # functions are called through `section`
set -u
cpu=/sys/devices/system/cpu
sched=/sys/kernel/debug/sched

# One line a line of each file, `PATH:TEXT`; files that are not there are named as well.
files() { # NAME FILE...
	echo "== $1"
	shift
	grep -H '' "$@" 2>&1 | sed -n 's/^grep: \(.*\): \([^:]*\)$/\1:unreadable: \2/; p'
}

section() { # NAME COMMAND...
	echo "== $1"
	shift
	"$@" 2>&1 || echo "unreadable: $1 ended with status $?"
}

optional() { # NAME COMMAND...  - a program that only some boards have
	if command -v "$2" >/dev/null; then section "$@"; else echo "== $1
unreadable: no $2 on this board"; fi
}

# Interrupts by source, summed over the CPUs: `NAME TOTAL`.
interrupts() {
	awk 'NR == 1 { n = NF; next }
		{ sum = 0; for (i = 2; i <= n + 1 && $i ~ /^[0-9]+$/; i++) sum += $i; print $1, sum }' \
		/proc/interrupts
}

# Each value once, whatever the number of CPUs.
processors() {
	awk -F '[ \t]*: ' '/^(vendor_id|model name|cpu family|model|stepping|microcode|CPU implementer|CPU part|CPU variant|CPU revision|Hardware|Revision|Model)[ \t]*:/ \
		&& !seen[$0]++ { print $1 ": " $2 }' /proc/cpuinfo
}

pages() { # bytes
	if command -v getconf >/dev/null; then getconf PAGESIZE; else
		awk '/^KernelPageSize:/ { print $2 * 1024; found = 1; exit } END { exit !found }' \
			/proc/self/smaps
	fi
}

state() {
	section interrupts interrupts
	# Globs stay as they are where nothing fits, and are then named as missing.
	files state /proc/loadavg /proc/sys/kernel/tainted $cpu/cpufreq/policy*/scaling_cur_freq \
		/sys/class/thermal/thermal_zone*/temp
	optional throttled vcgencmd get_throttled # Raspberry Pi
}

case $1 in
after) state ;;
before)
	state
	section uname uname -a
	section processors processors
	section page_size pages
	files boot /proc/cmdline /proc/version
	files topology $cpu/online $cpu/possible $cpu/isolated $cpu/nohz_full $cpu/smt/active \
		/sys/devices/system/node/online /sys/devices/system/node/node*/cpulist \
		$cpu/cpu[0-9]*/topology/physical_package_id $cpu/cpu[0-9]*/topology/core_cpus_list \
		$cpu/cpu0/cache/index*/level $cpu/cpu0/cache/index*/type $cpu/cpu0/cache/index*/size \
		$cpu/cpu0/cache/index*/shared_cpu_list
	files clock /sys/devices/system/clocksource/clocksource0/current_clocksource
	files firmware /sys/class/dmi/id/bios_vendor /sys/class/dmi/id/bios_version \
		/sys/class/dmi/id/bios_date /sys/class/dmi/id/product_name
	optional firmware_version vcgencmd version
	files frequency $cpu/cpufreq/boost $cpu/intel_pstate/no_turbo $cpu/intel_pstate/status \
		$cpu/cpufreq/policy*/scaling_driver $cpu/cpufreq/policy*/scaling_governor \
		$cpu/cpufreq/policy*/scaling_min_freq $cpu/cpufreq/policy*/scaling_max_freq \
		$cpu/cpufreq/policy*/cpuinfo_max_freq $cpu/cpuidle/current_driver \
		$cpu/cpuidle/current_governor
	files mitigations $cpu/vulnerabilities/*
	files sched $sched/features $sched/preempt $sched/tunable_scaling $sched/base_slice_ns \
		$sched/latency_ns $sched/min_granularity_ns $sched/wakeup_granularity_ns \
		$sched/migration_cost_ns $sched/nr_migrate $sched/fair_server/cpu0/runtime \
		$sched/fair_server/cpu0/period
	# Lockdown forbids the files above even to root, but not this one.
	section sched_debug sed -n '/sysctl_sched/,/^$/p; /^cpu#/q' $sched/debug
	files sysctl /proc/sys/kernel/sched_* /proc/sys/kernel/numa_balancing \
		/proc/sys/kernel/timer_migration
	files cgroup /proc/self/cgroup /sys/fs/cgroup/cgroup.controllers /sys/fs/cgroup/cpu.max
	section memory grep -E '^(MemTotal|SwapTotal|HugePages_Total):' /proc/meminfo
	optional packages dpkg-query -W
	;;
esac
exit 0
