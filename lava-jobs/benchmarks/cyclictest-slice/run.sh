#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV and $LOAD_ARGV, perl and the slice in nanoseconds of
# each in $SLICE_ARGV and $LOADSLICE_ARGV, the timer slack in nanoseconds from
# $TIMERSLACK_ARGV (one word a line, no quoting), raw output to $OUT.
# The load must still run when the measurement ends.
# shellcheck disable=SC2086 # split at line ends alone
set -f
IFS='
'
case $(uname -m) in
x86_64) set_call=314 get_call=315 ;;
aarch64) set_call=274 get_call=275 ;;
*) echo "no system call numbers for $(uname -m)" > "$OUT/cyclictest.txt"; exit 98 ;;
esac

# sched_setattr with struct sched_attr: size, policy (other), flags, nice, priority, runtime
# (the slice), deadline, period.  A kernel that knows no slices reads back another.
# shellcheck disable=SC2016 # these are perl's variables
program='
my ($set_call, $get_call, $slice, @command) = @ARGV;
my $attr = pack "L L Q l L Q Q Q", 48, 0, 0, 0, 0, $slice, 0, 0;
syscall($set_call, 0, $attr, 0) == 0 or die "sched_setattr: $!\n";
my $got = "\0" x 48;
syscall($get_call, 0, $got, 48, 0) == 0 or die "sched_getattr: $!\n";
my $read = unpack "x24 Q", $got;
$read == $slice or die "the slice of $slice ns was not applied: the kernel says $read\n";
exec @command or die "@command: $!\n";
'

with() { # PERL NANOSECONDS COMMAND...
	perl=$1
	shift
	"$perl" -e "$program" $set_call $get_call "$@"
}

# A child begins with the slack of its parent.  A real-time task has none, whatever it is.
slack=/proc/$$/timerslack_ns
$TIMERSLACK_ARGV > $slack
if [ "$(cat $slack)" != "$($TIMERSLACK_ARGV)" ]; then
	echo "the timer slack of $($TIMERSLACK_ARGV) ns was not applied: it is $(cat $slack)" \
		> "$OUT/cyclictest.txt"
	exit 98
fi
echo "timer slack: $(cat $slack) ns" > "$OUT/cyclictest.txt"
{ with $SLICE_ARGV true && with $LOADSLICE_ARGV true; } >> "$OUT/cyclictest.txt" 2>&1 || exit 98
with $LOADSLICE_ARGV $LOAD_ARGV > "$OUT/hackbench.txt" 2>&1 &
load=$!
with $SLICE_ARGV $MAIN_ARGV >> "$OUT/cyclictest.txt" 2>&1
rc=$?
if ! kill -0 "$load" 2>/dev/null; then
	echo "load ended before the measurement" >> "$OUT/cyclictest.txt"
	rc=99
fi
killall -9 hackbench 2>/dev/null
exit "$rc"
