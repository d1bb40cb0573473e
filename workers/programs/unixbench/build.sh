#!/bin/sh
# Runs in the source's tree.  The Makefile compiles for the CPU that it runs on: these run on others.
for test in context1 pipe spawn execl; do
	# shellcheck disable=SC2086 # words with their options
	$CC $CFLAGS -DTIME -I UnixBench/src "UnixBench/src/$test.c" $LDFLAGS -o "$test"
done
