#!/bin/sh
# Runs on the board: argv of both guests' QEMU in $MAIN_ARGV (the client) and $SERVER_ARGV, one
# word a line, no quoting; $GUEST_ARGV prints the guests' kernel command line.  The client's
# uperf.txt comes to $OUT by its second serial port.
set -f
IFS='
'
# shellcheck source=lava-jobs/boot/guests.sh
. "${VLAG_ROOT:-}/vlag/guests"

# shellcheck disable=SC2119
run_guests
