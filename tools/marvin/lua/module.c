// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <lauxlib.h>
#include <string.h>
#include "array.h"
#include "list.h"
#include "map.h"
#include "module.h"
#include "object.h"
#include "record.h"
#include "state.h"

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

/* set_road() - by its name */
static void set_road(lua_State *L, struct marvin_options *options)
{
	const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "?";
	unsigned int road;

	for (road = MARVIN_ROAD_AUTO; road <= MARVIN_ROAD_NONE; road++) {
		if (!strcmp(name, marvin_road_name((enum marvin_road)road))) {
			options->road = (enum marvin_road)road;
			return;
		}
	}
	luaL_error(L, "road is none: \"%s\"", name);
}

/* set_option() - its name is at -2 of the stack, its value at -1 */
static void set_option(lua_State *L, struct marvin_options *options)
{
	const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";

	if (!strcmp(name, "store"))
		set_store(L, options);
	else if (!strcmp(name, "space"))
		options->space = number(L, -1, name, SIZE_MAX / 2);
	else if (!strcmp(name, "road"))
		set_road(L, options);
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
	struct marvin_options options = MARVIN_OPTIONS;
	int err;

	options.store = "";
	lua_settop(L, 1);
	if (!lua_isnil(L, 1))
		luaL_checktype(L, 1, LUA_TTABLE);
	for (lua_pushnil(L); !lua_isnil(L, 1) && lua_next(L, 1); lua_pop(L, 1))
		set_option(L, &options);
	err = state_open(state_of(L), &options);
	if (err == -EALREADY)
		return luaL_error(L, "marvin is open already");
	if (err)
		return luaL_error(L, "marvin cannot open %s: %s", options.store && *options.store ?
				  options.store : "its store", strerror(-err));
	return 0;
}

/* heap_of() - NULL: it is not open */
static struct marvin *heap_of(lua_State *L)
{
	struct state *state = state_of(L);

	return state->open ? state->heap : NULL;
}

/* ended() - true; or nil and what went wrong */
static int ended(lua_State *L, int err)
{
	if (!err) {
		lua_pushboolean(L, 1);
		return 1;
	}
	luaL_pushfail(L);
	lua_pushstring(L, err == -ENOTCONN ? "marvin is not open" : strerror(-err));
	return 2;
}

/* marvin.tick([budget_ms]) */
static int tick(lua_State *L)
{
	uint64_t budget = lua_isnoneornil(L, 1) ? BUDGET_MS :
			  number(L, 1, "the budget", UINT32_MAX);
	struct marvin *heap = heap_of(L);

	return ended(L, heap ? marvin_tick(heap, (uint32_t)budget) : -ENOTCONN);
}

/* marvin.drop([bytes]) */
static int drop(lua_State *L)
{
	uint64_t bytes = lua_isnoneornil(L, 1) ? UINT64_MAX :
			 number(L, 1, "the size", LUA_MAXINTEGER);
	struct marvin *heap = heap_of(L);

	lua_pushinteger(L, heap ? (lua_Integer)marvin_drop(heap, bytes) : 0);
	return 1;
}

static int fetch(lua_State *L)
{
	struct marvin *heap = heap_of(L);

	return ended(L, heap ? marvin_fetch(heap) : -ENOTCONN);
}

/* marvin.background(is) */
static int background(lua_State *L)
{
	struct marvin *heap = heap_of(L);

	luaL_checktype(L, 1, LUA_TBOOLEAN);
	return ended(L, heap ? marvin_background(heap, lua_toboolean(L, 1)) : -ENOTCONN);
}

/* marvin.check(object): true; or nil and why its bytes cannot be had */
static int check(lua_State *L)
{
	struct object *object = object_any(L, 1);
	int err = *object->open ? object_load(object, object->at, object->bytes) : -EINVAL;

	if (!err) {
		lua_pushboolean(L, 1);
		return 1;
	}
	luaL_pushfail(L);
	object_reason(L, -err);
	return 2;
}

static int stats(lua_State *L)
{
	struct marvin_stats now = MARVIN_STATS;
	struct marvin *heap = heap_of(L);

	if (heap)
		marvin_stats(heap, &now);
	lua_createtable(L, 0, 16);
#define FIELD(name) (lua_pushinteger(L, (lua_Integer)now.name), lua_setfield(L, -2, #name))
	FIELD(objects);
	FIELD(bytes);
	FIELD(unsaved);
	FIELD(saved);
	FIELD(given);
	FIELD(ticks);
	FIELD(written);
	FIELD(zeroes);
	FIELD(gave);
	FIELD(dropped);
	FIELD(loads);
	FIELD(loaded);
	FIELD(write_traps);
	FIELD(lost);
	FIELD(store_errors);
	FIELD(full);
#undef FIELD
	return 1;
}

/* marvin.info(): a table; or nil and what went wrong */
static int info(lua_State *L)
{
	struct marvin_info now = MARVIN_INFO;
	struct marvin *heap = heap_of(L);
	int err = heap ? marvin_info(heap, &now) : -ENOTCONN;

	if (err)
		return ended(L, err);
	lua_createtable(L, 0, 5);
	lua_pushstring(L, marvin_road_name(now.road));
	lua_setfield(L, -2, "road");
	lua_pushboolean(L, now.system_calls);
	lua_setfield(L, -2, "system_calls");
	lua_pushboolean(L, now.saves);
	lua_setfield(L, -2, "saves");
	lua_pushinteger(L, (lua_Integer)now.space);
	lua_setfield(L, -2, "space");
	lua_pushinteger(L, (lua_Integer)now.page);
	lua_setfield(L, -2, "page");
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
		{ "background", background }, { "check", check }, { "stats", stats },
		{ "info", info }, { NULL, NULL },
	};

	luaL_checkversion(L);
	state_begin(L);
	luaL_newlib(L, functions);
	array_open(L);
	record_open(L);
	list_open(L);
	map_open(L);
	return 1;
}
