/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Indexes as Lua has them, from 1 on.
 */
#ifndef BOUNDS_H
#define BOUNDS_H

#include <lua.h>
#include <stddef.h>
#include <stdnoreturn.h>

void bounds_open(lua_State *L);
lua_Integer bounds_number(lua_State *L, int index);
noreturn void bounds_error(lua_State *L, lua_Integer i, size_t n);
int bounds_miss(lua_State *L, lua_Integer i, size_t n);
size_t bounds_size(lua_State *L, int index, size_t element);

/* bounds_hold() - is it one of 1 to @n? */
static inline int bounds_hold(lua_Integer i, size_t n)
{
	return (lua_Unsigned)i - 1 < n;
}

/* bounds_next() - the index behind @i, which may be any integer */
static inline lua_Integer bounds_next(lua_Integer i)
{
	return (lua_Integer)((lua_Unsigned)i + 1);
}

#endif
