/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of Lua that are packed: nil, booleans, numbers, strings and light userdata. All others are
 * references: they are in a table that is the container's user value, where Lua's collector finds
 * them without the payload; the cell has their number in it.
 */
#ifndef VALUE_H
#define VALUE_H

#include <lua.h>
#include "packed.h"

void value_look(lua_State *L, int index, struct packed_value *value);
void value_keep(lua_State *L, int container, int index, struct packed_value *value);
void value_forget(lua_State *L, int container, const struct packed_value *value);
void value_push(lua_State *L, int container, const struct packed_value *value);

#endif
