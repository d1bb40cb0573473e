/*
 * Stop a guest at one instruction for its snapshot, and let a restored one go on from there.
 *
 * Preloaded into QEMU before lockstep, and only where a guest is held or restored: a boot from
 * power on has none of this.  A guest that goes on from its snapshot executes what it would have
 * executed without one, to the last instruction.  For that
 *
 *   - it is held where the thread of all CPUs begins a round of turns, right after the turn of the
 *     last CPU: a restored emulator begins there as well;
 *   - the emulator's own timer that ends long turns, which no snapshot has, gets back its time;
 *   - so do the wishes to end a turn, one for each CPU, which no snapshot has either.
 *
 * `-name vlag-hold` holds the guest at the first such place after the first instruction of a
 * program: `-plugin` must name this file too, which sees that instruction being translated.  On
 * standard error, once the guest stands still and its monitor serves a `migrate`:
 *
 *   snapshot VERSION held TIMER_NS WISHES
 *
 * `-name vlag-restore-TIMER_NS-WISHES` with `-incoming file:PATH` goes on from there.  It first
 * prints PATH.console, what the guest had printed until it was held.
 *
 * QEMU 10.0 is what this knows; another one may lack what is looked for, and is then not held.
 */
/* A part of what a snapshot is kept by: raise it with what a restored guest may notice of it. */
#define VERSION 1

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "plugin.h"

/* What is used of QEMU itself, which exports its symbols for its modules. */
enum { VIRTUAL = 1, CLOCKS = 4 }; /* its clock of the guest */
enum { PAUSED = 4 }; /* a state of the machine, in QAPI's order */
struct timer {
	int64_t expires_ns;
	struct timers *list;
	void (*run)(void *);
	void *opaque;
	struct timer *next;
};
struct timers {
	void *clock;
	struct { pthread_mutex_t lock; bool initialized; } mutex;
	struct timer *first;
};
extern struct { struct timers *of[CLOCKS]; } main_loop_tlg;
extern __thread void *current_cpu;
void *qemu_get_cpu(int index);
void process_queued_cpu_work(void *cpu);
void cpu_exit(void *cpu);
void pause_all_vcpus(void);
int64_t qemu_clock_get_ns(int clock);
void timer_mod_ns(void *timer, int64_t expires_ns);
int vm_stop(int state);
void vm_start(void);
bool runstate_check(int state);
void bql_lock_impl(const char *file, int line);
void bql_unlock(void);

enum { TURN_NS = 100000000 }; /* after so long the emulator's timer ends a turn */
enum { MOST_CPUS = 64, CPU_BYTES = 1 << 17 };

static enum { NOTHING, HOLD, RESTORE } task;
static enum { RUNNING, HOLDING, HELD, RESTORED, GOES_ON } state;
static int in_program; /* 1: the guest has begun to execute a program */
static int64_t timer_ns; /* when the turns' timer ends the next one */
static uint64_t wishes; /* to end a turn: bit n is that of CPU n */

static pthread_t main_thread;
static pthread_mutex_t *lock; /* the emulator's one lock; NULL: no CPU has slept yet */
static __thread bool of_cpus; /* whether this is the thread of all CPUs */
static bool inside; /* what is done here takes locks, too */
static pthread_mutex_t *work[MOST_CPUS]; /* one lock a CPU, taken in their order before a round */
static pthread_mutex_t *learned;
static int cpus, taken; /* how many of `work` were taken one after the other */
static size_t wish_at; /* where a CPU has its wish */
static struct timer *turns; /* the emulator's own, which ends long turns; one CPU needs none */
static bool knows; /* whether all of this was found */

static int (*next_lock)(pthread_mutex_t *);
static int (*next_wait)(pthread_cond_t *, pthread_mutex_t *), (*plain_wait)(pthread_cond_t *, pthread_mutex_t *);
static int (*next_ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

__attribute__((noreturn)) static void fail(const char *why)
{
	fprintf(stderr, "snapshot: %s\n", why);
	_exit(125);
}

/* Print what the guest had printed before it was held. */
static void print_before(const char *image)
{
	char path[4096], piece[4096];
	ssize_t count, done;
	int from;

	snprintf(path, sizeof(path), "%s.console", image);
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		fail("the snapshot's console cannot be read");
	while ((count = read(from, piece, sizeof(piece))) > 0)
		for (done = 0; done < count;) {
			ssize_t wrote = write(STDOUT_FILENO, piece + done, count - done);

			if (wrote < 0)
				fail("nobody reads the console");
			done += wrote;
		}
	close(from);
}

/* Its constructor comes after that of lockstep, whose line is the first one. */
__attribute__((constructor)) static void start(int argc, char **argv)
{
	const char *image = NULL;
	int i;

	main_thread = pthread_self();
	next_wait = dlsym(RTLD_NEXT, "pthread_cond_wait");
	next_ppoll = dlsym(RTLD_NEXT, "ppoll");
	plain_wait = dlvsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "pthread_cond_wait", "GLIBC_2.3.2");
	if (!plain_wait)
		fail("this C library is not known");
	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[i - 1], "-name") && !strcmp(argv[i], "vlag-hold"))
			task = HOLD;
		if (!strcmp(argv[i - 1], "-name") &&
		    sscanf(argv[i], "vlag-restore-%" SCNd64 "-%" SCNx64, &timer_ns, &wishes) == 2)
			task = RESTORE;
		if (!strcmp(argv[i - 1], "-incoming") && !strncmp(argv[i], "file:", 5))
			image = argv[i] + 5;
	}
	if (task == HOLD) /* a held guest stands still for ever */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (task == RESTORE && image)
		print_before(image);
}

