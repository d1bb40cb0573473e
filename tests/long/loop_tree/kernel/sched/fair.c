// SPDX-License-Identifier: GPL-2.0-only
/* What a switch does.  Its commits make it slower. */
#include "loop.h"

static noinline void place_entity(void)
{
	spend(sched_feat(PLACE_LAG) ? 12 : 9);
}

static noinline void enqueue_task(void)
{
	place_entity();
	spend(newer_cpu ? 4 : 38);
}

static noinline void dequeue_task(void)
{
	spend(44);
}

static noinline void pick_next_task(void)
{
	spend(sched_feat(RUN_TO_PARITY) ? 96 : 104);
}

void context_switch(void)
{
	dequeue_task();
	enqueue_task();
	pick_next_task();
	spend(210);
}
