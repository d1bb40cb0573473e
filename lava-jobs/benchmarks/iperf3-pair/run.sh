#!/bin/sh
# Runs on both machines of a pair; $ROLE is "sut", which is measured and receives, or
# "loadgen", which sends to $PEER.  argv in $MAIN_ARGV and $SUT_ARGV (one word a line, no
# quoting); $SETTINGS_ARGV prints the seconds of the test.  Raw output to $OUT: iperf3.json on
# the load generator, the server's own view beside /proc/stat on the sut.
set -f
IFS='
'
pair=${VLAG_ROOT:-}/vlag/pair
port=5201 # iperf3's default
# A test that hangs, as when the other machine dies, must not hold the board.
limit_s=$(($($SETTINGS_ARGV) + 60))
case $ROLE in
sut)
	# shellcheck disable=SC2086 # argv: one word a line
	timeout $((limit_s + 120)) $SUT_ARGV > "$OUT/iperf3-server.json" &
	server=$!
	"$pair" serve $server $port $limit_s
	rc=$?
	# It ends by itself after the test.
	[ $rc = 0 ] || kill $server 2>/dev/null
	wait $server
	exit $rc
	;;
loadgen)
	"$pair" ready || exit 1
	# shellcheck disable=SC2086 # argv: one word a line
	timeout $limit_s $MAIN_ARGV --client "$PEER" > "$OUT/iperf3.json"
	rc=$?
	# 3.12 ends with 0 even if it lost its server.
	if [ $rc = 0 ] && grep -q '^	"error":' "$OUT/iperf3.json"; then rc=1; fi
	"$pair" "done" $rc || exit 1
	exit $rc
	;;
*)
	echo "ROLE is \"$ROLE\": this benchmark needs a pair of machines, sut and loadgen" >&2
	exit 2
	;;
esac
