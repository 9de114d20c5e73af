/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of a Lua state, and how much payload they have.
 *
 * Lua's collector sees a stub of 100 bytes where there is an object of megabytes: it would free far
 * too late. So what is made here is reported to it.
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
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;

struct account {
	struct object *objects;		/* all that are not closed */
	bool ended;			/* the state is closed: there are no more objects */
	uint64_t payload;		/* bytes, with those of garbage */
	uint64_t left;			/* by the last full collection */
	uint64_t debt;			/* bytes of Lua's heap that are not reported yet */
};

void account_open(lua_State *L);
struct account *account_of(lua_State *L);
void account_expect(lua_State *L, struct account *account, size_t bytes);
void account_change(struct account *account, size_t bytes, size_t before);
void account_add(struct account *account, struct object *object);
void account_remove(struct object *object);

#endif
