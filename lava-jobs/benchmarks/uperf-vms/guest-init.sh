#!/bin/sh
# First program of both guests.  From the kernel's command line:
#   vlag.role=server|client
#   vlag.profile=NAME, vlag.threads=NUMBER, vlag.duration_s=SECONDS   the client's load
# What it says on the console is in lava-jobs/boot/guests.sh.  To the second serial port go, once
# the client's program has ended, from /proc/net/snmp and /proc/net/netstat,
#   tcp before RetransSegs N segments
#   tcp before TCPOFOQueue N segments
# then the output of uperf, then the same lines with "after".
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
while read -r module; do insmod "/vlag/modules/$module.ko"; done < /vlag/modules/list

role='' profile='' threads='' duration_s=''
read -r words < /proc/cmdline
for word in $words; do
	case $word in
	vlag.role=*) role=${word#*=} ;;
	vlag.profile=*) profile=${word#*=} ;;
	vlag.threads=*) threads=${word#*=} ;;
	vlag.duration_s=*) duration_s=${word#*=} ;;
	esac
done
net=192.168.77
port=20000 # uperf's default
ifconfig lo 127.0.0.1 up

flow() { # of the profile
	case $profile in
	stream) echo '<flowop type="write" options="count=16 size=64k"/>' ;;
	*) echo "vlag: no profile \"$profile\"; there is: stream" >&2; return 1 ;;
	esac
}

describe() { # uperf wants each tag on a line of its own
	flow=$(flow) || return
	cat << END
<?xml version="1.0"?>
<profile name="$profile">
  <group nthreads="$threads">
    <transaction iterations="1">
      <flowop type="connect" options="remotehost=$net.1 protocol=tcp"/>
    </transaction>
    <transaction duration="${duration_s}s">
      $flow
    </transaction>
    <transaction iterations="1">
      <flowop type="disconnect" />
    </transaction>
  </group>
</profile>
END
}

count() { # before|after; the counters' names stand in the line above them
	for counter in Tcp:RetransSegs TcpExt:TCPOFOQueue; do
		awk -v when="$1" -v group="${counter%:*}:" -v name="${counter#*:}" '
			$1 == group && $2 ~ /^[A-Za-z]/ { for (i = 2; i <= NF; i++) at[$i] = i; next }
			$1 == group && name in at { print "tcp", when, name, $at[name], "segments" }' \
			/proc/net/snmp /proc/net/netstat
	done
}

case $role in
server)
	ifconfig eth0 $net.1 netmask 255.255.255.0 up
	uperf -s > /dev/null &
	until grep -q ":$(printf %04X $port) [0-9A-F]*:0000 0A " /proc/net/tcp /proc/net/tcp6; do
		sleep 0.1
	done
	echo "vlag: ready"
	wait # the host ends it
	;;
client)
	ifconfig eth0 $net.2 netmask 255.255.255.0 up
	describe > /tmp/profile.xml || reboot -f
	echo "vlag: begin"
	sleep 1
	count before > /tmp/output
	uperf -m /tmp/profile.xml -a >> /tmp/output 2>&1
	rc=$?
	count after >> /tmp/output
	stty -F /dev/ttyS1 raw
	cat /tmp/output > /dev/ttyS1
	echo "vlag: end $rc"
	;;
*) echo "vlag: the role is \"$role\", neither server nor client" ;;
esac
reboot -f # QEMU ends with -no-reboot
