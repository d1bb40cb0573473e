#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV and $SERVER_ARGV (one word a line, no quoting), raw output
# to $OUT.  The server listens on port 12865 until it is stopped.
set -f
IFS='
'
# netperf resolves its host by AI_ADDRCONFIG, for which 127.0.0.1 alone is no address.
ip address add 127.0.0.2/8 dev lo 2>/dev/null
$SERVER_ARGV > "$OUT/netserver.txt" 2>&1 &
server=$!
# 3241 is 12865, 0A a socket that listens.
tries=0
until grep -q ':3241 0*:0* 0A ' /proc/net/tcp /proc/net/tcp6 2>/dev/null; do
	tries=$((tries + 1))
	if [ $tries -gt 300 ] || ! kill -0 $server 2>/dev/null; then
		echo "netserver does not listen" > "$OUT/netperf.txt"
		kill $server 2>/dev/null
		exit 97
	fi
	usleep 100000
done
$MAIN_ARGV > "$OUT/netperf.txt" 2>&1
rc=$?
kill $server 2>/dev/null
exit $rc
