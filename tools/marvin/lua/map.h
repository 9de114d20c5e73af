/* SPDX-License-Identifier: GPL-2.0 */
/*
 * marvin.map: values by keys, as a table has them.
 */
#ifndef MAP_H
#define MAP_H

#include <lua.h>

int map_open(lua_State *L);

#endif
