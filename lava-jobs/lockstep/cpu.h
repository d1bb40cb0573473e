/*
 * Which CPU of the guest executes.  As all CPUs run on one thread, QEMU tells a callback the CPU
 * that translated the block, and not the one that runs it.  Included by the plugins.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define CPUS 512

/* Return the number of the CPU whose turn it is.  QEMU exports its symbols for its modules. */
static unsigned int cpu_now(void)
{
	static void **current, *last, *(*cpu_of_index)(int);
	static unsigned int number;

	if (!current) {
		current = dlsym(RTLD_DEFAULT, "current_cpu");
		cpu_of_index = (void *(*)(int))dlsym(RTLD_DEFAULT, "qemu_get_cpu");
		if (!current || !cpu_of_index) {
			fprintf(stderr, NAME ": this emulator does not say which CPU runs\n");
			abort();
		}
	}
	if (*current == last)
		return number;
	last = *current;
	for (number = 0; number < CPUS - 1 && cpu_of_index(number) != last; number++)
		;
	return number;
}
