#!/bin/sh
# Runs on both machines; $ROLE is "sut" (the database's machine, which is measured) or "main"
# (the load generator).  argv in $MAIN_ARGV and $SUT_ARGV (one word a line, no quoting);
# $SETTINGS_ARGV prints virtual users, minutes of ramp-up and of the test, and warehouses.
# Raw output to $OUT, on the load generator.
set -f
IFS='
'
if [ "${ROLE:-main}" = sut ]; then
	$SUT_ARGV > "$OUT/mysqld.txt" 2>&1 &
	server=$!
	lava-send server-ready "address=$(hostname -i)"
	lava-wait load-ended
	kill "$server"
	wait "$server"
	exit 0
fi

settings=$($SETTINGS_ARGV)
IFS=' ' read -r users rampup_min duration_min warehouses <<-end
	$settings
end
lava-wait server-ready
address=$(sed -n 's/.*address=//p' /tmp/lava_multi_node_cache.txt)
cat > /tmp/tprocc.tcl <<-end
	dbset db mysql
	dbset bm TPC-C
	diset connection mysql_host $address
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
rm -f /tmp/hdbxtprofile.log
{
	# The reader must know that a report belongs to the log, or a cut would go unseen.
	echo "time profile follows"
	$MAIN_ARGV 2>&1
	echo "status $?"
	cat /tmp/hdbxtprofile.log
} > "$OUT/hammerdb.txt"
lava-send load-ended
grep -qx 'status 0' "$OUT/hammerdb.txt"
