// SPDX-License-Identifier: GPL-2.0-only
/* What a switch does.  Its commits make it slower. */
#include "loop.h"

static void place_entity(void)
{
	spend(feature("PLACE_LAG") ? 12 : 9);
}

static void enqueue_task(void)
{
	place_entity();
	spend(38);
}

static void dequeue_task(void)
{
	spend(44);
}

static void pick_next_task(void)
{
	spend(feature("RUN_TO_PARITY") ? 96 : 104);
}

void context_switch(void)
{
	dequeue_task();
	enqueue_task();
	pick_next_task();
	spend(210);
}
