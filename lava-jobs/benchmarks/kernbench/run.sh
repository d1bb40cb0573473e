#!/bin/sh
# Runs on the board: argv in $MAIN_ARGV, which writes a system with a compiler and a kernel's files as
# an archive, in $BUILD_ARGV, which compiles them there and says what that took, and in $RUNS_ARGV,
# a program that prints one number a run (one word a line, no quoting).  Raw output to $OUT: what
# GNU time says of a run that warms up and of each one that counts, as kernbench asks it.
set -f
IFS='
'
export PATH="$PATH:/usr/bin:/bin"
export TIME='%e %U %S %P %c %w' # what GNU time says: words of argv have no spaces
tree=/tmp/kernbench
out=$OUT/kernbench.txt
if [ ! -d $tree/src ]; then
	mkdir -p $tree
	# shellcheck disable=SC2086 # argv: one word a line
	$MAIN_ARGV | tar -x -C $tree || exit 97
fi

one() { # NAME
	rm -f $tree/src/kernel.o $tree/tmp/time
	find $tree/src -name '*.o' -exec rm -f {} +
	# shellcheck disable=SC2086 # argv: one word a line
	$BUILD_ARGV > "$OUT/make.txt" 2>&1
	rc=$?
	echo "$1: $(cat $tree/tmp/time)"
	echo "status $rc"
	return $rc
}

{
	# shellcheck disable=SC2086 # argv: one word a line
	set -- $BUILD_ARGV
	while [ "$1" != make ]; do shift; done
	IFS=' '
	echo "\$ $*"
	IFS='
'
	cat $tree/src/version
	chroot $tree gcc --version | head -n 1
	rc=0
	one warm-up || rc=1
	for run in $($RUNS_ARGV); do
		[ $rc != 0 ] || one "run $run" || rc=1
	done
	echo "end of $($RUNS_ARGV | wc -l) runs"
} > "$out" 2>&1
exit $rc
