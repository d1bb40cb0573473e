// SPDX-License-Identifier: GPL-2.0-only
/* A kernel that does one thing: switch, in turns of a loop.  It speaks as lava-jobs/boot/init.sh
 * does, and its figure scatters from boot to boot: by the seed of the entry and by its build. */
#include "loop.h"

#define SWITCHES 1000
/* Turns of the loop in a second, if nothing scattered. */
#define SPEED 180000u
/* Scatter of a boot's figure: standard deviation in parts of a million. */
#define SCATTER 6000

/* From here on an address of memory is mapped once more, as that of a kernel. */
#define HIGH 0xffffffff80000000ull

struct feature_state features[FEATURES] = {
	{ "PLACE_LAG", 1 }, { "RUN_TO_PARITY", 1 }, { "DELAY_DEQUEUE", 1 }, { "NEXT_BUDDY", 0 },
};
volatile u32 turns;
int newer_cpu;

void mark_begin(void), mark_end(void);

/* Extended features are none of the oldest x86-64. */
static int has_extended_features(void)
{
	u32 a = 7, b, c = 0, d;

	asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return b != 0;
}

static int same(const char *a, const char *b, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

static u32 hex(const char *digits)
{
	u32 n = 0;

	for (u32 i = 0; i < 8; i++)
		n = n << 4 | (digits[i] <= '9' ? digits[i] - '0' : (digits[i] & 31) + 9);
	return n;
}

/* The last file of this name in the initramfs, whose end is not packed; its bytes. */
static const char *file(u32 sector, const char *name, u32 *bytes)
{
	const u8 *about = (const u8 *)(u64)sector;
	const char *first = (const char *)(u64)*(const u32 *)(about + 0x218);
	const char *at = first + *(const u32 *)(about + 0x21c) - 120;

	for (; at >= first; at--)
		if (same(at, "070701", 6) && same(at + 110, name, length(name) + 1)) {
			*bytes = hex(at + 54);
			return at + ((110 + length(name) + 1 + 3) & ~3u);
		}
	*bytes = 0;
	return 0;
}

static u32 seed_of(const char *entry, u32 bytes)
{
	u32 seed = 0;

	for (u32 i = 0; i + 5 < bytes; i++)
		if (same(entry + i, "SEED=", 5))
			for (i += 5; i < bytes && entry[i] >= '0' && entry[i] <= '9'; i++)
				seed = 10 * seed + entry[i] - '0';
	return seed;
}

/* Sets what the knobs ask for and says so; others than features are not known here. */
static void set_features(const char *knobs, u32 bytes, char *text)
{
	char *end = text;

	for (u32 i = 0; i < bytes; i++) {
		u32 n = 0;

		while (i + n < bytes && knobs[i + n] != ' ' && knobs[i + n] != '\n')
			n++;
		for (u32 j = 0; j < FEATURES; j++) {
			int off = n > 3 && same(knobs + i, "NO_", 3);
			u32 start = i + (off ? 3 : 0), rest = n - (off ? 3 : 0);

			if (rest == length(features[j].name) && same(knobs + start, features[j].name, rest))
				features[j].on = !off;
		}
		i += n;
	}
	*end = 0;
	for (u32 j = 0; j < FEATURES; j++) {
		end = put(end, j ? " " : "");
		end = put(put(end, features[j].on ? "" : "NO_"), features[j].name);
	}
	if (bytes > 15 && same(knobs, "sched_features ", 15)) {
		say("@vlag:knob sched_features ok ");
		say(text);
		say("\n");
	}
}

static u32 state;

static u32 drawn(u32 below)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return (state >> 8) % below;
}

/* Nearly normal: parts of a million around one million. */
static u32 scattered(u32 seed)
{
	int sum = -6000;

	state = (BUILD ^ 0x9e3779b9u) + seed * 2654435761u;
	state = state ? state : 1;
	for (u32 i = 0; i < 20; i++)
		drawn(1);
	for (u32 i = 0; i < 12; i++)
		sum += drawn(1001);
	return 1000000 + SCATTER * sum / 1000;
}

/* a * b / over, cut; the result must have 32 bits. */
static u32 product_over(u32 a, u32 b, u32 over)
{
	u32 low, high, rest;

	asm("mull %3" : "=a"(low), "=d"(high) : "a"(a), "r"(b) : "cc");
	asm("divl %4" : "=a"(low), "=d"(rest) : "a"(low), "d"(high), "r"(over) : "cc");
	return low;
}

static char *put_hundredths(char *end, u32 number)
{
	return put_number(put(put_number(end, number / 100, 1), "."), number % 100, 2);
}

/* Rate: switches in 100 seconds. */
static void write_output(char *end, u32 rate)
{
	const char *head = "stress-ng: info:  [1] ";
	u32 per_switch = product_over(1000000000u, 10000, rate);
	u32 seconds = (product_over(SWITCHES, 20000, rate) + 1) / 2; /* hundredths, rounded */

	end = put(put(end, head), "dispatching hogs: 2 switch\n");
	end = put(put(end, "stress-ng: metrc: [1] "),
		  "stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s CPU "
		  "used per       RSS Max\n");
	end = put(put(end, "stress-ng: metrc: [1] "),
		  "                           (secs)    (secs)    (secs)   (real time) (usr+sys time) "
		  "instance (%)          (KB)\n");
	end = put(put(end, "stress-ng: metrc: [1] "), "switch           ");
	end = put(put_number(end, SWITCHES, 1), "      ");
	end = put(put_hundredths(end, seconds), "      0.05      0.95     ");
	end = put(put_hundredths(end, rate), "      ");
	end = put(put_hundredths(end, rate), "        99.00          1024\n");
	end = put(put(end, "stress-ng: metrc: [1] "), "miscellaneous metrics:\n");
	end = put_hundredths(put(put(end, "stress-ng: metrc: [1] "), "switch   "), per_switch);
	end = put(end, " nanosecs per context switch (pipe method) (geometic mean of 2 instances)\n");
	end = put_hundredths(put(put(end, head), "successful run completed in "), seconds);
	put(end, "s\n");
}

/* At an address of user space, where programs of a board do it; nothing unless it is profiled. */
static void mark(u32 sector, const char *program, void (*how)(void))
{
	u32 bytes;

	if (file(sector, program, &bytes))
		((void (*)(void))((u64)how - HIGH))();
}

void start_kernel(u32 sector)
{
	static char text[4096], said[512];
	const char *entry, *knobs;
	u32 entry_bytes, knob_bytes, scatter;

	say("Linux version 6.12.0\n@vlag:start\n");
	newer_cpu = has_extended_features();
	entry = file(sector, "vlag/entry", &entry_bytes);
	knobs = file(sector, "vlag/knobs", &knob_bytes);
	set_features(knobs, knob_bytes, said);
	say("@vlag:knob schedstats ok off\n@vlag:run\n");
	scatter = scattered(seed_of(entry, entry_bytes));
	mark(sector, "vlag/profile-begin", mark_begin);
	for (u32 i = 0; i < SWITCHES; i++)
		context_switch();
	mark(sector, "vlag/profile-end", mark_end);
	say("@vlag:status 0\n");
	write_output(text, product_over(product_over(100 * SPEED, SWITCHES, turns), scatter, 1000000));
	send_file("stress-ng.txt", text);
	put(put(put(text, "== sched\n/sys/kernel/debug/sched/features:"), said), "\n");
	send_file("environment.txt", text);
	say("@vlag:case benchmark pass 0 status\n@vlag:done\n");
	asm volatile("outb %0, %1" : : "a"((u8)0xfe), "Nd"((unsigned short)0x64));
}
