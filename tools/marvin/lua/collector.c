// SPDX-License-Identifier: GPL-2.0

#include <limits.h>
#include "collector.h"

/* Payload below this is no reason to collect. */
#define LITTLE (4U << 20)
/* The smallest step: each has costs of its own. */
#define STEP (8U << 10)

static void step(lua_State *L, struct collector *collector, size_t bytes)
{
	uint64_t heap = (uint64_t)lua_gc(L, LUA_GCCOUNT) << 10, kib;
	uint64_t payload = collector->payload > LITTLE ? collector->payload : LITTLE;
	double share = (double)bytes / (double)payload;

	/* More than the whole heap is no more work than that. */
	collector->debt += (uint64_t)((share < 1 ? share : 1) * (double)heap);
	if (collector->debt < STEP)
		return;
	kib = collector->debt >> 10 < INT_MAX ? collector->debt >> 10 : INT_MAX;
	collector->debt = 0;
	lua_gc(L, LUA_GCSTEP, (int)kib);
}

/**
 * collector_expect() - before payload is made
 * @L: the state
 * @collector: of the state; the caller counts payload there
 * @bytes: of the payload
 *
 * If the program has stopped the collector, or a finalizer calls, nothing is collected.
 *
 * Context: it may collect, and so run finalizers, which may change any object.
 */
void collector_expect(lua_State *L, struct collector *collector, size_t bytes)
{
	if (lua_gc(L, LUA_GCISRUNNING) <= 0)
		return;
	if (collector->payload / 4 > collector->left && collector->payload / 4 > LITTLE) {
		lua_gc(L, LUA_GCCOLLECT);
		collector->left = collector->payload;
		collector->debt = 0;
	} else {
		step(L, collector, bytes);
	}
}
