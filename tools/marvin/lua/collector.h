/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What Lua's collector is told of payload: it sees a userdata of 50 bytes where there is an object
 * of megabytes, and would free far too late.
 *
 * Lua begins a collection when its heap has doubled (by default). Payload that grows by x percent
 * is reported as if Lua's heap had grown by x percent: payload that doubles brings a collection,
 * too, however small Lua's part is; and a program with much payload that makes little of it does
 * not collect more often.
 *
 * In generational mode a step collects only what is young. So there is a full collection when the
 * payload has grown to four times of what the last one left. An incremental collector never lets it
 * come to that, but where a program really grows so far.
 */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include <lua.h>
#include <stddef.h>
#include <stdint.h>

struct collector {
	uint64_t payload;		/* bytes, with those of garbage */
	uint64_t left;			/* by the last full collection */
	uint64_t debt;			/* bytes of Lua's heap that are not reported yet */
};

void collector_expect(lua_State *L, struct collector *collector, size_t bytes);

#endif
