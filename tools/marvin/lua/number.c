// SPDX-License-Identifier: GPL-2.0

#include <lauxlib.h>
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
