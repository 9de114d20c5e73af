// SPDX-License-Identifier: GPL-2.0

#include <lauxlib.h>
#include "value.h"

/**
 * value_look() - a value on the stack
 * @L: the state
 * @index: of the value
 * @value: filled in; a text is Lua's, and lasts as long as the value is on the stack; a reference
 * has its identity, and no number yet
 */
void value_look(lua_State *L, int index, struct packed_value *value)
{
	size_t size;

	value->size = 0;
	value->bits = 0;
	switch (lua_type(L, index)) {
	case LUA_TNONE:
	case LUA_TNIL:
		value->tag = PACKED_NIL;
		break;
	case LUA_TBOOLEAN:
		value->tag = lua_toboolean(L, index) ? PACKED_TRUE : PACKED_FALSE;
		break;
	case LUA_TNUMBER:
		value->tag = lua_isinteger(L, index) ? PACKED_INTEGER : PACKED_FLOAT;
		if (value->tag == PACKED_INTEGER)
			value->bits = (uint64_t)lua_tointeger(L, index);
		else
			value->number = lua_tonumber(L, index);
		break;
	case LUA_TSTRING:
		value->tag = PACKED_TEXT;
		value->text = lua_tolstring(L, index, &size);
		if (size > PACKED_LONGEST)
			luaL_error(L, "the string is too long");
		value->size = (uint32_t)size;
		break;
	case LUA_TLIGHTUSERDATA:
		value->tag = PACKED_POINTER;
		value->bits = (uintptr_t)lua_touserdata(L, index);
		break;
	default:
		value->tag = PACKED_REF;
		value->bits = (uintptr_t)lua_topointer(L, index);
	}
}

/* references() - push a container's table of them; the debug library may have taken it away */
static void references(lua_State *L, int container)
{
	if (lua_getiuservalue(L, container, 1) == LUA_TTABLE)
		return;
	lua_pop(L, 1);
	lua_newtable(L);
	lua_pushvalue(L, -1);
	lua_setiuservalue(L, container, 1);
}

/**
 * value_keep() - for a reference: Lua keeps it for the container
 * @L: the state
 * @container: index of the container on the stack
 * @index: of the value
 * @value: of value_look(); a reference gets its number
 *
 * Context: it may collect, and so run finalizers.
 */
void value_keep(lua_State *L, int container, int index, struct packed_value *value)
{
	if (value->tag != PACKED_REF)
		return;
	references(L, container);
	lua_pushvalue(L, index);
	value->size = (uint32_t)luaL_ref(L, -2);
	lua_pop(L, 1);
}

/**
 * value_forget() - the container has it no more
 * @L: the state
 * @container: index of the container on the stack
 * @value: of value_keep(), or read from the payload
 */
void value_forget(lua_State *L, int container, const struct packed_value *value)
{
	if (value->tag != PACKED_REF)
		return;
	references(L, container);
	luaL_unref(L, -1, (int)value->size);
	lua_pop(L, 1);
}

/**
 * value_push() - onto Lua's stack
 * @L: the state
 * @container: index of the container that it was read from
 * @value: of packed_get(); a text is still in the payload
 *
 * Context: it may collect when it has pushed the value, and so run finalizers.
 */
void value_push(lua_State *L, int container, const struct packed_value *value)
{
	switch (value->tag) {
	case PACKED_FALSE:
	case PACKED_TRUE:
		lua_pushboolean(L, value->tag == PACKED_TRUE);
		break;
	case PACKED_INTEGER:
		lua_pushinteger(L, (lua_Integer)value->bits);
		break;
	case PACKED_FLOAT:
		lua_pushnumber(L, value->number);
		break;
	case PACKED_POINTER:
		lua_pushlightuserdata(L, (void *)(uintptr_t)value->bits);
		break;
	case PACKED_TEXT:
		lua_pushlstring(L, value->text, value->size);
		break;
	case PACKED_REF:
		references(L, container);
		lua_rawgeti(L, -1, (lua_Integer)value->size);
		lua_remove(L, -2);
		break;
	default:
		lua_pushnil(L);
	}
}
