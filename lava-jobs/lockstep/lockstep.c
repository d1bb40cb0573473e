/*
 * Let an emulator's main loop and its CPUs take turns.
 *
 * Under `-icount shift=N,sleep=off` QEMU's guest clock counts instructions, but two threads
 * move it: the one that runs all CPUs, and the main loop, which sets the clock ahead to the
 * next timer when every CPU sleeps.  The main loop is woken now and then while a CPU runs.  If
 * it looks in the few hundred nanoseconds between the CPU's HLT and the account of what that
 * CPU executed, or at the very end of a time slice, the clock is set ahead too far or the CPUs
 * take other turns: the guest's numbers then depend on the load of the host.
 *
 * Preloaded into QEMU, this lets the main loop return from its poll only while the CPUs' thread
 * sleeps and nobody has woken it.  It also holds writes to standard output until the reader has
 * taken them, so that a slow reader of the serial line costs no guest time either.
 *
 * With one thread for all CPUs (`-accel tcg,thread=single`) that thread is the only one beside
 * the main one that waits on a condition.
 *
 * `-name vlag-limit-SECONDS` ends an emulator whose guest has not ended by then on the guest's
 * own clock, so that a guest that hangs does so at the same instruction on every host.  The limit
 * is a timer of that clock: where all CPUs sleep and nothing will wake them, the clock goes on to
 * it at once.  No guest that ends two seconds or more before its limit takes other turns for it.
 * On standard error, which may be the guest's serial line too:
 *
 *   lockstep VERSION TOKEN                 at the start; no TOKEN: there is no limit
 *   lockstep TOKEN limit INSTRUCTIONS      at the end: what the guest has executed
 *
 * TOKEN is drawn at each start, and no guest can know it.
 */
/* A part of the identity of every board that repeats exactly: raise it with what a guest may
 * notice of it. */
#define VERSION 1

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int asleep;  /* a futex; 1: the CPUs' thread sleeps */
static int leaving; /* 1: asked to end by a signal: nobody waits for a turn any more */
static pthread_mutex_t *lock; /* the emulator's one lock; NULL: no CPU has slept yet */
static pthread_cond_t *halt; /* what the CPUs' thread sleeps on */
static pthread_t main_thread;

static int (*next_wait)(pthread_cond_t *, pthread_mutex_t *);
static int (*next_broadcast)(pthread_cond_t *);
static int (*next_signal)(pthread_cond_t *);
static int (*next_ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
static ssize_t (*next_writev)(int, const struct iovec *, int);
static int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);

static void (*ends[NSIG])(int, siginfo_t *, void *); /* the emulator's own handlers */

/* What is used of QEMU itself, which exports its symbols for its modules. */
enum { VIRTUAL = 1, NS = 1 }; /* its clock of the guest, and a scale */
static void (*timer_init_full)(void *, void *, int, int, int, void (*)(void *), void *);
static void (*timer_mod_ns)(void *, int64_t);
static int64_t (*icount_get_raw)(void);
static int (*qemu_shutdown_requested_get)(void);

static unsigned long limit_s; /* 0: none */
static uint64_t token;
static _Alignas(16) char limit_timer[256]; /* more than a QEMUTimer has */

static void *next(const char *name, const char *version)
{
	void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;

	if (!found)
		found = dlsym(RTLD_NEXT, name);
	if (!found) {
		fprintf(stderr, "lockstep: this C library has no %s\n", name);
		abort();
	}
	return found;
}

/* Read the guest's limit; there is none if QEMU lacks what is needed of it. */
static void read_limit(int argc, char **argv)
{
	static const char word[] = "vlag-limit-";
	int i;

	for (i = 2; i < argc; i++)
		if (!strcmp(argv[i - 1], "-name") && !strncmp(argv[i], word, strlen(word)))
			limit_s = strtoul(argv[i] + strlen(word), NULL, 10);
	timer_init_full = dlsym(RTLD_DEFAULT, "timer_init_full");
	timer_mod_ns = dlsym(RTLD_DEFAULT, "timer_mod_ns");
	icount_get_raw = dlsym(RTLD_DEFAULT, "icount_get_raw");
	qemu_shutdown_requested_get = dlsym(RTLD_DEFAULT, "qemu_shutdown_requested_get");
	if (!timer_init_full || !timer_mod_ns || !icount_get_raw || !qemu_shutdown_requested_get ||
	    getrandom(&token, sizeof(token), 0) != sizeof(token))
		limit_s = 0;
}

