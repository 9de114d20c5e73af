/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports payload to Lua's collector, which sees only the userdata of 50 bytes of an object of
 * megabytes, and would free it far too late.
 *
 * Lua begins a collection when its heap has doubled (by default). Payload that grows by x percent
 * is reported as if Lua's heap had grown by x percent: payload that doubles brings a collection,
 * too, however small Lua's part is; and a program with much payload that makes little of it does
 * not collect more often.
 *
 * In generational mode a step collects only young objects. So there is a full collection when the
 * payload has grown to four times of what the last one left. An incremental collector never lets it
 * come to that, unless a program really grows so far.
 */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include <lua.h>
#include <stddef.h>
#include <stdint.h>

struct collector {
	uint64_t payload;		/* bytes, garbage included */
	uint64_t left;			/* by the last full collection */
	uint64_t debt;			/* bytes of Lua's heap that are not reported yet */
};

void collector_expect(lua_State *L, struct collector *collector, size_t bytes);

#endif
