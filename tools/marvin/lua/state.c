// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "state.h"

#define DEFAULT_STORE "/var/tmp/"

/* In the registry. */
static const char key;

/*
 * Lua calls this finalizer when the state is closed. The finalizers of all objects were
 * set later, so they have run already. The program may have set finalizers earlier, which run
 * later; and Lua does not finalize objects that finalizers make. All objects are closed from now
 * on.
 */
static int end(lua_State *L)
{
	struct state *state = state_of(L);

	if (state->open)
		marvin_close(state->heap);
	state->open = false;
	state->ended = true;
	return 0;
}

/**
 * state_begin() - of a state that loads the module
 * @L: the state
 */
void state_begin(lua_State *L)
{
	struct state *state;
	int type = lua_rawgetp(L, LUA_REGISTRYINDEX, &key);

	lua_pop(L, 1);
	if (type == LUA_TUSERDATA)
		return;
	state = lua_newuserdatauv(L, sizeof(*state), 0);
	memset(state, 0, sizeof(*state));
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, end);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}

/**
 * state_of() - what a Lua state has; it is there as long as any object
 * @L: the Lua state
 */
struct state *state_of(lua_State *L)
{
	struct state *state;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
	state = lua_touserdata(L, -1);
	lua_pop(L, 1);
	if (!state)
		luaL_error(L, "marvin's entry is gone from the registry");
	return state;
}

/*
 * default_store() - NULL, if there shall be none. A setuid program does not take a path from its
 * caller: it has rights there that the caller does not have.
 */
static const char *default_store(void)
{
	const char *store = secure_getenv("MARVIN_STORE");

	if (!store)
		return DEFAULT_STORE;
	return *store ? store : NULL;
}

/**
 * state_open() - open the heap
 * @state: of state_of()
 * @options: as for marvin_open(); a store of "" is the default one
 *
 * Return: 0; -EALREADY: it is open; or an error of marvin_open().
 */
int state_open(struct state *state, const struct marvin_options *options)
{
	struct marvin_options own = *options;
	int err;

	if (state->open)
		return -EALREADY;
	if (own.store && !*own.store)
		own.store = default_store();
	err = marvin_open(&state->heap, &own);
	state->open = !err;
	return err;
}

/**
 * state_need() - open the heap before the first object, or raise an error
 * @L: the Lua state
 * @state: of state_of()
 *
 * If the default store cannot be used, this is said, and nothing is saved: the program did not ask
 * for a store.
 */
void state_need(lua_State *L, struct state *state)
{
	struct marvin_options options = MARVIN_OPTIONS;
	int err;

	if (state->open)
		return;
	if (state->ended)
		luaL_error(L, "the state is closed: there can be no objects");
	options.store = default_store();
	err = state_open(state, &options);
	if (err && options.store) {
		fprintf(stderr, "marvin: %s: %s: objects stay in memory\n", options.store,
			strerror(-err));
		options.store = NULL;
		err = state_open(state, &options);
	}
	if (err)
		luaL_error(L, "marvin cannot begin: %s", strerror(-err));
}
