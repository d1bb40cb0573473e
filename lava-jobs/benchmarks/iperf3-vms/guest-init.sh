#!/bin/sh
# First program of both guests.  From the kernel's command line:
#   vlag.role=server|client
#   vlag.load=WORD,WORD...   the client's program, with commas for spaces
# What it says on the console is in lava-jobs/boot/guests.sh; the output of the client's program
# goes to the second serial port once it has ended.
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
while read -r module; do insmod "/vlag/modules/$module.ko"; done < /vlag/modules/list

role='' load=''
read -r words < /proc/cmdline
for word in $words; do
	case $word in
	vlag.role=*) role=${word#*=} ;;
	vlag.load=*) load=${word#*=} ;;
	esac
done
net=192.168.77
port=5201 # iperf3's default
ifconfig lo 127.0.0.1 up

case $role in
server)
	ifconfig eth0 $net.1 netmask 255.255.255.0 up
	iperf3 --server > /dev/null &
	until grep -q ":$(printf %04X $port) [0-9A-F]*:0000 0A " /proc/net/tcp /proc/net/tcp6; do
		sleep 0.1
	done
	echo "vlag: ready"
	wait # the host ends it
	;;
client)
	ifconfig eth0 $net.2 netmask 255.255.255.0 up
	echo "vlag: begin"
	sleep 1
	IFS=,
	# shellcheck disable=SC2086 # split at commas
	$load --client $net.1 > /tmp/output
	rc=$?
	# 3.12 ends with 0 even if it lost its server.
	if [ $rc = 0 ] && grep -q '^	"error":' /tmp/output; then rc=1; fi
	stty -F /dev/ttyS1 raw
	cat /tmp/output > /dev/ttyS1
	echo "vlag: end $rc"
	;;
*) echo "vlag: the role is \"$role\", neither server nor client" ;;
esac
reboot -f # QEMU ends with -no-reboot
