// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <lauxlib.h>
#include <string.h>
#include "account.h"
#include "array.h"
#include "bounds.h"
#include "list.h"
#include "map.h"
#include "module.h"
#include "record.h"
#include "session.h"

#define BUDGET_MS 1000

/* number() - of an option or an argument: from 0 to @most */
static uint64_t number(lua_State *L, int index, const char *name, uint64_t most)
{
	lua_Integer i;
	int good;

	i = lua_tointegerx(L, index, &good);
	if (!good || i < 0 || (uint64_t)i > most)
		luaL_error(L, "%s is not a number from 0 to %I", name, (LUAI_UACINT)most);
	return (uint64_t)i;
}

/* set_store() - false: nothing is saved */
static void set_store(lua_State *L, struct marvin_options *options)
{
	if (lua_type(L, -1) == LUA_TSTRING)
		options->store = lua_tostring(L, -1);
	else if (lua_isboolean(L, -1) && !lua_toboolean(L, -1))
		options->store = NULL;
	else
		luaL_error(L, "store is neither a string nor false");
}

/* set_option() - its name is at -2 of the stack, its value at -1 */
static void set_option(lua_State *L, struct marvin_options *options)
{
	const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";

	if (!strcmp(name, "store"))
		set_store(L, options);
	else if (!strcmp(name, "space"))
		options->space = number(L, -1, name, SIZE_MAX / 2);
	else if (!strcmp(name, "objects"))
		options->objects = (uint32_t)number(L, -1, name, UINT32_MAX);
	else if (!strcmp(name, "foreground_ms"))
		options->foreground_ms = (uint32_t)number(L, -1, name, UINT32_MAX);
	else if (!strcmp(name, "background_ms"))
		options->background_ms = (uint32_t)number(L, -1, name, UINT32_MAX);
	else if (!strcmp(name, "thread") && lua_isboolean(L, -1))
		options->no_thread = !lua_toboolean(L, -1);
	else if (!strcmp(name, "thread"))
		luaL_error(L, "thread is neither true nor false");
	else
		luaL_error(L, "unknown option \"%s\"", name);
}

/* marvin.open{ ... } */
static int open_it(lua_State *L)
{
	struct marvin_options options = { .store = "" };
	int err;

	lua_settop(L, 1);
	if (!lua_isnil(L, 1))
		luaL_checktype(L, 1, LUA_TTABLE);
	for (lua_pushnil(L); !lua_isnil(L, 1) && lua_next(L, 1); lua_pop(L, 1))
		set_option(L, &options);
	err = session_open(&options);
	if (err == -EALREADY)
		return luaL_error(L, "marvin is open already");
	if (err)
		return luaL_error(L, "marvin cannot open %s: %s", options.store && *options.store ?
				  options.store : "its store", strerror(-err));
	return 0;
}

/* ended() - true; or nil and what went wrong */
static int ended(lua_State *L, int err)
{
	if (!err) {
		lua_pushboolean(L, 1);
		return 1;
	}
	luaL_pushfail(L);
	lua_pushstring(L, err == -EINVAL ? "marvin is not open" : strerror(-err));
	return 2;
}

/* marvin.tick([budget_ms]) */
static int tick(lua_State *L)
{
	uint64_t budget = lua_isnoneornil(L, 1) ? BUDGET_MS :
			  number(L, 1, "the budget", UINT32_MAX);

	return ended(L, marvin_tick((uint32_t)budget));
}

/* marvin.drop([bytes]) */
static int drop(lua_State *L)
{
	uint64_t bytes = lua_isnoneornil(L, 1) ? UINT64_MAX :
			 number(L, 1, "the size", LUA_MAXINTEGER);

	lua_pushinteger(L, (lua_Integer)marvin_drop(bytes));
	return 1;
}

static int fetch(lua_State *L)
{
	return ended(L, marvin_fetch());
}

static int stats(lua_State *L)
{
	struct marvin_stats now;

	marvin_stats(&now);
	lua_createtable(L, 0, 13);
#define FIELD(name) (lua_pushinteger(L, (lua_Integer)now.name), lua_setfield(L, -2, #name))
	FIELD(objects);
	FIELD(bytes);
	FIELD(ticks);
	FIELD(saved);
	FIELD(saved_bytes);
	FIELD(lazy);
	FIELD(claimed);
	FIELD(loaded);
	FIELD(loaded_bytes);
	FIELD(dropped);
	FIELD(broken);
	FIELD(store_errors);
	FIELD(full);
#undef FIELD
	return 1;
}

/**
 * luaopen_marvin() - require "marvin"
 * @L: the state
 *
 * Return: 1, and the module's table is on the stack.
 */
int luaopen_marvin(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{ "open", open_it }, { "tick", tick }, { "drop", drop }, { "fetch", fetch },
		{ "stats", stats }, { NULL, NULL },
	};

	luaL_checkversion(L);
	account_open(L);
	bounds_open(L);
	luaL_newlib(L, functions);
	array_open(L);
	record_open(L);
	list_open(L);
	map_open(L);
	return 1;
}
