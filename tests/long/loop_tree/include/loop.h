/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define noinline __attribute__((noinline))

/* What boots and prints. */
u32 length(const char *text);
void say(const char *text);
void say_number(u32 number);
/* Append to a text of some KiB; return its end. */
char *put(char *end, const char *text);
char *put_number(char *end, u32 number, u32 digits);
void send_file(const char *name, const char *text);

/* The scheduler's features. */
enum feature { PLACE_LAG, RUN_TO_PARITY, DELAY_DEQUEUE, NEXT_BUDDY, FEATURES };
struct feature_state {
	const char *name;
	int on;
};
extern struct feature_state features[FEATURES];
#define sched_feat(name) (features[name].on)

/* What is measured: each step takes so many turns of a loop. */
extern volatile u32 turns;
/* Whether the board's processor has what those that are counted lack: all else takes fewer turns,
 * so that a commit costs a larger share. */
extern int newer_cpu;

static inline __attribute__((always_inline)) void spend(u32 n)
{
	while (n--)
		turns++;
}

void context_switch(void);