__attribute__((constructor)) static void start(int argc, char **argv)
{
	/* Without its version glibc's dlsym gives the conditions of 1998. */
#ifdef __x86_64__
	const char *version = "GLIBC_2.3.2";
#else
	const char *version = NULL;
#endif
	main_thread = pthread_self();
	next_wait = next("pthread_cond_wait", version);
	next_broadcast = next("pthread_cond_broadcast", version);
	next_signal = next("pthread_cond_signal", version);
	next_ppoll = next("ppoll", NULL);
	next_writev = next("writev", NULL);
	next_sigaction = next("sigaction", NULL);
	unsetenv("LD_PRELOAD"); /* for the emulator alone, not for what it starts */
	read_limit(argc, argv);
	if (limit_s)
		fprintf(stderr, "lockstep %d %016" PRIx64 "\n", VERSION, token);
	else
		fprintf(stderr, "lockstep %d\n", VERSION);
}

static void set(int *word, int value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static int get(int *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* Write all of a line, also where standard error does not wait for its reader. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };
	char line[128], *next = line;
	va_list values;
	ssize_t done;
	int left;

	va_start(values, format);
	left = vsnprintf(line, sizeof(line), format, values);
	va_end(values);
	while (left > 0) {
		done = write(STDERR_FILENO, next, left);
		if (done < 0 && errno == EAGAIN)
			next_ppoll(&room, 1, NULL, NULL);
		else if (done < 0 && errno != EINTR)
			return;
		next += done > 0 ? done : 0;
		left -= done > 0 ? done : 0;
	}
}

/* Called at the limit by the CPUs' thread or, where they sleep, by the main loop. */
static void at_limit(void *unused)
{
	(void)unused;
	if (qemu_shutdown_requested_get()) /* it has ended by itself */
		return;
	say("\nlockstep %016" PRIx64 " limit %" PRId64 "\n", token, icount_get_raw());
	_exit(124); /* as timeout(1) does */
}

/* Called before the guest has executed anything, with the emulator's one lock held. */
static void set_limit(void)
{
	static int is_set;

	if (!limit_s || is_set)
		return;
	is_set = 1;
	timer_init_full(limit_timer, NULL, VIRTUAL, NS, 0, at_limit, NULL);
	timer_mod_ns(limit_timer, (int64_t)limit_s * 1000000000);
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	int result;

	if (pthread_equal(pthread_self(), main_thread))
		return next_wait(cond, mutex);
	set_limit();
	__atomic_store_n(&halt, cond, __ATOMIC_SEQ_CST);
	__atomic_store_n(&lock, mutex, __ATOMIC_SEQ_CST);
	/* The main loop may start now; it then waits for the mutex that the wait gives up. */
	set(&asleep, 1);
	syscall(SYS_futex, &asleep, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	result = next_wait(cond, mutex);
	set(&asleep, 0);
	return result;
}

static void woken(pthread_cond_t *cond)
{
	if (cond == __atomic_load_n(&halt, __ATOMIC_SEQ_CST))
		set(&asleep, 0);
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
	woken(cond);
	return next_broadcast(cond);
}

int pthread_cond_signal(pthread_cond_t *cond)
{
	woken(cond);
	return next_signal(cond);
}

/* Whether this is the main loop's own poll, in which it holds no lock: others would wait for us. */
static int at_turn(void)
{
	pthread_mutex_t *held = __atomic_load_n(&lock, __ATOMIC_SEQ_CST);

	return held && pthread_equal(pthread_self(), main_thread) &&
	       __atomic_load_n(&held->__data.__owner, __ATOMIC_RELAXED) != gettid();
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	int result = next_ppoll(fds, count, timeout, mask);
	int error = errno;

	if (at_turn())
		while (!get(&asleep) && !get(&leaving))
			syscall(SYS_futex, &asleep, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	errno = error;
	return result;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	ssize_t done;

	while ((done = next_writev(fd, parts, count)) < 0 && errno == EAGAIN &&
	       fd == STDOUT_FILENO && !get(&leaving)) {
		struct pollfd room = { .fd = fd, .events = POLLOUT };

		next_ppoll(&room, 1, NULL, NULL);
		errno = EAGAIN;
	}
	return done;
}

static void end(int number, siginfo_t *about, void *context)
{
	set(&leaving, 1);
	ends[number](number, about, context);
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction ours;

	if (!action || !(action->sa_flags & SA_SIGINFO) ||
	    (number != SIGINT && number != SIGTERM && number != SIGHUP))
		return next_sigaction(number, action, old);
	ends[number] = action->sa_sigaction;
	ours = *action;
	ours.sa_sigaction = end;
	return next_sigaction(number, &ours, old);
}
