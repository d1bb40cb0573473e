#!/bin/sh
# Runs on both machines of a pair; $ROLE is "sut", the database's machine, which is measured, or
# "loadgen", which drives the database at $PEER.  argv in $MAIN_ARGV and $SUT_ARGV (one word a
# line, no quoting); $SETTINGS_ARGV prints virtual users, minutes of ramp-up and of the test,
# and warehouses.  Raw output to $OUT: hammerdb.txt on the load generator, MySQL's log beside
# /proc/stat on the sut.
set -f
IFS='
'
root=${VLAG_ROOT:-} # of another /disk and /vlag, for tests
disk=$root/disk # a whole system, which make-disk has made
port=3306 # MySQL's default, and said to HammerDB, which keeps what it was told last
settings=$($SETTINGS_ARGV)
IFS=' ' read -r users rampup_min duration_min warehouses <<-end
	$settings
end
# Its users start one by one, and the last transactions may wait for a lock.
limit_s=$(((rampup_min + duration_min + 5) * 60))
export PATH="$PATH:/usr/local/bin:/usr/sbin:/usr/bin"

attach() {
	mkdir -p "$disk"
	device=${VLAG_DISK:-$(findfs LABEL=vlag-mysql)}
	[ -n "$device" ] || {
		# A board that lacks it is no result of its kernel.
		echo "@vlag:knob disk failed there is none with the label vlag-mysql: make one with make-disk"
		return 1
	}
	mount -t ext4 -o noatime "$device" "$disk" || return
	mount -t proc proc "$disk/proc" && mount -t devtmpfs dev "$disk/dev" || return
	mount -t tmpfs tmp "$disk/tmp" && mount -t tmpfs run "$disk/run" || return
	mkdir "$disk/run/mysqld" && chroot "$disk" chown mysql /run/mysqld
}

detach() {
	for folder in run tmp dev proc ''; do
		umount "$disk/$folder"
	done
}

[ -d "$disk/proc/self" ] || attach || exit 1
case $ROLE in
sut)
	# Each run begins with the same database.
	rm -rf "$disk/var/lib/mysql"
	cp -a "$disk/var/lib/mysql.pristine" "$disk/var/lib/mysql" || exit 1
	sync
	$SUT_ARGV > "$OUT/mysqld.txt" 2>&1 &
	server=$!
	"$root/vlag/pair" serve $server $port $limit_s
	rc=$?
	kill $server 2>/dev/null
	i=0
	while kill -0 $server 2>/dev/null && [ $i -lt 60 ]; do
		sleep 1
		i=$((i + 1))
	done
	kill -9 $server 2>/dev/null # what is not written by now is not needed
	wait $server
	detach
	exit $rc
	;;
loadgen) ;;
*)
	echo "ROLE is \"$ROLE\": this benchmark needs a pair of machines, sut and loadgen" >&2
	exit 2
	;;
esac

cat > "$disk/tmp/tprocc.tcl" <<-end
	dbset db mysql
	dbset bm TPC-C
	diset connection mysql_host $PEER
	diset connection mysql_port $port
	source /etc/vlag-tprocc.tcl
	diset tpcc mysql_driver timed
	diset tpcc mysql_count_ware $warehouses
	diset tpcc mysql_rampup $rampup_min
	diset tpcc mysql_duration $duration_min
	diset tpcc mysql_timeprofile true
	loadscript
	vuset vu $users
	vucreate
	vurun
	runtimer $(((rampup_min + duration_min + 2) * 60))
	vudestroy
end
rm -f "$disk/tmp/hdbxtprofile.log"
"$root/vlag/pair" ready || exit 1
{
	# The reader must know that a report belongs to the log, or a cut would go unseen.
	echo "time profile follows"
	# shellcheck disable=SC2086 # argv: one word a line
	timeout $limit_s $MAIN_ARGV 2>&1
	# HammerDB ends with a carriage return.
	printf '\nstatus %s\n' $?
	cat "$disk/tmp/hdbxtprofile.log"
} > "$OUT/hammerdb.txt"
rc=0
grep -qx 'status 0' "$OUT/hammerdb.txt" || rc=1
detach
"$root/vlag/pair" "done" $rc || exit 1
exit $rc
