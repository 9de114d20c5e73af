// SPDX-License-Identifier: GPL-2.0

#include <lauxlib.h>
#include <stdlib.h>
#include "bounds.h"

/* In the registry: the iterator of ipairs(). */
static const char key;

/**
 * bounds_open() - of a state that loads the module
 * @L: the state
 */
void bounds_open(lua_State *L)
{
	if (lua_getglobal(L, "ipairs") != LUA_TFUNCTION) {
		lua_pop(L, 1);
		return;
	}
	lua_newtable(L);
	lua_call(L, 1, 1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}

/**
 * bounds_number() - a key that is a number
 * @L: the state
 * @index: of the argument
 *
 * Return: the integer; or it raises an error.
 */
lua_Integer bounds_number(lua_State *L, int index)
{
	int good = 0;
	lua_Integer i = 0;

	if (lua_type(L, index) != LUA_TNUMBER)
		luaL_error(L, "index is a %s value", luaL_typename(L, index));
	i = lua_tointegerx(L, index, &good);
	if (!good)
		luaL_error(L, "index %f is not an integer", lua_tonumber(L, index));
	return i;
}

/**
 * bounds_error() - of an index
 * @L: the state
 * @i: the index
 * @n: how many there are
 */
void bounds_error(lua_State *L, lua_Integer i, size_t n)
{
	if (n)
		luaL_error(L, "index %I out of bounds (1 to %I)", (LUAI_UACINT)i, (LUAI_UACINT)n);
	luaL_error(L, "index %I out of bounds (it is empty)", (LUAI_UACINT)i);
	abort();
}

/**
 * bounds_miss() - read what is not there
 * @L: the state, of an __index
 * @i: the index
 * @n: how many there are
 *
 * ipairs() goes on until it finds nil: for it, and nobody else, there is one behind the last.
 *
 * Return: 1, and nil is on the stack; or it raises an error.
 */
int bounds_miss(lua_State *L, lua_Integer i, size_t n)
{
	lua_Debug caller;
	int same;

	if (i < 1 || (lua_Unsigned)i - 1 != n || !lua_getstack(L, 1, &caller))
		bounds_error(L, i, n);
	lua_getinfo(L, "f", &caller);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
	same = lua_rawequal(L, -1, -2);
	lua_pop(L, 2);
	if (!same)
		bounds_error(L, i, n);
	lua_pushnil(L);
	return 1;
}

/**
 * bounds_size() - an argument that is a number of elements
 * @L: the state
 * @index: of the argument
 * @element: bytes of each
 *
 * Return: the number; or it raises an error.
 */
size_t bounds_size(lua_State *L, int index, size_t element)
{
	lua_Integer n = luaL_checkinteger(L, index);

	luaL_argcheck(L, n >= 0, index, "a negative size");
	luaL_argcheck(L, (lua_Unsigned)n <= SIZE_MAX / 4 / element, index, "too large");
	return (size_t)n;
}
