#!/bin/sh
# Runs in the source's tree.  Debian's static hwloc asks udev, which has no static library, for the
# names of disks; udev.c says that there is no udev.
for test in sched_yield futex1 context_switch1 pipe1; do
	# shellcheck disable=SC2086 # words with their options
	$CC $CFLAGS main.c "tests/$test.c" "$RECIPE/udev.c" $LDFLAGS -lhwloc -lm -lpthread -o "${test}_processes"
done
