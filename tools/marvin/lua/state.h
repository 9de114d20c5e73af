/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A Lua state has a heap of its own. It opens with the first object, or by marvin.open() before,
 * and closes with the state.
 */
#ifndef STATE_H
#define STATE_H

#include <lua.h>
#include <stdbool.h>
#include "collector.h"
#include "marvin.h"

struct state {
	bool open;			/* the heap is; objects look here before each access */
	bool ended;			/* the state is closed: the heap does not open again */
	struct marvin *heap;
	struct collector collector;
};

void state_begin(lua_State *L);
struct state *state_of(lua_State *L);
int state_open(struct state *state, const struct marvin_options *options);
void state_need(lua_State *L, struct state *state);

#endif
