/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers of Lua that have to fit, and indexes, which begin at 1: each function returns one, or
 * raises an error.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

double number_no_f64(lua_State *L, int index);
lua_Integer number_integer(lua_State *L, int index, lua_Integer least, lua_Integer most,
			   const char *what);
lua_Integer number_key(lua_State *L, int index);
noreturn void number_outside(lua_State *L, lua_Integer i, size_t n);
size_t number_size(lua_State *L, int index, size_t element);

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

/* number_inside() - is it one of 1 to @n? */
static inline bool number_inside(lua_Integer i, size_t n)
{
	return (lua_Unsigned)i - 1 < n;
}

/* number_next() - the index behind @i, which may be any integer */
static inline lua_Integer number_next(lua_Integer i)
{
	return (lua_Integer)((lua_Unsigned)i + 1);
}

/* number_index() - from 0 to @n - 1 */
static inline size_t number_index(lua_State *L, int index, size_t n)
{
	lua_Integer i = number_key(L, index);

	if (!number_inside(i, n))
		number_outside(L, i, n);
	return (size_t)i - 1;
}

#endif
