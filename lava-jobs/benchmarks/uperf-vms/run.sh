#!/bin/sh
# Runs on the board: argv of both guests in $MAIN_ARGV and $SERVER_ARGV (one word a line, no
# quoting); $GUEST_ARGV prints the guests' kernel command line.  Raw output to $OUT.
set -f
IFS='
'
limit_s=300  # a guest that hangs must not hold the board
append=$($GUEST_ARGV)

ip link add vlagbr type bridge || exit 1
ip link set vlagbr up
for tap in vlag0 vlag1; do
	ip tuntap add "$tap" mode tap
	ip link set "$tap" master vlagbr up
done

# shellcheck disable=SC2086 # argv: one word a line
timeout "$limit_s" $SERVER_ARGV -append "$append vlag.role=server" \
	< /dev/null > "$OUT/server.txt" 2>&1 &
server=$!
# The client waits for the server itself.
# shellcheck disable=SC2086 # argv: one word a line
timeout "$limit_s" $MAIN_ARGV -append "$append vlag.role=client" \
	< /dev/null > "$OUT/uperf.txt" 2>&1
rc=$?
kill "$server" 2>/dev/null
wait "$server"
for link in vlag0 vlag1 vlagbr; do ip link del "$link"; done
exit "$rc"
