#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV and $SERVER_ARGV (one word a line, no quoting), raw output
# to $OUT.  The server listens on all addresses of port 7003 until it is stopped.
set -f
IFS='
'
$SERVER_ARGV > "$OUT/tbench-server.txt" 2>&1 &
server=$!
# 1B5B is 7003, 0A a socket that listens.
tries=0
until grep -q ':1B5B 0*:0* 0A ' /proc/net/tcp /proc/net/tcp6 2>/dev/null; do
	tries=$((tries + 1))
	if [ $tries -gt 300 ] || ! kill -0 $server 2>/dev/null; then
		echo "tbench_srv does not listen" > "$OUT/tbench.txt"
		kill $server 2>/dev/null
		exit 97
	fi
	usleep 100000
done
$MAIN_ARGV > "$OUT/tbench.txt" 2>&1
rc=$?
kill $server 2>/dev/null
exit $rc
