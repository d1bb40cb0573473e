#!/bin/sh
# How the two machines of a pair begin and end together.  $ROLE is "sut" (measured) or
# "loadgen", $PEER the other's address, $ADDRESS our own ("" where the kernel has set it).
#
#   pair serve PID PORT SECONDS   sut: wait until our server listens, then until the load
#                                 generator is ready, then, SECONDS at most, until it is done
#   pair ready                    loadgen: wait until the sut's server listens and say ready
#   pair done STATUS              loadgen: say how its program has ended
#
# The load generator talks, one word a connection: "ready", which is answered with "go", and
# "done STATUS", answered with "bye".  It repeats a word until it is answered; hearing one twice
# does no harm.  The sut copies /proc/stat before it answers, so that what it counts is the
# measurement and no waiting.  It sleeps in accept(2) meanwhile.
set -u
port=7676 # not of any server that a benchmark starts
limit_s=${VLAG_PAIR_LIMIT_S:-120} # for the other machine to get ready or answer; less in tests
heard=${VLAG_ROOT:-}/tmp/vlag-heard # below another root in tests

say() { echo "pair: $*" >&2; }

now() { # seconds
	read -r up _ < /proc/uptime
	echo "${up%.*}"
}

join() {
	[ -z "${ADDRESS:-}" ] || ifconfig eth0 "$ADDRESS" netmask 255.255.255.0 up || {
		say "eth0 cannot have the address $ADDRESS"
		exit 1
	}
}

alive() { # PID - not even as a zombie
	grep -q '^State:	[^ZX]' "/proc/$1/status" 2>/dev/null
}

listens() { # PORT
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":$(printf %04X "$1") [0-9A-F]*:0000 0A "
}

# The sut, of one connection: what comes in is what the other says, what is printed goes there.
answer() { # PORT
	read -r word rest
	case $word in
	ready)
		if listens "$1"; then
			cat /proc/stat > "$OUT/stat-before.txt"
			echo go
		else
			echo "no, my server has ended"
			word=dead
		fi
		;;
	done)
		cat /proc/stat > "$OUT/stat-after.txt"
		echo bye
		;;
	esac
	echo "$word $rest" > "$heard"
}

hear() { # WORD SECONDS PORT - wait until it was said
	until=$(($(now) + $2))
	while left=$((until - $(now))) && [ $left -gt 0 ]; do
		rm -f "$heard"
		timeout "$left" nc -l -p $port -e "$0" answer "$3"
		[ -f "$heard" ] || continue # somebody else, who said nothing
		read -r word status < "$heard"
		case $word in
		"$1") return ;;
		dead)
			say "the server on port $3 has ended"
			return 1
			;;
		esac
	done
	say "no load generator at $PEER said \"$1\" within $2 s"
	return 1
}

serve() { # PID PORT SECONDS
	until=$(($(now) + limit_s))
	until listens "$2"; do
		if ! alive "$1" || [ "$(now)" -ge "$until" ]; then
			say "no server listens on port $2 after $limit_s s, or it has ended"
			exit 1
		fi
		sleep 1
	done
	hear ready "$limit_s" "$2" || return
	hear "done" "$3" "$2" || return
	[ "$status" = 0 ] && return
	say "the load generator's program ended with status $status"
	return 1
}

tell() { # WORD ANSWER SECONDS - until it is answered
	until=$(($(now) + $3))
	while [ "$(now)" -lt "$until" ]; do
		got=$(echo "$1" | timeout 5 nc -w 3 "$PEER" $port 2>/dev/null)
		case $got in
		"$2") return ;;
		no*)
			say "$PEER says: $got"
			return 1
			;;
		esac
		sleep 1
	done
	say "the machine under test at $PEER did not answer \"$1\" on port $port within $3 s"
	return 1
}

case $1 in
answer) answer "$2" ;;
serve) join && serve "$2" "$3" "$4" ;;
ready) join && tell ready go "$limit_s" ;;
done) tell "done $2" bye "$limit_s" ;;
*)
	say "no such word: $1"
	exit 2
	;;
esac
