/* SPDX-License-Identifier: GPL-2.0 */
/*
 * marvin.list: a row of any values, as a table that is used as a list.
 */
#ifndef LIST_H
#define LIST_H

#include <lua.h>

int list_open(lua_State *L);

#endif
