// SPDX-License-Identifier: GPL-2.0

#include <lauxlib.h>
#include <stdlib.h>
#include "number.h"

static void no_number(lua_State *L, int index)
{
	luaL_error(L, "number expected, got %s", luaL_typename(L, index));
}

/**
 * number_no_f64() - the error of number_f64()
 * @L: the state
 * @index: of the value
 */
double number_no_f64(lua_State *L, int index)
{
	no_number(L, index);
	return 0;
}

/**
 * number_integer() - an integer within limits
 * @L: the state
 * @index: of the value
 * @least: limit
 * @most: limit
 * @what: its kind, for the message
 */
lua_Integer number_integer(lua_State *L, int index, lua_Integer least, lua_Integer most,
			   const char *what)
{
	lua_Integer i;
	int good;

	/* Strings that look like numbers are none here. */
	if (lua_type(L, index) != LUA_TNUMBER)
		no_number(L, index);
	i = lua_tointegerx(L, index, &good);
	if (!good || i < least || i > most)
		luaL_error(L, "%s is not a %s", luaL_tolstring(L, index, NULL), what);
	return i;
}

/**
 * number_key() - an index, which may be out of bounds
 * @L: the state
 * @index: of the argument
 */
lua_Integer number_key(lua_State *L, int index)
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
 * number_outside() - the error of an index that is out of bounds
 * @L: the state
 * @i: the index
 * @n: how many there are
 */
void number_outside(lua_State *L, lua_Integer i, size_t n)
{
	if (n)
		luaL_error(L, "index %I out of bounds (1 to %I)", (LUAI_UACINT)i, (LUAI_UACINT)n);
	luaL_error(L, "index %I out of bounds (it is empty)", (LUAI_UACINT)i);
	abort();
}

/**
 * number_size() - an argument that is a number of elements
 * @L: the state
 * @index: of the argument
 * @element: bytes of each
 */
size_t number_size(lua_State *L, int index, size_t element)
{
	lua_Integer n = luaL_checkinteger(L, index);

	luaL_argcheck(L, n >= 0, index, "a negative size");
	luaL_argcheck(L, (lua_Unsigned)n <= SIZE_MAX / 4 / element, index, "too large");
	return (size_t)n;
}
