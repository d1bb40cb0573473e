#!/bin/sh
# Two guests of the host under test, joined by a bridge.  Read by run.sh of a benchmark with the
# key `guest`, as `. /vlag/guests`; the words of a guest's QEMU are in $SERVER_ARGV and
# $MAIN_ARGV (the client), one a line, $GUEST_ARGV prints the guests' kernel command line.
# What a guest says on its console goes to $OUT/server.txt and $OUT/client.txt:
#   vlag: ready            the server waits for the client
#   vlag: begin            the client's load begins in a second
#   vlag: end STATUS       it has ended
# Each function ends with 1, and says why on standard error, if it cannot.
limit_s=300 # a guest that hangs must not hold the board

connect() { # one tap for each guest, as their argv name them, on a bridge
	ip link add vlagbr type bridge && ip link set vlagbr up || return
	for tap in vlag0 vlag1; do
		ip tuntap add $tap mode tap && ip link set $tap master vlagbr up || return
	done
}

disconnect() {
	for link in vlag0 vlag1 vlagbr; do ip link del $link; done
}

start_server() { # returns when it waits for the client
	# shellcheck disable=SC2086 # argv: one word a line
	timeout $limit_s $SERVER_ARGV -append "$($GUEST_ARGV) vlag.role=server" \
		< /dev/null > "$OUT/server.txt" 2>&1 &
	server=$!
	await server ready $server
}

start_client() { # returns when its load is about to begin
	# shellcheck disable=SC2086
	timeout $limit_s $MAIN_ARGV -append "$($GUEST_ARGV) vlag.role=client" \
		< /dev/null > "$OUT/client.txt" 2>&1 &
	client=$!
	await client begin $client
}

await() { # ROLE WORD PID
	until grep -qs "^vlag: $2" "$OUT/$1.txt"; do
		kill -0 "$3" 2>/dev/null || {
			echo "guests: the $1 ended before it said \"$2\"; its console is in $1.txt" >&2
			return 1
		}
		sleep 0.1
	done
}

vhost_times() { # /proc/PID/task/TID/stat of each vhost thread, in vhost.txt
	(
		set +f
		cat /proc/[0-9]*/task/[0-9]*/stat 2>/dev/null | grep "(vhost-" > "$OUT/vhost.txt"
	)
}

end_guests() { # waits for the client; 1 if it did not end well
	wait "$client"
	vhost_times # of the server: it is still there
	kill "$server" 2>/dev/null
	wait "$server"
	grep -q "^vlag: end 0" "$OUT/client.txt" || {
		echo "guests: the client did not end well; its console is in client.txt" >&2
		return 1
	}
}

# shellcheck disable=SC2120 # its only argument may be absent
run_guests() { # [FUNCTION]: both guests and their load; the function runs beside it
	connect && start_server && start_client && "${1:-true}"
	rc=$?
	[ $rc != 0 ] || { end_guests; rc=$?; }
	disconnect
	return $rc
}
