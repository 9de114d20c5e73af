/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers of Lua that have to fit: each function returns one, or raises an error.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <lua.h>
#include <stdint.h>

double number_no_f64(lua_State *L, int index);
lua_Integer number_integer(lua_State *L, int index, lua_Integer least, lua_Integer most,
			   const char *what);

/* number_f64() - any number */
static inline double number_f64(lua_State *L, int index)
{
	return lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : number_no_f64(L, index);
}

/* number_i32() - an integer, or a float that is one */
static inline int32_t number_i32(lua_State *L, int index)
{
	return (int32_t)number_integer(L, index, INT32_MIN, INT32_MAX, "32-bit integer");
}

static inline uint8_t number_byte(lua_State *L, int index)
{
	return (uint8_t)number_integer(L, index, 0, UINT8_MAX, "byte (0 to 255)");
}

#endif