/* Find where a CPU has its wish to end a turn; 0: this emulator has it elsewhere. */
static size_t find_wish(void)
{
	unsigned char *cpu = calloc(1, CPU_BYTES), *first;

	if (!cpu)
		return 0;
	cpu_exit(cpu);
	first = memchr(cpu, 1, CPU_BYTES);
	if (first && memchr(first + 1, 1, cpu + CPU_BYTES - first - 1))
		first = NULL;
	wish_at = first ? first - cpu : 0;
	free(cpu);
	return wish_at;
}

/* Learn the locks and the timer that rounds are known by; needs the emulator's lock, and the
 * timer just set.  Return whether all of it was found. */
static bool learn(void)
{
	struct timers *list = main_loop_tlg.of[VIRTUAL];
	struct timer *each;
	int i;

	if (!find_wish())
		return false;
	for (each = list->first; each; each = each->next)
		if (each->list == list && !each->opaque &&
		    each->expires_ns == qemu_clock_get_ns(VIRTUAL) + TURN_NS)
			turns = each;
	for (i = 0; i < MOST_CPUS && qemu_get_cpu(i); i++) {
		learned = NULL;
		process_queued_cpu_work(qemu_get_cpu(i));
		work[i] = learned;
	}
	cpus = i;
	knows = work[0] && (turns || cpus == 1);
	return knows;
}

static bool *wish(int cpu)
{
	return (bool *)((char *)qemu_get_cpu(cpu) + wish_at);
}

/* Called by the CPUs' thread where a round begins, the emulator's lock held. */
static void hold(void)
{
	int i;

	state = HOLDING;
	timer_ns = turns ? turns->expires_ns : 0;
	for (i = 0; i < cpus; i++)
		wishes |= (uint64_t)*wish(i) << i;
	pause_all_vcpus();
}

/* Called by the CPUs' thread, the emulator's lock held, before it looks for the next timer: a
 * round begins if it had taken all of `work` before. */
static void looks_for_timer(bool begins)
{
	int i;

	if (task == HOLD && !knows) {
		if (!learn())
			task = NOTHING;
	} else if (task == HOLD && state == RUNNING && begins &&
		   __atomic_load_n(&in_program, __ATOMIC_RELAXED) &&
		   current_cpu == qemu_get_cpu(cpus - 1)) {
		hold();
	} else if (task == RESTORE && state == RESTORED) {
		state = GOES_ON;
		if (!learn())
			fail("this emulator is not the one that was held");
		if (turns)
			timer_mod_ns(turns, timer_ns);
		for (i = 0; i < cpus; i++) /* what started them has set all */
			*wish(i) = wishes >> i & 1;
	}
}

/* Follow which locks the CPUs' thread takes; called before it takes one. */
static void follow(pthread_mutex_t *mutex)
{
	static bool has_lock, begins;

	if (mutex == lock) {
		begins = cpus && taken == cpus;
		has_lock = true;
	} else if (has_lock) {
		has_lock = false;
		inside = true;
		looks_for_timer(begins);
		inside = false;
	}
	if (cpus && taken < cpus && mutex == work[taken])
		taken++;
	else
		taken = cpus && mutex == work[0];
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	if (!next_lock)
		next_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	if (of_cpus && inside)
		learned = learned ? learned : mutex;
	else if (of_cpus && task != NOTHING)
		follow(mutex);
	return next_lock(mutex);
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	static int has_waited;

	if (pthread_equal(pthread_self(), main_thread))
		return next_wait(cond, mutex);
	if (!__atomic_exchange_n(&has_waited, 1, __ATOMIC_SEQ_CST)) {
		of_cpus = true;
		__atomic_store_n(&lock, mutex, __ATOMIC_SEQ_CST);
	}
	/* Lockstep knows no other thread, and the one that saves a guest waits as well. */
	return of_cpus ? next_wait(cond, mutex) : plain_wait(cond, mutex);
}

/* Whether the main loop has something to do here; `task` alone decides in most calls. */
static bool due(void)
{
	return (task == HOLD && state == HOLDING) ||
	       (task == RESTORE && state == RUNNING && runstate_check(PAUSED));
}

/* Called by the main loop while the CPUs' thread sleeps: lockstep sees to that. */
static void at_turn(void)
{
	static const struct timespec none;

	bql_lock_impl(__FILE__, __LINE__);
	if (task == HOLD) {
		vm_stop(PAUSED);
		state = HELD;
	} else {
		state = RESTORED;
		vm_start();
	}
	bql_unlock();
	if (task == HOLD)
		fprintf(stderr, "\nsnapshot %d held %" PRId64 " %" PRIx64 "\n", VERSION, timer_ns, wishes);
	else
		next_ppoll(NULL, 0, &none, NULL); /* the guest runs: wait for the next turn */
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	static const struct timespec none;
	pthread_mutex_t *held = __atomic_load_n(&lock, __ATOMIC_SEQ_CST);
	int result;

	if (!held || !pthread_equal(pthread_self(), main_thread) ||
	    __atomic_load_n(&held->__data.__owner, __ATOMIC_RELAXED) == gettid())
		return next_ppoll(fds, count, timeout, mask);
	result = next_ppoll(fds, count, due() ? &none : timeout, mask);
	if (due())
		at_turn();
	return result;
}

/* As the plugin. */

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	uint64_t at = qemu_plugin_tb_vaddr(block);

	(void)id;
	/* Firmware and what unpacks a kernel are below 4 GiB. */
	if (at >> 32 && !(at >> 47))
		__atomic_store_n(&in_program, 1, __ATOMIC_RELAXED);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info, (void)argc, (void)argv;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
